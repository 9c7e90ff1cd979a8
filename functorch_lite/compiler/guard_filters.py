"""PyTorch's filters of guards, for `options={"guard_filter_fn": …}`.
Here all that a function reads is watched, so none of them is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..nn.parameter import Parameter

__all__ = [
    "keep_portable_guards_unsafe", "keep_tensor_guards_unsafe", "set_enable_guard_collectives", "skip_all_guards_unsafe",
    "skip_guard_on_all_nn_modules_unsafe", "skip_guard_on_globals_unsafe", "skip_guard_on_inbuilt_nn_modules_unsafe",
]  # fmt: skip


def keep_portable_guards_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keeps guards on modes and shapes, and guards on tensors that are not globals.

    >>> torch.compiler.keep_portable_guards_unsafe([])
    []
    """
    kept = ("GLOBAL_STATE", "SHAPE_ENV")
    return [
        g.guard_type in kept or (g.guard_type == "TENSOR_MATCH" and not g.is_global) for g in guard_entries
    ]


def keep_tensor_guards_unsafe(guard_entries: Sequence[Any], keep_parameters: bool = False) -> list[bool]:
    """Keeps guards on tensors; on parameters only if asked to.

    >>> torch.compiler.keep_tensor_guards_unsafe([])
    []
    """
    return [
        g.guard_type == "TENSOR_MATCH" and (keep_parameters or not isinstance(g.value, Parameter))
        for g in guard_entries
    ]


def skip_all_guards_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keeps none.

    >>> torch.compiler.skip_all_guards_unsafe([])
    []
    """
    return [False] * len(guard_entries)


def skip_guard_on_all_nn_modules_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keeps all guards except the ones on modules.

    >>> torch.compiler.skip_guard_on_all_nn_modules_unsafe([])
    []
    """
    return [not g.orig_guard.source.is_unspecialized_nn_module() for g in guard_entries]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keeps all guards except the ones on modules of torch.nn's own classes.

    >>> torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe([])
    []
    """
    return [not g.orig_guard.source.is_unspecialized_builtin_nn_module() for g in guard_entries]


def skip_guard_on_globals_unsafe(guard_entries: Sequence[Any]) -> list[bool]:
    """Keeps all guards except the ones on globals.

    >>> torch.compiler.skip_guard_on_globals_unsafe([])
    []
    """
    return [not g.is_global for g in guard_entries]


def set_enable_guard_collectives(enabled: bool) -> bool:
    """Returns False, the only supported value: processes do not ask each other whether they record again.

    True raises NotImplementedError."""
    if enabled:
        raise NotImplementedError(
            "torch.compiler.set_enable_guard_collectives: only False is supported, because each process checks its guards by itself; call the function with the same kinds of arguments in all processes"
        )
    return False
