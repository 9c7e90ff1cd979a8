"""Layers that draw random numbers: what they draw lies where it should, and gradients go through it."""

from __future__ import annotations

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F


def test_gumbel_softmax():
    torch.manual_seed(0)
    logits = torch.tensor([0.1, 0.2, 0.7]).log().requires_grad_()
    hard = F.gumbel_softmax(logits.expand(4000, 3), hard=True)
    assert set(hard.unique().tolist()) <= {0.0, 1.0} or hard.unique().tolist() == pytest.approx(
        [0.0, 1.0], abs=1e-6
    )
    share = hard.mean(0).tolist()
    assert share == pytest.approx([0.1, 0.2, 0.7], abs=0.03)  # the Gumbel-max trick draws from the softmax
    (hard * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert logits.grad.abs().sum() > 0  # through the soft sample
    soft = F.gumbel_softmax(logits.detach(), tau=0.5)
    assert float(soft.sum()) == pytest.approx(1.0)
    with pytest.raises(
        RuntimeError, match="Exponential distribution is a continuous probability distribution"
    ):
        F.gumbel_softmax(torch.tensor([1, 2]))


def test_rrelu():
    torch.manual_seed(0)
    x = torch.full((2000,), -1.0).requires_grad_()
    y = F.rrelu(x, 0.25, 0.75, training=True)  # whose arithmetic is exact, however it is compiled
    slopes = -y.detach()
    assert 0.25 <= float(slopes.min()) < 0.27 and 0.73 < float(slopes.max()) <= 0.75
    assert float(slopes.mean()) == pytest.approx(0.5, abs=0.01)
    y.sum().backward()
    assert torch.equal(x.grad, slopes)  # the slope that was drawn
    assert F.rrelu(torch.tensor([-1.0, 2.0]), training=True).tolist()[1] == 2.0
    with pytest.raises(RuntimeError, match="Lower bound should be less than or equal to the upper bound"):
        F.rrelu(x, 0.5, 0.2, training=True)


def test_fractional_max_pooling_draws_its_windows():
    torch.manual_seed(0)
    x = torch.arange(81.0).reshape(1, 1, 9, 9)
    seen = {tuple(F.fractional_max_pool2d(x, 2, 4).flatten().tolist()) for _ in range(4)}
    assert len(seen) > 1
    assert all(s[-1] == 80.0 for s in seen)  # the last window ends with the image


def test_random_layers_under_vmap():
    x = torch.full((3, 50), -1.0)
    different = torch.vmap(lambda row: F.rrelu(row, training=True), randomness="different")(x)
    same = torch.vmap(lambda row: F.rrelu(row, training=True), randomness="same")(x)
    assert not torch.equal(different[0], different[1]) and torch.equal(same[0], same[1])
    with pytest.raises(RuntimeError, match="randomness error mode"):
        torch.vmap(lambda row: F.rrelu(row, training=True))(x)
