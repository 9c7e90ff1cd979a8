"""Jaxprs at symbolic sizes: sizes put into them, and whether two jaxprs say the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Var
from jax.lax import convert_element_type_p

from .primitives import BARRIER, SIZE
from .walk import opened, steps

__all__ = ["FUNCTIONS", "AtSizes", "passes", "same", "simplified"]


def floordiv(a: int, b: int) -> int:
    """a // b."""
    return a // b


def mod(a: int, b: int) -> int:
    """a % b."""
    return a % b


def non_negative(a: int) -> int:
    """a, or 0 if it is less."""
    return max(a, 0)


FUNCTIONS = {f.__name__: f for f in (floordiv, mod, max, min, non_negative)}
"""What JAX names in the text of a symbolic size."""
_SIMPLE = frozenset([int, str, bool, float, type(None), complex])


class AtSizes:
    """Puts sizes into a jaxpr. size: gives the number of one that may be symbolic."""

    def __init__(self, size: Callable[[Any], int]):
        self.size = size

    def closed(self, closed: ClosedJaxpr) -> ClosedJaxpr:
        jaxpr = self.jaxpr(closed.jaxpr)
        return closed if jaxpr is closed.jaxpr else ClosedJaxpr(jaxpr, closed.consts)

    def jaxpr(self, jaxpr: Jaxpr) -> Jaxpr:
        now: dict[Any, Any] = {}

        def var(v: Any) -> Any:
            made = v if isinstance(v, Literal) else now.get(v)
            if made is None:
                aval = v.aval
                shape = getattr(aval, "shape", ())
                if all(type(n) is int for n in shape):
                    made = now[v] = v
                else:
                    made = now[v] = Var(aval.update(shape=tuple(map(self.size, shape))))
            return made

        invars, constvars = list(map(var, jaxpr.invars)), list(map(var, jaxpr.constvars))
        eqns = []
        for eqn in steps(jaxpr):
            if eqn.primitive.name == SIZE:
                (out,), dim = eqn.outvars, self.size(eqn.params["dim"])
                known = np.asarray(dim, out.aval.dtype)[()] if type(dim) is int else dim
                now[out] = Literal(known, out.aval.update(weak_type=False))
                continue
            ins = list(map(var, eqn.invars))
            if eqn.primitive is convert_element_type_p and isinstance(ins[0], Literal):  # of a size
                (out,), val = eqn.outvars, ins[0].val
                is_known = not jax.export.is_symbolic_dim(val)
                now[out] = Literal(np.asarray(val, out.aval.dtype)[()] if is_known else val, out.aval)
                continue
            outs = list(map(var, eqn.outvars))
            params = {k: self.param(p) for k, p in eqn.params.items()}
            eqns.append(eqn.replace(invars=ins, outvars=outs, params=params))
        outvars = list(map(var, jaxpr.outvars))
        return jaxpr.replace(invars=invars, constvars=constvars, outvars=outvars, eqns=eqns)

    def param(self, p: Any) -> Any:
        kind = type(p)
        if kind in _SIMPLE:
            return p
        if isinstance(p, tuple):
            parts = [self.param(x) for x in p]
            if all(a is b for a, b in zip(parts, p)):
                return p
            return kind(*parts) if hasattr(p, "_fields") else tuple(parts)
        if kind is list:
            return [self.param(x) for x in p]
        if isinstance(p, ClosedJaxpr):
            return self.closed(p)
        if isinstance(p, Jaxpr):
            return self.jaxpr(p)
        return self.size(p) if jax.export.is_symbolic_dim(p) else p


def same(a: Any, b: Any) -> bool:
    """Whether two jaxprs, or parameters of equations, say the same, but for optimization barriers, and for how wide whole numbers are (of sizes that
    are known JAX computes indices in 32 bits where they suffice)."""
    kinds = (ClosedJaxpr, Jaxpr)
    if isinstance(a, kinds) and isinstance(b, kinds):
        ones, others = getattr(a, "consts", ()), getattr(b, "consts", ())
        return (
            len(ones) == len(others) and all(map(same, ones, others)) and _same_jaxprs(opened(a), opened(b))
        )
    if isinstance(a, tuple | list) and isinstance(b, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "shape") and hasattr(a, "dtype") and hasattr(b, "shape"):
        return (
            a.dtype == b.dtype and a.shape == b.shape and np.asarray(a).tobytes() == np.asarray(b).tobytes()
        )
    return a is b or (type(a) is type(b) and (callable(a) or repr(a) == repr(b)))


