"""Choice of values to keep: a minimum cut at budget 1, nothing at 0, between the least that runs again and fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .bans import Rules, banned
from .cuts import Cuts, minimum_cut
from .knapsack import dp
from .program import INPUT, POINTWISE, VIEW, Plan, Program, plan_of

__all__ = ["Pareto", "check_budget", "choose", "default_plan", "fastest", "pareto"]

_ROUNDS = 8
_TURNS = 24


def check_budget(budget: Any) -> float:
    """The budget, if it is one: a number from 0 to 1."""
    if isinstance(budget, bool) or not isinstance(budget, int | float) or not 0 <= budget <= 1:
        raise RuntimeError(
            f"The valid ranges for memory budget are 0 <= m <= 1. The provided value is {budget}"
        )
    return float(budget)


def default_plan(program: Program) -> Plan:
    """The backward is given all that it reads, and nothing runs again. A value that cannot be saved is computed from
    values that can."""
    steps = program.steps
    kept = {i for i in program.required if steps[i].savable and steps[i].must != "recompute"}
    plan = plan_of(program, kept)
    while plan.again and (more := {i for i in plan.again if steps[i].savable and steps[i].cost > 0} - kept):
        kept |= more
        plan = plan_of(program, kept)
    return plan


def _chosen_by_users(program: Program) -> tuple[set[int], set[int]]:
    """Returns the values that users marked as preferably saved, and the values that they marked to run again."""
    prefer = [(i, s.must or s.prefer) for i, s in enumerate(program.steps)]
    return {i for i, p in prefer if p == "save"}, {i for i, p in prefer if p == "recompute"}


def fastest(program: Program, rules: Rules) -> Plan:
    """The plan of budget 1.

    Results of the forward are written in any case: the backward reads them where that reads less than computing them
    again."""
    keep, again = _chosen_by_users(program)
    inside = program.before
    kept = ((banned(program, rules) | keep) - again) & inside
    free = (
        [i for i in program.results if i in inside and _reads_more(program, i, kept)]
        if rules.materialized
        else ()
    )
    return minimum_cut(program, kept, rules, free=free, never=again)


def _reads_more(program: Program, i: int, kept: set[int]) -> bool:
    """Returns whether computing a value again reads more bytes than it has: it is computed of what is kept and of inputs."""
    steps = program.steps
    border = {j for j in program.before if j in kept or steps[j].kind == INPUT} - {i}
    read = program.ancestors([i], border) & border
    return sum(steps[j].size for j in read) > steps[i].size and steps[i].savable


def choose(program: Program, budget: float = 1.0, rules: Rules | None = None, solver: Callable = dp) -> Plan:
    """Chooses what a program keeps for its backward at a budget from 0 to 1.

    0 keeps the inputs alone, 1 is the fastest plan. Between, with I the bytes of all inputs and F of what the fastest
    plan keeps, inputs included, a plan that keeps V bytes fits when V - I <= budget * (F - I). solver: of knapsacks,
    see `knapsack`.
    """
    budget, rules = check_budget(budget), rules or Rules()
    first = fastest(program, rules)
    if budget == 1:
        return first
    if budget == 0:
        return _nothing_kept(program, rules)
    room = program.input_bytes + budget * (first.total_bytes - program.input_bytes)
    for fewer in (rules, rules.without_locality(), rules.without_allowlist()):
        plan = first if fewer is rules else fastest(program, fewer)
        if plan.total_bytes <= room:
            return plan
    return _by_knapsack(program, room, rules, solver)


def _nothing_kept(program: Program, rules: Rules) -> Plan:
    must = {i for i, s in enumerate(program.steps) if s.must == "save"} & program.before
    return minimum_cut(program, must, rules) if must else plan_of(program, ())


def _worth(program: Program, i: int) -> float:
    """Returns the cost that saving a value avoids: its own, and a share of the cost of a step that has several
    results."""
    s = program.steps[i]
    found = s.cost
    for r in s.reads:
        if not program.steps[r].savable and program.steps[r].kind not in (INPUT, VIEW, POINTWISE):
            found += program.steps[r].cost / max(len(program.readers[r]), 1)
    return found


def _by_knapsack(program: Program, room: float, rules: Rules, solver: Callable) -> Plan:
    """The best of two searches: knapsacks over what is costly, each followed by a cut that finds smaller values for the
    chosen; and cuts in which running again counts as bytes, for the highest count that fits."""
    least = _nothing_kept(program, rules)
    best = least
    kept: set[int] = set(least.saved)
    for _ in range(_ROUNDS):
        left = room - best.total_bytes
        items = [
            i for i in best.again
            if program.steps[i].savable and program.steps[i].must is None and _is_item(program, i)
            and 0 < program.steps[i].size <= left
        ]  # fmt: skip
        if not items:
            break
        sizes = [float(program.steps[i].size) for i in items]
        _, chosen, _ = solver(sizes, [_worth(program, i) for i in items], left)
        if not chosen:
            break
        more = kept | {items[k] for k in chosen}
        plan = minimum_cut(program, more, rules.without_allowlist())
        if plan.total_bytes > room:
            plan = plan_of(program, more)
        if plan.total_bytes > room or plan.cost >= best.cost:
            break
        best, kept = plan, set(plan.saved)
    other = _by_prices(program, room, rules)
    if other is not None and (other.cost, other.total_bytes) < (best.cost * (1 - 1e-9), best.total_bytes):
        best = other
    return best


def _is_item(program: Program, i: int) -> bool:
    return program.steps[i].kind not in (POINTWISE, VIEW, INPUT)


def _by_prices(program: Program, room: float, rules: Rules) -> Plan | None:
    """The cut that fits, among the ones in which running again counts as bytes, with the highest count.

    Of two cuts, one of which fits, the count is tried at which they are as good as each other: there another may be
    better than both, and if none is, there is none between them. While none fits, by halving.
    """
    costs = [program.steps[i].cost for i in program.before if program.steps[i].cost > 0]
    sizes = sum(program.steps[i].size for i in program.before)
    if not costs or not sizes:
        return None
    must = {i for i in program.before if program.steps[i].must == "save"}
    low, high = 0.0, sizes / min(costs)
    least = sizes / sum(costs) * 1e-6
    cuts = Cuts(program, must, rules.without_allowlist())
    below, above = cuts.at(low), cuts.flowing().at(high)
    if above.plan.total_bytes <= room:
        return above.plan
    best = below.plan if below.plan.total_bytes <= room else None
    for _ in range(_TURNS):
        price = (max(low, least) * high) ** 0.5
        if best is not None and below.cost > above.cost:
            price = (above.bytes - below.bytes) / (below.cost - above.cost)
        if not low < price < high:
            break
        tried = cuts.flowing()
        cut = tried.at(price)
        if best is not None and cut.plan.saved in (below.plan.saved, above.plan.saved):
            break
        if cut.plan.total_bytes > room:
            high, above = price, cut
            continue
        low, cuts, below = price, tried, cut
        if best is None or cut.plan.cost < best.cost:
            best = cut.plan
    return best


@dataclass(frozen=True)
class Pareto:
    """Plans of a program at several budgets: what each keeps, and what runs again."""

    budgets: tuple[float, ...]
    plans: tuple[Plan, ...]


def pareto(program: Program, rules: Rules | None = None, solver: Callable = dp, points: int = 21) -> Pareto:
    """The plans at `points` budgets from 0 to 1."""
    budgets = tuple([k / (points - 1) for k in range(points)])
    return Pareto(budgets, tuple([choose(program, b, rules, solver) for b in budgets]))
