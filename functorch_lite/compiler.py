"""torch.compile and torch.compiler. Every program is compiled as it is recorded, so there is nothing left to ask for.

`compile` checks its arguments as PyTorch does and gives back something that is called the same way: a function that calls the
function, an `OptimizedModule` around a module. `fullgraph`, `dynamic`, `mode`, `options` and the stances choose in PyTorch how and when
code is compiled, never what it computes; they have nothing to choose here and are checked only. What would have to act and
cannot (a backend that is a function, `fail_on_recompile`) raises.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sized
from typing import Any

from ._core.api import tidied
from .api_names import lookup_of
from .nn.modules import _global_hooks
from .nn.modules._registry import instance_dict
from .nn.modules.module import Module

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable",
    "get_default_backend", "is_compiling", "is_dynamo_compiling", "is_exporting", "list_backends", "nested_compile_region", "reset",
    "set_default_backend", "set_stance",
]  # fmt: skip

_BACKENDS = {"inductor": (), "openxla": (), "aot_eager": ("debug",), "eager": ("debug",)}
"""Names that ask for nothing but the function's own result, and their tags. XLA answers to all of them."""
_OTHER_BACKENDS = (
    "aot_eager_decomp_partition", "aot_eager_default_partitioner", "aot_ts", "cudagraphs", "onnxrt", "tensorrt", "ts", "tvm",
)  # fmt: skip
_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")
_OPTIONS = (
    "epilogue_fusion", "max_autotune", "fallback_random", "shape_padding", "triton.cudagraphs", "trace.enabled", "trace.graph_diagram",
    "guard_filter_fn",
)  # fmt: skip
"""The options that PyTorch documents: how Inductor writes kernels, and what it says of them."""
_STANCES = ("default", "force_eager", "eager_on_recompile", "eager_then_compile", "aot_eager_then_compile")

_default_backend: str | Callable = "inductor"


class InvalidBackend(RuntimeError):
    """A `backend=` that does not exist."""


def _check_backend(backend: Any) -> None:
    if not isinstance(backend, str):
        raise NotImplementedError(
            "torch.compile: a backend that is a function takes an FX graph, and there is none here: XLA compiles what is recorded. Leave "
            "backend= out; to see what is compiled use functorch_lite.debug.explain()"
        )
    if backend in _OTHER_BACKENDS:
        raise NotImplementedError(
            f"torch.compile: the backend '{backend}' is not here: XLA compiles what is recorded. Leave backend= out"
        )
    if backend not in _BACKENDS:
        raise InvalidBackend(
            f"Invalid backend: '{backend}', see `torch.compiler.list_backends()` for available backends."
        )


def _check_arguments(backend: Any, mode: Any, options: Any, dynamic: Any, shapes_spec: Any) -> None:
    """PyTorch's errors for the arguments of torch.compile."""
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    backend = _default_backend if backend is None else backend
    _check_backend(backend)
    if backend == "inductor":
        if mode and mode not in _MODES:
            raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
        for option in options or ():
            if option.replace("-", "_") not in _OPTIONS:
                raise RuntimeError(
                    f"Unexpected optimization option {option}, known options are {list(_OPTIONS)}"
                )
    if dynamic is not None and not isinstance(dynamic, bool):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if shapes_spec is not None:
        raise NotImplementedError(
            "torch.compile: shapes_spec= describes shapes that are left open, and programs here are compiled for the shapes they see. "
            "Leave it out"
        )


@tidied
def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """The function or module, to be called as before; a decorator when none is given. Calls were compiled already.

    A module comes back as an `OptimizedModule`, whose `state_dict` keys begin with `_orig_mod.`, as in PyTorch. `disable=True` gives
    back `model` itself. The other arguments are checked and have nothing to choose: see the text at the head of this module.

    >>> @torch.compile(fullgraph=True)
    ... def f(x):
    ...     return x + 1
    >>> f(torch.ones(2))
    tensor([2., 2.])
    """
    if model is None:

        def decorate(model):
            if model is None:
                raise RuntimeError("Model can't be None")
            return compile(
                model, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, name=name, disable=disable,
                recompile_limit=recompile_limit, isolate_recompiles=isolate_recompiles, shapes_spec=shapes_spec,
            )  # fmt: skip

        return decorate
    _check_arguments(backend, mode, options, dynamic, shapes_spec)
    return model if disable else _wrapped(model)


def _wrapped(model: Any) -> Any:
    """What torch.compile gives for a module, a class or a function."""
    if isinstance(model, Module):
        return OptimizedModule(model)
    if isinstance(model, type):
        return model
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")

    @functools.wraps(model)
    def call(*args, **kwargs):
        return model(*args, **kwargs)

    call._torchdynamo_orig_callable = model  # type: ignore[attr-defined]
    return call


