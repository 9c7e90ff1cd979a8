"""What XLA makes of a piece of eager code, without running it: its memory can be asked for where no machine at hand has
as much."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import jax
import numpy as np

from functorch_lite._core.api import Tensor, read, state
from functorch_lite._core.lazy import recorder
from functorch_lite._core.run.pending import Pending
from functorch_lite._core.run.program import Program

__all__ = ["compiled", "untouched"]


def untouched(shape: Iterable[int]) -> Any:
    """Zeros whose memory the system gives when they are first read, which is never."""
    return np.zeros(tuple(shape), np.float32)


def compiled(make: Callable[[], list[Tensor]]) -> Any:
    """The program (jax.stages.Compiled) of what `make()` gives, as one, however long it is.

    Nothing may have been recorded before."""
    before = recorder.MAX_PENDING_OPS, recorder.MAX_PENDING_BYTES
    recorder.MAX_PENDING_OPS, recorder.MAX_PENDING_BYTES = 1 << 30, 1 << 60
    try:
        values = [read(t) for t in make()]
        rec = state.rec
        live, externals = tuple(sorted([v.index for v in values])), list(rec.ext)
        program = Program(Pending(rec.path, live, externals, rec.device), live)
        given = [_struct(externals[e]) for e in program.externals]
        with jax.enable_x64(True):
            found = program.executable.jitted.trace(*given).lower().compile()
        rec.slots.clear()  # nobody is to compute them
        return found
    finally:
        recorder.MAX_PENDING_OPS, recorder.MAX_PENDING_BYTES = before


def _struct(v: Any) -> jax.ShapeDtypeStruct:
    a = v.aval
    sharding = a.device.sharding(len(a.shape)) if a.device.is_mesh else None
    return jax.ShapeDtypeStruct(v.array.shape, v.array.dtype, sharding=sharding)
