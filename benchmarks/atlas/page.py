"""The page *what is fast and what is not* (docs/fast.md), made of the figures of a run of the atlas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["page"]

_HEAD = """# What is fast and what is not, on a CPU

Made by `python -m benchmarks atlas --threads 1 --page docs/fast.md`: processor time of one thread in multiples of PyTorch's, so that 0.5 is twice as fast as PyTorch and 2 half as fast. *Compiled*: as a program,
steady. *By default*: the third call in a process, which NumPy may still run. *jax.jit*: the same function, as JAX compiles it. The machine's clock and caches move single rows by a
fifth or so from run to run. Ops on 1k elements are called 32 times between two reads, as scripts do; the rest of small rows is the call of a program.
"""


def page(kept: Sequence[dict[str, Any]], summary: str) -> str:
    """The page, of what was measured and its summary."""
    lines = [_HEAD, summary.strip() + ".", ""]
    group = ""
    for row in kept:
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


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.0f} µs"
