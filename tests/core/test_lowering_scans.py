"""Lowerings for CPU of what accumulates along a dim."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core import jaxpr_as_fun

from functorch_lite._core.run.lowering.rewrite import lowered_jaxpr

BY_NUMPY = {
    "cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum, "cumlogsumexp": np.logaddexp,
}  # fmt: skip


def lowered(f, x):
    """What a function gives by the lowerings, and whether there were some."""
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(f)(x)
        made = lowered_jaxpr(closed)
        (found,) = jax.jit(jaxpr_as_fun(made))(x)
        return np.asarray(found), made is not closed


@pytest.mark.parametrize("name", BY_NUMPY)
@pytest.mark.parametrize("shape, axis", [((300, 40), 1), ((100, 3), 0), ((3, 30, 40), 1)])
def test_scan(name, shape, axis):
    x = np.random.default_rng(0).standard_normal(shape)
    x.flat[7] = np.inf if name != "cumprod" else 1
    x.flat[-3] = np.nan
    found, there = lowered(lambda x: getattr(lax, name)(x, axis=axis), x)
    assert there
    with np.errstate(invalid="ignore"):
        expected = BY_NUMPY[name].accumulate(x, axis)
    np.testing.assert_allclose(found, expected, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_of_whole_numbers_from_the_end(dtype):
    x = np.random.default_rng(0).integers(-9, 9, (6, 100)).astype(dtype)
    found, _ = lowered(lambda x: lax.cumsum(x, axis=1, reverse=True), x)
    np.testing.assert_array_equal(found, np.cumsum(x[:, ::-1], 1)[:, ::-1])
    found, _ = lowered(lambda x: lax.cummin(x, axis=1), x)
    np.testing.assert_array_equal(found, np.minimum.accumulate(x, 1))


@pytest.mark.parametrize("shape, axis", [((256, 5000), 1), ((40, 300), 0)])
def test_float32_in_float64_is_rounded_once(shape, axis):
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    found, _ = lowered(lambda x: lax.cumsum(x.astype(jnp.float64), axis=axis).astype(jnp.float32), x)
    np.testing.assert_array_equal(found, np.cumsum(x, axis, dtype=np.float64).astype(np.float32))