def _same_jaxprs(a: Jaxpr, b: Jaxpr) -> bool:
    twins: dict[Any, Any] = {}

    def begin(u: Any, v: Any) -> bool:
        twins[u] = v
        return str(u.aval).replace("int32[", "int64[") == str(v.aval).replace("int32[", "int64[")

    def equal(u: Any, v: Any) -> bool:
        if isinstance(u, Literal) or isinstance(v, Literal):
            literals = isinstance(u, Literal) and isinstance(v, Literal)
            return literals and repr(np.asarray(u.val).tolist()) == repr(np.asarray(v.val).tolist())
        return twins[u] is v

    of_a, of_b = _without_barriers(a), _without_barriers(b)
    if len(of_a) != len(of_b) or not all(map(begin, (*a.constvars, *a.invars), (*b.constvars, *b.invars))):
        return False
    for (d, ins, _), (e, others, _) in zip(of_a, of_b):
        if d.primitive is not e.primitive or len(ins) != len(others) or d.params.keys() != e.params.keys():
            return False
        if not all(map(equal, ins, others)) or not all(same(p, e.params[k]) for k, p in d.params.items()):
            return False
        if not all(map(begin, d.outvars, e.outvars)):
            return False
    read = lambda jaxpr, eqns: [_read(v, eqns[-1][2] if eqns else {}) for v in jaxpr.outvars]  # noqa: E731
    return all(map(equal, read(a, of_a), read(b, of_b)))


def _read(v: Any, behind: dict) -> Any:
    while not isinstance(v, Literal) and v in behind:
        v = behind[v]
    return v


def _without_barriers(jaxpr: Jaxpr) -> list[tuple[Any, list, dict]]:
    """The other equations, what they read, and what is read in place of what barriers give."""
    behind: dict[Any, Any] = {}
    found = []
    for eqn in steps(jaxpr):
        ins = [_read(v, behind) for v in eqn.invars]
        if passes(eqn):
            behind.update(zip(eqn.outvars, eqn.invars))
        else:
            found.append((eqn, ins, behind))
    return found


def simplified(closed: ClosedJaxpr) -> ClosedJaxpr:
    """A jaxpr without what JAX leaves out where sizes are known: arithmetic of numbers, additions of 0, multiplications by 1."""
    behind: dict[Any, Any] = {}
    eqns = []
    for eqn in steps(closed.jaxpr):
        ins = [_read(v, behind) for v in eqn.invars]
        known = _known(eqn, ins)
        if known is not None:
            behind[eqn.outvars[0]] = known
        else:
            eqns.append(eqn.replace(invars=ins))
    if not behind:
        return closed
    outvars = [_read(v, behind) for v in closed.jaxpr.outvars]
    return ClosedJaxpr(closed.jaxpr.replace(eqns=eqns, outvars=outvars), closed.consts)


_BY_NUMPY: dict[Any, Callable] = {
    lax.add_p: np.add, lax.sub_p: np.subtract, lax.mul_p: np.multiply, lax.max_p: np.maximum, lax.min_p: np.minimum, lax.neg_p: np.negative,
    lax.lt_p: np.less, lax.le_p: np.less_equal, lax.gt_p: np.greater, lax.ge_p: np.greater_equal, lax.eq_p: np.equal, lax.ne_p: np.not_equal,
    lax.select_n_p: lambda which, *cases: cases[int(which)], convert_element_type_p: lambda x: x,
}  # fmt: skip
_NEUTRAL = {lax.add_p: 0, lax.mul_p: 1}


def _known(eqn: Any, ins: list) -> Any:
    """What stands for the result of an equation of numbers, or of one that adds 0 or multiplies by 1: JAX leaves them out where sizes are known."""
    literal = [isinstance(v, Literal) for v in ins]
    if ins and all(literal) and all(np.ndim(v.val) == 0 for v in ins):
        (out,) = eqn.outvars if len(eqn.outvars) == 1 else (None,)
        values = [np.asarray(v.val, v.aval.dtype) for v in ins]
        divides = eqn.primitive is lax.div_p and values[0].dtype.kind == "f"
        made = np.divide if divides else _BY_NUMPY.get(eqn.primitive)
        if made is not None and out is not None and out.aval.shape == ():
            return Literal(np.asarray(made(*values), out.aval.dtype)[()], out.aval)
    neutral = _NEUTRAL.get(eqn.primitive)
    if neutral is not None and any(literal):
        (out,) = eqn.outvars
        for given, other, is_literal in zip(ins, reversed(ins), literal):
            if (
                is_literal
                and np.ndim(given.val) == 0
                and given.val == neutral
                and out.aval.dtype.kind in "iu"
            ):
                return other if not isinstance(other, Literal) else None
    return None


def passes(eqn: Any) -> bool:
    """Whether an equation passes on what it is given, as it may do at some sizes and not at others: a barrier, or a change of the width of whole numbers."""
    if eqn.primitive is convert_element_type_p:
        return eqn.invars[0].aval.dtype in _INTS and eqn.outvars[0].aval.dtype in _INTS
    return eqn.primitive.name == BARRIER


_INTS = (np.dtype(np.int32), np.dtype(np.int64))
