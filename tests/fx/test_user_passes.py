"""Passes written for torch.fx, unchanged: under PyTorch's names, given by this library, they do what they do under
PyTorch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parent / "user_passes.py"
GOLDEN = Path(__file__).parent.parent / "golden" / "fx_user_passes.json"


def run(*how: str) -> list[str]:
    """The lines that the program prints."""
    done = subprocess.run(
        [sys.executable, *how, str(PROGRAM)], capture_output=True, text=True, cwd=PROGRAM.parents[2]
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


def test_passes():
    assert run("-m", "functorch_lite.compat") == json.loads(GOLDEN.read_text())


@pytest.mark.parity
def test_the_record_is_pytorchs():
    pytest.importorskip("torch")
    assert run() == json.loads(GOLDEN.read_text())


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(run(), indent=1) + "\n")
