"""Steps of a program kept apart that XLA would compute as one, where the one rounds or overflows otherwise than the two.

XLA's algebraic simplifier takes floats for real numbers in places: it makes x of log(exp(x)), and of (x * a) * b a product with a * b,
which may be infinite and then makes 0 nan. In PyTorch each op has a result of its own. Which ops are concerned, the ops say (ops/merged.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from .recorder import TrieNode
from .value import Aval

__all__ = ["MERGED", "Step", "Steps"]


class Step(NamedTuple):
    """A step, and the slots that it reads; negative numbers are what comes from outside."""

    node: TrieNode
    refs: Sequence[int]


MERGED: dict[str, dict[str, Callable[[Steps, Step, int], bool]]] = {}
"""By op: the ops whose results it is kept apart from, and whether so in (the steps before, this step, the place of its operand)."""


class Steps:
    """The steps of a program so far that others may be merged with."""

    __slots__ = ("_makers",)

    def __init__(self):
        self._makers: dict[int, Step] = {}

    def arguments(self, node: TrieNode, refs: Sequence[int], args: list) -> list:
        """`args` as the step at `node` shall read them."""
        merged = MERGED.get(getattr(node.op, "name", ""))
        if merged is not None:
            step = Step(node, refs)
            for k, r in enumerate(refs):
                maker = self.maker(r)
                test = None if maker is None else merged.get(maker.node.op.name)
                if test is not None and test(self, step, k):
                    args[k] = _apart(args[k])
        return args

    def done(self, node: TrieNode, refs: Sequence[int], slot: int) -> None:
        """Notes a step, whose first result is at `slot`."""
        if not refs or any(getattr(node.op, "name", "") in firsts for firsts in MERGED.values()):
            self._makers[slot] = Step(node, refs)

    def maker(self, slot: int) -> Step | None:
        """The step that made what is at a slot."""
        return self._makers.get(slot)

    def reads_one_number(self, step: Step) -> bool:
        """Whether an operand is one number for all elements, or known when the program is compiled (`torch.ones`)."""
        node, refs = step
        if any(type(i) is tuple for i in node.applied.inputs):
            return True
        makers = [self.maker(r) for r in refs]
        if any(m is not None and not m.refs for m in makers):
            return True
        return bool(node.avals[0].shape) and any(type(i) is Aval and not i.shape for i in node.applied.inputs)


@jax.custom_jvp
def _apart(x: Any) -> jax.Array:
    """x, which XLA does not know to be x."""
    return jnp.where(x == x, x, jnp.nan) if jnp.issubdtype(x.dtype, jnp.floating) else x


_apart.defjvp(lambda primals, tangents: (_apart(*primals), *tangents))
