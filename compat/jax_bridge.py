"""Tensors to JAX arrays and back, without a copy: use a JAX function's numbers inside a PyTorch program, and the reverse.

What leaves by `to_jax` has no derivative and no batch. A JAX function that is to be differentiated or mapped is made an op: `jax_function`.
"""

from __future__ import annotations

import jax

from functorch_lite._core.api import Tensor, from_array, of_jax, to_jax_array
from functorch_lite._core.api import functions as torch

__all__ = ["from_jax", "to_jax"]


def to_jax(input: Tensor) -> jax.Array:
    """The tensor's value as a jax.Array, computed if it was still pending. No copy is made and no history is kept.

    The array does not change when the tensor is written to later: it is the value as it is now. A tensor that requires grad (unless
    gradients are off), or that a running transform differentiates by or maps over, is refused: `jax_function` makes a JAX function an op.

    >>> to_jax(torch.ones(2))
    Array([1., 1.], dtype=float32)
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"to_jax(): argument 'input' must be Tensor, not {type(input).__name__}")
    return to_jax_array(input, "Can't call to_jax() on Tensor that {}.")


def from_jax(array: jax.Array, requires_grad: bool = False) -> Tensor:
    """A leaf tensor with the value of a jax.Array (or of anything that `jax.numpy.asarray` takes), without a copy, on its device.

    >>> from_jax(jax.numpy.arange(3.0))
    tensor([0., 1., 2.])
    """
    if isinstance(array, Tensor):
        raise TypeError("from_jax(): argument 'array' must be a jax.Array, not Tensor")
    if not isinstance(array, jax.Array):
        array = jax.numpy.asarray(array)
    # what a transformation of JAX's passes runs on JAX's default device, unless JAX is told otherwise
    on = of_jax(jax.local_devices()[0]) if isinstance(array, jax.core.Tracer) else None
    made = from_array(array, on=on)
    return torch.Tensor.requires_grad_(made) if requires_grad else made
