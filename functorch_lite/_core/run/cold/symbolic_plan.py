"""Plans of recordings at symbolic sizes: NumPy's steps, made once, of which those that depend on sizes are made anew
for each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ...lazy.applied import Applied
from ...lazy.graph import prune
from ...lazy.symbolic.nodes import SymbolicApplied, SymbolicNode, Text, in_terms_of, tell
from .interpreter import Plan, plan_of
from .sized_plans import Later, frame_of, plan_at
from .tier import windowed

__all__ = ["SymbolicPlan"]


class _Anew:
    """A step that is made when sizes are known. made(values): what it is at these; texts: of the values."""

    __slots__ = ("made", "texts")

    def __init__(self, made: Callable, texts: tuple[Text, ...]):
        self.made, self.texts = made, texts


class SymbolicPlan(Plan):
    """NumPy's steps of a recording for some live slots. reads: the externals that it takes, by number.

    Raises NoRule."""

    def __init__(self, path: Sequence[SymbolicNode], live: tuple[int, ...], sizes: list[int]):
        nodes, self.reads = prune(path, live)
        super().__init__(len(self.reads))
        self._applied: SymbolicApplied | None = None  # of the op whose steps are added
        at = {-1 - e: i for i, e in enumerate(self.reads)}
        for node in nodes:
            outs = self._node(node, [at[r] for r in node.refs], sizes)  # type: ignore[arg-type]
            at.update(zip(range(node.base, node.base + node.n_out), outs))
        self.finish([at[i] for i in live])
        self._bind, anew = self.code(_Anew)
        texts = list(dict.fromkeys([t for step in anew for t in step.texts]))
        self._tell = tell(tuple(texts))
        self._anew = [(step.made, _picker([texts.index(t) for t in step.texts])) for step in anew]

    def _node(self, node: SymbolicNode, ins: list[int], sizes: list[int]) -> list[int]:
        """Adds the steps of a recorded op; the places of its results."""
        self._applied, applied = None, node.applied
        there = windowed(node, node.static)
        if there is not None and not node.has_sizes:
            return self.inline(there, ins)
        if there is not None:
            out = self.place()
            made = lambda values: _first(windowed(node, _as_tuple(values)))  # type: ignore[arg-type]  # noqa: E731
            self._step(_Anew(made, node.statics_in_text), tuple(ins), out)
            return [out]
        if type(applied) is Applied:
            of = (applied.general or applied).sized
            told = of is not None and "jaxpr" not in applied.__dict__
            return self.inline(plan_at(applied) if told else plan_of(applied.to_run), ins)
        frame, self._applied = frame_of(applied.sized, applied.tell(sizes)), applied
        given = [i for i in applied.inputs if i is not None]
        if applied.model.general is not None:  # its numbers are constants
            arrays = iter(ins)
            ins = [
                next(arrays) if type(i) is not tuple else self.place(np.asarray(i[0](i[1]))) for i in given
            ]
        return self.inline(frame, ins)

    def _step(self, run: Any, ins: tuple[int, ...], outs: Any) -> None:
        if type(run) is Later:
            of, made = self._applied, run.made
            texts = tuple([in_terms_of(of.sized.text(d), of.at) for d in run.dims])  # type: ignore[union-attr]
            if len(outs) == 1:
                made, outs = _one(made), outs[0]
            run = _Anew(made, texts)
        self._steps.append((run, ins, outs, ()))

    def at(self, sizes: list[int]) -> Callable[..., list]:
        """Returns the function that computes the results from arrays, at these sizes."""
        values = self._tell(sizes)
        return self._bind(*[made(pick(values)) for made, pick in self._anew])


def _picker(at: list[int]) -> Callable[[tuple], Any]:
    return itemgetter(*at) if at else lambda values: ()


def _as_tuple(values: Any) -> tuple:
    return values if type(values) is tuple else (values,)


def _first(run: Callable) -> Callable:
    """The same, where it gives one result: what a rule makes may give that as a list of one."""
    return (lambda *args: run(*args)[0]) if getattr(run, "several", False) else run


def _one(made: Callable[[Any], Callable]) -> Callable[[Any], Callable]:
    return lambda values: _first(made(values))
