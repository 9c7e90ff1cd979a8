"""Results that are valid only for some values of the inputs: what must hold is part of the program."""

from __future__ import annotations

import jax.numpy as jnp

from .._core.api import Array, op, required
from .contracts.random import NO_DISTRIBUTION, NOT_A_PROBABILITY

__all__: list[str] = []


@op(name="_required", method=False, out=False)
def _required(input: Array, wrong: Array, says: str) -> Array:
    """`input`, which is valid only if `wrong` (integers or bools) is 0 everywhere.

    Otherwise whoever reads a value computed from the result gets the error that `says` names (`requirement`)."""
    return required(input, wrong, says)


@op(name="_limited", method=False, out=False)
def _limited(input: Array, low: int, high: int | None, says: str) -> Array:
    """`input`, which is valid only if all elements are at least `low`, and at most `high` if that is not None."""
    within = input >= low if high is None else (input >= low) & (input <= high)
    return required(input, ~jnp.all(within), says)


@op(name="_distribution", method=False, out=False)
def _distribution(input: Array) -> Array:
    """`input`, whose rows are valid only as unnormalised probabilities that `multinomial` takes."""
    valid = required(input, ~jnp.all((input >= 0) & jnp.isfinite(input)), NOT_A_PROBABILITY)
    return required(valid, jnp.any(jnp.sum(input, -1) <= 0), NO_DISTRIBUTION)
