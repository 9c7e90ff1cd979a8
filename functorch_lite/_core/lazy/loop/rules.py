"""Functions in a scan's body keep their own rules of differentiation.

JAX (0.10) loses them. Its derivative of a scan moves out of the loop what is the same in every step, by a partial
evaluation that is meant for linear functions and therefore evaluates a custom_jvp function in place of calling it. The
first derivative is right, by the rule; but whatever is differentiated after a reverse pass has forgotten it: silently,
the second derivatives are those of the function's code. For a pseudo-inverse, a `max` with ties, or a maximum pooling
that is something else than by the rule.

So calls with rules are replaced, in bodies of scans, by calls of a primitive that nothing looks into: it does what they
do, and differentiates them by their rules, in which such calls are replaced in turn.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Primitive, jaxpr_as_fun
from jax.extend.core.primitives import custom_jvp_call_p, custom_vjp_call_p, scan_p
from jax.interpreters import ad, batching, mlir

from ...jaxprs.primitives import row
from ...jaxprs.walk import bind, rewritten, rewritten_inside, structs

__all__ = ["keep_rules"]

_ruled = Primitive("ruled")
"""A call of the one function in `jaxpr`, which has a rule."""
_ruled.multiple_results = True


def keep_rules(jaxpr: ClosedJaxpr) -> ClosedJaxpr:
    """The same computation, whose scans can be differentiated to every order."""
    return rewritten(jaxpr, _in_scans)


def _in_scans(eqn: Any) -> Any:
    """A scan with calls of functions with rules replaced in its body.

    What such a call does outside of scans is left to its rule."""
    if eqn.primitive is scan_p:
        return rewritten_inside(eqn, _by_rule)
    return eqn if row(eqn).ruled else None


def _by_rule(eqn: Any) -> Any:
    """A call that keeps its rule, for one of a function with a rule."""
    if eqn.primitive in (custom_jvp_call_p, custom_vjp_call_p):
        return eqn.replace(primitive=_ruled, params={"jaxpr": _alone(eqn)})
    return eqn if eqn.primitive is _ruled else None


def _alone(eqn: Any) -> ClosedJaxpr:
    """One call as a jaxpr of its own."""

    return jax.make_jaxpr(lambda *args: bind(eqn, args))(*structs(eqn.invars))


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
    found = jaxpr_as_fun(rewritten(rule, _by_rule))(*given[0], *given[1])
    outs, pushed = found[: len(jaxpr.out_avals)], iter(found[len(jaxpr.out_avals) :])
    none = [ad.Zero(jax.typeof(o).to_tangent_aval()) for o in outs]
    return outs, [next(pushed) if i in with_tangent else zero for i, zero in enumerate(none)]


def _batched(args, dims, *, jaxpr: ClosedJaxpr):
    mapped = jax.vmap(jaxpr_as_fun(jaxpr), in_axes=tuple(dims))
    outs = _ruled.bind(*args, jaxpr=jax.make_jaxpr(mapped)(*[_struct(jax.typeof(x)) for x in args]))
    return outs, [0] * len(outs)


def _transposed(cotangents, *args, jaxpr: ClosedJaxpr):
    """Transposes a function that is linear in some of its arguments, as a rule may apply one to tangents."""
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
