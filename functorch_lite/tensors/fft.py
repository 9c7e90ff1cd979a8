"""The frequencies that belong to the terms of a Fourier transform: torch.fft.fftfreq and torch.fft.rfftfreq."""

from __future__ import annotations

import numpy as np

from .._core.api import Tensor, check_memory, composite, from_array, is_real, no_kernel
from .new import TYPED, New


def _frequencies(name: str, numbers, n: int, d: float, new: New) -> Tensor:
    single = isinstance(d, Tensor) and not d.ndim and not d.requires_grad
    if not (is_real(d) or single):
        raise TypeError(f"fft_{name}(): argument 'd' must be float, not {type(d).__name__}")
    kind = new.kind()
    if kind.category < 2:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if kind.is_complex:
        raise no_kernel("arange_cpu", kind)
    with np.errstate(all="ignore"):
        # computed in the dtype (half precision in float32), as a product with 1 / (n * d)
        wide = np.float64 if kind.itemsize == 8 else np.float32
        step = np.divide(1.0, np.float64(n) * np.float64(d))
        values = (numbers.astype(wide) * wide(step)).astype(kind.np)
    return new.finish(from_array(values))


@composite(namespace="fft")
def fftfreq(n: int, d: float = 1.0, *, new: New = TYPED) -> Tensor:
    """The frequencies of the n terms of `fft`, in cycles per unit of d, the distance of the samples.

    >>> torch.fft.fftfreq(5)
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    check_memory((n,), 8)
    numbers = np.arange(n)
    numbers[(n + 1) // 2 :] -= n
    return _frequencies("fftfreq", numbers, n, d, new)


@composite(namespace="fft")
def rfftfreq(n: int, d: float = 1.0, *, new: New = TYPED) -> Tensor:
    """The frequencies of the n // 2 + 1 terms of `rfft`; none of them is negative.

    >>> torch.fft.rfftfreq(5)
    tensor([0.0000, 0.2000, 0.4000])
    """
    if n < -3:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    check_memory((abs(n),), 4)
    numbers = np.arange(int(n / 2) + 1 if n < 0 else n // 2 + 1)
    return _frequencies("rfftfreq", numbers, n, d, new)
