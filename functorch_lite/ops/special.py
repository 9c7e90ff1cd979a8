"""Special functions that torch has in torch.special only, and the incomplete gamma functions.

All are computed in float64 and rounded once. Where torch has a function but no derivative (Bessel, Airy), ours has all
of them.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax
from jax.scipy import special as jsp

from .._core.api import Array, Number, check, dtypes, is_python_number, need_kind, no_kernel, op, result_dtype
from . import _bessel as bessel
from . import _special
from ._pointwise import category, differentiated, promoted


def in_double(kernel: str, fn, *inputs, half: bool = False):
    """`fn` of the inputs, promoted to a floating dtype, computed in float64; half precision is refused unless `half`.

    kernel: what torch's sentence about an unsupported dtype calls the function.
    """
    kind = result_dtype(*inputs)
    if not half:
        need_kind(kind, "biFc", kernel)

    def compute(*xs):
        need_kind(xs[0], "f", kernel)
        return fn(*(x.astype(jnp.float64) for x in xs)).astype(xs[0].dtype)

    return promoted("float", compute, *inputs)


def _two(name: str, input, other) -> None:
    check(
        not (is_python_number(input) and is_python_number(other)),
        TypeError,
        f"special_{name}() received an invalid combination of arguments - got ({type(input).__name__}, "
        f"{type(other).__name__}), but expected one of:",
    )


# ---- Bessel functions


@op(namespace="special")
def airy_ai(x: Array) -> Array:
    """The Airy function Ai.

    >>> torch.special.airy_ai(torch.tensor([0.0, 1.0]))
    tensor([0.3550, 0.1353])
    """
    return in_double("airy_ai_cpu", bessel.airy_ai, x)


@op(namespace="special")
def bessel_j0(input: Array) -> Array:
    """The Bessel function of the first kind of order 0.

    >>> torch.special.bessel_j0(torch.tensor([0.5, 1., 2.]))
    tensor([0.9385, 0.7652, 0.2239])
    """
    return in_double("bessel_j0_cpu", bessel.j0, input)


@op(namespace="special")
def bessel_j1(input: Array) -> Array:
    """The Bessel function of the first kind of order 1.

    >>> torch.special.bessel_j1(torch.tensor([0.5, 1., 2.]))
    tensor([0.2423, 0.4401, 0.5767])
    """
    return in_double("bessel_j1_cpu", bessel.j1, input)


@op(namespace="special")
def bessel_y0(input: Array) -> Array:
    """The Bessel function of the second kind of order 0; -inf at 0, nan below.

    >>> torch.special.bessel_y0(torch.tensor([0.5, 1., 2.]))
    tensor([-0.4445,  0.0883,  0.5104])
    """
    return in_double("bessel_y0_cpu", bessel.y0, input)


@op(namespace="special")
def bessel_y1(input: Array) -> Array:
    """The Bessel function of the second kind of order 1; -inf at 0, nan below.

    >>> torch.special.bessel_y1(torch.tensor([0.5, 1., 2.]))
    tensor([-1.4715, -0.7812, -0.1070])
    """
    return in_double("bessel_y1_cpu", bessel.y1, input)


@op(namespace="special")
def spherical_bessel_j0(x: Array) -> Array:
    """sin(x) / x: the spherical Bessel function of the first kind of order 0.

    >>> torch.special.spherical_bessel_j0(torch.tensor([0.5, 1., 2.]))
    tensor([0.9589, 0.8415, 0.4546])
    """
    return in_double("spherical_bessel_j0_cpu", bessel.spherical_j0, x)


@op(namespace="special")
def modified_bessel_i0(input: Array) -> Array:
    """The modified Bessel function of the first kind of order 0.

    >>> torch.special.modified_bessel_i0(torch.tensor([0.5, 1., 2.]))
    tensor([1.0635, 1.2661, 2.2796])
    """
    return in_double("modified_bessel_i0_cpu", bessel.i0, input)


@op(namespace="special")
def modified_bessel_i1(input: Array) -> Array:
    """The modified Bessel function of the first kind of order 1.

    >>> torch.special.modified_bessel_i1(torch.tensor([0.5, 1., 2.]))
    tensor([0.2579, 0.5652, 1.5906])
    """
    return in_double("modified_bessel_i1_cpu", bessel.i1, input)


@op(namespace="special")
def modified_bessel_k0(input: Array) -> Array:
    """The modified Bessel function of the second kind of order 0; inf at 0, nan below.

    >>> torch.special.modified_bessel_k0(torch.tensor([0.5, 1., 2.]))
    tensor([0.9244, 0.4210, 0.1139])
    """
    return in_double("modified_bessel_k0_cpu", bessel.k0, input)


@op(namespace="special")
def modified_bessel_k1(input: Array) -> Array:
    """The modified Bessel function of the second kind of order 1; inf at 0, nan below.

    >>> torch.special.modified_bessel_k1(torch.tensor([0.5, 1., 2.]))
    tensor([1.6564, 0.6019, 0.1399])
    """
    return in_double("modified_bessel_k1_cpu", bessel.k1, input)


@op(namespace="special")
def scaled_modified_bessel_k0(x: Array) -> Array:
    """exp(x) times `modified_bessel_k0`.

    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([0.5, 1., 2.]))
    tensor([1.5241, 1.1445, 0.8416])
    """
    return in_double("scaled_modified_bessel_k0_cpu", bessel.k0e, x)


@op(namespace="special")
def scaled_modified_bessel_k1(x: Array) -> Array:
    """exp(x) times `modified_bessel_k1`.

    >>> torch.special.scaled_modified_bessel_k1(torch.tensor([0.5, 1., 2.]))
    tensor([2.7310, 1.6362, 1.0335])
    """
    return in_double("scaled_modified_bessel_k1_cpu", bessel.k1e, x)


@op(namespace="special")
def i0e(input: Array) -> Array:
    """exp(-|input|) times the modified Bessel function of the first kind of order 0.

    >>> torch.special.i0e(torch.tensor([0.5, 1., 2.]))
    tensor([0.6450, 0.4658, 0.3085])
    """
    return in_double("i0e_cpu", bessel.i0e, input, half=True)


@differentiated(lambda t, out, x: t * jnp.where(jnp.isinf(out), jnp.nan, 1))
def _infinities_without_slope(x):
    """x, with nan for a derivative where it overflowed: torch's formula is inf - inf there."""
    return x


