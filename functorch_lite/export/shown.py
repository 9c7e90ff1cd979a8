"""Values of Nodes with open sizes: tensors without numbers, whose shapes are shown in terms of the symbols."""

from __future__ import annotations

from typing import Any

from .._core.api import Size, Tensor, aval, overrides
from ..compiler.graphs.view import example
from .sym_int import WatchedSize

__all__ = ["OpenExample", "open_example"]


class OpenExample(Tensor):
    """A tensor without numbers, of the example's sizes; `shape` says which of them are open.

    It overrides no function: otherwise defining this class would have every public function look for overrides."""

    __torch_function__ = overrides.disabled  # type: ignore[assignment]

    @property
    def shape(self) -> Size:  # type: ignore[override]
        """The shape, with SymInts."""
        return self._open_shape

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one size of it."""
        return self._open_shape if dim is None else self._open_shape[dim]


def open_example(like: Tensor, shape: tuple) -> Tensor:
    """A tensor as another one, which shows this shape; the other one itself if no size is open."""
    made = example(aval(tuple([int(n) for n in shape]), like.dtype))
    if all(type(n) is int for n in shape):
        return made  # type: ignore[return-value]
    made.__class__ = OpenExample
    made._open_shape = WatchedSize(shape)  # type: ignore[union-attr]
    return made  # type: ignore[return-value]
