"""torch.jit for programs that use it and could do without: nothing is scripted or traced, functions and modules stay what they are.

Programs are compiled as they are recorded, so `script`, `trace` and `freeze` check what they are given and give it back; the decorators
mark nothing. TorchScript's files hold programs, and are neither written nor read.
"""

from __future__ import annotations

import builtins
import contextlib
import types
import typing
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn
from typing import Final as Final

from ._core.api import Tensor
from .api_names import listed, lookup_of
from .nn.modules.module import Module

__all__ = [
    "Attribute", "ScriptFunction", "ScriptModule", "annotate", "export", "freeze", "ignore", "interface",
    "isinstance", "load", "optimize_for_inference", "save", "script", "script_if_tracing", "trace",
    "trace_module", "unused",
]  # fmt: skip
__dir__ = listed(__name__, "is_scripting", "is_tracing", "optimized_execution", "script_method")


class Attribute(NamedTuple):
    """A value with the type that TorchScript would give it."""

    value: Any
    type: Any


class ScriptModule(Module):
    """A Module. Classes may derive from it, with `script_method`; no module that `script` gives back is one."""


class ScriptFunction:
    """The class that no function is an instance of, since none is scripted."""

    def __init__(self) -> None:
        raise NotImplementedError(
            "torch.jit.ScriptFunction: functions are not scripted here; call them as they are"
        )


def is_scripting() -> bool:
    """False: what TorchScript cannot compile may run."""
    return False


def is_tracing() -> bool:
    """False: functions run in Python each time."""
    return False


def script(
    obj: Any, optimize: None = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None
) -> Any:
    """`obj`, a function, module or class, as it is: it may also do what TorchScript does not know.

    >>> @torch.jit.script
    ... def f(x: torch.Tensor, n: int):
    ...     return x * n
    >>> f(torch.ones(2), 3)
    tensor([3., 3.])
    """
    if not callable(obj) and not builtins.isinstance(obj, list | dict):
        raise TypeError(f"torch.jit.script: expected a function, module or class, got {type(obj).__name__}")
    return obj


def trace(
    func: Callable,
    example_inputs: Any = None,
    *args: Any,
    example_kwarg_inputs: dict | None = None,
    **kwargs: Any,
) -> Any:
    """`func`, a function or module, as it is, once it has been called with the example (a tensor or a tuple of arguments).

    Unlike in PyTorch, its conditions and loops are not frozen to those that the example takes. The other arguments say how PyTorch would
    check that they are, and have nothing to check.
    """
    if not callable(func):
        raise RuntimeError(f"torch.jit.trace: expected a function or module, got {type(func).__name__}")
    if example_kwarg_inputs is not None:
        func(**example_kwarg_inputs)
    else:
        func(
            *(
                (example_inputs,)
                if builtins.isinstance(example_inputs, Tensor | dict)
                else tuple(example_inputs)
            )
        )
    return func


def trace_module(mod: Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Module:
    """`mod` as it is, once each method named in `inputs` has been called with its example: see `trace`."""
    if not builtins.isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for name, example in inputs.items():
        trace(mod if name == "forward" else getattr(mod, name), example)
    return mod


def script_if_tracing(fn: Callable) -> Callable:
    """`fn`: there is no tracing."""
    return fn


_script_if_tracing = script_if_tracing


def _overload_method(fn: Callable) -> Callable:
    """`fn`: one of a method's signatures, for TorchScript."""
    return fn


def script_method(fn: Callable) -> Callable:
    """`fn`, a method of a `ScriptModule`."""
    return fn


def export(fn: Callable) -> Callable:
    """`fn`."""
    return fn


def unused(fn: Callable) -> Callable:
    """`fn`."""
    return fn


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """The function, as `@ignore` or `@ignore(drop=True)`."""
    if callable(drop):
        return drop
    if not builtins.isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    return lambda fn: fn


def interface(obj: type) -> type:
    """`obj`, a class."""
    if not builtins.isinstance(obj, type):
        raise RuntimeError("interface must be applied to a class")
    return obj


def annotate(the_type: Any, the_value: Any) -> Any:
    """`the_value`."""
    return the_value


def isinstance(obj: Any, target_type: Any) -> bool:
    """Whether `obj` is of `target_type`, a class, a tuple of classes, or List[X], Dict[K, V], Tuple[...], Optional[X] of them.

    >>> torch.jit.isinstance([1, 2], list[int])
    True
    """
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, t) for t in target_type)
    return _is_of(obj, target_type)


def freeze(mod: Module, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> Module:
    """`mod`, which must be in eval mode. Its parameters may still change."""
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Module, other_methods: list[str] | None = None) -> Module:
    """`mod`."""
    return mod


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """Does nothing: XLA optimizes every program."""
    yield


def save(m: Any, f: Any, _extra_files: Any = None) -> NoReturn:
    """Raises NotImplementedError: TorchScript's files hold programs."""
    raise NotImplementedError(
        "torch.jit.save: a TorchScript file holds a program, and there is none here. Save model.state_dict() with torch.save"
    )


def load(
    f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False
) -> NoReturn:
    """Raises NotImplementedError: TorchScript's files hold programs."""
    raise NotImplementedError(
        "torch.jit.load: a TorchScript file holds a program, which cannot run here. Build the model in Python, and load a state_dict with torch.load"
    )


def _is_of(obj: Any, kind: Any) -> bool:
    if kind in (list, dict, tuple) or str(kind) in ("typing.List", "typing.Dict", "typing.Tuple"):
        name = kind.__name__ if builtins.isinstance(kind, type) else str(kind).removeprefix("typing.")
        one = f"{name}[int, int]" if name in ("dict", "Dict") else f"{name}[int]"
        raise RuntimeError(
            f"Attempted to use {name} without a contained type. Please add a contained type, e.g. {one}"
        )
    origin, of = typing.get_origin(kind), typing.get_args(kind)
    if origin is None:
        return builtins.isinstance(obj, kind)
    if origin in (typing.Union, types.UnionType):
        return any(_is_of(obj, k) for k in of)
    if not builtins.isinstance(obj, origin):
        return False
    if origin is tuple:
        return len(obj) == len(of) and all(map(_is_of, obj, of))
    if origin is dict:
        return all(_is_of(k, of[0]) and _is_of(v, of[1]) for k, v in obj.items())
    return all(_is_of(e, of[0]) for e in obj)


__getattr__ = lookup_of(__name__)
