"""The few names of torch._C that programs write: how to turn overrides off, and questions of which the answer is always
the same."""

from __future__ import annotations

from typing import Any

from .._core.api import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    Size,
    Tensor,
    UntypedStorage,
    overrides,
    state,
)
from .._core.api import disabled as _disabled_torch_function_impl
from ..random.generator import Generator as Generator
from ..tensors.linalg import LinAlgError

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "_disabled_torch_function_impl"]

TensorBase = _TensorBase = Tensor
_Size = Size
StorageBase = UntypedStorage  # the only kind of storage: one with a dtype is in front of it
_TensorMeta = type(Tensor)
_LinAlgError = LinAlgError


class PyTorchFileReader:
    """PyTorch's reader of its files, which libraries name. torch.load reads them here."""

    def __init__(self, *args: Any):
        raise NotImplementedError("torch.PyTorchFileReader: torch.load reads files")


def _log_api_usage_once(event: str) -> None:
    """Does nothing: nothing is logged."""


def _get_tracing_state() -> None:
    """None: functions run in Python each time."""
    return None


def _is_tracing() -> bool:
    """False."""
    return False


def _are_functorch_transforms_active() -> bool:
    """Returns whether a transform of torch.func runs: vmap, or one that differentiates."""
    rec = state.rec
    while rec.level:
        if rec.kind.letters or rec.kind.batches:
            return True
        rec = rec.outer
    return False


def _is_torch_function_mode_enabled() -> bool:
    """Returns whether a TorchFunctionMode is on."""
    return bool(overrides.here.modes)


def _is_alias_of(x: Tensor, y: Tensor) -> bool:
    """Returns whether two tensors share memory."""
    return x._cell is y._cell


def _jit_set_profiling_executor(value: bool) -> bool:
    """True, the setting before; TorchScript runs no program here."""
    return True


def _jit_set_profiling_mode(value: bool) -> bool:
    """True, the setting before; TorchScript runs no program here."""
    return True


def _get_privateuse1_backend_name() -> str:
    """The name of the device that others may add, of which there is none."""
    return "privateuseone"


class DispatchKey:
    """The keys by which PyTorch's dispatcher chooses a kernel; without a dispatcher they are only names."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"DispatchKey.{self.name}"


for _name in "AutocastCPU AutocastCUDA AutocastXPU AutogradCPU AutogradCUDA CPU CUDA CompositeImplicitAutograd Meta Python".split():
    setattr(DispatchKey, _name, DispatchKey(_name))


class DispatchKeySet:
    """Some of these keys."""

    def __init__(self, *keys: DispatchKey):
        self.keys = frozenset(keys)

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys | other.keys))

    def has(self, key: DispatchKey) -> bool:
        """Returns whether a key is among them."""
        return key in self.keys


class _ExcludeDispatchKeyGuard:
    """Raises NotImplementedError: no kernels exist that could be excluded."""

    def __init__(self, keys: DispatchKeySet):
        raise NotImplementedError(
            "torch._C._ExcludeDispatchKeyGuard: not supported, because this library has no dispatcher"
        )
