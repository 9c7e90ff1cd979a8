"""Records what PyTorch gives for `tests/override_programs.py` and `override_modes.py`:
`python -m tests.golden.make_override_programs` (needs torch)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch

from tests.override_modes import CASES, outcome

GOLDEN = Path(__file__).parent / "override_programs.json"

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    known = {name: outcome(fn, torch) for name, fn in sorted(CASES.items())}
    lines = [
        f"{json.dumps(name)}: {json.dumps(found, separators=(',', ':'))}" for name, found in known.items()
    ]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(known)} cases, {GOLDEN.stat().st_size} bytes")
