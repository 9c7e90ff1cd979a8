"""Orthogonal polynomials of torch.special, by their three-term recurrences in float64.

p_0 = 1 and p_{k+1} = (A_k x + B_k) p_k - C_k p_{k-1}. The m-th derivative satisfies the same recurrence with one more term,
m A_k p_k^(m-1), so derivatives of every order are there (torch has none). The degree is cut to an integer; of a negative
degree the polynomial is 0. They overflow as torch's recurrences do: to infinities, and to nan when both terms have overflowed. Source: https://dlmf.nist.gov/18.9
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import jax.numpy as jnp
from jax import lax

from .._core import dtypes
from .._core.op import Array, Number, op
from .._core.promote import result_dtype
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


@functools.cache
def _polynomial(family: str, order: int, largest: float):
    """The order-th derivative of the polynomials of a family, as a function of x and the degree.

    largest: where the recurrence of the dtype of the result overflows.
    """
    coefficients = _FAMILIES[family]

    @differentiated(lambda t, out, x, n: t * _polynomial(family, order + 1, largest)(x, n), None)
    def evaluate(x, n):
        # what no int64 holds is a negative degree in torch; no loop would end at inf
        degree = jnp.where(jnp.abs(n) < 2.0**63, jnp.trunc(n), -1.0)
        last = jnp.max(degree, initial=-1.0)
        one, zero = jnp.ones_like(x), jnp.zeros_like(x)
        current = [one, *[zero] * order]

        def step(state):
            k, out, lost, now, before = state
            a, b, c = coefficients(k)
            slope = a * x + b
            after = [
                slope * now[m] - c * before[m] + (m * a * now[m - 1] if m else 0.0) for m in range(order + 1)
            ]
            most = largest / (k + 1) if family in "lp" else largest  # torch divides at the end
            lost = lost | (jnp.abs(c * before[0]) > most)
            found = after[order]
            if not order:
                found = jnp.where(jnp.abs(found) > most, jnp.sign(found) * jnp.inf, found)
                found = jnp.where(lost, jnp.nan, found)
            return k + 1, jnp.where(degree == k + 1, found, out), lost, after, now

        start = (
            jnp.zeros((), x.dtype),
            jnp.where(degree == 0, current[order], 0.0),
            jnp.zeros(x.shape, bool),
            current,
            [zero] * (order + 1),
        )

        def goes_on(state):
            k, _, lost, *_ = state
            going = k < last
            return going if order else going & ~jnp.all(lost | (degree <= k))  # what is lost stays nan

        k, out, lost, *_ = lax.while_loop(goes_on, step, start)
        return out if order else jnp.where(lost & (degree > k), jnp.nan, out)

    return evaluate  # type: ignore


def _evaluate(name: str, family: str, input, n, shifted: bool = False):
    _two(name, input, n)

    kind = result_dtype(input, n)
    kind = kind if kind.category == FLOAT else dtypes.default_dtype()
    polynomial = _polynomial(family, 0, dtypes.finfo(kind).max)

    def compute(x, degree):
        return polynomial(2 * x - 1 if shifted else x, lax.stop_gradient(degree))

    return in_double(f"{name}_cpu", compute, input, n)


@op(namespace="special")
def chebyshev_polynomial_t(input: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the first kind of degree n.

    >>> torch.special.chebyshev_polynomial_t(torch.tensor([0.0, 0.5, 1.0]), 2)
    tensor([-1.0000, -0.5000,  1.0000])
    """
    return _evaluate("chebyshev_polynomial_t", "t", input, n)


@op(namespace="special")
def chebyshev_polynomial_u(input: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the second kind of degree n."""
    return _evaluate("chebyshev_polynomial_u", "u", input, n)


@op(namespace="special")
def chebyshev_polynomial_v(input: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the third kind of degree n."""
    return _evaluate("chebyshev_polynomial_v", "v", input, n)


@op(namespace="special")
def chebyshev_polynomial_w(input: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the fourth kind of degree n."""
    return _evaluate("chebyshev_polynomial_w", "w", input, n)


@op(namespace="special")
def shifted_chebyshev_polynomial_t(input: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the first kind at 2 * input - 1."""
    return _evaluate("shifted_chebyshev_polynomial_t", "t", input, n, shifted=True)


@op(namespace="special")
def shifted_chebyshev_polynomial_u(input: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the second kind at 2 * input - 1."""
    return _evaluate("shifted_chebyshev_polynomial_u", "u", input, n, shifted=True)


@op(namespace="special")
def shifted_chebyshev_polynomial_v(input: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the third kind at 2 * input - 1."""
    return _evaluate("shifted_chebyshev_polynomial_v", "v", input, n, shifted=True)


@op(namespace="special")
def shifted_chebyshev_polynomial_w(input: Array | Number, n: Array | Number) -> Array:
    """Chebyshev's polynomial of the fourth kind at 2 * input - 1."""
    return _evaluate("shifted_chebyshev_polynomial_w", "w", input, n, shifted=True)


@op(namespace="special")
def hermite_polynomial_h(input: Array | Number, n: Array | Number) -> Array:
    """Hermite's polynomial of degree n as physicists define it: 1, 2x, 4x^2 - 2, …"""
    return _evaluate("hermite_polynomial_h", "h", input, n)


@op(namespace="special")
def hermite_polynomial_he(input: Array | Number, n: Array | Number) -> Array:
    """Hermite's polynomial of degree n as probabilists define it: 1, x, x^2 - 1, …"""
    return _evaluate("hermite_polynomial_he", "he", input, n)


@op(namespace="special")
def laguerre_polynomial_l(input: Array | Number, n: Array | Number) -> Array:
    """Laguerre's polynomial of degree n."""
    return _evaluate("laguerre_polynomial_l", "l", input, n)


@op(namespace="special")
def legendre_polynomial_p(input: Array | Number, n: Array | Number) -> Array:
    """Legendre's polynomial of degree n."""
    return _evaluate("legendre_polynomial_p", "p", input, n)
