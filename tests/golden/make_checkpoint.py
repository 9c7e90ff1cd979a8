"""Writes `tests/golden/checkpoint.pt` with PyTorch: `python -m tests.golden.make_checkpoint` (needs torch)."""

from __future__ import annotations

import os
from collections import OrderedDict
from pathlib import Path

GOLDEN = Path(__file__).parent / "checkpoint.pt"


def contents(M):
    """What is in the checkpoint, made by the library M."""
    base = M.arange(12.0).reshape(3, 4)
    weight = M.nn.Parameter(M.ones(2, 2))
    return {
        "base": base,
        "rows": base[1:],
        "turned": base.t(),
        "half": M.tensor([1.0, 2]).to(M.bfloat16),
        "float8": M.ones(2).to(M.float8_e4m3fn),
        "integers": M.tensor([1, -2]),
        "bools": M.tensor([True, False]),
        "complex": M.tensor([1 + 2j]),
        "empty": M.zeros(0, 3),
        "number": M.tensor(3.0),
        "leaf": M.ones(1, requires_grad=True),
        "weight": weight,
        "tied": weight,
        "ordered": OrderedDict(a=M.zeros(2)),
        "plain": [1, 2.5, "text", None, (1, 2), True, 10**20, b"bytes", {3}],
        "size": M.Size([1, 2]),
    }


if __name__ == "__main__":
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(model.parameters())
    torch.manual_seed(0)
    model(torch.ones(4, 2) * torch.arange(4.0)[:, None]).pow(2).sum().backward()
    optimizer.step()
    made = {**contents(torch), "model": model.state_dict(), "optimizer": optimizer.state_dict()}
    torch.save(made, GOLDEN)
    print(os.path.getsize(GOLDEN), "bytes")
