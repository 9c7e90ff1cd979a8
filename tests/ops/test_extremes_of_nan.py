"""Derivatives of extremes of what holds a nan: facts from PyTorch 2.13, by programs and by NumPy alike."""

from __future__ import annotations

import math

import pytest

import functorch_lite as torch

nan, inf = math.nan, math.inf
ROW = [1.0, 5.0, nan, 7.0]
ALL = [nan] * 4
NONE = [0.0] * 4
HALVES = torch.tensor([0, 0, 1, 1])

CASES = {
    "amax": (lambda x: x.amax(-1), ALL),
    "amin of all dims": (lambda x: x.reshape(2, 2).amin((0, 1)), ALL),
    "max along a dim": (lambda x: x.max(-1).values, [0.0, 0.0, 1.0, 0.0]),
    "min along a dim": (lambda x: x.min(-1).values, [0.0, 0.0, 1.0, 0.0]),
    "max": (lambda x: x.max(), [0.0, 0.0, 1.0, 0.0]),
    "min": (lambda x: x.min(), [0.0, 0.0, 1.0, 0.0]),
    "aminmax": (lambda x: x.aminmax(dim=-1).min, ALL),
    "median": (lambda x: x.median(), [0.0, 0.0, 1.0, 0.0]),
    "nanmedian": (lambda x: x.nanmedian(), [0.0, 1.0, 0.0, 0.0]),
    "norm inf": (lambda x: x.norm(inf), NONE),
    "norm -inf": (lambda x: torch.linalg.vector_norm(x, -inf), NONE),
    "matrix_norm inf": (lambda x: torch.linalg.matrix_norm(x.reshape(2, 2), inf), ALL),
    "scatter_reduce": (
        lambda x: torch.zeros(2).scatter_reduce(0, HALVES, x, "amax").sum(),
        [0.0, 1.0, nan, nan],
    ),
    "segment_reduce": (
        lambda x: torch.segment_reduce(x, "max", lengths=torch.tensor([2, 2])).sum(),
        [0.0, 1.0, 1.0, 0.0],
    ),
}


@pytest.mark.parametrize("tier", ["compiled", "cold"])
@pytest.mark.parametrize("name", CASES)
def test_derivative_in_a_row_with_nan(name, tier):
    fn, expected = CASES[name]
    x = torch.tensor(ROW, requires_grad=True)
    with torch.debug.tier(tier):
        out = fn(x)
        (found,) = torch.autograd.grad(out, x)
        assert str(found.tolist()) == str(expected)
        assert math.isnan(out.detach()) == (name != "nanmedian")


@pytest.mark.parametrize("tier", ["compiled", "cold"])
def test_infinities_of_segments_share(tier):
    x = torch.tensor([inf, 1.0, inf, inf], requires_grad=True)
    with torch.debug.tier(tier):
        out = torch.segment_reduce(x, "max", lengths=torch.tensor([2, 2]))
        (found,) = torch.autograd.grad(out.sum(), x)
        assert out.tolist() == [inf, inf]
        assert found.tolist() == [1.0, 0.0, 0.5, 0.5]


def test_truth_as_a_factor_of_a_function_of_jax():
    """XLA takes such a product for a selection, without the nan of 0 * inf."""
    import jax.numpy as jnp

    from functorch_lite.compat import jax_function

    masked = jax_function(lambda x, y: (x > 0).astype(jnp.float32) * y)
    with torch.debug.tier("compiled"):
        found = masked(torch.tensor([1.0, -1.0]), torch.tensor([inf, inf]))
        assert str(found.tolist()) == "[inf, nan]"
