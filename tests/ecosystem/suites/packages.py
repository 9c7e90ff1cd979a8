"""Which packages' suites run, and where their tests are in what PyPI has of them."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

REQUIREMENTS = Path(__file__).parents[1] / "requirements.txt"


@dataclass(frozen=True)
class Suite:
    """A package's suite: `tests` are the folders or files that pytest collects, in the unpacked sdist; none, where the
    sdist has no tests.

    `hidden` is the folder of the package in the sdist, which is put aside where the installed one has compiled parts
    that it lacks. `why` says what is left out, `env` is set while they run.
    """

    distribution: str
    tests: tuple[str, ...] = ("tests",)
    hidden: str = ""
    why: str = ""
    env: tuple[tuple[str, str], ...] = ()

    @property
    def version(self) -> str:
        """The pinned one."""
        found = re.search(
            rf"^{re.escape(self.distribution)}==(\S+)", REQUIREMENTS.read_text(), re.MULTILINE | re.IGNORECASE
        )
        if found is None:
            raise LookupError(f"{self.distribution} has no version in {REQUIREMENTS}")
        return found[1]


NO_TESTS = "its sdist has no tests"

SUITES: dict[str, Suite] = {
    "opacus": Suite("opacus", ("opacus/tests",)),
    "curvlinops": Suite("curvlinops-for-pytorch", ("test",)),
    "backpack": Suite("backpack-for-pytorch", ("test",)),
    "higher": Suite(
        "higher",
        (),
        why="its sdist is none that pip can read: a file that its setup.py asks for is not in it",
    ),
    "torchopt": Suite("torchopt", hidden="torchopt"),
    "laplace": Suite("laplace-torch", (), why=NO_TESTS),
    "gpytorch": Suite("gpytorch", ("test",)),
    "linear_operator": Suite("linear-operator", ("test",)),
    "botorch": Suite("botorch", (), why=NO_TESTS),
    "pyro": Suite("pyro-ppl", why="most of its tests are not in its sdist"),
    "zuko": Suite("zuko"),
    "einops": Suite("einops", ("einops/tests",), env=(("EINOPS_TEST_BACKENDS", "numpy,torch"),)),
    "e3nn": Suite("e3nn"),
    "captum": Suite("captum", (), why=NO_TESTS),
    "kornia": Suite("kornia", (), why=NO_TESTS),
    "skorch": Suite("skorch", ("skorch/tests",)),
    "ignite": Suite("pytorch-ignite", ("tests/ignite",)),
    "tensordict": Suite("tensordict", (), why="it has no sdist"),
    "torchmetrics": Suite("torchmetrics", (), why=NO_TESTS),
    "torch_geometric": Suite("torch_geometric", (), why=NO_TESTS),
    "timm": Suite("timm"),
    "x_transformers": Suite("x-transformers", (), why=NO_TESTS),
    "diffusers": Suite("diffusers", (), why=NO_TESTS),
    "peft": Suite("peft"),
    "accelerate": Suite("accelerate"),
    "lightning": Suite("lightning", (), why=NO_TESTS),
}


def fetch(suite: Suite, folder: Path) -> Path:
    """The unpacked sdist of the suite's package, in `folder`; downloaded by pip, where it is not there yet.

    pip asks an sdist for its metadata, by the tools that it names. They are installed here (`requirements.txt`), since
    one of them is PyTorch.
    """
    target = folder / "sdist"
    if target.exists():
        return next(target.iterdir())
    if not [*folder.glob("*.tar.gz")]:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
        command += [
            "--no-binary",
            suite.distribution,
            "--dest",
            str(folder),
            f"{suite.distribution}=={suite.version}",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{suite.distribution}: {' '.join(done.stderr.split())[-300:]}")
    archives, partial = [*folder.glob("*.tar.gz")], folder / "unpacked"
    shutil.rmtree(partial, ignore_errors=True)
    with tarfile.open(archives[0]) as archive:
        archive.extractall(partial, filter="data")
    root = next(partial.iterdir())
    if suite.hidden:
        (root / suite.hidden).rename(root / f"{suite.hidden}.aside")
    partial.rename(target)
    return target / root.name
