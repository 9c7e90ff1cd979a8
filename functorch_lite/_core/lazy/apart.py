"""Steps of a program kept apart that XLA would compute as one, where the one rounds or overflows otherwise than the
two.

XLA's algebraic simplifier takes floats for real numbers in places: it makes x of log(exp(x)), and of (x * a) * b a
product with a * b, which may be infinite and then makes 0 nan. In PyTorch each op has a result of its own. Which ops
are concerned, the ops say (ops/merged.py).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import Literal

from ..jaxprs.walk import steps
from .trie import TrieNode
from .value import Aval

__all__ = ["ANY", "FOLDED_LATE", "MERGED", "PASSED", "Step", "Steps"]


class Step(NamedTuple):
    """A step, the slots that it reads (negative numbers are what comes from outside), and whether its result is known
    when the program is compiled, as that of `torch.ones` is."""

    node: TrieNode
    refs: Sequence[int]
    constant: bool

    @property
    def name(self) -> str:
        """The name of its op."""
        return getattr(self.node.op, "name", "")


MERGED: dict[str, dict[str, Callable[[Steps, Step, int], bool]]] = {}
"""By op: the ops whose results it is kept apart from (ANY: all), and whether so in (the steps before, this step, the
place of its operand)."""
ANY = "any op"
FOLDED_LATE: set[tuple[str, str]] = set()
"""Pairs of ops, the second a comparison, that GPUs merge although XLA keeps them apart: there the first has a kernel of
its own."""
PASSED: set[str] = set()
"""Ops that are nothing to XLA where they give as many elements as they were given, as views do."""


class Steps:
    """The steps of a program so far."""

    __slots__ = ("_makers",)

    def __init__(self):
        self._makers: dict[int, Step] = {}

    def arguments(self, node: TrieNode, refs: Sequence[int], slot: int, args: list) -> list:
        """`args` as the step at `node` shall read them. The step is noted: its first result will be at `slot`."""
        makers = [self._makers.get(r) for r in refs]
        step = Step(node, refs, all(m is not None and m.constant for m in makers))
        merged = MERGED.get(step.name)
        if merged is not None:
            for k, maker in enumerate(makers):
                test = None if maker is None else merged.get(maker.name) or merged.get(ANY)
                if test is not None and test(self, step, k):
                    args[k] = _computed_before(args[k]) if _folded_late(maker, step) else _apart(args[k])
        passed = len(makers) == 1 and _passes(node)
        self._makers[slot] = makers[0] if passed and makers[0] is not None else step
        return args

    def maker(self, slot: int) -> Step | None:
        """The step that made what is at a slot, whatever views were taken since."""
        return self._makers.get(slot)

    def reads_one_number(self, step: Step) -> bool:
        """Returns whether an operand is one number for all elements, or a constant."""
        applied = step.node.applied
        makers = [self._makers.get(r) for r in step.refs]
        return (
            any(type(i) is tuple for i in applied.inputs)
            or any(m is not None and m.constant for m in makers)
            or any(type(v) is Literal for e in steps(applied.jaxpr) for v in e.invars)
            or (bool(applied.avals[0].shape) and any(type(i) is Aval and not i.shape for i in applied.inputs))
        )


def _passes(node: TrieNode) -> bool:
    """Returns whether the step's result is its one argument, in another shape or order."""
    if not getattr(node.op, "is_view", False) and getattr(node.op, "name", "") not in PASSED:
        return False
    (given,), out = node.applied.in_avals, node.applied.avals[0]
    return math.prod(given.shape) == math.prod(out.shape) and given.dtype is out.dtype


def _folded_late(maker: Step | None, step: Step) -> bool:
    if maker is None or (maker.name, step.name) not in FOLDED_LATE:
        return False
    return step.node.applied.device.type not in ("cpu", "meta")  # the results' avals do not say it


def _computed_before(x: Any) -> jax.Array:
    """x, by a kernel of its own. It is for comparisons, which have no derivative."""
    return jax.lax.optimization_barrier(jax.lax.stop_gradient(x))


@jax.custom_jvp
def _apart(x: Any) -> jax.Array:
    """x, which XLA does not know to be x."""
    return jnp.where(x == x, x, jnp.nan) if jnp.issubdtype(x.dtype, jnp.floating) else x


_apart.defjvp(lambda primals, tangents: (_apart(*primals), *tangents))
