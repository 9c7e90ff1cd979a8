"""float16 on a CPU: what an op rounds stays rounded in the program that the op is part of.

LLVM computes `half(float(a) * float(b))` as a product of halves. A processor that has arithmetic of halves then merges the product with
a sum that follows, so that two roundings become one, and the numbers differ from PyTorch's and from NumPy's runs. XLA has no option
against it (on a GPU, `xla_allow_excess_precision` is one).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..lazy.applied import Applied
from ..words.device import device

__all__ = ["rounded", "run_on"]

_LARGEST = np.finfo(np.float32).max


def rounded(x: Any) -> Any:
    """The same halves, behind a minimum that changes none of them; all else as it is."""
    if getattr(x, "dtype", None) != np.float16:  # it may be a Python number
        return x
    return lax.min(x.astype(jnp.float32), _LARGEST).astype(jnp.float16)


def run_on(on: device) -> Callable[[Applied, list], Sequence[Any]]:
    """Gives what computes a step's results from its arguments, in a program for this device."""
    run = on.run if on.is_mesh else _run
    if on.type != "cpu":
        return run
    return lambda applied, args: _rounded_results(applied, run(applied, args))


def _run(applied: Applied, args: list) -> Sequence[Any]:
    return applied.run(*args)


def _rounded_results(applied: Applied, outs: Sequence[Any]) -> Sequence[Any]:
    return outs if getattr(applied.op, "is_view", False) else [rounded(x) for x in outs]
