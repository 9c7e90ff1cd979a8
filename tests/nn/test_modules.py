"""repr and state_dict of every module class are PyTorch's, by recorded facts (tests/golden/modules.json)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest

import functorch_lite as torch
from tests.nn.module_cases import CASES

GOLDEN = json.loads((Path(__file__).parent.parent / "golden" / "modules.json").read_text())


@pytest.mark.parametrize("n", range(len(CASES)), ids=[c.name for c in CASES])
def test_repr_and_state_dict(n):
    c = CASES[n]
    known = GOLDEN.get(f"{n}-{c.name}")
    assert known is not None, "run `python -m tests.golden.make_modules` (needs torch)"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = c.make(torch.nn, torch)
    assert repr(module) == known["repr"]
    lazy = c.name.startswith("Lazy")
    state = [[k, None if lazy else list(v.shape), str(v.dtype)] for k, v in module.state_dict().items()]
    assert state == known["state"]
