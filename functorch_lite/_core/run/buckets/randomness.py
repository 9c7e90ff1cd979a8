"""Random bits at padded lengths: to the bit those that there would be without padding."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from ..threefry import BITS, threefry
from .axes import NoRule, Padded, whole
from .interpreter import NAMED, Evaluation
from .signatures import Equation

__all__: list[str] = []


def _bits(to: Evaluation, eqn: Equation, *given: Padded) -> Padded:
    """Makes as many random bits as there are elements now: those of the first half are the first words of the counters
    from 0 on, the others the second ones."""
    (told,) = eqn.outs
    if len(given) != 1 or given[0].array.shape != (2,) or told.dtype != np.uint32:
        raise NoRule("random bits of several keys")
    axes = tuple([whole(size) for size in told.shape])
    shape = to.lengths.shape(axes)
    number: Any = jnp.zeros(shape, jnp.int64)
    total: Any = 1
    for d, axis in reversed(list(enumerate(axes))):
        along = jnp.asarray(to.lengths.number(axis)) * total
        number = number + along.reshape([-1 if k == d else 1 for k in range(len(shape))])
        total = total * to.lengths.now(told.shape[d])
    half = (total + 1) // 2
    first = number < half
    low = jnp.where(first, number, number - half).astype(np.uint32)
    a, b = threefry(jnp, given[0].array, low, jnp.zeros_like(low))
    return Padded(jnp.where(first, a, b), axes)


NAMED[BITS] = _bits
