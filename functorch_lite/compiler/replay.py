"""Replay: what a function recorded is appended to the recording again, without running it, where all that it may read
is as it was.

The first call tells which code runs; the second what there is to watch, and what is recorded; the calls after these are
replayed. At some calls the function is run all the same, and must record what would have been replayed.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core.api import Leaf, NotReplayable, Tensor, dispatch_ended, one_piece, state
from ..func._trees import Structure, flatten
from . import settings
from .modes import modes
from .noting import Reads, noting
from .pass_reports import PassReport, counters, tell
from .ran import Ran
from .simple import Unwatched, is_simple
from .sources import sources_of
from .steps import NotedRun, Step

if TYPE_CHECKING:
    from .watch import Watch

__all__ = ["Replayed", "every", "mismatches", "noting"]

MOST_STARTS, MOST_TRIES, MOST_WATCHES, MOST_UNUSED = 64, 6, 8, 4
"""Places of the trie that a kind of call is replayed from; runs from which something new may be learnt before it is
given up; changes of what it reads, beside one in eight calls; how often all kinds of a function may go, none of which
was replayed, before it is given up."""

MOST_VISITED = 1_024
"""Places that are known to have been visited."""

_noted_for: dict[str, object] = {}
"""For whom a run is noted now, one at a time: it hides values from whoever reads them, other threads too.

(A lock could stay held where Ctrl-C comes as it is taken.)"""

MOST_ALIKE = 4
"""Steps at one place, of sources that differ: gradients that are there or not, when they are accumulated."""

mismatches: list[str] = []
"""Functions that recorded something else though nothing had changed: a fault of the watching. There should be none."""

every: weakref.WeakSet[Replayed] = weakref.WeakSet()
"""All there are."""


def _learning() -> tuple[Any, Any]:
    """`fusing` and `watch`, loaded (130 ms) with the first function that is recorded."""
    from . import fusing, watch  # which needs the optimizers

    return fusing, watch


class Replayed(Unwatched):
    """A function, replayed where that gives what running it would. `replays`, `runs`: how often.

    of: the user's function, if fn is the library's that calls it. reason: why none of its calls is replayed, if so."""

    fullgraph = False
    """Whether what reads a value raises."""

    def __init__(self, fn: Callable, of: Any = None):
        self.fn = fn
        self.of = fn if of is None else of
        self.replays = self.runs = 0
        self.forget()
        every.add(self)

    def forget(self) -> None:
        """Forgets all kinds of calls."""
        self.reason = ""
        self.entries: dict[Any, Entry] = {}
        self._unused = 0
        self._ready: Step | None = None

    @property
    def why_not(self) -> list[str]:
        """Lists the reasons why some calls are not replayed, by kind."""
        found = [e.reason for e in self.entries.values() if e.reason]
        return [self.reason, *found] if self.reason else found

    def __call__(self, args: tuple, kwargs: dict) -> Any:  # hot path
        ready = self._ready
        if ready is not None and not (kwargs or noting.on):
            made = ready.ready.of(args)  # type: ignore[union-attr]
            if made is not None:
                self.replays += 1
                return ready.shown.made(made, args)
        kind = self._kind(args, kwargs)
        if kind is None:
            return self._as_it_stands(args, kwargs)
        key, leaves = kind
        entry = self.entries.get(key)
        if entry is None:
            entry = self._new(key, leaves)
        if entry is None or entry.reason:
            return self._as_it_stands(args, kwargs)
        tensors = [x for x in leaves if isinstance(x, Tensor)]
        if entry.is_due():
            done = entry.replay(tensors)
            if done is not None:
                self.replays += 1
                flat = entry.ready is not None and not kwargs and all(x.__class__ is Tensor for x in args)
                self._ready = entry.ready if flat else None
                return done[0]
        noted = self._noted(entry, args, kwargs, tensors)
        if noted is None:
            return self._as_it_stands(args, kwargs)
        self.runs += 1
        return noted[0]

    def _kind(self, args: tuple, kwargs: dict) -> tuple[Any, list] | None:
        """Returns the key of a call's kind, and the leaves of its arguments; None for a call that is run."""
        now = None if noting.on or self.reason else modes()
        if now is None:
            return None
        leaves, structure = flatten((args, kwargs))
        key = _key(leaves, structure, now)
        return None if key is None else (key, leaves)

    def _new(self, key: Any, leaves: list) -> Entry | None:
        """Keeps another kind of call; None where it is not to be kept."""
        if len(self.entries) >= settings.recompile_limit:
            self._drop_oldest()
            if self.reason:
                return None
        return self._keep(key, leaves)

    def _keep(self, key: Any, leaves: list) -> Entry:
        entry = self.entries[key] = Entry(self.fn, self.of, leaves)
        return entry

    def _drop_oldest(self) -> None:
        if not self.entries:  # the limit is 0
            self.reason = "torch._dynamo.config.recompile_limit is 0"
            return
        oldest = self.entries.pop(next(iter(self.entries)))
        self._unused = 0 if oldest.replays else self._unused + 1
        if self._unused > MOST_UNUSED * settings.recompile_limit:
            self.forget()
            self.reason = (
                "nearly each of its calls is of a new kind: other shapes, other numbers, or other objects"
            )

    def _noted(self, entry: Entry, args: tuple, kwargs: dict, tensors: list) -> tuple[Any] | None:
        """The result of a run from which the entry learns, in a tuple.

        None, and it was not run, where nothing can be learnt."""
        return entry.run(args, kwargs, tensors, self.fullgraph)

    def _as_it_stands(self, args: tuple, kwargs: dict) -> Any:
        """The result of a run from which nothing is learnt."""
        self.runs += 1
        return self.fn(*args, **kwargs)


