"""Orthogonal polynomials of torch.special, by their three-term recurrences in float64.

p_0 = 1 and p_{k+1} = (A_k x + B_k) p_k - C_k p_{k-1}. The m-th derivative satisfies the same recurrence with one more
term, m A_k p_k^(m-1), so derivatives of every order are there (torch has none). The degree is cut to an integer; of a
negative degree the polynomial is 0. They overflow as torch's recurrences do: to infinities, and to nan when both terms
have overflowed. Source: https://dlmf.nist.gov/18.9
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import lax

from .._core.api import Array, Number, dtypes, op, result_dtype
from ._pointwise import FLOAT, differentiated
from .special import _two, in_double

# family: k -> (A_k, B_k, C_k); k is a traced number
_FAMILIES: dict[str, Callable] = {
    "t": lambda k: (jnp.where(k == 0, 1.0, 2.0), 0.0, 1.0),
    "u": lambda k: (2.0, 0.0, 1.0),
    "v": lambda k: (2.0, jnp.where(k == 0, -1.0, 0.0), 1.0),
    "w": lambda k: (2.0, jnp.where(k == 0, 1.0, 0.0), 1.0),
    "h": lambda k: (2.0, 0.0, 2.0 * k),
    "he": lambda k: (1.0, 0.0, 1.0 * k),
    "l": lambda k: (-1 / (k + 1), (2 * k + 1) / (k + 1), k / (k + 1)),
    "p": lambda k: ((2 * k + 1) / (k + 1), 0.0, k / (k + 1)),
}

_LONG = 1000.0  # Chebyshev's polynomials of a higher degree are found by doubling the degree


@functools.cache
def _polynomial(family: str, order: int, largest: float):
    """The order-th derivative of the polynomials of a family, as a function of x and the degree.

    largest: where the recurrence of the dtype of the result overflows.
    """

    @differentiated(lambda t, out, x, n: t * _polynomial(family, order + 1, largest)(x, n), None)
    def evaluate(x, n):
        # what no int64 holds is a negative degree in torch; no loop would end at inf
        degree = jnp.where(jnp.abs(n) < 2.0**63, jnp.trunc(n), -1.0)
        if (
            not order and family in "lp"
        ):  # where torch has a value without the recurrence, as we do with a short one
            short = jnp.minimum(degree, 0.0 if family == "l" else degree % 2)
            degree = jnp.where(jnp.abs(x) == (0.0 if family == "l" else 1.0), short, degree)
        if family not in "tuvw":
            return _by_recurrence(family, order, largest, x, degree)
        long = degree > _LONG
        out = _by_recurrence(family, order, largest, x, jnp.where(long, -1.0, degree))
        return jnp.where(long, _by_doubling(family, order, largest, x, jnp.where(long, degree, 0.0)), out)

    return evaluate  # type: ignore


def _by_recurrence(family: str, order: int, largest: float, x: jax.Array, degree: jax.Array) -> jax.Array:
    last = jnp.max(degree, initial=-1.0)

    def cut(product, k):
        if order:
            return product
        most = largest / (k + 1) if family in "lp" else largest  # torch divides at the end
        return jnp.where(jnp.abs(product) > most, jnp.sign(product) * jnp.inf, product)

    def step(state):
        k, out, now, before = state
        a, b, c = _FAMILIES[family](k)
        after = [
            cut((a * x + b) * now[m], k) - cut(c * before[m], k) + (m * a * now[m - 1] if m else 0.0)
            for m in range(order + 1)
        ]
        after[0] = cut(after[0], k)
        return k + 1, jnp.where(degree == k + 1, after[order], out), after, now

    def goes_on(state):
        k, _, now, before = state
        lost = jnp.isnan(now[order]) & (jnp.isnan(before[order]) | (order == 0))  # nan stays nan
        return (k < last) & ~jnp.all(lost | (degree <= k))

    zeros = [jnp.zeros_like(x)] * (order + 1)
    first = [jnp.ones_like(x), *zeros[1:]]
    state = (jnp.zeros((), x.dtype), jnp.where(degree == 0, first[order], 0.0), first, zeros)
    k, out, *_ = lax.while_loop(goes_on, step, state)
    return jnp.where(degree > k, jnp.nan, out)


def _by_doubling(family: str, order: int, largest: float, x: jax.Array, degree: jax.Array) -> jax.Array:
    """Chebyshev's polynomials by T_2m = 2 T_m^2 - 1 and U_{2m-1} = 2 T_m U_{m-1}, on Taylor polynomials about x.

    An overflow is nan, as it is in the recurrence at every degree but the first that overflows.
    """

    def times(left, right):
        return [sum(left[i] * right[m - i] for i in range(m + 1)) for m in range(order + 1)]

    one, zero = jnp.ones_like(x), jnp.zeros_like(x)
    point = [x, one, *[zero] * order][: order + 1]
    bits = degree.astype(jnp.uint64)

    def step(i, state):
        t, u = state
        t, u = [2 * term for term in times(t, t)], [2 * term for term in times(t, u)]
        t[0] = t[0] - 1
        more_t, more_u = times(point, u), times(point, u)
        more_u = [own + term for own, term in zip(more_u, t, strict=True)]
        # T_{m+1} = x T_m + (x^2 - 1) U_{m-1}
        more_t = [
            x_t + x_x_u - own
            for x_t, x_x_u, own in zip(times(point, t), times(point, more_t), u, strict=True)
        ]
        odd = (bits >> (63 - i).astype(jnp.uint64)) & 1 == 1
        t, u = (
            [jnp.where(odd, m, e) for m, e in zip(*pair, strict=True)] for pair in ((more_t, t), (more_u, u))
        )
        t[0] = jnp.where(jnp.abs(x) <= 1, jnp.clip(t[0], -1, 1), t[0])  # beyond, roundings would grow
        return t, u

    t, u = lax.fori_loop(0, 64, step, ([one, *[zero] * order], [zero] * (order + 1)))
    found = t
    if family != "t":
        sign = {"u": 0.0, "v": -1.0, "w": 1.0}[family]
        found = [x_u + own + sign * last for x_u, own, last in zip(times(point, u), t, u, strict=True)]
    out = math.factorial(order) * found[order]
    return out if order else jnp.where(jnp.abs(out) > largest, jnp.nan, out)


def _evaluate(name: str, family: str, input, n, shifted: bool = False):
    _two(name, input, n)

    kind = result_dtype(input, n)
    kind = kind if kind.category == FLOAT else dtypes.default_dtype()
    polynomial = _polynomial(family, 0, dtypes.finfo(kind).max)

    def compute(x, degree):
        return polynomial(2 * x - 1 if shifted else x, lax.stop_gradient(degree))

    return in_double(f"{name}_cpu", compute, input, n)


@op(namespace="special")
def chebyshev_polynomial_t(x: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the first kind of degree n.

    >>> torch.special.chebyshev_polynomial_t(torch.tensor([0.0, 0.5, 1.0]), 2)
    tensor([-1.0000, -0.5000,  1.0000])
    """
    return _evaluate("chebyshev_polynomial_t", "t", x, n)


