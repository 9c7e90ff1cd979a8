"""Records what the programs of tests/nn/protocol tell with torch: `python -m tests.golden.make_module_protocol` (needs
torch)."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from tests.nn.protocol import PROGRAMS, run

GOLDEN = Path(__file__).parent / "module_protocol.json"


def main() -> None:
    """Writes tests/golden/module_protocol.json: for each program the lines that it told, each as JSON."""
    facts = {name: [json.dumps(line) for line in run(name, torch)] for name in PROGRAMS}
    GOLDEN.write_text(json.dumps(facts, indent=0, ensure_ascii=False) + "\n")
    print(f"{len(facts)} programs, {GOLDEN.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
