"""Lowerings of products give what XLA's own product gives."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from functorch_lite._core.run.lowering.rewrite import lowered_jaxpr

CASES = {
    "stacked on the right": ((6, 40), (4, 30, 40), (((1,), (2,)), ((), ()))),
    "stacked on the left, its first dim": ((40, 30, 4), (40, 6), (((0,), (0,)), ((), ()))),
    "both stacked": ((2, 60, 40), (40, 5, 30), (((2,), (0,)), ((), ()))),
    "many small": ((64, 3, 5), (64, 5, 4), (((2,), (1,)), ((0,), (0,)))),
    "many small, the first transposed": ((64, 5, 3), (64, 5, 4), (((1,), (1,)), ((0,), (0,)))),
    "many small, the second transposed": ((64, 3, 5), (64, 4, 5), (((2,), (2,)), ((0,), (0,)))),
    "many small, both transposed": ((64, 5, 3), (64, 4, 5), (((1,), (2,)), ((0,), (0,)))),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES)
def test_products(case, dtype):
    a_shape, b_shape, dims = CASES[case]
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal(shape).astype(dtype) for shape in (a_shape, b_shape))
    a[0, 0] = np.inf
    with jax.enable_x64(True):
        closed = jax.make_jaxpr(lambda a, b: jax.lax.dot_general(a, b, dims))(a, b)
        lowered = lowered_jaxpr(closed)
        assert lowered is not closed
        (expected,), (got,) = (jax.jit(jax.extend.core.jaxpr_as_fun(c))(a, b) for c in (closed, lowered))
    rounded = 1e-5 if dtype == "float32" else 1e-12  # sums of 40 numbers near 1, in another order
    np.testing.assert_allclose(got, expected, rtol=rounded, atol=rounded)


def test_half_precision_and_integers_stay_as_they_are():
    for dtype in ("float16", "int32"):
        a, b = np.ones((6, 40), dtype), np.ones((4, 30, 40), dtype)
        closed = jax.make_jaxpr(lambda a, b: jax.lax.dot_general(a, b, CASES["stacked on the right"][2]))(
            a, b
        )
        assert lowered_jaxpr(closed) is closed
