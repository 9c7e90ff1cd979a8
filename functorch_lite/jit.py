"""torch.jit for programs that use it: nothing is scripted, functions and modules run as the Python they are; modules
that were traced are kept in files.

Programs are compiled as they are recorded, so `script` and `trace` give back what shares all with what they were
given, and saves itself: a file of `save` is one of `torch.export.save`, the Graph of the traced calls, and data. From
TorchScript's own files `load` reads only data: parameters, buffers, attributes. They are not written.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import functools
import inspect
import io
import os
import textwrap
import types
import typing
import warnings
import weakref
from collections.abc import Callable, Iterator
from pickle import UnpicklingError
from typing import Any, NamedTuple
from typing import Final as Final

from . import export as exported
from ._core.api import Tensor, state
from .api_names import listed, lookup_of
from .export.exporting import Calls
from .export.files import program_of
from .futures import Future
from .nn.modules.module import Module
from .nn.parameter import Parameter
from .serialization import load as load_data
from .serialization import save as save_data
from .serialization.archive import ArchiveReader
from .serialization.loading import open_archive
from .serialization.scripted import Script, read_script
from .utils import _pytree as pytree

__all__ = [
    "Attribute", "Future", "ScriptFunction", "ScriptModule", "annotate", "enable_onednn_fusion", "export", "fork", "freeze",
    "ignore", "interface", "isinstance", "load", "onednn_fusion_enabled", "optimize_for_inference", "save", "script",
    "script_if_tracing", "set_fusion_strategy", "strict_fusion", "trace", "trace_module", "unused", "wait",
]  # fmt: skip
__path__: list[str] = []  # there are modules inside of it: _elsewhere.py
__dir__ = listed(
    __name__, "Error", "TracerWarning", "is_scripting", "is_tracing", "optimized_execution", "script_method"
)


class Error(Exception):
    """Error that TorchScript raises for a fault of a script. Nothing is scripted here, so nothing raises it."""


class TracerWarning(Warning):
    """Warning of PyTorch's tracer: of Python that it does not see. Programs ignore it by its class; nothing here warns
    so."""

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Does nothing: such warnings do not exist."""


class Attribute(NamedTuple):
    """A value with the type that TorchScript would give it."""

    value: Any
    type: Any


