"""float16 on a CPU: what an op rounds stays rounded in the program that the op is part of.

LLVM computes `half(float(a) * float(b))` as a product of halves. A processor that has arithmetic of halves then merges
the product with a sum that follows, so that two roundings become one, and the numbers differ from PyTorch's and from
NumPy's runs. XLA has no option against it (on a GPU, `xla_allow_excess_precision` is one).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from ..lazy.applied import Applied
from ..lazy.bounds import Seen
from ..words.device import device

__all__ = ["rounded", "run_on"]

_LARGEST = np.finfo(np.float32).max


def rounded(x: Any) -> Any:
    """The same halves, behind a minimum that changes none of them; all else as it is."""
    if getattr(x, "dtype", None) != np.float16:  # it may be a Python number
        return x
    return lax.min(x.astype(jnp.float32), _LARGEST).astype(jnp.float16)


def run_on(on: device, seen: Seen | None = None) -> Callable[[Applied, list], Sequence[Any]]:
    """Gives what computes a step's results from its arguments, in a program for this device. seen: looks at its bounds
    meanwhile."""
    run = on.run if on.is_mesh else _run
    if seen is not None:
        run = partial(_beside if on.is_mesh else _seeing, run, seen)
    if on.type != "cpu":
        return run
    return lambda applied, args: _rounded_results(applied, run(applied, args))


def _run(applied: Applied, args: list) -> Sequence[Any]:
    return applied.run(*args)


def _seeing(run: Callable, seen: Seen, applied: Applied, args: list) -> Sequence[Any]:
    return seen.run(applied.jaxpr, args) if applied.bounds else run(applied, args)


def _beside(run: Callable, seen: Seen, applied: Applied, args: list) -> Sequence[Any]:
    """On a mesh a step is computed in a way of its own.

    Its bounds are looked at as if it were computed once more, of which nothing else is used."""
    if applied.bounds:
        if [x.shape for x in args] == [a.shape for a in applied.in_avals]:
            seen.run(applied.jaxpr, args)
        else:  # of what is in parts
            seen.skip(len(applied.bounds))
    return run(applied, args)


def _rounded_results(applied: Applied, outs: Sequence[Any]) -> Sequence[Any]:
    return outs if getattr(applied.op, "is_view", False) else [rounded(x) for x in outs]
