"""torch.jit for programs that use it: nothing is scripted, functions and modules stay what they are; modules that were traced are kept in files.

Programs are compiled as they are recorded, so `script`, `trace` and `freeze` check what they are given and give it back; the decorators
mark nothing. A file of `save` is one of `torch.export.save`: the Graph of the traced calls, and data. TorchScript's own files are neither written nor read.
"""

from __future__ import annotations

import builtins
import contextlib
import types
import typing
import weakref
from collections.abc import Callable, Iterator
from pickle import UnpicklingError
from typing import Any, NamedTuple
from typing import Final as Final

from . import export as exported
from ._core.api import Tensor
from .api_names import listed, lookup_of
from .nn.modules.module import Module
from .utils import _pytree as pytree

__all__ = [
    "Attribute", "ScriptFunction", "ScriptModule", "annotate", "export", "freeze", "ignore", "interface",
    "isinstance", "load", "optimize_for_inference", "save", "script", "script_if_tracing", "trace",
    "trace_module", "unused",
]  # fmt: skip
__path__: list[str] = []  # there are modules inside of it: _elsewhere.py
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


def _overload(fn: Callable) -> Callable:
    """`fn`, a signature of a function for TorchScript; the function that is defined after it takes its name."""
    return fn


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

    Unlike in PyTorch, its conditions and loops are not frozen to those that the example takes; in a file of `save` they are. The other arguments say how
    PyTorch would check that they are, and have nothing to check.
    """
    if not callable(func):
        raise RuntimeError(f"torch.jit.trace: expected a function or module, got {type(func).__name__}")
    given: tuple = ()
    if example_kwarg_inputs is None:
        given = (
            (example_inputs,) if builtins.isinstance(example_inputs, Tensor | dict) else tuple(example_inputs)
        )
    named = dict(example_kwarg_inputs or {})
    func(*given, **named)
    if builtins.isinstance(func, Module):
        _examples[func] = (_without_numbers(given), _without_numbers(named))
    return func


_examples: weakref.WeakKeyDictionary[Module, tuple[Any, Any]] = weakref.WeakKeyDictionary()
"""What modules were traced with."""


def _without_numbers(x: Any) -> Any:
    """Examples, of whose tensors only shapes and dtypes are kept."""
    return pytree.tree_map(lambda t: t.detach().to("meta") if builtins.isinstance(t, Tensor) else t, x)


def _with_numbers(x: Any) -> Any:
    return pytree.tree_map(
        lambda t: Tensor.new_zeros(t, t.shape, device="cpu") if builtins.isinstance(t, Tensor) else t, x
    )


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


def save(m: Any, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
    """Writes a module that `trace` was given to a file, by its name or open for bytes: its Graph at the example's sizes, parameters and buffers.

    It is exported in the mode, training or not, that it is in now. _extra_files: further texts, by name. Raises RuntimeError for a module that was not
    traced, and what `torch.export.export` raises.

    >>> import io
    >>> net = torch.jit.trace(nn.Linear(2, 3), torch.ones(1, 2))
    >>> file = io.BytesIO()
    >>> torch.jit.save(net, file)
    >>> _ = file.seek(0)
    >>> torch.equal(torch.jit.load(file)(torch.ones(1, 2)), net(torch.ones(1, 2)))
    True
    """
    if not builtins.isinstance(m, Module) or m not in _examples:
        raise RuntimeError(
            f"torch.jit.save: {type(m).__name__} was not traced. A file holds the Graph of a module at some sizes: give the module and an example to "
            "torch.jit.trace (or torch.export.export) first; or save model.state_dict() with torch.save"
        )
    args, kwargs = _with_numbers(_examples[m])
    exported.save(exported.export(m, args, kwargs), f, extra_files=_extra_files)


def load(
    f: Any,
    map_location: Any = None,
    _extra_files: dict[str, Any] | None = None,
    _restore_shapes: bool = False,
) -> Module:
    """The module of a file that `save` (or `torch.export.save`) wrote, called as the one that was saved. Nothing of the file is executed.

    map_location: the device of parameters and buffers. _extra_files: a dict whose values become those of these names in the file. Raises RuntimeError
    for a file of TorchScript, whose program cannot run here.
    """
    try:
        made = exported.load(f, extra_files=_extra_files).module()
    except UnpicklingError as error:
        raise RuntimeError(
            "torch.jit.load: this file was not written by torch.jit.save of this library. A TorchScript file holds a program, which cannot run here: "
            f"build the model in Python, and load a state_dict with torch.load ({error})"
        ) from None
    return made if map_location is None else made.to(map_location)


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

del annotations  # of __future__: PyTorch has a module of this name here
