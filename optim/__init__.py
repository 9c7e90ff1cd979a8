"""torch.optim: optimizers and learning rate schedulers. Each step is one compiled program; see fused.py for how."""

from __future__ import annotations

from pathlib import Path

from functorch_lite._core import recorder
from functorch_lite.optim import lr_scheduler
from functorch_lite.optim.adam import Adam, Adamax, AdamW, NAdam, RAdam
from functorch_lite.optim.algorithms import ASGD, SGD, Adadelta, Adagrad, RMSprop, Rprop
from functorch_lite.optim.optimizer import Optimizer

__all__ = [
    "ASGD",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "lr_scheduler",
]

if __name__ != "functorch_lite.optim":
    raise ImportError(f"import this package as functorch_lite.optim, not as {__name__}")

recorder.LIBRARY += (str(Path(__file__).parent),)
