"""Lowerings of parts and sums give what XLA's own give: borders, windows, counts, scatters, and the extreme of all
numbers."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.run.lowering.rewrite import lowered_jaxpr


def both(f, *xs):
    """What a function gives with the lowerings, which there are, and without."""
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(f)(*xs)
        made = lowered_jaxpr(closed)
        assert made is not closed
        return [np.asarray(jax.jit(jax.extend.core.jaxpr_as_fun(c))(*xs)[0]) for c in (made, closed)]


def bordered(x, axis, *parts):
    n = x.shape[axis]
    cut = {
        "front": jax.lax.rev(jax.lax.slice_in_dim(x, 1, 4, axis=axis), (axis,)),
        "whole": x,
        "back": jax.lax.rev(jax.lax.slice_in_dim(x, n - 3, n - 1, axis=axis), (axis,)),
        "edge": jax.lax.broadcast_in_dim(
            jax.lax.slice_in_dim(x, 0, 1, axis=axis),
            (*x.shape[:axis], 3, *x.shape[axis + 1 :]),
            range(x.ndim),
        ),
    }
    return jnp.concatenate([cut[p] for p in parts], axis)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("parts", [("front", "whole", "back"), ("edge", "whole"), ("whole", "back")])
def test_borders(axis, parts):
    x = np.random.default_rng(0).standard_normal((20, 17, 16)).astype(np.float32)
    x[0, 0, 0] = np.nan
    np.testing.assert_array_equal(*both(lambda x: bordered(x, axis, *parts), x))


def test_what_is_no_border_stays():
    x = np.zeros((64, 80), np.float32)
    for f in (lambda x: jnp.concatenate([x[10:], x[:10]]), lambda x: jnp.concatenate([x, x * 2])):
        closed = jax.make_jaxpr(f)(x)
        assert lowered_jaxpr(closed) is closed


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_gradients_of_borders(mode):
    with torch.debug.tier("compiled"):
        x = torch.randn(4, 8, 12, 13, dtype=torch.float64, requires_grad=True)
        weight = torch.randn(4, 8, 15, 16, dtype=torch.float64)

        def gradient():
            return torch.autograd.grad((torch.nn.functional.pad(x, (2, 1, 1, 2), mode) * weight).sum(), x)[0]

        made = gradient()
        with torch.debug.cpu_lowerings(False):
            torch.testing.assert_close(made, gradient())


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype", [jnp.int32, jnp.int64])
def test_counts(axis, dtype):
    x = np.random.default_rng(0).standard_normal((70, 90)).astype(np.float32)
    made, expected = both(lambda x: jnp.sum((x > 0.3).astype(jnp.int32).astype(dtype), axis, dtype=dtype), x)
    np.testing.assert_array_equal(made, expected)
    assert made.dtype == expected.dtype == dtype


def test_whole_numbers_that_are_no_bools_are_added_up_as_before():
    x = np.full((8192,), 2**30, np.int32)
    closed = jax.make_jaxpr(lambda x: jnp.sum(x))(x)
    assert lowered_jaxpr(closed) is closed


def test_scatters():
    """What is added to an argument is no constant, which XLA would fold: it is left as it is."""
    rng = np.random.default_rng(0)
    at, parts = rng.integers(0, 100, 5000), rng.standard_normal(5000).astype("f")
    made, expected = both(lambda at, parts: jnp.zeros(100, "f").at[at].add(parts), at, parts)
    np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-5)
    closed = jax.make_jaxpr(lambda x, at, parts: x.at[at].add(parts))(np.zeros(100, "f"), at, parts)
    assert lowered_jaxpr(closed) is closed


@pytest.mark.parametrize("special", [None, np.nan, -np.inf])
def test_the_first_extreme_of_many(special):
    x = np.random.default_rng(0).standard_normal(2**17).astype(np.float32)
    x[[70_000, 70_001, 100_000]] = -100.0 if special is None else special
    made, expected = both(lambda x: jnp.argmin(x), x)
    assert made == expected == 70_000
    x[[5, 80_000]] = x[~np.isnan(x)].max()
    made, expected = both(lambda x: jnp.argmax(x), x)
    assert made == expected


@pytest.mark.parametrize(
    "n, size, step", [(40, 8, 4), (41, 7, 3), (40, 5, 1), (40, 3, 7), (40, 40, 40), (9, 9, 1)]
)
def test_windows(n, size, step):
    x = np.random.default_rng(0).standard_normal((2, n, 3))
    with torch.debug.tier("compiled"):
        made = torch.tensor(x).unfold(1, size, step)
        expected = np.lib.stride_tricks.sliding_window_view(x, size, 1)[:, ::step]
        np.testing.assert_array_equal(made.numpy(), expected)
        y = torch.tensor(x, requires_grad=True)
        weight = torch.randn(*expected.shape, dtype=torch.float64)
        gradient = torch.autograd.grad((y.unfold(1, size, step) * weight).sum(), y)[0].numpy()
    wanted = np.zeros_like(x)
    for k in range(expected.shape[1]):
        wanted[:, k * step : k * step + size] += weight.numpy()[:, k].swapaxes(1, 2)
    np.testing.assert_allclose(gradient, wanted, rtol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("lowered", [True, False])
def test_a_nan_among_many_is_the_extreme(dtype, lowered):
    x = torch.randn(64, 128, dtype=dtype)
    x[7, 70] = torch.nan
    with torch.debug.tier("compiled"), torch.debug.cpu_lowerings(lowered):
        for dim in (0, 1):
            for extreme in (torch.amax(x, dim), torch.amin(x, dim), x.max(dim).values, x.min(dim).values):
                assert extreme.isnan().nonzero().tolist() == [[70 if dim == 0 else 7]]
        assert (x.argmax(1)[7], x.argmin(0)[70], x.argmax()) == (70, 7, 7 * 128 + 70)
        assert x.max().isnan() and x.min().isnan() and x.norm(torch.inf).isnan()
        pooled = torch.nn.functional.max_pool2d(x[None, None], 2)
        assert pooled.isnan().nonzero().tolist() == [[0, 0, 3, 35]]
        y = torch.tensor([torch.inf, -torch.inf] * 4096, dtype=dtype)
        assert y.max() == torch.inf and y.min() == -torch.inf
