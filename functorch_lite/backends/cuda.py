"""torch.backends.cuda: whether JAX can use a GPU, and hints on precision that may be set and read; JAX decides for itself
(`jax.default_matmul_precision`)."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

__all__ = ["is_built", "matmul", "sdp_kernel"]


class _MatmulSettings:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _MatmulSettings()


def is_built() -> bool:
    """Whether JAX has a GPU."""
    from .._core.device import is_available

    return is_available("cuda")


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
    from ..nn.attention import SDPBackend, sdpa_kernel

    warnings.warn(
        "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be removed. Please see "
        "`torch.nn.attention.sdpa_kernel()` for the new context manager, with updated signature.",
        FutureWarning,
        stacklevel=3,
    )
    with sdpa_kernel([SDPBackend[name] for name in asked]) as context:
        yield context