@op(namespace="special")
def i1(input: Array) -> Array:
    """The modified Bessel function of the first kind of order 1.

    >>> torch.special.i1(torch.tensor([0.5, 1., 2.]))
    tensor([0.2579, 0.5652, 1.5906])
    """
    return _infinities_without_slope(in_double("i1_cpu", bessel.i1, input, half=True))


@op(namespace="special")
def i1e(input: Array) -> Array:
    """exp(-|input|) times the modified Bessel function of the first kind of order 1.

    >>> torch.special.i1e(torch.tensor([0.5, 1., 2.]))
    tensor([0.1564, 0.2079, 0.2153])
    """
    return in_double("i1e_cpu", bessel.i1e, input, half=True)


# ---- the normal distribution, entropy


@op(namespace="special")
def erfcx(input: Array) -> Array:
    """exp(input^2) erfc(input), which does not vanish where erfc does.

    >>> torch.special.erfcx(torch.tensor([0.5, 1., 2.]))
    tensor([0.6157, 0.4276, 0.2554])
    """
    return in_double("erfcx_cpu", bessel.erfcx, input)


@differentiated(lambda t, out, x: t * (lax.exp(-x * x / 2) / math.sqrt(2 * math.pi)))
def _ndtr(x):
    return _special.erfc(-x * math.sqrt(0.5)) / 2


@op(namespace="special", watches=False)
def ndtr(input: Array) -> Array:
    """The area below `input` under the standard normal density.

    >>> torch.special.ndtr(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([0.1587, 0.5000, 0.8413])
    """
    return in_double("erf_vml_cpu", _ndtr, input, half=True)


@differentiated(lambda t, out, x: t * (math.sqrt(2 / math.pi) / bessel.erfcx(-x * math.sqrt(0.5))))
def _log_ndtr(x):
    low = jnp.minimum(x, -1.0)
    left = lax.log(bessel.erfcx(-low * math.sqrt(0.5)) / 2) - low * low / 2
    return jnp.where(x < -1, left, lax.log1p(-_special.erfc(x * math.sqrt(0.5)) / 2))


