"""The table of lowerings: which equations of a program for a CPU are computed in another way, and when.

A lowering is looked for after everything is differentiated and batched, in the jaxpr that is about to be compiled, so
it needs no derivative and no rule of vmap. It must give what the equation gives, within the rounding that PyTorch's own
kernels differ by; nan, infinities, signed zeros and ties as PyTorch's.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ...jaxprs.primitives import PRIMITIVES, Rules

__all__ = ["MENDED", "TABLE", "Reading", "Site", "lowers", "mends", "switch"]

Lowering = Callable[..., Any]

TABLE = Rules("lowerings for CPU", "how a program for a CPU computes it", lambda p: "by kind: as XLA does")
"""By primitive: what is asked for a lowering, in order."""

MENDED = Rules(
    "mends for CPU", "how a program for a CPU computes what XLA gets wrong", lambda p: "by kind: as XLA does"
)
"""By primitive: the same, of what XLA computes wrongly; no switch turns these off."""

switch = {"on": os.environ.get("FUNCTORCH_LITE_CPU_LOWERINGS", "1") != "0"}
"""Whether programs are lowered by the table (`debug.cpu_lowerings`)."""


class Reading(NamedTuple):
    """A lowering that is a function of other variables than the equation's operands: of what these are made of."""

    run: Lowering
    variables: tuple[Any, ...]


class Site(NamedTuple):
    """An equation in its jaxpr.

    `made_by`: the equation of the same jaxpr that makes a variable, or None (of an argument or a constant);
    `made_by.read_by`: those that read it, and None if it is a result."""

    eqn: Any
    made_by: Any

    @property
    def params(self) -> dict[str, Any]:
        """The equation's parameters."""
        return self.eqn.params

    @property
    def ins(self) -> Sequence[Any]:
        """Shapes and dtypes of the operands."""
        return [v.aval for v in self.eqn.invars]

    @property
    def outs(self) -> Sequence[Any]:
        """Shapes and dtypes of the results."""
        return [v.aval for v in self.eqn.outvars]

    @staticmethod
    def reading(run: Lowering, *variables: Any) -> Reading:
        """A lowering that reads these variables, which equations before this one read, too."""
        return Reading(run, variables)


def lowers(*primitives: str) -> Callable[[Callable[[Site], Lowering | Reading | None]], Callable]:
    """Registers a lowering of primitives: a function of a Site that gives a function of the equation's operands, or
    None where XLA's own way is as fast. What it gives returns the equation's result, or a sequence of them where there
    are several."""
    return _registers(TABLE, primitives)


def mends(*primitives: str) -> Callable[[Callable[[Site], Lowering | Reading | None]], Callable]:
    """The same for what XLA's own way gets wrong."""
    return _registers(MENDED, primitives)


def _registers(table: Any, primitives: Sequence[str]) -> Callable:
    def register(choose: Callable[[Site], Lowering | Reading | None]) -> Callable:
        for name in primitives:
            table.setdefault(PRIMITIVES[name].name, []).append(choose)
        return choose

    return register
