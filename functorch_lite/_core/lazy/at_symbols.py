"""Ops traced at symbolic sizes, and what is looked at before such a trace is believed.

JAX says what it cannot decide of sizes that are compared by `<` and the like: that is taken as it is at the sizes at hand, and kept with the pattern. Of `==` it
says nothing, and takes symbols for unequal, to each other and to numbers. So the trace has to be what is traced at the sizes at hand, and at others of another parity;
and whether symbols may be equal is found out by tracing where they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

from jax.extend.core import InconclusiveDimensionOperation

from ..jaxprs.sizes import simplified
from .sized import Pattern, Sized, at_sizes, symbols

__all__ = ["that_may_coincide", "traced_at_symbols"]

MOST_DECIDED = 8
"""Comparisons up to which an op is traced anew."""
MOST_TO_COINCIDE = 3
"""Symbols of an op up to which it is looked at whether equal ones make a difference."""


def traced_at_symbols(of: Any, pattern: Pattern, sizes: tuple[int, ...]) -> tuple[Pattern, Sized] | None:
    """What an Applied of some sizes is at the symbols of a pattern, or of a part of it. None where JAX does not trace it there, or traces something else."""
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
    others = next((o for by in (1, 3, 5) if pattern.admits(o := tuple([n + by for n in at]))), None)
    if others is not None and not sized.is_at(others, make(*sized.op_at(others)).jaxpr):
        return None
    pairs = itertools.combinations(range(len(at)), 2) if len(at) <= MOST_TO_COINCIDE else ()
    is_same = lambda equal, op: sized.is_at(equal, op.jaxpr)  # noqa: E731
    pattern.coincide = sized.coincide = that_may_coincide(make, sized, at, pairs, is_same)
    return pattern, sized


def that_may_coincide(
    make: Callable[..., Any], of: Sized, at: tuple[int, ...], pairs: Iterable[tuple[int, int]],
    is_same: Callable[[tuple[int, ...], Any], bool],
) -> set[tuple[int, int]]:  # fmt: skip
    """Of these pairs of an op's symbols those that may be equal. is_same(sizes, the Applied there): whether what is told is what is traced."""
    found = set()
    for i, j in pairs:
        equal = tuple([at[i] if k == j else n for k, n in enumerate(at)])
        try:
            if is_same(equal, make(*of.op_at(equal))):  # type: ignore[misc]
                found.add((i, j))
        except RecursionError:
            raise
        except Exception:  # there is no such op, or no such derivative
            continue
    return found
