"""nn.Module's protocol: what the programs of tests/nn/protocol tell is what PyTorch's run told
(tests/golden/module_protocol.json)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import functorch_lite as torch
from tests.nn.protocol import PROGRAMS, run

pytestmark = pytest.mark.usefixtures("draws_as_torch_does")

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "module_protocol.json").read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_a_program_tells(name):
    assert name in GOLDEN, "run `python -m tests.golden.make_module_protocol` (needs torch)"
    told = run(name, torch)
    assert told == [json.loads(line) for line in GOLDEN[name]]
