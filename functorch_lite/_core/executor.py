"""The executor: turns what is pending in a recording into programs and runs them.

Only live slots are outputs; programs are cached on the trie node the recording ended at; dead inputs are donated;
a program that yields more than is live, or donates less than is dead, is reused rather than compiling another.
"""

from __future__ import annotations

import contextlib
import functools
import os
import warnings
from collections import OrderedDict
from collections.abc import Callable
from sys import getrefcount
from typing import Any

import jax
import numpy as np

from . import chunks, host_memory, packing, recorder, recycling
from .device import META, NO_DATA, device, is_jax_default, jax_device
from .errors import as_torchs, cannot_allocate
from .packing import Pack
from .program import Program, stats
from .recorder import Recorder, TrieNode, eager_root, state, trim_tries
from .value import Value, make_value

__all__ = [
    "Program", "dispatch_ended", "end_recording", "flush", "force", "force_array", "is_jax", "is_tracer", "stats",
]  # fmt: skip

MAX_PROGRAMS_PER_NODE = 16
MAX_PROGRAMS = 512
"""Programs kept at a time. A compiled CPU program holds some 80 memory maps, of which Linux allows a process 65,530."""
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
_x64 = jax.enable_x64


def flush(on: device | None = None) -> None:
    """Dispatches everything pending in this thread's eager recording. Does not wait for results.

    on: the device of the next recording (by default, the same).
    """
    rec = _eager()
    path, slots, ext, root = rec.path, rec.slots, rec.ext, rec.root
    fresh = Recorder(root if on is None else eager_root(on), on=rec.device if on is None else on)
    _replace_eager(rec, fresh)
    if not path:
        return
    rec.slots = []
    _run_recording(rec, path, slots, ext)


def end_recording() -> None:
    """Ends the eager recording (at the end of an optimizer's step). It is dispatched when the next op is recorded, a value is
    read, or gradients are cleared: those that nobody reads after the step are then no results of the program."""
    rec = _eager()
    if rec.ended:
        flush()
    elif rec.path:
        rec.ended = True


def dispatch_ended() -> None:
    """Dispatches the recording if it was ended."""
    if _eager().ended:
        flush()


def _eager() -> Recorder:
    rec = state.rec
    while rec.outer is not None:
        rec = rec.outer
    return rec


def _replace_eager(old: Recorder, new: Recorder) -> None:
    if state.rec is old:
        state.rec = new
        return
    rec = state.rec
    while rec.outer is not old:
        rec = rec.outer  # type: ignore[assignment]
    rec.outer = new


@functools.cache
def is_jax(kind: type) -> bool:
    """Whether instances of this type are JAX's arrays: `isinstance(x, jax.Array)`, which takes six times as long."""
    return issubclass(kind, jax.Array)


@functools.cache
def is_tracer(kind: type) -> bool:
    """The same for what JAX passes to functions that it transforms."""
    return issubclass(kind, jax.core.Tracer)


def _run_recording(
    rec: Recorder, path: list[TrieNode], slots: list[Value], ext_map: dict[Value, int]
) -> None:
    rec.session.close()
    targets = [v for v in slots if getrefcount(v) > _DEAD_SLOT]
    if path[-1].bytes > host_memory.most_at_once() and rec.device.type == "cpu":
        targets = _without_too_large(targets, rec)
    externals = list(ext_map)
    del rec.ext  # the recording holds its externals no longer: reference counts now tell who else does
    rec.ext = {}
    stats["ops"] += len(path)
    if not targets:
        return
    live = tuple([v.index for v in targets])
    small = packing.SMALL
    large = [i for i, v in enumerate(externals) if v.aval.nbytes > small]
    arrays = [v.array for v in externals]
    dead = tuple(
        [
            i
            for i in large
            if getrefcount(externals[i]) <= _DEAD_EXTERNAL
            and (
                getrefcount(arrays[i]) <= _DEAD_ARRAY
                or recycling.only_kept(getrefcount(arrays[i]) - _DEAD_ARRAY, arrays[i])
            )
            and is_jax(type(arrays[i]))
        ]
    )
    del arrays
    try:
        outs = _execute(path, live, dead, externals, rec.device)
    except BaseException as error:
        rec.error = error = as_torchs(error)
        raise error
    for v, out in zip(targets, outs):
        if type(out) is Pack:
            v.rec = out
        else:
            v.array = out
            v.rec = None
    del ext_map


