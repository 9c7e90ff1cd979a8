"""The page of the docs with the figures of the peers."""

from __future__ import annotations

from typing import Any

from .child import MARKS, READ_EVERY
from .jobs import JOBS

__all__ = ["page"]

HEAD = f"""# Peers: speed side by side

The same training jobs run under eager PyTorch, `torch.compile`, hand-written `jax.jit` with optax, and functorch_lite
with its default settings. `python -m benchmarks peers --page docs/peers.md` writes this page.

- Every run is a fresh process; the clock starts with the process, so imports are included.
- Nothing is pinned, no tier is forced, and each library uses its default number of threads.
- The loss is read at every {READ_EVERY}th step.
- *Cold* means an empty cache on disk, *warm* a second process with the cache of the first.
- The milliseconds are those of a step in the last third of the run: of a clock, and of the processor over all threads.

torchax is left out: no release of it supports the PyTorch that is the reference here (2.13).
"""


def page(every: dict[str, dict[str, Any]], processor: str) -> str:
    """The page as Markdown. every: figures by job and peer. processor: the name of the machine's."""
    parts = [HEAD, f"Measured on: {processor}.\n"]
    marks = [str(mark) for mark in MARKS]
    heads = " | ".join(f"steps after {float(m):.0f} s" for m in marks)
    for job, rows in every.items():
        title = (JOBS[job].__doc__ or job).strip().rstrip(".")
        parts.append(f"## {job}\n\n{title}.\n")
        parts.append(f"| | first step | {heads} | ms a step | processor ms | MB |")
        parts.append("|---|" + "---:|" * (4 + len(marks)))
        for label, found in rows.items():
            if "error" in found:
                parts.append(f"| {label} | {found['error'][:60]} |" + " |" * (3 + len(marks)))
                continue
            steps = " | ".join(f"{found['steps'][m]:,.0f}" if m in found["steps"] else "" for m in marks)
            parts.append(
                f"| {label} | {found['first']:.2f} s | {steps} | {found['wall ms']:.2f} | {found['cpu ms']:.2f} | {found['MB']:.0f} |"
            )
        parts.append("")
    return "\n".join(parts)
