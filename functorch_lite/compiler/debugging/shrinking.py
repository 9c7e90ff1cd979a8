"""Shrinking: strategy after strategy, each of whose candidates is asked about; how that goes is said on the way."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..._core.api import Tensor
from ..._core.api import functions as torch
from ...autograd.grad_mode import set_grad_enabled
from ...fx import GraphModule
from ...random import get_rng_state, set_rng_state
from . import strategies
from .answers import Answers, fingerprint
from .editing import clean, flat, is_part, outputs_of, size_of, steps_of
from .stepping import evaluate
from .strategies import State, is_nested

__all__ = ["Fails", "Minifier", "is_finite"]

Fails = Callable[[GraphModule, list[Any]], bool]


def is_finite(x: Any) -> bool:
    """Returns whether a tensor has no NaN and no infinity; True for a tensor that is not floating point."""
    if isinstance(x, Tensor) and (x.is_floating_point() or x.is_complex()):
        return bool(torch.isfinite(x.detach()).all())
    return not isinstance(x, float) or math.isfinite(x)


_OTHERWISE = ("Consolidate Inputs", "Inline")
"""Strategies that make a Graph simpler though not smaller."""


class Minifier:
    """Shrinks a state by asking `fails`.

    fails      of a GraphModule and the list of its inputs: whether the fault is there. Every Graph is run from the same
               state of the random generator.
    dump       is given each smaller Graph with its inputs
    answers    what is known already
    values     whether the fault is one of values, NaN or infinity: inputs are never such then. (Of other faults, stored
               results become finite.)
    shapes     whether sizes and numbers shrink too
    store      what keeps the values of intermediates elsewhere
    """

    def __init__(
        self,
        gm: GraphModule,
        inputs: Sequence[Any],
        fails: Fails,
        dump: Callable[[GraphModule, list[Any]], Any] | None = None,
        *,
        answers: Answers | None = None,
        max_granularity: int | None = None,
        values: bool = False,
        shapes: bool = False,
        store: Callable[[Tensor], Any] | None = None,
        say: Callable[[str], None] | None = None,
    ):
        self.root, given = flat(gm, inputs)
        self.fails, self.dump, self.values, self.shapes, self.store = fails, dump, values, shapes, store
        self.max_granularity = max_granularity
        self.answers = Answers() if answers is None else answers
        self.say = say or (lambda text: print(text, file=sys.stderr, flush=True))
        self.queries = 0
        self.was_finite = all(map(is_finite, given))
        self.digests: dict[int, tuple[Any, str]] = {}
        self.seed = get_rng_state()
        self.state = State(copy.deepcopy(self.root.graph), given)
        self.began = size_of(self.state.graph)

    # -- asking

    def module(self, state: State) -> GraphModule:
        """A state as a module."""
        return GraphModule(self.root, copy.deepcopy(state.graph))

    def ask(self, state: State, again: bool = False) -> bool:
        """Returns whether a state fails. again: although it is known."""
        if self.was_finite and not self._are_finite(state):
            return False
        key = fingerprint(state.graph, state.inputs, self.digests)
        if key in self.answers and not again:
            return self.answers[key]
        self.queries += 1
        set_rng_state(self.seed)
        try:
            with set_grad_enabled(torch.is_grad_enabled()):
                found = bool(self.fails(self.module(state), list(state.inputs)))
        finally:
            set_rng_state(self.seed)
        self.answers.note(key, found)
        return found

    def _are_finite(self, state: State) -> bool:
        """Returns whether a state's inputs are finite, after replacing the others where that is allowed."""
        for i, x in enumerate(state.inputs):
            if isinstance(x, Tensor) and id(x) not in self.digests and not is_finite(x):
                if self.values:
                    return False
                ones = torch.ones_like(x)
                made = torch.where(torch.isfinite(x.detach()), x.detach(), ones)
                state.inputs[i] = made.requires_grad_(x.requires_grad)
        return True

    def evaluate(self, state: State) -> bool:
        """Runs a state op by op, so that each Node has its value; False if it does not run."""
        set_rng_state(self.seed)
        try:
            evaluate(GraphModule(self.root, state.graph), state.inputs, self.store)
        except Exception as error:
            self.say(f"The Graph does not run op by op ({type(error).__name__}: {error})")
            return False
        return True

    # -- shrinking

    def run(self, skip_sanity: bool = False) -> tuple[GraphModule, list[Any]]:
        """The smallest Graph that was found, and its inputs."""
        if not skip_sanity and not self.ask(self.state, again=True):
            raise RuntimeError("Input graph did not fail the tester")
        self.say(f"Started off with {self.state.nodes} nodes")
        has_values = self.evaluate(self.state)
        self._show_dead()
        while True:
            self._dump()
            if has_values and (self._by_granularity() or self._repaired()):
                continue
            if self._first("Remove outputs", strategies.remove_outputs, 1):
                continue
            break
        if not self.ask(self.state, again=True):
            raise RuntimeError("Uh oh, something went wrong :( Final graph is not failing")
        ops = size_of(self.state.graph)
        self.say(f"Made {self.queries} queries; {self.began} ops became {ops}")
        return self.module(self.state), list(self.state.inputs)

    def _show_dead(self) -> None:
        """Unused steps become results if the fault disappears with them, so that they can be distinguished from steps
        that are not needed."""
        without = State(clean(copy.deepcopy(self.state.graph)), self.state.inputs)
        if len(without.graph.nodes) == self.state.nodes or self.ask(without):
            return
        (*_, last) = steps_of(self.state.graph)
        shown = State(strategies.beginning(self.state.graph, last), self.state.inputs)
        if self.ask(shown):
            self.state = shown

    def _by_granularity(self) -> bool:
        """PyTorch's strategies, at each granularity; whether one found something."""
        granularity = 1 << (self.state.nodes.bit_length() - 1)
        if self.max_granularity is not None:
            granularity = min(self.max_granularity, granularity)
        first = True
        while granularity >= 1:
            many_outputs = len(outputs_of(self.state.graph)) > self.state.nodes // 2
            for name, strategy in self._torchs(many_outputs, first):
                if self._first(name, strategy, granularity):
                    return True
            granularity, first = granularity // 2, False
        return False

    @staticmethod
    def _torchs(many_outputs: bool, first: bool) -> Iterator[tuple[str, Callable]]:
        if many_outputs:
            yield "Remove outputs", strategies.remove_outputs
        if first:
            yield "Eliminate dead code", strategies.eliminate_dead_code
            yield "Remove unused inputs", strategies.remove_unused_inputs
            yield "Consolidate Inputs", strategies.consolidate_inputs
        yield "Truncate suffix", strategies.truncate_suffix
        yield "Delta Debugging", strategies.delta_debugging

    def _repaired(self) -> bool:
        """Tries the strategies that PyTorch lacks. Returns whether any of them found something."""
        for name, strategy in strategies.REPAIRS.items():
            granularity = 1 << max(0, size_of(self.state.graph).bit_length() - 1)
            while granularity >= 1:
                if self._first(name, strategy, granularity):
                    return True
                granularity = granularity // 2 if name == "Cut" else 0
        return self.shapes and self._first("Shrink", strategies.shrink, 1, check=True)

    def _first(
        self,
        name: str,
        strategy: Callable[[State, int], Iterator[State]],
        granularity: int,
        check: bool = False,
    ) -> bool:
        """Takes the first candidate that fails; whether there is one. check: it must run op by op too."""
        before, asked = self.state, 0
        for candidate in strategy(before, granularity):
            if name not in _OTHERWISE and not _is_smaller(candidate, before):
                continue
            if not asked:
                self.say(
                    f"Strategy: {name} (G: {granularity}) ({before.nodes} nodes, {len(before.inputs)} inputs)"
                )
            asked += 1
            if check and not self.evaluate(candidate):
                continue
            if self.ask(candidate):
                self.evaluate(candidate)
                self.state = candidate
                self.say(
                    f"SUCCESS: Went from {before.nodes} to {candidate.nodes} nodes "
                    f"{_bar(size_of(candidate.graph), self.began)} {self.queries} queries"
                )
                return True
        if asked:
            self.say(f"FAIL: {name}")
        return False

    def _dump(self) -> None:
        if self.dump is not None:
            self.dump(self.module(self.state), list(self.state.inputs))


def _is_smaller(candidate: State, than: State) -> bool:
    """Returns whether it has fewer steps; if as many, fewer Nodes, outputs, numbers in its inputs, or numbers among its
    arguments. So the search ends."""
    return candidate.nodes <= than.nodes and _measure(candidate) < _measure(than)


def _measure(state: State) -> tuple[int, ...]:
    calls = [n for n in state.graph.nodes if n.op.startswith("call") and not is_part(n)]
    numbers = sum([x.numel() for x in state.inputs if isinstance(x, Tensor)])
    odd = sum([type(a) is float and a not in (0.0, 1.0) for n in calls for a in n.args])
    shown = len(outputs_of(state.graph)) + is_nested(state.graph)
    return len(calls), state.nodes, shown, numbers, odd


def _bar(now: int, began: int) -> str:
    """Shows what is left, as a bar."""
    left = round(20 * now / max(1, began))
    return f"[{'#' * left}{'.' * (20 - left)}] {now} ops"
