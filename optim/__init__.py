"""torch.optim: optimizers and learning rate schedulers. Each step is one compiled program; see fused.py for how."""

from __future__ import annotations

from functorch_lite._core.api import tracebacks
from functorch_lite.api_names import close, missing
from functorch_lite.optim import lr_scheduler
from functorch_lite.optim.adam import Adam, Adamax, AdamW, NAdam, RAdam
from functorch_lite.optim.algorithms import ASGD, SGD, Adadelta, Adagrad, RMSprop, Rprop
from functorch_lite.optim.lbfgs import LBFGS
from functorch_lite.optim.matrix import Adafactor, Muon
from functorch_lite.optim.optax_optimizer import Optax
from functorch_lite.optim.optimizer import Optimizer
from functorch_lite.optim.pure import functional
from functorch_lite.optim.sparse_adam import SparseAdam

__all__ = [
    "ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax", "Muon", "NAdam", "Optax",
    "Optimizer", "RAdam", "RMSprop", "Rprop", "SparseAdam", "functional", "lr_scheduler", "swa_utils",
]  # fmt: skip

if __name__ != "functorch_lite.optim":
    raise ImportError(f"import this package as functorch_lite.optim, not as {__name__}")

tracebacks.add_folder(__file__)


def __getattr__(name: str):
    if name == "swa_utils":  # built on nn, which need not be loaded before
        import importlib

        return importlib.import_module("functorch_lite.optim.swa_utils")
    raise missing(__name__, name)


close(__name__)
