"""torch.Size."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, SupportsIndex, overload

from ..lazy.tensor import Tensor
from ..words.numbers import is_scalar, is_whole

__all__ = ["Size", "size_of_ints"]


class Size(tuple[int, ...]):
    """torch.Size: the tuple that `shape` and `size()` return.

    >>> torch.Size([2, True, torch.tensor(3)])
    torch.Size([2, 1, 3])
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[Any] = ()) -> Size:
        self = tuple.__new__(cls, sizes)
        if all(n.__class__ is int for n in self):
            return self
        return tuple.__new__(cls, [_element(n, i) for i, n in enumerate(self)])

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def numel(self) -> int:
        """The number of elements of a tensor of this size."""
        total = 1
        for n in self:
            total *= n
        return total

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...

    def __getitem__(self, index: Any) -> Any:
        got = tuple.__getitem__(self, index)
        return Size(got) if isinstance(index, slice) else got

    def __add__(self, other: Iterable[Any]) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other: Iterable[Any]) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, other: SupportsIndex) -> Size:
        return Size(tuple.__mul__(self, other))

    __rmul__ = __mul__


def _element(n, i: int):
    single = isinstance(n, Tensor) and n._aval.dtype.category < 2 and n.numel() == 1  # type: ignore[attr-defined]
    if single or is_whole(n):
        return int(n)
    if is_scalar(n) or isinstance(n, str | bytes | tuple | list | Tensor) or n is None:
        raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(n).__name__}')")
    return n


size_of_ints: Callable[[tuple[int, ...]], Size] = functools.partial(tuple.__new__, Size)
"""A Size of what are known to be ints."""
