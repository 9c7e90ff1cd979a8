"""Arguments as trees: which of their leaves a transform works on, and their replacement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax import tree_util

from .._core.tensor import Tensor

__all__ = ["flatten", "name_of", "select_argnums", "tensor_leaves", "unflatten"]


def flatten(tree: Any) -> tuple[list, Any]:
    """Leaves (Tensors and whatever is no container) and structure."""
    return tree_util.tree_flatten(tree)


def unflatten(structure: Any, leaves: Sequence[Any]) -> Any:
    """The tree of this structure with these leaves."""
    return tree_util.tree_unflatten(structure, leaves)


def tensor_leaves(leaves: Sequence[Any]) -> list[int]:
    """Positions of the leaves that are Tensors."""
    return [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]


def name_of(fn: Callable) -> str:
    """A function's name for messages."""
    return getattr(fn, "__name__", type(fn).__name__)


def select_argnums(args: tuple, argnums: int | tuple[int, ...], who: str) -> tuple[int, ...]:
    """argnums as indices from the front; torch's errors for what does not fit the arguments."""
    many = (argnums,) if isinstance(argnums, int) else tuple(argnums)
    if not all(isinstance(a, int) for a in many):
        raise RuntimeError(f"argnum in {who} must be int or Tuple[int, ...], got: {argnums}")
    if not many:
        raise RuntimeError("argnums must be non-empty")
    wrapped = []
    for a in many:
        if not -len(args) <= a < len(args):
            raise RuntimeError(f"Got argnum={a}, but only {len(args)} positional inputs")
        wrapped.append(a % len(args))
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError(f"argnums elements must be unique, got {argnums}")
    return tuple(wrapped)
