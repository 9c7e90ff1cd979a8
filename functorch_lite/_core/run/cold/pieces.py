"""Primitives that take arrays apart and put them together, at places that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .interpreter import NoRule, rule, several

__all__: list[str] = []


@rule("slice")
def _slice(eqn: Any) -> Callable:
    p = eqn.params
    steps = p["strides"] or (1,) * len(p["start_indices"])
    at = tuple([slice(*s) for s in zip(p["start_indices"], p["limit_indices"], steps)])
    return lambda x: x[at]


@rule("concatenate")
def _concatenate(eqn: Any) -> Callable:
    dim = eqn.params["dimension"]
    return lambda *xs: np.concatenate(xs, dim)


@rule("stack")
def _stack(eqn: Any) -> Callable:
    dim = eqn.params["axis"]
    return lambda *xs: np.stack(xs, dim)


@rule("split")
def _split(eqn: Any) -> Callable:
    dim, ends = eqn.params["axis"], np.cumsum(eqn.params["sizes"])[:-1]
    return several(lambda x: np.split(x, ends, dim))


@rule("unstack")
def _unstack(eqn: Any) -> Callable:
    dim = eqn.params["axis"]
    return several(lambda x: list(np.moveaxis(x, dim, 0)))


@rule("rev")
def _rev(eqn: Any) -> Callable:
    dims = tuple(eqn.params["dimensions"])
    return lambda x: np.flip(x, dims)


@rule("iota")
def _iota(eqn: Any) -> Callable:
    p = eqn.params
    shape, dim = p["shape"], p["dimension"]
    if len(eqn.invars):
        raise NoRule("iota of a shape that is not known")
    line = np.arange(shape[dim]).astype(p["dtype"])
    made = np.broadcast_to(line.reshape([-1 if d == dim else 1 for d in range(len(shape))]), shape)
    return lambda: made


@rule("clamp")
def _clamp(eqn: Any) -> Callable:
    return lambda low, x, high: np.minimum(np.maximum(x, low), high)


@rule("pad")
def _pad(eqn: Any) -> Callable:
    """Negative padding takes away; interior padding goes between the elements."""
    out, config = eqn.outvars[0].aval, eqn.params["padding_config"]
    given = eqn.invars[0].aval.shape
    into, taken = [], []
    for (low, _, gap), n, m in zip(config, given, out.shape):
        step = gap + 1
        first = max(0, -(-max(-low, 0) // step)) if low < 0 else 0
        last = n
        while last > first and low + (last - 1) * step >= m:
            last -= 1
        into.append(
            slice(
                low + first * step, low + (last - 1) * step + 1 if last > first else low + first * step, step
            )
        )
        taken.append(slice(first, last))
    into_t, taken_t = tuple(into), tuple(taken)

    def run(x: np.ndarray, value: np.ndarray) -> np.ndarray:
        made = np.full(out.shape, value, out.dtype)
        made[into_t] = x[taken_t]
        return made

    return run


@rule("dynamic_slice")
def _dynamic_slice(eqn: Any) -> Callable:
    sizes = eqn.params["slice_sizes"]
    most = [n - size for n, size in zip(eqn.invars[0].aval.shape, sizes)]

    def run(x: np.ndarray, *starts: np.ndarray) -> np.ndarray:
        at = [min(max(int(s), 0), m) for s, m in zip(starts, most)]
        return x[tuple([slice(a, a + n) for a, n in zip(at, sizes)])]

    return run


@rule("dynamic_update_slice")
def _dynamic_update_slice(eqn: Any) -> Callable:
    sizes = eqn.invars[1].aval.shape
    most = [n - size for n, size in zip(eqn.invars[0].aval.shape, sizes)]

    def run(x: np.ndarray, part: np.ndarray, *starts: np.ndarray) -> np.ndarray:
        at = [min(max(int(s), 0), m) for s, m in zip(starts, most)]
        made = np.array(x)
        made[tuple([slice(a, a + n) for a, n in zip(at, sizes)])] = part
        return made

    return run
