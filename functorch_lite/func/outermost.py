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
    """A transform of a function: `run` computes it. `func`: the function; `what`: which transform, with all that was
    asked for; `owner`: a reference to the function that users call, whose attribute `transform` this is. (`wraps`
    copies attributes to others.)"""

    __slots__ = ("func", "owner", "run", "what")

    def __init__(self, func: Callable, what: tuple, run: Callable):
        self.func, self.what, self.run = func, what, run
        self.owner: Callable[[], Any] = lambda: None


class _Seam:
    """`call(transform, args, kwargs)`: what calls the outermost transforms; None until it is filled."""

    call: Callable[[Transform, tuple, dict], Any] | None = None


seam = _Seam()


def transform(func: Callable, *what: Any) -> Callable[[Callable], Callable]:
    """Decorates what computes a transform of func. what: which one, with all that was asked for."""

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
    """`functools.update_wrapper`, written out: loops make their transforms anew at each step."""
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
    """Calls a transform of func where it is made: `run(*args)`, or what whoever can do without running func again
    says."""
    if seam.call is None or state.here.rec.level:
        return run(*args)
    return seam.call(Transform(func, what, run), args, {})


class Carried:
    """Values that a part of a transform hands to another part beside tensors."""

    __slots__ = ("parts",)

    def __init__(self, *parts: Any):
        self.parts = parts


class Fixed(Carried):
    """The same, where nothing of it ever changes, and what it is depends on what was recorded alone."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(other) is Fixed and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)