def _without_too_large(targets: list[Value], rec: Recorder) -> list[Value]:
    """The values that memory can be allocated for; the others have failed, and the rest of the program goes on without them.

    Where it is XLA that finds this out, in a thread of its own, whoever reads any result of the program waits for ever, or the process
    ends (jaxlib 0.10.2).
    """
    large = [v for v in targets if v.aval.nbytes > host_memory.most_at_once()]
    for v in large:
        v.rec = Recorder(rec.root, on=rec.device)
        v.rec.error = cannot_allocate(v.aval.nbytes)
    return [v for v in targets if v not in large]


def _execute(path, live, dead, externals, on: device) -> list:
    node = path[-1]
    global_clock = recorder._trie_clock = recorder._trie_clock + 1
    path[0].used = global_clock
    if len(path) > WHOLE_PROGRAM_OPS:
        return chunks.execute(path, live, dead, externals, on)
    programs = node.programs
    if programs is None:
        programs = node.programs = {}
        if path[0].used % 64 == 0:
            trim_tries()
    program = programs.get((live, dead)) or _find(programs, path, live, dead, externals, on)
    if program.misfits > 1 and not program.settled:
        program = _keep(programs, (live, dead), Program(path, live, dead, externals, on, settled=True))
    if program in _kept:
        _kept.move_to_end(program)
    return call(program, externals, live, on)


_kept: OrderedDict[Program, tuple[dict, tuple]] = OrderedDict()
"""Every kept program, least recently used first, with the dict of its trie node and its key there."""


