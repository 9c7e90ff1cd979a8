"""Records repr and state_dict of every module class from torch: `python -m tests.golden.make_modules` (needs torch)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch

from tests.nn.module_cases import CASES

GOLDEN = Path(__file__).parent / "modules.json"


def main() -> None:
    """Writes tests/golden/modules.json: for each case its repr and the keys, shapes and dtypes of its state_dict."""
    warnings.simplefilter("ignore")
    facts = {}
    for n, c in enumerate(CASES):
        module = c.make(torch.nn, torch)
        lazy = c.name.startswith("Lazy")
        state = [[k, None if lazy else list(v.shape), str(v.dtype)] for k, v in module.state_dict().items()]
        facts[f"{n}-{c.name}"] = {"repr": repr(module), "state": state}
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in facts.items()]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(facts)} modules")


if __name__ == "__main__":
    main()
