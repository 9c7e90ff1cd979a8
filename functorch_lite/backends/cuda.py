"""torch.backends.cuda: whether JAX can use a GPU, and how precise float32 products are there."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator

from .._core.api import is_available
from ..nn.attention import SDPBackend, enable_backend, enabled_backends, sdpa_kernel
from ..tensors.settings import get_float32_matmul_precision, set_float32_matmul_precision

__all__ = [
    "cudnn_sdp_enabled", "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp", "flash_sdp_enabled", "is_built",
    "math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled", "sdp_kernel",
]  # fmt: skip


class _MatmulSettings:
    """`allow_tf32` is `set_float32_matmul_precision` in other words; the others may be set and read, and change
    nothing."""

    __slots__ = ("allow_bf16_reduced_precision_reduction", "allow_fp16_reduced_precision_reduction")

    def __init__(self) -> None:
        self.allow_fp16_reduced_precision_reduction = True
        self.allow_bf16_reduced_precision_reduction = True

    @property
    def allow_tf32(self) -> bool:
        """Returns whether float32 products may be computed in TensorFloat32: ten bits of the factors, and several times as
        fast."""
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        if not isinstance(allowed, bool):
            raise RuntimeError(f"set_allow_tf32_cublas expects a bool, but got {type(allowed).__name__}")
        set_float32_matmul_precision("high" if allowed else "highest")


matmul = _MatmulSettings()


def is_built() -> bool:
    """Returns whether JAX has a GPU."""
    return is_available("cuda")


def _switch(backend: SDPBackend, what: str) -> tuple[Callable[[bool], None], Callable[[], bool]]:
    """Returns the functions that enable a backend of attention, and that say whether it is."""

    def enable(enabled: bool) -> None:
        enable_backend(backend, bool(enabled))

    def is_enabled() -> bool:
        return backend in enabled_backends()

    enable.__doc__ = (
        f"Says whether attention may be computed by {what}. XLA computes the same attention in either case; "
        "`torch.nn.attention.sdpa_kernel` says it for a block."
    )
    is_enabled.__doc__ = f"Whether attention may be computed by {what}, as was last said."
    return enable, is_enabled


enable_flash_sdp, flash_sdp_enabled = _switch(SDPBackend.FLASH_ATTENTION, "FlashAttention")
enable_mem_efficient_sdp, mem_efficient_sdp_enabled = _switch(
    SDPBackend.EFFICIENT_ATTENTION, "memory-efficient attention"
)
enable_math_sdp, math_sdp_enabled = _switch(SDPBackend.MATH, "PyTorch's composition of ops")
enable_cudnn_sdp, cudnn_sdp_enabled = _switch(SDPBackend.CUDNN_ATTENTION, "cuDNN")
for _name in __all__:
    if _name.endswith(("_sdp", "_sdp_enabled")):
        globals()[_name].__name__ = globals()[_name].__qualname__ = _name


def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> contextlib.AbstractContextManager[dict]:
    """A context that asks for kernels of attention. Deprecated: use nn.attention.sdpa_kernel, which this is."""
    asked = {
        "FLASH_ATTENTION": enable_flash,
        "EFFICIENT_ATTENTION": enable_mem_efficient,
        "MATH": enable_math,
        "CUDNN_ATTENTION": enable_cudnn,
    }
    return _sdp_kernel([name for name, enabled in asked.items() if enabled])


@contextlib.contextmanager
def _sdp_kernel(asked: list[str]) -> Iterator[dict]:
    warnings.warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
        "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
        stacklevel=3,
    )
    with sdpa_kernel([SDPBackend[name] for name in asked]) as context:
        yield context
