"""Whole scripts, unchanged, under PyTorch and under functorch_lite with PyTorch's random numbers: they print the same.

Those with a command line are run by `python -m functorch_lite.compat` too, as users run them."""

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
    # a script is short, compiling is not
    "XLA_FLAGS": "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false",
}
ONE_PROCESS = {
    "RANK": "0",
    "LOCAL_RANK": "0",
    "WORLD_SIZE": "1",
    "MASTER_ADDR": "127.0.0.1",
    "MASTER_PORT": "0",
}
RUNS = {
    "siamese": [(["--loss", loss], {}) for loss in ("triplet", "contrastive", "pairs")],
    "word_language_model": [(["--model", model], {}) for model in ("LSTM", "Transformer")],
    "train_gpt": [
        ([], {}),
        (["--init_from=resume", "--max_iters=30"], {}),
        (["--init_from=resume", "--max_iters=40"], ONE_PROCESS),
    ],
}
"""Command lines of scripts, one after the other in one folder, and what is in the environment."""
ONLY_PYTORCHS = {"train_gpt": ["--compile=False"]}
"""PyTorch's compiler would need one for C++."""
NUMBER = re.compile(r"-?\d+\.\d*(?:e[-+]\d+)?")


def printed(*command: str, folder: Path | None = None, **more: str) -> str:
    command = (sys.executable, *command)
    environment = {**ENVIRONMENT, **more}
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=environment, cwd=folder)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def assert_same(ours: str, theirs: str) -> None:
    assert NUMBER.sub("#", ours) == NUMBER.sub("#", theirs)
    got, expected = (list(map(float, NUMBER.findall(text))) for text in (ours, theirs))
    assert got == pytest.approx(
        expected, rel=5e-3, abs=2e-3
    )  # the last of the digits shown may be rounded otherwise


@pytest.mark.parametrize("script", sorted(p.stem for p in SCRIPTS.glob("*.py")))
def test_prints_what_it_prints_under_torch(script, tmp_path):
    if script not in SHORT and os.environ.get("FUNCTORCH_LITE_PARITY") != "full":
        pytest.skip("long: runs with FUNCTORCH_LITE_PARITY=full")
    path = str(SCRIPTS / f"{script}.py")
    folders = [tmp_path / name for name in ("ours", "theirs", "as_users_do")]
    for folder in folders:
        folder.mkdir()
    for i, (arguments, more) in enumerate(RUNS.get(script, [([], {})])):
        theirs = printed(path, *arguments, *ONLY_PYTORCHS.get(script, []), folder=folders[1], **more)
        ours = printed("-c", STARTER, path, *arguments, folder=folders[0], **more)
        assert_same(ours, theirs)
        if script in RUNS and i == 0:
            plain = printed("-m", "functorch_lite.compat", path, *arguments, folder=folders[2], **more)
            assert NUMBER.sub("#", plain) == NUMBER.sub("#", theirs)
