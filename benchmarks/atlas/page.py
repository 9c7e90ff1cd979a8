"""The page docs/fast.md, written from the figures of a run of the atlas."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

__all__ = ["page"]

_HEAD = """# Op by op: what is fast and what is slow on a CPU

Whole models, convolutions, pooling and selection take about PyTorch's time or less, on average. A *single* op on little
data that is read immediately takes two to four times as long.

`python -m benchmarks atlas --threads 1 --page docs/fast.md` writes this page. The figures are processor time of one
thread in multiples of PyTorch's: 0.5 is twice as fast as PyTorch, and 2 is half as fast.

- *compiled*: the compiled program in a steady loop, as written or with `torch.compile`, whichever takes less.
- *by default*: the third call in a process.
- *jax.jit*: the same function, compiled by JAX.
- *PyTorch*: the time of one call in PyTorch.

Every result is read as a NumPy array. For *fwd+bwd*, the gradients of the results are random tensors that are created
before the measurement. Single rows vary by about a third from run to run, and more on a busy machine.

## How to read the table

Calling a compiled program costs about 100 µs, plus a few microseconds for each argument and result. PyTorch's ops don't
have this cost, so one op on little data is slower than in PyTorch, however it is computed.

- Rows of up to 4,096 elements are therefore measured as part of a larger program: 32 calls on slices of one tensor,
  whose results are stacked.
- In the other rows, the op is called as often between two reads as PyTorch needs 0.3 ms for (at most 16 times).
- The rest of the call is contained in all rows that take PyTorch about 10 µs (1,000 elements) to 100 µs (100,000).

By default, NumPy runs new recordings ([when does it compile?](compilation.md)). The third call is therefore NumPy's, or
the compiled program's for ops that would take NumPy longer than compiling. Large ratios in this column don't apply to
later calls.

## Summary
"""

_WHY = {
    r"linear algebra.*bwd": "a check for singular matrices after each op makes each a program of its own",
    r"lstsq \d{3}": "OpenBLAS's pivoted factorization takes twice as long as PyTorch's",
    r"linear algebra": "LAPACK needs the values immediately, so the ops before it are a program of their own",
    r"\b(sin|cos|tan)\b.*(00k|M)": "the reduction of x by multiples of pi / 2 is computed in float64",
    r"unfold": "overlapping windows are copied before they are summed; PyTorch's are a view",
    r"\bcum": "a loop along the dimension, step by step",
    r"index_select": "XLA computes the address of each element; PyTorch copies rows",
    r"depthwise.*bwd": "XLA adds up the gradient of the weights image by image",
    r"grouped": "one small product for each group",
    r"pad .*bwd": "each border is added separately",
    r"randperm": "sorts random numbers",
    r"random": "Threefry needs twenty rounds for two numbers, and the call of a program is not negligible",
    r"embedding 64|scatter_add": "the call of a program, compared with an op of 6 to 100 µs",
    r"(gelu|sigmoid) float64": "XLA's exp and erf in float64",
    r"depthwise 7": "49 taps of short rows, which fill only part of a vector register",
    r"group_norm": "the image is read three times",
    r"float64|erfinv": "not analysed yet",
    r"\b1k\b|128²": "the call of a program",
    r"\b100k\b": "the call of a program, and memory for its result",
}
"""Why rows are slow, by an expression in the group and the name, the first that fits."""


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
    """The rows above 3 times PyTorch's time, compiled, and why they are."""
    rows = sorted((r for r in kept if "ours" in r and _ratio(r) > 3), key=_ratio, reverse=True)
    reasons: dict[str, list[str]] = {}
    for r in rows:
        said = f"{r['group']} {r['name']}"
        why = next((why for found, why in _WHY.items() if re.search(found, said)), "not analysed yet")
        reasons.setdefault(why, []).append(f"{r['name']} {_ratio(r):.1f}")
    lines = [f"- {', '.join(names)}: {why}." for why, names in reasons.items()]
    return ["\nAbove 3:\n", *(lines or ["- none."])]


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
