"""Records what PyTorch gives for `tests/tensor_cases.py`: `python -m tests.golden.make_tensor_cases` (needs torch)."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.tensor_cases import CASES, outcome

GOLDEN = Path(__file__).parent / "tensor_cases.json"

if __name__ == "__main__":
    torch.manual_seed(0)
    known = {name: outcome(fn, torch) for name, fn in sorted(CASES.items())}
    lines = [
        f"{json.dumps(name)}: {json.dumps(found, separators=(',', ':'))}" for name, found in known.items()
    ]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(known)} cases, {GOLDEN.stat().st_size} bytes")
