"""The few names of torch._C that programs write: how to turn overrides off."""

from __future__ import annotations

from ._core.api import DisableTorchFunction, DisableTorchFunctionSubclass
from ._core.api import disabled as _disabled_torch_function_impl

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "_disabled_torch_function_impl"]
