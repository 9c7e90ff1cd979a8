"""A function run once, at a level of its own: its Graph, what the Graph is given, and what the function does besides computing results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import Graph, NotOneOp, Tensor, make_tensor, record_function, state
from ...func._trees import flatten, unflatten
from ...random.generator import Generator, drawing, take_back
from ...utils._remat import _buffers, _Effects, _may_lift, _Results

__all__ = ["Traced", "trace"]


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
    drawn = {}
    for number, x in enumerate(recorded.inputs):
        array = x._cell.value.array if isinstance(x, Tensor) else None
        if array is not None and id(array) in owners:
            drawn[number] = owners[id(array)]
    return Traced(recorded.graph, recorded.inputs, drawn, len(given), effects, results)
