"""DataLoaders with worker processes, beside PyTorch's: the same data, to the number, and the same errors."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import functorch_lite as torch
from tests.support.full import FULL
from tests.utils.loading_programs import PROGRAMS, SHORT, results

pytestmark = pytest.mark.parity
NAMES = list(PROGRAMS) if FULL else list(SHORT)


@pytest.fixture(scope="module")
def theirs() -> dict:
    """What the programs give in PyTorch, whose workers are forked: from a process without XLA."""
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "tests.utils.loading_programs", "torch", *NAMES]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    return json.loads(done.stdout)


@pytest.fixture(autouse=True)
def pytorchs_numbers():
    """The random numbers of PyTorch."""
    before = torch.random.default_engine()
    torch.random.set_default_engine("mt19937")
    yield
    torch.random.set_default_engine(before)


@pytest.mark.parametrize("name", NAMES)
def test_a_loader_gives_what_pytorchs_does(name, theirs):
    assert results(torch, [name])[name] == theirs[name]
