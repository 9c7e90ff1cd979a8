"""Pack: the small results of one op, joined to one array that leaves a program and enters the next (see run/packing.py,
which decides which)."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..words import forked
from .value import Noting, Value

__all__ = ["Hidden", "Layout", "Pack", "at_once"]


class Layout:
    """Layout of a pack: the places, among an op's results, of those that lie in it, and their shapes. Interned."""

    def __init__(self, places: tuple[int, ...], shapes: tuple[tuple[int, ...], ...], dtype: np.dtype):
        self.shapes = shapes
        self.dtype = dtype
        self.part_of = {place: k for k, place in enumerate(places)}
        self.places = places
        self.ends = np.cumsum([int(np.prod(shape)) for shape in shapes]).tolist()

    @cached_property
    def struct(self) -> jax.ShapeDtypeStruct:
        """Shape and dtype of its flat array."""
        return jax.ShapeDtypeStruct((self.ends[-1],), self.dtype)

    def cut(self, flat, parts: Sequence[int]) -> list:
        """These parts of the flat array (jax's or numpy's)."""
        starts = [0, *self.ends]
        return [flat[starts[k] : self.ends[k]].reshape(self.shapes[k]) for k in parts]

    def join(self, arrays: Sequence, parts: Sequence[int] | None = None, module: Any = jnp) -> Any:
        """The flat array that has these arrays as these parts (by default all), zeros elsewhere. module: jax's or
        numpy's functions."""
        of_part = dict(zip(range(len(arrays)) if parts is None else parts, arrays))
        return module.concatenate(
            [
                of_part[k].reshape(-1) if k in of_part else np.zeros(int(np.prod(shape)), self.dtype)
                for k, shape in enumerate(self.shapes)
            ]
        )

    @cached_property
    def cut_all(self):
        """`cut` of every part, compiled."""
        return jax.jit(lambda flat: self.cut(flat, range(len(self.shapes))))

    @cached_property
    def join_some(self):
        """`join`, compiled."""
        return jax.jit(self.join, static_argnums=1)


class Pack:
    """The flat array of results of one op in one run.

    It stands where a Value's recorder stands; that of a finished, eager recording."""

    __slots__ = ("base", "flat", "layout", "parts")
    level = 0
    error = None

    def __init__(self, flat: jax.Array, layout: Layout, base: int):
        self.flat = flat
        self.layout = layout
        self.base = base
        self.parts: list[Any] | None = None

    def part(self, v: Value) -> jax.Array:
        """The array of one of its values. All are cut at once: who asks for one asks for others."""
        if self.parts is None and forked.here.child:
            self.parts = self.layout.cut(np.asarray(self.flat), range(len(self.layout.shapes)))
        if self.parts is None:
            with jax.enable_x64(True), at_once(self.flat):
                self.parts = self.layout.cut_all(self.flat)
        return self.parts[self.layout.part_of[v.index - self.base]]

    def look(self, v: Value) -> Any:
        """The same as a numpy array, for which nothing is compiled; under a JAX transformation of the user's, a
        tracer."""
        if isinstance(self.flat, jax.core.Tracer):
            return self.part(v)
        return self.layout.cut(np.asarray(self.flat), [self.layout.part_of[v.index - self.base]])[0]


class Hidden:
    """Stands where the recorder of a value stands whose array is there, and not to be looked at: `was_read` tells
    whether somebody did. ranges: what its integers would have been asked to be in range of."""

    __slots__ = ("of", "ranges", "was_read")
    level = 0
    error = None

    def __init__(self, of: Value):
        self.of = of
        self.was_read = False
        self.ranges: list[tuple[int, int]] = []

    def part(self, v: Value) -> Any:
        """Its array."""
        if Noting.reading is not None:
            Noting.reading(v)
        self.was_read = True
        of = self.of
        return of.array if of.array is not None else of.rec.part(of)

    def look(self, v: Value) -> Any:
        """The same."""
        return np.asarray(self.part(v))

    def shown(self, v: Value) -> None:
        """Gives it back what it had."""
        of = self.of
        v.array, v.rec, v.index = of.array, of.rec, of.index
        if hasattr(of, "uploaded"):
            v.uploaded = of.uploaded


def at_once(*arrays: Any) -> contextlib.AbstractContextManager:
    """While jax.jit traces a function of the user's: what becomes of known arrays is computed, not traced.

    It outlives the trace."""
    known = not any(isinstance(array, jax.core.Tracer) for array in arrays)
    return jax.ensure_compile_time_eval() if known else contextlib.nullcontext()
