"""Reductions of windows, pools and their derivatives evaluated by NumPy, against XLA's."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core.primitives import select_and_scatter_add_p

from functorch_lite._core.run.cold.interpreter import RULES, NoRule

from .agreement import SOME, agree, evaluate, random

WINDOWS = [
    # shape, sizes, strides, padding, spread of the elements, dilation of the window
    ((3, 8, 9), (1, 2, 2), (1, 2, 2), ((0, 0),) * 3, None, None),
    ((3, 8, 9), (1, 3, 2), (1, 1, 2), ((0, 0), (1, 1), (0, 1)), None, None),
    ((3, 8, 9), (2, 3, 4), (3, 2, 1), ((1, 0), (0, 4), (2, 5)), None, (1, 2, 3)),
    ((3, 8, 9), (1, 3, 2), (2, 2, 3), ((1, 0), (2, 1), (0, 0)), (2, 3, 2), (1, 2, 1)),
    ((3, 8, 9), (1, 1, 1), (1, 2, 3), ((0, 0), (-1, 0), (0, -2)), None, None),
    ((3, 8, 9), (1, 2, 3), (1, 1, 1), ((0, 0), (-1, -2), (-3, 4)), None, None),
    ((3, 8, 9), (3, 8, 9), (1, 1, 1), ((0, 0),) * 3, None, None),
    ((40,), (15,), (1,), ((14, 0),), None, None),
    ((40,), (15,), (2,), ((-1, 3),), (2,), (2,)),
    ((40,), (13,), (2,), ((0, 0),), (2,), (2,)),
    ((40, 2), (14, 1), (3, 1), ((0, 0), (0, 0)), None, None),
    ((5,), (2,), (1,), ((4, 4),), None, None),
    ((5,), (7,), (1,), ((0, 0),), None, None),
    ((0, 5), (1, 2), (1, 2), ((2, 0), (0, 0)), None, None),
    ((), (), (), (), None, None),
]
REDUCTIONS = {
    "add": lax.add,
    "max": lax.max,
    "min": lax.min,
    "mul": lax.mul,
    "and": lax.bitwise_and,
    "or": lax.bitwise_or,
}


def reduced(name, first, case):
    _, sizes, strides, padding, spread, dilation = case
    return lambda x: lax.reduce_window(x, first, REDUCTIONS[name], sizes, strides, padding, spread, dilation)


@pytest.mark.parametrize("case", WINDOWS)
def test_reductions_of_windows(case):
    floats = (
        [("add", 0.0), ("max", -np.inf), ("min", np.inf), ("mul", 1.0)]
        if case[0]
        else [("add", 0.0), ("max", -np.inf)]
    )
    integers = [("and", -1), ("or", 0), ("add", 0), ("mul", 1)] if case[0] else [("add", 0)]
    if case[0]:  # what a window of no dimensions starts from, XLA leaves out
        floats += [("add", 2.5), ("max", 0.5), ("mul", 0.5)]
        integers += [("and", 12)]

    def f(x, y):
        return [reduced(n, np.float32(v), case)(x) for n, v in floats], [
            reduced(n, np.int8(v), case)(y) for n, v in integers
        ]

    agree(f, random(case[0]), random(case[0], np.int8), used=8 if case[0] else 2)


@pytest.mark.parametrize("dtype", SOME, ids=lambda d: np.dtype(d).name)
def test_reductions_of_windows_of_any_dtype(dtype):
    x, dtype = random((3, 9, 8), dtype), np.dtype(dtype)
    case = ((3, 9, 8), (1, 3, 2), (1, 2, 2), ((0, 0), (3, 1), (1, 0)), None, None)
    kinds = []
    if dtype.kind != "b":
        kinds += [("add", 0), ("add", 3), ("mul", 1)]
    if dtype.kind in "biu":
        kinds += [("and", 3), ("or", 2)]
    if dtype.kind != "c":
        ends = {"b": (False, True), "f": (-np.inf, np.inf), "V": (-np.inf, np.inf)}.get(dtype.kind)
        least, most = ends or (np.iinfo(dtype).min, np.iinfo(dtype).max)
        kinds += [("max", least), ("min", most)]
    agree(
        lambda x: [reduced(n, np.array(v).astype(dtype)[()], case)(x) for n, v in kinds], x, used=len(kinds)
    )


def test_reductions_by_more_than_one_operation_have_no_rule():
    def closer(a, b):
        return lax.select(abs(a) < abs(b), a, b)

    closed = jax.make_jaxpr(lambda x: lax.reduce_window(x, np.float32(9), closer, (2,), (1,), "VALID"))(
        np.ones(4, np.float32)
    )
    with pytest.raises(NoRule):
        RULES["reduce_window"](closed.jaxpr.eqns[-1])


POOLS = [
    ((2, 3, 8, 8), (1, 1, 2, 2), (1, 1, 2, 2), ((0, 0),) * 4),
    ((2, 3, 8, 9), (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (0, 1))),
    ((2, 3, 7, 9), (1, 1, 3, 2), (1, 1, 1, 3), ((0, 0), (0, 0), (2, 2), (0, 0))),
    ((6, 20), (1, 20), (1, 1), ((0, 0), (0, 0))),
    ((600,), (300,), (100,), ((0, 0),)),
]


def tied(shape, dtype=np.float32, nans=False):
    """Few different values, with infinities, and nans."""
    values = np.array([-np.inf, -1, 0, 1, np.inf] + [np.nan] * nans)
    return (
        np.random.default_rng(1)
        .choice(values, shape, p=[0.3, 0.2, 0.2, 0.2, 0.1] if not nans else [0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
        .astype(dtype)
    )


@pytest.mark.parametrize(("case", "dtype"), [*((c, np.float32) for c in POOLS), (POOLS[0], jnp.bfloat16)])
def test_pools_and_their_derivatives(case, dtype):
    shape, sizes, strides, padding = case
    ends = [(lax.max, -np.inf), (lax.min, np.inf)][: 2 if case is POOLS[1] else 1]

    def f(x, tangent, cotangent):
        def derivatives(op, first):
            def pool(x):
                return lax.reduce_window(x, x.dtype.type(first), op, sizes, strides, padding)

            out, pull = jax.vjp(pool, x)
            return out, pull(cotangent), jax.jvp(pool, (x,), (tangent,))[1]

        return [derivatives(*end) for end in ends]

    x = np.stack([random(shape, dtype), tied(shape, dtype), tied(shape, dtype, nans=True)])
    out = jax.eval_shape(
        lambda x: lax.reduce_window(x, x.dtype.type(0), lax.add, sizes, strides, padding), x[0]
    )
    cotangent = (
        np.random.default_rng(2).integers(-8, 8, (3, *out.shape)).astype(dtype)
    )  # whose sums are exact
    agree(jax.vmap(f), x, random(x.shape, dtype, 5), cotangent, used=3, tolerance=0)


def test_pools_of_pools_derivatives():
    """The second derivative selects, too."""

    def f(x, v):
        def g(x):
            return (
                lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 1), ((0, 0), (0, 0), (1, 0))) ** 3
            )

        return jax.jvp(jax.grad(lambda x: g(x).sum()), (x,), (v,)), jax.vmap(
            jax.grad(lambda x: g(x[None]).sum())
        )(x)

    agree(f, random((3, 6, 5)), random((3, 6, 5), seed=1), used=4)


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, bool], ids=lambda d: np.dtype(d).name)
def test_selected_places_of_integers(dtype):
    def f(source, x):
        return select_and_scatter_add_p.bind(
            source,
            x,
            select_prim=lax.ge_p,
            window_dimensions=(2, 3),
            window_strides=(1, 2),
            padding=((1, 0), (0, 1)),
        )

    agree(f, random((4, 3), dtype), random((4, 6), dtype) % 3 if dtype is not bool else random((4, 6), bool))


def test_mean_pools_and_their_gradients():
    def f(x):
        def pool(x):
            total = lax.reduce_window(
                x, np.float32(0), lax.add, (1, 1, 3, 2), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (0, 0))
            )
            return total / 6

        out, pull = jax.vjp(pool, x)
        return out, pull(jnp.cos(out))

    agree(f, random((2, 3, 8, 9)), used=2)


def test_half_precision_sums_are_rounded_once():
    x = np.full((4096,), 0.1)
    for dtype in (np.float16, jnp.bfloat16):
        closed = jax.make_jaxpr(
            lambda x, d=dtype: lax.reduce_window(x, d(0), lax.add, (4096,), (1,), "VALID")
        )(x.astype(dtype))
        (found,), _ = evaluate(closed.jaxpr, closed.consts, x.astype(dtype))
        exact = x.astype(dtype).astype(np.float64).sum()
        assert found[0] == np.float32(exact).astype(dtype)
