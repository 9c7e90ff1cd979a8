"""Inputs of a function that its derivatives reach, by result; and `reads`, where torch's reach further than JAX's.

A derivative is a formula, and whether the formula can be differentiated in turn is told from what it reads. Mostly that
is what the mathematics reads: the derivative of `a @ b` by `a` reads `b`, and the comparison in that of `clamp` is no
way for a derivative to pass. Where torch's formula reads more than it needs, such as `self.pow(0)`, its next derivative
is a tensor of zeros where JAX knows of none. An op whose derivative is such a formula says so with `reads`.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Primitive
from jax.interpreters import ad, batching, mlir

from ..jaxprs.primitives import row
from ..jaxprs.walk import called, flows, opened

__all__ = ["CLAIMS", "ENDS", "ENTIRELY", "FOREVER", "KEEPS", "reached", "reads"]

ENDS, KEEPS, FOREVER, ENTIRELY = "ends", "keeps", "forever", "entirely"


def reads(x: jax.Array, *others: jax.Array, order: int = 1, then: str = KEEPS) -> jax.Array:
    """x, whose derivative (with order=0: which itself) is a formula of torch's that reads `others` too: so that its
    derivative by them is zero, but there is one. Nothing is computed, whatever the values: zero times infinity would be
    nan.

    then: what the formula's own derivatives read. KEEPS: `others` again when they are along what the formula is linear
    in, the cotangent (`grad * self.sgn()`); ENDS: nothing (`avg_pool2d_backward`, whose derivative is `avg_pool2d`);
    FOREVER: the zeros read them as well (`threshold_backward` of the result); ENTIRELY: the zeros read all that x does,
    as where the formula divides by others (`prod`, `det`).

    >>> float(jax.grad(jax.grad(lambda x: reads(2 * x, x)))(3.0))
    0.0
    """
    if not jnp.issubdtype(jnp.result_type(x), jnp.inexact):
        return x
    return _reads.bind(x, *others, order=order, then=then)


_reads = Primitive("reads")
_reads.def_impl(lambda x, *_, **options: x)
_reads.def_abstract_eval(lambda x, *_, **options: x)
mlir.register_lowering(_reads, lambda ctx, x, *_, **options: [x])

_nothing = Primitive("nothing")
"""Zeros that are linear in their first operand: the derivative by what is only read, which reads the others."""
_nothing.def_impl(lambda t, *_, shape, dtype: jnp.zeros(shape, dtype))
_nothing.def_abstract_eval(lambda t, *_, shape, dtype: jax.core.ShapedArray(shape, dtype))
mlir.register_lowering(_nothing, mlir.lower_fun(_nothing.impl, multiple_results=False))


def _nothing_like(x: Any, t: Any, others: Sequence) -> Any:
    return _nothing.bind(t, *others, shape=tuple(x.shape), dtype=x.dtype)


def _read_by_zeros(x: Any, others: Sequence, then: str) -> Sequence:
    return (x, *others) if then == ENTIRELY else others if then == FOREVER else ()


def _pushed(primals, tangents, *, order: int, then: str):
    x, *others = primals
    tx, *ts = tangents
    further = {"order": 0, "then": then}
    parts = []
    if type(tx) is not ad.Zero:
        parts.append(tx if not order and then == ENDS else _reads.bind(tx, *others, **further))
    for t in ts if not order else ():
        if type(t) is not ad.Zero:
            parts.append(_nothing_like(x, t, _read_by_zeros(x, others, then)))
    out = _reads.bind(*primals, order=order, then=then)
    if not parts:
        return out, ad.Zero(jax.typeof(x).to_tangent_aval())
    return out, functools.reduce(ad.add_jaxvals, parts)


def _pulled(ct, x, *others, order: int, then: str):
    # only x can be linear here: what others are linear in is `nothing`
    if type(ct) is ad.Zero or not ad.is_undefined_primal(x):
        return [ct if ad.is_undefined_primal(x) else None, *[None] * len(others)]
    return [_reads.bind(ct, *others, order=order, then=then), *[None] * len(others)]


def _batched(args, dims, **options):
    return _reads.bind(*args, **options), dims[0]


ad.primitive_jvps[_reads] = _pushed
ad.primitive_transposes[_reads] = _pulled
batching.primitive_batchers[_reads] = _batched


def _nothing_pushed(primals, tangents, **options):
    out = _nothing.bind(*primals, **options)
    parts = [_nothing_like(out, t, primals[1:]) for t in tangents if type(t) is not ad.Zero]
    return out, functools.reduce(ad.add_jaxvals, parts)


def _nothing_pulled(ct, t, *others, shape, dtype):
    if type(ct) is ad.Zero or not ad.is_undefined_primal(t):
        return [None] * (1 + len(others))
    return [_nothing_like(t.aval, ct, others), *[None] * len(others)]


def _nothing_batched(args, dims, *, shape, dtype):
    size = next(a.shape[d] for a, d in zip(args, dims) if d is not None)
    return _nothing.bind(*args, shape=(size, *shape), dtype=dtype), 0


ad.primitive_jvps[_nothing] = _nothing_pushed
ad.primitive_transposes[_nothing] = _nothing_pulled
batching.primitive_batchers[_nothing] = _nothing_batched

CLAIMS = {_reads: 1, _nothing: 0}
"""Primitives that only claim to read: how many of their operands they compute with."""

_ZERO = -1
"""Stands for the bits of a variable that is known to be zero: JAX instantiates tangents that are."""


def reached(jaxpr: Jaxpr) -> list[int]:
    """For each result of a jaxpr the inputs (bits) that its derivative reaches."""
    return _rows(jaxpr, [1 << i for i in range(len(jaxpr.invars))])


def _rows(jaxpr: Jaxpr | ClosedJaxpr, given: list[int]) -> list[int]:
    found = flows(jaxpr, given, _reached_by, unknown=0, literal=lambda v: 0 if np.any(v.val) else _ZERO)
    return _bits(opened(jaxpr).outvars, found)


def _bits(variables: Sequence[Any], known: Sequence[int]) -> list[int]:
    """The bits of variables, of which integers have none."""
    return [max(bits, 0) if _is_smooth(v) else 0 for v, bits in zip(variables, known)]


def _reached_by(eqn: Any, ins: list[int]) -> list[int] | None:
    p, n = row(eqn), len(eqn.outvars)
    if p.flat:
        return None
    if p.scales and _ZERO in ins:
        return [_ZERO] * n
    sources = _bits(eqn.invars, ins)
    if (call := called(eqn, ruled=False)) is not None:
        return _rows(call, sources)
    if eqn.primitive is jax.lax.sort_p:
        return sources
    if eqn.primitive is _reads and eqn.params["order"]:
        return sources[:1]
    if eqn.primitive is _nothing:
        sources = sources[1:]
    return [functools.reduce(operator.or_, sources, 0)] * n


def _is_smooth(v: Any) -> bool:
    dtype = getattr(v.aval, "dtype", None)
    return dtype is not None and jnp.issubdtype(dtype, jnp.inexact)
