"""The choice of recordings that NumPy runs, as long as compiling their programs takes longer than doing without them.

A place (the trie node that a recording ends at) is run by NumPy until that took longer than a program would by what
compiling takes, and half of it more (`PAID_BEFORE`). Then its program is compiled in another thread, during as many
runs more as take about as long; then the program runs, waited for if need be. The numbers are made of fixed guesses
from the recorded ops alone: which tier runs never depends on how fast anything was.
"""

from __future__ import annotations

import contextlib
import contextvars
import functools
import math
import sys
from collections.abc import Callable, Sequence
from time import perf_counter, perf_counter_ns
from typing import Any, Protocol

import jax
import numpy as np

from ...declare.op import OPS
from ...lazy import engine
from ...lazy.apply import put_op
from ...lazy.breaches import Breach, error_of, gathering, note_error
from ...lazy.graph import prune
from ...lazy.trie import DYNAMIC, TrieNode
from ...lazy.value import Value, is_tracer
from ...words import forked
from ...words.device import device
from ..blas import at_most
from ..chunks import cut
from ..cores import threads
from ..pending import WHOLE_PROGRAM_OPS, Pending
from ..program import deterministic
from ..report import Guess, explaining, ran_by_numpy, timing
from ..schedule import FIRST_RUNS, MOST_RUNS, PAID_BEFORE, Next, Ticket, clock
from ..tiers import is_cold, is_compiled
from ..way import Running, call
from . import (  # noqa: F401  (their rules)
    control,
    convolutions,
    elementwise,
    idioms,
    linear_algebra,
    own,
    places,
    products,
    random,
    shapes,
    sorts,
    special,
    windows,
)
from .interpreter import NoRule, Plan, plan_of
from .sized_plans import plan_at

__all__ = [
    "ByNumPy", "Place", "is_ready", "joined", "may_run", "place_of", "product_threads", "quietly", "run_in_child", "windowed",
]  # fmt: skip

SECONDS_TO_COMPILE, GROWTH, SECONDS_PER_CONVOLUTION = 0.0075, 0.8, 0.05
"""Seconds that tracing, lowering and compiling a program are guessed to take: times the number of equations in it to
this power, and more for each convolution.

(Measured on a quiet machine: an MLP of 293 equations 0.8 s, a VAE of 346 0.6, an LSTM of 355 0.9, a CNN of 462 1.0, 20
layers of 588 1.2, a GPT of 2,428 3.4.)"""
SECONDS_TO_LOAD, SECONDS_PER_EQUATION_LOADED = 0.02, 0.0002
"""The same, for a program that another process left on disk."""
SECONDS_PER_TRACE, SECONDS_PER_OP_LOADED = 0.004, 0.0006
"""Seconds that tracing an op is guessed to take, and an op's part of loading a program, as long as its equations are
not known."""
RUNS_OF_ONE_WAY = 300
"""Under `use_deterministic_algorithms` a recording takes one way for good, as bits are not to change from one run to
the next, nor when a script is resumed: NumPy's if so many runs save less than compiling takes."""
SECONDS_PER_RUN = 1.5e-5
"""Seconds that NumPy's run of a recording takes beside its steps."""
SECONDS_BETWEEN = 4e-6
"""Seconds that recording is guessed to take, for each equation, before it is NumPy's turn again: a program is compiled
meanwhile."""
AS_SOON_DONE = 1e-4
"""Seconds up to which NumPy is done as soon as a program would be called, which takes that long: such places are never
compiled."""
SECONDS_PER_EQUATION_RUN = 4e-7
"""Seconds that an equation costs a program as it runs, beside its elements.

(Measured on a machine that is 2.6 times as fast as these guesses, microseconds of NumPy's run, and of a program's: an
update of SGD with 55 equations 30, 36; training a small MLP, 237 equations, 134, 53; 20 layers, 577 equations, 564,
190; an LSTM, 356 equations, 812, 250; layers of a transformer, 1,009 equations, 3,140, 1,250.)"""
LEAST_SAVED = 0.1
"""Part of NumPy's time that a program is to be guessed to save, if it is ever to be compiled."""
OPS_OF_A_STRETCH = 24
"""How many ops the stretches of long recordings have, about (see chunks.py): each is one more program to be called.

(Measured: HMC 21 of 443 ops, a character RNN 48 of 1,122. On few elements such programs are slower than NumPy: 1.1 for
0.27 ms in HMC; in the RNN 4.2 for 5.4.)"""
MOST_PLANS, MOST_INLINED = 16, 3_000
"""Plans kept for a place, and up to how many equations their steps are those of the ops' plans."""
WORTH_A_THREAD = 1e-3
"""Seconds from which on it pays to say how many threads products take."""