@op(namespace="special")
def chebyshev_polynomial_u(x: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the second kind of degree n.

    >>> torch.special.chebyshev_polynomial_u(torch.tensor([0.5, 1., 2.]), 2)
    tensor([ 0.,  3., 15.])
    """
    return _evaluate("chebyshev_polynomial_u", "u", x, n)


@op(namespace="special")
def chebyshev_polynomial_v(x: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the third kind of degree n.

    >>> torch.special.chebyshev_polynomial_v(torch.tensor([0.5, 1., 2.]), 2)
    tensor([-1.,  1., 11.])
    """
    return _evaluate("chebyshev_polynomial_v", "v", x, n)


@op(namespace="special")
def chebyshev_polynomial_w(x: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the fourth kind of degree n.

    >>> torch.special.chebyshev_polynomial_w(torch.tensor([0.5, 1., 2.]), 2)
    tensor([ 1.,  5., 19.])
    """
    return _evaluate("chebyshev_polynomial_w", "w", x, n)


@op(namespace="special")
def shifted_chebyshev_polynomial_t(x: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the first kind at 2 * x - 1.

    >>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.5, 1., 2.]), 2)
    tensor([-1.,  1., 17.])
    """
    return _evaluate("shifted_chebyshev_polynomial_t", "t", x, n, shifted=True)


@op(namespace="special")
def shifted_chebyshev_polynomial_u(x: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the second kind at 2 * x - 1.

    >>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.5, 1., 2.]), 2)
    tensor([-1.,  3., 35.])
    """
    return _evaluate("shifted_chebyshev_polynomial_u", "u", x, n, shifted=True)


@op(namespace="special")
def shifted_chebyshev_polynomial_v(x: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the third kind at 2 * x - 1.

    >>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.5, 1., 2.]), 2)
    tensor([-1.,  1., 29.])
    """
    return _evaluate("shifted_chebyshev_polynomial_v", "v", x, n, shifted=True)


@op(namespace="special")
def shifted_chebyshev_polynomial_w(x: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the fourth kind at 2 * x - 1.

    >>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.5, 1., 2.]), 2)
    tensor([-1.,  5., 41.])
    """
    return _evaluate("shifted_chebyshev_polynomial_w", "w", x, n, shifted=True)


@op(namespace="special")
def hermite_polynomial_h(x: Array | Number, n: Array | Number) -> Array:
    """Hermite's polynomial of degree n as physicists define it: 1, 2x, 4x^2 - 2, …

    >>> torch.special.hermite_polynomial_h(torch.tensor([0.5, 1., 2.]), 2)
    tensor([-1.,  2., 14.])
    """
    return _evaluate("hermite_polynomial_h", "h", x, n)


@op(namespace="special")
def hermite_polynomial_he(x: Array | Number, n: Array | Number) -> Array:
    """Hermite's polynomial of degree n as probabilists define it: 1, x, x^2 - 1, …

    >>> torch.special.hermite_polynomial_he(torch.tensor([0.5, 1., 2.]), 2)
    tensor([-0.7500,  0.0000,  3.0000])
    """
    return _evaluate("hermite_polynomial_he", "he", x, n)


@op(namespace="special")
def laguerre_polynomial_l(x: Array | Number, n: Array | Number) -> Array:
    """Laguerre's polynomial of degree n.

    >>> torch.special.laguerre_polynomial_l(torch.tensor([0.5, 1., 2.]), 2)
    tensor([ 0.1250, -0.5000, -1.0000])
    """
    return _evaluate("laguerre_polynomial_l", "l", x, n)


@op(namespace="special")
def legendre_polynomial_p(x: Array | Number, n: Array | Number) -> Array:
    """Legendre's polynomial of degree n.

    >>> torch.special.legendre_polynomial_p(torch.tensor([0.5, 1., 2.]), 2)
    tensor([-0.1250,  1.0000,  5.5000])
    """
    return _evaluate("legendre_polynomial_p", "p", x, n)
