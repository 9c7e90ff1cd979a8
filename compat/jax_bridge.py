"""Tensors to JAX arrays and back, without a copy: use a JAX function's numbers inside a PyTorch program, and the
reverse.

An array from `to_jax` has no derivative and no batch. A JAX function that is to be differentiated or mapped is made
an op: `jax_function`. Tensors are not JAX pytrees, and JAX's transformations raise for them: a tensor's history and
its writes would be lost there silently.
"""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from functorch_lite._core.api import Tensor, from_array, of_jax, to_jax_array
from functorch_lite._core.api import functions as torch

__all__ = ["from_jax", "to_jax"]


def to_jax(input: Any) -> Any:
    """The tensor's value as a jax.Array, computed if it was still pending. No copy is made and no history is kept.

    For a pytree of JAX (dicts, lists, states of optax and flax, …) the result is the same tree with arrays for
    tensors; other leaves are unchanged. An array does not change when the tensor is written to later: it is the value
    as it is now. A tensor that requires grad (unless gradients are off), or that a running transform differentiates
    by or maps over, is refused: `jax_function` makes a JAX function an op.

    Args:
        input: a tensor, or a pytree of JAX with tensors.

    >>> to_jax(torch.ones(2))
    Array([1., 1.], dtype=float32)
    >>> to_jax({"w": torch.ones(2), "n": 3})
    {'n': 3, 'w': Array([1., 1.], dtype=float32)}
    """
    if isinstance(input, Tensor):
        return to_jax_array(input, "Can't call to_jax() on Tensor that {}.")
    leaves, structure = jax.tree.flatten(input)
    if len(leaves) == 1 and leaves[0] is input:
        raise TypeError(f"to_jax(): argument 'input' must be Tensor, not {type(input).__name__}")
    return structure.unflatten([to_jax(x) if isinstance(x, Tensor) else x for x in leaves])


def from_jax(array: Any, requires_grad: bool = False) -> Any:
    """A leaf tensor with the value of a jax.Array (or of anything that `jax.numpy.asarray` takes), without a copy, on
    its device.

    For a pytree with arrays (JAX's or NumPy's) the result is the same tree with tensors for the arrays; other leaves
    are unchanged. requires_grad then concerns the floating-point ones.

    Args:
        array: a jax.Array, anything that `jax.numpy.asarray` takes, or a pytree of these.
        requires_grad: whether the tensors (in a pytree, those of floating point) require grad.
            Default: False.

    >>> from_jax(jax.numpy.arange(3.0))
    tensor([0., 1., 2.])
    >>> from_jax({"w": jax.numpy.ones(2), "n": 3})
    {'n': 3, 'w': tensor([1., 1.])}
    """
    if isinstance(array, Tensor):
        raise TypeError("from_jax(): argument 'array' must be a jax.Array, not Tensor")
    if not isinstance(array, jax.Array | np.ndarray):
        leaves, structure = jax.tree.flatten(array)
        if isinstance(array, dict) or any(isinstance(x, jax.Array | np.ndarray) for x in leaves):
            return structure.unflatten([_leaf_from_jax(x, requires_grad) for x in leaves])
    if not isinstance(array, jax.Array):
        array = jax.numpy.asarray(array)
    # what a transformation of JAX's passes runs on JAX's default device, unless JAX is told otherwise
    on = of_jax(jax.local_devices()[0]) if isinstance(array, jax.core.Tracer) else None
    made = from_array(array, on=on)
    return torch.Tensor.requires_grad_(made) if requires_grad else made


def _leaf_from_jax(x: Any, requires_grad: bool) -> Any:
    if not isinstance(x, jax.Array | np.ndarray):
        return x
    return from_jax(x, requires_grad and jax.numpy.issubdtype(x.dtype, jax.numpy.inexact))
