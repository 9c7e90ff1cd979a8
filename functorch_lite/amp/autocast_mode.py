"""autocast as a context and a decorator, the functions that ask for its state, and custom_fwd, custom_bwd."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from .._core.api import Tensor, composite, dtypes
from .._core.api import autocast as state
from .._core.api import devices as devices
from .._core.api import dtype as DType

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_KINDS = (
    "cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps, meta, hpu, mtia, "
    "privateuseone"
)


def _kind(device_type: Any) -> str:
    """The kind of device a string names; torch's RuntimeError for what is none."""
    kind = str(device_type).split(":")[0]
    if kind not in _KINDS.split(", "):
        raise RuntimeError(f"Expected one of {_KINDS} device type at start of device string: {device_type}")
    return kind


def is_autocast_available(device_type: str) -> bool:
    """Returns whether autocast exists for this kind of device."""
    return _kind(device_type) in state.KINDS


def _known(device_type: Any) -> str:
    kind = _kind(device_type)
    if kind not in state.KINDS:
        raise RuntimeError(f"User specified an unsupported autocast device_type '{kind}'")
    return kind


def _supported(kind: str) -> tuple[DType, ...]:
    both = (dtypes.bfloat16, dtypes.float16)
    return both if kind == "cpu" else (*both, dtypes.float32)


