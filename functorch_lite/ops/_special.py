"""Smooth functions on jax arrays of one floating point dtype whose values or derivatives jax gets wrong at some points.

Each says where jax's own differs. Half precision is converted to float32 before these functions are called.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special as jsp

from ._pointwise import COMPLEX, FLOAT, beside, category, differentiated

__all__ = [
    "atan2",
    "digamma",
    "divide",
    "erfinv",
    "hypot",
    "i0",
    "lgamma",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logit",
    "mean",
    "polygamma",
    "power",
    "quotient",
    "sinc",
    "tanh",
    "unit_of",
    "xlogy",
]


def _constant(value, like):
    return jnp.asarray(value, like.dtype)


# ---- of one argument


def complex_log(x, base):
    """log(x) / log(base), by its parts, so that log(0) has no nan."""
    y = lax.log(x)
    parts = lax.real(y), lax.imag(y)
    return lax.complex(*(divide(part, _constant(math.log(base), part)) for part in parts))


def frexp(x):
    """(mantissa, exponent) with x == mantissa * 2^exponent and mantissa in [0.5, 1); (x, 0) for 0, infinities and nan.

    By the bits of x (float32 or float64): XLA takes subnormal numbers for zeros, and jax's exponent of them is the
    least there is.
    """
    kind, digits, bias = (np.int32, 23, 126) if x.dtype.itemsize == 4 else (np.int64, 52, 1022)
    bits = lax.bitcast_convert_type(x, kind)
    sign, fraction = bits & np.iinfo(kind).min, bits & kind(2**digits - 1)
    field = (bits >> digits) & kind(2 * bias + 3)
    small = field == 0  # 0 or subnormal, whose first digit is so far behind the point
    behind = lax.clz(fraction) - kind(np.iinfo(kind).bits - 1 - digits)
    fraction = jnp.where(small, (fraction << behind) & kind(2**digits - 1), fraction)
    exponent = jnp.where(small, 1 - behind, field) - kind(bias)
    mantissa = lax.bitcast_convert_type(sign | kind(bias << digits) | fraction, x.dtype)
    itself = (small & (fraction == 0) & (behind > digits)) | (field == kind(2 * bias + 3))
    return jnp.where(itself, x, mantissa), jnp.where(itself, 0, exponent)


@differentiated(lambda t, out, x: t / (x * _constant(math.log(2), x)))
def log2(x):
    """The logarithm to base 2 of a real number; jax's is not exact for powers of two."""
    mantissa, exponent = frexp(x)
    small = mantissa < math.sqrt(0.5)
    mantissa = jnp.where(small, mantissa + mantissa, mantissa)
    return (exponent - small).astype(x.dtype) + lax.log(mantissa) / _constant(math.log(2), x)


_LOG10_2 = {
    4: (3.0102920532e-01, 7.9034151668e-07),
    8: (3.01029995663611771306e-01, 3.69423907715893078616e-13),
}
"""log10(2) as a sum, whose first part times an exponent is exact, by the bytes of the dtype."""


@differentiated(lambda t, out, x: t / (x * _constant(math.log(10), x)))
def log10(x):
    """The logarithm to base 10 of a real number as fdlibm has it (e_log10.c): exact for powers of ten, which jax's is
    not."""
    mantissa, exponent = frexp(x)
    doubled = exponent > 0
    mantissa = jnp.where(doubled, mantissa + mantissa, mantissa)
    exponent = (exponent - doubled).astype(x.dtype)
    high, low = (_constant(part, x) for part in _LOG10_2[x.dtype.itemsize])
    return (exponent * low + _constant(1 / math.log(10), x) * lax.log(mantissa)) + exponent * high


# ---- where XLA's are wrong by tens of units in the last place


def _halves_of_exp(x):
    """exp(|x|) / 2, exp(-|x|) / 2, and whether the first is finite."""
    small = jnp.abs(x) < (88 if x.dtype.itemsize == 4 else 709)
    e = lax.exp(jnp.where(small, jnp.abs(x), 0))
    return e / 2, 0.5 / e, small


