"""Records what every module class is and does in torch: `python -m tests.golden.make_modules` (needs torch)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import torch

from tests.nn.module_cases import CASES, Case
from tests.nn.module_runs import arrays, fill, made, run, summary

GOLDEN = Path(__file__).parent / "modules.json"


def facts(c: Case) -> dict[str, Any]:
    """repr; keys, shapes and dtypes of the state; what the constructor draws after manual_seed(0); for each mode a
    summary of outputs, gradients and buffers, with parameters that do not depend on chance."""
    module = made(torch, c)
    lazy = c.name.startswith("Lazy")
    state = module.state_dict()
    found: dict[str, Any] = {"repr": repr(module)}
    found["state"] = [[k, None if lazy else list(v.shape), str(v.dtype)] for k, v in state.items()]
    if not lazy:
        found["initial"] = [summary(*x)[2] for x in arrays(state).values()]
    fill(torch, module, c)
    for training in c.modes:
        torch.manual_seed(1)
        results = arrays(run(torch, module, c, training))
        found["training" if training else "eval"] = {k: summary(*x) for k, x in results.items()}
    return found


def main() -> None:
    """Writes tests/golden/modules.json: the facts of each case."""
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    lines = [f"{json.dumps(f'{n}-{c.name}')}: {json.dumps(facts(c))}" for n, c in enumerate(CASES)]
    GOLDEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{len(lines)} modules, {GOLDEN.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()
