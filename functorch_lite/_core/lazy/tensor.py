"""Cell, Lens and Tensor: storage, views of it, and the autograd slots. No mathematics: methods are attached by `bind`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..words.device import device
from .value import Aval, Value

__all__ = [
    "Cell", "Lens", "Tensor", "keep_version", "make_tensor", "same_version", "set_cell", "share_tensor", "writes",
]  # fmt: skip


class Cell:
    """The only mutable thing: holds one Value. Tensors that alias each other share a Cell.

    `level` is the id of the transform level it was born in (0: none); it may be written only there.
    """

    __slots__ = ("level", "value", "version")

    level: int
    value: Value
    version: int


class Lens:
    """One step of a view: `get(base) -> part` is the view op itself, `put(base, part) -> base` its counterpart."""

    __slots__ = ("numbers", "op", "static")

    def __init__(self, op, static: tuple, numbers: tuple):
        self.op = op
        self.static = static
        self.numbers = numbers


if TYPE_CHECKING:
    from ..._types.tensor import TensorMethods  # what `bind` attaches, as checkers see it
else:
    TensorMethods = object


class Tensor(TensorMethods):
    """A multi-dimensional array with torch's interface.

    `_cell` holds the value; a view has `_lenses` (steps from its root tensor `_root`) and remembers in `_seen`, `_value`
    which value of the cell it was last read from; one that never was may know the view that it was made of, and its lenses then, in
    `_origin`. `_edge` is None, or (node, output number) of the tape, or (leaf, 0). `_unseen`: it is a root made by `.data`, through which
    writes do not count for derivatives.

    >>> x = torch.tensor([[1., 2.], [3., 4.]])
    >>> x.shape, x.dtype
    (torch.Size([2, 2]), torch.float32)
    >>> (x @ x).sum()
    tensor(54.)
    """

    _cell: Cell
    _aval: Aval
    _lenses: tuple[Lens, ...] = ()
    _root: Tensor | None = None
    _seen: Value | None = None
    _origin: tuple[Tensor, tuple[Lens, ...]] | None = None
    _value: Value | None = None
    _edge: tuple[Any, int] | None = None
    _backward_hooks_: Any = None
    _retained: Any = None
    _unseen: bool = False
    _of_parts: bool = False
    """Whether it has no storage but is made of other tensors, as sparse ones are: what needs gradients is its
    `_numbers`."""


device.kind = Tensor


class _Writes:
    """`last` is another object after every write to any Cell, by any thread: what was recorded since the last one was not overwritten."""

    __slots__ = ("last",)


writes = _Writes()
writes.last = object()


def set_cell(cell: Cell, value: Value) -> None:
    """Lets a cell hold a new value, and counts that."""
    cell.value = value
    cell.version += 1
    writes.last = object()


def keep_version(old: Value, new: Value) -> None:
    """Notes that a write through `.data` replaced old by new: for derivatives that is no other version."""
    version = getattr(old, "version", None)
    if version is None:
        version = old.version = object()
    new.version = version


def same_version(old: Value, new: Value) -> bool:
    """Whether new is what old was, or came from it by writes through `.data` alone."""
    return new is old or (
        (version := getattr(old, "version", None)) is not None and version is getattr(new, "version", None)
    )


_new = object.__new__


def make_tensor(value: Value, level: int, edge=None) -> Tensor:  # hot path
    """A new Tensor with its own Cell."""
    t = _new(value.aval.kind)
    t._cell = cell = Cell()
    cell.value = value
    cell.level = level
    cell.version = 0
    t._aval = value.aval
    if edge is not None:
        t._edge = edge
    return t


def share_tensor(cls: type, other: Tensor) -> Tensor:
    """A Tensor of class `cls` that aliases `other` (same Cell, same place in it) with no autograd history."""
    t = _new(other._aval.kind if cls is Tensor else cls)
    t._cell = other._cell
    t._aval = other._aval
    if other._lenses:
        t._lenses, t._root = other._lenses, other._root
        t._seen, t._value = other._seen, other._value
    return t