@differentiated(lambda t, out, x: t * cosh(x))  # type: ignore[reportGeneralTypeIssues]
def sinh(x):
    """(exp(x) - exp(-x)) / 2; XLA's takes log(2) from x in place of the division, and rounds."""
    up, down, small = _halves_of_exp(x)
    return jnp.where((jnp.abs(x) < 1) | ~small, lax.sinh(x), jnp.where(x < 0, down - up, up - down))


@differentiated(lambda t, out, x: t * sinh(x))
def cosh(x):
    """(exp(x) + exp(-x)) / 2; see sinh."""
    up, down, small = _halves_of_exp(x)
    return jnp.where(small, up + down, lax.cosh(x))


@differentiated(lambda t, out, x: t / (1 + x))
def log1p(x):
    """log(1 + x), in float64 by what 1 + x is rounded to.

    Source: Higham, Accuracy and Stability of Numerical Algorithms (2002), 1.14.1."""
    if x.dtype.itemsize < 8:
        return lax.log1p(x)
    u = jnp.where(x == x, 1 + x, x)  # of a plain 1 + x - 1 XLA makes x
    itself = (u == 1) | (x == jnp.inf)
    return jnp.where(itself, x, lax.log(u) * (x / jnp.where(itself, 1, u - 1)))


@differentiated(lambda t, out, x: t / ((1 + x) * (1 - x)))
def atanh(x):
    """The inverse of tanh, by log1p."""
    size = jnp.abs(x)
    return jnp.where(size < 1e-9, x, jnp.sign(x) * log1p(2 * size / (1 - size)) / 2)


@differentiated(lambda t, out, x: t * (-2 / math.sqrt(math.pi) * lax.exp(-x * x)))
def erfc(x):
    """1 - erf(x), without what rounding x^2 does to XLA's exp(-x^2): x is split (Dekker, 1971), for what the square
    lost."""
    bits = {4: (8, 11), 8: (11, 25)}[x.dtype.itemsize]
    high = lax.reduce_precision(x, *bits)
    low, square = x - high, x * x
    lost = ((high * high - square) + 2 * high * low) + low * low
    right = (x > 1) & jnp.isfinite(square)
    return lax.erfc(x) * jnp.where(right, 1 - jnp.where(right, lost, 0), 1)


def logit(x, step=lambda x: x):
    """log(x / (1 - x)), whose derivative is inf at 0, at -0 and at 1, and nan outside (jax's is nan at 1). step: rounds
    each step."""

    def derivative(t, out, x):
        inside = 1 / (jnp.where(x == 0, _constant(0, x), x) * (1 - x))
        return t * jnp.where((x < 0) | (x > 1), _constant(jnp.nan, x), inside)

    @differentiated(derivative)
    def rounded(x):
        return lax.log(step(x / step(1 - x)))

    return rounded(x)


def sinc(x):
    """sin(pi x) / (pi x); jax's derivative is infinite at tiny x.

    Near 0 it is the Taylor series, with all derivatives."""
    y = x * _constant(math.pi, x)
    near = lax.abs(lax.stop_gradient(y)) < 0.5
    square = jnp.where(near, y, _constant(0, y))
    square = square * square
    series = jnp.zeros_like(square)
    for k in range(8, -1, -1):
        series = series * square + _constant((-1) ** k / math.factorial(2 * k + 1), y)
    far = jnp.where(near, _constant(1, y), y)
    return jnp.where(near, series, divide(lax.sin(far), far))


