"""Modules of `_core` under the names that pickles of 0.1 before its rooms have for them: dtypes, devices, sizes,
tensors, storages."""

from __future__ import annotations

import sys

from .call import methods, size, storage
from .lazy import tensor, value
from .words import device as device
from .words import dtypes, memory_format

__all__ = ["MODULES"]

MODULES = (device, dtypes, memory_format, methods, size, storage, tensor, value)

for _module in MODULES:
    sys.modules[f"{__package__}.{_module.__name__.rpartition('.')[2]}"] = _module
