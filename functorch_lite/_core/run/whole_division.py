"""Division of whole numbers, as PyTorch defines it where XLA does: a quotient by zero is -1 (unsigned, the largest
number), its rest the dividend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

__all__ = ["BY_NUMPY", "cut_division", "floor_quotient", "floor_rest"]


def cut_division(a: Any, b: Any) -> tuple[Any, Any]:
    """Quotient, cut towards zero, and rest.

    XLA never gets to see a divisor of zero: where both sides are constants its folding would divide, which ends the
    process (SIGFPE).
    """
    none = b == 0
    divisor = jnp.where(none, jnp.ones_like(b), b)
    quotient, rest = lax.div(a, divisor), lax.rem(a, divisor)
    return jnp.where(none, jnp.invert(jnp.zeros_like(a)), quotient), jnp.where(none, a, rest)


def _known_by_name(fn: Callable) -> Callable:
    fn.__name__ = f"functorch_lite_{fn.__name__}"
    return jax.jit(fn)


@_known_by_name
def floor_quotient(a: Any, b: Any) -> Any:
    """The quotient, rounded down."""
    quotient, rest = cut_division(a, b)
    crossed = (b != 0) & (rest != 0) & ((rest < 0) != (b < 0))
    return jnp.where(crossed, quotient - jnp.ones((), a.dtype), quotient)


@_known_by_name
def floor_rest(a: Any, b: Any) -> Any:
    """The rest of the quotient that is rounded down, which has the sign of `b`."""
    rest = cut_division(a, b)[1]
    return jnp.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)


BY_NUMPY = {floor_quotient.__name__: np.floor_divide, floor_rest.__name__: np.remainder}
"""NumPy's functions that do the same in one step where no divisor is 0: by these names NumPy's runs of programs
(`cold/own.py`) know the calls."""
