"""Whole runs: scripts that take PyTorch some 5 s, the same source under ours from an empty and a warm cache, in
processor time of one thread.

`python -m benchmarks whole_runs`; README.md says what the columns are. `--smoke`: two steps of some. `--only WORD`:
scripts whose name has it. `--fraction F`: that part of the steps. `--seconds S`: as many steps as take PyTorch S seconds
on this machine. `--limit S`: ours is cut after S seconds (10 ×
PyTorch's + 20). `--json FILE`: keeps all figures.
"""

from __future__ import annotations

import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["names", "run"]

SCRIPTS = Path(__file__).parent / "scripts"
COMPARED = 3
"""How many of the first values must agree, with weights and random numbers as PyTorch draws them."""
TOLERANCE = 1e-2
"""Of values that a few steps of training led to."""
IN_SMOKE = 10
"""A smoke run takes every so many of the scripts."""
HEAD = f"{'':24} {'steps':>6} {'PyTorch':>8} {'cold':>6} {'warm':>6} {'late':>6} {'late warm':>9}  {'first step':>12} {'memory':>6}  values"


def names(only: str = "") -> list[str]:
    """The scripts whose name has the word."""
    return sorted(f.stem for f in SCRIPTS.glob("*.py") if f.stem != "__init__" and only in f.stem)


def child(name: str, library: str, cache: str, steps: int = 0, limit: float = math.inf, *flags: str) -> dict:
    """What `child.py` found, in a process of its own; or an "error"."""
    one = {"NPROC": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "JAX_PLATFORMS": "cpu"}
    env = {**os.environ, **one, "FUNCTORCH_LITE_CACHE": cache}
    command = [
        sys.executable,
        "-m",
        "benchmarks.whole_runs.child",
        name,
        library,
        str(steps),
        str(limit),
        *flags,
    ]
    patience = None if limit == math.inf else 4 * limit + 120  # a machine may be busy, a step may never end
    try:
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=patience)
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {patience:.0f} s of a clock"}
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def late(found: dict) -> float:
    """Seconds of a step in the last third of those that were run."""
    spent = found["spent"]
    begin = (len(spent) * 2) // 3
    return (spent[-1] - (spent[begin - 1] if begin else 0.0)) / max(len(spent) - begin, 1)


def total(found: dict) -> float:
    """Seconds of all steps; of a run that was cut, what they would have taken at its late pace."""
    return found["spent"][-1] + (found["steps"] - len(found["spent"])) * late(found)


def compare(theirs: dict, ours: dict) -> str:
    """Whether the first values agree."""
    if "error" in ours:
        return ours["error"]
    pairs = [(i, v, ours["values"].get(i)) for i, v in list(theirs["values"].items())[:COMPARED]]
    for i, a, b in pairs:
        if b is None or not (
            math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-4) or (math.isnan(a) and math.isnan(b))
        ):
            return f"at step {i} {a:.6g}, ours {b}"
    return f"agree ({len(pairs)})" if pairs else "none"


def script(name: str, smoke: bool, fraction: float, seconds: float, limit: float | None) -> dict:
    """All runs of one script: PyTorch's, one that compares values, and ours cold and warm."""
    steps = 2 if smoke else 0
    with tempfile.TemporaryDirectory() as cache:
        if fraction < 1 and not smoke:
            text = (SCRIPTS / f"{name}.py").read_text()
            steps = max(3, int(int(re.search(r"^steps = (\d+)", text, re.M)[1]) * fraction))
        found = {"name": name, "torch": child(name, "torch", cache, steps)}
        if "error" in found["torch"]:
            return found
        if seconds and not smoke:
            steps = max(3, round(seconds / total(found["torch"]) * found["torch"]["steps"]))
            found["torch"] = child(name, "torch", cache, steps)
        first = [int(i) for i in found["torch"]["values"]][:COMPARED]
        few = first[-1] + 1 if first else 2
        same = child(name, "ours", cache + "/values", few, 120.0, "--pytorchs-numbers")
        found["values"] = compare(found["torch"], same)
        if smoke:
            return {**found, "cold": same}
        limit = limit or 10 * found["torch"]["spent"][-1] + 20
        return {
            **found,
            **{way: child(name, "ours", cache + "/runs", steps, limit) for way in ("cold", "warm")},
        }


