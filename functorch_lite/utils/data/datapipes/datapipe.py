"""IterDataPipe and MapDataPipe: datasets that are chained, each a step on the one before it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, TypeVar

from ..dataset import Dataset, IterableDataset
from ._hook_iterator import _SnapshotState, hook_iterator, hook_reset

__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]

T_co = TypeVar("T_co", covariant=True)

UNTRACABLE_DATAFRAME_PIPES = ["batch", "groupby", "_dataframes_as_tuples", "trace_as_dataframe"]
"""Steps whose result is not a stream of data frames, whatever their source is."""


class _DataPipe:
    """Base of both kinds of datapipe: steps by name, printing, and hooks of serialization."""

    functions: ClassVar[dict[str, Callable]]
    reduce_ex_hook: ClassVar[Callable | None] = None
    getstate_hook: ClassVar[Callable | None] = None
    str_hook: ClassVar[Callable | None] = None
    repr_hook: ClassVar[Callable | None] = None
    _kind: ClassVar[type]
    _unsaved: ClassVar[tuple[str, ...]] = ()
    """Attributes that are not pickled, such as buffers and generators; `_clear` sets them anew."""

    def _clear(self) -> None:
        """Sets the attributes named in `_unsaved`."""

    def __getattr__(self, name: str) -> Any:
        if name in type(self).functions:
            found = functools.partial(type(self).functions[name], self)
            return functools.update_wrapper(found, type(self).functions[name], assigned=("__doc__",))
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    @classmethod
    def register_function(cls, function_name: str, function: Callable) -> None:
        """Make a function a method of every datapipe of this kind.

        Args:
            function_name: Name of the method.
            function: The function; its first argument is the datapipe.
        """
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: type, enable_df_api_tracing: bool = False
    ) -> None:
        """Register a class whose constructor becomes a method of every datapipe of this kind.

        Args:
            function_name: Name of the method.
            cls_to_register: The class; the first argument of its constructor is the datapipe.
            enable_df_api_tracing: Whether the result accepts operations on data frames.

        Raises:
            Exception: If the name is already taken.
        """
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is already taken")
        traces = function_name not in UNTRACABLE_DATAFRAME_PIPES

        def call(source: Any, *args: Any, **kwargs: Any) -> Any:
            found = cls_to_register(source, *args, **kwargs)
            if traces and isinstance(found, IterDataPipe):
                if enable_df_api_tracing or isinstance(source, DFIterDataPipe):
                    return found.trace_as_dataframe()
            return found

        cls.functions[function_name] = functools.update_wrapper(call, cls_to_register, assigned=("__doc__",))

    @classmethod
    def set_getstate_hook(cls, hook_fn: Callable | None) -> None:
        """Set the function that replaces the state of every pickled datapipe of this kind; None removes it."""
        cls._set("getstate_hook", hook_fn)

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn: Callable | None) -> None:
        """Set the function that reduces every pickled datapipe of this kind; None removes it."""
        cls._set("reduce_ex_hook", hook_fn)

    @classmethod
    def _set(cls, name: str, hook: Callable | None) -> None:
        if getattr(cls._kind, name) is not None and hook is not None:
            raise RuntimeError(f"Attempt to override existing {name}")
        setattr(cls._kind, name, staticmethod(hook) if hook is not None else None)

    def __getstate__(self) -> Any:
        state = {k: v for k, v in self.__dict__.items() if k not in self._unsaved}
        hook = self._kind.getstate_hook  # type: ignore[attr-defined]
        return state if hook is None else hook(state)

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self._clear()

    def __reduce_ex__(self, protocol: Any) -> Any:
        hook = self._kind.reduce_ex_hook  # type: ignore[attr-defined]
        if hook is not None:
            try:
                return hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(protocol)

    def __repr__(self) -> str:
        return type(self).__qualname__ if self.repr_hook is None else self.repr_hook(self)

    def __str__(self) -> str:
        return type(self).__qualname__ if self.str_hook is None else self.str_hook(self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self).functions]


class IterDataPipe(_DataPipe, IterableDataset[T_co]):
    """A dataset that is iterated, and on which steps such as `map`, `shuffle` and `batch` are chained.

    A subclass defines `__iter__`. The steps that `functional_datapipe` named are its methods. Only the latest iterator
    of a datapipe is valid: the others raise RuntimeError. `reset()` is called before each pass.

    Types such as `IterDataPipe[int]` are not checked, as in PyTorch 2.13.

    >>> from functorch_lite.utils.data import IterDataPipe
    >>> class Numbers(IterDataPipe):
    ...     def __iter__(self): yield from range(3)
    >>> list(Numbers()), Numbers()
    ([0, 1, 2], Numbers)
    >>> list(Numbers().map(lambda x: 2 * x).batch(2))
    [[0, 2], [4]]
    """

    functions: ClassVar[dict[str, Callable]] = {}
    _valid_iterator_id: int | None = None
    _number_of_samples_yielded: int = 0
    _snapshot_state: _SnapshotState = _SnapshotState.NotStarted
    _fast_forward_iterator: Iterator | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "reset" in vars(cls):
            hook_reset(cls)
        if "__iter__" in vars(cls):
            hook_iterator(cls)

    def __iter__(self) -> Iterator:
        return self  # type: ignore[return-value]

    def reset(self) -> None:
        """Return to the initial state: called before each pass; a subclass that buffers overrides it."""


hook_reset(IterDataPipe)
hook_iterator(IterDataPipe)
IterDataPipe._kind = IterDataPipe


class DFIterDataPipe(IterDataPipe):
    """An IterDataPipe whose items are data frames."""

    def _is_dfpipe(self) -> bool:
        return True


class MapDataPipe(_DataPipe, Dataset[T_co]):
    """A dataset with `__getitem__` and `__len__`, on which steps such as `map` and `batch` are chained.

    >>> from functorch_lite.utils.data import MapDataPipe
    >>> class Squares(MapDataPipe):
    ...     def __getitem__(self, i): return i * i
    >>> Squares().map(lambda x: -x)[3]
    -9
    """

    functions: ClassVar[dict[str, Callable]] = {}


MapDataPipe._kind = MapDataPipe


class DataChunk(list):
    """A list of items that belong together, such as a batch.

    Args:
        items: The items.

    >>> from functorch_lite.utils.data import DataChunk
    >>> DataChunk([1, 2]).as_str()
    '[1, 2]'
    """

    def __init__(self, items: Iterable):
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """Return the items in brackets, after `indent`."""
        return f"{indent}[{', '.join(str(i) for i in iter(self))}]"

    def __iter__(self) -> Iterator:
        yield from super().__iter__()

    def raw_iterator(self) -> Iterator:
        """Return an iterator over the items as they were given."""
        yield from self.items


class _Wrapped(_DataPipe):
    """Base of the datapipes that a DataLoader holds in the place of the user's: they have its items and its length."""

    def __init__(self, datapipe: Any):
        self._datapipe = datapipe

    def __len__(self) -> int:
        try:
            return len(self._datapipe)
        except Exception as error:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length") from error


class _IterDataPipeSerializationWrapper(_Wrapped, IterDataPipe):
    def __iter__(self) -> Iterator:
        return iter(self._datapipe)


class _MapDataPipeSerializationWrapper(_Wrapped, MapDataPipe):
    def __getitem__(self, index: Any) -> Any:
        return self._datapipe[index]
