"""Facts of an op's results without running it: one is an input, moved or converted, or one number everywhere.

It is inferred from the op's jaxpr, so that no op needs to be named here. An input may be known too; then more may be
known of the results. Floats are not treated as real numbers: x * 0 is nan where x is, and x + 0.0 is not -0.0.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jax import lax

from ..._core.api import Applied, Kind, Rules, is_ours, of_kind, row, walk
from ...ops._special import divide

__all__ = ["Moved", "Uniform", "known", "normal"]


class Uniform:
    """A value that is one number everywhere. given: it is of an input that is known, and not of the op's own."""

    __slots__ = ("given", "key", "number")

    def __init__(self, number: Any, dtype: Any = None, given: bool = False):
        self.number = np.asarray(number, dtype)
        self.key = (self.number.dtype, self.number.tobytes())
        self.given = given

    def is_number(self, value: int) -> bool:
        """Returns whether it is this number; 0 is not -0.0."""
        return bool(self.number == value) and (value != 0 or not np.signbit(self.number.real))


class Moved(NamedTuple):
    """An input, by its number, and what was done to it: ("reshape", shape), ("transpose", permutation) or ("convert",
    dtype), one after the other."""

    input: int
    how: tuple[tuple[str, Any], ...]


def normal(
    shape: tuple[int, ...], dtype: np.dtype, how: Sequence[tuple[str, Any]]
) -> tuple[tuple[str, Any], ...]:
    """The shortest way to do the same to an array of this shape and dtype."""
    found: list[tuple[str, Any]] = []
    shapes, kinds = [shape], [dtype]
    for what, to in how:
        if found and found[-1][0] == what:
            if what == "transpose":
                to = tuple([found[-1][1][d] for d in to])
            if what != "convert" or _holds(kinds[-1], kinds[-2]):
                found.pop()
                shapes.pop()
                kinds.pop()
        if what == "transpose" and _keeps_order(to, shapes[-1]):
            what, to = "reshape", tuple([shapes[-1][d] for d in to])
            if found and found[-1][0] == "reshape":
                found.pop()
                shapes.pop()
                kinds.pop()
        if (
            (what == "reshape" and to == shapes[-1])
            or (what == "transpose" and list(to) == sorted(to))
            or (what == "convert" and to == kinds[-1])
        ):
            continue
        found.append((what, to))
        shape = shapes[-1]
        shapes.append(
            to if what == "reshape" else tuple([shape[d] for d in to]) if what == "transpose" else shapes[-1]
        )
        kinds.append(to if what == "convert" else kinds[-1])
    return tuple(found) if len(found) == len(how) else normal(shapes[0], kinds[0], found)


def _holds(wide: np.dtype, narrow: np.dtype) -> bool:
    """Returns whether every number of one dtype is one of the other's, so that converting to it and on is converting at
    once."""
    import ml_dtypes

    if wide == narrow:
        return True
    if narrow.kind in "b":
        return True
    if narrow.kind in "iu" and wide.kind in "iu":
        return np.can_cast(narrow, wide, "safe")
    try:
        n, w = ml_dtypes.finfo(narrow), ml_dtypes.finfo(wide)
    except ValueError:
        return False
    return w.nmant >= n.nmant and w.maxexp >= n.maxexp and w.minexp <= n.minexp


def _keeps_order(permutation: Sequence[int], shape: tuple[int, ...]) -> bool:
    """Returns whether a transposition moves dims of size 1 alone."""
    long = [d for d in permutation if shape[d] != 1]
    return long == sorted(long)


_found: weakref.WeakKeyDictionary[Applied, dict[Any, list]] = weakref.WeakKeyDictionary()


def known(applied: Applied, inputs: Sequence[Uniform | None]) -> list[Uniform | Moved | None]:
    """Returns what is known of the results, for inputs that are avals and of which `inputs` is known."""
    per = _found.setdefault(applied, {})
    key = tuple([None if u is None else u.key for u in inputs])
    found = per.get(key)
    if found is None:
        given = [Moved(i, ()) if u is None else Uniform(u.number, given=True) for i, u in enumerate(inputs)]
        found = per[key] = [x if isinstance(x, Uniform | Moved) else None for x in _run(applied.jaxpr, given)]
    return found


