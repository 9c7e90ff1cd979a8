"""Rules for places that are computed: gathers, scatters, and slices that begin there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.lax import GatherScatterMode as Mode

from .axes import Axis, Dim, NoRule, Padded, plain, product, whole
from .elementwise import combined
from .interpreter import Evaluation, rule
from .signatures import Equation

__all__: list[str] = []


def _with(axes: Sequence[Axis], dim: int, axis: Axis) -> tuple[Axis, ...]:
    return (*axes[:dim], axis, *axes[dim + 1 :])


def _batching(
    to: Evaluation, x: Padded, of_x: Sequence[int], at: Padded, of_at: Sequence[int]
) -> tuple[Padded, Padded]:
    """An operand and indices whose batch dims have the same axes."""
    for i, j in zip(of_x, of_at):
        both = combined([Padded(None, (x.axes[i],)), Padded(None, (at.axes[j],))])[0]._replace(free=False)
        x_axes, at_axes = _with(x.axes, i, both), _with(at.axes, j, both)
        x, at = Padded(to.lengths.spread(x, x_axes), x_axes), Padded(to.lengths.spread(at, at_axes), at_axes)
    return x, at


def _places(
    to: Evaluation, x: Padded, at: Padded, windows: Mapping[int, Any], clips: bool
) -> tuple[Any, Any]:
    """Indices as they are in the padded operand, as int64, and which of them are within it as it is now (None: not
    asked for). windows: by the dimension that each column of indices is for."""
    dim = len(at.axes) - 1
    numbers = at.array.astype(jnp.int64)
    columns, inside = [], None
    for k, (d, window) in enumerate(windows.items()):
        number = jax.lax.index_in_dim(numbers, k, dim)
        size = product(x.axes[d].factors)
        last = to.lengths.now(size) - window
        if clips:
            number = jnp.clip(number, 0, last)
        else:
            here = (number >= 0) & (number <= last)
            inside = here if inside is None else inside & here
        if not x.axes[d].is_plain:
            if window != 1 and len(x.axes[d].factors) > 1:
                raise NoRule("windows of what was flattened")
            number = to.lengths.place(x.axes[d], number)
        columns.append(number)
    return jnp.concatenate(columns, dim) if columns else numbers, inside


@rule("gather")
def _gather(to: Evaluation, eqn: Equation, x: Padded, at: Padded) -> Padded:
    numbers, sizes = eqn.param("dimension_numbers"), eqn.param("slice_sizes")
    mode, ndim = eqn.raw.params["mode"], len(eqn.outs[0].shape)
    mapped = numbers.start_index_map
    x = to.lengths.whole(x)
    if not at.axes[-1].is_plain:
        raise NoRule("gather")
    x, at = _batching(to, x, numbers.operand_batching_dims, at, numbers.start_indices_batching_dims)
    gone = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
    for d, size in enumerate(sizes):
        if isinstance(size, Dim) or (
            not x.axes[d].is_plain and d not in mapped and d not in numbers.operand_batching_dims
        ):
            if size != product(x.axes[d].factors):
                raise NoRule("gather of a part of a length")
            if d in mapped:
                raise NoRule("gather of a whole length that begins somewhere")
    clips = mode in (Mode.CLIP, Mode.PROMISE_IN_BOUNDS)
    moves = any(not x.axes[d].is_plain for d in mapped)
    indices = at.array
    if moves:
        indices, inside = _places(to, x, at, {d: sizes[d] for d in mapped}, clips)
        if inside is not None:
            indices = jnp.where(inside, indices, -1)
    extents = [
        to.lengths.extent(x.axes[d])
        if not x.axes[d].is_plain and d not in mapped and d not in numbers.operand_batching_dims
        else to.lengths.at_most(s)
        for d, s in enumerate(sizes)
    ]
    array = to.bind(eqn, [x.array, indices], slice_sizes=tuple(extents))[0]
    kept = iter([d for d in range(len(sizes)) if d not in gone])
    batch = iter(at.axes[:-1])
    axes = []
    for k in range(ndim):
        if k in numbers.offset_dims:
            d = next(kept)
            axes.append(plain(extents[d]) if d in mapped or x.axes[d].is_plain else x.axes[d])
        else:
            axes.append(next(batch))
    return Padded(array, tuple(axes))


@rule("scatter", "scatter-add", "scatter-mul", "scatter-min", "scatter-max", "scatter-sub")
def _scatter(to: Evaluation, eqn: Equation, x: Padded, at: Padded, updates: Padded) -> Padded:
    """Drops what padding would update: its indices are made such that nothing is there."""
    numbers, mode = eqn.param("dimension_numbers"), eqn.raw.params["mode"]
    mapped = numbers.scatter_dims_to_operand_dims
    x, updates = to.lengths.whole(x), to.lengths.whole(updates)
    if not at.axes[-1].is_plain:
        raise NoRule("scatter")
    x, at = _batching(to, x, numbers.operand_batching_dims, at, numbers.scatter_indices_batching_dims)
    gone = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    others = [d for d in range(len(updates.axes)) if d not in numbers.update_window_dims]
    # of updates and indices, the axes that are the batch's
    at_axes, up_axes = list(at.axes), list(updates.axes)
    for j, d in enumerate(others):
        both = combined([Padded(None, (at.axes[j],)), Padded(None, (updates.axes[d],))])[0]._replace(
            free=False
        )
        at_axes[j] = up_axes[d] = both
    at = Padded(to.lengths.spread(at, at_axes), tuple(at_axes))
    updates = Padded(to.lengths.spread(updates, up_axes), tuple(up_axes))
    x, at = _batching(to, x, numbers.operand_batching_dims, at, numbers.scatter_indices_batching_dims)
    sizes: list[Any] = []
    window = iter(numbers.update_window_dims)
    for d, axis in enumerate(x.axes):
        if d in gone:
            sizes.append(1)
            continue
        u = updates.axes[next(window)]
        size = product(u.factors)
        if not axis.is_plain or not u.is_plain:
            if d in mapped:
                raise NoRule("scatter of a part of a length")
            if u != axis:
                raise NoRule("scatter of a part of a length")
        sizes.append(size)
    if not mapped and not all(a.is_plain for a in at.axes):
        raise NoRule("scatter without indices")
    array = at.array
    padded = [j for j, a in enumerate(at.axes[:-1]) if not a.is_plain]
    moves = padded or any(not x.axes[d].is_plain for d in mapped)
    if not moves:
        made = to.bind(eqn, [x.array, at.array, updates.array])[0]
        return Padded(made, x.axes)
    clips = mode is Mode.CLIP
    indices, inside = _places(to, x, at, {d: sizes[d] for d in mapped}, clips)
    counts = None
    for j in padded:
        mask = to.lengths.counts(at.axes[j])
        mask = jax.lax.broadcast_in_dim(mask, (*array.shape[:-1], 1), (j,))
        counts = mask if counts is None else counts & mask
    for test in (inside, counts):
        if test is not None:
            indices = jnp.where(test, indices, -1)
    fn = {
        "scatter": jax.lax.scatter, "scatter-add": jax.lax.scatter_add, "scatter-mul": jax.lax.scatter_mul, "scatter-min": jax.lax.scatter_min,
        "scatter-max": jax.lax.scatter_max, "scatter-sub": getattr(jax.lax, "scatter_sub", None),
    }[eqn.name]  # fmt: skip
    if fn is None or (eqn.name == "scatter" and eqn.raw.params.get("update_jaxpr") is not None):
        raise NoRule(eqn.name)
    raw = eqn.raw.params["dimension_numbers"]
    return Padded(fn(x.array, indices, updates.array, raw, mode=Mode.FILL_OR_DROP), x.axes)


def _first(to: Evaluation, x: Axis, part: Axis, start: Padded) -> Any:
    """Where a part begins, moved to where all of it is within what counts (int64)."""
    room = to.lengths.now(product(x.factors)) - to.lengths.now(product(part.factors))
    return jnp.clip(start.array.astype(jnp.int64), 0, room)


def _longer(array: Any, more: Sequence[int]) -> Any:
    """The array with some zeros after each axis."""
    if not any(more):
        return array
    return jax.lax.pad(array, jnp.zeros((), array.dtype), [(0, m, 0) for m in more])


@rule("dynamic_slice")
def _dynamic_slice(to: Evaluation, eqn: Equation, x: Padded, *starts: Padded) -> Padded:
    sizes = eqn.param("slice_sizes")
    if len(starts) != len(sizes):
        raise NoRule("dynamic_slice of a size that is computed")
    x = to.lengths.whole(x)
    at, more, axes = [], [], []
    for axis, size, start in zip(x.axes, sizes, starts):
        if size == product(axis.factors):
            axes.append(axis)
            at.append(jnp.zeros((), jnp.int64))
            more.append(0)
            continue
        if len(axis.factors) > 1:
            raise NoRule("dynamic_slice of what was flattened")
        axes.append(whole(size))
        at.append(_first(to, axis, axes[-1], start))
        more.append(to.lengths.at_most(size) if isinstance(size, Dim) else 0)
    array = jax.lax.dynamic_slice(_longer(x.array, more), at, to.lengths.shape(axes))
    return Padded(array, tuple(axes))


@rule("dynamic_update_slice")
def _dynamic_update_slice(to: Evaluation, eqn: Equation, x: Padded, part: Padded, *starts: Padded) -> Padded:
    """Writes nothing of the padding of the part."""
    x, part = to.lengths.whole(x), to.lengths.whole(part)
    at, more, padded = [], [], []
    for d, (axis, u, start) in enumerate(zip(x.axes, part.axes, starts)):
        if axis == u:
            at.append(jnp.zeros((), jnp.int64))
            more.append(0)
            continue
        if len(axis.factors) > 1 or len(u.factors) > 1:
            raise NoRule("dynamic_update_slice of what was flattened")
        at.append(_first(to, axis, u, start))
        more.append(0 if u.is_plain else to.lengths.extent(u))
        if not u.is_plain:
            padded.append(d)
    buffer, new = _longer(x.array, more), part.array
    if padded:
        before = jax.lax.dynamic_slice(buffer, at, new.shape)
        for d in padded:
            counts = jax.lax.broadcast_in_dim(to.lengths.counts(part.axes[d]), new.shape, (d,))
            new = jax.lax.select(counts, new, before)
    array = jax.lax.dynamic_update_slice(buffer, new, at)
    return Padded(jax.lax.slice(array, [0] * array.ndim, x.array.shape), x.axes)
