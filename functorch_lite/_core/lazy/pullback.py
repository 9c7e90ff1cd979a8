"""Pullbacks: the gradients of a function on arrays, which of its inputs they read, and the jaxpr that reads no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr

from ..jaxprs.walk import called, inlined, live, needed
from .reach import CLAIMS

__all__ = ["of_some_inputs", "pulled", "read_by", "used_inputs"]


def pulled(
    run: Callable[..., Sequence],
    wanted: Sequence[int],
    given: Sequence[int],
    inputs: Sequence,
    cotangents: Sequence,
) -> list:
    """Returns the gradients of a function with respect to the inputs in `wanted`, given the cotangents of the results
    in `given`.

    The other results are not differentiated. With zero cotangents for them the gradient would be 0 * inf = nan where
    their derivative does not exist, such as that of singular vectors where singular values are equal."""

    def restricted(*chosen):
        full = list(inputs)
        for d, x in zip(wanted, chosen):
            full[d] = x
        made = run(*full)
        return [made[o] for o in given]

    _, pull = jax.vjp(restricted, *[inputs[d] for d in wanted])
    return [_conj(g) for g in pull(list(map(_conj, cotangents)))]


def read_by(derivative: ClosedJaxpr, inputs: int, wanted: Sequence[int]) -> list[int]:
    """Tells which of the first inputs of a derivative it reads. Inputs that a formula only claims to read (`reads`) are
    left out, unless they are differentiated by."""
    traced = derivative.jaxpr
    used, claimed = used_inputs(traced, claims=False), used_inputs(traced)
    return [d for d in range(inputs) if used[d] or (claimed[d] and d in wanted)]


def used_inputs(jaxpr, outs: list[bool] | None = None, claims: bool = True) -> list[bool]:
    """Tells which inputs of a jaxpr the results marked in `outs` (by default all) depend on, looking into nested calls.
    claims: whether to count `reads`, which computes nothing from them."""

    def rule(eqn: Any, wanted: list[bool]) -> list[bool] | None:
        if (call := called(eqn, ruled=False, again=False)) is not None:
            return needed(call, wanted, rule)
        if not claims and eqn.primitive in CLAIMS:
            return [at < CLAIMS[eqn.primitive] for at in range(len(eqn.invars))]
        return None

    return needed(jaxpr, outs or None, rule)


def of_some_inputs(closed: ClosedJaxpr, kept: Sequence[int]) -> ClosedJaxpr | None:
    """A jaxpr as a function of these inputs, without the equations that no result depends on; None where it reads
    others too, or gives numbers of no dtype of their own. Calls that read something for nothing are written out."""

    def reads_others(of: ClosedJaxpr) -> bool:
        return any(reads and at not in kept for at, reads in enumerate(needed(of)))

    def wasteful(eqn: Any) -> Any:
        call = called(eqn, ruled=False, again=False)
        return None if call is None or all(used_inputs(call)) else call

    if reads_others(closed):
        closed = inlined(closed, wasteful)
        if reads_others(closed):
            return None
    jaxpr = live(closed).jaxpr
    if any(getattr(v.aval, "weak_type", False) for v in jaxpr.outvars):
        return None
    names = jaxpr.debug_info.with_unknown_names()
    return ClosedJaxpr(jaxpr.replace(invars=[jaxpr.invars[d] for d in kept], debug_info=names), closed.consts)


def _conj(x):
    # torch's gradient of a real loss is the conjugate of jax's for complex inputs: this is the one border.
    return jnp.conj(x) if jnp.iscomplexobj(x) else x
