"""`torch._dynamo.explain`: how a call falls into graphs, and where a value is read between them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..._core.api import flush, state
from ..noting import Reads, caller

__all__ = ["ExplainOutput", "GraphBreak", "explain"]

log = logging.getLogger("torch._dynamo")


@dataclass
class GraphBreak:
    """Location where a value is read: the reading code, and the user's line (`user_stack`: the same, in a list)."""

    reason: str
    line: str

    @property
    def user_stack(self) -> list[str]:
        """The line."""
        return [self.line]

    def __str__(self) -> str:
        return f"{self.reason} at {self.line}"


@dataclass
class ExplainOutput:
    """Graphs and graph breaks of one call of a function.

    graphs         the ops of each graph, by name
    break_reasons  a `GraphBreak` for each place where a value is read, in order
    """

    graphs: list[list[str]] = field(default_factory=list)
    break_reasons: list[GraphBreak] = field(default_factory=list)

    @property
    def graph_count(self) -> int:
        """The number of graphs."""
        return len(self.graphs)

    @property
    def graph_break_count(self) -> int:
        """The number of times that a value is read."""
        return len(self.break_reasons)

    @property
    def op_count(self) -> int:
        """The number of ops of all graphs."""
        return sum(map(len, self.graphs))

    @property
    def ops_per_graph(self) -> list[list[str]]:
        """The ops of each graph."""
        return self.graphs

    def __str__(self) -> str:
        lines = [
            f"Graph Count: {self.graph_count}",
            f"Graph Break Count: {self.graph_break_count}",
            f"Op Count: {self.op_count}",
        ]
        lines += ["Break Reasons:"] if self.break_reasons else []
        for k, b in enumerate(self.break_reasons, 1):
            lines += [f"  Break Reason {k}:", f"    Reason: {b.reason}", f"    User Stack: {b.line}"]
        lines += ["Ops per Graph:"]
        for k, ops in enumerate(self.graphs, 1):
            lines.append(f"  Ops {k}: {', '.join(ops)}")
        return "\n".join(lines)


class _Every(Reads):
    """Notices every read, and what was recorded before it."""

    def __init__(self, found: ExplainOutput):
        super().__init__()
        self.found = found
        self._path, self._seen = state.rec.path, 0

    def _reads(self) -> None:
        name, place = caller()
        self._notes(f"{name}() reads a value", place)

    def breaks(self, what: str) -> None:
        self._notes(what, caller()[1])

    def _notes(self, what: str, place: str) -> None:
        new = self.gather()
        breaks = self.found.break_reasons
        if new or not breaks or breaks[-1].line != place:
            breaks.append(GraphBreak(what, place))

    def gather(self) -> bool:
        """Takes what was recorded since as a graph; whether there is anything."""
        rec = state.rec
        while rec.outer is not None:
            rec = rec.outer
        if rec.path is not self._path:
            self._path, self._seen = rec.path, 0
        names = [getattr(n.op, "name", str(n.op)).rpartition(".")[2] for n in rec.path[self._seen :]]
        self._seen = len(rec.path)
        if names:
            self.found.graphs.append(names)
        return bool(names)


def explain(f: Callable, *extra_args: Any, **extra_kwargs: Any) -> Any:
    """A function that calls f, and gives an `ExplainOutput` in place of its result: the graphs that the call falls
    into, and where a value is read between them.

    f is run as it stands; what it does besides computing is done. `explain(f, *args)` calls it at once.

    >>> def f(x):
    ...     y = x.sin()
    ...     return y * 2 if y.sum() > 0 else y
    >>> torch._dynamo.explain(f)(torch.ones(2)).graph_count
    2
    """

    def inner(*args: Any, **kwargs: Any) -> ExplainOutput:
        fn = getattr(f, "_torchdynamo_orig_callable", getattr(f, "_orig_mod", f))
        found = ExplainOutput()
        flush()
        with _Every(found) as reads:
            fn(*args, **kwargs)
            reads.gather()
        for b in found.break_reasons:
            log.debug("Graph break: %s", b)
        return found

    return inner(*extra_args, **extra_kwargs) if extra_args or extra_kwargs else inner
