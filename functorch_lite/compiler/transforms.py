"""Replays transforms of functions (`vmap(grad(f))`): a function created again at each call is recognized by its code
and its closure."""

from __future__ import annotations

import gc
import types
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from ..func.outermost import Transform, seam
from .replay import Replayed, noting
from .simple import is_simple

__all__ = ["forget"]

MOST_SEEN, MOST_KEPT = 1_024, 64
"""Functions that were seen once, of which nothing is kept; functions that are replayed, with what they close over."""

_seen: OrderedDict[Any, list[weakref.ref]] = OrderedDict()
_kept: OrderedDict[Any, Replayed] = OrderedDict()
_used: set[Any] = set()
"""Keys that were called since Python last looked for garbage everywhere: the others are let go of then."""


def forget() -> None:
    """Forgets all functions."""
    _seen.clear()
    _kept.clear()
    _used.clear()


def _let_go(phase: str, info: dict[str, int]) -> None:
    if phase == "start" and info["generation"] == 2:
        for key in [k for k in _kept if k not in _used]:
            _kept.pop(key, None)
        _used.clear()


gc.callbacks.append(_let_go)


def _call(transform: Transform, args: tuple, kwargs: dict) -> Any:
    if noting.on:
        return transform.run(*args, **kwargs)
    key = (_identity(transform.func), transform.what)
    try:
        kept = _kept.get(key)
    except TypeError:  # what was asked for cannot be hashed
        return transform.run(*args, **kwargs)
    if kept is not None:
        _kept.move_to_end(key)
        _used.add(key)
        return kept(args, kwargs)
    seen = _seen.pop(key, None)
    if seen is not None and all(ref() is not None for ref in seen):  # else another object has an id of theirs
        _used.add(key)
        kept = _kept[key] = Replayed(transform.run, _function_of(transform.func))
        if len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
        return kept(args, kwargs)
    _seen[key] = list(_witnesses(transform.func))
    if len(_seen) > MOST_SEEN:
        _seen.popitem(last=False)
    return transform.run(*args, **kwargs)


seam.call = _call


def _transformed(f: Any) -> Transform | None:
    """Returns the Transform that a function is, or None if it is not a transform of a function."""
    of = f.__dict__.get("transform") if type(f) is types.FunctionType else None
    return of if type(of) is Transform and of.owner() is f else None


def _function_of(f: Any) -> Any:
    """The user's function in a transform of it, of it …"""
    while (of := _transformed(f)) is not None:
        f = of.func
    return f


def _identity(f: Any, around: tuple[int, ...] = ()) -> Any:
    """Returns a key that is equal for functions of equal code, globals, defaults and closure; closed-over objects are
    compared by `id`, which stays theirs while a function is kept. around: the functions that this one is found in, of
    which it may be one."""
    if id(f) in around:
        return id(f)
    around = (*around, id(f))
    of = _transformed(f)
    if of is not None:
        return (_identity(of.func, around), of.what)
    if type(f) is types.FunctionType:
        cells = tuple([_of_cell(c, around) for c in f.__closure__]) if f.__closure__ else ()
        return (
            f.__code__,
            id(f.__globals__),
            tuple([_of_value(x, around) for x in f.__defaults__ or ()]),
            cells,
            id(f.__kwdefaults__),
        )
    if type(f) is types.MethodType:
        return (_identity(f.__func__, around), id(f.__self__))
    return id(f)


def _of_cell(cell: types.CellType, around: tuple[int, ...]) -> Any:
    try:
        return _of_value(cell.cell_contents, around)
    except ValueError:
        return None


def _of_value(x: Any, around: tuple[int, ...]) -> Any:
    if is_simple(x):
        return (type(x), repr(x) if type(x) in (float, complex) else x)
    return _identity(x, around) if callable(x) else id(x)


def _witnesses(x: Any, depth: int = 4) -> Iterator[weakref.ref]:
    """Yields weak references to the closure of a function, and to the contents of containers in it: while these live,
    ids are unique."""
    if is_simple(x) or not depth:
        return
    if isinstance(x, list | tuple):
        for item in x:
            yield from _witnesses(item, depth - 1)
    elif isinstance(x, dict):
        yield from _witnesses(list(x.values()), depth)
    elif (of := _transformed(x)) is not None:
        yield from _witnesses(of.func, depth)
    elif type(x) is types.MethodType:
        yield from _witnesses((x.__self__, x.__func__), depth)
    elif type(x) is types.FunctionType:
        yield from _witnesses([*(x.__defaults__ or ()), *_contents(x)], depth)
    else:
        try:
            yield weakref.ref(x)
        except TypeError:
            return


def _contents(f: types.FunctionType) -> Iterator[Any]:
    for cell in f.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue
