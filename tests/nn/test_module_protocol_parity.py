"""nn.Module's protocol side by side with PyTorch: all that the programs of tests/nn/protocol tell."""

from __future__ import annotations

import pytest

import functorch_lite as ours
from tests.nn.protocol import PROGRAMS, run

pytestmark = [pytest.mark.parity, pytest.mark.usefixtures("draws_as_torch_does")]
theirs = pytest.importorskip("torch")


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_tells(name):
    assert run(name, ours) == run(name, theirs)
