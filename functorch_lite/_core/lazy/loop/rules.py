"""Functions in a scan's body keep their own rules of differentiation.

JAX (0.10) loses them. Its derivative of a scan moves out of the loop what is the same in every step, by a partial evaluation that is
meant for linear functions and therefore evaluates a custom_jvp function in place of calling it. The first derivative is right, by
the rule; but whatever is differentiated after a reverse pass has forgotten it: silently, the second derivatives are those of the
function's code. For a pseudo-inverse, a `max` with ties, or a maximum pooling that is something else than by the rule.

So calls with rules are replaced, in bodies of scans, by calls of a primitive that nothing looks into: it does what they do, and
differentiates them by their rules, in which such calls are replaced in turn.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Primitive, jaxpr_as_fun
from jax.extend.core.primitives import custom_jvp_call_p, custom_vjp_call_p
from jax.interpreters import ad, batching, mlir

__all__ = ["calls", "inner_jaxprs", "keep_rules"]

_ruled = Primitive("ruled")
"""A call of the one function in `jaxpr`, which has a rule."""
_ruled.multiple_results = True


def keep_rules(jaxpr: ClosedJaxpr) -> ClosedJaxpr:
    """The same computation, whose scans can be differentiated to every order."""
    return jaxpr.replace(jaxpr=_replaced(jaxpr.jaxpr, False)) if calls(jaxpr.jaxpr, {"scan"}) else jaxpr


def calls(jaxpr: Jaxpr, primitives: set[str]) -> bool:
    """Whether one of these primitives is called in it, or in a function that it calls."""
    return any(
        e.primitive.name in primitives or any(calls(inner, primitives) for inner in inner_jaxprs(e))
        for e in jaxpr.eqns
        if e.params
    )


def inner_jaxprs(eqn: Any) -> list[Jaxpr]:
    """The functions that an equation calls."""
    found = []
    for p in eqn.params.values():
        for inner in p if isinstance(p, tuple | list) else (p,):
            inner = getattr(inner, "jaxpr", inner)
            if isinstance(inner, Jaxpr):
                found.append(inner)
    return found


def _replaced(jaxpr: Jaxpr, inside: bool) -> Jaxpr:
    """The jaxpr with calls of functions with rules replaced: all of them if it is inside of a scan, those in its scans otherwise."""
    eqns = []
    for eqn in jaxpr.eqns:
        if eqn.primitive in (custom_jvp_call_p, custom_vjp_call_p):
            eqns.append(eqn.replace(primitive=_ruled, params={"jaxpr": _alone(eqn)}) if inside else eqn)
        elif eqn.primitive is _ruled or not inner_jaxprs(eqn):
            eqns.append(eqn)
        else:
            deeper = inside or eqn.primitive.name == "scan"
            params = {k: _in_param(p, deeper) for k, p in eqn.params.items()}
            eqns.append(eqn.replace(params=params))
    return jaxpr.replace(eqns=eqns)


def _in_param(p: Any, inside: bool) -> Any:
    if isinstance(p, tuple | list):
        return type(p)([_in_param(x, inside) for x in p]) if type(p) in (tuple, list) else p
    if isinstance(p, ClosedJaxpr):
        return p.replace(jaxpr=_replaced(p.jaxpr, inside))
    return _replaced(p, inside) if isinstance(p, Jaxpr) else p


def _alone(eqn: Any) -> ClosedJaxpr:
    """One call as a jaxpr of its own."""

    def call(*args):
        return eqn.primitive.bind(*args, **eqn.primitive.get_bind_params(eqn.params))

    return jax.make_jaxpr(call)(*[_struct(v.aval) for v in eqn.invars])


def _struct(aval: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype, weak_type=getattr(aval, "weak_type", False))


def _run(*args, jaxpr: ClosedJaxpr) -> list:
    return jaxpr_as_fun(jaxpr)(*args)


def _jvp(primals, tangents, *, jaxpr: ClosedJaxpr):
    moving = [i for i, t in enumerate(tangents) if type(t) is not ad.Zero]
    with_tangent = [i for i, a in enumerate(jaxpr.out_avals) if jnp.issubdtype(a.dtype, jnp.inexact)]

    def push(primals, moved):
        def at(*chosen):
            full = list(primals)
            for i, x in zip(moving, chosen):
                full[i] = x
            return _run(*full, jaxpr=jaxpr)

        outs, pushed = jax.jvp(at, [primals[i] for i in moving], moved)
        return [*outs, *[pushed[i] for i in with_tangent]]

    given = list(primals), [tangents[i] for i in moving]
    rule = jax.make_jaxpr(push)(*jax.tree.map(lambda x: _struct(jax.typeof(x)), given))
    found = jaxpr_as_fun(rule.replace(jaxpr=_replaced(rule.jaxpr, True)))(*given[0], *given[1])
    outs, pushed = found[: len(jaxpr.out_avals)], iter(found[len(jaxpr.out_avals) :])
    none = [ad.Zero(jax.typeof(o).to_tangent_aval()) for o in outs]
    return outs, [next(pushed) if i in with_tangent else zero for i, zero in enumerate(none)]


def _batched(args, dims, *, jaxpr: ClosedJaxpr):
    mapped = jax.vmap(jaxpr_as_fun(jaxpr), in_axes=tuple(dims))
    outs = _ruled.bind(*args, jaxpr=jax.make_jaxpr(mapped)(*[_struct(jax.typeof(x)) for x in args]))
    return outs, [0] * len(outs)


def _transposed(cotangents, *args, jaxpr: ClosedJaxpr):
    """Of a function that is linear in some of its arguments, as a rule may apply one to tangents."""
    linear = [i for i, x in enumerate(args) if ad.is_undefined_primal(x)]

    def at(*chosen):
        full = list(args)
        for i, x in zip(linear, chosen):
            full[i] = x
        return _run(*full, jaxpr=jaxpr)

    cts = [ad.instantiate_zeros(ct) for ct in cotangents]
    found = iter(jax.linear_transpose(at, *[_struct(args[i].aval) for i in linear])(cts))
    return [next(found) if i in linear else None for i in range(len(args))]


_ruled.def_impl(_run)
_ruled.def_abstract_eval(lambda *_, jaxpr: jaxpr.out_avals)
ad.primitive_jvps[_ruled] = _jvp
ad.primitive_transposes[_ruled] = _transposed
batching.primitive_batchers[_ruled] = _batched
mlir.register_lowering(_ruled, mlir.lower_fun(_run, multiple_results=True))
