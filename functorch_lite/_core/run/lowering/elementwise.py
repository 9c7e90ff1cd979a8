"""Pointwise functions that XLA for CPU computes one element at a time, as straight lines of arithmetic, which LLVM
makes vectors of.

Errors are in ulps (units in the last place) of float32, the largest found beside float64 over all exponents
(`tests/core/test_lowering_ulps.py`); numbers too small for a normal float32 are 0, as in all that XLA computes on a
CPU. Narrower floats are computed in float32, as XLA does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .table import Lowering, Reading, Site, lowers

__all__: list[str] = []

_NARROW = (jnp.float16, jnp.bfloat16)
_FEW = 1 << 8
"""Elements below which looking at the largest takes longer than XLA's sine."""


def _in_float32(fn: Callable, site: Site) -> Lowering | None:
    """A function of float32 as a lowering of an equation; None of other dtypes."""
    dtype = site.outs[0].dtype
    if dtype == jnp.float32:
        return fn
    if dtype in _NARROW:
        return lambda *xs: fn(*[x.astype(jnp.float32) for x in xs]).astype(dtype)
    return None


def _polynomial(t: Any, coefficients: Sequence[float]) -> Any:
    """By Horner's scheme, the lowest power first."""
    kind = t.dtype.type
    out = kind(coefficients[-1])
    for c in coefficients[-2::-1]:
        out = out * t + kind(c)
    return out


def _up_to(limit: float, size: Any, fast: Callable, otherwise: Callable, *xs: Any) -> Any:
    """`fast`; or, if any `size` is beyond a limit, `otherwise` for all.

    A nan tells nothing: XLA passes it over (`extremes.py`)."""
    return lax.cond(jnp.max(size, initial=0) <= limit, fast, otherwise, *xs)


# ---- sine, cosine, tangent

_SINE = [(-1) ** k / math.factorial(2 * k + 1) for k in range(1, 9)]
_COSINE = [(-1) ** k / math.factorial(2 * k) for k in range(1, 10)]
# pi / 2 in parts, of which all but the last have 24 bits, so that whole numbers of up to 29 bits times a part are exact
_HALF_PI = {
    np.dtype(np.float32): (1.5707963705062866, -4.3711390001862426e-08),
    np.dtype(np.float64): (1.5707963705062866, -4.371138828673793e-08, -1.7151244994428829e-15),
}
_FAR = {np.dtype(np.float32): 2.0**25, np.dtype(np.float64): 2.0**20}
"""From where on the parts of pi / 2 do not suffice."""
_TERMS = {np.dtype(np.float32): (4, 5), np.dtype(np.float64): (8, 9)}


def _quadrant(x: Any) -> tuple[Any, Any]:
    """Returns the rest of x in [-pi / 4, pi / 4], in its dtype, and how many halves of pi were taken away. In
    float64."""
    wide = x.astype(jnp.float64)
    turns = jnp.round(wide * (2 / math.pi))
    for part in _HALF_PI[np.dtype(x.dtype)]:
        wide = wide - turns * part
    return wide.astype(x.dtype), turns.astype(jnp.int32)


def _sine_and_cosine(r: Any) -> tuple[Any, Any]:
    sines, cosines = _TERMS[np.dtype(r.dtype)]
    t = r * r
    return r + r * (t * _polynomial(t, _SINE[:sines])), 1 + t * _polynomial(t, _COSINE[:cosines])


def _sine(ahead: int, x: Any) -> Any:
    r, turns = _quadrant(x)
    sine, cosine = _sine_and_cosine(r)
    turns = turns + ahead
    out = jnp.where(turns & 1 == 1, cosine, sine)
    out = jnp.where(turns & 2 == 2, -out, out)
    return out if ahead else jnp.where(x == 0, x, out)


def _tangent(x: Any) -> Any:
    r, turns = _quadrant(x)
    sine, cosine = _sine_and_cosine(r)
    odd = turns & 1 == 1
    out = jnp.where(odd, -cosine, sine) / jnp.where(odd, sine, cosine)
    return jnp.where(x == 0, x, out)


