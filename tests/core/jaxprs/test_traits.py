"""Traits of ops beside numbers: what is said to be pointwise treats each element by itself, and what is said to be
linear adds up."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from jax.extend.core import jaxpr_as_fun

from functorch_lite._core.api import OPS
from functorch_lite._core.jaxprs.traits import commutes, is_linear, is_pointwise, op_called, takes, traced
from tests.support.full import FULL

SOME = "logaddexp2 heaviside nextafter float_power ldexp add where relu6 i0 clone bitwise_and neg real sum cumsum sub flip sort std matmul"
NAMES = sorted(OPS) if FULL else SOME.split()


def numbers(op, seed: int) -> list[np.ndarray]:
    """Arguments of the shapes and dtypes that an op was traced with."""
    rng = np.random.default_rng(seed)
    return [np.asarray(rng.uniform(-3, 3, a.shape)).astype(a.dtype) for a in traced(op).in_avals]


def computed(op, *args) -> np.ndarray:
    (out,) = jax.jit(jaxpr_as_fun(traced(op)))(*args)
    return np.asarray(out)


@pytest.mark.parametrize("name", NAMES)
def test_traits_hold_of_numbers(name):
    op = op_called(name) or OPS[name]
    with jax.enable_x64(True):
        if is_pointwise(op):
            args = numbers(op, 0)
            turned = [x[::-1, :, ::-1] if x.ndim else x for x in args]
            np.testing.assert_allclose(
                computed(op, *turned), computed(op, *args)[::-1, :, ::-1], rtol=1e-6, atol=1e-30
            )
        if is_linear(op):
            a, b = numbers(op, 0), numbers(op, 1)
            both = [x + y if np.issubdtype(x.dtype, np.inexact) else x for x, y in zip(a, b)]
            b = [y if np.issubdtype(y.dtype, np.inexact) else x for x, y in zip(a, b)]
            np.testing.assert_allclose(
                computed(op, *both), computed(op, *a) + computed(op, *b), rtol=1e-5, atol=1e-5
            )


@pytest.mark.parametrize(
    "name", [name for name in NAMES if commutes(op_called(name) or OPS[name])] or ["add"]
)
def test_what_commutes(name):
    op = op_called(name) or OPS[name]
    with jax.enable_x64(True):
        a, b = numbers(op, 0)
        np.testing.assert_array_equal(computed(op, a, b), computed(op, b, a))


def test_what_is_known():
    assert all(commutes(op_called(n)) for n in "add mul maximum eq logical_and bitwise_xor".split())
    assert not any(commutes(op_called(n)) for n in "sub div pow atan2 where lt logaddexp matmul neg".split())
    assert [takes(op_called(n)) for n in "sin add where clamp_min reshape".split()] == [1, 2, 3, 2, 0]
    pointwise = "logaddexp2 heaviside nextafter float_power ldexp add where relu6 i0 clone bitwise_and neg xlog1py hypot gelu lerp"
    assert [n for n in pointwise.split() if not is_pointwise(op_called(n))] == []
    assert not any(
        is_pointwise(op_called(n))
        for n in "sum cumsum flip softmax squeeze sort matmul frexp unfold histc".split()
    )
    assert all(is_linear(op_called(n)) for n in "neg sum sub diff real".split())
    assert not any(is_linear(op_called(n)) for n in "abs relu mul amax i0 logaddexp".split())
    assert op_called("no_such_op") is None
