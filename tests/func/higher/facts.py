"""The facts, and how a value is compared with what one expects."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

import functorch_lite as torch
from functorch_lite.func._trees import flatten

HERE = Path(__file__).parent


@functools.cache
def facts() -> dict[str, dict]:
    """All of them, by name. `facts.json` says in `how` what their words mean."""
    return json.loads((HERE / "facts.json").read_text())["facts"]


def of_calls(*calls: str) -> list[str]:
    """The names of those that are told by these calls."""
    return [name for name, fact in facts().items() if fact["call"] in calls]


def flat(tree: Any) -> np.ndarray:
    """The numbers of a tree, in its order."""
    return np.concatenate(
        [
            np.asarray(
                x.detach().double().numpy() if isinstance(x, torch.Tensor) else x, dtype=float
            ).reshape(-1)
            for x in flatten(tree)[0]
        ]
    )


def check(fact: dict, tree: Any) -> None:
    """Asserts that the values are those of a fact, to its tolerance."""
    values, expect, tol = flat(tree), fact["expect"], fact["tol"]
    if "values" in expect:
        wanted = np.array(expect["values"], dtype=float).reshape(-1)
        assert values.shape == wanted.shape
        assert np.abs(values - wanted).max() <= tol * np.abs(wanted).max()
        return
    assert values.size == expect["size"]
    got = {
        "sum": values.sum(),
        "norm": np.sqrt((values**2).sum()),
        "dot": values @ np.random.RandomState(12345).randn(values.size),
    }
    for name, value in got.items():
        assert abs(value - expect[name]) <= tol * expect["norm"], name
    assert np.abs(values[:8] - np.array(expect["first"])).max() <= tol * expect["norm"]


def check_mean(fact: dict, means: Any, draws: int) -> None:
    """Asserts that means of draws are within four standard errors of a fact's exact values."""
    values, wanted = flat(means), np.array(fact["expect"]["values"], dtype=float).reshape(-1)
    error = np.sqrt(np.array(fact["variance"], dtype=float).reshape(-1) / draws)
    assert values.shape == wanted.shape
    assert (np.abs(values - wanted) <= 4 * error + 1e-12).all()
