"""Jaxprs evaluated by the rules for products, convolutions and windows, and compared with what XLA gives."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.run.cold import convolutions, products, windows
from functorch_lite._core.run.cold.interpreter import COSTS, RULES

NAMES = [
    name
    for name, make in RULES.items()
    if make.__module__ in {m.__name__ for m in (convolutions, products, windows)}
]
INEXACT = [np.float16, jnp.bfloat16, np.float32, np.float64, np.complex64, np.complex128]
SOME = [bool, np.int8, np.uint16, np.int32, np.int64, np.float16, jnp.bfloat16, np.complex64]
INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
TOLERANCES = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 3e-5,
    "complex64": 3e-5,
    "float64": 1e-12,
    "complex128": 1e-12,
}


# what stands between the equations that are looked at: each would be compiled by itself
OTHERS = {
    "transpose": lambda x, permutation: x.transpose(permutation),
    "reshape": lambda x, new_sizes, dimensions, **_: (
        x if dimensions is None else x.transpose(dimensions)
    ).reshape(new_sizes),
    "squeeze": lambda x, dimensions: np.squeeze(x, dimensions),
    "integer_pow": lambda x, y: x**y,
    "reduce_sum": lambda x, axes, **_: x.sum(tuple(axes)),
    "rev": lambda x, dimensions: np.flip(x, dimensions),
    "cos": lambda x, accuracy=None: np.cos(x),
    "neg": np.negative,
    "mul": lambda x, y, **_: np.multiply(x, y),
    "convert_element_type": lambda x, new_dtype, **_: x.astype(new_dtype),
}


def evaluate(jaxpr, consts, *args):
    """What a jaxpr gives, with the rules of these families; and how many of its equations they were used for."""
    env = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args]))
    used = 0

    def read(v):
        return np.asarray(v.val, v.aval.dtype) if hasattr(v, "val") else np.asarray(env[v])

    for eqn in jaxpr.eqns:
        name, ins = eqn.primitive.name, [read(v) for v in eqn.invars]
        inner = eqn.params.get("jaxpr") or eqn.params.get("call_jaxpr")
        if name in NAMES:
            run = RULES[name](eqn)
            outs = [run(*ins)]
            assert type(outs[0]) is np.ndarray
            assert COSTS[name](eqn) >= 0
            used += 1
        elif name in OTHERS:
            outs = [np.asarray(OTHERS[name](*ins, **eqn.params))]
        elif inner is not None:
            outs, more = evaluate(inner.jaxpr, inner.consts, *ins)
            used += more
        else:
            outs = eqn.primitive.bind(*ins, **eqn.params)
            outs = outs if eqn.primitive.multiple_results else [outs]
        for v, x in zip(eqn.outvars, outs):
            assert (x.shape, x.dtype) == (v.aval.shape, v.aval.dtype), (eqn, x.shape, x.dtype)
            env[v] = x
    return [read(v) for v in jaxpr.outvars], used


def by_numpy(f, *args, used=1):
    """What a function gives with the rules of these families, which are used for so many equations."""
    return of_jaxpr(traced(f, *args), *args, used=used)


def traced(f, *args):
    with jax.enable_x64(True):
        return jax.make_jaxpr(f)(*args)


def of_jaxpr(closed, *args, used=1):
    with jax.enable_x64(True), np.errstate(all="ignore"):
        found, count = evaluate(closed.jaxpr, closed.consts, *args)
    assert count >= used, (count, closed)
    return found


def by_xla(f, *args):
    with jax.enable_x64(True):
        return [np.asarray(x) for x in jax.tree.leaves(jax.jit(f)(*args))]


def turned(args):
    """The same arrays, which lie in memory in the other order."""
    return [np.asarray(x).T.copy().T for x in args]


def agree(f, *args, used=1, tolerance=None):
    """NumPy's results are XLA's, of arguments that lie in memory as usual and otherwise."""
    expected, closed = by_xla(f, *args), traced(f, *args)
    for given in (args, turned(args)):
        close_all(of_jaxpr(closed, *given, used=used), expected, tolerance)


def close_all(found, expected, tolerance=None):
    for x, y in zip(found, expected, strict=True):
        close(x, y, tolerance)


def close(x, y, tolerance):
    assert (x.dtype, x.shape) == (y.dtype, y.shape)
    allowed = TOLERANCES.get(y.dtype.name, 0) if tolerance is None else tolerance
    if y.dtype.name in ("float16", "bfloat16"):
        x, y = x.astype(np.float32), y.astype(np.float32)
    if allowed == 0 or y.size == 0:
        np.testing.assert_array_equal(x, y)
    else:
        finite = np.abs(y[np.isfinite(y)])
        np.testing.assert_allclose(x, y, rtol=allowed, atol=allowed * (finite.max() if finite.size else 1))


def random(shape, dtype=np.float32, seed=0):
    rng = np.random.default_rng(seed + sum(shape))
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.3
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.kind == "c" else x).astype(dtype)
