"""torch._jit_internal: what libraries import of it.
Nothing is scripted, so its decorators give back what they are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: F401, UP035  # types in TorchScript's words

from .futures import Future
from .jit import _overload, export, ignore, is_scripting, is_tracing, unused

__all__ = [
    "Any", "Await", "BroadcastingList", "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Final", "Future", "boolean_dispatch", "export", "ignore",
    "is_scripting", "is_tracing", "unused",
]  # fmt: skip

Await = Future


class BroadcastingListCls:
    """`BroadcastingList2[int]`: the annotation of one int, or of two."""

    def __getitem__(self, types: Any) -> Any:
        return list[types]


BroadcastingList = BroadcastingListCls()
BroadcastingList1, BroadcastingList2, BroadcastingList3 = BroadcastingList, BroadcastingList, BroadcastingList


_overload_method = _copy_to_script_wrapper = _overload


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable,
    if_false: Callable,
    module_name: str,
    func_name: str,
) -> Callable:
    """A function that is `if_true` or `if_false`, as an argument says."""

    def fn(*args: Any, **kwargs: Any) -> Any:
        chosen = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if chosen else if_false)(*args, **kwargs)

    fn.__name__, fn.__module__ = func_name, module_name
    fn.__doc__ = if_true.__doc__ or if_false.__doc__
    return fn


def _qualified_name(obj: Any, mangle_name: bool = True) -> str:
    """The name of a function or class, with its module's."""
    return f"{obj.__module__}.{obj.__qualname__}"


def get_callable_argument_names(fn: Callable) -> list[str]:
    """The names of a function's arguments that may be given by place and by name."""
    return [p.name for p in inspect.signature(fn).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