class _Saves:
    """Base of traced modules and functions: their Graph at the sizes of the example, as text and in files."""

    def save(self, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
        """Writes it to a file: see `torch.jit.save`."""
        save(self, f, _extra_files)

    def save_to_buffer(self, _extra_files: dict[str, Any] | None = None) -> bytes:
        """Returns what `save` writes, as bytes."""
        file = io.BytesIO()
        save(self, file, _extra_files)
        return file.getvalue()

    @property
    def graph(self) -> Any:
        """The `torch.fx.Graph` of its calls, of parameters and buffers by their names.

        RuntimeError for what was neither traced nor called."""
        return _program(self, "graph").module(check_guards=False).graph

    inlined_graph = graph

    @property
    def code(self) -> str:
        """The Graph as Python, by the names of ops of aten; of what was scripted and not called yet its Python, which
        is what runs.

        >>> net = torch.jit.trace(nn.Linear(2, 3), torch.ones(1, 2))
        >>> print(net.code.strip().splitlines()[0])
        def forward(self, input):
        """
        if _example_of(self) is None and (written := _written(self)) is not None:
            return written
        return _program(self, "code").module(check_guards=False).code


class ScriptModule(_Saves, Module):
    """Module that `script` and `trace` make of a module, of whose class it is too; with the same parameters, buffers
    and submodules. Classes may derive from it.

    >>> net = torch.jit.trace(nn.Linear(2, 3), torch.ones(1, 2))
    >>> isinstance(net, torch.jit.ScriptModule), isinstance(net, nn.Linear)
    (True, True)
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _note_call(self, args, kwargs)
        return super().__call__(*args, **kwargs)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value.value if builtins.isinstance(value, Attribute) else value)

    @property
    def original_name(self) -> str:
        """The name of the class that it was made of."""
        return type(self).__name__


class ScriptFunction(_Saves):
    """Function that `script` and `trace` make of a function: it is called as that one, and, if it was traced, saves
    itself."""

    def __init__(self, fn: Callable):
        functools.update_wrapper(self, fn)
        self._fn = fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        _note_call(self, args, kwargs)
        return self._fn(*args, **kwargs)

    def __reduce__(self) -> str:
        return self.__qualname__

    @property
    def name(self) -> str:
        """The function's name."""
        return self.__name__


class LoadedScript(ScriptModule):
    """A module of a TorchScript file, or of one without a program: its parameters, buffers, submodules and attributes.

    Calls raise NotImplementedError."""

    def __init__(self, script: Script, made: dict[int, Any], why: str):
        super().__init__()
        self._methods, self._why = script.methods, why
        self._kind = script.kind.rpartition(".")[2]
        self.training = bool(script.state.get("training", True))
        for name, value in script.state.items():
            if name in ("training", "_is_full_backward_hook"):
                continue
            if builtins.isinstance(value, Script):
                if id(value) not in made:
                    made[id(value)] = LoadedScript(value, made, why)
                self.add_module(name, made[id(value)])
            elif name in script.parameters:
                if id(value) not in made:
                    made[id(value)] = Parameter(value.detach(), value.requires_grad)
                self.register_parameter(name, made[id(value)])
            elif name in script.buffers:
                self.register_buffer(name, value)
            elif name.isidentifier() and not hasattr(type(self), name):
                setattr(self, name, value)

    @property
    def original_name(self) -> str:
        """The name of the class that it was made of."""
        return self._kind

    def extra_repr(self) -> str:
        """The class's name."""
        return f"original_name={self._kind}"

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Raises NotImplementedError: the file contains no program that can run."""
        raise NotImplementedError(self._why.format(f"{self._kind}.forward"))

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__.get("_methods", ()):
            raise NotImplementedError(self._why.format(f"{self._kind}.{name}"))
        return super().__getattr__(name)


_PROGRAM = (
    "torch.jit.load: {} is a program of TorchScript, which cannot run here. Its parameters and buffers were read: build the model in Python, and give it "
    "this module's state_dict()"
)


def _read_script(source: ArchiveReader, map_location: Any) -> LoadedScript:
    return LoadedScript(read_script(source, map_location), {}, _PROGRAM)


_NO_PROGRAM = (
    "torch.jit.load: {} was saved before it was called, so that the file has no program: give what was scripted an example of its arguments (call it once) "
    "and save it again; or build the model in Python, and give it this module's state_dict()"
)
_WITHOUT_PROGRAM = "functorch_lite module without a program 1"


def _as_script(held: list[Any]) -> Script:
    """A module as `_held` wrote it."""
    kind, training, parameters, buffers, inner = held
    modules = {name: _as_script(each) for name, each in inner.items()}
    return Script(kind, {"training": training, **parameters, **buffers, **modules}, parameters, buffers)


def _held(module: Module) -> list[Any]:
    """A module as data: the name of its class, whether it is in training, parameters, buffers, submodules."""
    inner = {name: _held(each) for name, each in module._modules.items() if each is not None}
    return [type(module).__name__, module.training, dict(module._parameters), dict(module._buffers), inner]


def _twin(module: Module) -> ScriptModule:
    """A ScriptModule that shares parameters, buffers and submodules with a module; itself if it is one."""
    if builtins.isinstance(module, ScriptModule):
        return module
    kind = type(module)
    made = _twin_class(kind).__new__(_twin_class(kind))
    state = dict(Module.__getstate__(module))
    for where in ("_parameters", "_buffers", "_modules"):
        state[where] = dict(state[where])
    Module.__setstate__(made, state)
    return made


@functools.cache
def _twin_class(kind: type[Module]) -> type[ScriptModule]:
    members = {"__module__": kind.__module__, "__qualname__": kind.__qualname__, "__doc__": kind.__doc__}
    return type(kind.__name__, (kind, ScriptModule), members)  # type: ignore[misc]


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
    """A ScriptModule or ScriptFunction that does what a module or function does, which may also be what TorchScript
    does not know; a class as it is.

    example_inputs: a list of tuples of arguments; the first is the example with which `save` records the calls. Without
    it, that is the first call.

    >>> @torch.jit.script
    ... def f(x: torch.Tensor, n: int):
    ...     return x * n
    >>> f(torch.ones(2), 3)
    tensor([3., 3.])
    """
    if builtins.isinstance(obj, list | dict | type | ScriptFunction):
        return obj
    if not callable(obj):
        raise TypeError(f"torch.jit.script: expected a function, module or class, got {type(obj).__name__}")
    made = _twin(obj) if builtins.isinstance(obj, Module) else ScriptFunction(obj)
    if builtins.isinstance(example_inputs, dict):
        example_inputs = next(iter(example_inputs.values()), None)
    if example_inputs:
        _examples[made] = (_without_numbers(tuple(example_inputs[0])), {})
    return made


def trace(
    func: Callable,
    example_inputs: Any = None,
    *args: Any,
    example_kwarg_inputs: dict | None = None,
    **kwargs: Any,
) -> Any:
    """A ScriptModule or ScriptFunction that does what a module or function does, once that has been called with the
    example (a tensor or a tuple of arguments).

    Unlike in PyTorch, its conditions and loops are not fixed to the branches that the example takes; in a file from
    `save` they are. The other arguments say how PyTorch would check that they are, and have nothing to check.
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
    made = _twin(func) if builtins.isinstance(func, Module) else ScriptFunction(func)
    _examples[made] = (_without_numbers(given), _without_numbers(named))
    return made


_examples: weakref.WeakKeyDictionary[Any, tuple[Any, Any]] = weakref.WeakKeyDictionary()
"""Examples that modules and functions were traced with, or called with first."""


def _note_call(made: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    """Keeps the shapes of the first call as the example of what was given none.

    (Inside a transform they describe one example.)"""
    if made not in _examples and not state.rec.level:
        _examples[made] = (_without_numbers(args), _without_numbers(kwargs))


def _example_of(made: Any) -> tuple[Any, Any] | None:
    """Arguments that it was traced with or called with first; nothing, where it takes nothing."""
    if made in _examples:
        return _examples[made]
    try:
        inspect.signature(_function_of(made)).bind()
    except (TypeError, ValueError):
        return None
    return ((), {})


def _function_of(made: Any) -> Callable:
    return made.forward if builtins.isinstance(made, Module) else made._fn


def _written(made: Any) -> str | None:
    """The Python of a function or of a module's forward, without decorators, if its file exists."""
    try:
        text = textwrap.dedent(inspect.getsource(_function_of(made)))
    except (OSError, TypeError):
        return None
    lines = text.splitlines()
    first = next((k for k, line in enumerate(lines) if line.startswith(("def ", "async def "))), None)
    return None if first is None else "\n".join(lines[first:]) + "\n"


def _without_numbers(x: Any) -> Any:
    """Examples, of whose tensors only shapes and dtypes are kept."""
    return pytree.tree_map(lambda t: t.detach().to("meta") if builtins.isinstance(t, Tensor) else t, x)


def _with_numbers(x: Any) -> Any:
    return pytree.tree_map(
        lambda t: Tensor.new_zeros(t, t.shape, device="cpu") if builtins.isinstance(t, Tensor) else t, x
    )


def trace_module(mod: Module, inputs: dict[str, Any], *args: Any, **kwargs: Any) -> Module:
    """A ScriptModule of `mod`, once each method named in `inputs` has been called with its example: see `trace`.

    A file of `save` has `forward` alone."""
    if not builtins.isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    made = _twin(mod)
    for name, example in inputs.items():
        trace(made if name == "forward" else getattr(made, name), example)
    return made


def script_if_tracing(fn: Callable) -> Callable:
    """Returns `fn`: tracing does not exist here."""
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
    """Returns whether `obj` is of `target_type`, a class, a tuple of classes, or List[X], Dict[K, V], Tuple[...], Optional[X]
    of them.

    >>> torch.jit.isinstance([1, 2], list[int])
    True
    """
    if builtins.isinstance(target_type, tuple):
        return any(isinstance(obj, t) for t in target_type)
    return _is_of(obj, target_type)


def freeze(
    mod: Module, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True
) -> ScriptModule:
    """A copy of a ScriptModule in eval mode whose parameters and buffers are constants: they stop being parameters or
    buffers, and take no gradients.

    preserved_attrs: names that must exist; all attributes and methods are preserved. optimize_numerics: XLA does so
    in any case. Raises RuntimeError for an object that is not a ScriptModule, or is in training.

    >>> frozen = torch.jit.freeze(torch.jit.script(nn.Linear(2, 3).eval()))
    >>> list(frozen.parameters()), frozen(torch.ones(1, 2)).requires_grad
    ([], False)
    """
    _check_script(mod, "Freezing")
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before freezing."
        )
    for name in preserved_attrs or ():
        if not hasattr(mod, name):
            raise RuntimeError(f"Unknown name: {name}")
    made, constants = copy.deepcopy(mod), {}
    for module in made.modules():
        for held in (module._parameters, module._buffers):
            for name in list(held):
                t = held.pop(name)
                module.__dict__[name] = None if t is None else constants.setdefault(id(t), t.detach())
    made.__dict__["_is_frozen"] = True
    if (example := _example_of(mod)) is not None:
        _examples[made] = example
    return made  # type: ignore[return-value]


def optimize_for_inference(mod: Module, other_methods: list[str] | None = None) -> ScriptModule:
    """A ScriptModule, put in eval mode and frozen, if it is not: see `freeze`.

    XLA optimizes its programs in any case."""
    _check_script(mod, "optimize_for_inference")
    if mod.__dict__.get("_is_frozen"):
        return mod  # type: ignore[return-value]
    return freeze(mod.eval(), other_methods)


def _check_script(mod: Any, who: str) -> None:
    if not builtins.isinstance(mod, ScriptModule):
        raise RuntimeError(
            f"{who} expects a ScriptModule as input. Please use torch.jit.script or torch.jit.trace to script your 'nn.Module'."
        )


def fork(func: Callable, *args: Any, **kwargs: Any) -> Future:
    """A future of what `func(*args, **kwargs)` gives, for `wait`.

    The call is made at once, as PyTorch makes it outside of what is scripted: what it computes is recorded, and runs
    together with what its caller computes.

    >>> sum_ = torch.jit.fork(torch.add, torch.ones(2), other=2)
    >>> torch.jit.wait(sum_)
    tensor([3., 3.])
    """
    if not callable(func):
        raise TypeError(f"torch.jit.fork: expected a function or module, got {type(func).__name__}")
    made: Future = Future()
    made.set_result(func(*args, **kwargs))
    return made


def wait(future: Future) -> Any:
    """The value of a future that `fork` gave."""
    if not builtins.isinstance(future, Future):
        raise TypeError(f"torch.jit.wait: expected a Future, got {type(future).__name__}")
    return future.wait()


_fusion: dict[str, Any] = {"strategy": [("STATIC", 2), ("DYNAMIC", 10)], "onednn": False}
"""What programs chose of PyTorch's fusers. XLA fuses every program, and has no such choices."""


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Keeps a choice of PyTorch's fuser, which computes nothing here: XLA fuses every program. Gives back the one
    before."""
    for kind, _ in strategy:
        if kind not in ("STATIC", "DYNAMIC"):
            raise ValueError(f"FusionBehavior only supported 'STATIC' or 'DYNAMIC', got: {kind}")
    before, _fusion["strategy"] = _fusion["strategy"], list(strategy)
    return before


def enable_onednn_fusion(enabled: bool) -> None:
    """Keeps a choice of PyTorch's fuser, which computes nothing here: XLA fuses every program."""
    _fusion["onednn"] = bool(enabled)


def onednn_fusion_enabled() -> bool:
    """Returns whether `enable_onednn_fusion` turned it on."""
    return _fusion["onednn"]


class strict_fusion(contextlib.nullcontext):
    """A context in which TorchScript would raise for what it does not fuse.

    XLA fuses every program, and nothing raises."""


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """Does nothing: XLA optimizes every program."""
    yield


def save(m: Any, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
    """Writes a module of `trace` or `script` to a file, by its name or open for bytes: its Graph at the sizes of the
    example, or of the first call, parameters and buffers.

    It is exported in the mode, training or not, that it is in now. A scripted module that has not been called has no
    Graph: the file then has only its parameters and buffers, with a warning. _extra_files: further texts, by name.
    Raises RuntimeError for an object that is not a ScriptModule, and the errors of `torch.export.export`.

    >>> import io
    >>> net = torch.jit.trace(nn.Linear(2, 3), torch.ones(1, 2))
    >>> file = io.BytesIO()
    >>> torch.jit.save(net, file)
    >>> _ = file.seek(0)
    >>> torch.equal(torch.jit.load(file)(torch.ones(1, 2)), net(torch.ones(1, 2)))
    True
    """
    if builtins.isinstance(m, ScriptModule) and _example_of(m) is None:
        warnings.warn(
            f"torch.jit.save: {type(m).__name__} has not been called, so it has no Graph. Only its parameters and buffers are saved, and the loaded module cannot be called; call it once with an example before saving it",
            stacklevel=2,
        )
        data = {"format": _WITHOUT_PROGRAM, "module": _held(m), "extra": dict(_extra_files or {})}
        save_data(data, os.fspath(f) if builtins.isinstance(f, os.PathLike) else f)
        return
    exported.save(_program(m, "save"), f, extra_files=_extra_files)


def _program(m: Any, who: str) -> exported.ExportedProgram:
    """The calls of a module or function, exported at the sizes of its example.

    Raises RuntimeError for what has none."""
    example = _example_of(m) if builtins.isinstance(m, Module | ScriptFunction) else None
    if example is None:
        name = m.__name__ if builtins.isinstance(m, ScriptFunction) else type(m).__name__
        raise RuntimeError(
            f"torch.jit.{who}: {name} was neither traced nor called. There is a Graph of a module at some sizes: call it once with arguments "
            "of these, or give the module and an example to torch.jit.trace (or torch.export.export, or torch.jit.script as "
            "example_inputs=[(x,)]) first; or save model.state_dict() with torch.save"
        )
    args, kwargs = _with_numbers(example)
    return exported.export(m if builtins.isinstance(m, Module) else Calls(m._fn), args, kwargs)


def load(
    f: Any,
    map_location: Any = None,
    _extra_files: dict[str, Any] | None = None,
    _restore_shapes: bool = False,
) -> Module:
    """The module of a file that `save` (or `torch.export.save`) wrote, called as the one that was saved; of a
    TorchScript file that PyTorch wrote, and of one that has no program, a module with its parameters and buffers,
    whose calls raise NotImplementedError. Nothing of the file is executed.

    map_location: the device of parameters and buffers. _extra_files: a dict whose values are replaced by the texts
    with these names in the file. Raises RuntimeError for what is neither.
    """
    source = None if builtins.isinstance(f, str | os.PathLike) else f.tell()
    opened = open_archive(f)
    try:
        if opened is not None and opened.is_script:
            for name in _extra_files or {}:
                _extra_files[name] = opened.read(f"extra/{name}")  # type: ignore[index]
            return _read_script(opened, map_location)
    finally:
        if opened is not None:
            opened.close()
        if source is not None:
            f.seek(source)
    try:
        data = load_data(
            os.fspath(f) if builtins.isinstance(f, os.PathLike) else f, map_location, weights_only=True
        )
    except UnpicklingError as error:
        raise RuntimeError(
            "torch.jit.load: expected a file of torch.jit.save, of this library or PyTorch. If it is a checkpoint, load it with torch.load "
            f"({error})"
        ) from None
    if builtins.isinstance(data, dict) and data.get("format") == _WITHOUT_PROGRAM:
        for name in data["extra"].keys() & (_extra_files or {}).keys():
            _extra_files[name] = data["extra"][name]  # type: ignore[index]
        return LoadedScript(_as_script(data["module"]), {}, _NO_PROGRAM)
    made = program_of(data, _extra_files).module()
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
