"""Plans of recordings at symbolic sizes: NumPy's steps, made once, of which those that depend on sizes are made anew
for each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from ...declare.op import OPS
from ...lazy.applied import Applied
from ...lazy.graph import prune
from ...lazy.symbolic.nodes import SymbolicApplied, SymbolicNode, Text, in_terms_of, tell
from ...lazy.trie import DYNAMIC
from .interpreter import Plan, plan_of
from .sized_plans import Later, frame_of, plan_at
from .tier import window

__all__ = ["SymbolicPlan"]

Step = tuple[Any, tuple[int, ...], Any]


class _Anew:
    """A step that is made when sizes are known. made(values): what it is at these; texts: of the values."""

    __slots__ = ("made", "texts")

    def __init__(self, made: Callable, texts: tuple[Text, ...]):
        self.made, self.texts = made, texts


class SymbolicPlan:
    """NumPy's steps of a recording for some live slots. reads: the externals that it takes, by number.

    Raises NoRule."""

    def __init__(self, path: Sequence[SymbolicNode], live: tuple[int, ...], sizes: list[int]):
        nodes, self.reads = prune(path, live)
        self._rest: list[Any] = []
        self._steps: list[Step] = []
        at = {-1 - e: i for i, e in enumerate(self.reads)}
        for node in nodes:
            outs = self._add(node, [at[r] for r in node.refs], sizes)  # type: ignore[arg-type]
            at.update(zip(range(node.base, node.base + node.n_out), outs))
        self._outputs = [at[i] for i in live]
        self._bind, anew = self._as_code(self._needed())
        texts = list(dict.fromkeys([t for step in anew for t in step.texts]))
        self._tell = tell(tuple(texts))
        self._anew = [(step.made, _picker([texts.index(t) for t in step.texts])) for step in anew]

    def _place(self, value: np.ndarray | None = None) -> int:
        self._rest.append(value)
        return len(self.reads) + len(self._rest) - 1

    def _add(self, node: SymbolicNode, ins: list[int], sizes: list[int]) -> list[int]:
        """Adds the steps of a recorded op; the places of its results."""
        applied = node.applied
        if node.numbers and (node.op is OPS["select"] or node.op is OPS["narrow"]):
            literal = None if node.numbers == DYNAMIC else node.literals[0]
            out = self._place()
            made = lambda values: _first(window(literal, *_as_tuple(values)))  # noqa: E731
            self._steps.append((_Anew(made, node.statics_in_text), tuple(ins), out))
            return [out]
        if type(applied) is Applied:
            of = (applied.general or applied).sized
            told = of is not None and "jaxpr" not in applied.__dict__
            return self._inline(plan_at(applied) if told else plan_of(applied.to_run), ins, None)
        frame = frame_of(applied.sized, applied.tell(sizes))
        given = [i for i in applied.inputs if i is not None]
        if applied.model.general is not None:  # its numbers are constants
            arrays = iter(ins)
            ins = [
                next(arrays) if type(i) is not tuple else self._place(np.asarray(i[0](i[1]))) for i in given
            ]
        return self._inline(frame, ins, applied)

    def _inline(self, of: Plan, ins: list[int], applied: SymbolicApplied | None) -> list[int]:
        at = [*ins, *map(self._place, of.rest)]
        for run, places, outs in of.steps:
            outs = at[outs] if type(outs) is int else tuple([at[o] for o in outs])
            if type(run) is Later:
                texts = tuple([in_terms_of(applied.sized.text(d), applied.at) for d in run.dims])  # type: ignore[union-attr]
                made = run.made
                if len(outs) == 1:
                    made, outs = _one(made), outs[0]
                run = _Anew(made, texts)
            self._steps.append((run, tuple([at[i] for i in places]), outs))
        return [at[o] for o in of.outputs]

    def _needed(self) -> list[tuple[Any, tuple[int, ...], Any, list[int]]]:
        """The steps that something reads, with what nothing reads any more after them."""
        needed, found = set(self._outputs), []
        for run, ins, outs in reversed(self._steps):
            made = (outs,) if type(outs) is int else outs
            if not needed.isdisjoint(made):
                gone = sorted({*ins, *made}.difference(needed))
                needed.update(ins)
                found.append((run, ins, outs, gone))
        return found[::-1]

    def _as_code(self, steps: Sequence[tuple]) -> tuple[Callable, list[_Anew]]:
        """A function of what is made anew, which gives a function of the arrays."""
        constants = {f"s{at}": v for at, v in enumerate(self._rest, len(self.reads)) if v is not None}
        fixed, anew, lines = {}, {}, []
        for k, (run, ins, outs, gone) in enumerate(steps):
            (anew if type(run) is _Anew else fixed)[f"f{k}"] = run
            to = f"s{outs}" if type(outs) is int else "".join([f"s{o}, " for o in outs])
            lines.append(f"{to} = f{k}({', '.join([f's{i}' for i in ins])})")
            if ended := [f"s{i}" for i in gone if f"s{i}" not in constants]:
                lines.append(f"del {', '.join(ended)}")
        lines.append(f"return [{', '.join([f's{o}' for o in self._outputs])}]")
        inputs, body = ", ".join([f"s{i}" for i in range(len(self.reads))]), "\n   ".join(lines)
        text = (
            f"def made({', '.join([*fixed, *constants])}):\n def bind({', '.join(anew)}):\n"
            f"  def run({inputs}):\n   {body}\n  return run\n return bind"
        )
        found: dict[str, Any] = {}
        exec(compile(text, "<functorch_lite plan>", "exec"), found)
        return found["made"](*fixed.values(), *constants.values()), list(anew.values())

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
