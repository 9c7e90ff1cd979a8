"""The few names of torch._C that programs write: how to turn overrides off, and questions of which the answer is always the same."""

from __future__ import annotations

from typing import Any

from .._core.api import DisableTorchFunction, DisableTorchFunctionSubclass, Size, Tensor
from .._core.api import disabled as _disabled_torch_function_impl

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "_disabled_torch_function_impl"]

TensorBase = _TensorBase = Tensor
_Size = Size
_TensorMeta = type(Tensor)


class PyTorchFileReader:
    """PyTorch's reader of its files, which libraries name. torch.load reads them here."""

    def __init__(self, *args: Any):
        raise NotImplementedError("torch.PyTorchFileReader: torch.load reads files")


def _log_api_usage_once(event: str) -> None:
    """Nothing is logged."""


def _get_tracing_state() -> None:
    """None: functions run in Python each time."""
    return None


def _is_tracing() -> bool:
    """False."""
    return False


def _jit_set_profiling_executor(value: bool) -> bool:
    """True, the setting before; TorchScript runs no program here."""
    return True


def _jit_set_profiling_mode(value: bool) -> bool:
    """True, the setting before; TorchScript runs no program here."""
    return True


def _get_privateuse1_backend_name() -> str:
    """The name of the device that others may add, of which there is none."""
    return "privateuseone"