@functools.cache
def polygamma(n: int):
    """The n-th derivative of digamma, n >= 1; torch's infinity at the poles, where jax has nan."""

    @differentiated(lambda t, out, x: t * polygamma(n + 1)(x))
    def polygamma_n(x):
        at_pole = (x <= 0) & (x == lax.floor(x))
        pole = _constant(jnp.inf if n % 2 == 1 else -jnp.inf, x)
        # in float64, and by reflection: jax's is wrong where x is negative
        wide = x.astype(jnp.float64)
        reflected = jnp.where(wide < 0, 1 - wide, wide)
        right = _trigamma(reflected) if n == 1 else jsp.polygamma(jnp.int32(n), reflected)
        mirrored = _cotangents(n, wide)
        left = jnp.where(jnp.isinf(mirrored), -mirrored, (-1) ** n * right - mirrored)
        y = jnp.where(wide < 0, left, right).astype(x.dtype)
        y = jnp.where(at_pole, pole, y)
        if n > 1:  # as in torch
            return jnp.where(x == jnp.inf, _constant(jnp.nan, x), y)
        return jnp.where(x == jnp.inf, _constant(0, x), jnp.where(x == -jnp.inf, _constant(jnp.nan, x), y))

    return polygamma_n  # type: ignore


def _trigamma(x):
    """The first derivative of digamma of x >= 0 in float64, to 2e-15 of it: trigamma(x) = 1 / x^2 + trigamma(x + 1) up
    to x + 12, and there the asymptotic series (Abramowitz & Stegun 6.4.12). jax's takes a power for each term (row
    `digamma 100k fwd+bwd`: 6 x PyTorch's time)."""
    y = x + 12
    over = 1 / y
    t, series = over * over, jnp.zeros_like(x)
    for b in (7 / 6, -691 / 2730, 5 / 66, -1 / 30, 1 / 42, -1 / 30, 1 / 6):
        series = series * t + b
    total = over + t / 2 + series * t * over
    for k in reversed(range(12)):
        total = total + 1 / ((x + k) * (x + k))
    return total


def _cotangents(n: int, x):
    """The n-th derivative of pi cot(pi x), a polynomial in the cotangent c by c' = -pi (1 + c^2).

    https://en.wikipedia.org/wiki/Polygamma_function#Reflection_relation
    """
    off = x - jnp.round(x)
    if n > 100:
        # n! times the sum over all integers k of 1 / (k - x)^(n + 1), of which two terms are left in float64
        nearest = jnp.sign(-off) ** (n + 1) * jnp.exp(math.lgamma(n + 1) - (n + 1) * jnp.log(jnp.abs(off)))
        both = nearest * (1 + (off / (off - jnp.sign(off))) ** (n + 1))
        return jnp.where((jnp.abs(off) == 0.5) & (n % 2 == 0), 0, -both)
    polynomial = np.polynomial.Polynomial([0.0, math.pi])
    for _ in range(n):
        polynomial = polynomial.deriv() * np.polynomial.Polynomial([-math.pi, 0.0, -math.pi])
    angle = off * math.pi
    c = jnp.where(jnp.abs(off) == 0.5, 0, jnp.cos(angle) / jnp.sin(angle))
    return jnp.polyval(jnp.asarray(polynomial.coef[::-1], x.dtype), c)


@differentiated(lambda t, out, x: t * (out + 1))
def complex_expm1(x):
    """exp(x) - 1, whose real part is e^a cos(b) - 1 = (e^a - 1) cos(b) - 2 sin(b / 2)^2; as in torch, nan where e^a is
    infinite and b is 0."""
    a, b = x.real, x.imag
    return lax.complex(lax.expm1(a) * jnp.cos(b) - 2 * jnp.sin(b / 2) ** 2, jnp.exp(a) * jnp.sin(b))


def _on_side(fn: Callable, real: int, imaginary: int, derivative: Callable | None = None) -> Callable:
    """`fn` of complex numbers on its branch cuts, where jax ignores the sign of a zero: the parts of the result get
    the signs of the argument's parts (1), the opposite signs (-1), or jax's signs (0)."""

    def sided(part, by, sign: int):
        return part if not sign else sign * jnp.copysign(part, by)

    @differentiated(derivative or (lambda t, out, x: jax.jvp(fn, (x,), (t,))[1]))
    def principal(x):
        out = fn(x)
        return lax.complex(sided(out.real, x.real, real), sided(out.imag, x.imag, imaginary))

    return principal


