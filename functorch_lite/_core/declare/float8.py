"""Float8 is refused by all ops but those that say that they take it (`float8=`): as in PyTorch, all else casts first.

JAX computes more, but not what one would expect: float8_e4m3fn has no infinity, for one, so that a softmax in it is
nan.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..words.dtypes import dtype
from ..words.kernels import no_kernel

__all__ = ["check_float8"]


def check_float8(op: Any, static: Any, inputs: Iterable) -> None:
    """Raises torch's NotImplementedError where an input (an Aval) is of float8 and the op does not take it, nor is told
    another dtype."""
    if not op.takes_float8:
        for x in inputs:
            if x.dtype.is_float8 and not any(type(s) is dtype and not s.is_float8 for s in static):
                raise no_kernel(f"{op.name}_cpu", x.dtype)
