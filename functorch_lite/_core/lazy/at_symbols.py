"""Ops traced at symbolic sizes, and what is looked at before such a trace is believed.

JAX says what it cannot decide of sizes that are compared by `<` and the like: that is taken as it is at the sizes at
hand, and kept with the pattern. Of `==` it says nothing, and takes symbols for unequal, to each other and to numbers.
So the trace has to be what is traced at the sizes at hand, and at others of another parity; and whether symbols may be
small, or equal, to each other or to numbers, is found out by tracing where they are, when it comes to that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jax.extend.core import InconclusiveDimensionOperation

from ..jaxprs.sizes import simplified
from .sized import Pattern, Sized, at_sizes, symbols

__all__ = ["traced_at_symbols", "where_equal"]

MOST_DECIDED = 8
"""Comparisons up to which an op is traced anew."""


def traced_at_symbols(of: Any, pattern: Pattern, sizes: tuple[int, ...]) -> tuple[Pattern, Sized] | None:
    """Traces an Applied of some sizes at the symbols of a pattern, or of a narrower one. None where JAX does not trace
    it there, or traces something else."""
    at = pattern.match(sizes)
    for _ in range(MOST_DECIDED if at is not None else 0):
        try:
            return _traced(of, pattern, at)  # type: ignore[arg-type]
        except RecursionError:
            raise
        except InconclusiveDimensionOperation as undecided:
            narrower = pattern.decided(undecided, at)  # type: ignore[arg-type]
            if narrower is None:
                return None
            pattern = narrower
        except Exception:  # of whatever kind: it is traced at each size then
            return None
    return None


def _traced(of: Any, pattern: Pattern, at: tuple[int, ...]) -> tuple[Pattern, Sized] | None:
    sized = Sized(simplified(of.traced_of(*symbols(pattern, of.static, of.inputs))), pattern.names, of.single)
    op, args, make = of.op, (of.static, of.inputs), type(of)
    sized.op_at = lambda at: (op, *at_sizes(pattern, at, *args))
    if not sized.agrees(at, of.jaxpr):
        return None
    further = [tuple([n + by for n in at]) for by in (1, 3, 5)]
    others = next((o for o in further if pattern.admits(o) and pattern.are_apart(o)), None)
    if others is not None and not sized.is_at(others, make(*sized.op_at(others)).jaxpr):
        return None
    sized.apart = pattern.apart
    sized.holds_where_equal = where_equal(make, sized, at, lambda equal, op: sized.is_at(equal, op.jaxpr))
    return pattern, sized


def where_equal(
    make: Callable[..., Any], of: Sized, at: tuple[int, ...], is_same: Callable[[tuple[int, ...], Any], bool]
) -> Callable[[tuple[tuple[int, int], ...]], bool]:
    """Gives `Sized.holds_where_equal` of an op that was traced at sizes `at`, or of its derivative. is_same(sizes, the
    Applied there): whether what is told is what is traced."""

    def holds(pairs: tuple[tuple[int, int], ...]) -> bool:
        equal = list(at)
        for i, j in pairs:
            if j >= len(at):
                equal[i] = of.apart[j - len(at)]
        for i, j in pairs:
            if j < len(at):
                equal[j] = equal[i]
        try:
            return is_same(tuple(equal), make(*of.op_at(tuple(equal))))  # type: ignore[misc]
        except RecursionError:
            raise
        except Exception:  # there is no such op, or no such derivative
            return False

    return holds