def _in_double(fn: Callable) -> Callable:
    """`fn` of complex64 by way of complex128: near a singularity the squares of the remainder vanish in float32."""
    return lambda x: fn(x.astype(jnp.complex128)).astype(x.dtype)


def _shifted(x, by: int):
    """x + by, with the sign of an imaginary part that is 0."""
    return lax.complex(x.real + by, x.imag)


@differentiated(lambda t, out, y: t * (-2 * y))
def _slope_of_tanh(y):
    return (1 + y) * (1 - y)


@differentiated(lambda t, out, x: t * _slope_of_tanh(out))
def tanh(x):
    """The hyperbolic tangent, also of complex numbers.

    The second derivative by jax is a difference, of which nothing is left near 0."""
    return lax.tanh(x)


@differentiated(lambda t, out, x: t * complex_cosh(x))  # type: ignore[misc]
def complex_sinh(x):
    """sinh(x) by its parts: XLA subtracts exp(-x) from exp(x), of which nothing is left at tiny x."""
    re, im = lax.real(x), lax.imag(x)
    return lax.complex(
        jnp.where(re == 0, re, sinh(re) * lax.cos(im)), jnp.where(im == 0, im, lax.cosh(re) * lax.sin(im))
    )


@differentiated(lambda t, out, x: t * complex_sinh(x))
def complex_cosh(x):
    """cosh(x), with the derivative above."""
    return lax.cosh(x)


@differentiated(lambda t, out, x: t * out)
def complex_exp(x):
    """e ** x; 0 at -inf, whatever the imaginary part is, as in C."""
    return jnp.where(lax.real(x) == -jnp.inf, _constant(0, x), lax.exp(x))


@differentiated(lambda t, out, x: t * (out * _constant(math.log(2), x)))
def complex_exp2(x):
    """2 ** x; XLA's is nan at infinity, from inf * 0 in a complex product."""
    scale = math.log(2)
    return complex_exp(lax.complex(lax.real(x) * scale, lax.imag(x) * scale))


complex_sqrt = _on_side(lax.sqrt, 0, 1, lambda t, out, x: t / (2 * out))
complex_asin = _on_side(lax.asin, 1, 1)
complex_acos = _on_side(lax.acos, 0, -1)
complex_asinh = _on_side(lax.asinh, 1, 1)
complex_acosh = _on_side(
    lax.acosh, 0, 1, lambda t, out, x: t / complex_sqrt(_shifted(x, -1)) / complex_sqrt(_shifted(x, 1))
)
complex_atan, complex_atanh, complex_log1p = map(_in_double, (lax.atan, lax.atanh, lax.log1p))


@differentiated(lambda t, out, x: t * polygamma(1)(x))
def digamma(x):
    """The derivative of lgamma; infinite at 0, where jax has nan."""
    at_zero = jnp.where(jnp.signbit(x), _constant(jnp.inf, x), _constant(-jnp.inf, x))
    return jnp.where(x == 0, at_zero, lax.digamma(x))


@differentiated(lambda t, out, x: t * digamma(x))
def lgamma(x):
    """log |gamma(x)|, with the derivatives above.

    In float64: in float32 jax's error is about 1e-6, which is large relative to the values near 1 and 2."""
    return lax.lgamma(x.astype(jnp.float64)).astype(x.dtype)


@differentiated(lambda t, out, x: t * _constant(math.sqrt(math.pi) / 2, x) * jnp.exp(out * out))
def erfinv(x):
    """The inverse of erf. In float64: in float32 jax's is wrong by 60 units in the last place."""
    return lax.erf_inv(x.astype(jnp.float64)).astype(x.dtype)


@differentiated(lambda t, out, x: t * _i1(x))  # type: ignore
def i0(x):
    """The modified Bessel function of order 0; jax's derivative at 0 is 1, not 0."""
    return jsp.i0(x)