def _run(jaxpr: Any, inputs: Sequence[Any]) -> list:
    closed, jaxpr = walk.closed(jaxpr), walk.opened(jaxpr)
    if len(inputs) != len(jaxpr.invars):
        return [None] * len(jaxpr.outvars)
    constants = [np.asarray(c) if getattr(c, "size", 2) == 1 else None for c in closed.consts]
    known_ones = [None if c is None else Uniform(c.reshape(())) for c in constants]
    return walk.flows(
        closed, inputs, _results, literal=lambda v: Uniform(v.val, v.aval.dtype), constants=known_ones
    )


def _results(eqn: Any, values: list) -> list | None:
    rule = RULES.get(eqn.primitive.name)
    if rule is None or eqn.effects:
        return None
    outs = rule(eqn, values, [v.aval for v in eqn.invars])
    return outs if isinstance(outs, list) else [outs, *[None] * (len(eqn.outvars) - 1)]


RULES = Rules(
    "known values",
    "that a result is an input, moved or converted, or one number everywhere",
    lambda p: "refused: nothing is known",
)
rule = RULES.rule


def _then(x: Any, what: str, to: Any) -> Any:
    return x if isinstance(x, Uniform) else Moved(x.input, (*x.how, (what, to)))


@rule("reshape", "broadcast_in_dim", "squeeze")
def _reshape(eqn, values, avals):
    x, shape = values[0], tuple(eqn.outvars[0].aval.shape)
    if x is None or isinstance(x, Uniform):
        return x
    if eqn.params.get("dimensions") is not None or math.prod(avals[0].shape) != math.prod(shape):
        return None
    return x if tuple(avals[0].shape) == shape else _then(x, "reshape", shape)


@rule("transpose")
def _transpose(eqn, values, avals):
    return None if values[0] is None else _then(values[0], "transpose", tuple(eqn.params["permutation"]))


@rule("convert_element_type")
def _convert(eqn, values, avals):
    x, dtype = values[0], np.dtype(eqn.params["new_dtype"])
    if isinstance(x, Uniform):
        return _by(lambda a: a.astype(dtype))(eqn, values, avals)
    if x is None or avals[0].dtype == dtype:
        return x
    return _then(x, "convert", dtype)


def _all_of_it(eqn, values, avals):
    """Rule of ops that take a part: the input, where the part is the whole."""
    return values[0] if tuple(avals[0].shape) == tuple(eqn.outvars[0].aval.shape) else None


@rule("dynamic_slice")
def _part(eqn, values, avals):
    return values[0] if isinstance(values[0], Uniform) else _all_of_it(eqn, values, avals)


@rule("slice")
def _slice(eqn, values, avals):
    if eqn.params.get("strides") not in (None, (1,) * len(avals[0].shape)):
        return values[0] if isinstance(values[0], Uniform) else None
    return _part(eqn, values, avals)


@rule("pad")
def _pad(eqn, values, avals):
    is_all = all(tuple(c) == (0, 0, 0) for c in eqn.params["padding_config"])
    return values[0] if is_all else _joined(eqn, values, avals)


@rule("tile")
def _tile(eqn, values, avals):
    if isinstance(values[0], Uniform):
        return values[0]
    return values[0] if all(r == 1 for r in eqn.params["reps"]) else None


@rule("concatenate", "stack")
def _joined(eqn, values, avals):
    shape = tuple(eqn.outvars[0].aval.shape)
    if eqn.primitive is lax.concatenate_p and math.prod(shape):  # what has no elements adds nothing
        parts = [k for k, a in enumerate(avals) if math.prod(a.shape)]
        if len(parts) == 1 and not isinstance(values[parts[0]], Uniform):
            return values[parts[0]]
    if len(values) == 1 and not isinstance(values[0], Uniform):
        return _reshape(eqn, values, avals)
    alike = all(isinstance(x, Uniform) and x.key == values[0].key for x in values)
    return values[0] if alike else None


@rule("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or")
def _reduce(eqn, values, avals):
    """Rule of reductions: along dims of size 1 nothing is lost."""
    if isinstance(values[0], Uniform) and eqn.primitive in (lax.reduce_max_p, lax.reduce_min_p):
        return values[0] if avals[0].size else None
    ones = all(avals[0].shape[d] == 1 for d in eqn.params["axes"])
    return _reshape(eqn, values, avals) if ones else None


@rule("select_n")
def _select(eqn, values, avals):
    which, *cases = values
    if isinstance(which, Uniform):
        return cases[int(which.number)]
    same = all(isinstance(x, Uniform) and x.key == cases[0].key for x in cases)
    return cases[0] if same else None


def _is_whole(dtype: Any) -> bool:
    return np.dtype(dtype).kind in "iub"


