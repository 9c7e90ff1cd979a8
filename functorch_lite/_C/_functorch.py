"""torch._C._functorch: what programs ask of the tensors of a running vmap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .._core.api import Tensor, depends_on_inputs, read, state

__all__ = ["is_batchedtensor"]


def is_batchedtensor(tensor: Tensor) -> bool:
    """Whether the vmap that is running innermost maps over a tensor."""
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


def __getattr__(name: str) -> Callable[..., NoReturn]:
    if name not in _OF_THE_DISPATCHER:
        raise AttributeError(f"module 'torch._C._functorch' has no attribute {name!r}")

    def refused(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(
            f"torch._C._functorch.{name}: transforms work on recorded programs here, no tensor is wrapped; call torch.func.vmap or grad with a function"
        )

    refused.__name__ = name
    return refused
