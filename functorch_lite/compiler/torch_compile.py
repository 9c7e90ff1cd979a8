"""torch.compile: what is marked, and OptimizedModule, which it makes of a module."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sized
from typing import Any

from .._core.api import tidied, tracebacks
from ..nn.modules import _global_hooks
from ..nn.modules import module as _module
from ..nn.modules._registry import instance_dict
from ..nn.modules.module import Module
from . import settings
from .backends import Pipeline, check_backend, get_default_backend, registered
from .config import config, is_asked, is_kept
from .kept_programs import refuse_aot_compile
from .marked import Marked
from .stances import Disabled

__all__ = ["OptimizedModule", "compile", "marked", "wrapped"]

_MODES = ("default", "lite", "reduce-overhead", "max-autotune-no-cudagraphs", "max-autotune")


def _check_arguments(
    backend: Any, mode: Any, options: Any, dynamic: Any, shapes_spec: Any, recompile_limit: Any
) -> None:
    """PyTorch's errors for the arguments of torch.compile."""
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    backend = get_default_backend() if backend is None else backend
    check_backend(backend)
    if backend == "inductor":
        if mode and mode not in _MODES:
            raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
        known = config.get_config_copy()
        for option in options or ():
            if option.replace("-", "_") not in known:
                raise RuntimeError(
                    f"Unexpected optimization option {option}, known options are {list(known)}"
                )
    if dynamic is not None and not isinstance(dynamic, bool):
        raise AssertionError(f"Expected enable to be a bool, got {type(dynamic)}")
    if shapes_spec is not None:
        raise NotImplementedError(
            "torch.compile: shapes_spec= describes shapes that are left open, and programs here are compiled for the shapes they see. "
            "Leave it out"
        )
    if recompile_limit is not None and (type(recompile_limit) is not int or recompile_limit < 0):
        raise TypeError(
            f"torch.compile: recompile_limit is a number of kinds of calls, or None, not {recompile_limit!r}"
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
    """Compiles a function or a module: the result is called as before, recorded once, and replayed.

    Without a function, it returns a decorator.

    Calls are grouped by the shapes, dtypes, numbers and other objects among their arguments, and by modes such as
    no_grad. The first call of a group runs the function, and the second one records it. Later calls replay the
    recording without running any Python, as long as everything that the function may read is unchanged. Side effects of
    Python, such as print or append, therefore happen when the function is recorded, and not at each call.

    A module is returned as an `OptimizedModule`, whose `state_dict` keys begin with `_orig_mod.`, as in PyTorch.

    Args:
        model: the function or module. None (the default) returns a decorator.
        fullgraph: whether code that reads a value (`item()`, `if x.sum() > 0`, `numpy()`) raises
            `torch._dynamo.exc.Unsupported` at that line. By default such a function runs without replay, with one
            warning. A function that cannot be replayed for another reason always runs without replay, and
            `functorch_lite.debug.explain()` says why. Default: False.
        dynamic: checked as in PyTorch; it changes nothing, because XLA compiles for the shapes that it sees. None is
            the default.
        backend: a function of (torch.fx.GraphModule, example inputs) that returns the callable to run in place of the
            Graph of each group of calls; it may edit the Graph and return `gm.forward`. A name that
            `torch._dynamo.register_backend` registered stands for that function; the names "inductor", "openxla",
            "eager" and "aot_eager" all mean XLA. None (the default) means XLA.
        mode: checked as in PyTorch; it changes nothing. None is the default.
        options: settings of `torch._inductor.config` for this function: a dict. Those of passes
            (`joint_custom_pre_pass`, `pattern_matcher`, ...) let the passes run. None (the default) sets nothing.
        name: a label of the compiled region in PyTorch's tools; it changes nothing. None is the default.
        disable: whether `model` itself is returned. Default: False.
        recompile_limit: how many groups of calls are cached. One more runs without replay, with one warning, or raises
            `torch._dynamo.exc.FailOnRecompileLimitHit` with `fullgraph`. None (the default) takes
            `torch._dynamo.config.recompile_limit` and drops the oldest group.
        isolate_recompiles: accepted for compatibility: every torch.compile() has groups of its own. Default: False.
        shapes_spec: must be None: programs are compiled for the shapes that they see.

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
    call = marked(
        model, fullgraph=fullgraph, dynamic=dynamic, backend=backend, mode=mode, options=options, recompile_limit=recompile_limit,
        shapes_spec=shapes_spec,
    )  # fmt: skip
    return model if disable else wrapped(model, call)


def marked(
    fn: Any, *, fullgraph: bool = False, dynamic: Any = None, backend: Any = None, mode: Any = None, options: Any = None, name: Any = None,
    disable: bool = False, recompile_limit: int | None = None, isolate_recompiles: bool = False, shapes_spec: Any = None,
) -> Marked:  # fmt: skip
    """Makes the Marked that calls of a function go through that is marked with these arguments of `compile`, which are
    checked."""
    _check_arguments(backend, mode, options, dynamic, shapes_spec, recompile_limit)
    backend = get_default_backend() if backend is None else backend
    backend = registered(backend) or backend
    if isinstance(backend, str):
        options = {name.replace("-", "_"): value for name, value in (options or {}).items()}
        passes = backend == "inductor" and is_asked(options)
        if not (passes or settings.repro_after is not None or is_kept(options)):
            return Marked(fn, fullgraph, recompile_limit)
        none = {} if passes else dict.fromkeys(("pattern_matcher", "joint_graph_constant_folding"), False)
        backend = Pipeline({**none, **options})
    return Marked(fn, fullgraph, recompile_limit, backend)


_module.compiler.marked = staticmethod(marked)


def wrapped(model: Any, call: Marked | Disabled) -> Any:
    """Makes what goes through `call` when it is called: of a function a function, of a module an OptimizedModule. A
    class is given back."""
    if isinstance(model, Module):
        return OptimizedModule(model, call)
    if isinstance(model, type):
        return model
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")

    @functools.wraps(model)
    def through(*args, **kwargs):
        try:
            return call(args, kwargs)
        except BaseException as error:
            tracebacks.tidy(error)
            raise

    through.aot_compile = refuse_aot_compile  # type: ignore[attr-defined]
    through.replayed = call  # type: ignore[attr-defined]
    through._torchdynamo_orig_callable = model  # type: ignore[attr-defined]
    return through


class OptimizedModule(Module):
    """Module that torch.compile makes of a module: the module is `_orig_mod`, and all other attributes are looked up
    on it.

    >>> torch.compile(torch.nn.Linear(1, 1, bias=False)).state_dict().keys()
    odict_keys(['_orig_mod.weight'])
    """

    _orig_mod: Module

    def __init__(self, mod: Module, call: Marked | Disabled | None = None):
        super().__init__()
        Module.__setattr__(self, "_orig_mod", mod)
        instance_dict(self)["replayed"] = Marked(mod) if call is None else call

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
        return instance_dict(self)["replayed"](args, kwargs)

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
        return _of_copy, (self._orig_mod, *instance_dict(self)["replayed"].settings)


def _of_copy(mod: Module, kind: type, *settings: Any) -> OptimizedModule:
    """An OptimizedModule that was copied, or pickled."""
    return OptimizedModule(mod, kind(mod, *settings))
