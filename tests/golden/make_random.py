"""Records what torch draws: `python -m tests.golden.make_random` writes tests/golden/random.json (needs torch)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch

from tests.random_draws import DRAWS, run

GOLDEN = Path(__file__).parent / "random.json"


def packed(array: np.ndarray) -> list:
    """Dtype, shape, and the numbers with all their digits."""
    parts = array.view(array.real.dtype) if array.dtype.kind == "c" else array
    return [array.dtype.name, list(array.shape), parts.reshape(-1).tolist()]


def main() -> None:
    """Records every draw, and states of the generator."""
    draws = {name: [packed(a) for a in run(torch, name)] for name in DRAWS}
    torch.manual_seed(9)
    torch.rand(700)
    torch.randn(3)
    state = torch.get_rng_state().numpy().tobytes().hex()
    after = torch.randn(3).tolist()
    lines = [f"{json.dumps(name)}: {json.dumps(made)}" for name, made in draws.items()]
    GOLDEN.write_text(
        f'{{"torch": "{torch.__version__}", "state": "{state}", "after": {after}, "draws": {{\n'
        + ",\n".join(lines)
        + "\n}}\n"
    )


if __name__ == "__main__":
    main()
