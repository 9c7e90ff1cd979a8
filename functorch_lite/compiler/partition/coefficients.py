"""Coefficients: values that a derivative multiplies tangents by, computed of what is kept, as one opaque primitive.

It is computed from inputs and saved values; its derivative is taken of the same values as functions of the inputs
alone. A `jax.custom_jvp` would say that too, but JAX evaluates such functions in place where it transposes a
checkpoint, and forgets their rules.
"""

from __future__ import annotations

from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Primitive, jaxpr_as_fun
from jax.interpreters import ad, batching, mlir

from .flat import depending

__all__ = ["coefficients"]

_coefficients = Primitive("coefficients")
_coefficients.multiple_results = True


def coefficients(inputs: Any, kept: Any, of_kept: ClosedJaxpr, of_inputs: ClosedJaxpr) -> list:
    """of_kept(*inputs, *kept), which is of_inputs(*inputs), and has the derivatives of that."""
    return _coefficients.bind(*inputs, *kept, of_kept=of_kept, of_inputs=of_inputs)


def _run(*args, of_kept: ClosedJaxpr, of_inputs: ClosedJaxpr) -> list:
    return jaxpr_as_fun(of_kept)(*args)


def _jvp(primals, tangents, *, of_kept: ClosedJaxpr, of_inputs: ClosedJaxpr):
    outs = _coefficients.bind(*primals, of_kept=of_kept, of_inputs=of_inputs)
    n = len(of_inputs.in_avals)
    moving = [i for i, t in enumerate(tangents[:n]) if type(t) is not ad.Zero]
    smooth = [
        o for o, a in enumerate(of_inputs.out_avals) if jax.numpy.issubdtype(a.dtype, jax.numpy.inexact)
    ]
    none = [ad.Zero(jax.typeof(o).to_tangent_aval()) for o in outs]
    if not moving or not smooth:
        return outs, none
    run = jaxpr_as_fun(of_inputs)

    def at(*chosen):
        full = list(primals[:n])
        for i, x in zip(moving, chosen):
            full[i] = x
        made = run(*full)
        return [made[o] for o in smooth]

    _, pushed = jax.jvp(at, [primals[i] for i in moving], [tangents[i] for i in moving])
    by_number = dict(zip(smooth, pushed))
    return outs, [by_number.get(o, zero) for o, zero in enumerate(none)]


def _batched(args, dims, *, of_kept: ClosedJaxpr, of_inputs: ClosedJaxpr):
    n = len(of_inputs.in_avals)
    size = next(x.shape[d] for x, d in zip(args, dims) if d is not None)
    jaxpr = of_kept.jaxpr
    moved = depending(jaxpr, [v for v, d in zip(jaxpr.invars, dims) if d is not None])
    outer = of_inputs.jaxpr
    also = depending(outer, [v for v, d in zip(outer.invars, dims) if d is not None])
    out_dims = [
        0 if (not hasattr(v, "val") and v in moved) or (not hasattr(w, "val") and w in also) else None
        for v, w in zip(jaxpr.outvars, outer.outvars)
    ]

    def mapped(closed: ClosedJaxpr, dims: Any, args: Any) -> ClosedJaxpr:
        fn = jax.vmap(jaxpr_as_fun(closed), in_axes=tuple(dims), out_axes=out_dims, axis_size=size)
        return jax.make_jaxpr(fn)(*[jax.ShapeDtypeStruct(x.shape, x.dtype) for x in args])

    outs = _coefficients.bind(
        *args, of_kept=mapped(of_kept, dims, args), of_inputs=mapped(of_inputs, dims[:n], args[:n])
    )
    return outs, out_dims


_coefficients.def_impl(_run)
_coefficients.def_abstract_eval(lambda *_, of_kept, of_inputs: of_kept.out_avals)
ad.primitive_jvps[_coefficients] = _jvp
batching.primitive_batchers[_coefficients] = _batched
mlir.register_lowering(_coefficients, mlir.lower_fun(_run, multiple_results=True))
