"""`python -m functorch_lite.demo --out report/`: does the four jobs and writes the report."""

from __future__ import annotations

import argparse
import importlib.util
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import functorch_lite as torch

NEEDED = {"sklearn": "scikit-learn", "matplotlib": "matplotlib", "tqdm": "tqdm"}
PREPARING = ("op_trace_seconds", "trace_seconds", "lower_seconds", "compile_seconds")


def main() -> None:
    """Parses the command line, runs the jobs in order, prints a line for each and the report's place."""
    parser = argparse.ArgumentParser(prog="python -m functorch_lite.demo", description=__doc__)
    parser.add_argument(
        "--out", type=Path, default=Path("report"), help="folder of the report (default: report)"
    )
    out = parser.parse_args().out
    missing = [pip for module, pip in NEEDED.items() if importlib.util.find_spec(module) is None]
    if missing:
        raise SystemExit(f"the demo needs {', '.join(missing)}: pip install 'functorch_lite[demo]'")

    from functorch_lite.demo import (  # which need the packages
        digits,
        ensemble,
        hessian,
        per_sample_gradients,
        report,
        train_cnn,
        under_pytorch,
    )

    data = digits.load()
    sections: list[report.Section] = []

    def job(run: Callable[[], Any]) -> Any:
        before, started = torch.debug.stats(), time.perf_counter()
        result = run()
        section = result[0] if isinstance(result, tuple) else result
        section.seconds = time.perf_counter() - started
        after = torch.debug.stats()
        section.compiles, section.runs, section.ops = [
            after[k] - before[k] for k in ("programs", "runs", "ops")
        ]
        section.preparing = sum(after[k] - before[k] for k in PREPARING)
        sections.append(section)
        print(
            f"    {section.title}: {section.outcome} ({section.seconds:.1f} s, {section.compiles} programs compiled)"
        )
        return result

    _, model = job(lambda: train_cnn.run(data))
    job(lambda: per_sample_gradients.run(data, model))
    job(lambda: ensemble.run(data))
    job(lambda: hessian.run(data))
    for section, took in zip(sections, under_pytorch.seconds()):
        section.pytorch = took
    path = report.write(sections, out, _versions())
    print(f"{sum(s.seconds for s in sections):.0f} s in all. The report: {path.resolve()}")


def _versions() -> str:
    import jax

    devices = ", ".join(sorted({d.device_kind for d in jax.devices()}))
    return f"functorch_lite {torch.__version__}, JAX {jax.__version__} on {devices}, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
