"""What a compiled function reads is changed after it was replayed: it gives what the function itself gives, never what
it gave before."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.compiler import replay
from tests.compiler import more_mutations  # noqa: F401  adds its worlds
from tests.compiler.mutations import UNDO, WORLDS


def _answers(make, compiled: bool, calls: int) -> tuple[list, Any]:
    """What calls give before and after the change, and the function that was called."""
    f, change = make()
    g = torch.compile(f) if compiled else f
    found = []
    for k in range(2 * calls):
        if k == calls:
            change()
        x = torch.tensor([0.5, 1.0, -2.0, 3.0]) + k
        try:
            y = g(x)
            is_known = isinstance(y, torch.Tensor) and not y.is_meta
            found.append(y.detach().double().numpy().copy() if is_known else repr(y))
        except Exception as error:
            found.append(f"{type(error).__name__}: {error}")
    while UNDO:
        UNDO.pop()()
    return found, g


@pytest.mark.parametrize("name", sorted(WORLDS))
def test_nothing_stale(name):
    """Eight calls, the change, eight more: with torch.compile and without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = len(replay.mismatches)
        torch.manual_seed(0)
        wanted, _ = _answers(WORLDS[name], False, 8)
        torch.manual_seed(0)
        got, g = _answers(WORLDS[name], True, 8)
    for mine, theirs in zip(got, wanted, strict=True):
        assert type(mine) is type(theirs), (mine, theirs)
        if isinstance(mine, str):
            assert mine == theirs
        else:
            np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)
    assert len(replay.mismatches) == before
    replayed = getattr(g, "replayed", None)
    if replayed is not None:
        print(name, replayed.replays, replayed.runs, replayed.why_not)
