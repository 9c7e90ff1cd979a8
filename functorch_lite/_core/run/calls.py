"""Calls of programs: arguments from the externals of a recording, results for its live slots."""

from __future__ import annotations

import jax
import numpy as np

from ..lazy import engine
from ..lazy.breaches import note
from ..lazy.pack import Pack
from ..lazy.value import COMPUTED, COMPUTED_READ, Value
from ..words.device import device, is_jax_default, jax_device
from . import packing, recycling
from .executable import Run
from .program import Program, moved, placed, upload

__all__ = ["Call"]

MOST_KINDS = 8
"""Kinds of calls of a program, by which of its arguments are small arrays of NumPy's that no program read before: those
go as they are."""
_UNREAD = object()

_x64 = jax.enable_x64


class Call(Run):
    """A program called on the arrays of its externals, for the arrays of `live`."""

    __slots__ = ("_arrays", "_live", "_on", "_program")

    def __init__(self, program: Program, externals: list[Value], live: tuple, on: device):  # hot path
        args, fits, bare = [], True, 0
        few = packing.SMALL if is_jax_default(on) else -1
        for e in program.externals:
            v = externals[e]
            array = v.array
            if array is None:
                fits, array = False, engine.force(v)
            if type(array) is np.ndarray:
                uploaded = getattr(v, "uploaded", _UNREAD)
                if v.aval.nbytes <= few and (uploaded is _UNREAD or uploaded is COMPUTED):
                    v.uploaded = None if uploaded is _UNREAD else COMPUTED_READ
                    bare |= 1 << len(args)  # what may be read but once is not made an array of JAX's for that
                elif on.is_mesh:
                    if v.aval.device.is_mesh:
                        array = upload(v, v.aval.device)
                else:
                    array = upload(v, on)
            args.append(array)
        for group in program.groups:
            pack = group.pack(externals)
            fits = fits and pack is not None
            if pack is not None:
                args.append(pack.flat)
                continue
            flat = group.join([engine.force(externals[e]) for e in group.members])
            args.append(moved(flat, on) if on.is_mesh else flat)
        if not fits:
            program.misfits += 1
        elsewhere = program.from_elsewhere if on.is_mesh or is_jax_default(on) else range(len(args))
        if elsewhere:
            with _x64(True):  # without 64-bit types JAX moves 32 of the bits
                for k in elsewhere:
                    args[k] = moved(args[k], on)
        if program.rooms:
            args.extend(recycling.take(program.rooms))
        ready = program.executable.ready
        if bare and bare not in ready and len(ready) >= MOST_KINDS:
            args, bare = [placed(a, on) if type(a) is np.ndarray else a for a in args], 0
        super().__init__(program.executable, args, bare)
        self._program, self._live, self._on = program, live, on
        self._arrays: list | None = None

    def arrays(self) -> list:  # hot path
        """Returns the arrays of the slots in `live`, packs as Packs; the same ones each time."""
        if self._arrays is None:
            on = self._on
            if on.is_mesh:
                with _x64(True):
                    outs = on.together(self)  # type: ignore[attr-defined]
            elif is_jax_default(on):
                with _x64(True):
                    outs = self.results()
            else:
                with _x64(True), jax.default_device(jax_device(on)):
                    outs = self.results()
            program = self._program
            if program.checks:
                note(outs[-1], program.checks, on)
                outs = outs[:-1]
            if program.rooms:
                recycling.keep(outs)
            if program.packed:
                n = len(outs) - len(program.packed)
                packs = [Pack(flat, layout, base) for flat, (base, layout) in zip(outs[n:], program.packed)]
                outs = [*outs[:n], *packs]
                outs = [outs[k] for k in program.sources]
            if program.live != self._live:
                by_slot = dict(zip(program.live, outs))
                outs = [by_slot[i] for i in self._live]
            self._arrays = outs
        return self._arrays