def ratios(found: dict) -> dict[str, float]:
    """Ours over PyTorch, of what both did."""
    theirs = found["torch"]
    made = {}
    for way in ("cold", "warm"):
        if "spent" in found.get(way, ()):
            made[way] = total(found[way]) / total(theirs)
            made[f"late {way}"] = late(found[way]) / late(theirs)
    if "cold" in made:
        made["first"] = found["cold"]["spent"][0] / theirs["spent"][0]
        made["memory"] = found["cold"]["peak MB"] / theirs["peak MB"]
    return made


def line(found: dict) -> str:
    """A row of the table."""
    name, theirs = found["name"], found["torch"]
    if "error" in theirs:
        return f"{name:24} PyTorch: {theirs['error']}"
    made = ratios(found)
    shown = "".join(
        f" {made.get(key, math.nan):{width}.2f}"
        for key, width in (("cold", 6), ("warm", 6), ("late cold", 6), ("late warm", 9))
    )
    first = f"{found['cold']['spent'][0]:5.2f} ({theirs['spent'][0]:.2f})" if "cold" in made else "-"
    told = [found["values"]]
    for way in ("cold", "warm"):
        run = found.get(way, {})
        if "error" in run:
            told.append(f"{way}: {run['error']}")
        elif run and len(run["spent"]) < run["steps"]:
            told.append(f"{way} cut at step {len(run['spent'])}")
    return f"{name:24} {theirs['steps']:6} {total(theirs):7.2f}s{shown}  {first:>12} {made.get('memory', math.nan):6.2f}  {'; '.join(told)}"


def summary(every: list[dict]) -> Iterator[str]:
    """Medians, and how many are over what."""
    made = [ratios(found) for found in every if "error" not in found["torch"]]
    for key in ("cold", "warm", "late cold", "late warm", "first", "memory"):
        several = sorted(m[key] for m in made if key in m)
        if several:
            over = ", ".join(
                f"{limit} ×: {sum(r > limit for r in several)}" for limit in (1, 1.2, 1.5, 2, 3, 5)
            )
            yield f"{key:10} of {len(several)}: median {statistics.median(several):.2f}, most {several[-1]:.1f}; over {over}"
    slow = [
        f["name"]
        for f in every
        if "spent" in f.get("cold", ()) and f["cold"]["spent"][0] > max(1.0, 5 * f["torch"]["spent"][0])
    ]
    yield f"first step over 1 s and 5 × PyTorch's: {len(slow)}{': ' if slow else ''}{', '.join(slow)}"
    wrong = [f["name"] for f in every if not f.get("values", "").startswith(("agree", "none"))]
    yield f"values differ: {len(wrong)}{': ' if wrong else ''}{', '.join(wrong)}"


def run(smoke: bool, arguments: list[str] = sys.argv) -> Iterator[str]:
    """The suite, as `python -m benchmarks` calls it."""

    def given(flag: str, default: str) -> str:
        return arguments[arguments.index(flag) + 1] if flag in arguments else default

    seconds, limit = float(given("--seconds", "0")), float(given("--limit", "0")) or None
    every: list[dict] = []
    yield HEAD
    chosen = names(given("--only", ""))
    for name in chosen[:: IN_SMOKE if smoke and "--only" not in arguments else 1]:
        every.append(script(name, smoke, float(given("--fraction", "1")), seconds, limit))
        yield line(every[-1])
        if "--json" in arguments:  # after each: a run may be stopped
            Path(given("--json", "")).write_text(json.dumps(every))
    yield ""
    yield from summary(every)
