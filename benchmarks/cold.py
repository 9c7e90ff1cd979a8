"""The first minute: programs of `cold_programs.py`, each in processes of its own, with the cache empty and warm,
PyTorch beside them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from .cold_programs import PROGRAMS

RUNS = 3


def run(smoke: bool) -> Iterator[str]:
    """A line for each part of each program: the least seconds of alternating runs, of a clock and of the processor, of
    PyTorch and of ours from an empty and a warm cache."""
    for name in ("repl",) if smoke else PROGRAMS:
        found: dict[str, list[dict]] = {"PyTorch": [], "empty": [], "warm": []}
        for _ in range(1 if smoke else RUNS):
            with tempfile.TemporaryDirectory() as cache:
                found["PyTorch"].append(_run(name, "torch", cache))
                found["empty"].append(_run(name, "functorch_lite", cache))
                if not smoke:
                    _run(name, "functorch_lite", cache, "compiled")  # as longer runs leave the cache
                found["warm"].append(_run(name, "functorch_lite", cache))
        for part in found["PyTorch"][0]["wall"]:
            for clock in [c for c in ("wall", "cpu") if part in found["PyTorch"][0][c]]:
                least = {who: min(r[clock][part] for r in runs) for who, runs in found.items()}
                numbers = "  ".join(f"{who} {seconds * 1e3:9.1f} ms" for who, seconds in least.items())
                ratios = (least[cache] / least["PyTorch"] for cache in ("empty", "warm"))
                yield f"{name:12} {part:14} {clock:4} {numbers}  ratios {', '.join(f'{r:.2f}' for r in ratios)}"
        if "MB more" in found["PyTorch"][0]:
            numbers = "  ".join(
                f"{who} {min(r['MB more'] for r in runs):9.1f} MB" for who, runs in found.items()
            )
            yield f"{name:12} {'memory more':14} {numbers}"


def _run(name: str, library: str, cache: str, tier: str = "auto") -> dict:
    command = [sys.executable, "-m", "benchmarks.cold_programs", name, library]
    env = {**os.environ, "FUNCTORCH_LITE_CACHE": cache, "FUNCTORCH_LITE_TIER": tier}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])
