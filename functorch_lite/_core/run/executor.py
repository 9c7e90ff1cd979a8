"""The executor: turns what is pending in a recording into programs and runs them.

Only live slots are outputs; programs are cached on the trie node the recording ended at; dead inputs are donated;
a program that yields more than is live, or donates less than is dead, is reused rather than compiling another.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from functools import partial
from sys import getrefcount
from typing import Any

import jax
import numpy as np

from ..lazy import applied, engine, recorder, trie
from ..lazy.breaches import check_bounds, look, pending
from ..lazy.graph import prune
from ..lazy.pack import Hidden, Pack
from ..lazy.recorder import Recorder, state
from ..lazy.trie import TrieNode, eager_root
from ..lazy.value import COMPUTED, Noting, Value, is_jax, make_value
from ..words import forked
from ..words.device import META, NO_DATA, device
from ..words.errors import as_torchs, cannot_allocate
from . import chunks, host_memory, packing, recycling, stored, watching
from .buckets import choice
from .calls import Call
from .cold import tier
from .cold.elements import answered
from .executable import Executable
from .late import Late, may_wait
from .program import Program, may_trust
from .report import counting, stats

__all__ = [
    "Program", "at_once", "begin_recording", "dispatch_ended", "end_recording", "flush", "force", "force_array", "is_check_bounds_enabled",
    "kept", "one_piece", "set_check_bounds", "stats", "synchronize",
]  # fmt: skip

MAX_PROGRAMS_PER_NODE = 16
MAX_PROGRAMS = 512
"""Programs kept at a time. A compiled CPU program holds some 80 memory maps (large ones 440), of which Linux allows a process 65,530."""
MAX_BYTES, LEAST_PROGRAMS = 512 << 20, 16
"""What programs may hold of memory, as far as it can be guessed; that many are kept whatever they hold."""
WHOLE_PROGRAM_OPS = 320
"""Recordings of at most this many ops become one program; longer ones are cut into chunks (XLA's time is superlinear)."""


def _refcounts() -> tuple[int, int, int]:
    """What getrefcount says of a slot, an external value and its array that nobody but the recorder holds."""
    slots = [make_value(None, None, 0)]  # type: ignore[arg-type]
    dead_slot = [getrefcount(v) for v in slots][0]  # noqa: RUF015  (counted as it is counted below)
    ext = {make_value(None, None, 0): -1}  # type: ignore[arg-type]
    externals = list(ext)
    dead_external = [getrefcount(externals[i]) for i in range(1)][0]  # noqa: RUF015  (counted as it is counted below)
    externals[0].array = object()
    arrays = [v.array for v in externals]
    dead_array = [getrefcount(arrays[i]) for i in range(1)][0]  # noqa: RUF015  (counted as it is counted below)
    return dead_slot, dead_external, dead_array


_DEAD_SLOT, _DEAD_EXTERNAL, _DEAD_ARRAY = _refcounts()


def flush(on: device | None = None) -> None:
    """Dispatches everything pending in this thread's eager recording. Does not wait for results.

    on: the device of the next recording (by default, the same).
    """
    rec = _eager()
    fresh = Recorder(rec.root, rec.device) if on is None else Recorder(eager_root(on), on)
    rec.flushed = bool(rec.path)
    _replace_eager(rec, fresh)
    if rec.path:
        _complete(rec)


@contextlib.contextmanager
def at_once() -> Iterator[None]:
    """A context in which every op of this thread runs at once."""
    flush()
    here = state.here
    before, here.run_at_once = here.run_at_once, True
    try:
        yield
    finally:
        here.run_at_once = before


def begin_recording() -> None:
    """Dispatches what is pending before the first step (parameters' initial numbers, data), unless it is part of something that is
    differentiated: otherwise the first step would have another program than those that follow."""
    rec = state.rec
    if not (rec.level or rec.session.nodes):
        flush()


class OnePiece(threading.local):
    """While `on`, a thread's recording goes on after an optimizer's step, as one piece of work with what follows; `ended`: whether there was one.
    cleared: is called when gradients were cleared, and is to dispatch what was ended."""

    on = False
    ended = False
    cleared: Callable[[], None] | None = None


one_piece = OnePiece()


def end_recording() -> None:
    """Ends the eager recording (at the end of an optimizer's step). It is dispatched when the next op is recorded, a value is
    read, or gradients are cleared: those that nobody reads after the step are then no results of the program."""
    if one_piece.on:
        one_piece.ended = True
        return
    rec = _eager()
    if rec.ended:
        flush()
    elif rec.path:
        rec.ended = True


def dispatch_ended() -> None:
    """Dispatches the recording if it was ended, after its gradients were cleared."""
    rec = _eager()
    if one_piece.cleared is not None:
        one_piece.cleared()
    elif rec.ended:
        rec.gradients = []
        flush()


def _eager() -> Recorder:
    rec = state.here.rec
    while rec.outer is not None:
        rec = rec.outer
    return rec


def _replace_eager(old: Recorder, new: Recorder) -> None:
    here = state.here
    rec = here.rec
    if rec is old:
        here.rec = new
        return
    while rec.outer is not old:
        rec = rec.outer  # type: ignore[assignment]
    rec.outer = new


def _complete(rec: Recorder) -> None:
    """Runs a recording that was flushed, as far as that was not done: an interrupt leaves it to be run again, or its results at hand.

    Where its program fails, what it was to compute is pending still, and computed by itself when it is asked for (`_alone`): what has
    nothing to do with the failure is not lost.
    """
    with forked.in_time(rec.lock) if forked.here.child else rec.lock:
        try:
            if rec.call is None:
                rec.session.close()
                rec.call = _prepare(rec)
            targets = rec.slots
            for v, out in zip(targets, rec.call.arrays()):
                if type(out) is Pack:
                    v.rec = out
                else:
                    if type(out) is np.ndarray:
                        v.uploaded = COMPUTED  # its numbers are not looked at where those of data are
                    v.array = out
                    v.rec = None
        except BaseException as error:
            if rec.call is None or not rec.call.was_done():
                rec.call = None
                if isinstance(error, Exception) and not isinstance(error, MemoryError):
                    rec.error = error = as_torchs(error)
                    watching.failed(rec.path, tuple([v.index for v in rec.slots]), list(rec.ext), error)
            raise error
        rec.slots, rec.ext, rec.call = [], {}, None


def _prepare(rec: Recorder) -> Call | _Chunks | _Cold:
    """Finds out which slots are live (which stay as the recording's alone) and which externals are dead, and the program for that."""
    path, slots = rec.path, rec.slots
    waiting = _gradients_of(rec) if rec.gradients else ()
    rec.slots = targets = [v for v in slots if getrefcount(v) > _DEAD_SLOT]
    if rec.roots:
        targets = rec.slots = _with_roots(targets, slots, rec.roots)
    if path[-1].bytes > host_memory.most_at_once() and rec.device.type == "cpu" and not rec.device.is_mesh:
        rec.slots = targets = _without_too_large(targets, rec)
    externals = list(rec.ext)
    stats["ops"] += len(path)
    for count in counting:
        count(path)
    if not targets:
        return _NOTHING
    live = tuple([v.index for v in targets])
    trie.use(path)
    if forked.here.child:
        return _Cold(path, live, externals, rec.device)
    place, member, is_kept = None, None, False
    if not path[-1].programs:
        is_kept = path[-1].place is None and _is_kept(path, live, externals, rec.device, waiting)
        if not is_kept or tier.is_ready(path):
            place = tier.place_of(path, rec.device, externals, is_kept)
        if place is not None and place.is_small:
            place.takes_another()
            stats["cold"] += 1
            return _Cold(path, live, externals, rec.device)
        if (
            not is_kept
            and not rec.device.is_mesh
            and len(path) <= WHOLE_PROGRAM_OPS
            and choice.is_worth(place)
            and not tier.is_cold()
            and choice.may_pad(externals)
        ):
            member = choice.member_of(path, externals)
    small = packing.SMALL
    large = [i for i, v in enumerate(externals) if v.aval.nbytes > small]
    dead = _dead(externals, large) if large else ()
    if member is not None and member.comes(path, externals):
        padded = _padded_call(member, place, rec, live, dead, externals, waiting)
        if padded is not None:
            return padded
    is_kept = is_kept and (place is None or not place.limit)
    if is_kept and not _takes_kept(path, live, dead, externals, rec.device, waiting):
        place = tier.place_of(path, rec.device, externals)
        if place is not None:
            place.is_not_kept()
    if place is not None and (cold := _cold_call(place, rec, live, dead, externals, waiting)) is not None:
        return cold
    if len(path) > WHOLE_PROGRAM_OPS:
        return _Chunks(path, live, externals, rec.device)
    live_now, gradients = _now(path, live, dead, externals, waiting, rec.device)
    program = _program(path, live_now, dead, externals, rec.device, member)
    if gradients:
        _leave(rec, path, gradients, externals, program)
    return Call(program, externals, live_now, rec.device)


def _dead(externals: list[Value], large: list[int]) -> tuple[int, ...]:
    """Those of the large externals that nobody but the recording refers to."""
    arrays = [v.array for v in externals]
    return tuple(
        [
            i
            for i in large
            if getrefcount(externals[i]) <= _DEAD_EXTERNAL
            and (
                getrefcount(arrays[i]) <= _DEAD_ARRAY
                or recycling.only_kept(getrefcount(arrays[i]) - _DEAD_ARRAY, arrays[i])
            )
            and (type(arrays[i]) is np.ndarray or is_jax(type(arrays[i])))  # what is NumPy's, XLA copies
        ]
    )


def _now(
    path: list[TrieNode],
    live: tuple,
    dead: tuple,
    externals: list[Value],
    waiting: Collection[int],
    on: device,
) -> tuple[tuple, tuple]:
    """The slots that are computed now, and the gradients that may be left for later."""
    if waiting:
        gradients = tuple([i for i in live if i in waiting])
        if gradients and may_wait(path, gradients, externals, dead, on):
            return _without(live, waiting), gradients
    return live, ()


def _leave(
    rec: Recorder, path: list[TrieNode], gradients: tuple, externals: list[Value], program: Program
) -> None:
    """Leaves gradients for later, which `program` is not to yield."""
    left = Late(path, gradients, externals, program.donated, partial(_run_late, rec.device))
    for v in rec.slots:
        if v.index in gradients:
            v.rec = left
    rec.slots = [v for v in rec.slots if v.index not in gradients]  # last: an interrupt may come between


def _padded_call(
    member: choice.Member,
    place: tier.Place | None,
    rec: Recorder,
    live: tuple,
    dead: tuple,
    externals: list[Value],
    waiting: Collection[int],
) -> Call | _Cold | None:
    """The run of a recording by a program that is padded, or by NumPy while that is compiled; None if it cannot be."""
    path, on, bucket = rec.path, rec.device, member.bucket()
    live_now, gradients = _now(path, live, dead, externals, waiting, on)
    try:
        turns = choice.turns(place)
        if bucket.turns < turns:
            bucket.turns += 1
            if bucket.turns == max(1, turns // choice.SHARE):
                program = _program(path, live_now, dead, externals, on, member, padded=True)
                program.executable.begin(program.given)
            stats["cold"] += 1
            return _Cold(path, live, externals, on)
        program = _program(path, live_now, dead, externals, on, member, padded=True)
    except choice.NoRule as reason:
        member.refuse(reason)
        return None
    if gradients:
        _leave(rec, path, gradients, externals, program)
    return choice.PaddedCall(program, externals, live_now, on, member.instance)


def _without(live: tuple[int, ...], waiting: Collection[int]) -> tuple[int, ...]:
    return tuple([i for i in live if i not in waiting])


def _cold_call(
    place: tier.Place,
    rec: Recorder,
    live: tuple,
    dead: tuple,
    externals: list[Value],
    waiting: Collection[int],
) -> _Cold | None:
    """NumPy's run of a recording, where it is to have one more; what is to follow it is compiled meanwhile."""
    path, on = rec.path, rec.device
    if place.takes_another():
        stats["cold"] += 1
        if place.runs == place.begin and len(path) <= WHOLE_PROGRAM_OPS and not tier.is_cold():
            then, _ = _now(path, live, dead, externals, waiting, on)
            program = Program(path, then, dead, externals, on)
            if place.is_kept and not program.executable.is_on_disk:
                place.is_not_kept()
            if place.runs == place.begin:
                place.key, place.program = (then, dead), program
                program.executable.begin(program.given)
        return _Cold(path, live, externals, on)
    if place.program is not None:
        path[-1].programs = path[-1].programs or {}
        _keep(path[-1].programs, place.key, place.program)
        place.program = None
        place.plans.clear()
    return None


def _is_kept(
    path: list[TrieNode], live: tuple, externals: list[Value], on: device, waiting: Collection[int]
) -> bool:
    """Whether another process left a program of the recording on disk, and it may run."""
    if not tier.is_free() or not stored.any_kept():
        return False
    for of in {live, _without(live, waiting)}:
        steps, reads = prune(path, of)
        if stored.is_kept(stored.recording(steps, reads, of, externals, on)):
            return True
    return False


def _takes_kept(
    path: list[TrieNode],
    live: tuple,
    dead: tuple,
    externals: list[Value],
    on: device,
    waiting: Collection[int],
) -> bool:
    """Takes the program that another process left on disk, if it is for these donations and packs."""
    if len(path) > WHOLE_PROGRAM_OPS:
        return True
    then, _ = _now(path, live, dead, externals, waiting, on)
    program = Program(path, then, dead, externals, on)
    if not program.executable.is_on_disk:
        return False
    path[-1].programs = path[-1].programs or {}
    _keep(path[-1].programs, (then, dead), program)
    return True


def _gradients_of(rec: Recorder, keep: bool = False) -> set[int]:
    """The slots that an optimizer's step used as gradients. Unless they are to be kept, the recording lets go of them: then it can be told
    whether anybody else refers to them."""
    values = [g if g.__class__ is Value else g._cell.value for g in rec.gradients]
    if not keep:
        rec.gradients = []
    return {v.index for v in values if v.rec is rec}


def _with_roots(targets: list[Value], slots: list[Value], roots: list[int]) -> list[Value]:
    """The live slots, and those that a backward() began at."""
    there = {v.index for v in targets}
    if there.issuperset(roots):
        return targets
    wanted = there.union(roots)
    return [v for v in slots if v.index in wanted]


def _run_late(on: device, path: list[TrieNode], live: tuple, externals: list[Value]) -> Call | _Cold:
    """A call for what was left out of a program that ran (see late.py)."""
    if forked.here.child:
        return _Cold(path, live, externals, on)
    return Call(_program(path, live, (), externals, on), externals, live, on)


def _without_too_large(targets: list[Value], rec: Recorder) -> list[Value]:
    """The values that memory can be allocated for; the others have failed, and the rest of the program goes on without them.

    Where it is XLA that finds this out, in a thread of its own, whoever reads any result of the program waits for ever, or the process
    ends (jaxlib 0.10.2).
    """
    large = [v for v in targets if v.aval.nbytes > host_memory.most_at_once()]
    for v in large:
        v.rec = _failed(rec, cannot_allocate(v.aval.nbytes))
    return [v for v in targets if v not in large]


def _failed(rec: Recorder, error: BaseException) -> Recorder:
    """A recording in place of `rec` for a value that cannot be computed."""
    failed = Recorder(rec.root, rec.device)
    failed.error = error
    return failed


class _Cold:
    """A recording, run by NumPy; by a program where that fails. It overwrites nothing: interrupted, it is run again, and counts once."""

    def __init__(self, path: list[TrieNode], live: tuple, externals: list[Value], on: device):
        self._args = path, live, externals, on
        self._other: Call | _Chunks | None = None

    def was_done(self) -> bool:
        return self._other is None or self._other.was_done()

    def arrays(self) -> list:
        path, live, externals, on = self._args
        if forked.here.child:
            return tier.run_in_child(path, live, externals, on)
        if self._other is None:
            try:
                return tier.run(path, live, externals)
            except Exception:  # such as a singular matrix, of which XLA makes nan
                path[-1].place.fails()
            if len(path) > WHOLE_PROGRAM_OPS:
                self._other = _Chunks(*self._args)
            else:
                self._other = Call(_program(path, live, (), externals, on), externals, live, on)
        return self._other.arrays()


class _Chunks:
    """A long recording, run by chunks. They overwrite nothing: interrupted, they are run again."""

    def __init__(self, *args: Any):
        self._args = args

    def was_done(self) -> bool:
        return False

    def arrays(self) -> list:
        return chunks.execute(*self._args) if self._args else []


_NOTHING = _Chunks()


def _program(
    path: list[TrieNode],
    live: tuple,
    dead: tuple,
    externals: list[Value],
    on: device,
    member: choice.Member | None = None,
    padded: bool = False,
) -> Program:
    """The program of a recording. padded: of all recordings of its bucket. Raises NoRule then."""
    make: Callable[..., Program] = Program
    if padded:
        programs = member.bucket().programs  # type: ignore[union-attr]
        make = partial(choice.PaddedProgram, instance=member.instance)  # type: ignore[union-attr]
    else:
        programs = path[-1].programs
        if programs is None:
            programs = path[-1].programs = {}
            if path[0].used % 64 == 0:
                trie.trim()
    program = programs.get((live, dead)) or _find(programs, path, live, dead, externals, on, make)
    if program.misfits > 1 and not program.settled and not padded:
        program = _keep(programs, (live, dead), make(path, live, dead, externals, on, settled=True))
    if program.trusts and not may_trust(program.trusts, externals):  # from now on one that looks
        program = _keep(
            programs, (live, dead), make(path, live, dead, externals, on, settled=program.settled)
        )
    if (
        member is not None
        and member.reason is not None
        and member.reason not in program.executable.report.reason
    ):
        program.executable.report.reason += f" It is not padded to a few lengths for all: {member.reason}."
    if program in _kept:
        _kept.move_to_end(program)
    stats["runs"] = runs = stats["runs"] + 1
    if runs % 64 == 0:
        host_memory.ease()
    return program


_kept: OrderedDict[Program, tuple[dict, tuple]] = OrderedDict()
"""Every kept program, least recently used first, with the dict of its trie node and its key there."""


def _find(
    programs: dict,
    path: list[TrieNode],
    live: tuple,
    dead: tuple,
    externals: list[Value],
    on: device,
    make: Callable[..., Program] = Program,
) -> Program:
    """A cached program that yields at least `live` and donates at most `dead`; a new one when there is none, or when
    the same need has come up repeatedly."""
    wanted, may_donate = set(live), set(dead)
    best = None
    for program in programs.values():
        if wanted.issubset(program.live) and program.donated <= may_donate:
            if best is None or len(program.donated) > len(best.donated):
                best = program
    if best is not None:
        count = best.misses[live, dead] = best.misses.get((live, dead), 0) + 1
        if count < 2:
            return best
    return _keep(programs, (live, dead), make(path, live, dead, externals, on))


def _keep(programs: dict, key: tuple, program: Program) -> Program:
    """Keeps a program under a key of its trie node; lets go of the one it replaces, and of the oldest when there are too many."""
    if key not in programs and len(programs) >= MAX_PROGRAMS_PER_NODE:
        _kept.pop(programs.pop(next(iter(programs))), None)
    _kept.pop(programs.get(key), None)  # type: ignore[arg-type]
    programs[key] = program
    _kept[program] = (programs, key)
    held = sum([p.bytes for p in _kept])
    while len(_kept) > MAX_PROGRAMS or (held > MAX_BYTES and len(_kept) > LEAST_PROGRAMS):
        oldest, (home, old) = _kept.popitem(last=False)
        held -= oldest.bytes
        home.pop(old, None)
    return program


def kept() -> list[Executable]:
    """The programs that are kept, those of chunks too."""
    return [program.executable for program in list(_kept)] + chunks.executables()


def forget_programs() -> None:
    """Forgets every recorded op and program (after a change of something that ops depend on, such as the default dtype)."""
    applied.forget()
    recorder.forget()
    trie.forget()
    chunks.forget()
    choice.forget()
    _kept.clear()
    old = _eager()
    _replace_eager(old, Recorder(eager_root(old.device), old.device))


def set_precision(**words: str) -> None:
    """How float32 products (`matmul`) and convolutions (`convolution`) are computed from now on; what is pending is computed as it was."""
    flush()
    applied.PRECISION.update(words)
    forget_programs()


def set_check_bounds(mode: bool) -> None:
    """Whether indices and targets that are computed are looked at, so that one out of range, or an integer divided by 0, raises when a value is read.

    They are by default. Programs are made anew where that changes, so say it once. FUNCTORCH_LITE_CHECK_BOUNDS=0 in the environment says it from
    the start. See docs/debugging.md.

    >>> functorch_lite.set_check_bounds(False)
    >>> torch.arange(3.0)[torch.arange(2) * 5]
    tensor([0., nan])
    >>> functorch_lite.set_check_bounds(True)
    """
    if not isinstance(mode, bool):
        raise TypeError(f"set_check_bounds() takes True or False, not {type(mode).__name__}")
    flush()
    if check_bounds["on"] is not mode:
        check_bounds["on"] = mode
        forget_programs()


def is_check_bounds_enabled() -> bool:
    """Whether indices and targets that are computed are looked at: see `set_check_bounds`.

    >>> functorch_lite.debug.is_check_bounds_enabled()
    True
    """
    return check_bounds["on"]


def synchronize() -> None:
    """Dispatches what is recorded, and raises the error of an index that was out of range, in whatever was dispatched by then."""
    flush()
    look(wait=True)


def force(v: Value) -> Any:
    """The array of a value, running what is pending if it must. Values of transforms are handled by `func`."""
    if v.array is None:
        array = _computed(v)
        if array is not None:
            return array
        v.array = v.rec.part(v)
    return v.array


_APART = (Pack, Late, Hidden)
"""What a pending value's recorder is where its array is to be had by itself."""


def _computed(v: Value) -> Any:
    """The array of a pending value, after running what it needs; None if its Pack or Late is still to be asked for it."""
    rec = v.rec
    if type(rec) in _APART:
        return None
    if v.aval.device is META:
        raise NotImplementedError(NO_DATA)
    if rec is None:
        raise RuntimeError("this value was never computed")
    if rec.level:
        return rec.value_of(v)
    if rec is _eager():
        if Noting.reading is not None:
            Noting.reading(v)
        if answered(rec, v):
            return v.array
        if rec.gradients and v.index in _gradients_of(rec, keep=True):  # it is asked for
            rec.gradients = []
        flush()
        if v.array is None and v.rec is not rec and type(v.rec) not in _APART:
            raise v.rec.error  # type: ignore[union-attr]
    elif rec.flushed and rec.error is None:
        _complete(rec)
    if v.array is None and type(v.rec) not in _APART:
        _force_alone(v, rec)
    return v.array


def _force_alone(v: Value, rec: Recorder) -> None:
    """Computes one value of a recording whose program failed, or that another thread goes on with: from a copy of what leads to it, and
    overwriting nothing."""
    path, externals = list(rec.path), list(rec.ext)
    path = path[: next((i + 1 for i, n in enumerate(path) if n.base + n.n_out > v.index), 0)]
    if path and v.array is None:
        try:
            if forked.here.child:
                v.array = tier.run_in_child(path, (v.index,), externals, rec.device)[0]
                return
            program = Program(path, (v.index,), (), externals, rec.device)
            v.array = Call(program, externals, (v.index,), rec.device).arrays()[0]
        except Exception:  # it may be an interrupt's: the value can be asked for again
            overwritten = any(is_jax(type(e.array)) and e.array.is_deleted() for e in externals)
            if v.array is None and not (rec.error is not None and overwritten):
                raise
    if v.array is None and rec.error is not None:
        raise RuntimeError(f"this tensor's program failed before: {rec.error}") from rec.error
    if v.array is None:
        raise RuntimeError(
            "a tensor pending in another thread could not be computed: that thread's recording failed"
        )


def force_array(v: Value) -> np.ndarray:
    """The value as a numpy array, which must not be written to. Raises the error of an index that was out of range, in whatever was computed by then."""
    array = numbers(v)
    if pending:
        look()
    return array


def numbers(v: Value) -> np.ndarray:
    """The same for what goes on to compute."""
    array = v.array if v.array is not None else _computed(v)
    if array is None:
        array = v.rec.look(v)
    if isinstance(array, jax.core.Tracer):
        raise RuntimeError("the value of a tensor is not known inside jax.jit or another JAX transformation")
    if v.aval.device.is_mesh:
        if forked.here.child:
            forked.refuse("the value of a tensor on a mesh")
        return v.aval.device.whole(array, v.aval)
    if not isinstance(array, np.ndarray):
        if forked.here.child and v.aval.device.type != "cpu":
            forked.refuse(f"the value of a tensor on {v.aval.device}")
        array = np.asarray(array, dtype=v.aval.dtype.np)
    return array


engine.install(flush, force, force_array, numbers)
