"""The executor: flushes recordings, and reads values.

At a flush it finds out which slots of the recording are live, asks the ways in the row (`ways.py`) for one that runs it
(`way.call`), and gives the slots what that computes.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from sys import getrefcount
from time import monotonic, sleep
from typing import Any

import jax
import numpy as np

from ..lazy import applied, engine, recorder, trie
from ..lazy.breaches import check_bounds, look
from ..lazy.breaches import pending as untold
from ..lazy.pack import Hidden, Pack
from ..lazy.recorder import Recorder, state
from ..lazy.symbolic.recording import closed_path
from ..lazy.trie import BUSY, eager_root
from ..lazy.value import COMPUTED, Noting, Value, is_jax
from ..words import forked
from ..words.device import META, NO_DATA, device
from ..words.errors import as_torchs, cannot_allocate
from . import host_memory, watching, way, ways  # noqa: F401  (the row)
from .executable import Executable
from .late import Late
from .pending import DEAD_SLOT, Pending
from .report import counting, stats
from .way import Running, answers

__all__ = [
    "at_once", "begin_recording", "dispatch_ended", "end_recording", "flush", "force", "force_array", "is_check_bounds_enabled",
    "kept", "one_piece", "set_check_bounds", "stats", "synchronize",
]  # fmt: skip


def flush(on: device | None = None) -> None:
    """Dispatches everything pending in this thread's eager recording. Does not wait for results.

    on: the device of the next recording (by default, the same).
    """
    rec = _eager()
    if not recorder.is_apart(rec) and _take(rec, on) and rec.path:
        _complete(rec)


def _take(rec: Recorder, on: device | None = None) -> bool:
    """Lets another recording begin in the place of an eager one, for which nothing is recorded any more; whether it
    did. False if something changes the recording now."""
    home: Any = rec.home
    start, rec.node = rec.node, BUSY
    if start is BUSY:
        return False
    done = False
    try:
        fresh = Recorder(rec.root, rec.device) if on is None else Recorder(eager_root(on), on)
        fresh.home, fresh.within, fresh.under = home, rec.within, rec.under
        rec.flushed = True
        done = _replace_eager(home, rec, fresh)
    finally:
        if not done and _stands(home, rec):  # an interrupt came
            rec.flushed = False
            rec.node = start
    return done


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
    """Dispatches what is pending before the first step (parameters' initial numbers, data), unless it is part of
    something that is differentiated: otherwise the first step would have another program than those that follow."""
    rec = state.rec
    if not (rec.level or rec.session.nodes):
        flush()


class OnePiece(threading.local):
    """While `on`, a thread's recording goes on after an optimizer's step, as one piece of work with what follows;
    `ended`: whether there was one. cleared: is called when gradients were cleared, and is to dispatch what was
    ended."""

    on = False
    ended = False
    cleared: Callable[[], None] | None = None


one_piece = OnePiece()


def end_recording() -> None:
    """Ends the eager recording (at the end of an optimizer's step).

    It is dispatched when the next op is recorded, a value is read, or gradients are cleared: those that nobody reads
    after the step are then no results of the program."""
    if one_piece.on:
        one_piece.ended = True
        return
    rec = _eager()
    if rec.ended:
        flush()
    elif rec.path and not recorder.is_apart(rec):
        rec.ended = True


def dispatch_ended() -> None:
    """Dispatches the recording if it was ended, after its gradients were cleared."""
    rec = _eager()
    if one_piece.cleared is not None:
        one_piece.cleared()
    elif rec.ended and not recorder.is_apart(rec):
        rec.gradients = []
        flush()


def _eager() -> Recorder:
    return recorder.base(state.here.rec)


def _replace_eager(here: recorder.Here, old: Recorder, new: Recorder) -> bool:
    """Puts another eager recording in the place of one: on top of a thread's, below its transforms, or below what it
    records apart. Returns whether the recording was found there."""
    rec: Recorder | None = here.rec
    if rec is old:
        here.rec = new
        return True
    while rec is not None:
        if rec.outer is old:
            rec.outer = new
            return True
        if rec.under is old:
            rec.under = new
            return True
        rec = rec.outer or rec.under
    return False


def _stands(here: recorder.Here, sought: Recorder) -> bool:
    """Returns whether a recording is among those of a thread."""
    rec: Recorder | None = here.rec
    while rec is not None and rec is not sought:
        rec = rec.outer or rec.under
    return rec is not None


def _complete(rec: Recorder) -> None:
    """Runs a recording that was flushed, as far as that was not done: an interrupt leaves it to be run again, or its
    results at hand.

    Where its program fails, what it was to compute is pending still, and computed by itself when it is asked for
    (`_alone`): what has nothing to do with the failure is not lost.

    Code that interrupts this, and asks for a value of the recording, gets the results of the program if it was called
    already; nothing is done if it was not.
    """
    with forked.in_time(rec.lock) if forked.here.child else rec.lock:
        if rec.running and (rec.call is None or not rec.call.was_done()):
            return
        running, rec.running = rec.running, True
        try:
            if rec.call is None and not running:
                if not rec.ext and not rec.slots:
                    return
                if rec.session.follows:  # it records what it has still to record
                    rec.node = rec.path[-1]
                rec.session.close()
                rec.node = BUSY
                if rec.symbols is not None:
                    rec.symbols.are_settled = True
                rec.call = _prepare(rec)
            targets = rec.slots
            call = rec.call
            for v, out in zip(targets, call.arrays()):
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
                    watching.failed(_closed(rec), tuple([v.index for v in rec.slots]), list(rec.ext), error)
            raise error
        finally:
            rec.running = running
        rec.slots, rec.ext, rec.call = [], {}, None


def _prepare(rec: Recorder) -> Running:
    """Finds out which slots are live (which stay as the recording's alone), and what computes them."""
    path, slots = rec.path, rec.slots
    waiting = _gradients_of(rec) if rec.gradients else ()
    rec.slots = targets = [v for v in slots if getrefcount(v) > DEAD_SLOT]
    if rec.roots:
        targets = rec.slots = _with_roots(targets, slots, rec.roots)
    if path[-1].bytes > host_memory.most_at_once() and rec.device.type == "cpu" and not rec.device.is_mesh:
        rec.slots = targets = _without_too_large(targets, rec)
    stats["ops"] += len(path)
    for count in counting:
        count(_closed(rec))
    if not targets:
        return _NOTHING
    pending = Pending(path, tuple([v.index for v in targets]), list(rec.ext), rec.device, rec)
    if waiting:
        pending.waiting = waiting
    if rec.symbols is not None:
        pending.symbols = rec.symbols.sizes
    trie.use(path)
    return way.call(pending)


def _closed(rec: Recorder) -> list[trie.TrieNode]:
    """The path of a recording, in the trie."""
    if rec.symbols is None:
        return rec.path
    return closed_path(rec.root, rec.path, rec.symbols.sizes, list(rec.ext))


class _Nothing:
    """A recording of which nothing is live."""

    def was_done(self) -> bool:
        return False

    def arrays(self) -> list:
        return []


_NOTHING = _Nothing()


def _gradients_of(rec: Recorder, keep: bool = False) -> set[int]:
    """The slots that an optimizer's step used as gradients.

    Unless they are to be kept, the recording lets go of them: then it can be told whether anybody else refers to
    them."""
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


def _without_too_large(targets: list[Value], rec: Recorder) -> list[Value]:
    """The values that memory can be allocated for; the others have failed, and the rest of the program goes on without
    them.

    Where it is XLA that finds this out, in a thread of its own, whoever reads any result of the program waits for ever,
    or the process ends (jaxlib 0.10.2).
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


def kept() -> list[Executable]:
    """The programs that are kept, those of chunks too."""
    return [executable for one in reversed(way.row) for executable in one.executables()]


def forget_programs() -> None:
    """Forgets every recorded op and program (after a change of something that ops depend on, such as the default
    dtype)."""
    applied.forget()
    recorder.forget()
    trie.forget()
    for one in way.row:
        one.forget()
    _take(_eager(), _eager().device)


def set_precision(**words: str) -> None:
    """How float32 products (`matmul`) and convolutions (`convolution`) are computed from now on; what is pending is
    computed as it was."""
    flush()
    applied.PRECISION.update(words)
    forget_programs()


def set_check_bounds(mode: bool) -> None:
    """Whether indices and targets that are computed are looked at, so that one out of range, or an integer divided by
    0, raises when a value is read.

    They are by default. Programs are made anew where that changes, so say it once. FUNCTORCH_LITE_CHECK_BOUNDS=0 in the
    environment says it from the start. See docs/debugging.md.

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
    """Returns whether indices and targets that are computed are looked at: see `set_check_bounds`.

    >>> functorch_lite.debug.is_check_bounds_enabled()
    True
    """
    return check_bounds["on"]


def synchronize() -> None:
    """Dispatches what is recorded, and raises the error of an index that was out of range, in whatever was dispatched
    by then."""
    flush()
    _tell(wait=True)


def _tell(wait: bool = False) -> None:
    """Raises the error of the first breach in what is computed, once: what is recorded by now is run, and tells nothing
    more.

    A loop that failed leaves recorded what it was about, which a notebook or a test that keeps the traceback keeps
    alive; it would fail whatever is tried next.
    """
    try:
        look(wait)
    except Exception:
        with contextlib.suppress(Exception):
            flush()
            look(wait=True)
        raise


def force(v: Value) -> Any:
    """The array of a value, running what is pending if it must. Values of transforms are handled by `func`."""
    if v.array is None:
        array = _computed(v)
        if array is not None:
            return array
        v.array = v.rec.part(v)
    return v.array


_APART = (Pack, Late, Hidden)
"""Types of a pending value's recorder where its array is to be had by itself."""


def _computed(v: Value) -> Any:
    """The array of a pending value, after running what it needs; None if its Pack or Late is still to be asked for
    it."""
    rec = v.rec
    if type(rec) in _APART:
        return None
    if v.aval.device is META:
        raise NotImplementedError(NO_DATA)
    if rec is None:
        raise RuntimeError("this value was never computed")
    if rec.level:
        return rec.value_of(v)
    if rec.home is state.here and not rec.flushed and recorder.is_apart(rec):
        return _alone(v, rec)
    if rec is _eager():
        if Noting.reading is not None:
            Noting.reading(v)
        for answer in answers:
            if answer(rec, v):
                return v.array
        if rec.gradients and v.index in _gradients_of(rec, keep=True):  # it is asked for
            rec.gradients = []
        flush()
        if v.array is None and v.rec is not rec and type(v.rec) not in _APART:
            raise v.rec.error  # type: ignore[union-attr]
    elif rec.error is None:
        if not rec.flushed and rec.home is not None:
            _take_from(rec)
        if rec.flushed:
            _complete(rec)
    if v.array is None and type(v.rec) not in _APART:
        _force_alone(v, rec)
    return v.array


MOST_AWAITED = 0.5
"""Seconds to wait for another thread that is changing its recording. It may run a handler of the user's meanwhile, which
waits for this thread."""


def _take_from(rec: Recorder) -> None:
    """Takes the recording of another thread as a whole, as soon as nothing changes it, so that it can be run; that
    thread goes on with another. Does nothing where that would take too long, or for ever."""
    here, home = state.here, rec.home
    here.awaits = home
    try:
        until = monotonic() + MOST_AWAITED
        while not (rec.flushed or _take(rec)):
            other = home
            while other is not None and other is not here:
                other = other.awaits
            if other is here or monotonic() > until:
                return
            sleep(1e-5)
    finally:
        here.awaits = None


def _alone(v: Value, rec: Recorder) -> Any:
    """The array of a pending value for code that interrupts what records it, or runs it: the recording stays as it
    is, and so does the value, since whoever records asks for it at another point."""
    alone = _leading_to(v, rec)
    if v.array is not None:
        return v.array
    if alone is None:
        raise RuntimeError("a tensor cannot be read while an interrupt takes back the op that makes it")
    found = way.call(alone).arrays()[0]
    return found.part(v) if type(found) is Pack else found


def _leading_to(v: Value, rec: Recorder) -> Pending | None:
    """The ops that lead to a value of a recording, as a Pending that overwrites nothing; None if it is not recorded any
    more."""
    path, externals = list(rec.path), list(rec.ext)
    path = path[: next((i + 1 for i, n in enumerate(path) if n.base + n.n_out > v.index), 0)]
    if not path:
        return None
    alone = Pending(path, (v.index,), externals, rec.device)
    alone.symbols = None if rec.symbols is None else rec.symbols.sizes
    return alone


def _force_alone(v: Value, rec: Recorder) -> None:
    """Computes one value of a recording whose program failed, or that another thread is changing, or that this one
    runs now: from a copy of what leads to it, and overwriting nothing."""
    alone = _leading_to(v, rec)
    if alone is not None and v.array is None:
        externals = alone.externals
        try:
            alone.fresh = rec.error is not None
            found = way.call(alone, only_always=alone.fresh).arrays()[0]
            v.array = found.part(v) if type(found) is Pack else found
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
    """The value as a numpy array, which must not be written to.

    Raises the error of an index that was out of range, in whatever was computed by then."""
    array = numbers(v)
    if untold:
        _tell()
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
