"""dims and dimlists: dimensions, and lists of them whose length may be left open, named by the variables they are
assigned to."""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from .base import Dim, DimensionBindError, FirstClass

__all__ = ["DimList", "dimlists", "dims", "flat"]


def dims(n: int | None = None, sizes: Sequence[int | None] | None = None) -> Any:
    """New dimensions: one, or a tuple of n of them.

    n: how many; by default as many as `sizes`, or as the variables that the call is assigned to. sizes: a size or None
    for each.

    >>> from functorch_lite.compat.functorch.dim import dims
    >>> i, j = dims(sizes=[2, None])
    >>> i, i.size, j.is_bound
    (i, 2, False)
    """
    return _made("dims", n, sizes, lambda name, size: Dim(name, -1 if size is None else size))


def dimlists(n: int | None = None, sizes: Sequence[Any] | None = None) -> Any:
    """New lists of dimensions: one, or a tuple of n. sizes: for each a length, a list of sizes, or None: then it
    takes the length from the value to which it is bound, as `...` does.

    >>> from functorch_lite.compat.functorch.dim import dimlists, dims
    >>> rest = dimlists(1)
    >>> last = dims(1)
    >>> torch.zeros(2, 3, 4)[rest, last].dims
    (rest0, rest1, last)
    """

    def make(name: str, size: Any) -> DimList:
        made = DimList(name=name)
        if isinstance(size, int):
            made.bind_len(size)
        elif size is not None:
            made.bind(size)
        return made

    return _made("dimlists", n, sizes, make)


class DimList:
    """A list of dimensions, whose length is set by the value to which it is first bound.

    len_or_dims: a length, or a list of dimensions and names; by default it is left open.
    """

    def __init__(self, len_or_dims: int | Sequence | None = None, name: str | None = None):
        self._name = "dim" if name is None else name
        self._dims: tuple[Dim, ...] | None = None
        if isinstance(len_or_dims, int):
            self.bind_len(len_or_dims)
        elif len_or_dims is not None:
            self._dims = tuple([d if isinstance(d, Dim) else Dim(str(d)) for d in len_or_dims])

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return FirstClass.__torch_function__(func, types, args, kwargs)

    @property
    def is_bound(self) -> bool:
        """Returns whether its length is known."""
        return self._dims is not None

    def bind_len(self, n: int) -> None:
        """Gives it a length; DimensionBindError if it has another."""
        if self._dims is None:
            self._dims = tuple([Dim(f"{self._name}{k}") for k in range(n)])
        elif len(self._dims) != n:
            raise DimensionBindError(f"Dimlist has size {len(self._dims)} but it is being bound to size {n}")

    def bind(self, sizes: Sequence[int | None]) -> None:
        """Gives it a length, and its dimensions these sizes, where they are not None."""
        self.bind_len(len(sizes))
        for d, n in zip(self._bound(), sizes):
            if n is not None:
                d.size = n

    def _bound(self) -> tuple[Dim, ...]:
        if self._dims is None:
            raise DimensionBindError("DimList not bound")
        return self._dims

    @property
    def size(self) -> int:
        """Its length, which can be set once."""
        return len(self._bound())

    @size.setter
    def size(self, n: int) -> None:
        self.bind_len(n)

    def __len__(self) -> int:
        return len(self._bound())

    def __iter__(self):
        return iter(self._bound())

    def __getitem__(self, i: Any) -> Any:
        return self._bound()[i]

    def __repr__(self) -> str:
        if self._dims is None:
            return f"*{self._name}"
        return f"({', '.join(map(str, self._dims))})"


def flat(given: Any) -> list:
    """One or several dimensions, or numbers of them, as a list in which each list of dimensions is taken apart."""
    if not isinstance(given, tuple | list | DimList):
        return [given]
    return [e for d in given for e in (d if isinstance(d, DimList) else (d,))]


def _made(who: str, n: int | None, sizes: Sequence | None, make: Callable[[str, Any], Any]) -> Any:
    if n is None and sizes is not None:
        n = len(sizes)
    caller = sys._getframe(2)
    names, several = _assigned(caller.f_code, caller.f_lasti)
    if n is None:
        if not names:
            raise SyntaxError(
                f"{who}() must be assigned to a sequence of variable names or have argument n specified"
            )
        n = len(names)
    elif n < 0:
        raise SyntaxError(f"{who}({n}): the number must be at least 0")
    if sizes is not None and len(sizes) != n:
        raise ValueError(f"expected {n} sizes but found {len(sizes)}")
    if len(names) != n:
        names = tuple([f"d{k}" for k in range(n)])
    made = tuple([make(name, None if sizes is None else sizes[k]) for k, name in enumerate(names)])
    return made[0] if n == 1 and not several else made


@lru_cache(maxsize=4096)
def _assigned(code: CodeType, at: int) -> tuple[tuple[str, ...], bool]:
    """The variables that the result of the call at an offset of the bytecode is assigned to, and whether it is
    unpacked; none where it is used in another way."""
    following = [i for i in dis.get_instructions(code) if i.offset > at and i.opname not in ("CACHE", "EXTENDED_ARG", "NOP")]  # fmt: skip
    if not following:
        return (), False
    first, *rest = following
    if first.opname != "UNPACK_SEQUENCE":
        return _stored(first)[:1], False
    names: list[str] = []
    for i in rest:
        found = _stored(i)
        names += found
        if not found or len(names) >= first.arg:  # type: ignore[operator]
            break
    return (tuple(names[: first.arg]), True) if len(names) >= first.arg else ((), True)  # type: ignore[operator]


def _stored(i: dis.Instruction) -> tuple[str, ...]:
    """The variables that an instruction stores into: two in one from Python 3.13."""
    if i.opname == "STORE_FAST_STORE_FAST":
        return tuple(i.argval)
    if i.opname == "STORE_FAST_LOAD_FAST":
        return tuple(i.argval)[:1]
    return (i.argval,) if i.opname in ("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF") else ()
