"""A function run once, at a level of its own: its Graph, what the Graph is given, and what the function does besides computing results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import Aval, Builder, Graph, NotOneOp, Tensor, hashed, make_tensor, record_function, state
from ...func._trees import flatten, unflatten
from ...random.generator import Generator, drawing, take_back
from ...utils._remat import _buffers, _Effects, _may_lift, _Results

__all__ = ["Traced", "trace", "with_numbers"]


class Traced:
    """What a call of a function recorded.

    graph   its Graph; the results are new values of what it writes to, then what it returns
    inputs  what stands for the Graph's inputs here: the tensors among the arguments, buffers, then what was captured
    drawn   of which Generator an input is the key of a draw, by the input's number
    given   how many of the inputs are arguments
    """

    def __init__(
        self,
        graph: Graph,
        inputs: list,
        drawn: dict[int, Generator],
        given: int,
        effects: _Effects,
        results: _Results,
    ):
        self.graph, self.inputs, self.drawn, self.given = graph, inputs, drawn, given
        self._effects, self._results = effects, results

    def names(self, first: Sequence[str] = ()) -> list[str]:
        """Names of the inputs: these, then `arg` or `captured` and the number."""
        rest = range(len(first), len(self.inputs))
        return [*first, *[f"arg{i}" if i < self.given else f"captured{i}" for i in rest]]

    def finish(self, outs: Sequence[Tensor]) -> Any:
        """Writes what the function writes and gives what it returns, where these are the Graph's results."""
        n = len(self._effects.tensors)
        self._effects.carry_out(outs[:n])
        return self._results.rebuilt(outs[n:])


def trace(fn: Callable, args: tuple, kwargs: dict[str, Any]) -> Traced:
    """Runs fn(*args, **kwargs) once, and records it. What it draws is not drawn yet: whoever runs the Graph draws. Raises NotOneOp where it does
    what no Graph can say."""
    leaves, structure = flatten((args, kwargs))
    at = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]
    given = [leaves[i] for i in at]
    below = state.rec
    buffers = [b for b in _buffers((fn, args, kwargs)) if _may_lift(b.tensor, given)]
    lifted = {id(b.tensor._cell): b for b in reversed(buffers)}
    stand_ins = [make_tensor(b.tensor._cell.value, below.level) for b in lifted.values()]
    inputs = [*given, *stand_ins]
    cells = [(b.tensor, b.tensor._cell) for b in buffers]

    def run(fresh: list[Tensor]):
        rec = state.rec
        for t, f in zip(given, fresh):
            f._edge = t._edge
        inner = dict(zip(lifted, [f._cell for f in fresh[len(given) :]]))
        for t, cell in cells:
            t._cell = inner[id(cell)]
        full = list(leaves)
        for i, f in zip(at, fresh):
            full[i] = f
        now_args, now_kwargs = unflatten(structure, full)
        with drawing() as keys:
            try:
                out = fn(*now_args, **now_kwargs)
            except BaseException:
                take_back(keys)
                raise
        if not rec.session.regular:
            raise NotOneOp("a hook is registered on what is computed inside")
        effects = _Effects(rec, given, fresh, buffers)
        results = _Results(rec, out, given, fresh, buffers, False)
        return [*effects.tensors, *results.tensors], (effects, results, keys)

    try:
        recorded = record_function("torch.compile", [t._aval for t in inputs], inputs, run)
    except BaseException:
        for b in buffers:
            b.store[b.name] = b.tensor
        raise
    finally:
        for t, cell in cells:
            t._cell = cell
    effects, results, keys = recorded.result
    take_back(keys)
    owners = {id(key): generator for generator, key in keys if key is not None}
    if len(owners) < len(keys):
        raise NotOneOp("numbers are drawn on the host, one after the other (torch.random.set_default_engine)")
    graph, inputs = with_numbers(recorded.graph, recorded.inputs)
    drawn = {}
    for number, x in enumerate(inputs):
        array = x._cell.value.array
        if array is not None and id(array) in owners:
            drawn[number] = owners[id(array)]
    return Traced(graph, inputs, drawn, len(given), effects, results)


def with_numbers(graph: Graph, inputs: Sequence[Any]) -> tuple[Graph, list[Tensor]]:
    """A Graph, and its inputs, in which numbers that were inputs are part of the steps: a place that has seen several takes them as inputs, and who
    edits a Graph and runs it again is to find the number."""
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
