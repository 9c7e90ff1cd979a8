"""Gathers and scatters: places that are found in an array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.lax import GatherScatterMode

from .elementwise import is_narrow
from .interpreter import COSTS, elements, rule

__all__: list[str] = []


class _Places:
    """Where the windows of a gather or scatter lie: indices into each dim of the operand, for the batch of windows and what is in one.

    sizes: of a window, by dim of the operand; `kept`: the dims that a window has, in order.
    """

    def __init__(
        self,
        shape: tuple[int, ...],
        sizes: Sequence[int],
        kept: Sequence[int],
        mapped: Sequence[int],
        batching: dict[int, int],
    ):
        self.shape = shape
        self.mapped = tuple(mapped)
        self.batching = batching
        self.most = [n - size for n, size in zip(shape, sizes)]
        self.n = len(kept)
        self.inside = {}
        for at, d in enumerate(kept):
            line = np.arange(sizes[d])
            self.inside[d] = line.reshape([-1 if k == at else 1 for k in range(self.n)])

    def of(self, indices: np.ndarray) -> tuple[list, np.ndarray]:
        """(an index for each dim, which of the windows lie in the operand)."""
        batch = indices.shape[:-1]
        there = np.ones(batch, bool)
        found: list[Any] = [None] * len(self.shape)
        for k, d in enumerate(self.mapped):
            start = indices[..., k].astype(np.int64)
            there &= (start >= 0) & (start <= self.most[d])
            found[d] = np.clip(start, 0, max(self.most[d], 0))
        for d, at in self.batching.items():
            found[d] = np.arange(self.shape[d]).reshape([-1 if k == at else 1 for k in range(len(batch))])
        for d, start in enumerate(found):
            inside = self.inside.get(d, 0)
            found[d] = inside if start is None else start.reshape(*start.shape, *[1] * self.n) + inside
        return found, there


def _fill(d: np.dtype) -> Any:
    """What stands for what is not there, where nothing is said."""
    if d == np.bool_:
        return True
    if d.kind in "iu":
        return np.iinfo(d).min if d.kind == "i" else np.iinfo(d).max
    return np.nan


@rule("gather")
def _gather(eqn: Any) -> Callable:
    p, out = eqn.params, eqn.outvars[0].aval
    numbers, sizes = p["dimension_numbers"], p["slice_sizes"]
    shape = eqn.invars[0].aval.shape
    gone = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    kept = [d for d in range(len(shape)) if d not in gone]
    fills = p["mode"] == GatherScatterMode.FILL_OR_DROP
    value = p["fill_value"] if p["fill_value"] is not None else _fill(out.dtype)
    batching = dict(zip(numbers.operand_batching_dims, numbers.start_indices_batching_dims))
    places = _Places(shape, sizes, kept, numbers.start_index_map, batching)
    n_batch = len(eqn.invars[1].aval.shape) - 1
    others = [d for d in range(len(out.shape)) if d not in numbers.offset_dims]
    order = np.argsort([*others, *numbers.offset_dims]).tolist()
    in_order = order == list(range(len(order)))
    (axis,) = numbers.start_index_map if len(numbers.start_index_map) == 1 else (-1,)
    whole = all(sizes[d] == shape[d] for d in range(len(shape)) if d != axis)
    simple = axis >= 0 and not batching and gone == {axis} and sizes[axis] == 1 and whole
    # the batch of a take stands where the dim was
    simple = simple and others == list(range(axis, axis + n_batch))
    most = shape[axis] - 1 if shape else 0

    def take(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        at = indices[..., 0]
        inside = (at >= 0) & (at <= most)
        if inside.all():
            return x.take(at, axis)
        made = x.take(np.clip(at, 0, most), axis)
        if fills:
            made[(slice(None),) * axis + (~inside,)] = value
        return made

    def run(x: np.ndarray, indices: np.ndarray) -> np.ndarray:
        at, there = places.of(indices)
        made = x[tuple(at)] if at else np.broadcast_to(x, there.shape)
        made = np.broadcast_to(made, (*there.shape, *made.shape[n_batch:]))
        if fills and not there.all():
            made = np.array(made)
            made[~there] = value
        return made if in_order else made.transpose(order)

    return take if simple and most >= 0 else run


_UFUNCS = {"scatter-add": np.add, "scatter-sub": np.subtract, "scatter-mul": np.multiply, "scatter-min": np.minimum, "scatter-max": np.maximum}  # fmt: skip


@rule("scatter", *_UFUNCS, *[name.replace("-", "_") for name in _UFUNCS])
def _scatter(eqn: Any) -> Callable:
    p, name = eqn.params, eqn.primitive.name.replace("_", "-")
    numbers, shape = p["dimension_numbers"], eqn.invars[0].aval.shape
    given = eqn.invars[2].aval.shape
    gone = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    kept = [d for d in range(len(shape)) if d not in gone]
    sizes = [1] * len(shape)
    for d, at in zip(kept, numbers.update_window_dims):
        sizes[d] = given[at]
    batching = dict(zip(numbers.operand_batching_dims, numbers.scatter_indices_batching_dims))
    places = _Places(shape, sizes, kept, numbers.scatter_dims_to_operand_dims, batching)
    others = [d for d in range(len(given)) if d not in numbers.update_window_dims]
    order = [*others, *numbers.update_window_dims]
    clips = p["mode"] == GatherScatterMode.CLIP
    d = eqn.outvars[0].aval.dtype
    wide = np.float32 if is_narrow(d) and name != "scatter" else d
    ufunc = _UFUNCS.get(name)
    if d == np.bool_ and ufunc is not None:
        ufunc = {"scatter-add": np.logical_or, "scatter-mul": np.logical_and, "scatter-min": np.logical_and, "scatter-max": np.logical_or}.get(name, ufunc)  # fmt: skip
    once = p["unique_indices"]

    def run(x: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
        at, there = places.of(indices)
        updates = updates.transpose(order).astype(wide)
        made = x.astype(wide)
        if not there.all() and not clips:
            full = there.shape
            at = [
                np.broadcast_to(i, np.broadcast_shapes(np.shape(i), (*full, *[1] * places.n)))[there]
                for i in at
            ]
            updates = updates[there]
        where = tuple(at)
        if not where:
            for update in updates.reshape(-1):
                made = np.asarray(update if ufunc is None else ufunc(made, update))
        elif ufunc is None:
            made[where] = updates
        elif once:
            made[where] = ufunc(made[where], updates)
        else:
            ufunc.at(made, where, updates)
        return made.astype(d)

    return run


for _name in ("scatter", *_UFUNCS):
    COSTS[_name] = lambda eqn: elements(eqn.invars[2]) * 400
COSTS["gather"] = lambda eqn: elements(eqn.outvars[0]) * 100
