"""Resampling by taps and by products with the matrix of all shares: both give the same, and a nan stays where it is."""

from __future__ import annotations

import math

import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F

MODES = [("bilinear", False), ("bilinear", True), ("bicubic", False)]


def resampled(x, mode, antialias):
    return F.interpolate(x, size=(9, 5), mode=mode, antialias=antialias)


@pytest.mark.parametrize("mode, antialias", MODES)
def test_what_is_differentiated_is_the_same(mode, antialias):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 4, 6, dtype=torch.float64)
    plain = resampled(x, mode, antialias)
    x.requires_grad_()
    out = resampled(x, mode, antialias)
    assert torch.allclose(out.detach(), plain)
    weights = torch.randn(out.shape, dtype=torch.float64)
    (found,) = torch.autograd.grad((out * weights).sum(), x)
    v = torch.randn(x.shape, dtype=torch.float64)
    _, along = torch.func.jvp(lambda x: resampled(x, mode, antialias), (x.detach(),), (v,))
    assert torch.allclose((found * v).sum(), (along * weights).sum())
    assert torch.allclose(along, resampled(v, mode, antialias))  # it is linear
    mapped = torch.func.vmap(lambda x: resampled(x[None], mode, antialias)[0])(x.detach())
    assert torch.allclose(mapped, plain)


@pytest.mark.parametrize("tier", ["compiled", "cold"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_nan_stays_where_it_is(tier, value):
    x = torch.zeros(1, 1, 8, 8)
    x[0, 0, 0, 0] = value
    x.requires_grad_()
    with torch.debug.tier(tier):
        out = F.interpolate(x, scale_factor=2, mode="bilinear")
        (found,) = torch.autograd.grad(out.sum(), x)
        assert out.detach().isfinite().sum() == 256 - 9
        assert found.isfinite().all()


@pytest.mark.parametrize("tier", ["compiled", "cold"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_many_channels_are_sampled_as_each_alone(tier, mode):
    torch.manual_seed(0)
    x, grid = (
        torch.randn(2, 9, 4, 3, dtype=torch.float64),
        3 * torch.rand(2, 5, 2, 2, dtype=torch.float64) - 1.5,
    )
    v, u = torch.randn_like(x), torch.randn_like(grid)
    x[0, 0, 0, 0] = math.nan

    def whole(x, grid):
        return F.grid_sample(x, grid, mode, align_corners=False)

    def one_by_one(x, grid):
        return torch.cat([whole(x[:, c : c + 1], grid) for c in range(9)], 1)

    def results(f):
        weights = torch.arange(9.0, dtype=torch.float64)[:, None, None]
        gradients = torch.func.grad(lambda x, grid: (f(x, grid) * weights).nansum(), (0, 1))(x, grid)
        return [*torch.func.jvp(f, (x, grid), (v, u)), *gradients]

    with torch.debug.tier(tier):
        mapped = torch.func.vmap(lambda x, grid: whole(x[None], grid[None])[0])(x, grid)
        for a, b in zip([mapped, *results(whole)], [whole(x, grid), *results(one_by_one)], strict=True):
            assert torch.allclose(a, b, equal_nan=True)
