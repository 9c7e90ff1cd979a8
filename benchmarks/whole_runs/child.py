"""Runs one script and prints what it took, as JSON: `python -m benchmarks.whole_runs.child NAME torch|ours STEPS
LIMIT`.

`--pytorchs-numbers`: ours draws random numbers as PyTorch does. `--explain`: prints, to stderr, what ours compiled and
ran (times are then others)."""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
import time

MARKS = (1, 10, 100, 1_000)


def measure(script, steps: int, limit: float) -> dict:
    """Seconds of the processor after every step, and at some of them those of a clock and MB resident; the values that
    the script read.

    Stops early when the processor worked for `limit` seconds.
    """
    spent, marks, values = [], {}, {}
    wall, cpu = time.perf_counter(), time.process_time()
    for i in range(steps):
        value = script.step(i)
        if i == steps - 1 and "functorch_lite" in sys.modules:
            sys.modules["functorch_lite"].synchronize()
        spent.append(time.process_time() - cpu)
        if i + 1 in MARKS or i == steps - 1:
            marks[i + 1] = {"cpu": spent[-1], "wall": time.perf_counter() - wall, "MB": _memory("VmRSS")}
        if value is not None:
            values[i] = float(value)
        if spent[-1] > limit:
            break
    return {"spent": spent, "marks": marks, "values": values, "peak MB": _memory("VmHWM"), "steps": steps}


def _memory(what: str) -> float:
    """MB of this process by its name in /proc: what is resident (VmRSS) and the most that was (VmHWM)."""
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) / 1024 for line in f if line.startswith(what))


def main(name: str, library: str, steps: str, limit: str, *flags: str) -> None:
    around = contextlib.nullcontext()
    if library == "ours":
        import functorch_lite
        from functorch_lite.compat import install_as_torch

        install_as_torch()
        if "--pytorchs-numbers" in flags:
            functorch_lite.random.set_default_engine("mt19937")
        if "--explain" in flags:
            around = functorch_lite.debug.explain()
    else:
        import torch

        torch.set_num_threads(1)
    with around as report:
        importlib.import_module("torch").manual_seed(0)
        script = importlib.import_module(f"benchmarks.whole_runs.scripts.{name}")
        found = measure(script, int(steps) or script.steps, float(limit))
    if report is not None:
        print(report, file=sys.stderr)
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