@lowers("sin", "cos", "tan")
def _trigonometric(site: Site) -> Lowering | None:
    """Error: sine and cosine 1.5 ulp, tangent 3 ulp, in float64, too.

    Where anything is beyond 3e7 (float64: 1e6), by XLA. (Rows sin, cos, tan: 10 to 33 x PyTorch's time.)"""
    name = site.eqn.primitive.name
    if name != "tan" and math.prod(site.ins[0].shape) < _FEW:
        return None
    by_xla = {"sin": lax.sin, "cos": lax.cos, "tan": lax.tan}[name]
    near = {"sin": partial(_sine, 0), "cos": partial(_sine, 1), "tan": _tangent}[name]

    def run(x: Any) -> Any:
        return _up_to(_FAR[np.dtype(x.dtype)], jnp.abs(x), near, by_xla, x)

    return run if site.ins[0].dtype == jnp.float64 else _in_float32(run, site)


# ---- their inverses

_ATAN = [
    -0.3333333432674408, 0.19999989867210388, -0.14285318553447723, 0.11104706674814224, -0.09036742150783539, 0.07417497038841248,
    -0.05760715901851654, 0.03832744434475899, -0.019261080771684647, 0.006207254249602556, -0.0009362994460389018,
]  # fmt: skip
_ASIN = [
    0.1666666716337204, 0.07499992102384567, 0.044647663831710815, 0.030269138514995575, 0.02361181750893593, 0.01057441532611847,
    0.03097454085946083,
]  # fmt: skip
"""(atan(x) / x - 1) / x² for x² in [0, 1], and (asin(x) / x - 1) / x² for x² in [0, 1/4]: interpolated at Chebyshev's
points."""
_HALF = np.float32(math.pi / 2), np.float32(math.pi / 2 - float(np.float32(math.pi / 2)))
"""pi / 2 in two parts."""


def _with_sign(x: Any, sign: Any) -> Any:
    """x, not negative, with the sign of another."""
    bits = lax.bitcast_convert_type(sign, jnp.uint32) & jnp.uint32(1 << 31)
    return lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.uint32) | bits, jnp.float32)


def _angle(small: Any, large: Any) -> Any:
    """The arc tangent of small / large, where 0 <= small <= large."""
    z = small / large
    z = jnp.where(large == 0, 0, jnp.where(small == jnp.inf, 1, z))
    t = z * z
    return z + z * (t * _polynomial(t, _ATAN))


def _atan2(y: Any, x: Any) -> Any:
    up, right = jnp.abs(y), jnp.abs(x)
    steep = up > right
    angle = _angle(jnp.minimum(up, right), jnp.maximum(up, right))
    angle = jnp.where(steep, _HALF[0] - (angle - _HALF[1]), angle)
    left = lax.bitcast_convert_type(x, jnp.int32) < 0
    angle = jnp.where(left, 2 * _HALF[0] - (angle - 2 * _HALF[1]), angle)
    # |angle|: where something is nan, so are both
    return _with_sign(jnp.abs(angle), y)


def _atan(x: Any) -> Any:
    size = jnp.abs(x)
    steep = size > 1
    angle = _angle(jnp.where(steep, 1, size), jnp.where(steep, size, 1))
    return _with_sign(jnp.abs(jnp.where(steep, _HALF[0] - (angle - _HALF[1]), angle)), x)


def _arcs(x: Any) -> tuple[Any, Any]:
    """Returns whether |x| <= 1/2; then the arc sine of |x|, else the arc cosine."""
    size = jnp.abs(x)
    near = size <= 0.5
    t = jnp.where(near, x * x, (1 - size) / 2)
    z = jnp.where(near, size, jnp.sqrt(t))
    arc = z + z * (t * _polynomial(t, _ASIN))
    return near, jnp.where(near, arc, 2 * arc)


def _asin(x: Any) -> Any:
    near, arc = _arcs(x)
    return _with_sign(jnp.abs(jnp.where(near, arc, _HALF[0] - (arc - _HALF[1]))), x)


def _acos(x: Any) -> Any:
    near, arc = _arcs(x)
    signed = jnp.where(x < 0, -arc, arc)
    far = jnp.where(x < 0, 2 * _HALF[0] - (arc - 2 * _HALF[1]), arc)
    return jnp.where(near, _HALF[0] - (signed - _HALF[1]), far)


