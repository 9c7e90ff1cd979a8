"""A function whose Graph is handed to a backend of the user's, and what the backend makes of it called in the
function's place."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .._core.api import Graph, NotOneOp, Tensor, advise, make_tensor, read, state
from ..fx import GraphModule
from . import logs, settings
from .errors import AccuracyError, BackendCompilerFailed, Unsupported
from .graphs.trace import Traced, trace
from .graphs.view import view_of
from .hooks import watched
from .noting import noting
from .partition.under_budget import UnderBudget

__all__ = ["ThroughBackend", "apart", "names_of", "unboxed"]


MOST_MADE = 64
"""Graphs whose callables are kept: a number that changes from call to call makes one each time."""

_AS_IT_STANDS = (
    "torch.compile: no Graph stands for {name}: {reason}. It is run as it stands, without the backend or the passes. Mark the module that computes, and leave "
    "backward() and the optimizer outside. (fullgraph=True makes this an error.)"
)

_SUPPRESSED = "torch.compile: {name} is run as it stands, since torch._dynamo.config.suppress_errors is set and its {error}"


class ThroughBackend:
    """fn, run by what backend(graph module, example inputs) gives for the Graph of each kind of call.

    The function runs to be recorded, and its results are computed by the callable that the backend returned, called
    with the Graph's inputs. fullgraph: whether a function that cannot be expressed as a Graph raises; otherwise it
    runs without replay from then on, and `reason` says why.
    """

    def __init__(self, fn: Callable, backend: Callable, fullgraph: bool = False):
        self.fn, self.backend, self.fullgraph = fn, backend, fullgraph
        self.forget()

    def forget(self) -> None:
        """Forgets what the backend made."""
        self.made: dict[Graph, Callable] = {}
        self.reason = ""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.reason:
            return self.fn(*args, **kwargs)
        try:
            traced = trace(self.fn, args, kwargs)
        except NotOneOp as refused:
            if self.fullgraph:
                raise Unsupported(f"torch.compile(fullgraph=True): {refused}") from None
            self.reason = str(refused)
            advise(_AS_IT_STANDS.format(name=_name(self.fn), reason=refused), once=False)
            return self.fn(*args, **kwargs)
        inputs = [x for i, x in enumerate(traced.inputs) if i not in traced.drawn]
        call = self.made.get(traced.graph)
        if call is None:
            if len(self.made) >= MOST_MADE:
                del self.made[next(iter(self.made))]
            try:
                call = self.made[traced.graph] = self._compiled(traced, inputs, args)
            except BackendCompilerFailed as error:
                if self.fullgraph or not settings.suppress_errors:
                    raise
                advise(_SUPPRESSED.format(name=_name(self.fn), error=error), once=False)
                self.reason = str(error)
                return self.fn(*args, **kwargs)
        if not isinstance(call, UnderBudget) and noting.reads is not None:
            noting.reads.keeps("a function that a backend made is called each time")
        outs = call(*inputs)
        if not isinstance(outs, tuple | list) or len(outs) != len(traced.graph.outputs):
            n = len(traced.graph.outputs)
            raise RuntimeError(
                f"torch.compile: what {_name(self.backend)}() returned is to give {n} results as a tuple or list, and gave {outs!r}"
            )
        return traced.finish([apart(o) for o in outs])

    def _compiled(self, traced: Traced, inputs: list, args: tuple) -> Callable:
        module = view_of(traced.graph, traced.names(names_of(self.fn, args)), traced.drawn)
        if logs.graph_code:
            logs.log("graph_code", "Graph of %s:\n%s", _name(self.fn), module.code.strip())
        try:
            found = watched(self.backend, "dynamo")(module, inputs)
        except AccuracyError:
            raise
        except Exception as error:
            raise BackendCompilerFailed(self.backend, error, module) from error
        if not callable(found):
            raise BackendCompilerFailed(
                self.backend, TypeError("it returned nothing that can be called"), module
            )
        found = unboxed(found)
        return UnderBudget(found) if _is_a_graphs(found) else found


def unboxed(call: Callable) -> Callable:
    """A callable of a Graph's inputs, also where a compiler gave one that takes them in a list
    (`functorch.compile.make_boxed_func`)."""
    return (lambda *inputs: call(list(inputs))) if getattr(call, "_boxed_call", False) else call


def apart(t: Any) -> Tensor:
    """A result as a tensor of its own, where the Graph returns an input or a view of something."""
    if not isinstance(t, Tensor):
        raise TypeError(f"torch.compile: a backend's function gives tensors, and gave a {type(t).__name__}")
    return make_tensor(read(t), state.rec.level, t._edge)


def _is_a_graphs(call: Any) -> bool:
    """Returns whether it is the code of a GraphModule, which does nothing besides computing."""
    return isinstance(call, GraphModule) or isinstance(getattr(call, "__self__", None), GraphModule)


def _name(f: Any) -> str:
    return getattr(f, "__name__", type(f).__name__)


def names_of(fn: Callable, args: tuple) -> list[str]:
    """Returns the names that a function gives its first arguments, as long as these are tensors."""
    try:
        names = list(inspect.signature(fn).parameters)
    except (TypeError, ValueError):
        return []
    count = next((i for i, x in enumerate(args) if not isinstance(x, Tensor)), len(args))
    return names[:count]
