"""The jagged layout: all parts one after another in `values`, and where each begins in `offsets`.
One dim may be ragged.

Dim d of the nested tensor is dim d - 1 of values; the ragged dim of values holds all parts. An operation that does
not touch the ragged dim is applied to the values; the others are applied to a padded tensor. Gradients flow through
values.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from operator import attrgetter
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from .._core.api import Size, Tensor, bare, dtypes, values_of
from .._core.api import functions as torch
from .._core.api import jagged as jagged_layout
from .base import NestedBase, is_pointwise, writes_in_place

__all__ = ["NestedTensor", "Structure", "holes", "pack", "structure_of", "wrap"]

_numbers = itertools.count(1)


class RaggedSize(torch.SymInt):
    """The size of a ragged dim: equal only to the ragged size of tensors with the same offsets. It is not a number."""

    def __new__(cls, structure: Structure):
        made = object.__new__(cls)
        made.structure = structure
        return made

    def __eq__(self, other) -> bool:
        return isinstance(other, RaggedSize) and other.structure is self.structure

    def __hash__(self) -> int:
        return hash(self.structure)

    def __repr__(self) -> str:
        return f"j{self.structure.number}"


class Structure:
    """Division of the ragged dim: part b begins at offsets[b], and ends at offsets[b + 1], or after lengths[b]
    elements."""

    def __init__(self, offsets: Tensor, lengths: Tensor | None = None, sizes: tuple[int, ...] | None = None):
        self.offsets, self.lengths = offsets, lengths
        self.number = next(_numbers)
        self._sizes = sizes

    @property
    def batch(self) -> int:
        """The number of parts."""
        return self.offsets.shape[0] - 1  # type: ignore[attr-defined]

    def sizes(self) -> tuple[int, ...]:
        """The size of each part; read from offsets or lengths if they were not given by a list."""
        if self._sizes is None:
            if self.lengths is not None:
                found = values_of(self.lengths)
            else:
                found = np.diff(values_of(self.offsets))
            self._sizes = tuple(found.tolist())
        return self._sizes

    def starts(self) -> tuple[int, ...]:
        """The place where each part begins."""
        if self.lengths is None:
            return tuple([0, *itertools.accumulate(self.sizes())][:-1])
        return tuple(values_of(self.offsets).tolist()[:-1])

    def longest(self) -> int:
        """The size of the largest part."""
        return max(self.sizes(), default=0)

    def extents(self) -> Tensor:
        """The size of each part, as a tensor."""
        return self.offsets.diff() if self.lengths is None else self.lengths  # type: ignore[attr-defined]

    def places(self, total: int) -> tuple[Tensor, Tensor]:
        """The part that each of the elements is in, and its position there. Without holes."""
        at = torch.arange(total, dtype=dtypes.int64, device=self.offsets.device)
        part = torch.searchsorted(self.offsets, at, right=True) - 1
        return part, at - self.offsets[part]  # type: ignore[index]


_known: WeakValueDictionary[tuple, Structure] = WeakValueDictionary()


def structure_of(offsets: Tensor, lengths: Tensor | None = None) -> Structure:
    """The structure of these offsets: the same one each time, so that tensors made with the same offsets go
    together."""
    key = (id(offsets), None if lengths is None else id(lengths))
    found = _known.get(key)
    if found is None:
        found = _known[key] = Structure(offsets, lengths)
    return found


HANDLERS: dict[str, Callable] = {}
"""What jagged tensors know beside the pointwise functions, by name: `jagged_ops.py` puts it here."""


class NestedTensor(NestedBase):
    """A nested tensor of the jagged layout. See `torch.nested` for what works."""

    layout = jagged_layout
    _values: Any
    _structure: Structure
    _ragged_idx: int

    @classmethod
    def _handler(cls, name: str, func: Callable) -> Callable | None:
        if name in HANDLERS:
            return HANDLERS[name]
        return (lambda *args, **kwargs: pointwise(name, func, args, kwargs)) if is_pointwise(name) else None

    # what it is

    @property
    def shape(self) -> Size:  # type: ignore[override]
        """The sizes; the ragged dim is represented by a symbol such as j1."""
        inner = list(self._values.shape)
        inner[self._ragged_idx - 1] = RaggedSize(self._structure)
        return Size((self._structure.batch, *inner))

    def size(self, dim: int | None = None) -> Any:
        """The shape, or its entry at `dim`."""
        return self.shape if dim is None else self.shape[self._positive(dim)]

    def dim(self) -> int:
        """The number of dims, the batch included."""
        return self._values.ndim + 1

    def numel(self) -> int:
        """The number of elements."""
        if self._structure.lengths is None:
            return self._values.numel()
        others = self._values.shape[: self._ragged_idx - 1] + self._values.shape[self._ragged_idx :]
        return sum(self._structure.sizes()) * Size(others).numel()

    nelement = numel

    dtype = property(attrgetter("_values.dtype"), doc="The dtype of the elements.")  # type: ignore[override]
    device = property(attrgetter("_values.device"), doc="Where the elements are.")  # type: ignore[override]

    def values(self) -> Any:
        """The elements of all parts, one part after another along the ragged dim."""
        return self._values

    def _pieces(self) -> tuple[Tensor, ...]:
        return (self._values,)

    def _sizes(self) -> tuple:
        return tuple(self.shape)

    def offsets(self) -> Any:
        """The places where each part begins, and where the last one ends."""
        return self._structure.offsets

    def lengths(self) -> Any:
        """The sizes of the parts if there are holes between them; otherwise None."""
        return self._structure.lengths

    def is_contiguous(self, memory_format=None) -> bool:
        """Returns whether the parts lie one after another in row-major order."""
        return self._structure.lengths is None and self._ragged_idx == 1 and self._values.is_contiguous()

    @property
    def _max_seqlen(self) -> int:
        return self._structure.longest()

    @property
    def _min_seqlen(self) -> int:
        return min(self._structure.sizes(), default=0)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.shape))
        grad = f", grad_fn=<{self.grad_fn.name()}>" if self.grad_fn is not None else ""
        grad = ", requires_grad=True" if not grad and self.requires_grad else grad
        return f"NestedTensor(size=({sizes}), offsets={self._structure.offsets}{grad}, contiguous={self.is_contiguous()})"

    def unbind(self, dim: int = 0) -> tuple:
        """The parts, as views of values."""
        if self._positive(dim) != 0:
            raise RuntimeError("unbind(): only supported for NestedTensor on dim=0")
        axis = self._ragged_idx - 1
        spans = zip(self._structure.starts(), self._structure.sizes())
        return tuple([self._values.narrow(axis, start, size) for start, size in spans])

    # autograd

    @property
    def requires_grad(self) -> bool:  # type: ignore[override]
        """Returns whether values require grad."""
        return self._values.requires_grad

    def requires_grad_(self, requires_grad: bool = True):
        """Makes values a leaf that requires grad."""
        self._values.requires_grad_(requires_grad)
        return self

    @property
    def is_leaf(self) -> bool:  # type: ignore[override]
        """Returns whether values are a leaf."""
        return self._values.is_leaf

    grad_fn = property(attrgetter("_values.grad_fn"), doc="Where values come from.")  # type: ignore[override]

    @property
    def grad(self) -> Any:  # type: ignore[override]
        """The gradient of values, with the same structure."""
        found = self._values.grad
        return None if found is None else wrap(found, self._structure, self._ragged_idx)

    @grad.setter
    def grad(self, value: Any) -> None:
        self._values.grad = None if value is None else value.values()

    def retain_grad(self) -> None:
        """Keeps the gradient of values."""
        self._values.retain_grad()

    # padding

    def _padded(self, fill: Any) -> Any:
        """A dense tensor with the ragged dim as long as the longest part, filled with `fill` after the ends."""
        holes(self, "to_padded_tensor")
        s, axis, values = self._structure, self._ragged_idx - 1, self._values
        longest = s.longest()
        rows = values.movedim(axis, 0)
        if not rows.shape[0]:
            shape = list(values.shape)
            shape[axis] = longest
            return torch.full((s.batch, *shape), fill, dtype=values.dtype, device=values.device)
        steps = torch.arange(longest, dtype=dtypes.int64, device=values.device)
        at = (s.offsets[:-1].unsqueeze(1) + steps).clamp(max=rows.shape[0] - 1)  # type: ignore[index]
        inside = steps < s.extents().unsqueeze(1)  # type: ignore[attr-defined]
        inside = inside.reshape(s.batch, longest, *[1] * (rows.ndim - 1))
        return torch.where(inside, rows[at], fill).to(values.dtype).movedim(1, axis + 1)

    def to_padded_tensor(self, padding: float, output_size: Any = None) -> Any:
        """A dense tensor: parts that are shorter than the longest, or than `output_size` says, are filled up with
        `padding`."""
        padded = self._padded(padding)
        if output_size is None:
            return padded
        r = self._ragged_idx
        if len(output_size) != self.dim() or any(
            n != m for d, (n, m) in enumerate(zip(output_size, padded.shape)) if d != r
        ):
            raise NotImplementedError(
                f"to_padded_tensor(): output_size {tuple(output_size)} may differ from {tuple(padded.shape)} in the ragged dim only"
            )
        if output_size[r] <= padded.shape[r]:
            return padded.narrow(r, 0, output_size[r])
        shape = list(padded.shape)
        shape[r] = output_size[r] - padded.shape[r]
        return torch.cat([padded, torch.full(shape, padding, dtype=padded.dtype, device=padded.device)], r)

    def contiguous(self, memory_format=None):
        """The tensor itself if it is contiguous; otherwise a copy whose parts lie one after another."""
        if self.is_contiguous():
            return self
        if self._structure.lengths is None:
            return wrap(self._values.contiguous(), self._structure, self._ragged_idx)
        return pack(list(self.unbind()), self._ragged_idx)

    def __getitem__(self, index: Any) -> Any:
        index = index if isinstance(index, tuple) else (index,)
        if index and isinstance(index[0], int):
            parts = self.unbind()
            part = parts[index[0]] if -len(parts) <= index[0] < len(parts) else _no_part()
            return part[index[1:]] if len(index) > 1 else part
        if index and index[0] is Ellipsis and len(index) <= self._values.ndim - self._ragged_idx + 1:
            return wrap(self._values[index], self._structure, self._ragged_idx)
        raise RuntimeError("slice(): not supported for NestedTensor on dim=0")

    @property
    def _offsets(self) -> Any:
        """The places where each part begins and ends among the values."""
        return self._structure.offsets

    @property
    def _lengths(self) -> Any:
        """The length of each part, of a tensor with holes between its parts; else None."""
        return self._structure.lengths

    def __tensor_flatten__(self) -> tuple[list[str], dict[str, Any]]:
        """(The attributes that hold its tensors, what else there is to it): what `__tensor_unflatten__` makes it of
        again."""
        inner = ["_values", "_offsets", *(["_lengths"] if self._lengths is not None else [])]
        return inner, {"requires_grad": self.requires_grad, "ragged_idx": self._ragged_idx}

    @staticmethod
    def __tensor_unflatten__(inner_tensors: dict, meta: dict, outer_size: Any, outer_stride: Any) -> Any:
        """The nested tensor of these inner tensors."""
        structure = structure_of(inner_tensors["_offsets"], inner_tensors.get("_lengths"))
        return wrap(inner_tensors["_values"], structure, meta["ragged_idx"])

    def __reduce_ex__(self, protocol):
        s = self._structure
        return (_remake, (self._values, s.offsets, s.lengths, self._ragged_idx))

    def __deepcopy__(self, memo):
        made = wrap(self._values.detach().clone(), self._structure, self._ragged_idx)
        return made.requires_grad_(True) if self.requires_grad else made


def _no_part():
    raise IndexError("tuple index out of range")


def _remake(values, offsets, lengths, ragged):
    return wrap(values, structure_of(offsets, lengths), ragged)


def wrap(values: Any, structure: Structure, ragged: int) -> NestedTensor:
    """The nested tensor of these values."""
    made: Any = bare(NestedTensor)
    made._values, made._structure, made._ragged_idx = values, structure, ragged
    return made


def pack(parts: list, ragged: int) -> NestedTensor:
    """The nested tensor of these parts, which may differ in dim `ragged` - 1."""
    sizes = tuple([p.shape[ragged - 1] for p in parts])
    offsets = torch.tensor([0, *itertools.accumulate(sizes)], dtype=dtypes.int64, device=parts[0].device)
    structure = _known[id(offsets), None] = Structure(
        offsets, None, sizes
    )  # for who makes another of offsets()
    return wrap(torch.cat(parts, ragged - 1), structure, ragged)


def holes(t: NestedTensor, name: str) -> None:
    """Raises for a tensor with holes between its parts."""
    if t._structure.lengths is not None:
        raise RuntimeError(f"{name}(): not supported for nested tensors with holes: call contiguous() first")


# -- pointwise functions -----------------------------------------------------------------------------------------------


def pointwise(name: str, func: Callable, args: tuple, kwargs: dict) -> Any:
    """The function of the values of all nested arguments; dense ones are brought to their shape."""
    lead = next(x for x in (*args, *kwargs.values()) if isinstance(x, NestedTensor))

    def inner(x: Any) -> Any:
        if isinstance(x, NestedTensor):
            if x._structure is not lead._structure or x._ragged_idx != lead._ragged_idx:
                _mismatch(name, lead, x)
            return x._values
        return _spread(name, lead, x) if isinstance(x, Tensor) else x

    result = func(*[inner(x) for x in args], **{k: inner(x) for k, x in kwargs.items()})
    if writes_in_place(name):
        return args[0]
    return wrap(result, lead._structure, lead._ragged_idx)


def _mismatch(name: str, a: Any, b: Any):
    raise RuntimeError(
        f"cannot call binary pointwise function {name.strip('_')} with inputs of shapes {tuple(a.shape)} and {tuple(b.shape)}"
    )


def _spread(name: str, lead: NestedTensor, x: Any) -> Any:
    """A dense tensor, in the shape that goes with the values of a nested one."""
    n, r = lead.dim(), lead._ragged_idx
    if isinstance(x, NestedBase) or x.ndim > n:
        _mismatch(name, lead, x)
    if x.ndim < n:
        at = r - (n - x.ndim)
        if at >= 0 and x.shape[at] != 1:
            _mismatch(name, lead, x)
        return x
    if x.shape[0] == 1 and x.shape[r] == 1:
        return x.squeeze(0)
    if x.shape[0] not in (1, lead._structure.batch) or x.shape[r] not in (1, lead._structure.longest()):
        _mismatch(name, lead, x)
    holes(lead, name)
    part, position = lead._structure.places(lead._values.shape[r - 1])
    rows = x.expand(lead._structure.batch, *x.shape[1:]).movedim(r, 1)
    taken = rows[:, 0][part] if x.shape[r] == 1 else rows[part, position]
    return taken.movedim(0, r - 1)