@lowers("atan", "atan2", "asin", "acos")
def _inverse(site: Site) -> Lowering | None:
    """Error: 2.5 ulp. (Rows atan, atan2, asin, acos: 10 to 35 x PyTorch's time.)"""
    fns = {"atan": _atan, "atan2": _atan2, "asin": _asin, "acos": _acos}
    return _in_float32(fns[site.eqn.primitive.name], site)


# ---- rests of divisions


def _rest(x: Any, y: Any) -> Any:
    a, b = x.astype(jnp.float64), y.astype(jnp.float64)
    rest = (
        a - (a / b).astype(jnp.int32).astype(jnp.float64) * b
    )  # XLA cuts float64 one by one, and casts many at once
    rest = jnp.where((jnp.abs(y) == jnp.inf) & (jnp.abs(x) < jnp.inf), a, rest)
    return _with_sign(jnp.abs(rest).astype(jnp.float32), x)


@lowers("rem")
def _rem(site: Site) -> Lowering | None:
    """Exact: in float64 a quotient below 2^28 is cut to the right integer, and its product with the divisor is exact.

    By XLA where any is larger. (Rows fmod, remainder, floor_divide: 7.5 to 11 x PyTorch's time.)"""

    def run(x: Any, y: Any) -> Any:
        size = jnp.where(y == 0, jnp.inf, jnp.abs(x) / jnp.abs(y)).astype(x.dtype)
        return _up_to(2.0**27, size, _rest, lax.rem, x, y)

    return _in_float32(run, site)


# ---- powers

_LOG2 = [
    2.885390081777852, 0.9617966941124222, 0.5770779425950953, 0.4122092320590331, 0.3199064201594943,
    0.28289122328843996,
]  # fmt: skip
_EXP2 = [
    0.9999999999595618, 0.693147180556831, 0.24022651213498544, 0.05550410906330383, 0.009618025613264337,
    0.001333347847023125, 0.00015469729226017434, 1.530370151255083e-05,
]  # fmt: skip
"""log2(m) / s for s = (m - 1) / (m + 1) at s², m from sqrt(1/2) to sqrt(2); and 2^f for f in [-1/2, 1/2]: interpolated
at Chebyshev's points."""
_ROOT_OF_HALF = np.int32(np.float32(math.sqrt(0.5)).view(np.int32))
_TINY = np.finfo(np.float32).tiny


def _power_of_positive(x: Any, y: Any) -> Any:
    """2^(y log2(x)), in float64; of finite x and y, x not negative."""
    bits = lax.bitcast_convert_type(x, jnp.int32)
    exponent = (bits - _ROOT_OF_HALF) >> 23
    m = lax.bitcast_convert_type(bits - (exponent << 23), jnp.float32).astype(jnp.float64)
    s = (m - 1) / (m + 1)
    log = exponent.astype(jnp.float64) + s * _polynomial(s * s, _LOG2)
    w = jnp.clip(y.astype(jnp.float64) * log, -160.0, 160.0)  # beyond, float32 has 0 and inf
    n = jnp.round(w)
    scale = lax.bitcast_convert_type((n.astype(jnp.int32).astype(jnp.int64) + 1023) << 52, jnp.float64)
    out = (_polynomial(w - n, _EXP2) * scale).astype(jnp.float32)
    of_zero = jnp.where(y == 0, 1, jnp.where(y < 0, jnp.inf, 0)).astype(jnp.float32)
    return jnp.where(x < _TINY, of_zero, out)


@lowers("pow")
def _pow(site: Site) -> Lowering | None:
    """Error: 0.51 ulp. By XLA where anything is negative (-0.0, too), infinite or nan.
    (Row `pow 1.7 100k`: 2.2 x PyTorch's time, 1.0 x so.)"""
    if math.prod(site.outs[0].shape) < _FEW or len({(v.dtype, v.shape) for v in site.ins}) > 1:
        return None

    def run(x: Any, y: Any) -> Any:
        plain = (lax.bitcast_convert_type(x, jnp.int32) >= 0) & (x < jnp.inf) & (jnp.abs(y) < jnp.inf)
        return _up_to(0.0, jnp.where(plain, 0, 1).astype(jnp.float32), _power_of_positive, lax.pow, x, y)

    return _in_float32(run, site)


# ---- others