def _find(
    programs: dict, path: list[TrieNode], live: tuple, dead: tuple, externals: list[Value], on: device
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
    return _keep(programs, (live, dead), Program(path, live, dead, externals, on))


def _keep(programs: dict, key: tuple, program: Program) -> Program:
    """Keeps a program under a key of its trie node; lets go of the one it replaces, and of the oldest when there are too many."""
    if key not in programs and len(programs) >= MAX_PROGRAMS_PER_NODE:
        _kept.pop(programs.pop(next(iter(programs))), None)
    _kept.pop(programs.get(key), None)  # type: ignore[arg-type]
    programs[key] = program
    _kept[program] = (programs, key)
    if len(_kept) > MAX_PROGRAMS:
        _, (home, old) = _kept.popitem(last=False)
        home.pop(old, None)
    return program


def call(program, externals: list[Value], live: tuple, on: device) -> list:
    """Runs a program on the arrays of its externals; returns the arrays of `live`."""
    stats["runs"] = runs = stats["runs"] + 1
    if runs % 64 == 0:
        host_memory.ease()
    args, fits = [], True
    for e in program.externals:
        v = externals[e]
        array = v.array
        if array is None:
            fits, array = False, force(v)
        elif type(array) is np.ndarray:
            array = _upload(v, on)
        args.append(array)
    for group in program.groups:
        pack = group.pack(externals)
        fits = fits and pack is not None
        args.append(group.join([force(externals[e]) for e in group.members]) if pack is None else pack.flat)
    if not fits:
        program.misfits += 1
    _enable_cache_once()
    if not is_jax_default(on):
        with _x64(True), jax.default_device(jax_device(on)):
            outs = _run(program, [_moved(a, on) for a in args])
    else:
        with _x64(True):
            for k in program.from_elsewhere:
                args[k] = _moved(args[k], on)
            outs = _run(program, args)
    if program.packed:
        n = len(outs) - len(program.packed)
        outs[n:] = [Pack(flat, layout, base) for flat, (base, layout) in zip(outs[n:], program.packed)]
        outs = [outs[k] for k in program.sources]
    if program.live != live:
        by_slot = dict(zip(program.live, outs))
        outs = [by_slot[i] for i in live]
    return outs


def _run(program, args: list) -> list:
    """Runs a program on arrays, its large results in recycled memory."""
    if not program.rooms:
        return run_now(program.run, args)
    if any(is_tracer(type(a)) for a in args):
        return program.run(*args, *recycling.fresh(program.rooms))
    outs = run_now(program.run, [*args, *recycling.take(program.rooms)])
    recycling.keep(outs)
    return outs


def run_now(run: Callable, args: list) -> list:
    """`run(*args)`. Where a JAX transformation of the user's is tracing, what depends on nothing traced is computed all the same,
    for it outlives the trace."""
    outs = run(*args)
    if outs and is_tracer(type(outs[0])) and not any(is_tracer(type(a)) for a in args):
        with jax.ensure_compile_time_eval():
            outs = run(*args)
    return outs


def _upload(v: Value, on: device):
    """Puts a numpy-backed value on its device, once. The array is the library's own: nobody writes to it."""
    target = jax_device(on) if not is_jax_default(on) else None
    with _x64(True):
        v.array = run_now(lambda array: [jax.device_put(array, target)], [v.array])[0]
    v.uploaded = True
    return v.array


def _moved(array, on: device):
    """On this device. With 64-bit types only: without them JAX moves 32 of the bits."""
    target = jax_device(on)
    if isinstance(array, jax.Array) and not is_tracer(type(array)) and target not in array.devices():
        return jax.device_put(array, target)
    return array


def forget_programs() -> None:
    """Forgets every recorded op and program (after a change of something that ops depend on, such as the default dtype)."""
    from . import applied, levels

    applied._applied.clear()
    levels._roots.clear()
    recorder._roots.clear()
    chunks._programs.clear()
    _kept.clear()
    old = _eager()
    _replace_eager(old, Recorder(eager_root(old.device), on=old.device))


def set_precision(matmul: str | None = None, convolution: str | None = None) -> None:
    """How float32 products and convolutions are computed from now on, in JAX's words; what is pending is computed as it was."""
    from . import applied

    flush()
    applied.matmul_precision = matmul or applied.matmul_precision
    applied.convolution_precision = convolution or applied.convolution_precision
    forget_programs()


def force(v: Value) -> Any:
    """The array of a value, running what is pending if it must. Values of transforms are handled by `func`."""
    if v.array is None:
        array = _computed(v)
        if array is not None:
            return array
        v.array = v.rec.part(v)
    return v.array


def _computed(v: Value) -> Any:
    """The array of a pending value, after running what it needs; None if it is part of a pack, from which it is still to be taken."""
    rec = v.rec
    if type(rec) is Pack:
        return None
    if v.aval.device is META:
        raise NotImplementedError(NO_DATA)
    if rec is None:
        raise RuntimeError("this value was never computed")
    if rec.error is not None:
        raise RuntimeError(f"this tensor's program failed before: {rec.error}") from rec.error
    if rec.level:
        from .levels import force_in_level

        return force_in_level(v)
    if rec is _eager():
        flush()
    if v.array is None and type(v.rec) is not Pack:
        if v.rec.error is not None:
            raise v.rec.error
        _force_elsewhere(v, rec)
    return v.array


def _force_elsewhere(v: Value, rec: Recorder) -> None:
    """Computes a value that is pending in another thread, from a copy of that recording; nothing there is changed."""
    path, externals = list(rec.path), list(rec.ext)
    path = path[: next((i + 1 for i, n in enumerate(path) if n.base + n.n_out > v.index), 0)]
    if path and v.array is None:
        try:
            program = Program(path, (v.index,), (), externals, rec.device)
            v.array = call(program, externals, (v.index,), rec.device)[0]
        except RuntimeError:
            if v.array is None:
                raise
    if v.array is None:
        raise RuntimeError(
            "a tensor pending in another thread could not be computed: that thread's recording failed"
        )


def force_array(v: Value) -> np.ndarray:
    """The value as a numpy array, which must not be written to."""
    array = v.array if v.array is not None else _computed(v)
    if array is None:
        array = v.rec.look(v)
    if isinstance(array, jax.core.Tracer):
        raise RuntimeError("the value of a tensor is not known inside jax.jit or another JAX transformation")
    if not isinstance(array, np.ndarray):
        array = np.asarray(array, dtype=v.aval.dtype.np)
    return array


# -- the persistent compilation cache ------------------------------------------------------------------------------

_cache_ready = False


def _enable_cache_once() -> None:
    """JAX's persistent cache, on unless FUNCTORCH_LITE_CACHE=0 or the user has set one; set when the first program runs."""
    global _cache_ready
    if _cache_ready:
        return
    _cache_ready = True
    where = os.environ.get("FUNCTORCH_LITE_CACHE", "")
    if where == "0" or jax.config.jax_compilation_cache_dir is not None:
        return
    where = where or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "functorch_lite", "xla"
    )
    try:
        os.makedirs(where, exist_ok=True)
    except OSError as error:
        warnings.warn(f"functorch_lite: no persistent compilation cache at {where}: {error}", stacklevel=2)
        return
    _bound_cache(where)
    jax.config.update("jax_compilation_cache_dir", where)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


MAX_CACHE_BYTES = 1 << 30


def _bound_cache(where: str) -> None:
    """Deletes the least recently used entries of a cache that has grown past its bound. (JAX can do it too, but then every
    look-up takes a lock that all processes share.)"""
    with os.scandir(where) as entries:
        files = [
            (e.stat().st_atime, e.stat().st_size, e.path) for e in entries if e.is_file(follow_symlinks=False)
        ]
    excess = sum(size for _, size, _ in files) - MAX_CACHE_BYTES
    for _, size, path in sorted(files) if excess > 0 else ():
        with contextlib.suppress(OSError):
            os.unlink(path)
        excess -= size
        if excess < -MAX_CACHE_BYTES // 4:
            break
