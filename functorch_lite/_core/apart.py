"""Steps of a program kept apart that XLA would compute as one, where the one rounds or overflows otherwise than the two.

XLA's algebraic simplifier takes floats for real numbers in places: it makes x of log(exp(x)), and of (x * a) * b a product with a * b,
which may be infinite and then makes 0 nan. In PyTorch each op has a result of its own. Which ops are concerned, the ops say (ops/merged.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import Literal

from .recorder import TrieNode
from .value import Aval

__all__ = ["MERGED", "Step", "Steps"]


class Step(NamedTuple):
    """A step, and the slots that it reads; negative numbers are what comes from outside."""

    node: TrieNode
    refs: Sequence[int]

    @property
    def name(self) -> str:
        """Of its op."""
        return getattr(self.node.op, "name", "")


MERGED: dict[str, dict[str, Callable[[Steps, Step, int], bool]]] = {}
"""By op: the ops whose results it is kept apart from, and whether so in (the steps before, this step, the place of its operand)."""


class Steps:
    """The steps of a program so far."""

    __slots__ = ("_makers",)

    def __init__(self):
        self._makers: dict[int, Step] = {}

    def arguments(self, node: TrieNode, refs: Sequence[int], slot: int, args: list) -> list:
        """`args` as the step at `node` shall read them. The step is noted: its first result will be at `slot`."""
        step = Step(node, refs)
        merged = MERGED.get(step.name)
        if merged is not None:
            for k, r in enumerate(refs):
                maker = self._makers.get(r)
                test = None if maker is None else merged.get(maker.name)
                if test is not None and test(self, step, k):
                    args[k] = _apart(args[k])
        self._makers[slot] = step
        return args

    def maker(self, slot: int) -> Step | None:
        """The step whose first result is at a slot."""
        return self._makers.get(slot)

    def reads_one_number(self, step: Step) -> bool:
        """Whether an operand is one number for all elements, or known when the program is compiled (`torch.ones`)."""
        applied = step.node.applied
        makers = [self._makers.get(r) for r in step.refs]
        return (
            any(type(i) is tuple for i in applied.inputs)
            or any(m is not None and not m.refs for m in makers)
            or any(type(v) is Literal for e in applied.jaxpr.eqns for v in e.invars)
            or (bool(applied.avals[0].shape) and any(type(i) is Aval and not i.shape for i in applied.inputs))
        )


@jax.custom_jvp
def _apart(x: Any) -> jax.Array:
    """x, which XLA does not know to be x."""
    return jnp.where(x == x, x, jnp.nan) if jnp.issubdtype(x.dtype, jnp.floating) else x


_apart.defjvp(lambda primals, tangents: (_apart(*primals), *tangents))
