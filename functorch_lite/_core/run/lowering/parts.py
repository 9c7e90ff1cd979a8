"""Parts of arrays that are joined: taken from their places all at once."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .table import Reading, Site, lowers

__all__: list[str] = []

_FEW = 1 << 12
"""Elements below which XLA's own is as fast."""


def _places(site: Site, v: Any, dim: int) -> tuple[Any, np.ndarray] | None:
    """The variable that a part is taken from along a dim, and from which places; None where it is something else."""
    eqn = site.made_by(v)
    if eqn is None:
        return v, np.arange(v.aval.shape[dim])
    source, p = eqn.invars[0], eqn.params
    if eqn.primitive.name == "rev" and tuple(p["dimensions"]) == (dim,):
        found = _places(site, source, dim)
        return found and (found[0], found[1][::-1])
    if eqn.primitive.name == "slice" and set(p["strides"] or (1,)) == {1}:
        before, after = source.aval.shape, v.aval.shape
        if all(n == m for d, (n, m) in enumerate(zip(before, after)) if d != dim):
            return source, np.arange(p["start_indices"][dim], p["limit_indices"][dim])
    if eqn.primitive.name == "broadcast_in_dim" and tuple(p["broadcast_dimensions"]) == tuple(
        range(len(v.aval.shape))
    ):
        before, after = source.aval.shape, v.aval.shape
        if before[dim] == 1 and all(n == m for d, (n, m) in enumerate(zip(before, after)) if d != dim):
            found = _places(site, source, dim)
            return found and (found[0], np.repeat(found[1], after[dim]))
    return v, np.arange(v.aval.shape[dim])


@lowers("concatenate")
def _borders(site: Site) -> Reading | None:
    """Rule for one array with some of its own elements, reversed or repeated, around it: by one table of places, of
    which XLA makes one loop for all dims. (Rows `pad reflect`, `pad replicate`: 5 and 3.8 x PyTorch's time, 1.5 x
    so.)"""
    dim, out = site.params["dimension"], site.outs[0]
    if math.prod(out.shape) < _FEW or out.dtype not in (np.float32, np.float64) or len(site.ins) > 8:
        return None
    found = [_places(site, v, dim) for v in site.eqn.invars]
    if any(f is None or f[0] is not found[0][0] for f in found):  # type: ignore[index]
        return None
    places = np.concatenate([f[1] for f in found])  # type: ignore[index]
    if len(places) < 2 or ((np.diff(places) >= 0).all() and len(set(places)) == len(places)):
        return None  # slices in order
    if not ((np.diff(places) == -1) | (np.diff(places) == 0)).any():
        return None  # what is rolled: two runs, which XLA copies as they are
    index = (slice(None),) * dim + (places.astype(np.int32),)
    return site.reading(lambda x: x.at[index].get(mode="promise_in_bounds"), found[0][0])  # type: ignore[index]
