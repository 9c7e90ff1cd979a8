"""lp_pool1d, 2d and 3d: the ops of pool.py, or, where the order is a tensor that a number cannot stand for, composed as
in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from functorch_lite._core.api import OPS, Tensor, composite, make_function
from functorch_lite._core.api import namespace as functions_of

F: Any = functions_of("nn.functional")


def _lp_pool(n: int) -> Callable:
    name = f"lp_pool{n}d"
    by_number = make_function(OPS[f"nn.functional.{name}"], name)

    def lp_pool(
        input: Tensor, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
    ) -> Tensor:
        if not isinstance(norm_type, Tensor) or not (norm_type.ndim or norm_type.requires_grad):
            return by_number(input, norm_type, kernel_size, stride, ceil_mode)
        mean = getattr(F, f"avg_pool{n}d")(input.pow(norm_type), kernel_size, stride, 0, ceil_mode)
        sizes = kernel_size if isinstance(kernel_size, tuple | list) and n > 1 else (kernel_size,) * n
        count = sizes[0] if n == 1 else math.prod(sizes)
        return (mean.sign() * mean.abs().relu()).mul(count).pow(1.0 / norm_type)

    lp_pool.__name__ = lp_pool.__qualname__ = name
    lp_pool.__doc__ = by_number.__doc__
    return composite(namespace="nn.functional")(lp_pool)


lp_pool1d, lp_pool2d, lp_pool3d = map(_lp_pool, (1, 2, 3))
