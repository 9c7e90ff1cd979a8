"""Bessel, Airy and scaled error functions of real arguments, on float64 arrays, with derivatives of every order.

Where a series in one variable converges badly, the function's known behaviour (logarithm, exponential, oscillation)
is split off; the smooth remainder is summed by the tables of `_chebyshev.py`. Source of the formulas: NIST Digital
Library of Mathematical Functions, chapters 7, 9 and 10, https://dlmf.nist.gov.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax
from jax.scipy import special as jsp

from . import _chebyshev as tables
from ._chebyshev import chebyshev_sum
from ._pointwise import differentiated

__all__ = [
    "airy_ai", "erfcx", "i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "spherical_j0", "y0", "y1",
]  # fmt: skip


def _over(numerator, x, at_zero: float):
    """numerator / x, and `at_zero` where x is 0."""
    zero = x == 0
    return jnp.where(zero, at_zero, numerator / jnp.where(zero, 1.0, x))


# ---- the oscillating ones


def _near(x):
    """|x| limited to [0, 8], and the variable of the tables for it."""
    near = jnp.minimum(x, 8.0)
    return near, near * near / 32 - 1


def _far(x, order: int):
    """Amplitude P and Q with J = P c - Q s and Y = P s + Q c for x > 8, c and s the cosine and sine of the phase."""
    x = jnp.maximum(x, 8.0)
    p, q = (tables.P0, tables.Q0) if order == 0 else (tables.P1, tables.Q1)
    u = 128 / (x * x) - 1
    size = lax.sqrt(2 / (math.pi * x))
    sin, cos = lax.sin(x), lax.cos(x)
    # of x - pi/4 and of x - 3 pi/4, without rounding the difference
    c, s = (cos + sin, sin - cos) if order == 0 else (sin - cos, -(sin + cos))
    c, s = c * math.sqrt(0.5), s * math.sqrt(0.5)
    p, q = size * chebyshev_sum(p, u), size * chebyshev_sum(q, u) * (8 / x)
    return p * c - q * s, p * s + q * c


@differentiated(lambda t, out, x: -t * j1(x))  # type: ignore[reportGeneralTypeIssues]
def j0(x):
    """The Bessel function of the first kind of order 0."""
    size = lax.abs(x)
    _, u = _near(size)
    return jnp.where(size <= 8, chebyshev_sum(tables.J0, u), _far(size, 0)[0])


@differentiated(lambda t, out, x: t * (j0(x) - _over(out, x, 0.5)))
def j1(x):
    """The Bessel function of the first kind of order 1."""
    size = lax.abs(x)
    near, u = _near(size)
    out = jnp.where(size <= 8, near * chebyshev_sum(tables.J1, u), _far(size, 1)[0])
    return jnp.where(jnp.signbit(x), -out, out)


def _positive_only(x, out, at_zero: float):
    return jnp.where(x < 0, jnp.nan, jnp.where(x == 0, at_zero, out))


@differentiated(lambda t, out, x: -t * y1(x))  # type: ignore[reportGeneralTypeIssues]
def y0(x):
    """The Bessel function of the second kind of order 0; nan where x < 0."""
    near, u = _near(jnp.where(x > 0, x, 1.0))
    small = chebyshev_sum(tables.Y0, u) + 2 / math.pi * lax.log(near) * j0(near)
    return _positive_only(x, jnp.where(x <= 8, small, _far(x, 0)[1]), -jnp.inf)


@differentiated(lambda t, out, x: t * (y0(x) - out / x))
def y1(x):
    """The Bessel function of the second kind of order 1; nan where x < 0."""
    near, u = _near(jnp.where(x > 0, x, 1.0))
    small = near * chebyshev_sum(tables.Y1, u) + 2 / math.pi * (lax.log(near) * j1(near) - 1 / near)
    return _positive_only(x, jnp.where(x <= 8, small, _far(x, 1)[1]), -jnp.inf)


def spherical_j0(x):
    """sin(x) / x: the spherical Bessel function of order 0. Near 0 it is the Taylor series, with all derivatives."""
    near = lax.abs(lax.stop_gradient(x)) < 0.5
    square = jnp.where(near, x, 0.0) ** 2
    series = jnp.zeros_like(x)
    for k in range(9, -1, -1):
        series = series * square + (-1) ** k / math.factorial(2 * k + 1)
    infinite = jnp.isinf(x)
    far = jnp.where(near | infinite, 1.0, x)
    return jnp.where(near, series, jnp.where(infinite, 0.0, lax.sin(far) / far))


# ---- the growing and the decaying ones


@differentiated(lambda t, out, x: t * (i1e(x) - jnp.sign(x) * out))  # type: ignore[reportGeneralTypeIssues]
def i0e(x):
    """exp(-|x|) I0(x)."""
    return lax.bessel_i0e(x)


@differentiated(lambda t, out, x: t * (i0e(x) - jnp.sign(x) * out - _over(out, x, 0.5)))
def i1e(x):
    """exp(-|x|) I1(x)."""
    return lax.bessel_i1e(x)


@differentiated(lambda t, out, x: t * i1(x))  # type: ignore[reportGeneralTypeIssues]
def i0(x):
    """The modified Bessel function of the first kind of order 0."""
    return jsp.i0(x)


@differentiated(lambda t, out, x: t * (i0(x) - _over(out, x, 0.5)))
def i1(x):
    """The modified Bessel function of the first kind of order 1."""
    return jsp.i1(x)


def _k_small(x, order: int):
    x = jnp.clip(x, 1e-300, 2.0)
    u = x * x / 2 - 1
    if order == 0:
        return chebyshev_sum(tables.K0, u) - lax.log(x / 2) * i0(x)
    return chebyshev_sum(tables.K1, u) / x + lax.log(x / 2) * i1(x)


def _k_large(x, order: int):
    x = jnp.maximum(x, 2.0)
    table = tables.K0_SCALED if order == 0 else tables.K1_SCALED
    return chebyshev_sum(table, 4 / x - 1) / lax.sqrt(x)


def _k(x, order: int, scaled: bool):
    near = jnp.clip(x, 0.0, 2.0)
    small = _k_small(x, order) * (lax.exp(near) if scaled else 1.0)
    large = _k_large(x, order) * (1.0 if scaled else lax.exp(-jnp.maximum(x, 2.0)))
    return _positive_only(x, jnp.where(x <= 2, small, large), jnp.inf)


@differentiated(lambda t, out, x: -t * k1(x))  # type: ignore[reportGeneralTypeIssues]
def k0(x):
    """The modified Bessel function of the second kind of order 0; nan where x < 0."""
    return _k(x, 0, False)


@differentiated(lambda t, out, x: -t * (k0(x) + out / x))
def k1(x):
    """The modified Bessel function of the second kind of order 1; nan where x < 0."""
    return _k(x, 1, False)


@differentiated(lambda t, out, x: t * (out - k1e(x)))  # type: ignore[reportGeneralTypeIssues]
def k0e(x):
    """exp(x) K0(x)."""
    return _k(x, 0, True)


@differentiated(lambda t, out, x: t * (out - k0e(x) - out / x))
def k1e(x):
    """exp(x) K1(x)."""
    return _k(x, 1, True)


# ---- Airy


_LEFT, _RIGHT = -(7.5 ** (2 / 3)), 3.0 ** (2 / 3)


def _airy(x, middle_table, right_table, p_table, q_table, prime: bool):
    middle = jnp.clip(x, _LEFT, _RIGHT)
    middle = chebyshev_sum(middle_table, (2 * middle - _LEFT - _RIGHT) / (_RIGHT - _LEFT))
    right = jnp.maximum(x, _RIGHT)
    z = 2 / 3 * right * lax.sqrt(right)
    root = lax.sqrt(lax.sqrt(right))
    root = -root if prime else 1 / root
    right = root * lax.exp(-z) * chebyshev_sum(right_table, 4 / z - 1) / (2 * math.sqrt(math.pi))
    left = jnp.maximum(-x, -_LEFT)
    z = 2 / 3 * left * lax.sqrt(left)
    root = lax.sqrt(lax.sqrt(left))
    root = root if prime else 1 / root
    u = 50 / (z * z) - 1
    p, q = chebyshev_sum(p_table, u), chebyshev_sum(q_table, u) * (5 / z)
    sin, cos = lax.sin(z), lax.cos(z)
    c, s = (cos + sin) * math.sqrt(0.5), (sin - cos) * math.sqrt(0.5)
    left = root / math.sqrt(math.pi) * (p * s - q * c if prime else p * c + q * s)
    out = jnp.where(x > _RIGHT, right, jnp.where(x < _LEFT, left, middle))
    return jnp.where(jnp.isinf(x), jnp.nan, out)


@differentiated(lambda t, out, x: t * _airy_prime(x))  # type: ignore[reportGeneralTypeIssues]
def airy_ai(x):
    """The Airy function Ai; nan at infinity, as in torch."""
    return _airy(x, tables.AI_MIDDLE, tables.AI_RIGHT, tables.AI_LEFT_P, tables.AI_LEFT_Q, False)


@differentiated(lambda t, out, x: t * (x * airy_ai(x)))
def _airy_prime(x):
    return _airy(
        x,
        tables.AI_PRIME_MIDDLE,
        tables.AI_PRIME_RIGHT,
        tables.AI_PRIME_LEFT_P,
        tables.AI_PRIME_LEFT_Q,
        True,
    )


# ---- the error function


@differentiated(lambda t, out, x: t * (2 * x * out - 2 / math.sqrt(math.pi)))
def erfcx(x):
    """exp(x^2) erfc(x)."""
    size = lax.abs(x)
    u = jnp.where(size == jnp.inf, 1.0, (size - 4) / (size + 4))
    right = chebyshev_sum(tables.ERFCX, u) / (1 + 2 * size)
    return jnp.where(x < 0, 2 * lax.exp(x * x) - right, right)