@differentiated(
    lambda t, out, x: (
        t * (i0(x) - jnp.where(x == 0, _constant(0.5, x), out / jnp.where(x == 0, 1, x).astype(x.dtype)))
    )
)
def _i1(x):
    return jsp.i1(x)


# ---- of two arguments


def over(t, b):
    """t / b, linear in t: of a complex t, by its parts if b is real.

    For torch a complex zero that divides has no sign."""
    if category(b) == COMPLEX:
        return lax.div(t, jnp.where(b == 0, _constant(0, b), b))
    return lax.complex(lax.real(t) / b, lax.imag(t) / b) if category(t) == COMPLEX else lax.div(t, b)


@differentiated(lambda t, out, a, b: over(t, b), lambda t, out, a, b: -over(t, b) * out)
def divide(a, b):
    """a / b, of floats `beside` b; a may be complex where b is real.

    jax's derivative with respect to b squares b, which overflows too early, as does XLA for (a / b) / b: whatever is
    divided by something that has derivatives is divided by this.
    """
    return over(a, beside(a, b))


def quotient(a, b):
    """`divide` of arrays that broadcast."""
    shape = jnp.broadcast_shapes(a.shape, b.shape)
    return divide(jnp.broadcast_to(a, shape), jnp.broadcast_to(b, shape))


def unit_of(x, axes, low: float, high: float):
    """A power of two near the largest |x| over `axes` (kept), if that is below `low` or above `high`; else 1.

    It has no derivative."""
    largest = jnp.max(jnp.abs(lax.stop_gradient(x)), axis=axes, keepdims=True, initial=0)
    beyond = ((largest < low) | (largest > high)) & (largest > 0) & (largest < jnp.inf)
    exponent = jnp.floor(jnp.log2(jnp.where(beyond, largest, 1)))
    return jnp.where(beyond, jnp.exp2(exponent), 1).astype(largest.dtype)


def mean(x, axes=None, keepdims: bool = False):
    """The sum over `axes` (None: all) divided by how many elements it is of: torch divides, XLA would multiply by 1 /
    n."""
    total = jnp.sum(x, axis=axes, keepdims=keepdims)
    count = _constant(math.prod([x.shape[a] for a in (range(x.ndim) if axes is None else axes)]), total)
    return divide(total, count) if category(total) == FLOAT else total / count


def _base_slope(t, out, x, e):
    return t * jnp.where(e == 0, _constant(0, x), e * power(x, e - 1))


def _exponent_slope(t, out, x, e):
    flat = (x == 0) & (jnp.real(e) >= 0)
    return t * jnp.where(flat, _constant(0, x), out * lax.log(jnp.where(flat, _constant(1, x), x)))


@differentiated(_base_slope, _exponent_slope)
def power(x, e):
    """x ** e; for torch 0 ** e is constant where e >= 0.

    For complex numbers it is 0 where real(e) > 0, inf where it is below 0, else nan."""
    y = lax.pow(x, e)
    if category(x) != COMPLEX:
        return y
    positive = (jnp.imag(x) == 0) & (jnp.real(x) > 0) & (jnp.imag(e) == 0)
    y = jnp.where(positive & jnp.isinf(jnp.real(y)), lax.complex(jnp.real(y), jnp.zeros_like(jnp.real(y))), y)
    sign = jnp.sign(jnp.real(e))
    at_zero = jnp.where(
        sign > 0, 0, jnp.where(sign < 0, complex(math.inf, math.nan), complex(math.nan, math.nan))
    )
    return jnp.where((x == 0) & ~jnp.isnan(e), at_zero.astype(x.dtype), y)


def _log_or_zero(x, y):
    zero = (x == 0) & (y <= 0)
    return jnp.where(zero, _constant(0, x), lax.log(jnp.where(zero, _constant(1, y), y)))


