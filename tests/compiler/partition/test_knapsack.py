"""Solvers of knapsacks, beside each other and beside trying everything."""

import itertools

import numpy as np
import pytest

from functorch_lite.compiler.partition.knapsack import SOLVERS, dp, greedy, solver_named


def drawn(rng, n):
    sizes = rng.integers(1, 1000, n).astype(float).tolist()
    return sizes, rng.random(n).tolist(), float(sum(sizes)) * rng.random()


def best_of_all(sizes, values, capacity):
    n = len(sizes)
    subsets = itertools.chain.from_iterable(itertools.combinations(range(n), k) for k in range(n + 1))
    return max(sum(values[i] for i in s) for s in subsets if sum(sizes[i] for i in s) <= capacity)


def test_dp_is_never_worse_than_greedy():
    rng = np.random.default_rng(0)
    for _ in range(200):
        sizes, values, capacity = drawn(rng, int(rng.integers(1, 40)))
        found, chosen, others = dp(sizes, values, capacity)
        assert sum(sizes[i] for i in chosen) <= capacity
        assert sorted([*chosen, *others]) == list(range(len(sizes)))
        assert found == pytest.approx(sum(values[i] for i in chosen))
        assert found >= greedy(sizes, values, capacity)[0] - 1e-12


@pytest.mark.parametrize("name", ["dp", "ilp", "dp_knapsack_sliding_hirschberg"])
def test_as_good_as_trying_everything(name):
    rng = np.random.default_rng(1)
    for _ in range(25):
        sizes, values, capacity = drawn(rng, int(rng.integers(1, 13)))
        found, chosen, _ = SOLVERS[name](sizes, values, capacity)
        assert sum(sizes[i] for i in chosen) <= capacity
        # Sizes are rounded up to 1/10,000 of the capacity: as good as the best for a capacity that is that much
        # smaller.
        least = best_of_all(sizes, values, capacity * (1 - len(sizes) / 10_000)) if name != "ilp" else best_of_all(sizes, values, capacity)  # fmt: skip
        assert found >= least - 1e-9


def test_no_room_and_room_for_all():
    for solve in SOLVERS.values():
        assert solve([3.0, 2.0], [1.0, 1.0], 0.0)[1] == []
        assert solve([3.0, 2.0], [1.0, 1.0], 5.0)[1] == [0, 1]


def test_an_unknown_solver_is_named():
    with pytest.raises(RuntimeError, match="Not aware of memory budget knapsack solver: best"):
        solver_named("best")


def test_a_users_solver_is_checked():
    assert solver_named(lambda memory, runtime, most: (1.0, [1], [0]))([1, 1], [1.0, 1.0], 1)[1] == [1]
    with pytest.raises(RuntimeError, match="chose what does not fit"):
        solver_named(lambda memory, runtime, most: (2.0, [0, 1], []))([1, 1], [1.0, 1.0], 1)
