"""The rule for `scan`, over a length or beside it: a turn beyond the length changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from ...jaxprs.walk import scan_counts
from .axes import Axis, Dim, NoRule, Padded, product, whole
from .interpreter import Evaluation, rule
from .signatures import Equation, Inner

__all__: list[str] = []


@rule("scan")
def _scan(to: Evaluation, eqn: Equation, *given: Padded) -> list[Padded]:
    inner, length, back = eqn.param("jaxpr"), eqn.param("length"), eqn.param("reverse")
    n_consts, n_carry = scan_counts(eqn.raw.params)
    if not isinstance(inner, Inner):
        raise NoRule("scan")
    consts = given[:n_consts]
    carried = [to.lengths.whole(x) for x in given[n_consts : n_consts + n_carry]]
    xs = [to.lengths.whole(x) for x in given[n_consts + n_carry :]]
    turns = whole(length)
    if any(x.axes[0] != turns for x in xs):
        raise NoRule("scan of what was flattened")
    axes = [x.axes for x in carried]
    of_results: list[Sequence[Axis]] = []

    def turn(carry: Any, now: Any) -> tuple:
        at, rows = now
        slices = [Padded(row, x.axes[1:]) for row, x in zip(rows, xs)]
        outs = to.run(inner, [*consts, *[Padded(a, x) for a, x in zip(carry, axes)], *slices])
        outs = [to.lengths.whole(x) for x in outs]
        if [x.axes for x in outs[:n_carry]] != axes:
            raise NoRule("scan whose state is padded otherwise after a turn")
        of_results[:] = [x.axes for x in outs[n_carry:]]
        new = [x.array for x in outs[:n_carry]]
        if isinstance(length, Dim):
            counts = at < to.lengths.now(length)
            new = [jnp.where(counts, a, before) for a, before in zip(new, carry)]
        return new, [x.array for x in outs[n_carry:]]

    rows = (jnp.arange(to.lengths.extent(turns)), [x.array for x in xs])
    last, made = jax.lax.scan(turn, [x.array for x in carried], rows, reverse=back)
    results = [Padded(a, (turns, *x)) for a, x in zip(made, of_results)]
    if any(product(r.axes[0].factors) != length for r in results):
        raise NoRule("scan")
    return [*[Padded(a, x) for a, x in zip(last, axes)], *results]
