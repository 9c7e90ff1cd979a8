"""Models as users write them, each in a file of its own, written against a `torch` module that is passed in.

A file `<name>.py` gives

    build(torch) -> model                      nn.Module, in training mode; the same source builds PyTorch's and ours
    example(rng) -> tuple of numpy arrays      the model's inputs, then whatever else the loss needs
    loss(torch, model, *tensors) -> Tensor     a scalar, from the example as tensors
    forward(torch, model, *tensors)            optional: what is compared before training; by default model(first
                                               tensor)
    optimizer(torch, model)                    optional; by default SGD with momentum

Nothing may draw random numbers while training (dropout 0): both libraries must do the same.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

MODELS: dict[str, ModuleType] = {
    m.name: importlib.import_module(f"{__name__}.{m.name}")
    for m in pkgutil.iter_modules(__path__)
    if not m.name.startswith("test_")
}
"""Every model file by name."""
