"""Collectives of the processes of a group: four programs of JAX's, over one device of each.

Every process gives an array of one shape and dtype. Numbers that are only moved go as unsigned integers of their size,
so that every bit arrives; sums and the like are computed in the arrays' own dtype.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import jax
import numpy as np
from jax import lax
from jax import numpy as jnp
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from ._runtime import Runtime

__all__ = ["REDUCTIONS", "StdoutToStderr", "exchanged", "gathered", "reduced", "scattered"]

_AXIS = "ranks"
_INTEGERS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def _folded(op: Callable) -> Callable:
    """A reduction that XLA has no collective for: all parts go to everyone."""
    return lambda x: reduce(op, lax.all_gather(x, _AXIS))


REDUCTIONS: dict[str, Callable] = {
    "SUM": lambda x: lax.psum(x, _AXIS),
    "MIN": lambda x: lax.pmin(x, _AXIS),
    "MAX": lambda x: lax.pmax(x, _AXIS),
    "PRODUCT": _folded(jnp.multiply),
    "BAND": _folded(jnp.bitwise_and),
    "BOR": _folded(jnp.bitwise_or),
    "BXOR": _folded(jnp.bitwise_xor),
}
"""Reductions that `reduced` can do."""


def reduced(runtime: Runtime, ranks: tuple[int, ...], array: np.ndarray, op: str) -> np.ndarray:
    """The elementwise reduction of everyone's array, the same for all."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return _run(runtime, ranks, "reduce", op, flat).reshape(array.shape)


def gathered(runtime: Runtime, ranks: tuple[int, ...], array: np.ndarray) -> np.ndarray:
    """Everyone's array, stacked in order of ranks."""
    found = _run(runtime, ranks, "gather", "", _as_integers(array))
    return found.view(array.dtype).reshape(len(ranks), *array.shape)


def scattered(runtime: Runtime, ranks: tuple[int, ...], parts: np.ndarray, op: str) -> np.ndarray:
    """Each gives a part for each; the reduction of the parts that are for this process."""
    if op != "SUM":
        return reduced(runtime, ranks, parts, op)[ranks.index(runtime.rank)]
    flat = np.ascontiguousarray(parts).reshape(len(ranks), -1)
    return _run(runtime, ranks, "scatter", op, flat).reshape(parts.shape[1:])


def exchanged(runtime: Runtime, ranks: tuple[int, ...], parts: np.ndarray) -> np.ndarray:
    """Each gives a part for each; the parts that are for this process, stacked in order of ranks."""
    flat = _as_integers(parts).reshape(len(ranks), -1)
    return _run(runtime, ranks, "exchange", "", flat).view(parts.dtype).reshape(parts.shape)


def _as_integers(array: np.ndarray) -> np.ndarray:
    flat = np.ascontiguousarray(array).reshape(-1)
    size = flat.dtype.itemsize
    return flat.view(_INTEGERS[size] if size in _INTEGERS else np.uint64)  # complex128 is two of them


_BODIES: dict[str, Callable] = {
    "gather": lambda x: lax.all_gather(x, _AXIS),
    "scatter": lambda x: lax.psum_scatter(x, _AXIS),
    "exchange": lambda x: lax.all_to_all(x, _AXIS, 0, 0),
}


@cache
def _program(runtime: Runtime, ranks: tuple[int, ...], kind: str, op: str) -> tuple[Callable, NamedSharding]:
    body = REDUCTIONS[op] if kind == "reduce" else _BODIES[kind]
    mesh = Mesh(np.array([runtime.devices[r] for r in ranks], dtype=object), (_AXIS,))
    spec = PartitionSpec(_AXIS)
    mapped = jax.shard_map(
        lambda x: body(x[0])[None], mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False
    )
    return jax.jit(mapped), NamedSharding(mesh, spec)


_met: set[tuple[Runtime, tuple[int, ...]]] = set()
"""Groups that have run a program: gloo has connected them, and said so."""


def _run(runtime: Runtime, ranks: tuple[int, ...], kind: str, op: str, array: np.ndarray) -> np.ndarray:
    program, sharding = _program(runtime, ranks, kind, op)
    with jax.enable_x64(True):
        mine = jax.device_put(array[None], runtime.devices[runtime.rank])
        whole = jax.make_array_from_single_device_arrays((len(ranks), *array.shape), sharding, [mine])
        if (runtime, ranks) in _met:
            return np.array(program(whole).addressable_data(0))[0]
        with StdoutToStderr():
            found = np.array(program(whole).addressable_data(0))[0]
        _met.add((runtime, ranks))
        return found


class StdoutToStderr:
    """Sends text that C++ writes to stdout inside to stderr: gloo's notes are not output of the program."""

    def __enter__(self) -> None:
        sys.stdout.flush()
        self._stdout = os.dup(1)
        os.dup2(2, 1)

    def __exit__(self, *exception: Any) -> None:
        os.dup2(self._stdout, 1)
        os.close(self._stdout)
