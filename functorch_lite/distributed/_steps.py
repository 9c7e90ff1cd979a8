"""An op computed step by step, where XLA's partitioner needs more information than the shardings of arguments and
results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jax.experimental.layout import Layout as InMemory
from jax.experimental.layout import with_layout_constraint
from jax.extend.core import ClosedJaxpr
from jax.lax import fft_p

from .._core.api import BITS, walk

__all__ = ["computed"]


def computed(closed: ClosedJaxpr, args: Sequence[Any], whole: Callable[[Any], Any]) -> list:
    """The results of a jaxpr, step by step.

    Random bits: every device draws all of them, as XLA would otherwise exchange what it cuts badly. Fourier transforms:
    on CPU XLA's want the last dimension last in memory, also where a collective follows that would have it otherwise.
    whole: puts an array on every device."""

    def on_eqn(eqn: Any, given: list[Any]) -> list[Any] | None:
        call = walk.called(eqn, ruled=False, again=False)
        if call is None and eqn.primitive is not fft_p:
            return None
        outs = walk.bind(eqn, given) if call is None else walk.evaluated(call, given, on_eqn)
        if eqn.params.get("name") == BITS:
            return list(map(whole, outs))
        if call is None:
            return [with_layout_constraint(x, InMemory(tuple(range(x.ndim)))) for x in outs]
        return outs

    return walk.evaluated(closed, args, on_eqn)
