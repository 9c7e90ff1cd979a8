"""Truth as numbers: 1 and 0 that a product has as factors."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .table import Lowering, Site, mends

__all__: list[str] = []


@mends("convert_element_type")
def _chosen(site: Site) -> Lowering | None:
    """By selection: XLA takes the product of a conversion and y for select(x, y, 0), without the nan of 0 * inf and
    0 * nan. The ops convert so themselves (`converted`); derivatives of JAX's, as that of `reduce_max` in a row that
    holds nan, do not."""
    dtype = site.outs[0].dtype
    if site.ins[0].dtype != np.bool_ or not jnp.issubdtype(dtype, jnp.inexact):
        return None

    def run(x: Any) -> Any:
        return lax.select(x, lax.full_like(x, 1, dtype), lax.full_like(x, 0, dtype))

    return run