@lowers("rsqrt")
def _rsqrt(site: Site) -> Lowering | None:
    """One over the root, in a form that XLA does not make `rsqrt` again, which it computes by a slow call.

    (Row rsqrt: 4.7 x PyTorch's time.)"""
    if site.ins[0].dtype == jnp.float64:
        return lambda x: -(1 / -jnp.sqrt(x))
    return _in_float32(lambda x: -(1 / -jnp.sqrt(x)), site)


# ---- what is computed in float64 and rounded

_ERFINV = [
    1.501409360450328, 0.24664027905463645, -0.004177392875202764, -0.0012527263917728446, 0.00021834938623943617,
    -4.9724196895228664e-06, -3.4639852675528713e-06, 4.6813134804870605e-07, 2.333596719123474e-08, -8.931925968428878e-09,
]  # fmt: skip
_ERFINV_FAR = [
    2.8329768070195414, 1.0016749120571995, 0.009444992113538275, -0.0076364896366831435, 0.005689216294281972,
    -0.0036009003307221447, 0.0014797039530571232, -5.0458852992706345e-05, -0.0003055250512453884, 0.00011153858083997878,
]  # fmt: skip
"""erfinv(x) / x for w = -log(1 - x²) at w - 2.5 of w in [0, 5], and at sqrt(w) - 3 beyond: interpolated at Chebyshev's
points."""
_LGAMMA = [
    0.4227843350004582, 0.322467033468941, -0.06735228147210211, 0.020580799471614817, -0.007386174155597762,
    0.0028907953204012314, -0.0011858600347555738, 0.0005065171484158255, -0.0002538170949817812, 0.00011347281101541325,
]  # fmt: skip
"""lgamma(2 + z) / z for z in [-1/2, 1/2]: interpolated at Chebyshev's points."""
_STIRLING = [1 / 12, -1 / 360, 1 / 1260]


def _erfinv(x: Any) -> Any:
    w = -jnp.log((1 - x) * (1 + x))
    near = w < 5
    s = jnp.where(near, w - np.float32(2.5), jnp.sqrt(w) - 3)
    out = x * jnp.where(near, _polynomial(s, _ERFINV), _polynomial(s, _ERFINV_FAR))
    return jnp.where(jnp.abs(x) == 1, x * np.float32(np.inf), out)


def _lgamma_of_positive(x: Any) -> Any:
    """Up to 8 by gamma(x + 1) = x gamma(x), from [1.5, 2.5]; above by Stirling's series."""
    tiny, low, high = x < 0.5, x < 1.5, x >= 8
    y, product = x, jnp.ones_like(x)
    for _ in range(6):
        down = y > 2.5
        y = jnp.where(down, y - 1, y)
        product = jnp.where(down, product * y, product)
    log = jnp.log(jnp.where(high, x, jnp.where(tiny, x * (x + 1), jnp.where(low, x, product))))
    z = jnp.where(tiny, x, jnp.where(low, x - 1, y - 2))
    near = z * _polynomial(z, _LGAMMA) + jnp.where(low, -log, log)
    over = 1 / x
    far = (
        (x - np.float32(0.5)) * (log - 1)
        + np.float32(0.41893853320467274)
        + over * _polynomial(over * over, _STIRLING)
    )
    return jnp.where(high, jnp.where(x == jnp.inf, x, far), near)


def _lgamma(x: Any) -> Any:
    by_xla = lambda x: lax.lgamma(x.astype(jnp.float64)).astype(jnp.float32)  # noqa: E731
    return lax.cond(jnp.min(x, initial=0) >= 0, _lgamma_of_positive, by_xla, x)


@lowers("convert_element_type")
def _rounded(site: Site) -> Reading | None:
    """Rule for functions of float32 that are computed in float64 and rounded. Errors: erfinv 3 ulp, lgamma 7 ulp (where
    anything is negative, by XLA). (Rows erfinv and lgamma: 5.5 and 4.2 x PyTorch's time.)"""
    fns = {"erf_inv": _erfinv, "lgamma": _lgamma}
    made = site.made_by(site.eqn.invars[0])
    if made is None or made.primitive.name not in fns or site.outs[0].dtype != jnp.float32:
        return None
    widened = site.made_by(made.invars[0])
    if (
        widened is None
        or widened.primitive.name != "convert_element_type"
        or widened.invars[0].aval.dtype != jnp.float32
    ):
        return None
    return site.reading(fns[made.primitive.name], widened.invars[0])