def seconds_to_compile(plans: Sequence[Plan]) -> float:
    """Returns the seconds that compiling a program of ops with these Plans is guessed to take."""
    of_convolutions = SECONDS_PER_CONVOLUTION * sum([p.convolutions for p in plans])
    return SECONDS_TO_COMPILE * sum([p.size for p in plans]) ** GROWTH + of_convolutions


class Prepared(Protocol):
    """A program that is made while NumPy runs its recording."""

    def install(self, pending: Pending) -> None:
        """Lets it run the recordings that end where this one does."""
        ...


class Place:
    """State of the NumPy tier for a trie node at which recordings end.

    cost      guessed seconds of a run by NumPy; `saved`: how many of them a program saves
    seconds   guessed seconds of compiling the program
    size      how many equations it has
    limit     0 if NumPy is not to run it, `sys.maxsize` if NumPy always is; otherwise the guessed number of runs after
              which a program that is compiled meanwhile has paid
    ticket    its place in the schedule, if a program is to follow
    prepared  the program that is being compiled, or loaded from disk (`is_kept`), to follow
    is_small  whether NumPy is done as soon as a program would be called
    is_long   whether the recording is cut into stretches that were not looked at yet
    came      whether NumPy ran it before, alone or for a bucket
    plans     for each `live`, a Plan and the externals that it reads
    """

    __slots__ = (
        "came", "cost", "is_kept", "is_long", "is_small", "limit", "plans", "prepared", "saved", "seconds", "size",
        "ticket",
    )  # fmt: skip

    def __init__(self, path: Sequence[TrieNode], is_kept: bool):
        self.limit = 0
        self.ticket: Ticket | None = None
        self.prepared: Prepared | None = None
        self.cost, self.saved, self.seconds, self.size = 0.0, 0.0, 0.0, 0
        self.is_small, self.is_kept, self.came = False, is_kept, False
        self.is_long = False
        self.plans: dict[tuple[int, ...], tuple[Plan, list[int]]] = {}
        try:
            plans = [_plan(node) for node in path]
        except NoRule:
            return
        self.cost = cost = SECONDS_PER_RUN + sum(p.cost for p in plans)
        self.size = sum(p.size for p in plans)
        calls, compiled = 1.0, sum(p.compiled for p in plans)
        if len(path) > WHOLE_PROGRAM_OPS:  # it is cut into stretches
            self.is_long = True
            calls = len(path) / OPS_OF_A_STRETCH
            plans = [_plan(node) for node in {node.applied: node for node in path}.values()]
        overhead = AS_SOON_DONE * calls + SECONDS_PER_EQUATION_RUN * min(self.size, MOST_INLINED)
        self.saved = cost - overhead - compiled
        self.seconds = seconds_to_compile(plans)
        if self.is_long and cost + SECONDS_BETWEEN * self.size >= self.seconds:
            self._count_stretches(path)
        if cost <= AS_SOON_DONE:
            self.limit = sys.maxsize
            self.is_small = True
        elif deterministic["on"]:
            self.limit = sys.maxsize if RUNS_OF_ONE_WAY * self.saved < self.seconds else 0
        elif is_kept:
            self._follows(SECONDS_TO_LOAD + SECONDS_PER_EQUATION_LOADED * self.size, first=1)
        else:
            self._follows(self.seconds)

    def _follows(self, seconds: float, first: int = FIRST_RUNS) -> None:
        """Decides whether a program is to follow NumPy, which takes so many seconds to make."""
        turn = self.cost + SECONDS_BETWEEN * self.size
        self.ticket, self.limit = None, 0
        if self.saved <= LEAST_SAVED * self.cost:
            self.limit = sys.maxsize
        elif turn < seconds:
            self.limit = min(max(2, math.ceil(PAID_BEFORE * seconds / self.saved)), MOST_RUNS)
            self.ticket = Ticket(turn, self.saved, seconds, first)

    def is_not_kept(self) -> None:
        """Notes that the program on disk is another one: this one is to be compiled."""
        self.is_kept = False
        if (
            self.cost > AS_SOON_DONE and not deterministic["on"]
        ):  # of what is small, or has no rule, nothing changes
            self._follows(self.seconds)

    def next(self, path: Sequence[TrieNode]) -> Next:
        """Counts a run of the recording that this path leads to, and says what runs it."""
        ticket = self.ticket
        if ticket is None or is_cold():
            return Next.NUMPY if self.limit else Next.PROGRAM
        if self.is_long and ticket.runs + 1 >= ticket.first:
            self._count_stretches(path)
        return ticket.next()

    def _count_stretches(self, path: Sequence[TrieNode]) -> None:
        """Guesses again what compiling takes, as stretches of the same ops share a program."""
        self.is_long = False
        pieces = {tuple([(n.op, n.static, n.avals) for n in piece]): piece for piece in cut(list(path))}
        self.seconds = sum(seconds_to_compile([_plan(node) for node in piece]) for piece in pieces.values())
        if self.ticket is not None:
            self.ticket.seconds = self.seconds

    @property
    def guess(self) -> Guess:
        """The guessed seconds of running and compiling it."""
        return Guess(self.cost, self.cost - self.saved, self.seconds)

    def call(self, pending: Pending, turns: int) -> ByNumPy:
        """NumPy's run of a recording that ends here, one of `turns` before a program for many lengths does."""
        return ByNumPy(pending, turns)

    def why(self, turns: int = 0) -> str:
        """Returns why NumPy runs the recording. turns: of recordings of a bucket of sizes, of which it is one."""
        if is_cold():
            return 'the tier is "cold"'
        if self.is_small:
            return "it is small: NumPy finishes before a compiled program could be called"
        if self.limit == sys.maxsize:
            keeps_bits = deterministic["on"] and self.saved > 0
            return (
                "deterministic algorithms stay in one tier"
                if keeps_bits
                else "a program would save next to nothing"
            )
        saves = f"compiling takes about {self.seconds:.1f} s and saves {self.saved * 1e3:.1f} ms a run"
        if turns:
            return f"its sizes vary, and it has not run {turns} times: {saves}"
        return f"until its program is compiled: {saves}"

    def fails(self) -> None:
        """Notes that NumPy cannot run the place, though it has all rules."""
        self.limit, self.ticket, self.is_small = 0, None, False

    def plan(self, path: Sequence[TrieNode], live: tuple[int, ...]) -> tuple[Plan, list[int]]:
        """Its Plan for the slots in `live`, and the externals that it reads, by number."""
        found = self.plans.get(live)
        if found is None:
            if len(self.plans) >= MOST_PLANS:
                self.plans.clear()
            found = self.plans[live] = joined(path, live, inline=self.size <= MOST_INLINED)
        return found


