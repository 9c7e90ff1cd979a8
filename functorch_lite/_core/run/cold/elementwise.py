"""Elementwise primitives, casts and choices, with XLA's meaning where NumPy's is another: integers divided by 0,
shifts, casts that saturate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
from jax.extend.core import Literal

from .interpreter import COSTS, NARROW, SECONDS_PER_PRODUCT, NoRule, elements, known, rule, same

__all__ = ["selected", "widened"]


_FEW = 8
"""One element in two to the power of so many is few: these are written over the others."""
_BITS = {4: np.dtype(np.int32), 8: np.dtype(np.int64)}
_MANY = 1 << 11
"""Elements from which on what is selected by bits is selected sooner."""


def _dtype(eqn: Any) -> np.dtype:
    return eqn.outvars[0].aval.dtype


def widened(eqn: Any, fn: Callable) -> Callable:
    """`fn`, in float32 where the equation's result is of halves."""
    out = _dtype(eqn)
    if out not in NARROW:
        return fn
    return lambda *xs: fn(*[x.astype(np.float32) if x.dtype in NARROW else x for x in xs]).astype(out)


def _ufunc(name: str, fn: Callable, slow: float = 0.0) -> None:
    """A primitive that is one of NumPy's functions. slow: nanoseconds for an element, beyond moving it."""

    @rule(name)
    def make(eqn: Any) -> Callable:
        known(eqn)
        return widened(eqn, fn)

    if slow:
        COSTS[name] = lambda eqn: elements(eqn.outvars[0]) * slow * 1e-9 / SECONDS_PER_PRODUCT


def _log1p(x: np.ndarray) -> np.ndarray:
    """log(1 + x). NumPy's of a tiny complex number has no real part."""
    out = np.log1p(x)
    if out.dtype.kind == "c":
        re, im = x.real.astype(np.longdouble), x.imag.astype(np.longdouble)
        tiny = np.maximum(np.abs(re), np.abs(im)) < 1e-3
        exact = np.log1p(np.where(tiny, re * (2 + re) + im * im, 0)) / 2
        out = np.where(tiny, exact + 1j * out.imag, out).astype(out.dtype)
    return out


for _name, _fn in {
    "neg": np.negative, "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "sqrt": np.sqrt, "is_finite": np.isfinite,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "real": np.real, "imag": np.imag, "conj": np.conjugate, "square": np.square,
    "one_minus_square": lambda x: (1 + x) * (1 - x), "log2": np.log2,
}.items():  # fmt: skip
    _ufunc(_name, _fn)
for _name, _fn in {
    "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log1p": _log1p, "sin": np.sin, "cos": np.cos,
    "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "atan2": np.arctan2, "sinh": np.sinh, "cosh": np.cosh,
    "tanh": np.tanh, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh, "cbrt": np.cbrt, "nextafter": np.nextafter,
}.items():  # fmt: skip
    _ufunc(_name, _fn, slow=5.0)


@rule("polynomial")
def _polynomial(eqn: Any) -> Callable:
    known(eqn)

    def by_horner(x: np.ndarray, *coefficients: np.ndarray) -> np.ndarray:
        result = coefficients[-1]
        for c in reversed(coefficients[:-1]):
            result = result * x + c
        return result

    return widened(eqn, by_horner)


def _of_bools(name: str, numbers: Callable, bools: Callable) -> None:
    rule(name)(lambda eqn: bools if _dtype(eqn) == np.bool_ else widened(eqn, numbers))


_of_bools("add", np.add, np.logical_or)
_of_bools("add_any", np.add, np.logical_or)
_of_bools("mul", np.multiply, np.logical_and)
_of_bools("and", np.bitwise_and, np.logical_and)
_of_bools("or", np.bitwise_or, np.logical_or)
_of_bools("xor", np.bitwise_xor, np.logical_xor)
_of_bools("not", np.bitwise_not, np.logical_not)
rule("sub")(lambda eqn: widened(eqn, np.subtract))
rule("copy", "stop_gradient")(lambda eqn: same)


