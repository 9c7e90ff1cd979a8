"""A jaxpr with the equations of the table (`table.py`) computed by their lowerings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, jaxpr_as_fun

from ...jaxprs.walk import calling, rewritten
from . import (  # noqa: F401  (they register their lowerings)
    elementwise,
    extremes,
    parts,
    products,
    scans,
    sorts,
    sums,
    truth,
)
from .table import MENDED, TABLE, Reading, Site, switch

__all__ = ["lowered_jaxpr", "with_lowerings"]


def with_lowerings(traced: Any, how: dict[str, Any]) -> Any:
    """Returns a trace such as `jax.jit(f, **how).trace(…)` gave, with the lowerings for CPU in it; the same object if
    there are none."""
    closed = lowered_jaxpr(traced.jaxpr)
    if closed is traced.jaxpr:
        return traced
    run = jaxpr_as_fun(closed)

    def program(*arrays: Any) -> Sequence[Any]:
        return run(*arrays)

    program.__name__ = traced.fun_name
    return jax.jit(program, **how).trace(
        *[jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in closed.in_avals]
    )


def lowered_jaxpr(closed: ClosedJaxpr) -> ClosedJaxpr:
    """The same computation by the lowerings of the table; the same object if none of them fits."""
    return rewritten(closed, _lowering, makers=True)


def _lowering(eqn: Any, made_by: Callable[[Any], Any]) -> Any:
    name = eqn.primitive.name
    every = (*MENDED.get(name, ()), *(TABLE.get(name, ()) if switch["on"] else ()))
    chosen = (choose(Site(eqn, made_by)) for choose in every)
    found = next((run for run in chosen if run is not None), None)
    return calling(eqn, found.run, found.variables) if isinstance(found, Reading) else found
