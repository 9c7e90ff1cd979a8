"""The data of all four jobs: scikit-learn's 1,797 handwritten digits of 8 × 8 pixels."""

from __future__ import annotations

from typing import NamedTuple

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import functorch_lite as torch


class Digits(NamedTuple):
    """Images (N, 1, 8, 8) between 0 and 1, and their labels (N,)."""

    train_x: torch.Tensor
    train_y: torch.Tensor
    test_x: torch.Tensor
    test_y: torch.Tensor


def load(test_share: float = 0.2) -> Digits:
    """The digits, split once and for all into a training set and a test set with the same share of each digit."""
    pixels, labels = load_digits(return_X_y=True)
    train_x, test_x, train_y, test_y = train_test_split(
        pixels, labels, test_size=test_share, stratify=labels, random_state=0
    )

    def images(rows) -> torch.Tensor:
        return torch.tensor(rows / 16, dtype=torch.float32).reshape(-1, 1, 8, 8)

    return Digits(images(train_x), torch.tensor(train_y), images(test_x), torch.tensor(test_y))
