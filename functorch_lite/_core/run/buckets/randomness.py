"""Random bits at padded lengths: to the bit those that there would be without padding."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from .axes import NoRule, Padded, whole
from .interpreter import Evaluation, rule
from .signatures import BITS, Equation

__all__: list[str] = []

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def _threefry(key: Any, low: Any) -> tuple[Any, Any]:
    """The two words of each counter: see ops/sample.py."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA))
    a, b = low + keys[0], jnp.zeros_like(low) + keys[1]
    for turn in range(5):
        for by in _ROTATIONS[turn % 2]:
            a = a + b
            b = ((b << np.uint32(by)) | (b >> np.uint32(32 - by))) ^ a
        a = a + keys[(turn + 1) % 3]
        b = b + keys[(turn + 2) % 3] + np.uint32(turn + 1)
    return a, b


@rule(BITS)
def _bits(to: Evaluation, eqn: Equation, *given: Padded) -> Padded:
    """Of as many elements as there are now, those of the first half are the first words of the counters from 0 on, the others the second ones."""
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
    a, b = _threefry(given[0].array, jnp.where(first, number, number - half).astype(np.uint32))
    return Padded(jnp.where(first, a, b), axes)
