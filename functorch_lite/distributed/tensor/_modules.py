"""`distribute_module`: a module's parameters and buffers on a mesh."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

from ..._core.api import Tensor, tidied
from .._dtensor import DTensor, same_everywhere
from .._layout import layout_of
from .._placements import Placement, Replicate
from ..device_mesh import DeviceMesh, current_mesh

__all__ = ["distribute_module", "place"]


def place(
    module: Any, name: str, mesh: DeviceMesh, placements: list[Placement], done: dict[int, Any]
) -> None:
    """Puts a parameter or buffer of a module on a mesh. done: what was put there, by the tensor that it was: tied
    parameters stay one."""
    is_parameter = name in module._parameters
    held = module._parameters[name] if is_parameter else module._buffers[name]
    made = done.get(id(held))
    if made is None:
        whole = same_everywhere(held.detach(), mesh, "distribute_module")
        made = layout_of(mesh, placements).receive(whole)
        made.requires_grad_(held.requires_grad)  # type: ignore[attr-defined]
        if is_parameter:
            made._is_param = True  # type: ignore[attr-defined]
        done[id(held)] = made
        done[id(made)] = made
        done.setdefault("kept", []).append(held)  # type: ignore[call-overload]
    if is_parameter:
        module.register_parameter(name, made)
    else:
        module._buffers[name] = made


def _replicate(module: Any, mesh: DeviceMesh, done: dict[int, Any]) -> None:
    """Replicates the parameters and buffers of a module that are not yet DTensors; its submodules are left alone."""
    for held in (module._parameters, module._buffers):
        for name, t in list(held.items()):
            if isinstance(t, Tensor) and not isinstance(t, DTensor):
                place(module, name, mesh, [Replicate()] * mesh.ndim, done)


def _arguments(fn: Callable) -> int:
    return len(inspect.signature(fn).parameters)


@tidied
def distribute_module(
    module: Any,
    device_mesh: DeviceMesh | None = None,
    partition_fn: Callable[[str, Any, DeviceMesh], None] | None = None,
    input_fn: Callable[[Any, Any, DeviceMesh], Any] | None = None,
    output_fn: Callable[[Any, Any, DeviceMesh], Any] | None = None,
) -> Any:
    """Puts a module on a mesh, and returns it.

    Args:
        module: the module, which is changed.
        device_mesh: the mesh; that of `with mesh:` if None.
        partition_fn: called as partition_fn(name, submodule, mesh) for each submodule, parents first, the module itself
            with the name "". It may replace parameters by DTensors. What is no DTensor afterwards is replicated.
        input_fn: called as input_fn(module, inputs, mesh) before each forward of the module, with the tuple of
            positional arguments.
        output_fn: called as output_fn(module, outputs, mesh) after it.

    Parameters that modules share stay one parameter. Optimizers are to be made afterwards. Raises RuntimeError if the
    module was distributed before.
    """
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError(
            "distribute_module should only be called once on a module, but it has already been called on this module!"
        )
    mesh = current_mesh(device_mesh, "distribute_module")
    hooks = [_hook(fn, what) for fn, what in ((input_fn, "input_fn"), (output_fn, "output_fn"))]
    done: dict[int, Any] = {}
    if partition_fn is not None:
        for name, submodule in list(module.named_modules()):
            partition_fn(name, submodule, mesh)
    for submodule in module.modules():
        _replicate(submodule, mesh, done)
    for fn, register in zip(hooks, (module.register_forward_pre_hook, module.register_forward_hook)):
        if fn is not None:
            register(_before(fn, mesh) if fn is hooks[0] else _after(fn, mesh))
    module._distribute_module_applied = True
    return module


def _before(fn: Callable, mesh: DeviceMesh) -> Callable:
    return lambda module, inputs: fn(module, inputs, mesh)


def _after(fn: Callable, mesh: DeviceMesh) -> Callable:
    return lambda module, inputs, outputs: fn(module, outputs, mesh)


def _hook(fn: Callable | None, what: str) -> Callable | None:
    """A function of three arguments, of one that takes two or three."""
    if fn is None:
        return None
    count = _arguments(fn)
    if count == 2:
        warnings.warn(
            f"Deprecating {what} that takes two arguments (inputs, device_mesh), please use {what} that takes in (module, inputs, device_mesh) instead!",
            FutureWarning,
            stacklevel=4,
        )
        return lambda module, values, mesh: fn(values, mesh)
    if count != 3:
        raise ValueError(f"{what} should take in 3 arguments, but got {count} arguments!")
    return fn
