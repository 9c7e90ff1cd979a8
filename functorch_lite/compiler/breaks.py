"""Calls that tell PyTorch's tracer to break its graph, to raise where it breaks, or to trace by running."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType, WrapperDescriptorType
from typing import Any

from .noting import Reads, noting
from .ran import PURE_BY_PROMISE

__all__ = [
    "disallow_in_graph", "error_on_graph_break", "forbid_in_graph", "graph_break", "nonstrict_trace", "skip_frame", "substitute_in_graph",
]  # fmt: skip


def graph_break(msg: str = "") -> None:
    """Does nothing where it is allowed: a recording has no need to be cut here. In code that was marked with
    fullgraph=True, or runs under `error_on_graph_break(True)`, it raises `torch._dynamo.exc.Unsupported`.
    `torch._dynamo.explain` counts it.

    >>> torch.compile(lambda x: torch._dynamo.graph_break() or x + 1)(torch.ones(2))
    tensor([2., 2.])
    """
    _break("graph_break", msg)


def skip_frame(msg: str = "") -> None:
    """Does the same as `graph_break`."""
    _break("skip_frame", msg)


def _break(name: str, msg: str) -> None:
    if noting.reads is not None and not noting.disabled and not noting.nonstrict:
        noting.reads.breaks(f"Call to `torch._dynamo.{name}()`" + (f": {msg}" if msg else ""))


class error_on_graph_break:
    """Sets whether a graph break inside of compiled code raises `torch._dynamo.exc.Unsupported`: a context manager
    and a decorator. Reading a value is one, and so is `graph_break()`. Where the code was marked with
    fullgraph=True it raises either way.

    >>> @torch._dynamo.error_on_graph_break(True)
    ... @torch.compile
    ... def f(x):
    ...     return x + 1
    >>> f(torch.ones(2))
    tensor([2., 2.])
    """

    def __init__(self, error_on_graph_break: bool):
        self.error_on_graph_break = error_on_graph_break
        self._before: list[tuple[bool, Reads | None]] = []

    def __enter__(self) -> None:
        reads = None
        if self.error_on_graph_break and noting.reads is None and noting.as_it_stands:
            reads = Reads().__enter__()
        self._before.append((noting.breaks_raise, reads))
        noting.breaks_raise = self.error_on_graph_break

    def __exit__(self, *exception: Any) -> None:
        noting.breaks_raise, reads = self._before.pop()
        if reads is not None:
            reads.__exit__(*exception)

    def __call__(self, fn: Callable) -> Callable:
        flag = self.error_on_graph_break

        @functools.wraps(fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            with error_on_graph_break(flag):
                return fn(*args, **kwargs)

        return call


def nonstrict_trace(traceable_fn: Callable) -> Callable:
    """The function, in which `graph_break()` does nothing.

    Marked code is run to be recorded anyway; what the function reads is watched like all else, so it may close over
    tensors, and be replayed only while they are as they were.

    >>> @torch._dynamo.nonstrict_trace
    ... def f(x):
    ...     torch._dynamo.graph_break()
    ...     return x + 1
    >>> torch.compile(lambda x: f(x) * 2, fullgraph=True)(torch.ones(2))
    tensor([4., 4.])
    """
    if not callable(traceable_fn):
        raise AssertionError("nonstrict_trace expects a callable")

    @functools.wraps(traceable_fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        noting.nonstrict += 1
        try:
            return traceable_fn(*args, **kwargs)
        finally:
            noting.nonstrict -= 1

    return call


def forbid_in_graph(fn: Any) -> Any:
    """The function, or functions, which must not be called by marked code: that raises AssertionError.

    >>> @torch._dynamo.forbid_in_graph
    ... def f(x):
    ...     return x + 1
    >>> f(torch.ones(2))
    tensor([2., 2.])
    """
    if isinstance(fn, list | tuple):
        return [forbid_in_graph(x) for x in fn]
    if not callable(fn):
        raise AssertionError("forbid_in_graph applies only to callables")

    @functools.wraps(fn)
    def call(*args: Any, **kwargs: Any) -> Any:
        if noting.compiling:
            raise AssertionError(f"Attempt to trace forbidden callable {fn}")
        return fn(*args, **kwargs)

    return call


def disallow_in_graph(fn: Any) -> Any:
    """Raises NotImplementedError: calls of the library's functions are recorded, whichever code makes them."""
    raise NotImplementedError(
        "torch._dynamo.disallow_in_graph: what the library computes is recorded wherever it is called; keep a function of yours out with torch.compiler.disable(fn)"
    )


_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType, WrapperDescriptorType)


def substitute_in_graph(
    original_fn: Callable, *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[Callable], Callable]:
    """Says with a function of Python's what one of C's does: so it gives what its arguments decide on alone, and marked
    code that calls it is replayed. The function of C's is the one that is called, here and there.

    Args:
        original_fn: a function, of C's as a rule
        can_constant_fold_through: nothing to choose: what it gives is watched as its arguments are
        skip_signature_check: signatures need not be equal

    TypeError for an argument that is not a function, or has a different signature; ValueError for a function that has
    a substitute already.

    >>> import operator
    >>> @torch.compiler.substitute_in_graph(operator.indexOf)
    ... def index_of(a, b, /):
    ...     return next(i for i, item in enumerate(a) if item == b)
    >>> torch.compile(operator.indexOf, fullgraph=True)([1, 2, 3], 3)
    2
    """
    if not isinstance(original_fn, _FUNCTIONS):
        raise TypeError(f"substitute_in_graph expects a function but got {type(original_fn)!r}")

    def register(traceable_fn: Callable) -> Callable:
        if not isinstance(traceable_fn, _FUNCTIONS):
            raise TypeError(f"@substitute_in_graph(...) expects a function but got {type(traceable_fn)!r}")
        if not skip_signature_check:
            _check_signatures(original_fn, traceable_fn)
        if original_fn in PURE_BY_PROMISE:
            raise ValueError(f"Duplicate polyfilled object {original_fn}")
        PURE_BY_PROMISE[original_fn] = traceable_fn

        @functools.wraps(traceable_fn)
        def call(*args: Any, **kwargs: Any) -> Any:
            return original_fn(*args, **kwargs)

        call.__torch_dynamo_original__ = original_fn  # type: ignore[attr-defined]
        call.__torch_dynamo_polyfill__ = traceable_fn  # type: ignore[attr-defined]
        call.__torch_dynamo_can_constant_fold_through__ = can_constant_fold_through  # type: ignore[attr-defined]
        return call

    return register


def _check_signatures(original: Callable, other: Callable) -> None:
    """Raises where the names, kinds or defaults of two functions' parameters are not the same; `(*args, **kwargs)` is
    as any."""
    try:
        wanted = inspect.signature(original)
    except ValueError:  # one of C's need not have any
        return
    given = inspect.signature(other)
    a, b = _told(wanted), _told(given)
    if a != b and [] not in (a, b):
        raise TypeError(f"Signature mismatch between {original} and {other}: {wanted} != {given}")


def _told(signature: inspect.Signature) -> list[tuple]:
    named = [p for p in signature.parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    by_name = sorted([p for p in named if p.kind is p.KEYWORD_ONLY], key=lambda p: p.name)
    rest = [p for p in named if p.kind is not p.KEYWORD_ONLY]
    return [(p.name, p.kind is p.KEYWORD_ONLY, p.default) for p in [*rest, *by_name]]
