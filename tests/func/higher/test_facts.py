"""The facts of `facts.json`: each value to its tolerance, and each exact one once more under vmap, under grad, and
replayed by torch.compile."""

from __future__ import annotations

import pytest

from tests.support.full import FULL

from .calls import CALLS, of_fact
from .facts import check, facts
from .transforms import WAYS

EXACT = [n for n, fact in facts().items() if fact["kind"] == "exact"]
ELSEWHERE = {
    "laplacian_estimate": "test_taylor.py", "fisher_mc": "test_curvature.py", "logdet_slq": "test_curvature.py",
    "spectral_density": "test_curvature.py", "trace_estimate": "test_estimates.py", "trace_lowrank": "test_estimates.py",
    "diagonal_estimate": "test_estimates.py", "dp_noise": "test_per_sample.py", "poisson": "test_per_sample.py",
}  # fmt: skip
"""Where the stochastic ones are looked at."""
SHORT = 14
"""Every so many of the facts are looked at when tests are to be short."""


def test_all_are_looked_at():
    assert len(facts()) == 197
    assert {fact["call"] for fact in facts().values() if fact["kind"] == "stochastic"} == set(ELSEWHERE)
    assert {facts()[n]["call"] for n in EXACT} <= set(CALLS)


@pytest.mark.parametrize("name", EXACT if FULL else EXACT[::SHORT])
def test_values(name):
    fact = facts()[name]
    if fact["call"] == "epsilon":
        pytest.importorskip("dp_accounting")
    f, at = of_fact(fact)
    check({**fact, "tol": fact.get("allow", fact["tol"])}, f(at))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "name", [n for n in (EXACT if FULL else EXACT[5 :: 4 * SHORT]) if facts()[n]["call"] != "epsilon"]
)
def test_under_transforms(name, way):
    if way == "grad" and "padding_idx" in name:
        pytest.skip("by definition the padding's row has no gradient; finite differences see one")
    f, at = of_fact(facts()[name])
    WAYS[way](f, at)
