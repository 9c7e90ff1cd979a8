"""`step`: a datapipe written as one function, whose parameters are those of the class and whose body makes the items."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

from ._decorator import functional_datapipe
from .datapipe import IterDataPipe, MapDataPipe

__all__ = ["length_of", "step"]


def length_of(datapipe: Any, of: Any) -> int:
    """The length of `of`; TypeError in the name of a datapipe on it if it has none."""
    if not hasattr(type(of), "__len__"):
        raise TypeError(f"{type(datapipe).__name__} instance doesn't have valid length")
    return len(of)


def _as_source(pipe: Any) -> int:
    return length_of(pipe, pipe.datapipe)


def step(
    name: str | None,
    kind: type = IterDataPipe,
    length: Callable[[Any], int] | None = None,
    check: Callable[..., dict | None] | None = None,
    **options: bool,
) -> Callable[[Callable], type]:
    """Decorator that makes a class of datapipes of a generator function (of a function of an index, for MapDataPipe).

    The function's parameters are those of the constructor, which keeps them as attributes; `kind` MapDataPipe: the
    last one, `index`, is that of `__getitem__`. `name` is that of the method, `length` computes the length (by default
    there is none), `check` is called with the arguments and may return others in their place.
    """

    def make(fn: Callable) -> type:
        parameters = list(inspect.signature(fn).parameters.values())
        if issubclass(kind, MapDataPipe):
            parameters = [p for p in parameters if p.name != "index"]
        signature = inspect.Signature(parameters)
        several = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)

        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{fn.__name__}.__init__() {error}") from None
            bound.apply_defaults()
            vars(self).update(bound.arguments | ((check(**bound.arguments) if check else None) or {}))

        def call(self: Any, **more: Any) -> Any:
            values = {p.name: getattr(self, p.name) for p in parameters} | more
            return fn(*(values.pop(several) if several else ()), **values)

        def __iter__(self: Any) -> Iterator:
            yield from call(self)

        def __getitem__(self: Any, index: Any) -> Any:
            return call(self, index=index)

        items = {"__iter__": __iter__} if issubclass(kind, IterDataPipe) else {"__getitem__": __getitem__}
        space: dict[str, Any] = {"__init__": __init__, "__signature__": signature, **items}
        space |= {k: getattr(fn, k) for k in ("__doc__", "__module__", "__qualname__")}
        if length is not None:
            space["__len__"] = length
        cls = type(fn.__name__, (kind,), space)
        return functional_datapipe(name, **options)(cls) if name else cls

    return make


same_length = functools.partial(step, length=_as_source)
"""`step` for a datapipe that is as long as its source."""
