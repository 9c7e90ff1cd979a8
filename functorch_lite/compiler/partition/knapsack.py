"""The 0-1 knapsack: which values to keep, so that what need not run again is worth most and what is kept fits.

Every solver takes (sizes, values, capacity) and gives (value of the chosen, numbers of the chosen, numbers of the
others).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

__all__ = ["SOLVERS", "Answer", "dp", "greedy", "ilp", "sliding_hirschberg", "solver_named"]

Answer = tuple[float, list[int], list[int]]
LEVELS = 10_000
"""Number of parts into which dp cuts the capacity; sizes are rounded up to one."""


def _answer(chosen: set[int], values: Sequence[float]) -> Answer:
    kept = sorted(chosen)
    return (
        float(sum(values[i] for i in kept)),
        kept,
        [i for i in range(len(values)) if i not in chosen],
    )


def greedy(sizes: Sequence[float], values: Sequence[float], capacity: float) -> Answer:
    """The most valuable per byte first, as long as it fits.

    >>> greedy([2, 3, 4], [3, 4, 5], 5)
    (7.0, [0, 1], [2])
    """
    order = sorted(range(len(sizes)), key=lambda i: -values[i] / sizes[i] if sizes[i] else -float("inf"))
    chosen, left = set(), capacity
    for i in order:
        if sizes[i] <= left:
            chosen.add(i)
            left -= sizes[i]
    return _answer(chosen, values)


def _levels(sizes: Sequence[float], capacity: float) -> list[int]:
    """Sizes in levels of the capacity, rounded up; what fits exactly fits."""
    return [int(np.ceil(round(s * LEVELS / capacity, 9))) for s in sizes]


def _trivial(sizes: Sequence[float], capacity: float) -> set[int] | None:
    """The trivial choice: the budget has no room, or room for all."""
    if sum(sizes) <= capacity:
        return set(range(len(sizes)))
    return {i for i, s in enumerate(sizes) if s <= 0} if capacity <= 0 else None


def _refined(chosen: set[int], sizes: Sequence[float], values: Sequence[float], capacity: float) -> set[int]:
    """Adds what still fits, as sizes were rounded up."""
    left = capacity - sum(sizes[i] for i in chosen)
    for i in sorted(range(len(sizes)), key=lambda i: -values[i]):
        if i not in chosen and sizes[i] <= left:
            chosen.add(i)
            left -= sizes[i]
    return chosen


def _better(a: set[int], b: set[int], values: Sequence[float]) -> set[int]:
    return a if sum(values[i] for i in a) >= sum(values[i] for i in b) else b


def _at_least_greedy(
    chosen: set[int], sizes: Sequence[float], values: Sequence[float], capacity: float
) -> Answer:
    """Sizes that were rounded up can lose to sizes that were not: the better of the two."""
    found = _refined(chosen, sizes, values, capacity)
    return _answer(_better(found, set(greedy(sizes, values, capacity)[1]), values), values)


def _table_row(best: np.ndarray, size: int, value: float) -> tuple[np.ndarray, np.ndarray]:
    """The best values by level when one more may be chosen, and at which levels it is."""
    taken = np.full_like(best, -np.inf)
    if size < len(best):
        taken[size:] = best[: len(best) - size] + value
    return np.maximum(best, taken), taken > best


def dp(sizes: Sequence[float], values: Sequence[float], capacity: float) -> Answer:
    """Solves the knapsack by dynamic programming over 10,000 levels of the capacity.

    >>> dp([2, 3, 4], [3, 4, 6], 6)
    (9.0, [0, 2], [1])
    """
    if (chosen := _trivial(sizes, capacity)) is not None:
        return _answer(chosen, values)
    levels = _levels(sizes, capacity)
    best = np.zeros(LEVELS + 1)
    choices = []
    for size, value in zip(levels, values):
        best, chosen_at = _table_row(best, size, value)
        choices.append(chosen_at)
    left, found = LEVELS, set()
    for i in reversed(range(len(sizes))):
        if choices[i][left]:
            found.add(i)
            left -= levels[i]
    return _at_least_greedy(found, sizes, values, capacity)


def sliding_hirschberg(sizes: Sequence[float], values: Sequence[float], capacity: float) -> Answer:
    """Solves the knapsack as `dp` does, with the memory for one row: items are halved, and the best split of the
    capacity between the two groups is searched (D. S. Hirschberg, 1975)."""
    if (chosen := _trivial(sizes, capacity)) is not None:
        return _answer(chosen, values)
    levels = _levels(sizes, capacity)

    def row(items: range, room: int) -> np.ndarray:
        best = np.zeros(room + 1)
        for i in items:
            best, _ = _table_row(best, levels[i], values[i])
        return best

    found: set[int] = set()
    left = [(range(len(sizes)), LEVELS)]
    while left:
        items, room = left.pop()
        if len(items) == 1:
            if levels[items[0]] <= room and values[items[0]] > 0:
                found.add(items[0])
            continue
        half = len(items) // 2
        first, second = items[:half], items[half:]
        split = int(np.argmax(row(first, room) + row(second, room)[::-1]))
        left += [(first, split), (second, room - split)]
    return _at_least_greedy(found, sizes, values, capacity)


def ilp(sizes: Sequence[float], values: Sequence[float], capacity: float) -> Answer:
    """Solves the knapsack by integer programming, exactly. Needs SciPy."""
    if (chosen := _trivial(sizes, capacity)) is not None:
        return _answer(chosen, values)
    try:
        from scipy.optimize import Bounds, LinearConstraint, milp
    except ImportError as error:
        raise RuntimeError("activation_memory_budget_solver='ilp' needs SciPy; 'dp' does not") from error
    scale, worth = max(sizes), max(max(values), 1e-30)
    found = milp(
        -np.asarray(values, float) / worth,
        constraints=LinearConstraint(np.asarray(sizes, float)[None] / scale, -np.inf, capacity / scale),
        bounds=Bounds(0, 1),
        integrality=np.ones(len(sizes)),
        options={"mip_rel_gap": 0.0},
    )
    if found.x is None:
        raise RuntimeError(f"activation_memory_budget_solver='ilp': {found.message}")
    picked = {i for i, x in enumerate(found.x) if x > 0.5}
    while sum(sizes[i] for i in picked) > capacity:  # its constraints hold to a tolerance
        picked.remove(min(picked, key=lambda i: values[i]))
    return _at_least_greedy(picked, sizes, values, capacity)


SOLVERS: dict[str, Callable[..., Answer]] = {
    "dp": dp,
    "greedy": greedy,
    "ilp": ilp,
    "dp_knapsack_sliding_hirschberg": sliding_hirschberg,
}


def solver_named(solver: Any) -> Callable[..., Answer]:
    """The solver that a setting names, or is.

    A callable of the user's gets (sizes, values, capacity), sizes as parts of what could be kept."""
    if callable(solver):
        return functools.partial(_by_users, solver)
    if solver not in SOLVERS:
        raise RuntimeError(
            f"Not aware of memory budget knapsack solver: {solver}: there are {', '.join(map(repr, SOLVERS))}, and callables"
        )
    return SOLVERS[solver]


def _by_users(solver: Callable, sizes: Sequence[float], values: Sequence[float], capacity: float) -> Answer:
    _, saved, _ = solver(list(sizes), list(values), capacity)
    chosen = {int(i) for i in saved}
    if not chosen <= set(range(len(sizes))) or sum(sizes[i] for i in chosen) > capacity * (1 + 1e-9):
        raise RuntimeError(
            "activation_memory_budget_solver: the callable chose what does not fit. It is given (memory, runtime, max_memory) and returns "
            "(runtime of the saved, numbers of the saved, numbers of the others)"
        )
    return _answer(chosen, values)
