"""nn.Module's protocol side by side with PyTorch: all that the programs of tests/nn/protocol tell."""

from __future__ import annotations

import pytest

import functorch_lite as ours
from tests.nn.protocol import PROGRAMS, run

pytestmark = pytest.mark.parity
theirs = pytest.importorskip("torch")


@pytest.fixture(autouse=True)
def _draws_as_torch_does():
    generator = ours.random.default_generator
    engine = generator.engine
    generator.use_engine("mt19937")
    yield
    generator.use_engine(engine)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_tells(name):
    assert run(name, ours) == run(name, theirs)
