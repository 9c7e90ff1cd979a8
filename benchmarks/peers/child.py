"""Runs one job under one peer in a fresh process and prints what it took, as JSON.

`python -m benchmarks.peers.child JOB PEER SECONDS`. The clock starts when the interpreter does, so imports are in it.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time

MARKS = (1.0, 4.0, 16.0, 60.0)
"""Seconds after which the finished steps are counted."""
READ_EVERY = 10
"""The loss is read at every so many steps, as a training loop prints it."""


def _age() -> float:
    """Seconds since this process started."""
    with open("/proc/self/stat") as file:
        started = int(file.read().rsplit(")", 1)[1].split()[19]) / os.sysconf("SC_CLK_TCK")
    with open("/proc/uptime") as file:
        return float(file.read().split()[0]) - started


def measure(step, read, seconds: float, began: float) -> dict:
    """Runs steps for `seconds`; returns the times of the steps at which the loss was read.

    step: does one step and returns its loss. read: returns a loss as a float. began: when the process started, by
    `time.perf_counter`.
    """
    first = read(step())
    points = [(1, time.perf_counter() - began, time.process_time())]
    steps, loss = 1, first
    while points[-1][1] < seconds:
        for _ in range(READ_EVERY):
            result = step()
        loss = read(result)
        steps += READ_EVERY
        points.append((steps, time.perf_counter() - began, time.process_time()))
    return {"first": points[0][1], "points": points, "losses": [first, loss]}


def build(job: str, peer: str):
    """Returns the job's step under a peer, and the function that reads its loss."""
    if peer == "jax.jit":
        from .jax_jobs import JOBS

        return JOBS[job](), float
    from .jobs import JOBS

    if peer == "functorch_lite":
        from functorch_lite.compat import install_as_torch

        install_as_torch()
    torch = importlib.import_module("torch")
    torch.manual_seed(0)
    step = JOBS[job](torch)
    return torch.compile(step) if peer == "torch.compile" else step, lambda loss: loss.item()


def main(job: str, peer: str, seconds: str) -> None:
    began = time.perf_counter() - _age()
    step, read = build(job, peer)
    found = measure(step, read, float(seconds), began)
    found["peak MB"] = _peak()
    if peer == "functorch_lite":
        found["stats"] = sys.modules["functorch_lite"].debug.stats()
    print(json.dumps(found, default=str))


def _peak() -> float:
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))


if __name__ == "__main__":
    main(*sys.argv[1:])
