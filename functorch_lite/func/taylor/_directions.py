"""Directions that give a mixed partial derivative: powers of linear forms that add up to a monomial.

With multi-index a of order k and h(v) = sum over i of (a_i / 2 - v_i) e_i,

    d^a f = 1/k! * sum over 0 <= v <= a of (-1)^|v| * prod_i C(a_i, v_i) * D^k f [h(v), …, h(v)]

(Kan, "From moments of sum to moments of product", 2008, for monomials). v and a - v give opposite directions, so half
of them will do.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

__all__ = ["directions_of", "planned"]

Direction = tuple[tuple[int, float], ...]
"""The entries of a direction that are not zero, with their places."""


def directions_of(orders: Sequence[int]) -> dict[Direction, float]:
    """Directions with weights: the derivative of these orders is the weighted sum of D^k f along them, k being the sum
    of orders.

    >>> directions_of((0, 3))
    {((1, 1.0),): 1.0}
    >>> directions_of((1, 1))
    {((0, 0.5), (1, 0.5)): 1.0, ((0, 0.5), (1, -0.5)): -1.0}
    """
    places = [i for i, a in enumerate(orders) if a]
    if len(places) == 1:
        return {((places[0], 1.0),): 1.0}
    k = sum(orders)
    found: dict[Direction, float] = {}
    for v in itertools.product(*[range(orders[i] + 1) for i in places]):
        h = [orders[i] / 2 - n for i, n in zip(places, v)]
        first = next((x for x in h if x), 0.0)
        if not first:
            continue  # the direction of zeros
        sign = -1.0 if first < 0 else 1.0
        direction = tuple((i, sign * x) for i, x in zip(places, h) if x)
        weight = (-1) ** sum(v) * math.prod(math.comb(orders[i], n) for i, n in zip(places, v))
        found[direction] = found.get(direction, 0.0) + sign**k * weight / math.factorial(k)
    return {d: w for d, w in found.items() if w}


def planned(terms: Mapping[tuple[int, ...], int]) -> list[tuple[Direction, list[tuple[int, int, float]]]]:
    """Plans many multi-indices, each with the number of its term: the directions, and for each (term, order, weight)
    where it counts. A direction that serves several terms is there once."""
    found: dict[Direction, list[tuple[int, int, float]]] = {}
    for orders, term in terms.items():
        for direction, weight in directions_of(orders).items():
            unit, scale = _scaled(direction)
            found.setdefault(unit, []).append((term, sum(orders), weight * scale ** sum(orders)))
    return list(found.items())


def _scaled(direction: Direction) -> tuple[Direction, float]:
    """A direction as a multiple of the one whose first entry is 1."""
    scale = direction[0][1]
    return tuple((i, x / scale) for i, x in direction), scale
