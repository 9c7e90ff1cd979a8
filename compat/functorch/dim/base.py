"""Tensors with first-class dimensions, and the dimensions: what they hold, say of themselves, and to whom they hand a
call.

A tensor holds one of positional dimensions alone, whose first ones are its `dims`, in that order. The implementations
of public functions for such tensors are in the other files of this folder, which register them in `HANDLERS` by the
function's name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from functorch_lite._core.api import (
    ANY,
    DisableTorchFunctionSubclass,
    bare,
    from_array,
    name_of,
    size_of_ints,
)
from functorch_lite._core.api import Tensor as Plain
from functorch_lite.func._trees import flatten

__all__ = [
    "HANDLERS", "Dim", "DimensionBindError", "DimensionMismatchError", "FirstClass", "Tensor", "dims_of", "has", "parts", "place_of", "union",
    "without", "wrapped",
]  # fmt: skip


class DimensionBindError(Exception):
    """A dimension, or a list of them, cannot take this size."""


class DimensionMismatchError(Exception):
    """Dimensions of another size, or other dimensions, than are needed."""


HANDLERS: dict[str, Callable[[Callable, tuple, dict], Any]] = {}
"""What is done with a call, by the name of the public function: `handler(function, args, kwargs)`. "*" serves all
others."""

_OF_THE_WHOLE = frozenset("T H mT mH real imag".split())
"""Attributes that are tensors, made of the positional dimensions."""

_REFUSED = frozenset(
    """
    item tolist numpy data_ptr backward equal allclose is_nonzero __bool__ __float__ __int__ __index__ __complex__ __array__ __contains__
    """.split()
)
"""What would read numbers, of which there is one for each place of the first-class dimensions."""


class FirstClass(Plain):
    """Base of what has first-class dimensions: a tensor with some, or a dimension."""

    dims: tuple[Dim, ...]
    _data: Plain
    is_sparse = is_sparse_csr = is_quantized = is_mkldnn = is_nested = False

    @property
    def _cell(self) -> NoReturn:  # type: ignore[override]
        raise NotImplementedError(
            f"this cannot be done with a tensor that has first-class dimensions {self.dims}; order() makes them positional"
        )

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = (name_of(func) or func.__name__).rpartition(".")[2]
        if name == "__getattr__":  # no such attribute, which hasattr is to hear
            with DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        if name == "__get__":
            return _attribute(func, args[0])
        if name in _REFUSED:
            bound = union(args, kwargs or {})
            raise RuntimeError(
                f"{name}() of a tensor with first-class dimensions {bound}: it has a value for each of their places. order() makes them "
                "positional"
            )
        handler = HANDLERS.get(name) or HANDLERS["*"]
        return handler(func, args, kwargs or {})

    # -- what it says of itself: of its positional dimensions

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        """The dtype of the elements."""
        return self._data.dtype

    @property
    def device(self) -> Any:  # type: ignore[override]
        """Where the elements are."""
        return self._data.device

    @property
    def shape(self) -> Any:  # type: ignore[override]
        """The sizes of the positional dimensions."""
        return size_of_ints(self._data.shape[len(self.dims) :])

    @property
    def ndim(self) -> int:  # type: ignore[override]
        """The number of positional dimensions."""
        return self._data.ndim - len(self.dims)

    def dim(self) -> int:
        """The number of positional dimensions."""
        return self.ndim

    ndimension = dim

    def size(self, dim: Any = None) -> Any:
        """The sizes of the positional dimensions, or the size of one; for one of `dims`, the size of that dimension."""
        if dim is None:
            return self.shape
        if isinstance(dim, Dim):
            if not has(self.dims, dim):
                raise ValueError(f"tensor with dimensions {self.dims} does not contain {dim}")
            return dim.size
        return self.shape[dim]

    def numel(self) -> int:
        """The number of elements at a place of the first-class dimensions."""
        return int(np.prod(self.shape, dtype=np.int64))

    nelement = numel

    def stride(self, dim: int | None = None) -> Any:
        """The strides of the positional dimensions."""
        found = self._data.stride()[len(self.dims) :]
        return found if dim is None else found[dim]

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Returns whether all numbers lie in memory in the order of the dimensions."""
        return self._data.is_contiguous()

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        return iter(self.unbind(0))  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)

    # -- what plain tensors have not

    def order(self, *dims: Any) -> Any:
        """The tensor with first-class dimensions made positional, in this order, before its other positional ones.

        dims: of its `dims`, numbers of positional dimensions, and tuples of them, which become one dimension. Raises
        ValueError for one that the tensor lacks, or that is named twice.

        >>> from functorch_lite.compat.functorch.dim import dims
        >>> i, j = dims(2)
        >>> torch.arange(6).view(2, 3)[i, j].order(j, i)
        tensor([[0, 3],
                [1, 4],
                [2, 5]])
        """
        return HANDLERS["order"](FirstClass.order, (self, *dims), {})

    def index(self, dims: Any, indices: Any) -> Any:
        """The tensor, indexed at these dimensions, one or a list of them: by numbers, slices, tensors or other
        dimensions.

        >>> from functorch_lite.compat.functorch.dim import dims
        >>> i, j = dims(2)
        >>> torch.arange(6).view(2, 3)[i, j].index(j, 1).order(i)
        tensor([1, 4])
        """
        return HANDLERS["index"](FirstClass.index, (self, dims, indices), {})


