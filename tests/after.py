"""What follows a new or changed op, in one command: `python -m tests.after NAME [NAME …]` writes what is made from
declarations and samples, and runs its tests.

    tests/golden/ops.json       what PyTorch does with its samples (where PyTorch is installed)
    tests/golden/results.json   what kind of thing it gives
    docs/transforms.md          its row: which transforms it works in
    *.pyi                       what type checkers and editors see
    */README.md                 the tables of files

Names are as in `tests/samples/`: `logaddexp`, `linalg.inv`, `nn.functional.gelu`. `--write` leaves the tests out.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import functorch_lite.nn.functional  # noqa: F401  # declares its ops
from functorch_lite._core.api import OPS
from tests.samples import all_samples

ROOT = Path(__file__).parents[1]

LISTS = (
    "tests/test_samples_complete.py",
    "tests/test_stubs.py::test_they_are_in_step",
    "tests/test_transform_matrix.py::test_page_lists_every_op",
    "tests/core/test_op_names.py",
    "tests/test_readmes.py",
)
"""Tests of what lists all ops."""


def run(*arguments: str, **environment: str) -> int:
    """Runs this Python with arguments, which it prints."""
    print("$ python", *arguments, flush=True)
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, env=os.environ | environment).returncode


def check_names(names: list[str]) -> None:
    """Ends the program where a name has no samples."""
    for name in names:
        if name not in all_samples():
            close = difflib.get_close_matches(name, all_samples(), 3)
            raise SystemExit(
                f"tests/samples/ has no samples of {name!r}{f'; of {close} it has' if close else ''}"
            )


def write(names: list[str]) -> int:
    """Writes all that is made from the declarations and samples of these ops; 0 if nothing failed."""
    failed = 0
    if importlib.util.find_spec("torch") is not None:
        failed |= run("-m", "tests.golden.make_ops", *names)
    else:
        print("PyTorch is not installed (`make venv` does it): what it gives is not recorded")
    failed |= run("-m", "tests.transform_matrix", *names, "--write")
    failed |= run("-m", "tests.stubs", "--write", "--results", *names)
    failed |= run("-m", "tests.readmes", "--write")
    return failed


def test(names: list[str]) -> int:
    """Runs the tests of these ops, with all their samples, and of what lists all ops; 0 if all passed."""
    of_ops = [
        f"tests/test_ops.py::{test}[{name}]" for name in names for test in ("test_op", "test_op_by_numpy")
    ]
    if importlib.util.find_spec("torch") is not None:
        of_ops += [f"tests/parity/test_ops_parity.py::test_op_equals_torch[{name}]" for name in names]
    modules = dict.fromkeys(OPS[name].fn.__module__ for name in names if name in OPS)
    examples = [f"tests/test_docstrings.py::test_examples[{module}]" for module in modules]
    failed = run("-m", "pytest", *of_ops, FUNCTORCH_LITE_PARITY="full")
    return failed | run("-m", "pytest", *examples, *LISTS)


def main(arguments: list[str]) -> None:
    """Writes and tests what the arguments name."""
    names = [a for a in arguments if a != "--write"]
    if not names:
        raise SystemExit(__doc__)
    check_names(names)
    failed = write(names)
    if "--write" not in arguments:
        failed |= test(names)
    raise SystemExit(failed)


if __name__ == "__main__":
    main(sys.argv[1:])
