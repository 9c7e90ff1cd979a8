"""Derivatives that read an op's result, where the op's own read its input: then the input need not be kept.

The result can be computed from the input, so a plan that would keep the input still can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ..._core.api import FOREVER, reads

__all__ = ["BY_RESULT", "run_by_result"]


def _relu(out: Any, t: Any, static: Sequence) -> Any:
    return reads(jnp.where(out <= 0, jnp.zeros((), t.dtype), t), out, order=0, then=FOREVER)


def _softmax(out: Any, t: Any, static: Sequence) -> Any:
    dim = static[0]
    return out * (t - jnp.sum(out * t, axis=dim, keepdims=True))


BY_RESULT: dict[str, Callable] = {
    "relu": _relu,
    "nn.functional.relu": _relu,
    "nn.functional.softmax": _softmax,
    "softmax": _softmax,
}
"""Tangents by op: that of its result from (result, tangent of the input, static arguments)."""


def run_by_result(step: Any, slots: dict[int, Any], inputs: Sequence[Any]) -> bool:
    """Runs a recorded step whose derivative can be had from its result, adding that to `slots`; whether it is such a
    step."""
    rule = BY_RESULT.get(getattr(step.op, "name", ""))
    if rule is None or len(step.refs) != 1 or step.n_out != 1 or step.stop:
        return False
    ref, out_aval = step.refs[0], step.avals[0]
    x = slots[ref] if ref >= 0 else inputs[-1 - ref]
    wide = jnp.issubdtype(x.dtype, jnp.floating) and x.dtype.itemsize >= 4
    if not wide or x.dtype != out_aval.dtype.np or not x.shape:
        return False

    @jax.custom_jvp
    def run(x):
        return step.applied.run(x)[0]

    @run.defjvp
    def _(primals, tangents):
        out = run(*primals)
        return out, rule(out, *tangents, step.static)

    slots[step.base] = run(x)
    return True
