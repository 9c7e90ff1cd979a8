"""torch._C._functorch: what programs ask of the tensors of a running vmap."""

from __future__ import annotations

from .._core.api import Tensor, depends_on_inputs, read, state

__all__ = ["is_batchedtensor"]


def is_batchedtensor(tensor: Tensor) -> bool:
    """Whether the vmap that is running innermost maps over a tensor."""
    rec = state.rec
    value = read(tensor)
    return bool(rec.level and rec.kind.batches and value.rec is rec and depends_on_inputs(rec, value))