class ByNumPy:
    """A recording, run by NumPy; by a program where that fails.

    It overwrites nothing: interrupted, it is run again, and counts once."""

    def __init__(self, pending: Pending, turns: int = 0):  # hot path
        self._args = pending.path, pending.live, pending.externals, pending.on
        self._turns = turns
        self._other: Running | None = None

    def was_done(self) -> bool:
        return self._other is None or self._other.was_done()

    def arrays(self) -> Sequence[Any]:
        path, live, externals, on = self._args
        if forked.here.child:
            return run_in_child(path, live, externals, on)
        if self._other is None:
            try:
                return run(path, live, externals, self._turns)
            except Exception:  # such as a singular matrix, of which XLA makes nan
                path[-1].place.fails()
            self._other = call(Pending(path, live, externals, on), only_always=True)
        return self._other.arrays()


def joined(path: Sequence[TrieNode], live: tuple[int, ...], inline: bool = True) -> tuple[Plan, list[int]]:
    """Returns the Plan of a recording for the slots in `live`, and the externals that it reads, by number.

    inline: whether the steps of its ops become its own; otherwise each op is a step. Raises NoRule.
    """
    steps, reads = prune(path, live)
    plan = Plan(len(reads))
    add = plan.add if inline else plan.add_whole
    at = {-1 - e: i for i, e in enumerate(reads)}
    for node in steps:
        outs = add(_plan(node), [at[r] for r in node.refs], node.n_out)
        at.update(zip(range(node.base, node.base + node.n_out), outs))
    return plan.finish([at[i] for i in live]), reads


def _plan(node: TrieNode) -> Plan:
    """The Plan of a recorded op, which is kept with its node. Raises NoRule."""
    found = node.plan
    if found is None:
        found = node.plan = _made(node)
    return found


