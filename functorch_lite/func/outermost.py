"""Calls of transforms from eager code.
The outermost one, called from eager code, is handed to who can do without running the function again (see
`compiler.replay`)."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import update_wrapper
from types import FunctionType
from typing import Any

from .._core.api import state, tidy

__all__ = ["Carried", "Fixed", "Transform", "at_once", "seam", "transform"]


class Transform:
    """A transform of a function: `run` computes it. `func` is the function; `what` is the kind of transform with all
    its options; `owner` is a reference to the public function, whose attribute `transform` this object is.
    (`wraps` copies attributes to others.)"""

    __slots__ = ("func", "owner", "run", "what")

    def __init__(self, func: Callable, what: tuple, run: Callable):
        self.func, self.what, self.run = func, what, run
        self.owner: Callable[[], Any] = lambda: None


class _Seam:
    """`call(transform, args, kwargs)` calls the outermost transforms; None until it is set."""

    call: Callable[[Transform, tuple, dict], Any] | None = None


seam = _Seam()


def transform(func: Callable, *what: Any) -> Callable[[Callable], Callable]:
    """Decorates a function that computes a transform of func. what: the kind of transform, with all its options."""

    def decorate(run: Callable) -> Callable:
        this = Transform(func, what, run)

        def wrapper(*args, **kwargs):
            try:
                if seam.call is None or state.here.rec.level:
                    return run(*args, **kwargs)
                return seam.call(this, args, kwargs)
            except BaseException as error:
                tidy(error)
                raise

        _named_after(wrapper, func)
        wrapper.transform = this  # type: ignore[attr-defined]
        this.owner = weakref.ref(wrapper)
        return wrapper

    return decorate


def _named_after(wrapper: FunctionType, func: Callable) -> None:
    """`functools.update_wrapper`, written out, because loops create their transforms again at each step."""
    if type(func) is not FunctionType:
        update_wrapper(wrapper, func)
        return
    wrapper.__module__, wrapper.__doc__ = func.__module__, func.__doc__
    wrapper.__name__, wrapper.__qualname__ = func.__name__, func.__qualname__
    wrapper.__annotations__ = func.__annotations__
    if func.__dict__:
        wrapper.__dict__.update(func.__dict__)
    wrapper.__wrapped__ = func  # type: ignore[attr-defined]


def at_once(func: Callable, what: tuple, run: Callable, *args: Any) -> Any:
    """Calls a transform of func where it is created: `run(*args)`, or a result that can be computed without running
    func again."""
    if seam.call is None or state.here.rec.level:
        return run(*args)
    return seam.call(Transform(func, what, run), args, {})


class Carried:
    """Values that one part of a transform hands to another part, in addition to tensors."""

    __slots__ = ("parts",)

    def __init__(self, *parts: Any):
        self.parts = parts


class Fixed(Carried):
    """The same, for transforms that never change and that depend on the recording alone."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is Fixed and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)