@rule("max", "min")
def _extremum(eqn: Any) -> Callable:
    larger = eqn.primitive.name == "max"
    if _dtype(eqn).kind == "c":
        return lambda x, y: np.where((x > y) if larger else (x < y), x, y)
    of_arrays = np.maximum if larger else np.minimum
    if _dtype(eqn) not in (np.float32, np.float64):
        return of_arrays
    inf = _dtype(eqn).type(np.inf)

    def extremum(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """With a number NumPy's own takes three times as long."""
        if y.ndim and not x.ndim:
            x, y = y, x
        if y.ndim or x.size < _MANY:
            return of_arrays(x, y)
        return np.clip(x, y, inf) if larger else np.clip(x, -inf, y)

    return extremum


@rule("sign")
def _sign(eqn: Any) -> Callable:
    if _dtype(eqn).kind == "c":

        def direction(x: np.ndarray) -> np.ndarray:
            size = np.abs(x)
            return np.where(size == 0, 0, x / np.where(size == 0, 1, size)).astype(x.dtype)

        return direction
    return np.sign


@rule("round")
def _round(eqn: Any) -> Callable:
    if int(eqn.params["rounding_method"]) == 1:
        return widened(eqn, np.round)
    return widened(eqn, lambda x: np.copysign(np.floor(np.abs(x) + x.dtype.type(0.5)), x))


@rule("rsqrt")
def _rsqrt(eqn: Any) -> Callable:
    return widened(eqn, lambda x: x.dtype.type(1) / np.sqrt(x))


@rule("logistic")
def _logistic(eqn: Any) -> Callable:
    return widened(eqn, lambda x: 1 / (1 + np.exp(-x)))


COSTS["logistic"] = lambda eqn: elements(eqn.outvars[0]) * 100


@rule("div")
def _div(eqn: Any) -> Callable:
    """Division. A quotient of integers is rounded to zero; by 0 it is -1, and the least integer by -1 is itself."""
    d = _dtype(eqn)
    if d.kind not in "iu":
        return widened(eqn, np.divide)

    def quotient(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if np.count_nonzero(y) == y.size:
            return (x - np.fmod(x, y)) // y
        none = y == 0
        return np.where(none, np.array(-1).astype(d), quotient(x, np.where(none, d.type(1), y)))

    return quotient


_SOME = 1 << 7
"""Elements from which on it is worth seeing to that (fmod 1k: 45 µs, so 6)."""
_EXACT = 2.0**27
"""Quotients of float32 below this one are cut to the right integer in float64."""


def _float_rest(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """`np.fmod`, by the quotient where all of them are small, in a third of the time."""
    if x.dtype != np.float32 or y.dtype != np.float32 or x.size < _SOME:
        return np.fmod(x, y)
    a, b = x.astype(np.float64), y.astype(np.float64)
    q = a / b
    if not (np.abs(q).max() < _EXACT and np.isfinite(b).all()):
        return np.fmod(x, y)
    np.trunc(q, out=q)
    q *= b
    return np.copysign((a - q).astype(np.float32), x)


@rule("rem")
def _rem(eqn: Any) -> Callable:
    """With the sign of the dividend; by the integer 0 it is the dividend."""
    d = _dtype(eqn)
    if d.kind not in "iu":
        return widened(eqn, _float_rest)

    def rest(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        if np.count_nonzero(y) == y.size:
            return np.fmod(x, y)
        return np.where(y == 0, x, np.fmod(x, np.where(y == 0, d.type(1), y)))

    return rest


@rule("integer_pow", "whole_power")
def _integer_pow(eqn: Any) -> Callable:
    y = eqn.params["y" if eqn.primitive.name == "integer_pow" else "n"]
    if y == 2:
        return widened(eqn, lambda x: x * x)

    def power(x: np.ndarray) -> np.ndarray:
        base, n, out = x, abs(y), None
        while n:
            if n & 1:
                out = base if out is None else out * base
            n >>= 1
            if n:
                base = base * base
        if out is None:
            return np.ones_like(x)
        return x.dtype.type(1) / out if y < 0 else out

    return widened(eqn, power)


@rule("pow")
def _pow(eqn: Any) -> Callable:
    d = _dtype(eqn)
    if d.kind in "iu" or d.kind == "c":
        raise NoRule("pow of integers or complex numbers")
    return widened(eqn, lambda x, y: np.power(x, y if y.dtype.kind not in "iu" else y.astype(x.dtype)))


COSTS["pow"] = lambda eqn: elements(eqn.outvars[0]) * 400


@rule("shift_left", "shift_right_logical", "shift_right_arithmetic")
def _shift(eqn: Any) -> Callable:
    """By as many bits as there are, or more, nothing is left; of an arithmetic shift to the right the sign, which to
    XLA unsigned integers have too."""
    d, name = _dtype(eqn), eqn.primitive.name
    bits, unsigned, signed = 8 * d.itemsize, np.dtype(f"u{d.itemsize}"), np.dtype(f"i{d.itemsize}")

    def shift(x: np.ndarray, by: np.ndarray) -> np.ndarray:
        n = by.astype(unsigned)
        beyond = n >= bits
        n = np.where(beyond, unsigned.type(bits - 1 if name.endswith("arithmetic") else 0), n)
        if name == "shift_right_arithmetic":
            return np.right_shift(x.astype(signed), n.astype(signed)).astype(d)
        given = x.astype(unsigned)
        out = np.left_shift(given, n) if name == "shift_left" else np.right_shift(given, n)
        return np.where(beyond, unsigned.type(0), out).astype(d)

    by = eqn.invars[1]
    if isinstance(by, Literal) and 0 <= int(by.val) < bits:
        kind = signed if name == "shift_right_arithmetic" else unsigned
        amount, plain = kind.type(by.val), np.left_shift if name == "shift_left" else np.right_shift
        return lambda x, _: plain(x.view(kind), amount).view(d)
    return shift


@rule("population_count")
def _population_count(eqn: Any) -> Callable:
    d = _dtype(eqn)
    unsigned = np.dtype(f"u{d.itemsize}")
    return lambda x: np.bitwise_count(x.astype(unsigned)).astype(d)


@rule("clz")
def _clz(eqn: Any) -> Callable:
    d = _dtype(eqn)
    bits, unsigned = 8 * d.itemsize, np.dtype(f"u{d.itemsize}")

    def leading(x: np.ndarray) -> np.ndarray:
        rest, n = x.astype(unsigned), np.zeros(x.shape, np.int64)
        for _ in range(bits):
            n = n + (rest != 0)
            rest = rest >> unsigned.type(1)
        return (bits - n).astype(d)

    return leading


@rule("complex")
def _complex(eqn: Any) -> Callable:
    d = _dtype(eqn)

    def made(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        out = np.empty(np.broadcast_shapes(x.shape, y.shape), d)
        out.real, out.imag = x, y
        return out

    return made


def selected(which: np.ndarray, no: np.ndarray, yes: np.ndarray) -> np.ndarray:
    """`np.where(which, yes, no)`.

    Most masks are of what is seldom (a nan, an index below 0): nothing is computed for what is all of one. Others are
    applied by bits, as NumPy jumps at each element, so that a mask without a pattern takes ten times as long."""
    n = np.count_nonzero(which)
    one, other = (yes, no) if n else (no, yes)
    if (not n or n == which.size) and yes.dtype is no.dtype:
        if one.size >= max(which.size, other.size) and one.ndim >= max(which.ndim, other.ndim):
            return one
    bits = _BITS.get(yes.dtype.itemsize)
    if bits is None or which.size < _MANY or yes.dtype is not no.dtype:
        return np.where(which, yes, no)
    if n < which.size >> _FEW and which.shape == no.shape and yes.size <= no.size and yes.ndim <= no.ndim:
        out = no.copy()
        np.copyto(out, yes, where=which)
        return out
    mask = np.negative(which.view(np.int8)).astype(bits)
    for other, kept, inverted in ((no, yes, False), (yes, no, True)):
        if _is_zero(other, bits) and kept.shape == mask.shape:
            mask = np.invert(mask, out=mask) if inverted else mask
            return np.bitwise_and(kept.view(bits), mask, out=mask).view(yes.dtype)
    low = no.view(bits)
    out = np.bitwise_xor(yes.view(bits), low)
    out = np.bitwise_and(out, mask, out=out if out.shape == mask.shape else None)
    return np.bitwise_xor(
        out, low, out=out if out.shape == np.broadcast_shapes(out.shape, low.shape) else None
    ).view(yes.dtype)


def _is_zero(x: np.ndarray, bits: np.dtype) -> bool:
    """Returns whether all elements are one that is told to be 0.0 without a look at the others."""
    return not any(x.strides) and x.size > 0 and not x[(0,) * x.ndim].view(bits)


@rule("select_n")
def _select_n(eqn: Any) -> Callable:
    if len(eqn.invars) == 3 and eqn.invars[0].aval.dtype == np.bool_:
        if eqn.outvars[0].aval.ndim and not eqn.invars[0].aval.ndim:
            shape = eqn.outvars[0].aval.shape
            return lambda which, no, yes: np.broadcast_to(yes if which else no, shape)
        return selected

    def choose(which: np.ndarray, *cases: np.ndarray) -> np.ndarray:
        out = cases[0]
        for k, case in enumerate(cases[1:], 1):
            out = np.where(which == k, case, out)
        return out

    return choose


@rule("convert_element_type")
def _convert(eqn: Any) -> Callable:
    """Floats that no integer of the dtype is near become the nearest one, and nan 0.

    Of complex numbers the real part is kept."""
    old, new = eqn.invars[0].aval.dtype, _dtype(eqn)
    if old == new:
        return same
    known(eqn)
    if new == np.bool_:
        return lambda x: x != 0
    if old.kind == "c" and new.kind != "c":
        return lambda x: x.real.astype(new)
    floats = old.kind == "f" or old in NARROW
    if floats and new.kind in "iu":
        info = np.iinfo(new)

        def saturated(x: np.ndarray) -> np.ndarray:
            if x.size and info.min < np.minimum.reduce(x, None) and np.maximum.reduce(x, None) < info.max:
                return x.astype(new)  # none is nan
            wide = x.astype(np.float64)
            high, low = wide >= float(info.max), wide <= float(info.min)
            safe = np.where(high | low | np.isnan(wide), 0, wide).astype(new)
            return np.where(high, new.type(info.max), np.where(low, new.type(info.min), safe))

        return saturated
    return lambda x: x.astype(new)


@rule("bitcast_convert_type")
def _bitcast(eqn: Any) -> Callable:
    new, shape = _dtype(eqn), eqn.outvars[0].aval.shape
    known(eqn)
    return lambda x: np.ascontiguousarray(x).reshape(x.shape).view(new).reshape(shape)


@rule("reduce_precision")
def _reduce_precision(eqn: Any) -> Callable:
    bits = eqn.params["exponent_bits"], eqn.params["mantissa_bits"]
    to = {(8, 7): ml_dtypes.bfloat16, (5, 10): np.float16, (8, 23): np.float32, (11, 52): np.float64}.get(
        bits
    )
    if to is None:
        raise NoRule(f"reduce_precision to {bits}")
    d = _dtype(eqn)
    return lambda x: x.astype(to).astype(d)