@op(namespace="special")
def log_ndtr(input: Array) -> Array:
    """log(ndtr(input)), accurate where ndtr vanishes.

    >>> torch.special.log_ndtr(torch.tensor([0.5, 1., 2.]))
    tensor([-0.3689, -0.1728, -0.0230])
    """
    return in_double("log_ndtr_cpu", _log_ndtr, input)


@differentiated(lambda t, out, x: t * (math.sqrt(2 * math.pi) * lax.exp(out * out / 2)))
def _ndtri(x):
    inside = (x > 0) & (x < 1)
    out = jsp.ndtri(jnp.where(inside, x, 0.5))
    ends = jnp.where(x == 0, -jnp.inf, jnp.where(x == 1, jnp.inf, jnp.nan))
    return jnp.where(inside, out, ends)


@op(namespace="special")
def ndtri(input: Array) -> Array:
    """The inverse of `ndtr` on (0, 1); infinite at the ends, nan outside.

    >>> torch.special.ndtri(torch.tensor([0.25, 0.5]))
    tensor([-0.6745,  0.0000])
    """
    return in_double("ndtri_cpu", _ndtri, input)


@differentiated(
    lambda t, out, x: (
        t * jnp.where(x == 0, jnp.inf, jnp.where(x > 0, -lax.log(jnp.where(x > 0, x, 1.0)) - 1, jnp.nan))
    )
)
def _entr(x):
    positive = -x * lax.log(jnp.where(x > 0, x, 1.0))
    return jnp.where(x > 0, positive, jnp.where(x == 0, 0.0, jnp.where(x < 0, -jnp.inf, x)))


@op(namespace="special")
def entr(input: Array) -> Array:
    """-input * log(input); 0 at 0, -inf below.

    >>> torch.special.entr(torch.tensor([0.5, 1., 2.]))
    tensor([ 0.3466, -0.0000, -1.3863])
    """
    return in_double("entr_cpu", _entr, input, half=True)


# ---- gamma functions


def _density(a, x):
    """x^(a - 1) exp(-x) / gamma(a): the derivative of P(a, x) with respect to x."""
    return lax.exp(_special.xlogy(a - 1, x) - x - _special.lgamma(a))


def _above_log(a, x):
    """t - log(1 + t), which is t^2 / 2 for small t = x / a - 1; there by its power series, as the difference
    cancels."""
    t = (x - a) / a
    small = lax.abs(t) < 0.02
    y = jnp.where(small, t, 0.0)
    total = jnp.zeros_like(t)
    for k in range(11, 1, -1):
        total = 1 / k - y * total
    return jnp.where(small, y * y * total, t - lax.log(x / a))


def _front(a, x):
    """x^a exp(-x) / gamma(a); for large a by Stirling's series, in which nothing cancels."""
    inverse = 1 / a
    series = inverse * (1 / 12 - inverse**2 * (1 / 360 - inverse**2 * (1 / 1260 - inverse**2 / 1680)))
    large = -a * _above_log(a, x) + lax.log(a / (2 * math.pi)) / 2 - series
    return lax.exp(jnp.where(a > 20, large, a * lax.log(x) - x - lax.lgamma(a)))


def _until(steps_left, step, start):
    """Repeats `step` until nothing is left to do, at most 100000 times."""
    return lax.while_loop(
        lambda s: (s[0] < 100000) & jnp.any(steps_left(s[1])),
        lambda s: (s[0] + 1, step(s[0], s[1])),
        (1.0, start),
    )[1]


def _gamma_parts(a, x):
    """(P, Q) for a > 0, x > 0: the power series where x < a + 1, else Lentz's continued fraction.

    https://dlmf.nist.gov/8.7.E1 and 8.9.E2
    """
    eps = 2.0**-53
    left = x < a + 1
    y, b = jnp.where(left, x, 1.0), jnp.where(left, a, 1.0)

    def add(n, state):
        term, total = state
        term = term * y / (b + n)
        return term, total + term

    _, total = _until(lambda s: s[0] > eps * s[1], add, (1 / b, 1 / b))
    y, b = jnp.where(left, 4.0, x), jnp.where(left, 1.0, a)

    def more(n, state):
        c, d, out, _ = state
        up, low = -n * (n - b), y + 1 - b + 2 * n
        d = 1 / (up * d + low)
        c = low + up / c
        return c, d, out * c * d, lax.abs(c * d - 1) > eps * 4

    first = y + 1 - b
    start = (jnp.full_like(y, 1e300), 1 / first, 1 / first, jnp.ones_like(left))
    fraction = _until(lambda s: s[3], more, start)[2]
    front = _front(a, x)
    small, large = front * total, front * fraction
    near_1 = jnp.where(x <= 0.5, a * lax.log(x) > -0.4, a <= 1.1 * x) & (
        x <= 1.1
    )  # P, so that 1 - P would be nothing but rounding
    rest = _rest(jnp.where(near_1, a, 1.0), jnp.where(near_1, x, 1.0))
    return jnp.where(left, small, 1 - large), jnp.where(near_1, rest, jnp.where(left, 1 - small, large))