def _made(node: TrieNode) -> Plan:
    there = windowed(node, node.static)
    if there is not None:
        return there
    applied = node.applied
    if (applied.general or applied).sized is not None and "jaxpr" not in applied.__dict__:
        return plan_at(applied)
    return plan_of(applied.to_run)


def windowed(node: TrieNode, static: Sequence[int]) -> Plan | None:
    """The Plan of a `select`, a `narrow`, or a write to one, at a number that was looked at when it was recorded, with
    these static arguments: in one step, where JAX takes seven. None of other ops."""
    if not node.numbers:
        return None
    literal = node.literals[0] if node.numbers != DYNAMIC else None
    for view in (OPS["select"], OPS["narrow"]):
        if node.op is view or node.op is put_op(view):
            return _window(literal, node.op is not view, *static)
    return None


@functools.lru_cache(4096)
def _window(literal: int | None, puts: bool, dim: int, length: int | None = None) -> Plan:
    before = (slice(None),) * dim if dim >= 0 else (...,)
    after = (...,) if dim >= 0 else (slice(None),) * (-1 - dim)

    def there(first: Any) -> tuple:
        at = int(first)
        return (*before, at if length is None else slice(at, at + length), *after)

    def put(x: np.ndarray, there: tuple, part: np.ndarray) -> np.ndarray:
        made = x.copy()
        made[there] = part
        return made

    run: Callable
    if literal is not None:
        fixed = there(literal)
        run = (lambda x, part: put(x, fixed, part)) if puts else lambda x: x[fixed]
    else:
        run = (lambda x, at, part: put(x, there(at), part)) if puts else lambda x, at: x[there(at)]
    plan = Plan(1 + (literal is None) + puts, size=1)
    return plan.finish(plan.add(run, range(1 + (literal is None) + puts), 1))


def may_run(on: device) -> bool:
    """Returns whether NumPy may run recordings of a device now."""
    if forked.here.child:
        return on.type == "cpu" and not on.is_mesh
    if is_compiled() or on.type != "cpu" or on.is_mesh:
        return False
    looks = jax.config.jax_debug_nans or jax.config.jax_debug_infs  # for nan, which programs are asked for
    return not looks


def is_ready(path: Sequence[TrieNode]) -> bool:
    """Whether NumPy is to begin with a recording of which a program is on disk: tracing the ops that were not traced
    yet takes no longer than loading it. What it takes to load it otherwise is noted at these ops, so that an op of many
    programs is traced when that would have paid."""
    untraced = {node.applied.general or node.applied for node in path if not node.applied.is_traced}
    seconds = SECONDS_TO_LOAD + SECONDS_PER_OP_LOADED * len(path)
    if sum(max(SECONDS_PER_TRACE - applied.spared, 0) for applied in untraced) < seconds:
        return True
    for applied in untraced:
        applied.spared += seconds / len(untraced)
    return False


def place_of(
    path: Sequence[TrieNode], on: device, externals: Sequence[Value], is_kept: bool = False
) -> Place | None:
    """Returns the Place where a recording ends; None where NumPy cannot run it. is_kept: a program of it is on disk."""
    if not may_run(on):
        return None
    for v in externals:
        if v.array.__class__ is not np.ndarray and is_tracer(type(v.array)):
            return None
    last = path[-1]
    if last.place is None:
        last.place = Place(path, is_kept)
    return last.place


def run(
    path: Sequence[TrieNode], live: tuple[int, ...], externals: Sequence[Value], turns: int = 0
) -> list[np.ndarray]:
    """The arrays of `live`, by NumPy. turns: see `Place.why`."""
    began = perf_counter() if explaining else 0.0
    try:
        results = _run(path, live, externals)
    except Breach:
        results = _run_all(path, live, externals)
    if began:
        ran_by_numpy(path, began, path[-1].place.why(turns), path[-1].place.guess)
    return results


def run_in_child(
    path: Sequence[TrieNode], live: tuple[int, ...], externals: Sequence[Value], on: device
) -> list[np.ndarray]:
    """The arrays of `live`, by NumPy, which is all that there is in a forked child.

    Raises RuntimeError, naming the op, where it cannot."""
    if not may_run(on):
        forked.refuse(f"ops on {on}")
    for node in prune(path, live)[0]:
        try:
            _plan(node)
        except NoRule as reason:
            forked.refuse(f"{getattr(node.op, 'name', node.op)} (NumPy has no rule for {reason})")
    if path[-1].place is None:
        path[-1].place = Place(path, False)
    try:
        return _run(path, live, externals)
    except MemoryError:
        raise
    except Exception as error:  # such as a singular matrix, of which XLA makes nan
        raise RuntimeError(f"NumPy, which runs the ops of a forked child, fails: {error}") from error


