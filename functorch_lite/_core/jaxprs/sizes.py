"""Jaxprs at symbolic sizes: sizes put into them, and whether two jaxprs say the same."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.core import ClosedJaxpr, InconclusiveDimensionOperation, Jaxpr, Literal, Var
from jax.lax import convert_element_type_p

from .primitives import BARRIER, SIZE
from .walk import live, opened, steps

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
"""Functions that JAX names in the text of a symbolic size."""
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
    """Whether two jaxprs, or parameters of equations, say the same, but for optimization barriers, and for how wide
    whole numbers are (of sizes that are known JAX computes indices in 32 bits where they suffice)."""
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
    """A jaxpr as JAX makes it where sizes are known: without arithmetic of numbers, additions of 0 and multiplications
    by 1, with slices in place of gathers at one known index, and without what nothing depends on."""
    jaxpr = _simplified(closed.jaxpr)
    if jaxpr is closed.jaxpr:
        return closed
    found = _closed.get(closed)
    if found is None:
        found = _closed[closed] = ClosedJaxpr(jaxpr, closed.consts)
    return found


_closed: weakref.WeakKeyDictionary[ClosedJaxpr, ClosedJaxpr] = weakref.WeakKeyDictionary()
_open: weakref.WeakKeyDictionary[Jaxpr, Jaxpr | None] = weakref.WeakKeyDictionary()
"""Simplified jaxprs by their originals, None where one stays as it is: a jaxpr that is called several times is to
remain one, which JAX lowers once."""


def _simplified(jaxpr: Jaxpr) -> Jaxpr:
    if jaxpr not in _open:
        made = _written_anew(jaxpr)
        same_parts = len(steps(made)) == len(steps(jaxpr)) and all(
            new.primitive is old.primitive
            and all(a is b for a, b in zip(new.invars, old.invars))
            and all(p is old.params[k] for k, p in new.params.items())
            for new, old in zip(steps(made), steps(jaxpr))
        )
        _open[jaxpr] = (
            None if same_parts and all(a is b for a, b in zip(made.outvars, jaxpr.outvars)) else made
        )
    found = _open[jaxpr]
    return jaxpr if found is None else found


def _written_anew(jaxpr: Jaxpr) -> Jaxpr:
    behind: dict[Any, Any] = {}
    sizes: dict[Any, Any] = {}
    """Known values of variables: numbers that depend on symbols, and vectors of numbers (lists)."""
    eqns = []
    for eqn in steps(jaxpr):
        ins = [_read(v, behind) for v in eqn.invars]
        known = _known(eqn, ins)
        if known is None and len(eqn.outvars) == 1:
            known = _size(eqn, ins, sizes)
            if known is not None and not isinstance(known, Literal):
                sizes[eqn.outvars[0]], known = known, None
        if known is not None:
            behind[eqn.outvars[0]] = known
            continue
        params = {k: _simplified_inside(p) for k, p in eqn.params.items()}
        eqns += _sliced(eqn, ins, sizes) or [eqn.replace(invars=ins, params=params)]
    return live(jaxpr.replace(eqns=eqns, outvars=[_read(v, behind) for v in jaxpr.outvars]))


def _simplified_inside(p: Any) -> Any:
    if isinstance(p, ClosedJaxpr):
        return simplified(p)
    if isinstance(p, Jaxpr):
        return _simplified(p)
    if isinstance(p, tuple) and any(isinstance(x, ClosedJaxpr | Jaxpr) for x in p):
        parts = list(map(_simplified_inside, p))
        if any(a is not b for a, b in zip(parts, p)):
            return type(p)(*parts) if hasattr(p, "_fields") else tuple(parts)
    return p


def _size(eqn: Any, ins: list, sizes: dict[Any, Any]) -> Any:
    """Returns the size that an equation computes: an expression of symbols, a list of such or of numbers, or a literal.
    None if it computes something else."""
    (out,), p = eqn.outvars, eqn.params
    if eqn.primitive.name == SIZE:
        return p["dim"] if jax.export.is_symbolic_dim(p["dim"]) else None
    kind = getattr(getattr(out.aval, "dtype", None), "kind", "V")  # keys and tokens have none
    if not ins or kind not in "iub" or out.aval.ndim > 1:
        return None
    values = [_number(v, sizes) for v in ins]
    if any(v is None for v in values):
        return None
    if eqn.primitive is lax.broadcast_in_dim_p and out.aval.shape == (1,):
        return values[:1]
    if eqn.primitive is lax.concatenate_p:
        return [n for v in values for n in (v if isinstance(v, list) else [v])]
    of = _OF_SIZES.get(eqn.primitive)
    if of is None or out.aval.shape != ():
        return None
    try:
        made = of(*values)
    except InconclusiveDimensionOperation:
        return None
    return (
        made if jax.export.is_symbolic_dim(made) else Literal(np.asarray(made, out.aval.dtype)[()], out.aval)
    )


def _number(v: Any, sizes: dict[Any, Any]) -> Any:
    """A size or a literal number; None if it is neither."""
    if not isinstance(v, Literal):
        return sizes.get(v)
    if jax.export.is_symbolic_dim(v.val) or np.ndim(v.val):
        return v.val if not hasattr(v.val, "shape") else None
    return v.val.item() if hasattr(v.val, "item") else v.val


_OF_SIZES: dict[Any, Callable] = {
    lax.add_p: operator.add, lax.sub_p: operator.sub, lax.mul_p: operator.mul, lax.lt_p: operator.lt, lax.le_p: operator.le,
    lax.gt_p: operator.gt, lax.ge_p: operator.ge, lax.select_n_p: lambda which, *cases: cases[int(which)], convert_element_type_p: lambda x: x,
}  # fmt: skip


def _sliced(eqn: Any, ins: list, sizes: dict[Any, Any]) -> list | None:
    """A gather or a slice at one known index, as a slice and what leaves out dimensions of 1: JAX gathers where it does
    not know sizes."""
    p, (out,) = eqn.params, eqn.outvars if len(eqn.outvars) == 1 else (None,)
    if eqn.primitive is lax.dynamic_slice_p:
        starts, left_out = [_number(v, sizes) for v in ins[1:]], ()
    elif eqn.primitive is lax.gather_p and isinstance(_number(ins[1], sizes), list):
        d = p["dimension_numbers"]
        if p["mode"] != lax.GatherScatterMode.PROMISE_IN_BOUNDS or d.operand_batching_dims:
            return None
        if d.offset_dims != tuple(range(len(d.offset_dims))):
            return None
        at = dict(zip(map(int, d.start_index_map), _number(ins[1], sizes)))
        starts = [at.get(k, 0) for k in range(len(p["slice_sizes"]))]
        left_out = tuple(map(int, d.collapsed_slice_dims))
    else:
        return None
    shape = ins[0].aval.shape
    if any(n is None or isinstance(n, list) for n in starts):
        return None
    limits = [n + size for n, size in zip(starts, p["slice_sizes"])]
    try:
        if any(n < 0 or limit > most for n, limit, most in zip(starts, limits, shape)):
            return None  # it is moved into the bounds
    except InconclusiveDimensionOperation:
        return None
    made = Var(ins[0].aval.update(shape=p["slice_sizes"])) if left_out else out
    bounds = {"start_indices": tuple(starts), "limit_indices": tuple(limits), "strides": None}
    slice_ = eqn.replace(primitive=lax.slice_p, invars=ins[:1], outvars=[made], params=bounds)
    if not left_out:
        return [slice_]
    whole = all(size == most for size, most in zip(p["slice_sizes"], shape))
    of = ins[0] if whole else made
    squeezed = eqn.replace(
        primitive=lax.squeeze_p, invars=[of], outvars=[out], params={"dimensions": left_out}
    )
    return [squeezed] if whole else [slice_, squeezed]


_BY_NUMPY: dict[Any, Callable] = {
    lax.add_p: np.add, lax.sub_p: np.subtract, lax.mul_p: np.multiply, lax.max_p: np.maximum, lax.min_p: np.minimum, lax.neg_p: np.negative,
    lax.lt_p: np.less, lax.le_p: np.less_equal, lax.gt_p: np.greater, lax.ge_p: np.greater_equal, lax.eq_p: np.equal, lax.ne_p: np.not_equal,
    lax.select_n_p: lambda which, *cases: cases[int(which)], convert_element_type_p: lambda x: x,
}  # fmt: skip
_NEUTRAL = {lax.add_p: 0, lax.mul_p: 1}


def _known(eqn: Any, ins: list) -> Any:
    """Returns the literal or operand that equals the result of an equation of numbers, or of one that adds 0 or
    multiplies by 1: JAX leaves these out where sizes are known. None for any other equation."""
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
    """Whether an equation passes on what it is given, as it may do at some sizes and not at others: a barrier, or a
    change of the width of whole numbers."""
    if eqn.primitive is convert_element_type_p:
        return eqn.invars[0].aval.dtype in _INTS and eqn.outvars[0].aval.dtype in _INTS
    return eqn.primitive.name == BARRIER


_INTS = (np.dtype(np.int32), np.dtype(np.int64))