def _lgamma_above_1(a):
    """log(gamma(1 + a)), for small a by its power series: https://dlmf.nist.gov/5.7.E3"""
    zeta = (
        0.5772156649015329,
        math.pi**2 / 6,
        1.2020569031595942,
        math.pi**4 / 90,
        1.0369277551433699,
        math.pi**6 / 945,
        1.0083492773819228,
    )
    y, total = jnp.where(a < 0.01, a, 0.0), jnp.zeros_like(a)
    for k in range(7, 0, -1):
        total = zeta[k - 1] / k - y * total
    return jnp.where(a < 0.01, -y * total, _special.lgamma(1 + a))


def _rest(a, x):
    """Q for small x and not larger a: 1 - P by https://dlmf.nist.gov/8.7.E3, whose first term is taken from 1 without
    cancelling."""
    term, total = jnp.ones_like(x), jnp.zeros_like(x)
    for n in range(1, 24):
        term = -term * x / n
        total = total + term / (a + n)
    exponent = a * lax.log(x) - _lgamma_above_1(a)
    return -lax.expm1(exponent) - lax.exp(exponent) * a * total


_LARGE = 1e5
"""From which a on the expansion in 1 / a needs two terms, and sums would need too many."""
_TERMS = (
    (-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600, 1 / 25515, -571 / 261273600, -281 / 151559100),
    (-1 / 540, -1 / 288, 1 / 378, -77 / 77760, 1 / 4860),
)  # fmt: skip


def _large_gamma_parts(a, x):
    """(P, Q) for large a by Temme's expansion, uniform in x: https://dlmf.nist.gov/8.12.

    Both are 0 or 1 in double precision where eta, in whose powers its coefficients are given, is not small."""
    half, side = _above_log(a, x), jnp.sign(x - a)  # half of the square of eta, and its sign
    z = side * lax.sqrt(a * half)
    eta = lax.clamp(-0.25, side * lax.sqrt(2 * half), 0.25)
    first, second = (jnp.polyval(jnp.asarray(terms[::-1], a.dtype), eta) for terms in _TERMS)
    rest = lax.exp(-a * half) * lax.rsqrt(2 * math.pi * a) * (first + second / a)
    return _special.erfc(-z) / 2 - rest, _special.erfc(z) / 2 + rest


def _incomplete(a, x, upper: bool):
    inside = (a > 0) & (x > 0) & (a < jnp.inf) & (x < jnp.inf)
    large = inside & (a >= _LARGE)
    summed = inside & ~large
    out = _gamma_parts(jnp.where(summed, a, 1.0), jnp.where(summed, x, 1.0))[upper]
    of_large = _large_gamma_parts(jnp.where(large, a, _LARGE), jnp.where(large, x, _LARGE))[upper]
    out = jnp.where(large, of_large, out)
    zero, one = (1.0, 0.0) if upper else (0.0, 1.0)
    # at an end of one, the other is not looked at for nan
    known = jnp.where((x == 0) & ~(a <= 0), zero, jnp.where((a == 0) & (x > 0), one, jnp.nan))
    known = jnp.where((x == jnp.inf) & ~(a < 0), one, known)
    infinite = jnp.where(x == jnp.inf, jnp.nan, jnp.where(x < 0, jnp.nan, zero))
    return jnp.where(inside, out, jnp.where(a == jnp.inf, infinite, known))


@differentiated(lambda t, out, a, x: t * lax.igamma_grad_a(a, x), lambda t, out, a, x: t * _density(a, x))
def _igamma(a, x):
    return _incomplete(a, x, False)


@differentiated(lambda t, out, a, x: -t * lax.igamma_grad_a(a, x), lambda t, out, a, x: -t * _density(a, x))
def _igammac(a, x):
    return _incomplete(a, x, True)


