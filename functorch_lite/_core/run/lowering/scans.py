"""Accumulation along a dim: a loop along it over vectors of what lies beside it, with one addition for each element.

XLA makes log(n) additions for each.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .table import Lowering, Reading, Site, lowers

__all__: list[str] = []

_FEW = 256
"""Elements below which XLA's own is as fast."""
_BESIDE, _TURNS = 64, 128
"""Lanes from which on, or turns up to which, the loop is the faster way."""
_MANY = 1 << 20
"""Elements from which on rows are transposed some at a time, so that they stay in the cache."""


def _logaddexp(a: Any, b: Any) -> Any:
    most = jnp.maximum(a, b)
    off = jnp.where(a == b, 0, -jnp.abs(a - b))  # also of two infinities
    return most + jnp.log1p(jnp.exp(off))


_COMBINE = {
    "cumsum": lax.add,
    "cumprod": lax.mul,
    "cummax": lax.max,
    "cummin": lax.min,
    "cumlogsumexp": _logaddexp,
}


def _neutral(name: str, dtype: Any) -> Any:
    if name in ("cumsum", "cumprod"):
        return dtype.type(name == "cumprod")
    if jnp.issubdtype(dtype, jnp.floating):
        return dtype.type(np.inf if name == "cummin" else -np.inf)
    limits = jnp.iinfo(dtype)
    return dtype.type(limits.max if name == "cummin" else limits.min)


def _along(x: Any, wide: Any, name: str) -> Any:
    """Along the first dim of (n, …), computed in `wide`."""
    combine, narrow = _COMBINE[name], x.dtype

    def step(so_far: Any, row: Any) -> tuple[Any, Any]:
        so_far = combine(so_far, row.astype(wide))
        return so_far, so_far.astype(narrow)

    return lax.scan(step, jnp.full(x.shape[1:], _neutral(name, wide)), x)[1]


def _scanned(name: str, axis: int, reverse: bool, aval: Any, wide: Any) -> Lowering | None:
    """Returns a function that accumulates along an axis of arrays of this shape, in `wide`, and rounds to their own
    dtype; None where XLA's way is left."""
    n, size = aval.shape[axis], math.prod(aval.shape)
    if size < _FEW or n < 4:
        return None
    lanes = size // n
    if lanes < _BESIDE and n > _TURNS:
        return None
    rows = max((d for d in range(16, 65) if lanes % d == 0), default=0)  # as many at a time
    last = axis == len(aval.shape) - 1

    def run(x: Any) -> Any:
        x = jnp.flip(x, axis) if reverse else x
        if last and size >= _MANY and rows:
            made = lax.map(lambda part: _along(part.T, wide, name).T, x.reshape(-1, rows, n)).reshape(x.shape)
        else:
            first = jnp.moveaxis(x, axis, 0)
            made = jnp.moveaxis(_along(first, wide, name), 0, axis)
        return jnp.flip(made, axis) if reverse else made

    return run


def _is_taken(name: str, dtype: Any) -> bool:
    return dtype in (jnp.float32, jnp.float64) or (dtype in (jnp.int32, jnp.int64) and name != "cumlogsumexp")


@lowers(*_COMBINE)
def _scan(site: Site) -> Lowering | None:
    """(Rows cumsum 4 to 8 x, cumprod 6 x, cummax 15 x, logcumsumexp 12 x PyTorch's time.)"""
    name, aval = site.eqn.primitive.name, site.ins[0]
    if not _is_taken(name, aval.dtype):
        return None
    return _scanned(name, site.params["axis"], site.params["reverse"], aval, aval.dtype)


@lowers("convert_element_type")
def _rounded_scan(site: Site) -> Reading | None:
    """Rule for float32 that is accumulated in float64 and rounded: without an array of float64 on either side."""
    scan = site.made_by(site.eqn.invars[0])
    if scan is None or scan.primitive.name not in _COMBINE or site.outs[0].dtype != jnp.float32:
        return None
    widened = site.made_by(scan.invars[0])
    if (
        site.ins[0].dtype != jnp.float64
        or widened is None
        or widened.primitive.name != "convert_element_type"
    ):
        return None
    source = widened.invars[0]
    if source.aval.dtype != jnp.float32:
        return None
    name, p = scan.primitive.name, scan.params
    run = _scanned(name, p["axis"], p["reverse"], source.aval, np.dtype(np.float64))
    return None if run is None else site.reading(run, source)
