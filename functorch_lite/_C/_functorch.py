"""torch._C._functorch: what programs ask of the tensors of a running vmap."""

from __future__ import annotations

from .._core.api import Tensor, depends_on_inputs, read, state
from ..api_names import refusing

__all__ = ["is_batchedtensor"]


def is_batchedtensor(tensor: Tensor) -> bool:
    """Returns whether the vmap that is running innermost maps over a tensor."""
    rec = state.rec
    value = read(tensor)
    return bool(rec.level and rec.kind.batches and value.rec is rec and depends_on_inputs(rec, value))


_OF_THE_DISPATCHER = frozenset(
    """
    TransformType _add_batch_dim _grad_decrement_nesting _grad_increment_nesting _jvp_decrement_nesting _jvp_increment_nesting
    _remove_batch_dim _unwrap_batched _unwrap_for_grad _vmap_decrement_nesting _vmap_increment_nesting _wrap_for_grad
    get_unwrapped is_functorch_wrapped_tensor is_gradtrackingtensor maybe_get_bdim maybe_get_level
    """.split()
)


__getattr__ = refusing(
    "torch._C._functorch",
    _OF_THE_DISPATCHER,
    "transforms work on recorded programs here, no tensor is wrapped; call torch.func.vmap or grad with a function",
)
