"""Records what PyTorch's distributions tell (tests/distributions/cases.py): python -m tests.golden.make_distributions.
Needs torch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from torch.distributions.kl import _KL_REGISTRY

from tests.distributions import cases

PATH = Path(__file__).parent / "distributions.json"


def plain(found: dict) -> dict:
    """Facts as JSON: arrays as nested lists of numbers with 12 digits; what is not finite as a word."""
    return {k: _listed(v) if isinstance(v, np.ndarray) else v for k, v in found.items()}


def _listed(a: np.ndarray):
    if a.ndim:
        return [_listed(x) for x in a]
    x = a.item()
    return x if isinstance(x, int) else float(f"{x:.12g}") if np.isfinite(x) else str(x)


def record() -> dict:
    """All facts, by name."""
    between = cases.pairs(_KL_REGISTRY) + cases.MORE_PAIRS
    return {
        "cases": {f"{i}-{c.name}": plain(cases.facts(torch, c)) for i, c in enumerate(cases.CASES)},
        "divergences": {f"{p}-{q}": plain(cases.divergence(torch, p, q)) for p, q in between},
    }


if __name__ == "__main__":
    lines = []
    for part, found in record().items():
        inner = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in found.items())
        lines.append(f" {json.dumps(part)}: {{\n{inner}\n }}")
    PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n")
