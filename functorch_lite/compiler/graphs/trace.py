"""A function run once, at a level of its own: its Graph, what the Graph is given, and what the function does besides
computing results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import Aval, Builder, Graph, NotOneOp, Tensor, hashed
from ...random.generator import Generator, drawing, take_back
from ...utils._remat import Region

__all__ = ["Traced", "trace", "with_numbers"]


class Traced:
    """The recording of one call of a function.

    graph   its Graph; the results are new values of what it writes to, then what it returns
    inputs  what stands for the Graph's inputs here: the tensors among the arguments, buffers, then what was captured
    drawn   of which Generator an input is the key of a draw, by the input's number
    given   how many of the inputs are arguments
    """

    def __init__(self, region: Region, drawn: Sequence[tuple[Generator, Any]]):
        self.graph, self.inputs = with_numbers(region.recorded.graph, region.recorded.inputs)
        self.given = len(region.given)
        self.finish = region.finish
        """Function of the Graph's results: writes what the traced function writes, and gives what it returns."""
        owners = {id(key): generator for generator, key in drawn}
        arrays = [x._cell.value.array for x in self.inputs]
        self.drawn = {i: owners[id(a)] for i, a in enumerate(arrays) if a is not None and id(a) in owners}

    def names(self, first: Sequence[str] = ()) -> list[str]:
        """Names of the inputs: these, then `arg` or `captured` and the number."""
        rest = range(len(first), len(self.inputs))
        return [*first, *[f"arg{i}" if i < self.given else f"captured{i}" for i in rest]]


def trace(fn: Callable, args: tuple, kwargs: dict[str, Any]) -> Traced:
    """Runs fn(*args, **kwargs) once, and records it.

    Random numbers are not drawn yet: running the Graph draws them. Raises NotOneOp where it does what no Graph can
    say."""
    drawn: list[tuple[Generator, Any]] = []

    def noted(*now_args: Any, **now_kwargs: Any) -> Any:
        with drawing() as keys:
            try:
                return fn(*now_args, **now_kwargs)
            finally:
                drawn.extend(keys)

    try:
        region = Region(noted, args, kwargs, kind="torch.compile")
    finally:
        take_back(drawn)
    if any(key is None for _, key in drawn):
        raise NotOneOp("numbers are drawn on the host, one after the other (torch.random.set_default_engine)")
    return Traced(region, drawn)


def with_numbers(graph: Graph, inputs: Sequence[Any]) -> tuple[Graph, list[Tensor]]:
    """A Graph, and its inputs, in which numbers that were inputs are part of the steps: a place that has seen several
    takes them as inputs, and who edits a Graph and runs it again is to find the number."""
    numbers = {-1 - i: x for i, x in enumerate(inputs) if not isinstance(x, Tensor)}
    if not numbers:
        return graph, list(inputs)
    kept = [i for i in range(len(inputs)) if -1 - i not in numbers]
    made = Builder([graph.in_avals[i] for i in kept], graph.n_inputs)
    now: dict[int, Any] = {-1 - i: -1 - k for k, i in enumerate(kept)}
    now |= {ref: (type(x), hashed(x)) for ref, x in numbers.items()}
    for step in graph.steps:
        refs = iter(step.refs)
        full = [now[next(refs)] if type(x) is Aval else x for x in step.applied.inputs]
        if any(r in numbers for r in step.refs):
            outs = made.add(step.op, step.static, full, step.stop, step.source)
        else:
            outs = made.add_applied(
                step.applied, [now[r] for r in step.refs], step.stop, step.source, step.avals
            )
        now.update(zip(range(step.base, step.base + step.n_out), outs))
    return made.graph([now[o] for o in graph.outputs]), [inputs[i] for i in kept]
