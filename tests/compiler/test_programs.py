"""Random programs in worlds that change, under torch.compile: they give and leave behind what they do without it.
10,000 with FUNCTORCH_LITE_PARITY=full."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

import functorch_lite as torch
from functorch_lite._core.run import executor
from functorch_lite.compiler import replay
from tests.compiler.programs import CALLS, Program, World
from tests.compiler.rounds import differs, forget, shown, tensors_in
from tests.support.full import FULL

SEEDS = 10_000 if FULL else 100
TOGETHER = 10
"""Programs whose calls are in one recording."""


def _run(programs: Sequence[Program], wrap: Any) -> tuple[list, list[World]]:
    """What each program shows: of every call, and of its world at the end.

    Of every round, what is left behind is read together."""
    executor.flush()
    worlds = [World(p, wrap) for p in programs]
    executor.flush()
    found: list[list] = [[] for _ in worlds]
    for k in range(CALLS):
        left = [w.call(k) for w in worlds]
        for mine, values in zip(found, left):
            mine.append([shown(x) for x in tensors_in(values)])
        executor.flush()
    for mine, w in zip(found, worlds):
        mine.append([shown(x) for x in tensors_in(w.state())])
    return found, worlds


def check(seeds: Sequence[int], reasons: Counter) -> list[str]:
    """The differences of some programs; `reasons` counts how many were replayed, and why others were not."""
    programs = [Program(s) for s in seeds]
    before = len(replay.mismatches)
    with warnings.catch_warnings(), torch.debug.tier("cold"):
        warnings.simplefilter("ignore")
        wanted, _ = _run(programs, lambda f: f)
        got, worlds = _run(programs, torch.compile)
    wrong = []
    for program, world, mine, theirs in zip(programs, worlds, got, wanted):
        replayed = world.f.replayed
        reasons["replayed" if replayed.replays else " / ".join(replayed.why_not) or "raises, or changes"] += 1
        reasons["calls replayed"] += replayed.replays
        reasons["calls run"] += replayed.runs
        for k, (a, b) in enumerate(zip(mine, theirs)):
            differences = [d for x, y in zip(a, b) if (d := differs(x, y))] + ([f"{a} instead of {b}"] if len(a) != len(b) else [])  # fmt: skip
            if differences:
                wrong.append(f"{program}\ncall {k + 1}: {differences[0]}")
                break
    wrong += [f"other recording, one of the seeds {list(seeds)}" for _ in replay.mismatches[before:]]
    del replay.mismatches[before:]
    return wrong


@pytest.mark.parametrize("part", range(10 if FULL else 1))
def test_programs(part):
    wrong, reasons = [], Counter()
    each = SEEDS // (10 if FULL else 1)
    for start in range(part * each, (part + 1) * each, TOGETHER):
        wrong += check(range(start, start + TOGETHER), reasons)
        if start % 500 == 0:
            forget()
    table = "\n".join(f"{n:6} {why}" for why, n in reasons.most_common())
    print(table)
    assert not wrong, "\n\n".join([f"{len(wrong)} differ", *wrong[:10], table])
    assert reasons["replayed"] >= 0.5 * each, table
