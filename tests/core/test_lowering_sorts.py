"""Lowerings for CPU of sorting and selecting: the stable order, whatever the dtype; zeros are equal, and nans, which
are last."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core import jaxpr_as_fun

from functorch_lite._core.run.lowering.rewrite import lowered_jaxpr
from functorch_lite.ops import sort as ops


def lowered(f, *xs):
    """What a function gives by the lowerings, which there are."""
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(f)(*xs)
        made = lowered_jaxpr(closed)
        assert made is not closed
        return [np.asarray(x) for x in jax.jit(jaxpr_as_fun(made))(*xs)]


def numbers(kind: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(len(kind))
    if kind == "float64 that differ late":  # by less than what is left beside a place
        return 1 + rng.integers(0, 50, shape) * 2.0**-52
    if kind == "int64 far apart":
        return np.where(
            rng.random(shape) < 0.5, rng.integers(0, 9, shape), rng.integers(-(2**62), 2**62, shape)
        )
    if kind.startswith("float"):
        x = np.round(rng.standard_normal(shape) * 4) * np.where(rng.random(shape) < 0.5, -0.25, 0.25)
        for special in (np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0):
            x[rng.random(shape) < 0.05] = special
        return x.astype(kind)
    return rng.integers(0, 20, shape).astype(kind)


def order(x: np.ndarray, axis: int) -> np.ndarray:
    return np.argsort(x.astype(np.float64) if x.dtype.kind == "f" else x, axis, kind="stable")


KINDS = ["float32", "float16", "uint8", "int64", "float64 that differ late", "int64 far apart"]


@pytest.mark.parametrize("kind", KINDS)
def test_sort(kind):
    x = numbers(kind, (40, 90))
    values, places = lowered(lambda x: (jnp.sort(x, 1), jnp.argsort(x, 1, stable=True)), x)
    np.testing.assert_array_equal(places, order(x, 1))
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, 1))


def test_what_is_carried_along_and_a_descending_order():
    x, y = numbers("float32", (90, 4)), np.random.default_rng(0).standard_normal((90, 4))
    moved, down = lowered(
        lambda x, y: (lax.sort((x, y), dimension=0, num_keys=1)[1], jnp.argsort(x, 0, descending=True)), x, y
    )
    np.testing.assert_array_equal(moved, np.take_along_axis(y, order(x, 0), 0))
    np.testing.assert_array_equal(down, 89 - order(x[::-1], 0)[::-1])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape, axis", [((90, 30), 0), ((3, 5, 20), 2)])
def test_place_of_rank(kind, shape, axis):
    x = numbers(kind, shape)
    n = shape[axis]
    rank = np.random.default_rng(1).integers(0, n, [1 if d == axis else s for d, s in enumerate(shape)])
    (found,) = lowered(lambda x, rank: ops._place_of_rank.bind(x, rank, axis=axis), x, rank)
    np.testing.assert_array_equal(found, np.take_along_axis(order(x, axis), rank, axis))


@pytest.mark.parametrize("kind", ["float16", "float64", "int64 far apart"])
@pytest.mark.parametrize("k", [3, 60])
def test_top_k(kind, k):
    x = np.nan_to_num(numbers(kind, (2, 20, 70))) + 0  # in the order of the bits -0.0 is less than 0.0
    values, places = lowered(lambda x: lax.top_k(x, k), x)
    expected = 69 - order(x[..., ::-1], -1)[..., ::-1][..., :k]
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, -1))


@pytest.mark.parametrize("kind", ["float32", "float16", "float64", "float64 that differ late"])
@pytest.mark.parametrize("axis", [0, 1])
def test_place_of_the_largest(kind, axis):
    x = numbers(kind, (30, 40))
    largest, least = lowered(lambda x: (jnp.argmax(x, axis), jnp.argmin(x, axis)), x)
    np.testing.assert_array_equal(largest, np.argmax(x, axis))
    np.testing.assert_array_equal(least, np.argmin(x, axis))
    without = np.nan_to_num(x)
    (largest,) = lowered(lambda x: jnp.argmax(x, axis), without)
    np.testing.assert_array_equal(largest, np.argmax(without, axis))
