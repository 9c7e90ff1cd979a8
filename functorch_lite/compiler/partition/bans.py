"""Rules of the steps that the fastest plan does not run again, setting by setting."""

from __future__ import annotations

from dataclasses import dataclass

from .program import INPUT, OTHER, POINTWISE, PRODUCT, RANDOM, REDUCTION, VIEW, Program
from .settings import settings

__all__ = ["FAR", "LONG", "Rules", "banned", "rules"]

FAR = 32
"""A value is used far apart if this many steps of the forward lie between two that read it."""
LONG = 200
"""Limit of the steps of a chain that runs again."""

_MATERIALIZING = (PRODUCT, OTHER)
"""Kinds of steps that read their operands from memory: nothing is fused into them."""


@dataclass(frozen=True)
class Rules:
    """Switches of the rules that forbid to run a step again that could be.

    far_apart     pointwise values that the forward reads early and late: computed again, they would keep what they are
                  made of until then
    long_chains   one step in each `LONG` of a chain of pointwise steps, so that no chain that runs again is longer
    materialized  pointwise values that a product of the backward reads from memory: computed again, they are written
                  again
    allowlist     all but pointwise steps, views and reductions; without it all but products and draws may run again
    reductions    reductions: their results are small
    views         views, never kept: what they are views of is
    free_parameters  parameters count nothing in a cut, since they are there anyway
    """

    far_apart: bool = True
    long_chains: bool = True
    materialized: bool = True
    allowlist: bool = True
    reductions: bool = True
    recompute_views: bool = False
    free_parameters: bool = True

    def without_locality(self) -> Rules:
        """Returns these rules without the ones that keep values for the sake of memory traffic."""
        return Rules(
            False, False, False, self.allowlist, self.reductions, self.recompute_views, self.free_parameters
        )

    def without_allowlist(self) -> Rules:
        """Returns these rules with all steps allowed that may run again at budget 1 at all."""
        return Rules(False, False, False, False, False, self.recompute_views, self.free_parameters)


def rules() -> Rules:
    """The settings that say what does not run again."""
    all_but_reductions = not settings.aggressive_recomputation
    return Rules(
        far_apart=settings.ban_recompute_used_far_apart and all_but_reductions,
        long_chains=settings.ban_recompute_long_fusible_chains and all_but_reductions,
        materialized=settings.ban_recompute_materialized_backward and all_but_reductions,
        allowlist=settings.ban_recompute_not_in_allowlist and all_but_reductions,
        reductions=settings.ban_recompute_reductions,
        recompute_views=settings.recompute_views,
        free_parameters=settings.treat_parameters_as_free_to_save,
    )


def banned(program: Program, rules: Rules) -> set[int]:
    """The numbers of the savable steps that are not to run again."""
    found: set[int] = set()
    kinds = {PRODUCT, RANDOM}
    if rules.allowlist:
        kinds.add(OTHER)
    if rules.reductions:
        kinds.add(REDUCTION)
    steps = program.steps
    for i in program.before:
        s = steps[i]
        if s.kind in kinds or (s.kind == POINTWISE and _is_kept(program, i, rules)):
            found.add(i)
    if rules.long_chains:
        found |= _links(program, found)
    return {i for i in found if steps[i].savable and steps[i].kind != INPUT}


def _is_kept(program: Program, i: int, rules: Rules) -> bool:
    return (rules.far_apart and _is_used_far_apart(program, i)) or (
        rules.materialized and _is_materialized(program, i)
    )


def _is_used_far_apart(program: Program, i: int) -> bool:
    at = [r for r in _through_views(program, i) if not program.steps[r].backward]
    return len(at) > 1 and max(at) - min(at) > FAR


def _is_materialized(program: Program, i: int) -> bool:
    steps = program.steps
    return any(steps[r].backward and steps[r].kind in _MATERIALIZING for r in _through_views(program, i))


def _through_views(program: Program, i: int) -> set[int]:
    """Finds the steps that read a value, or a view of it."""
    found: set[int] = set()
    left = [i]
    while left:
        for r in program.readers[left.pop()]:
            if r not in found:
                found.add(r)
                if program.steps[r].kind == VIEW:
                    left.append(r)
    return found


def _links(program: Program, others: set[int]) -> set[int]:
    """Finds one step in each LONG of chains of what may run again."""
    depth: dict[int, int] = {}
    found = set()
    for i in sorted(program.before):
        s = program.steps[i]
        if s.kind == INPUT or i in others:
            depth[i] = 0
            continue
        depth[i] = max((depth.get(r, 0) for r in s.reads), default=0) + (s.kind != VIEW)
        if depth[i] > LONG and s.kind == POINTWISE and s.savable:
            found.add(i)
            depth[i] = 0
    return found
