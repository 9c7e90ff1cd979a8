"""Records torch's learning rates: `python -m tests.golden.make_lr_scheduler` writes lr_scheduler.json (needs torch)."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import torch

from tests.optim.schedules import CLOSED_FORM, SCHEDULES, run


def optimizer(kind: str) -> torch.optim.Optimizer:
    groups = [
        {"params": [torch.nn.Parameter(torch.ones(1))]},
        {"params": [torch.nn.Parameter(torch.ones(1))], "lr": 0.37},
    ]
    if kind == "adam":
        return torch.optim.Adam(groups, lr=0.1)
    return torch.optim.SGD(groups, lr=0.1, momentum=0.9)


def main() -> None:
    warnings.simplefilter("ignore")
    records: dict = {"torch": torch.__version__, "rows": {}, "closed": {}, "keys": {}}
    for name, make in SCHEDULES.items():
        kind = "adam" if "cycl" in name else "sgd"
        for k in {kind, "sgd"}:
            records["rows"][f"{name}/{k}"] = run(name, torch.optim.lr_scheduler, optimizer(k))
        scheduler = make(torch.optim.lr_scheduler, optimizer("sgd"))
        records["keys"][name] = list(scheduler.state_dict())
        if name in CLOSED_FORM:
            scheduler.step(6)
            records["closed"][name] = scheduler.get_last_lr()
    Path(__file__).with_name("lr_scheduler.json").write_text(json.dumps(records) + "\n")


if __name__ == "__main__":
    main()
