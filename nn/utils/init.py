"""Modules whose parameters are not given initial values."""

from __future__ import annotations

import inspect
from typing import Any

from functorch_lite.nn.modules import Module
from functorch_lite.random import fork_rng

__all__ = ["skip_init"]


def skip_init(module_cls: type, *args: Any, **kwargs: Any) -> Module:
    """module_cls(*args, **kwargs), whose parameters hold values that are not to be relied on; no random state is used
    up.

    Args:
        module_cls: the class of the module.

    >>> skip_init(nn.Linear, 3, 4).weight.shape
    torch.Size([4, 3])
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    with fork_rng():
        return module_cls(*args, **kwargs)