class Tensor(FirstClass):
    """A tensor with first-class dimensions; `x[i, j]` makes one."""

    def __repr__(self) -> str:
        names = (*self.dims, *range(self.ndim))
        shown = ", ".join(map(str, names)) + ("," if len(names) == 1 else "")
        sizes = tuple(self._data.shape)
        return f"{self._data!r}\nwith dims=({shown}) sizes={sizes}"

    __str__ = __repr__


class Dim(FirstClass):
    """A first-class dimension: an object, of a name that is only shown, and of the size of the first thing that it was
    bound to.

    As a tensor it is the index of each of its places: 0, 1, and so on.
    """

    _size: int | None

    def __new__(cls, name: str, s: int = -1) -> Dim:
        made = bare(cls)
        made._name, made._size = name, None  # type: ignore[attr-defined]
        return made  # type: ignore[return-value]

    def __init__(self, name: str, s: int = -1):
        if s != -1:
            self.size = s

    @property
    def size(self) -> int:  # type: ignore[override]
        """Its size; ValueError while it has none. It is set once: another is a DimensionBindError."""
        if self._size is None:
            raise ValueError(f"dimension {self} is unbound")
        return self._size

    @size.setter
    def size(self, n: int) -> None:
        if self._size is None:
            if n < 0:
                raise ValueError(f"a dimension's size is not negative, and {n} is")
            self._size = int(n)
        elif self._size != n:
            raise DimensionBindError(
                f"Dim '{self}' previously bound to a dimension of size {self._size} cannot bind to a dimension of size {n}"
            )

    @property
    def is_bound(self) -> bool:
        """Returns whether it has a size."""
        return self._size is not None

    @property
    def dims(self) -> tuple[Dim, ...]:  # type: ignore[override]
        """Itself."""
        return (self,)

    @property
    def _data(self) -> Plain:  # type: ignore[override]
        return from_array(np.arange(self.size), on=ANY)

    @property
    def shape(self) -> Any:  # type: ignore[override]
        """No positional dimensions."""
        return size_of_ints(())

    @property
    def ndim(self) -> int:  # type: ignore[override]
        """0."""
        return 0

    def __repr__(self) -> str:
        return self._name  # type: ignore[attr-defined]

    __str__ = __repr__


def _attribute(accessor: Any, t: FirstClass) -> Any:
    name = name_of(accessor.__self__.fget).split(".")[-2]  # type: ignore[union-attr]
    if name in _OF_THE_WHOLE:
        return HANDLERS["*"](accessor, (t,), {})
    found = getattr(t._data, name)
    return wrapped(found, t.dims) if name in ("data", "grad") and found is not None else found


def wrapped(data: Plain, dims: Sequence[Dim]) -> Any:
    """A tensor whose first dimensions are these; as it is if there are none."""
    if not dims:
        return data
    made = bare(Tensor)
    made._data, made.dims = data, tuple(dims)  # type: ignore[attr-defined]
    return made


def parts(x: Any) -> tuple[Plain, tuple[Dim, ...]]:
    """Returns the plain tensor that x holds, and its first-class dimensions."""
    return (x._data, x.dims) if isinstance(x, FirstClass) else (x, ())


def place_of(d: Any, dims: Sequence[Any]) -> int:
    """Where a dimension is among others, -1 if nowhere.

    Dimensions are distinguished by identity: `==` compares them as tensors."""
    return next((k for k, e in enumerate(dims) if e is d), -1)


def has(dims: Sequence[Any], d: Any) -> bool:
    """Returns whether a dimension is among others."""
    return place_of(d, dims) >= 0


def without(dims: Sequence[Dim], others: Sequence[Any]) -> tuple[Dim, ...]:
    """The dimensions that are not among others."""
    return tuple([d for d in dims if not has(others, d)])


def dims_of(*tensors: Any) -> tuple[Dim, ...]:
    """The first-class dimensions of all of them, each once."""
    found: dict[Dim, None] = {}
    for t in tensors:
        if isinstance(t, FirstClass):
            for d in t.dims:
                found[d] = None
    return tuple(found)


def union(*trees: Any) -> tuple[Dim, ...]:
    """The same of trees of arguments."""
    return dims_of(*flatten(trees)[0])