@op(inplace=True)
def igamma(input: Array, other: Array) -> Array:
    """The regularized lower incomplete gamma function P(input, other), for nonnegative arguments.

    torch has no derivative with respect to `input`; here there is the first one.

    >>> torch.special.gammainc(torch.tensor([1., 2.]), torch.tensor([1., 1.]))
    tensor([0.6321, 0.2642])
    """
    need_kind(result_dtype(input, other), "fc", "igamma_cpu")
    return in_double("igamma_cpu", _igamma, input, other, half=True)


@op(inplace=True)
def igammac(input: Array, other: Array) -> Array:
    """The regularized upper incomplete gamma function Q(input, other) = 1 - igamma(input, other).

    >>> torch.special.gammaincc(torch.tensor([1., 2.]), torch.tensor([1., 1.]))
    tensor([0.3679, 0.7358])
    """
    need_kind(result_dtype(input, other), "fc", "igammac_cpu")
    return in_double("igammac_cpu", _igammac, input, other, half=True)


def _no_zeta_slope(t, out, x, q):
    raise NotImplementedError("the derivative for 'zeta' is not implemented.")


@differentiated(_no_zeta_slope, lambda t, out, x, q: t * (-x * _zeta(x + 1, q)))  # type: ignore
def _zeta(x, q):
    pole = (q <= 0) & (q == lax.floor(q))
    complex_valued = (q <= 0) & (x != lax.floor(x))
    shift = jnp.where((q < 0) & ~pole & ~complex_valued, lax.ceil(-q), 0.0)
    out = lax.zeta(x, jnp.where(pole | complex_valued, 1.0, q + shift))

    def add(state):
        k, total = state
        term = jnp.where(k < shift, (q + k) ** x, 1.0)
        return k + 1, total + jnp.where(k < shift, 1 / term, 0.0)

    _, extra = lax.while_loop(lambda s: jnp.any(s[0] < shift), add, (jnp.zeros(()), jnp.zeros_like(out)))
    out = out + extra
    out = jnp.where(pole, jnp.inf, jnp.where(complex_valued, jnp.nan, out))
    # as in torch, whose sum overflows where all of its terms vanish
    at_infinity = jnp.where(q > 1, jnp.nan, jnp.where(q == 1, 1.0, jnp.where(q < 1, jnp.inf, q)))
    # from 2^53 on, where every x is even, JAX's sum has lost the first of the terms that do not vanish
    out = jnp.where((x > 1e25) | ((x > 2.0**53) & (q <= 1) & ~pole), at_infinity, out)
    return jnp.where(x == 1, jnp.inf, jnp.where(x < 1, jnp.nan, out))


@op(namespace="special")
def zeta(input: Array | Number, other: Array | Number) -> Array:
    """The Hurwitz zeta function, the sum of (k + other) ** -input over k >= 0, for input > 1.

    It has a derivative with respect to `other` only, as in torch.

    >>> torch.special.zeta(torch.tensor([2., 4.]), torch.tensor([1., 1.]))
    tensor([1.6449, 1.0823])
    """
    _two("zeta", input, other)
    return in_double("zeta_cpu", _zeta, input, other)


# ---- products with logarithms


def _log1p_or_zero(x, y):
    zero = (x == 0) & (y <= -1)
    return jnp.where(zero, 0.0, lax.log1p(jnp.where(zero, 0.0, y)))


@differentiated(lambda t, out, x, y: t * _log1p_or_zero(x, y), lambda t, out, x, y: t * (x / (y + 1)))
def _xlog1py(x, y):
    return jnp.where(jnp.isnan(y), y, jnp.where(x == 0, 0.0, x * lax.log1p(y)))


@op(namespace="special")
def xlog1py(input: Array | Number, other: Array | Number) -> Array:
    """input * log1p(other), and 0 where input is 0 (unless other is nan).

    >>> torch.special.xlog1py(torch.tensor([0., 2.]), torch.tensor([1., 1.]))
    tensor([0.0000, 1.3863])
    """
    _two("xlog1py", input, other)
    if 3 in (category(input), category(other)):
        raise no_kernel("xlog1py_cpu", dtypes.complex64)
    return in_double("xlog1py_cpu", _xlog1py, input, other, half=True)