class OptimizedModule(Module):
    """What torch.compile makes of a module: the module is `_orig_mod`, and whatever else is asked for is asked of it.

    >>> torch.compile(torch.nn.Linear(1, 1, bias=False)).state_dict().keys()
    odict_keys(['_orig_mod.weight'])
    """

    _orig_mod: Module

    def __init__(self, mod: Module):
        super().__init__()
        Module.__setattr__(self, "_orig_mod", mod)

    def __call__(self, *args, **kwargs):
        if (
            _global_hooks._global_forward_hooks
            or _global_hooks._global_forward_pre_hooks
            or _global_hooks._global_backward_hooks
            or _global_hooks._global_backward_pre_hooks
        ):
            warnings.warn(
                "Using `torch.compile(module)` when there are global hooks on modules (e.g., from `register_module_forward_hook`); this "
                "will cause the hooks to fire an extra time for the `OptimizedModule` created by `torch.compile(module)`. If this causes "
                "undesired behavior, please try using `module.compile()`, or use the per-module hooks instead",
                stacklevel=2,
            )
        return super().__call__(*args, **kwargs)

    def forward(self, *args, **kwargs):
        """Calls the module."""
        return self._modules["_orig_mod"](*args, **kwargs)

    @property
    def training(self) -> bool:  # type: ignore[override]
        """The module's."""
        return self._orig_mod.training

    @training.setter
    def training(self, value: bool) -> None:
        self._orig_mod.training = value

    def __len__(self) -> int:
        module = self._orig_mod
        if isinstance(module, Sized):
            return len(module)
        raise TypeError(f"{type(module).__name__} does not support len()")

    def __getattr__(self, name: str) -> Any:
        module = instance_dict(self)["_modules"]["_orig_mod"]
        return module if name == "_orig_mod" else getattr(module, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "_orig_mod" or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        if name == "_orig_mod" or hasattr(type(self), name):
            super().__delattr__(name)
        else:
            delattr(self._orig_mod, name)

    def __dir__(self):
        return sorted({*dir(self._orig_mod), *super().__dir__()})

    def __reduce__(self):
        return (type(self), (self._orig_mod,))


# -- what code may ask, and tell, the compiler -------------------------------------------------------------------------


def is_compiling() -> bool:
    """False: user code is never run by a compiler. It runs as it stands, and what it records is compiled."""
    return False


def is_dynamo_compiling() -> bool:
    """False: see `is_compiling`."""
    return False


def is_exporting() -> bool:
    """False: see `is_compiling`."""
    return False


def reset() -> None:
    """Forgets every program; what is called next is compiled again."""
    from ._core.api import flush, forget_programs

    flush()
    forget_programs()


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """The function, module or class, to be called as before; a decorator when none is given.

    Code is not analysed here, so none has to be kept from it. To run ops one by one use `functorch_lite.debug.eager()`.
    """
    if fn is None:
        return lambda fn: disable(fn, recursive, reason=reason)
    if not callable(fn):
        raise AssertionError("fn must be callable")
    return _wrapped(fn)


def allow_in_graph(fn: Any) -> Any:
    """The function, or the list of functions: all are allowed."""
    if isinstance(fn, list | tuple):
        return [allow_in_graph(f) for f in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def assume_constant_result(fn: Callable) -> Callable:
    """The function. It is called each time, so its result need not be constant."""
    return fn


def nested_compile_region(
    fn: Callable | None = None, *, options: Any = None, max_reuse_entries: int = 8, reuse_hash_fn: Any = None
) -> Any:
    """The function: stretches of a recording that repeat share a program by themselves."""
    if options is not None or reuse_hash_fn is not None:
        raise NotImplementedError(
            "nested_compile_region: what repeats is found by itself here; leave options= and reuse_hash_fn= out"
        )
    return nested_compile_region if fn is None else _wrapped(fn)


def cudagraph_mark_step_begin() -> None:
    """Nothing: results of an earlier step are never overwritten here."""


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names that `backend=` may have. XLA compiles under every one of them."""
    excluded = set(exclude_tags or ())
    return sorted(name for name, tags in _BACKENDS.items() if not excluded & set(tags))


def get_default_backend() -> str | Callable:
    """The name that stands in for a `backend=` that is not given."""
    return _default_backend


def set_default_backend(backend: str | Callable | None) -> None:
    """Sets the name that stands in for a `backend=` that is not given; None is "inductor"."""
    global _default_backend
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"backend must be a string or callable, got {type(backend)}")
    _default_backend = "inductor" if backend is None else backend


class set_stance:
    """When to compile: a function, context manager or decorator. Whatever the stance, results are the same, so there is nothing to do.

    `fail_on_recompile` raises NotImplementedError: `functorch_lite.debug.stats()` counts programs.
    """

    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ):
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")
        if stance == "fail_on_recompile":
            raise NotImplementedError(
                "set_stance('fail_on_recompile') is not here: compare functorch_lite.debug.stats()['programs'] before and after"
            )
        if stance not in _STANCES:
            raise RuntimeError(f"invalid torch.compile stance '{stance}'")
        if force_backend is not None:
            _check_backend(force_backend)
        self.stance = stance

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc) -> None:
        return None

    def __call__(self, fn: Callable) -> Callable:
        return _wrapped(fn)


__getattr__ = lookup_of(__name__)
