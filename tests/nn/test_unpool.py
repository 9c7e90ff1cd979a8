"""max_unpool where windows overlapped, so that a place is named more than once."""

from __future__ import annotations

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F


def test_every_repeated_index_gets_the_gradient_of_its_place():
    x = torch.full((1, 2, 2), 2.0).requires_grad_()
    y = F.max_unpool2d(x, torch.tensor([[[4, 4], [4, 8]]]), 2, 1)
    assert y.tolist() == [[[0, 0, 0], [0, 2, 0], [0, 0, 2]]]
    (y * torch.arange(9.0).reshape(3, 3)).sum().backward()
    assert x.grad.tolist() == [[[4, 4], [4, 8]]]


def test_a_computed_index_out_of_range_gives_nan():
    y = F.max_unpool1d(torch.ones(2, 1), torch.tensor([[1], [6]]) + torch.tensor([[0], [1]]), 2)
    with pytest.raises(RuntimeError, match="Found an invalid max index: 7"):
        y.tolist()
    assert y[0].tolist() == [0, 1] and y[1].isnan().all()
