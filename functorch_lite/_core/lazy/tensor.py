"""Cell, Lens and Tensor: storage, views of it, and the autograd slots.
No mathematics: methods are attached by `bind`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..words.device import device
from .value import Aval, Value

__all__ = [
    "Cell", "Lens", "Tensor", "bare", "become_view", "keep_version", "make_tensor", "same_version", "set_cell", "share_tensor", "writes",
]  # fmt: skip


class Cell:
    """The only mutable thing: holds one Value. Tensors that alias each other share a Cell.

    `level` is the id of the transform level it was born in (0: none); it may be written only there. `memory` is set
    once somebody asked for its address (see `call/memory.py`).
    """

    __slots__ = ("level", "memory", "value", "version")

    level: int
    memory: Any
    value: Value
    version: int


class Lens:
    """One step of a view: `get(base) -> part` is the view op itself, `put(base, part) -> base` its counterpart.

    A class of its own may keep beside the numbers what is not shared with the base: it is told of each part that is
    read through it (`shows`), and of each that is written (`takes`).
    """

    __slots__ = ("numbers", "op", "static")

    def __init__(self, op, static: tuple, numbers: tuple):
        self.op = op
        self.static = static
        self.numbers = numbers

    def shows(self, part: Tensor) -> None:
        """Called with what was read through it."""

    def takes(self, part: Tensor) -> None:
        """Called with what is about to be written through it."""


if TYPE_CHECKING:
    from ..._types.tensor import TensorMethods  # what `bind` attaches, as checkers see it
else:
    TensorMethods = object


class Tensor(TensorMethods):
    """A multi-dimensional array with torch's interface.

    `_cell` holds the value; a view has `_lenses` (steps from its root tensor `_root`) and remembers in `_seen`,
    `_value` which value of the cell it was last read from; one that never was may know the view that it was made of,
    and its lenses then, in `_origin`. These three are there on views alone. `_edge` is None, or (node, output number)
    of the tape, or (leaf, 0). `_unseen`: it is a root made by `.data`, through which writes do not count for
    derivatives. `_more` holds by name what few tensors have.

    The fields are slots, so that a tensor's `__dict__` holds what its users set on it and nothing else. Slots have no
    defaults: whoever makes a tensor sets `_cell`, `_aval` and what `bare` sets.

    >>> x = torch.tensor([[1., 2.], [3., 4.]])
    >>> x.shape, x.dtype
    (torch.Size([2, 2]), torch.float32)
    >>> (x @ x).sum()
    tensor(54.)
    """

    __slots__ = (
        "__dict__", "__weakref__", "_aval", "_cell", "_edge", "_lenses", "_more", "_origin", "_root", "_seen", "_unseen", "_value",
    )  # fmt: skip

    _cell: Cell
    _aval: Aval
    _lenses: tuple[Lens, ...]
    _root: Tensor | None
    _seen: Value | None
    _origin: tuple[Tensor, tuple[Lens, ...]] | None
    _value: Value | None
    _edge: tuple[Any, int] | None
    _unseen: bool
    _more: dict[str, Any] | None
    _of_parts: ClassVar[bool] = False
    """Whether it has no storage but is made of other tensors, as sparse ones are: what needs gradients is its
    `_numbers`."""


device.kind = Tensor


class _Writes:
    """`last` is another object after every write to any Cell, by any thread: what was recorded since the last one was
    not overwritten."""

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
    """Returns whether new is what old was, or came from it by writes through `.data` alone."""
    return new is old or (
        (version := getattr(old, "version", None)) is not None and version is getattr(new, "version", None)
    )


_new = object.__new__


def bare(cls: type) -> Tensor:
    """A tensor of class `cls` that is no view and has no history; it lacks `_cell` and `_aval`."""
    t = _new(cls)
    t._lenses, t._root, t._unseen, t._more = (), None, False, None
    if not cls._of_parts:
        t._edge = None
    return t


def become_view(t: Tensor, root: Tensor, lenses: tuple[Lens, ...]) -> None:
    """Makes of t a view, which was not read yet."""
    t._root, t._lenses = root, lenses
    t._seen = t._value = t._origin = None


def make_tensor(value: Value, level: int, edge=None) -> Tensor:  # hot path
    """A new Tensor with its own Cell."""
    t = _new(value.aval.kind)
    t._lenses = ()
    t._root = t._more = None
    t._unseen = False
    t._cell = cell = Cell()
    cell.value = value
    cell.level = level
    cell.version = 0
    t._aval = value.aval
    t._edge = edge
    return t


def share_tensor(cls: type, other: Tensor) -> Tensor:
    """A Tensor of class `cls` that aliases `other` (same Cell, same place in it) with no autograd history."""
    t = bare(other._aval.kind if cls is Tensor else cls)
    t._cell = other._cell
    t._aval = other._aval
    if other._lenses:
        t._lenses, t._root = other._lenses, other._root
        t._seen, t._value, t._origin = other._seen, other._value, None
    return t
