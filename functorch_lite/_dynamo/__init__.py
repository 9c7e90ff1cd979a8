"""torch._dynamo: the parts that programs use and that are supported. No bytecode is analysed; see
`functorch_lite.compiler`."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import Any

from ..api_names import lookup_of, refusing
from ..compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
    set_stance,
)
from ..compiler import compile as _compile
from ..compiler.backends import lookup_backend, register_backend
from ..compiler.breaks import (
    disallow_in_graph,
    error_on_graph_break,
    forbid_in_graph,
    graph_break,
    nonstrict_trace,
    skip_frame,
    substitute_in_graph,
)
from ..compiler.debugging.explaining import explain
from ..compiler.stances import Disabled
from ..compiler.torch_compile import OptimizedModule
from . import config, exc

__all__ = [
    "OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable", "disable_nested_graph_breaks", "disallow_in_graph",
    "dont_skip_tracing", "error_on_graph_break", "exc", "explain", "forbid_in_graph", "graph_break", "is_compiling", "is_dynamo_disable_recursive",
    "list_backends", "lookup_backend", "mark_dynamic", "mark_static", "mark_static_address", "mark_unbacked", "maybe_mark_dynamic", "nonstrict_trace",
    "optimize", "optimize_assert", "patch_dynamo_config", "register_backend", "reset", "run", "set_stance", "skip_frame", "substitute_in_graph",
]  # fmt: skip


def is_dynamo_supported() -> bool:
    """True: functions can be marked by `torch.compile` wherever this library runs."""
    return True


def mark_dynamic(t: Any, index: int | tuple[int, ...], **bounds: Any) -> None:
    """Does nothing: a size that varies is found by itself (docs/recording.md). A size that the code fixes is not an
    error."""


maybe_mark_dynamic = mark_unbacked = mark_dynamic


def mark_static(t: Any, index: int | tuple[int, ...] | None = None) -> None:
    """Does nothing: a size is a constant until it varies."""


mark_static_address = mark_static


def optimize(
    backend: str | Callable = "inductor",
    *,
    nopython: bool = False,
    dynamic: bool | None = None,
    disable: bool = False,
) -> Callable:
    """A decorator: `torch.compile` with this backend; nopython is its `fullgraph`.

    >>> torch._dynamo.optimize("eager")(lambda x: x + 1)(torch.ones(2))
    tensor([2., 2.])
    """
    return lambda fn: _compile(fn, backend=backend, fullgraph=nopython, dynamic=dynamic, disable=disable)


def optimize_assert(backend: str | Callable = "inductor", *, dynamic: bool | None = None) -> Callable:
    """Does what `optimize` does with nopython=True."""
    return optimize(backend, nopython=True, dynamic=dynamic)


def run(fn: Callable | None = None) -> Any:
    """The function, in which compiled functions replay their recordings, and others run without being recorded; a
    decorator.

    >>> f = torch.compile(lambda x: x + 1)
    >>> torch._dynamo.run(f)(torch.ones(2))
    tensor([2., 2.])
    """
    before = set_stance("eager_on_recompile")
    return before if fn is None else before(fn)


def is_dynamo_disable_recursive(method: Any) -> bool | None:
    """Returns, for a result of `torch.compiler.disable`, whether compiled functions that it calls run without replay
    too; None for anything else."""
    made = getattr(method, "replayed", None)
    return made.recursive if isinstance(made, Disabled) else None


def patch_dynamo_config(arg1: Any = None, arg2: Any = None, **kwargs: Any) -> Any:
    """`torch._dynamo.config.patch`: a context and a decorator."""
    return config.patch(arg1, arg2, **kwargs)


class disable_nested_graph_breaks(contextlib.ContextDecorator):
    """A context and a decorator in which nothing is otherwise: a graph break cuts no recording.

    >>> with torch._dynamo.disable_nested_graph_breaks():
    ...     torch.compile(lambda x: x + 1)(torch.ones(2))
    tensor([2., 2.])
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


def dont_skip_tracing(fn: Any = None) -> Any:
    """The function: whatever marked code calls is recorded."""
    return dont_skip_tracing if fn is None else fn


_refused = refusing(
    __name__,
    (
        "allow_c_slot", "bytecode_debugger", "export", "override_cudagraphs", "override_optimization_hint", "replay", "reset_recompile_user_contexts",
        "set_recursion_limit", "step_unsupported",
    ),
    "there is no bytecode to analyse: marked code is run, and recorded. torch.export.export gives a Graph of a module",
)  # fmt: skip
_missing = lookup_of(__name__)


def __getattr__(name: str) -> Any:
    if name in (
        "backends",
        "debug_utils",
        "decorators",
        "testing",
        "utils",
    ):  # which need torch.fx, or this module
        return importlib.import_module(f"{__name__}.{name}")
    try:
        return _refused(name)
    except AttributeError:
        return _missing(name)