def _neutral(eqn, values, avals) -> Any:
    """An operand that the other leaves as it is."""
    of = eqn.primitive
    for k, other in ((0, 1), (1, 0)):
        x, u = values[k], values[other]
        if (
            not isinstance(x, Moved)
            or not isinstance(u, Uniform)
            or avals[k].shape != eqn.outvars[0].aval.shape
        ):
            continue
        if np.dtype(avals[k].dtype).kind == "c" or (k == 1 and of in (lax.sub_p, lax.div_p)):
            continue
        if of in (lax.mul_p, lax.div_p):
            neutral = u.is_number(1)
        elif _is_whole(avals[k].dtype):
            neutral = bool(u.number == 0)
        else:  # XLA takes x + 0.0 for x where the zeros are known when it compiles
            neutral = u.number == 0 and (bool(np.signbit(u.number)) is (of is not lax.sub_p) or u.given)
        if neutral:
            return x
    return None


def _by(f: Callable) -> Callable:
    """Makes the rule of an op on numbers that is rounded as NumPy rounds."""

    def rule(eqn, values, avals):
        if not all(isinstance(x, Uniform) for x in values):
            return None
        dtype = eqn.outvars[0].aval.dtype
        with np.errstate(all="ignore"):
            found = f(*[x.number for x in values])
        if found is None:
            return None
        out = np.asarray(found)
        out = out.astype(dtype)
        if dtype.kind == "f" and out != 0 and abs(out) < np.finfo(dtype).tiny:
            return None  # which a processor may take for 0
        return Uniform(out, given=any(x.given for x in values))

    return rule


def _arithmetic(f: Callable) -> Callable:
    by_numbers = _by(f)

    def rule(eqn, values, avals):
        found = by_numbers(eqn, values, avals)
        return _neutral(eqn, values, avals) if found is None else found

    return rule


def _divide(a: Any, b: Any) -> Any:
    """The quotient of floats; nothing is said of whole numbers, of which 0 divides none."""
    return None if a.dtype.kind in "iu" else np.divide(a, b)


@rule("custom_jvp_call", "custom_vjp_call")
def _custom(eqn, values, avals):
    """A function with derivatives of its own does not equal its input, whatever its values; but one that divides by 1
    does."""
    inner = walk.called(eqn)
    about = walk.opened(inner).debug_info
    if about.func_name == divide.__name__ and is_ours(about.func_filename or ""):
        found = _neutral_quotient(eqn, values, avals)
        if found is not None:
            return found
    return [x if isinstance(x, Uniform) else None for x in _run(inner, values)]


def _neutral_quotient(eqn, values, avals):
    x, by = values
    is_one = isinstance(x, Moved) and isinstance(by, Uniform) and by.is_number(1)
    same = is_one and avals[0].shape == eqn.outvars[0].aval.shape and np.dtype(avals[0].dtype).kind == "f"
    return x if same else None


@rule(*[name for name in of_kind(Kind.CALL) if not row(name).ruled and not row(name).again])
def _call(eqn, values, avals):
    return _run(walk.called(eqn), values)


@rule("whole_power", "integer_pow")
def _to_the_first(eqn, values, avals):
    return values[0] if eqn.params.get("n", eqn.params.get("y")) == 1 else None


def _rounded_once(f: Callable) -> Callable:
    """A function of numbers computed in more digits than they have, and rounded to them."""

    def of(x: np.ndarray) -> np.ndarray | None:
        if x.dtype.kind != "f":
            return None
        wide = np.longdouble if x.dtype == np.float64 else np.float64
        return f(x.astype(wide)).astype(x.dtype)

    return of


@rule("copy")
def _copied(eqn, values, avals):
    return values[0]


@rule("stop_gradient")
def _stopped(eqn, values, avals):
    return values[0] if isinstance(values[0], Uniform) else None


for _name, _fn in {
    "add": np.add, "add_any": np.add, "sub": np.subtract, "mul": np.multiply, "div": _divide,
}.items():  # fmt: skip
    rule(_name)(_arithmetic(_fn))
for _name, _fn in {
    "neg": np.negative, "abs": np.abs, "sign": np.sign, "floor": np.floor, "ceil": np.ceil, "sqrt": np.sqrt, "square": np.square,
    "max": np.maximum, "min": np.minimum, "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "not": np.invert, "is_finite": np.isfinite,
}.items():  # fmt: skip
    rule(_name)(_by(_fn))
for _name, _fn in {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
}.items():  # fmt: skip
    rule(_name)(_by(_rounded_once(_fn)))
