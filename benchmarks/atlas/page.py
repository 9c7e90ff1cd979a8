"""The page *what is fast and what is not* (docs/fast.md), made of the figures of a run of the atlas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

__all__ = ["page"]

_HEAD = """# What is fast and what is not, on a CPU

Made by `python -m benchmarks atlas --threads 1 --page docs/fast.md`: processor time of one thread in multiples of
PyTorch's, so that 0.5 is twice as fast as PyTorch and 2 half as fast. *Compiled*: as a program, steady, called as
written or through `torch.compile`, whichever takes less. *By default*: the third call in a process, which NumPy may
still run, or which compiles a program. *jax.jit*: the same function, as JAX compiles it. *PyTorch*: what one call takes
there. Every result is read as a NumPy array. The machine's clock and caches move single rows by a fifth or so from run
to run.

A call of a program costs some 100 µs, which PyTorch's op does not have, and each of its arguments and results a few
more; so one op on little data, whose result is read at once, is slower than PyTorch's however it is computed. Rows of
up to 4,096 elements are therefore measured as they stand in a program: 32 calls on parts of one tensor, whose results
are stacked; the others are called as often between two reads as PyTorch needs 0.3 ms for (at most 16 times), on data of
their own. Where a row on little data is above 2, that is the rest of the call.
"""


def page(kept: Sequence[dict[str, Any]], summary: str) -> str:
    """The page, of what was measured and its summary."""
    lines = [_HEAD, summary.strip() + ".", "", *_groups(kept), *_worst(kept)]
    group = ""
    order = list(dict.fromkeys(row["group"] for row in kept))
    for row in sorted(kept, key=lambda row: order.index(row["group"])):
        if "ours" not in row:
            continue
        if row["group"] != group:
            group = row["group"]
            lines += [
                f"\n## {group.capitalize()}\n",
                "| | compiled | by default | jax.jit | PyTorch |",
                "|---|---|---|---|---|",
            ]
        theirs = row["torch"]
        of = lambda name: f"{row[name] / theirs:.2f}" if name in row else ""  # noqa: B023, E731
        lines.append(
            f"| {row['name']} | {of('ours')} | {of('default')} | {of('jax.jit')} | {_time(theirs)} |"
        )
    return "\n".join(lines) + "\n"


def _ratio(row: dict[str, Any]) -> float:
    return row["ours"] / row["torch"]


def _groups(kept: Sequence[dict[str, Any]]) -> list[str]:
    """A line for each group: its geometric mean, compiled, and how many rows are above 1.5."""
    lines = ["| | rows | geometric mean | above 1.5 | above 3 |", "|---|---|---|---|---|"]
    groups: dict[str, list[float]] = {}
    for row in kept:
        if "ours" in row:
            groups.setdefault(row["group"], []).append(_ratio(row))
    for name, ratios in groups.items():
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        above = [sum(r > limit for r in ratios) for limit in (1.5, 3)]
        lines.append(f"| {name} | {len(ratios)} | {mean:.2f} | {above[0]} | {above[1]} |")
    return lines


def _worst(kept: Sequence[dict[str, Any]]) -> list[str]:
    """The rows above 3 times PyTorch's time, compiled."""
    rows = sorted((r for r in kept if "ours" in r and _ratio(r) > 3), key=_ratio, reverse=True)
    return ["\nAbove 3: " + (", ".join(f"{r['name']} {_ratio(r):.1f}" for r in rows) or "none") + "."]


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