@differentiated(lambda t, out, x, y: t * _log_or_zero(x, y), lambda t, out, x, y: t * divide(x, y))
def xlogy(x, y):
    """x log(y), 0 where x is 0 and y is not nan; with torch's derivative at (0, 0)."""
    return jnp.where(jnp.isnan(y), y, jnp.where(x == 0, _constant(0, x), x * lax.log(y)))


def _over_square(a, y, x):
    """a / (x^2 + y^2), and 0 at the origin; scaled, since the squares of small numbers vanish."""
    size = lax.stop_gradient(jnp.maximum(lax.abs(x), lax.abs(y)))
    origin = size == 0
    size = jnp.where(origin | (size == jnp.inf), _constant(1, a), size)
    x, y = x / size, y / size
    square = jnp.where(origin, _constant(1, a), x * x + y * y)
    return a / size / square / size


@differentiated(
    lambda t, out, y, x: t * _over_square(x, y, x), lambda t, out, y, x: -t * _over_square(y, y, x)
)
def atan2(y, x):
    """The angle of (x, y), with torch's derivative 0 at the origin, where jax has nan."""
    return lax.atan2(y, x)


@differentiated(
    lambda t, out, a, b: t * divide(a, hypot(a, b)),  # type: ignore[reportGeneralTypeIssues]
    lambda t, out, a, b: t * divide(b, hypot(a, b)),  # type: ignore
)
def hypot(a, b):
    """sqrt(a^2 + b^2), smooth where |a| == |b|: jax's second derivative is not."""
    return jnp.hypot(a, b)


def _logistic(x):
    """1 / (1 + e^-x), of complex numbers too without overflow."""
    if category(x) != COMPLEX:
        return lax.logistic(x)
    left = jnp.real(x) < 0
    small = lax.exp(jnp.where(left, x, -x))
    return jnp.where(left, small, _constant(1, x)) / (1 + small)


def _log_of_infinite_sum(a, b):
    """log(e^a + e^b) of complex numbers whose real parts are inf: inf, and the angle of the sum of their directions."""
    angles = [jnp.imag(z) for z in (a, b)]
    infinity = _constant(jnp.inf, angles[0])
    across = sum([infinity * lax.cos(y) for y in angles])
    up = sum([jnp.where(y == 0, y, infinity * lax.sin(y)) for y in angles])
    return lax.complex(jnp.full_like(across, jnp.inf), lax.atan2(up, across))


def _logaddexp_of_complex(a, b):
    """The larger number plus log1p of the rest, as torch has it: the angle goes on beyond pi."""
    swapped = jnp.real(a) < jnp.real(b)
    small, large = jnp.where(swapped, a, b), jnp.where(swapped, b, a)
    level = jnp.isinf(jnp.real(a)) & (jnp.real(a) == jnp.real(b))
    gap = jnp.where(level, _constant(0, a), small - large)
    rest = jnp.where(jnp.real(gap) == -jnp.inf, _constant(0, a), lax.exp(gap))
    out = large + lax.log1p(rest)
    out = jnp.where(level, jnp.where(jnp.real(a) < 0, small, _log_of_infinite_sum(a, b)), out)
    return jnp.where(jnp.isnan(a) | jnp.isnan(b), _constant(complex(jnp.nan, jnp.nan), a), out)


@differentiated(lambda t, out, a, b: t * _logistic(a - b), lambda t, out, a, b: t * _logistic(b - a))
def logaddexp(a, b):
    """log(e^a + e^b); jax's derivative is wrong where one of them is infinite, and its angle of complex numbers is not
    torch's."""
    return _logaddexp_of_complex(a, b) if category(a) == COMPLEX else jnp.logaddexp(a, b)


@differentiated(
    lambda t, out, a, b: t * lax.logistic((a - b) * _constant(math.log(2), a)),
    lambda t, out, a, b: t * lax.logistic((b - a) * _constant(math.log(2), a)),
)
def logaddexp2(a, b):
    """log2(2^a + 2^b); jax's derivative is wrong where one of them is infinite."""
    return jnp.logaddexp2(a, b)
