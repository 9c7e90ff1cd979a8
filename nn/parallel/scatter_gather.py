"""Batches to one device and back: what is left of PyTorch's scatter and gather without several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from functorch_lite._core.api import Tensor
from functorch_lite.utils import _pytree as pytree

__all__ = ["gather", "is_namedtuple", "scatter", "scatter_kwargs"]

_SEVERAL = "torch.nn.parallel.scatter_gather: several devices were given, and a batch is not split here: put it on a mesh with jax.sharding"


def is_namedtuple(obj: Any) -> bool:
    """Returns whether something is a named tuple."""
    return isinstance(obj, tuple) and hasattr(obj, "_asdict") and hasattr(obj, "_fields")


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> list[Any]:
    """The inputs on the one device, as a list of one. Several devices raise NotImplementedError."""
    if len(target_gpus) != 1:
        raise NotImplementedError(_SEVERAL)
    return [pytree.tree_map(lambda x: x.to(target_gpus[0]) if isinstance(x, Tensor) else x, inputs)]


def scatter_kwargs(
    inputs: tuple, kwargs: dict | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple, tuple]:
    """The same of arguments, and of named ones."""
    return tuple(scatter(inputs, target_gpus, dim)), tuple(scatter(kwargs or {}, target_gpus, dim))


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """The only output on the device. Several raise NotImplementedError."""
    if len(outputs) != 1:
        raise NotImplementedError(_SEVERAL)
    return scatter(outputs[0], [target_device], dim)[0]
