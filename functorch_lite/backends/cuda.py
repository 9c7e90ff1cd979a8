"""torch.backends.cuda: whether JAX can use a GPU, and hints on precision that may be set and read; JAX decides for itself
(`jax.default_matmul_precision`)."""

from __future__ import annotations

__all__ = ["is_built", "matmul"]


class _MatmulSettings:
    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _MatmulSettings()


def is_built() -> bool:
    """Whether JAX has a GPU."""
    from .._core.device import is_available

    return is_available("cuda")
