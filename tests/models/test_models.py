"""Models train without PyTorch at hand: the loss falls over a few steps.
All models are compared with PyTorch in test_models_parity.py."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from tests.models import MODELS

SOME = ("gpt2", "lstm_language_model")


@pytest.mark.parametrize("name", SOME)
def test_the_loss_falls(name):
    torch.manual_seed(0)
    spec = MODELS[name]
    model = spec.build(torch)
    tensors = [torch.tensor(a) for a in spec.example(np.random.default_rng(0))]
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = spec.loss(torch, model, *tensors)
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    values = [float(x) for x in losses]
    assert all(np.isfinite(values))
    assert values[2] < values[1] < values[0]