def _key(leaves: list, structure: Structure, now: tuple) -> Any:
    """Returns the key that tells kinds of calls apart: structure, avals, what requires grad, values that do not change,
    other objects by identity. None for a call that is run."""
    found: list[Any] = []
    for x in leaves:
        if isinstance(x, Tensor):
            edge = x._edge
            leaf = edge is not None and type(edge[0]) is Leaf
            if leaf and (edge[0].hooks is not None or edge[0].post_hooks is not None):  # type: ignore[index]
                return None
            try:
                found.append((type(x), x._aval, leaf if edge is not None else None, bool(x._lenses)))
            except (
                AttributeError
            ):  # a nested tensor, which has several parts: its ops are recorded as they run
                return None
        elif is_simple(x):
            found.append((type(x), repr(x) if isinstance(x, (float, complex, np.inexact)) else x))
        else:
            found.append(id(x))
    key = (structure, tuple(found), now)
    try:
        hash(key)
    except TypeError:
        return None
    return key


class Entry:
    """One kind of call.

    `reason`: why it is not replayed, if so; `reads`: whether that is because a value is read. `replays`: how often.

    fuses: attention that is written out is recorded as `scaled_dot_product_attention`. ready: the step of the last
    call, if the next one may be told to be like it by its arguments alone."""

    ready: Step | None = None

    def __init__(self, fn: Callable, of: Any, leaves: list, fuses: bool = False):
        self.fn, self.of, self.fuses = fn, of, fuses
        self.reason = ""
        self.reads = False
        self.replays = 0
        self._objects = [
            x for x in leaves if not isinstance(x, Tensor)
        ]  # kept, so that their ids stay theirs
        self._ran: Ran | None = None
        self._watch: Watch | None = None
        self._steps: dict[Any, list[Step]] = {}
        self._tries = self._calls = self._watches = 0
        self._audit = 2
        self._visited: set[int] = set()
        self._asked: tuple[set[str], bool] = (set(), False)
        self._clears = False
        self._products: Any = None
        self._fused: dict[int, int] | None = None  # until a run has told

    def is_due(self) -> bool:
        """Returns whether this call may be replayed: it is not one of the calls that verify the recording."""
        if self._watch is None:
            return False
        self._calls += 1
        if self._calls == self._audit:
            self._audit *= 2
            return False
        return True

    def _is_to_be_noted(self) -> bool:
        """Returns whether this call, which is not replayed, is one to learn from: not so at a place of the trie where none was
        before. In a loop of which nothing is read each call is at another one."""
        if self._watch is None:
            return True
        rec = state.here.rec
        node = rec.root if rec.ended else rec.node
        if node in self._steps or id(node) in self._visited:
            return True
        if len(self._visited) >= MOST_VISITED:
            self._visited.clear()
        self._visited.add(id(node))
        return False

    def is_changed(self) -> bool:
        """Returns whether something that it reads is not as it was, so that what is known of it holds no more."""
        return self._watch is not None and not self._watch.is_as_it_was()

    def replay(self, tensors: Sequence[Tensor]) -> tuple[Any] | None:
        """The call's result, in a tuple; None where it has to be run."""
        watch, rec = self._watch, state.here.rec
        steps = self._steps.get(rec.root if rec.ended else rec.node)
        if watch is None or steps is None or not watch.is_as_it_was():
            return None
        for t in tensors:
            if t.__dict__ and self._asks_for_own(t):
                return None
        sources = sources_of(tensors, watch)
        step = next((s for s in steps if s.kind.fits(sources, watch)), None)
        if step is None:
            return None
        if rec.ended:
            step.clear(sources)
            dispatch_ended()
        done = step.replay(state.here.rec, sources, tensors)
        self.replays += done is not None
        ready = step.ready
        self.ready = step if ready is not None and ready.quick and ready.is_sure else None
        return done

    def _asks_for_own(self, t: Tensor) -> bool:
        """Returns whether a tensor has attributes of its own that the code may ask for."""
        own, names, any_name = t.__dict__, *self._asked
        return not names.isdisjoint(own) or (any_name and bool(own))

    def run(
        self, args: tuple, kwargs: dict, tensors: Sequence[Tensor], fullgraph: bool = False
    ) -> tuple[Any] | None:
        """Runs the function, and learns from that: its result, in a tuple.

        None, and it was not run, where nothing can be learnt."""
        mine = object()
        try:
            if _noted_for.setdefault("run", mine) is not mine:  # another thread notes a function
                return (self._run(args, kwargs, fullgraph),)
            if self._ran is None:
                return (self._first_run(args, kwargs, fullgraph),)
            if not self._is_to_be_noted():
                return (self._run(args, kwargs, fullgraph),)
            return self._noted_run(args, kwargs, tensors, fullgraph)
        finally:
            if _noted_for.get("run") is mine:
                del _noted_for["run"]

    def _noted_run(
        self, args: tuple, kwargs: dict, tensors: Sequence[Tensor], fullgraph: bool
    ) -> tuple[Any] | None:
        fusing, watch = _learning()
        try:
            if self._watch is None or not self._watch.is_as_it_was():
                self._watches += 1
                if self._watches > MOST_WATCHES + self._calls // 8:
                    raise NotReplayable("something that it reads changes again and again")
                self._steps.clear()
                self._asked = (self._ran.names, self._ran.reads_any_attribute)
                self._watch = watch.Watch(self._ran, [self.of, *self._objects])
                self._fused = None
            if any(map(self._asks_for_own, tensors)):
                raise NotReplayable("an argument has attributes of its own")
            run = NotedRun(tensors, self._watch, waits=self._clears and state.here.rec.ended)
        except (NotReplayable, Exception) as refused:  # of whatever kind an object makes when it is looked at
            self._give_up(refused, self._reads)
            return None
        if self.fuses and self._fused is None:
            self._products = fusing.Products()
            with self._products:
                result = run(self.fn, args, kwargs, fullgraph)
        else:
            with self._fusing():
                result = run(self.fn, args, kwargs, fullgraph)
        self._clears = self._clears and run.has_begun
        try:
            if run.has_begun:
                self._learn(run, result)
        except (NotReplayable, Exception) as refused:
            self._give_up(refused, run.reads)
        return (result,)

    def _first_run(self, args: tuple, kwargs: dict, fullgraph: bool) -> Any:
        """Learns which code runs, and whether it clears gradients before it does anything else."""
        rec = state.here.rec
        node = rec.node

        def cleared() -> None:
            one_piece.cleared = None
            self._clears = state.here.rec is rec and rec.node is node
            dispatch_ended()

        one_piece.cleared = cleared
        try:
            with Ran() as ran:
                result = self._run(args, kwargs, fullgraph)
        finally:
            one_piece.cleared = None
        self._ran = ran
        return result

    def _run(self, args: tuple, kwargs: dict, fullgraph: bool) -> Any:
        self._reads = reads = Reads(fullgraph)
        noting.on = True
        try:
            with reads, self._fusing():
                result = self.fn(*args, **kwargs)
        finally:
            noting.on = False
        if reads.error is not None:  # which the function caught
            raise reads.error
        return result

    def _fusing(self) -> Any:
        """A context in which attention is fused where a run has told that it may be, and nothing that is read has
        changed since."""
        if not self._fused or self._watch is None or not self._watch.is_as_it_was():
            return nullcontext()
        fusing, _ = _learning()
        return fusing.Products(self._fused)

    def _approved(self, run: NotedRun, step: Step) -> dict[int, int]:
        """Finds the products of a noted run that may be recorded as the attention that they end, and how many steps
        each replaces."""
        fusing, _ = _learning()
        began, path = perf_counter(), step.segment.path
        found = fusing.approved(self._products.places, path, list(run.mark.rec.ext), step.shows())
        self._products = None
        if found:
            counters["inductor"]["fuse_attention"] += len(found)
            left = len(path) - sum(found.values()) + len(found)
            tell(
                PassReport("recorded", "fuse_attention", perf_counter() - began, len(path), left, len(found))
            )
        return found

    def _learn(self, run: NotedRun, result: Any) -> None:
        known = self._ran
        assert known is not None and self._watch is not None
        new = run.ran.codes.keys() - known.codes.keys()
        if not new and run.reads.why:
            raise NotReplayable(run.reads.why)
        if new or not self._watch.is_as_it_was():
            for code in new:
                known.codes[code] = run.ran.codes[code]
            self._watch = None
            self._tries += 1
            if self._tries > MOST_TRIES:
                raise NotReplayable(
                    "something that it reads changes from call to call, or by the call itself"
                )
            return
        steps = self._steps.get(run.mark.node, [])
        had = next((s for s in steps if s.kind.fits(run.sources, run.watch)), None)
        step = run.step(result)
        if self.fuses and self._fused is None:
            self._fused = self._approved(run, step)
            if self._fused:  # the next run records another program, and is learnt
                self._visited.add(id(run.mark.node))
                return
        # a number that was part of the program may have become an input, for another function, or two sources one: it
        # is learnt again
        fits = had is not None and had.takes_numbers_like(step) and had.kind == step.kind
        if fits and not had.is_same(step):  # type: ignore[union-attr]
            mismatches.append(str(self.fn))
            raise NotReplayable("it recorded something else though nothing had changed")
        if len(self._steps) >= MOST_STARTS:
            self._steps.pop(next(iter(self._steps)))
        self._steps[run.mark.node] = [*[s for s in steps if s is not had], step][-MOST_ALIKE:]

    def _give_up(self, refused: BaseException, reads: Reads) -> None:
        """For what was refused, or rather for what the code was seen to do: that can be mended."""
        said = str(refused) if isinstance(refused, NotReplayable) else f"{type(refused).__name__}: {refused}"
        self.reason, self.reads = reads.why or said, reads.is_read
        self._watch = self._ran = None
        self._steps.clear()
