"""The page *what is fast and what is not* (docs/fast.md), made of the figures of a run of the atlas."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

__all__ = ["page"]

_HEAD = """# What is fast and what is not, on a CPU

Made by `python -m benchmarks atlas --threads 1 --page docs/fast.md`: processor time of one thread in multiples of
PyTorch's, so that 0.5 is twice as fast as PyTorch and 2 half as fast. *Compiled*: as a program, steady, called as
written or through `torch.compile`, whichever takes less. *By default*: the third call in a process. *jax.jit*: the same
function, as JAX compiles it. *PyTorch*: what one call takes there. Every result is read as a NumPy array. With
*fwd+bwd* the gradients that come to the results are drawn before, and given to both as tensors. Single rows vary by a
third or so from run to run, more on a busy machine.

In short: whole models, convolutions, pooling and selection take about PyTorch's time or less, in the mean. A *single*
op on little data, read at once, takes two to four times as long.

**A call of a program costs some 100 µs**, which PyTorch's op does not have, and each of its arguments and results a few
more. So one op on little data is slower than PyTorch's however it is computed. Rows of up to 4,096 elements are
therefore measured as they stand in a program: 32 calls on parts of one tensor, whose results are stacked; the others
are called as often between two reads as PyTorch needs 0.3 ms for (at most 16 times), on data of their own. What is left
of that call is in all rows whose time in PyTorch is some 10 µs (1,000 elements) to 100 µs (100,000).

**By default** NumPy runs what comes for the first time, and a program is compiled once that would have paid
([how recording works](recording.md)). The third call is NumPy's run, or, of what NumPy would take longer for than
compiling takes, the program's. What large ratios in that column tell is not what later calls take.
"""

_WHY = {
    r"linear algebra.*bwd": "whether a matrix is singular is looked at after each op, so that each is a program of its own",
    r"lstsq \d{3}": "OpenBLAS' factorization with pivots takes twice as long as PyTorch's",
    r"linear algebra": "LAPACK gets the numbers at once, so that what they are made of is a program of its own",
    r"\b(sin|cos|tan)\b.*(00k|M)": "what is left of x by multiples of pi / 2 is computed in float64",
    r"unfold": "windows that overlap are written out before they are summed; PyTorch's are a view",
    r"\bcum": "a loop along the dimension, step by step",
    r"index_select": "XLA computes where each element lies, where PyTorch copies rows",
    r"depthwise.*bwd": "the gradient of the weights is a sum over images, which XLA adds up one by one",
    r"grouped": "as many small products as there are groups",
    r"pad .*bwd": "each border is added back by itself",
    r"randperm": "a sort of random numbers",
    r"random": "Threefry takes twenty rounds for two numbers, and a program's call is not small beside them",
    r"embedding 64|scatter_add": "a program's call, and its results read one by one, beside an op of 6 to 100 µs",
    r"(gelu|sigmoid) float64": "XLA's exp and erf in float64",
    r"depthwise 7": "49 taps of rows as short as the image, which fill a part of a vector",
    r"group_norm": "the image is read three times, and memory for the result is new",
    r"float64|erfinv": "nobody has looked yet",
    r"\b1k\b|128²": "the rest of a program's call",
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
        why = next((why for found, why in _WHY.items() if re.search(found, said)), "nobody has looked yet")
        reasons.setdefault(why, []).append(f"{r['name']} {_ratio(r):.1f}")
    lines = [f"- {', '.join(names)}: {why}." for why, names in reasons.items()]
    return ["\nAbove 3:\n", *(lines or ["- none."])]


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
