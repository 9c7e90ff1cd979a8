"""Together: what the processes of a mesh do together, where each of them has one of its devices.

Each process runs the same program, and first announces the program that it is about to run and its values that all
processes must share. The coordinator compares. So a process that goes another way (one that alone reads a number of a
DTensor, or has another seed) does not make the others wait without an end or compute with what is not theirs: they
are ended, with a sentence that says who did what.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from functools import cache
from hashlib import sha1
from typing import Any
from zlib import crc32

import jax
import numpy as np
from jax.sharding import NamedSharding

from .._core.api import always_compile
from ._exchange import StdoutToStderr
from ._runtime import Runtime
from .groups import ProcessGroup

__all__ = ["Together", "mark_of"]


class Together:
    """The processes of a mesh, of which this is one.

    Attributes:
        rank: this process's, in the world.
        group: all of them.
        device: this process's.
    """

    def __init__(self, runtime: Runtime, ranks: Sequence[int]):
        name = "mesh " + " ".join(map(str, ranks))
        self.rank, self.device = runtime.rank, runtime.devices[runtime.rank]
        self.group = ProcessGroup("gloo", sorted(ranks), name, runtime)
        self.runtime, self.key = runtime, id(runtime)
        self._given = 0
        always_compile()
        self._met: set[str] = set()

    def note(self, array: np.ndarray) -> None:
        """Numbers that all processes must give; they are compared when the next program runs."""
        self._given = crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8), self._given)

    def run(self, what: str, call: Callable[[], Any]) -> Any:
        """Returns the result of `call()`, computed. what: tells programs apart; all processes must say the same."""
        given, self._given = self._given, 0
        what = f"{what} with the numbers {given:08x}" if given else what
        with self.group.agreed(what), nullcontext() if what in self._met else StdoutToStderr():
            found = jax.block_until_ready(call())
        self._met.add(what)
        return found

    def agree(self, what: str) -> None:
        """All must say the same."""
        with self.group.agreed(what):
            pass

    def cut(self, array: np.ndarray, sharding: NamedSharding) -> jax.Array:
        """An array that all processes have, on its devices."""
        places = sharding.addressable_devices_indices_map(array.shape)[self.device]
        return self.assembled(array[places], array.shape, sharding)  # type: ignore[index]

    def assembled(self, part: np.ndarray, shape: tuple[int, ...], sharding: NamedSharding) -> jax.Array:
        """An array of this shape, of which this process has a part."""
        mine = jax.device_put(np.asarray(part, order="C"), self.device)
        return jax.make_array_from_single_device_arrays(shape, sharding, [mine])

    def computed(
        self, what: str, fn: Callable[[Any], Any], array: jax.Array, sharding: NamedSharding
    ) -> jax.Array:
        """A function of an array, with another sharding."""
        program = _program(fn, sharding)
        return self.run(
            f"{what} of {array.dtype.name}{list(array.shape)} {array.sharding.spec}",  # type: ignore[attr-defined]
            lambda: program(array),
        )


@cache
def _program(fn: Callable[[Any], Any], sharding: NamedSharding) -> Any:
    return jax.jit(fn, out_shardings=sharding)


def mark_of(lowered: Any) -> str:
    """A short name of a program, the same in every process that has the same.

    The inputs that it may overwrite are left out: processes may differ in whether an array is still referenced."""
    text = re.sub(r"(tf\.aliasing_output = \d+ : i32|jax\.buffer_donor = true)(, )?", "", lowered.as_text())
    return sha1(text.encode()).hexdigest()[:12]
