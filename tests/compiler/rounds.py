"""Functions called a few times with torch.compile and without: what was replayed, why other calls were not, and where
they differ.

The calls of many functions make one recording, and so one program; every round makes it again, from the start. A replay
appends to the recording what running would, so the program is the same one, and results are equal to the last bit.
"""

from __future__ import annotations

import gc
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import functorch_lite as torch
from functorch_lite._core.lazy.recorder import state
from functorch_lite._core.run import executor
from functorch_lite.compiler import replay
from tests.checker import recorded
from tests.compare import SAME

LEARNT, ROUNDS = 2, 4
"""Calls from which is learnt; calls in all.

The third is replayed, the fourth looked at: both are given other numbers than the first two."""
MOST_OPS = 120
"""Ops in a recording, beyond which another is begun: the calls of a round stay below what is cut into several
programs."""


@dataclass
class Case:
    """given(k): fresh arguments, before (k = 0) and after (k = 1) their numbers change. after(arguments, result): what
    is done with a result outside of the function that torch.compile was given."""

    name: str
    f: Callable
    given: Callable[[int], tuple]
    after: Callable[[tuple, Any], Any] = lambda given, result: None


@dataclass
class Tally:
    """Of cases: how many there were, were replayed, and why others were not; `raised`: how many others raised, as they
    should; `wrong`: what differed."""

    cases: int = 0
    replayed: int = 0
    raised: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    refused: dict[str, list[str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def table(self) -> str:
        """A line for each reason, with some of the cases."""
        lines = [f"{self.cases} cases, {self.replayed} replayed; {self.raised} more raised"]
        for reason, n in self.reasons.most_common():
            some = self.refused[reason]
            lines.append(f"{n:5} {reason}: {', '.join(some[:4])}{' …' if n > 4 else ''}")
        return "\n".join([*lines, *self.wrong])


class Raised(str):
    """What a call said that raised."""


def tensors_in(x: Any) -> list:
    """Tensors and other values in nested tuples, lists and dicts."""
    if isinstance(x, tuple | list):
        return [t for part in x for t in tensors_in(part)]
    if isinstance(x, dict):
        return [t for part in x.values() for t in tensors_in(part)]
    return [x]


def shown(x: Any) -> Any:
    """A value, to be compared: of a tensor its dtype, shape, whether it requires grad, its numbers."""
    if not isinstance(x, torch.Tensor):
        return x if isinstance(x, Raised) else repr(x)
    try:
        r = recorded(x)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return r.dtype, r.array.shape, x.requires_grad, r.array.tobytes()


def differs(a: Any, b: Any) -> str | None:
    """In words, how two values that were `shown` differ."""
    if type(a) is not type(b) or isinstance(a, str) or a[:3] != b[:3]:
        return None if a == b else f"{str(a)[:300]} instead of {str(b)[:300]}"
    if a[3] == b[3]:
        return None
    near = SAME.get(a[0], 0.0)  # programs that yield other results may round differently
    kind = "float32" if a[0] in ("bfloat16", "float16") or a[0].startswith("float8") else a[0]
    x, y = [np.frombuffer(v[3], kind) for v in (a, b)]
    if near and np.allclose(x, y, near, near, equal_nan=True):
        return None
    return f"other numbers, {a[0]}{list(a[1])}: {x[:6]} instead of {y[:6]}"


def _called(case: Case, f: Callable, k: int) -> list:
    """All that one call leaves behind, unread."""
    torch.manual_seed(11)
    given = case.given(k)
    try:
        result = f(*given)
        return tensors_in([result, given, case.after(given, result)])
    except Exception as error:
        return [Raised(f"{type(error).__name__}: {error}")]


def _raised(left: list) -> bool:
    return len(left) == 1 and isinstance(left[0], Raised)


def _recording(cases: Sequence[Case], fs: Sequence[Callable], numbers: Sequence[int], cuts: set[int]) -> list:
    """What the calls of one round leave behind. A recording begins at each cut."""
    found: list = []
    pending: list = []
    for k, (case, f) in enumerate(zip(cases, fs)):
        if k in cuts:
            found += [[shown(x) for x in left] for left in pending]
            pending.clear()
            executor.flush()
        pending.append(_called(case, f, numbers[k]))
    found += [[shown(x) for x in left] for left in pending]
    executor.flush()
    return found


def _planned(cases: Sequence[Case]) -> tuple[list[int], set[int]]:
    """Whether each function takes other numbers, and where recordings are to be cut."""
    numbers, cuts = [], set()
    executor.flush()
    for k, case in enumerate(cases):
        if len(state.here.rec.path) > MOST_OPS:
            cuts.add(k)
            executor.flush()
        numbers.append(
            0 if _raised(_called(case, case.f, 1)) else 1
        )  # and nothing is held, so nothing is computed
    executor.flush()
    return numbers, cuts


def compare(cases: Sequence[Case], tally: Tally) -> None:
    """Calls each function in rounds, compiled and not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numbers, cuts = _planned(cases)
        before = len(replay.mismatches)
        wanted = _recording(cases, [c.f for c in cases], numbers, cuts)
        compiled = [torch.compile(c.f) for c in cases]
        for r in range(ROUNDS):
            got = _recording(cases, compiled, numbers if r >= LEARNT else [0] * len(cases), cuts)
            if r >= LEARNT:
                for case, mine, theirs in zip(cases, got, wanted):
                    _note(tally, f"{case.name}, call {r + 1}", mine, theirs)
    tally.wrong += [f"other recording: {name}" for name in replay.mismatches[before:]]
    del replay.mismatches[before:]
    for case, f, left in zip(cases, compiled, wanted):
        if _raised(left):
            tally.raised += 1
            continue
        tally.cases += 1
        if f.replayed.replays:
            tally.replayed += 1
        else:
            why = " / ".join(f.replayed.why_not) or "always run"
            tally.reasons[why] += 1
            tally.refused.setdefault(why, []).append(case.name)


def _note(tally: Tally, what: str, mine: list, theirs: list) -> None:
    wrong = f"{len(mine)} results instead of {len(theirs)}" if len(mine) != len(theirs) else None
    for k, (a, b) in enumerate(zip(mine, theirs)):
        wrong = wrong or ((difference := differs(a, b)) and f"result {k}: {difference}")
    if wrong:
        tally.wrong.append(f"{what}: {wrong}")


def forget() -> None:
    """Forgets all programs: each holds dozens of memory maps, of which Linux gives a process some 65,000."""
    executor.flush()
    executor.forget_programs()
    gc.collect()
