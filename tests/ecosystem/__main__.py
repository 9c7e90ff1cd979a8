"""`python -m tests.ecosystem [--write docs/ecosystem.md] [package …]`: runs the smoke programs, each in a process of
its own; see `make ecosystem`."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import textwrap
import time
from pathlib import Path

from tests.ecosystem.programs import PROGRAMS

DISTRIBUTIONS = {
    "pyro": "pyro-ppl",
    "curvlinops": "curvlinops-for-pytorch",
    "laplace": "laplace-torch",
    "ignite": "pytorch-ignite",
}
"""Names on PyPI that are not those of the packages."""

ROOT = Path(__file__).parents[2]
LIMIT_S = 900


def run(package: str) -> tuple[bool, str]:
    """(whether its program ran, the last line of its error)."""
    began = time.monotonic()
    program = "import functorch_lite.compat as compat\ncompat.install_as_torch()\n" + textwrap.dedent(
        PROGRAMS[package]
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, timeout=LIMIT_S, cwd=ROOT
        )
    except subprocess.TimeoutExpired:
        return False, f"not done after {LIMIT_S} s"
    if done.returncode == 0:
        return True, f"{time.monotonic() - began:.0f} s"
    lines = [line for line in done.stderr.splitlines() if line.strip() and not line.startswith(" ")]
    return False, lines[-1] if lines else f"exit code {done.returncode}"


def version(package: str) -> str:
    package = package.partition(" ")[0]
    try:
        return importlib.metadata.version(DISTRIBUTIONS.get(package, package))
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def main(arguments: list[str]) -> int:
    target = None
    if arguments[:1] == ["--write"]:
        target, arguments = Path(arguments[1]), arguments[2:]
    rows, ran = [], 0
    for package in arguments or list(PROGRAMS):
        good, told = run(package)
        ran += good
        print(f"{package:26} {version(package):12} {'runs' if good else 'refused'}  {told}", flush=True)
        rows.append(
            f"| {package} | {version(package)} | {'runs' if good else 'no'} | {'' if good else told.replace('|', ' ')} |"
        )
    if target is not None:
        page = target.read_text()
        head, mark, _ = page.partition("<!-- results -->\n")
        target.write_text(
            f"{head}{mark}{ran} of {len(rows)} run.\n\n| program | version | | last line of its error |\n|---|---|---|---|\n"
            + "\n".join(rows)
            + "\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
