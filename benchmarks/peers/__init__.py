"""Peers side by side, in wall time from the start of a process: the same training jobs under eager PyTorch,
`torch.compile`, hand-written `jax.jit`, and functorch_lite with its default settings.

`python -m benchmarks peers`. Nothing is pinned and no tier is forced; each run is a fresh process, and the peers take
turns. functorch_lite and `jax.jit` run twice: with an empty cache on disk (cold), and with the cache that the first run
left (warm). `torch.compile` needs a C++ compiler and runs cold and warm as well. `--only WORD`: jobs whose name has
it. `--seconds S`: the length of a run (60). `--peers A,B`: some of the peers. `--rounds N`: so many runs of each, of
which the median counts. `--page FILE`: writes the table as a page of the docs. `--json FILE`: keeps all figures.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .child import MARKS
from .jobs import JOBS
from .page import page

__all__ = ["run"]

PEERS = ("PyTorch", "torch.compile", "jax.jit", "functorch_lite")
WITH_CACHE = PEERS[1:]
"""Peers that have a cache of compiled programs on disk."""


def measure(job: str, peer: str, seconds: float, cache: str) -> dict[str, Any]:
    """The figures of one run in a fresh process; {"error": …} if it fails."""
    env = {k: v for k, v in os.environ.items() if k not in ("NPROC", "OMP_NUM_THREADS", "JAX_PLATFORMS")}
    env |= {
        "FUNCTORCH_LITE_CACHE": cache,
        "JAX_COMPILATION_CACHE_DIR": cache if peer == "jax.jit" else "",
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "TORCHINDUCTOR_CACHE_DIR": cache,
    }
    if peer != "jax.jit":
        del env["JAX_COMPILATION_CACHE_DIR"]
    command = [sys.executable, "-m", "benchmarks.peers.child", job, peer, str(seconds)]
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=4 * seconds + 120)
    except subprocess.TimeoutExpired:
        return {"error": "took too long"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    return figures(json.loads(done.stdout.splitlines()[-1]))


def figures(found: dict[str, Any]) -> dict[str, Any]:
    """Seconds to the first step; steps done after each mark; wall and processor milliseconds of a step in the last third
    of the run; MB at the peak."""
    points = found["points"]
    steps = {
        str(mark): max((n for n, at, _ in points if at <= mark), default=0)
        for mark in MARKS
        if mark <= points[-1][1]
    }
    tail = [p for p in points if p[0] >= points[-1][0] * 2 / 3] or points[-1:]
    n = max(tail[-1][0] - tail[0][0], 1)
    return {
        "first": found["first"],
        "steps": steps,
        "wall ms": (tail[-1][1] - tail[0][1]) / n * 1e3,
        "cpu ms": (tail[-1][2] - tail[0][2]) / n * 1e3,
        "MB": found["peak MB"],
        "losses": found["losses"],
        "stats": found.get("stats"),
    }


def median(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """The median of each figure over several runs."""
    good = [r for r in runs if "error" not in r]
    if not good:
        return runs[0]
    middle = {k: statistics.median(r[k] for r in good) for k in ("first", "wall ms", "cpu ms", "MB")}
    marks = set.intersection(*[set(r["steps"]) for r in good])
    steps = {m: statistics.median(r["steps"][m] for r in good) for m in sorted(marks, key=float)}
    return {**middle, "steps": steps, "losses": good[0]["losses"], "stats": good[-1]["stats"]}


def processor() -> str:
    """The processor's name, and how many cores this process may use."""
    name = platform.processor()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name or platform.machine()}, {cores} cores"


def line(job: str, label: str, found: dict[str, Any]) -> str:
    """A row of what is printed."""
    if "error" in found:
        return f"{job:11} {label:22} {found['error']}"
    steps = " ".join(f"{found['steps'].get(str(mark), '-'):>8}" for mark in MARKS)
    return f"{job:11} {label:22} {found['first']:6.2f} {steps} {found['wall ms']:9.3f} {found['cpu ms']:9.3f} {found['MB']:6.0f}"


def run(smoke: bool, arguments: list[str] = sys.argv) -> Iterator[str]:
    """The suite, as `python -m benchmarks` calls it."""

    def given(flag: str, default: str) -> str:
        return arguments[arguments.index(flag) + 1] if flag in arguments else default

    seconds = 2.0 if smoke else float(given("--seconds", "60"))
    rounds = 1 if smoke else int(given("--rounds", "1"))
    jobs = [name for name in JOBS if given("--only", "mlp" if smoke else "") in name]
    peers = [
        p
        for p in PEERS
        if p in given("--peers", ",".join(p for p in PEERS if not smoke or p != "torch.compile"))
    ]
    if shutil.which("g++") is None and "torch.compile" in peers:
        peers.remove("torch.compile")
        yield "torch.compile is left out: it needs g++"
    load = f"; load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    yield processor() + load
    yield (
        f"{'':11} {'':22} {'first':>6} "
        + " ".join(f"{f'{mark:.0f} s':>8}" for mark in MARKS)
        + "   wall ms    cpu ms     MB"
    )
    every: dict[str, dict[str, Any]] = {}
    for job in jobs:
        runs: dict[str, list[dict[str, Any]]] = {}
        for _ in range(rounds):
            for peer in peers:
                with tempfile.TemporaryDirectory() as cache:
                    for state in ("cold", "warm") if peer in WITH_CACHE else ("cold",):
                        label = f"{peer}, {state}" if peer in WITH_CACHE else peer
                        runs.setdefault(label, []).append(measure(job, peer, seconds, cache))
        every[job] = {label: median(several) for label, several in runs.items()}
        for label, found in every[job].items():
            yield line(job, label, found)
        if "--json" in arguments:  # after each job: a run may be stopped
            Path(given("--json", "")).write_text(json.dumps(every))
    if "--page" in arguments:
        Path(given("--page", "")).write_text(page(every, processor()))
