"""Jaxprs evaluated at padded lengths, equation by equation, with what counts computed as it would be without padding.

A rule is a function of the arrays: `@rule("transpose")` registers one, which is given the Evaluation, the equation, and
its operands as Padded, and gives its results. What has no rule is evaluated as it is where nothing of it is padded;
else `NoRule` says what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from ...jaxprs.primitives import Rules, row
from ...lazy.bounds import STATEMENTS, Seen, says_anything
from ..threefry import BITS
from .axes import Dim, Lengths, NoRule, Padded, plain, product
from .signatures import Constant, Equation, Inner, Shaped, Variable

__all__ = ["NAMED", "RULES", "Differing", "Evaluation", "is_fixed", "rule"]

Rule = Callable[..., "Padded | Sequence[Padded]"]

RULES: Rules = Rules(
    "buckets", "what it computes at padded lengths", lambda p: "refused: where something of it is padded"
)
rule = RULES.rule

NAMED: dict[str, Rule] = {}
"""Rules for calls of functions of the library's own (`jax.jit`), by the functions' names."""


class Differing(NamedTuple):
    """A constant that is another one in each recording, by number: it is an input of the program."""

    number: str


def _parts(tree: Any) -> Iterator[Any]:
    """Yields what differs from recording to recording in a parameter, a jaxpr or an equation."""
    if isinstance(tree, Dim | Differing):
        yield tree
    elif isinstance(tree, tuple):
        for part in tree:
            yield from _parts(part)


def is_fixed(tree: Any) -> bool:
    """Returns whether nothing in it differs from recording to recording."""
    return next(_parts(tree), None) is None


class Evaluation:
    """An evaluation of jaxprs at some lengths. differing: the constants that differ; seen: looks at bounds."""

    def __init__(self, lengths: Lengths, differing: Mapping[str, Padded], seen: Seen | None = None):
        self.lengths = lengths
        self.seen = seen
        self._differing = differing

    def run(self, inner: Inner, arguments: Sequence[Padded]) -> list[Padded]:
        """The results of a jaxpr. Raises NoRule."""
        known = [*arguments, *[self._constant(c) for c in inner.constants]]
        read = lambda v: known[int(v.number)] if isinstance(v, Variable) else self._constant(v)  # noqa: E731
        for eqn in inner.equations:
            known.extend(self._equation(eqn, [read(v) for v in eqn.ins]))
        return [read(v) for v in inner.results]

    def _equation(self, eqn: Equation, ins: list[Padded]) -> list[Padded]:
        if eqn.params and eqn.params[0][0] == row(eqn.name).call:
            return self._called(eqn, ins)
        fn = RULES.get(eqn.name)
        if eqn.params == (("name", BITS),):
            fn = NAMED[BITS]
        says = self.seen is not None and eqn.name not in STATEMENTS and says_anything(eqn.raw)
        if says:
            raise NoRule(f"{eqn.name} with an index in it")
        if eqn.name not in STATEMENTS and is_fixed((eqn.params, eqn.outs)) and all(x.is_plain for x in ins):
            made = self.bind(eqn, [x.array for x in ins])
            return [Padded(a, tuple(map(plain, a.shape))) for a in made]
        if fn is None:
            raise NoRule(eqn.name)
        if eqn.name != "scan" and any(isinstance(part, Differing) for part in _parts(eqn.params)):
            raise NoRule(f"{eqn.name} whose parameters differ")
        made = fn(self, eqn, *ins)
        outs = [made] if isinstance(made, Padded) else list(made)
        for x, told in zip(outs, eqn.outs, strict=True):
            self._check(eqn, x, told)
        return outs

    def _called(self, eqn: Equation, ins: list[Padded]) -> list[Padded]:
        """The results of a call. What a checkpoint computes a second time was looked at before."""
        seen = self.seen
        if eqn.raw.params.get("differentiated"):
            self.seen = None
        outs = self.run(eqn.params[0][1], ins)
        self.seen = seen
        return outs

    def bind(self, eqn: Equation, arrays: Sequence[Any], **changed: Any) -> list[Any]:
        """Returns the primitive's results for arrays, with some parameters changed; those that differ must be."""
        for name, value in eqn.params:
            if name not in changed and not is_fixed(value):
                raise NoRule(f"{eqn.name} whose {name} differs")
        made = eqn.raw.primitive.bind(*arrays, **{**eqn.raw.params, **changed})
        return list(made) if eqn.raw.primitive.multiple_results else [made]

    def _check(self, eqn: Equation, x: Padded, told: Shaped) -> None:
        """Raises NoRule where a result is not what the jaxpr says (which is a mistake of the rule's)."""
        sizes = tuple([product(a.factors) for a in x.axes])
        if sizes != told.shape or x.array.shape != self.lengths.shape(x.axes) or x.array.dtype != told.dtype:
            raise NoRule(f"{eqn.name} of {x.array.dtype}{list(map(str, told.shape))}")

    def _constant(self, c: Constant) -> Padded:
        if isinstance(c.value, Differing):
            given = self._differing[c.value.number]
            return Padded(jnp.asarray(given.array, c.aval.dtype), given.axes)
        if not is_fixed(c.aval):
            raise NoRule("a constant whose size differs")
        return Padded(jnp.asarray(np.asarray(c.value, c.aval.dtype)), tuple(map(plain, c.aval.shape)))
