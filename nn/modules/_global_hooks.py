"""Hooks that hold for every module of the process, and the functions that register them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

from functorch_lite.utils.hooks import RemovableHandle

from ._legacy_backward_hooks import warn_of_the_tape

__all__ = [
    "register_module_backward_hook", "register_module_buffer_registration_hook", "register_module_forward_hook",
    "register_module_forward_pre_hook", "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook", "register_module_parameter_registration_hook",
]  # fmt: skip


class CallHooks(OrderedDict):
    """Hooks that run when a module is called, by their handles' ids.

    Calls look for hooks only from the moment on when the first was put into any dict of this kind: looking takes as
    long as all else that calling a module costs.
    """

    in_use = False

    def __setitem__(self, key: int, hook: Callable) -> None:
        CallHooks.in_use = True
        super().__setitem__(key, hook)


_global_backward_pre_hooks: OrderedDict[int, Callable] = CallHooks()
_global_backward_hooks: OrderedDict[int, Callable] = CallHooks()
_global_forward_pre_hooks: OrderedDict[int, Callable] = CallHooks()
_global_forward_hooks: OrderedDict[int, Callable] = CallHooks()
_global_forward_hooks_always_called: OrderedDict[int, bool] = OrderedDict()
_global_forward_hooks_with_kwargs: OrderedDict[int, bool] = OrderedDict()
_global_buffer_registration_hooks: OrderedDict[int, Callable] = OrderedDict()
_global_module_registration_hooks: OrderedDict[int, Callable] = OrderedDict()
_global_parameter_registration_hooks: OrderedDict[int, Callable] = OrderedDict()

_ONE_KIND = "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of them."
_kind: dict[str, bool] = {}
"""Under "full": whether the global backward hooks are full ones; the first that was registered decides for good."""


def global_hooks_are_full() -> bool:
    """Returns whether the global backward hooks are full ones."""
    return _kind.get("full", False)


def _register_backward(hook: Callable, full: bool) -> RemovableHandle:
    if _kind.setdefault("full", full) is not full:
        raise RuntimeError(_ONE_KIND.format("as a global Module hook"))
    return _register(_global_backward_hooks, hook)


def _register(hooks: OrderedDict, hook: Callable) -> RemovableHandle:
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def registered(hooks: OrderedDict, owner, name: str, value):
    """`value` after the registration hooks have seen it: each may replace it."""
    for hook in hooks.values():
        replaced = hook(owner, name, value)
        if replaced is not None:
            value = replaced
    return value


def register_module_buffer_registration_hook(hook: Callable) -> RemovableHandle:
    """Calls `hook(module, name, buffer)` whenever a buffer is registered; what it returns, if not None, is
    registered."""
    return _register(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable) -> RemovableHandle:
    """Calls `hook(module, name, submodule)` whenever a submodule is registered; what it returns, if not None, is
    used."""
    return _register(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable) -> RemovableHandle:
    """Calls `hook(module, name, param)` whenever a parameter is registered; what it returns, if not None, is used."""
    return _register(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Callable) -> RemovableHandle:
    """Calls `hook(module, args)` before the forward of every module; it may return new arguments."""
    return _register(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable, *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Calls `hook(module, args, output)` after the forward of every module; it may return a new output."""
    handle = RemovableHandle(
        _global_forward_hooks,
        extra_dict=[_global_forward_hooks_with_kwargs, _global_forward_hooks_always_called],
    )
    _global_forward_hooks[handle.id] = hook
    if with_kwargs:
        _global_forward_hooks_with_kwargs[handle.id] = True
    if always_call:
        _global_forward_hooks_always_called[handle.id] = True
    return handle


def register_module_full_backward_pre_hook(hook: Callable) -> RemovableHandle:
    """Calls `hook(module, grad_output)` when the gradients of any module's outputs are known; it may return new
    ones."""
    return _register(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable) -> RemovableHandle:
    """Calls `hook(module, grad_input, grad_output)` when the gradients of any module's inputs are known; it may return
    new ones."""
    return _register_backward(hook, True)


def register_module_backward_hook(hook: Callable) -> RemovableHandle:
    """Deprecated in favor of `register_module_full_backward_hook`: `Module.register_backward_hook` of every module."""
    handle = _register_backward(hook, False)
    warn_of_the_tape("register_module_backward_hook")
    return handle