class autocast:
    """A context (or decorator) in which functions choose the precision they are computed in.

    Matrix products and convolutions take their tensors in `dtype` (bfloat16 on CPU, float16 on CUDA by default), losses
    and the like in float32, some in the widest dtype of their arguments. float64 tensors, in-place functions and `out=`
    are left alone.

    Args:
        device_type: the type of the device: "cpu" or "cuda".
        dtype: the lower precision. None (the default) is bfloat16 on CPU and float16 on CUDA.
        enabled: whether anything is cast. Default: True.
        cache_enabled: the answer of `torch.is_autocast_cache_enabled()` inside; casts are not
            cached. None (the default) keeps it.

    >>> with autocast("cpu"):
    ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.bfloat16
    """

    def __init__(
        self,
        device_type: str,
        dtype: DType | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        self.device = _known(device_type)
        self.fast_dtype = state.get_dtype(self.device) if dtype is None else dtype
        self._cache_enabled = state.LOCAL.cache if cache_enabled is None else cache_enabled
        if enabled and self.device == "cuda" and not devices.is_available("cuda"):
            warnings.warn("CUDA is not available or torch_xla is imported. Disabling autocast.", stacklevel=2)
            enabled = False
        if enabled and self.fast_dtype not in _supported(self.device):
            name = "CPU" if self.device == "cpu" else "CUDA"
            listed = ", ".join(str(d) for d in _supported(self.device))
            warnings.warn(
                f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of {listed} currently.",
                stacklevel=2,
            )
            enabled = False
        self._enabled = enabled
        self._before: list[tuple] = []

    def __enter__(self) -> autocast:
        kind = self.device
        self._before.append((state.is_enabled(kind), state.get_dtype(kind), state.LOCAL.cache))
        state.set_enabled(kind, self._enabled)
        state.set_dtype(kind, self.fast_dtype)
        state.LOCAL.cache = self._cache_enabled
        state.LOCAL.nesting += 1
        return self

    def __exit__(self, *exc: Any) -> Literal[False]:
        enabled, fast, cache = self._before.pop()
        state.set_enabled(self.device, enabled)
        state.set_dtype(self.device, fast)
        state.LOCAL.cache = cache
        state.LOCAL.nesting -= 1
        return False

    def __call__(self, func: Callable) -> Callable:
        @functools.wraps(func)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return decorated


# -- for autograd.Function -------------------------------------------------------------------------------------------


def _cast(value: Any, kind: str, to: DType) -> Any:
    """value with every floating point tensor of this kind of device in it cast; float64 tensors stay."""
    if isinstance(value, Tensor):
        eligible = (
            value.is_floating_point() and value.device.type == kind and value.dtype is not dtypes.float64
        )
        return value.to(to) if eligible else value  # type: ignore[attr-defined]
    if isinstance(value, str | bytes | np.ndarray):
        return value
    if isinstance(value, dict):
        return {_cast(k, kind, to): _cast(v, kind, to) for k, v in value.items()}
    if isinstance(value, list | tuple):
        parts = [_cast(v, kind, to) for v in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def custom_fwd(
    fwd: Callable | None = None, *, device_type: str, cast_inputs: DType | None = None
) -> Callable:
    """Decorator of the forward of an autograd.Function: its backward then runs with the same autocast state
    (custom_bwd).

    cast_inputs: under autocast, casts floating point tensors to this dtype and runs forward without autocast.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    kind = _known(device_type)

    @functools.wraps(fwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        ctx._dtype = state.get_dtype(kind)
        enabled = state.is_enabled(kind)
        if cast_inputs is None:
            ctx._fwd_used_autocast = enabled
            return fwd(*args, **kwargs)
        ctx._fwd_used_autocast = False
        if not enabled:
            return fwd(*args, **kwargs)
        with autocast(kind, enabled=False):
            return fwd(*_cast(args, kind, cast_inputs), **_cast(kwargs, kind, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Callable:
    """Decorator of the backward of an autograd.Function: runs it with the autocast state that forward ran with."""
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    kind = _known(device_type)

    @functools.wraps(bwd)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        ctx = args[0]
        with autocast(kind, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(*args, **kwargs)

    return decorated


# -- of the torch namespace ------------------------------------------------------------------------------------------


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Returns whether autocast is enabled in this thread for this kind of device.

    Args:
        device_type: the type of the device: "cpu" or "cuda". Default: "cuda".

    >>> with torch.autocast("cpu"):
    ...     torch.is_autocast_enabled("cpu")
    True
    """
    return state.is_enabled(_kind(device_type))


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Enables or disables autocast: `set_autocast_enabled("cpu", True)`, or with a bool alone for CUDA.

    Args:
        device_type: the type of the device: "cpu" or "cuda".
        enabled: whether autocast is on.

    >>> torch.set_autocast_enabled("cpu", False)
    >>> torch.is_autocast_enabled("cpu")
    False
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    state.set_enabled(_known(device_type), bool(enabled))


def get_autocast_dtype(device_type: str) -> DType:
    """The dtype that autocast casts to on this kind of device.

    Args:
        device_type: the type of the device: "cpu" or "cuda".

    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    return state.get_dtype(_known(device_type))


def set_autocast_dtype(device_type: str, dtype: DType) -> None:
    """Sets the dtype that autocast casts to on this kind of device.

    Args:
        device_type: the type of the device: "cpu" or "cuda".

    >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    >>> torch.get_autocast_dtype("cpu")
    torch.bfloat16
    """
    state.set_dtype(_known(device_type), dtype)


def is_autocast_cache_enabled() -> bool:
    """Returns whether casts of parameters may be kept; a program computes equal casts once in any case.

    >>> torch.is_autocast_cache_enabled()
    True
    """
    return state.LOCAL.cache


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets what is_autocast_cache_enabled gives.

    Args:
        enabled: the answer of `is_autocast_cache_enabled()`.

    >>> torch.set_autocast_cache_enabled(True)
    >>> torch.is_autocast_cache_enabled()
    True
    """
    state.LOCAL.cache = bool(enabled)


def clear_autocast_cache() -> None:
    """Does nothing: casts are not cached, since a program computes equal casts once.

    >>> torch.clear_autocast_cache()
    """


def autocast_increment_nesting() -> int:
    """Counts one more autocast context of this thread; gives how many there are.

    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    state.LOCAL.nesting += 1
    return state.LOCAL.nesting


def autocast_decrement_nesting() -> int:
    """Counts one autocast context of this thread less; gives how many there are.

    >>> torch.autocast_increment_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    state.LOCAL.nesting -= 1
    return state.LOCAL.nesting


def is_autocast_cpu_enabled() -> bool:
    """Deprecated: is_autocast_enabled("cpu").

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.is_autocast_cpu_enabled()
    False
    """
    return state.is_enabled("cpu")


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Deprecated: set_autocast_enabled("cpu", enabled).

    Args:
        enabled: whether autocast is on for CPU.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.set_autocast_cpu_enabled(False)
    """
    state.set_enabled("cpu", bool(enabled))


def get_autocast_cpu_dtype() -> DType:
    """Deprecated: get_autocast_dtype("cpu").

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.get_autocast_cpu_dtype()
    torch.bfloat16
    """
    return state.get_dtype("cpu")


def set_autocast_cpu_dtype(dtype: DType) -> None:
    """Deprecated: set_autocast_dtype("cpu", dtype).

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.set_autocast_cpu_dtype(torch.bfloat16)
    """
    state.set_dtype("cpu", dtype)


def get_autocast_gpu_dtype() -> DType:
    """Deprecated: get_autocast_dtype("cuda").

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.get_autocast_gpu_dtype()
    torch.float16
    """
    return state.get_dtype("cuda")


def set_autocast_gpu_dtype(dtype: DType) -> None:
    """Deprecated: set_autocast_dtype("cuda", dtype).

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.set_autocast_gpu_dtype(torch.float16)
    """
    state.set_dtype("cuda", dtype)


for _function in (
    autocast, is_autocast_enabled, set_autocast_enabled, get_autocast_dtype, set_autocast_dtype, is_autocast_cache_enabled,
    set_autocast_cache_enabled, clear_autocast_cache, autocast_increment_nesting, autocast_decrement_nesting,
    is_autocast_cpu_enabled, set_autocast_cpu_enabled, get_autocast_cpu_dtype, set_autocast_cpu_dtype, get_autocast_gpu_dtype,
    set_autocast_gpu_dtype,
):  # fmt: skip
    composite(_function)
