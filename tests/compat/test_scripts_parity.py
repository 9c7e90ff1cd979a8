"""Whole scripts, unchanged, under PyTorch and under functorch_lite with PyTorch's random numbers: they print the same."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

pytestmark = pytest.mark.parity
SCRIPTS = Path(__file__).parent / "scripts"
SHORT = {"classifier"}
STARTER = """
import runpy, sys
from functorch_lite import compat, random
compat.install_as_torch()
random.set_default_engine("mt19937")
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",  # PyTorch's threads wait busily for each other, beside what else is running
    "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false",  # a script is short, compiling is not
}
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")


def printed(*command: str) -> str:
    command = (sys.executable, *command)
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.mark.parametrize("script", sorted(p.stem for p in SCRIPTS.glob("*.py")))
def test_prints_what_it_prints_under_torch(script, tmp_path):
    if script not in SHORT and os.environ.get("FUNCTORCH_LITE_PARITY") != "full":
        pytest.skip("long: runs with FUNCTORCH_LITE_PARITY=full")
    path = str(SCRIPTS / f"{script}.py")
    theirs, ours = printed(path), printed("-c", STARTER, path)
    assert NUMBER.sub("#", ours) == NUMBER.sub("#", theirs)
    got, expected = (list(map(float, NUMBER.findall(text))) for text in (ours, theirs))
    assert got == pytest.approx(
        expected, rel=5e-3, abs=2e-3
    )  # the last of the digits shown may be rounded otherwise
