"""Sums: of what is counted, and into places that are computed."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
from jax import lax

from ...jaxprs.walk import bind
from .table import Lowering, Reading, Site, lowers

__all__: list[str] = []

_FEW = 1 << 12
"""Elements below which XLA's own is as fast."""
_EXACT = 1 << 24
"""Whole numbers that float32 tells apart."""


def _truth(site: Site, v: Any) -> Any:
    """The bools that a variable is as whole numbers; None where it is something else."""
    eqn = site.made_by(v)
    while eqn is not None and eqn.primitive.name == "convert_element_type":
        v = eqn.invars[0]
        if v.aval.dtype == jnp.bool_:
            return v
        if not jnp.issubdtype(v.aval.dtype, jnp.integer) or v.aval.dtype.itemsize < 4:
            return None
        eqn = site.made_by(v)
    return None


@lowers("reduce_sum")
def _counted(site: Site) -> Reading | None:
    """Bools counted in float32, which XLA adds up by vectors, and whole numbers one by one.
    (Row `count_nonzero 10M`: 1.7 x PyTorch's time, 0.5 x so.)"""
    x, out = site.ins[0], site.outs[0]
    axes = site.params["axes"]
    if out.dtype not in (jnp.int32, jnp.int64) or math.prod(x.shape) < _FEW:
        return None
    truth = _truth(site, site.eqn.invars[0])
    if truth is None or math.prod(x.shape[a] for a in axes) >= _EXACT:
        return None
    return site.reading(lambda b: jnp.sum(b.astype(jnp.float32), axis=tuple(axes)).astype(out.dtype), truth)


@lowers("scatter-add", "scatter")
def _not_folded(site: Site) -> Lowering | None:
    """Computed when the program runs, also where all of it is constant: XLA takes up to a minute to fold what then
    takes milliseconds, as the gradient of `grid_sample(x).sum()`. What is added to an argument is not constant.
    (Row `scatter_add 100k`: 2.8 x PyTorch's time where it is so computed, 1.4 x without.)"""
    if math.prod(site.ins[2].shape) < _FEW or site.made_by(site.eqn.invars[0]) is None:
        return None
    return lambda x, places, parts: bind(site.eqn, [x, places, lax.optimization_barrier(parts)])


@lowers("reduce_sum")
def _of_windows(site: Site) -> Reading | None:
    """Slices of one array that are joined along a summed dim, as in `x.unfold(1, 16, 8).sum(-1)`: the array is summed,
    and slices of that are added up. (Row `unfold 3000²`: 8 x PyTorch's time, 1.9 x so.)"""
    joined = site.made_by(site.eqn.invars[0])
    if joined is None or joined.primitive.name != "concatenate" or math.prod(site.ins[0].shape) < _FEW:
        return None
    axes, slices = tuple(site.params["axes"]), [site.made_by(v) for v in joined.invars]
    if joined.params["dimension"] not in axes or any(
        s is None or s.primitive.name != "slice" for s in slices
    ):
        return None
    array = slices[0].invars[0]
    kept = [d for d in range(len(array.aval.shape)) if d not in axes]
    cuts = []
    for s in slices:
        p = s.params
        whole = all(s.outvars[0].aval.shape[a] == array.aval.shape[a] for a in axes)
        if s.invars[0] is not array or not whole or set(p["strides"] or (1,)) != {1}:
            return None
        cuts.append(tuple([slice(p["start_indices"][d], p["limit_indices"][d]) for d in kept]))
    if math.prod(site.ins[0].shape) < math.prod(array.aval.shape):
        return None

    def run(x: Any) -> Any:
        summed = jnp.sum(x, axis=axes)
        return sum([summed[cut] for cut in cuts[1:]], summed[cuts[0]])

    return site.reading(run, array)
