"""torch.compile and torch.compiler.
Every program is compiled as it is recorded; what `compile` adds is that Python need not record it again.

A marked function is run, then recorded, then *replayed*: what it recorded is appended to the recording, and none of its
code runs. README.md says what each file does.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._core.api import flush, forget_programs
from .._core.api import watch as _watch
from ..api_names import lookup_of
from . import hooks, transforms
from .backends import get_default_backend, list_backends, set_default_backend
from .breaks import substitute_in_graph
from .errors import InvalidBackend as InvalidBackend
from .guard_filters import (
    keep_portable_guards_unsafe,
    keep_tensor_guards_unsafe,
    set_enable_guard_collectives,
    skip_all_guards_unsafe,
    skip_guard_on_all_nn_modules_unsafe,
    skip_guard_on_globals_unsafe,
    skip_guard_on_inbuilt_nn_modules_unsafe,
)
from .kept_programs import load_cache_artifacts, load_compiled_function, save_cache_artifacts, wrap_numpy
from .noting import noting
from .replay import every
from .stances import Disabled, set_stance
from .torch_compile import OptimizedModule as OptimizedModule
from .torch_compile import compile, wrapped

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "keep_portable_guards_unsafe", "keep_tensor_guards_unsafe", "list_backends",
    "load_cache_artifacts", "load_compiled_function", "nested_compile_region", "reset", "save_cache_artifacts", "set_default_backend",
    "set_enable_guard_collectives", "set_stance", "skip_all_guards_unsafe", "skip_guard_on_all_nn_modules_unsafe", "skip_guard_on_globals_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe", "substitute_in_graph", "wrap_numpy",
]  # fmt: skip


def _hooked(name: str) -> Callable:
    """A function of `debugging/hooked.py`, which is not loaded, with torch.fx, before a hook calls one."""

    def call(*args: Any) -> Any:
        from .debugging import hooked  # which needs torch.fx

        return getattr(hooked, name)(*args)

    return call


for _name in hooks.debugging.__annotations__:
    setattr(hooks.debugging, _name, staticmethod(_hooked(_name)))
_watch(hooks.made, hooks.failed)


def is_compiling() -> bool:
    """Returns whether the code that asks is a marked function's, and is run to be recorded: what it does now is what is
    replayed.

    False in all other code, in transforms by themselves, and where a compiled function runs without replay.
    """
    return noting.compiling


def is_dynamo_compiling() -> bool:
    """Returns the same as `is_compiling`."""
    return noting.compiling


def is_exporting() -> bool:
    """Returns whether the code that asks is run by `torch.export.export`, and decides now what the exported program does."""
    return noting.exporting


def reset() -> None:
    """Forgets what is known of every marked function and transform, and every program; what is called next is recorded
    and compiled again."""
    flush()
    for replayed in list(every):
        replayed.forget()
    transforms.forget()
    forget_programs()


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function, module or class, to run without recording wherever it is called; a decorator when none is given.

    Called by a marked function, it keeps that from being replayed: a call of it cannot be left out. With fullgraph it
    raises there. recursive: whether compiled functions that it calls run without recording too. reason: a note for
    the reader of the code.
    """
    if fn is None:
        return lambda fn: disable(fn, recursive, reason=reason)
    if not callable(fn):
        raise AssertionError("fn must be callable")
    return wrapped(fn, Disabled(fn, recursive))


def allow_in_graph(fn: Any) -> Any:
    """The function, or the list of functions: all are allowed."""
    if isinstance(fn, list | tuple):
        return [allow_in_graph(f) for f in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: Callable) -> Callable:
    """The function. Inside a compiled function its result is guarded like any other value."""
    return fn


def nested_compile_region(
    fn: Callable | None = None, *, options: Any = None, max_reuse_entries: int = 8, reuse_hash_fn: Any = None
) -> Any:
    """A function that calls the function: stretches of a recording that repeat share a program by themselves."""
    if options is not None or reuse_hash_fn is not None:
        raise NotImplementedError(
            "nested_compile_region: what repeats is found by itself here; leave options= and reuse_hash_fn= out"
        )
    if fn is None:
        return nested_compile_region

    @functools.wraps(fn)
    def call(*args, **kwargs):
        return fn(*args, **kwargs)

    return call


def cudagraph_mark_step_begin() -> None:
    """Does nothing: results of an earlier step are never overwritten here."""


__getattr__ = lookup_of(__name__)
