"""IterDataPipe and MapDataPipe: datasets that are chained, each made of the one before it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from ..dataset import Dataset, IterableDataset

__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]

T_co = TypeVar("T_co", covariant=True)


class _Named:
    """Base of both kinds of datapipe: steps by name, and how they print."""

    functions: ClassVar[dict[str, Callable]]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "__iter__" in vars(cls) and issubclass(cls, IterDataPipe):
            cls.__iter__ = _one_at_a_time(cls.__iter__)

    def __getattr__(self, name: str) -> Any:
        if name in type(self).functions:
            return functools.partial(type(self).functions[name], self)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self).functions]

    @classmethod
    def register_function(cls, function_name: str, function: Callable) -> None:
        """Makes a function a method of every datapipe of this kind."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: type, enable_df_api_tracing: bool = False
    ) -> None:
        """Registers a class, which the method makes an object of; an Exception for a name that is taken."""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.register_function(function_name, cls_to_register)

    def __repr__(self) -> str:
        return type(self).__qualname__


def _one_at_a_time(iterate: Callable) -> Callable:
    """The `__iter__` of an IterDataPipe: `reset` is called first, and iterators that it gave before end with an
    error."""
    if getattr(iterate, "_is_one_at_a_time", False):
        return iterate

    @functools.wraps(iterate)
    def __iter__(self: Any) -> Any:
        if self.__dict__.get("_iterating"):  # of the class above it, by super()
            return iterate(self)
        mine = self.__dict__["_valid_iterator_id"] = self.__dict__.get("_valid_iterator_id", 0) + 1
        self.__dict__["_iterating"] = True
        try:
            self.reset()
            found = iter(iterate(self))
        finally:
            self.__dict__["_iterating"] = False
        return _Iterator(self, found, mine)

    __iter__._is_one_at_a_time = True  # type: ignore[attr-defined]
    return __iter__


class _Iterator:
    """An iterator that is valid until its datapipe gives another one."""

    def __init__(self, pipe: Any, found: Any, number: int):
        self._pipe, self._found, self._number = pipe, found, number

    def __iter__(self) -> _Iterator:
        return self

    def __next__(self) -> Any:
        if self._pipe.__dict__["_valid_iterator_id"] != self._number:
            raise RuntimeError(
                "This iterator has been invalidated because another iterator has been created from the same IterDataPipe: "
                f"{self._pipe!r}\nThis may be caused by multiple references to the same IterDataPipe. We recommend using `.fork()` if that "
                "is necessary."
            )
        return next(self._found)


class IterDataPipe(_Named, IterableDataset):
    """A dataset that is iterated: a subclass defines `__iter__`, and has the steps that `functional_datapipe` named as
    methods.

    Only the iterator that was made last is valid; `reset()` is called before each.

    >>> from functorch_lite.utils.data.datapipes.datapipe import IterDataPipe
    >>> class Numbers(IterDataPipe):
    ...     def __iter__(self): return iter(range(3))
    >>> list(Numbers()), Numbers()
    ([0, 1, 2], Numbers)
    """

    functions: ClassVar[dict[str, Callable]] = {}

    def reset(self) -> None:
        """Resets a subclass before the next iteration; here, does nothing."""


class DFIterDataPipe(IterDataPipe):
    """An IterDataPipe of data frames."""


class MapDataPipe(_Named, Dataset):
    """A dataset with `__getitem__` and `__len__`, and the steps that `functional_datapipe` named as methods.

    >>> from functorch_lite.utils.data.datapipes.datapipe import MapDataPipe
    >>> class Squares(MapDataPipe):
    ...     def __getitem__(self, i): return i * i
    >>> Squares()[3]
    9
    """

    functions: ClassVar[dict[str, Callable]] = {}


class DataChunk(list):
    """A list of items that go together, such as a batch.

    >>> from functorch_lite.utils.data.datapipes.datapipe import DataChunk
    >>> DataChunk([1, 2]).as_str()
    '[1, 2]'
    """

    def __init__(self, items: Any):
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """The items in brackets."""
        return f"{indent}[{', '.join(str(i) for i in iter(self))}]"

    def raw_iterator(self) -> Any:
        """The items, one after another."""
        yield from self.items