def _run(path: Sequence[TrieNode], live: tuple[int, ...], externals: Sequence[Value]) -> list[np.ndarray]:
    place = path[-1].place
    if timing:
        steps, reads = prune(path, live)
        return quietly(
            lambda *given: _run_timed(steps, live, dict(zip(reads, given))), [externals[e] for e in reads]
        )
    if place.is_small or place.came:
        plan, reads = place.plan(path, live)
    else:
        plan, reads = joined(path, live, inline=False)
        place.came = True
    with product_threads(place.cost):
        return quietly(plan, [externals[e] for e in reads])


def product_threads(cost: float) -> contextlib.AbstractContextManager:
    """A context with the threads that products use in a run of so many guessed seconds: all that the process has, but
    one while a program is compiled in the background (by the schedule's clock, so that bits never depend on time)."""
    if cost <= WORTH_A_THREAD:
        return contextlib.nullcontext()
    return at_most(1 if clock.is_compiling else threads())


def _run_all(path: Sequence[TrieNode], live: tuple[int, ...], externals: Sequence[Value]) -> list[np.ndarray]:
    """The same to the end, though an index is out of range: that is noted with the line of the op."""
    steps, reads = prune(path, live)
    found: list[tuple[TrieNode, Breach]] = []
    fn = lambda *given: _run_gathering(steps, live, dict(zip(reads, given)), found)  # noqa: E731
    results = quietly(fn, [externals[e] for e in reads])
    if found:
        node, breach = found[0]
        note_error(error_of(node, breach.bound, breach.value, breach.size))
    return results


def _run_gathering(
    steps: Sequence[TrieNode],
    live: tuple[int, ...],
    given: dict[int, np.ndarray],
    breaches: list[tuple[TrieNode, Breach]],
) -> list:
    """Runs the steps; `breaches` takes bounds that are broken, with the steps that they are of."""
    slots: dict[int, Any] = {}
    for node in steps:
        args = [slots[r] if r >= 0 else given[-1 - r] for r in node.refs]
        with gathering() as of_node:
            outs = _plan(node)(*args)
        breaches += [(node, breach) for breach in of_node]
        for k, out in enumerate(outs):
            slots[node.base + k] = out
    return [slots[i] for i in live]


def _run_timed(steps: Sequence[TrieNode], live: tuple[int, ...], given: dict[int, np.ndarray]) -> list:
    """Runs the steps one by one, and tells a profile of each."""
    slots: dict[int, Any] = {}
    for node in steps:
        args = [slots[r] if r >= 0 else given[-1 - r] for r in node.refs]
        plan = _plan(node)
        began = perf_counter_ns()
        outs = plan(*args)
        ended = perf_counter_ns()
        for tell in timing:
            tell(node, began, ended)
        for k, out in enumerate(outs):
            slots[node.base + k] = out
    return [slots[i] for i in live]


_quiet: list[contextvars.Context] = []
"""Contexts in which NumPy warns of nothing, and which nobody runs in now.

To enter one takes a tenth of the time of `np.errstate`."""


def quietly(fn: Callable[..., list], values: Sequence[Value]) -> list[np.ndarray]:
    """Calls fn with the numbers of these values, while NumPy warns of nothing."""
    args = [_numbers(v) for v in values]
    try:
        context = _quiet.pop()
    except IndexError:
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
    try:
        return [_owned(x) for x in context.run(fn, *args)]
    finally:
        _quiet.append(context)


def _numbers(v: Value) -> np.ndarray:  # hot path
    array = v.array
    if array.__class__ is np.ndarray:
        return array
    if v.aval.weak and array.__class__ in _NUMBERS:
        return np.array(array, v.aval.dtype.np)
    return np.asarray(engine.numbers(v), v.aval.dtype.np)


_NUMBERS = frozenset((bool, int, float, complex))


def _owned(x: Any) -> np.ndarray:
    """A result as an array that does not keep a larger one alive, nor repeats its elements."""
    if x.__class__ is not np.ndarray:
        return np.asarray(x)
    base = x.base
    if base is not None and (x.nbytes < getattr(base, "nbytes", 0) or 0 in x.strides):
        return x.copy()
    return x
