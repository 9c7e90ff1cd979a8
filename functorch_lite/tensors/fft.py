"""The frequencies that belong to the terms of a Fourier transform: torch.fft.fftfreq and torch.fft.rfftfreq."""

from __future__ import annotations

import numpy as np

from .._core.api import Tensor, check_memory, composite, from_array, is_real, no_kernel, strided_only
from .._core.api import dtype as DType
from .create import dtype_into, finish


def _frequencies(name: str, numbers, n: int, d: float, dtype, device, requires_grad: bool, out) -> Tensor:
    single = isinstance(d, Tensor) and not d.ndim and not d.requires_grad
    if not (is_real(d) or single):
        raise TypeError(f"fft_{name}(): argument 'd' must be float, not {type(d).__name__}")
    kind = dtype_into(dtype, out)
    if kind.category < 2:
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    if kind.is_complex:
        raise no_kernel("arange_cpu", kind)
    with np.errstate(all="ignore"):
        # computed in the dtype (half precision in float32), as a product with 1 / (n * d)
        wide = np.float64 if kind.itemsize == 8 else np.float32
        step = np.divide(1.0, np.float64(n) * np.float64(d))
        values = (numbers.astype(wide) * wide(step)).astype(kind.np)
    return finish(from_array(values), device, requires_grad, out)


@composite(namespace="fft")
def fftfreq(
    n: int,
    d: float = 1.0,
    *,
    out=None,
    dtype: DType | None = None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad: bool | None = False,
) -> Tensor:
    """The frequencies of the n terms of `fft`, in cycles per unit of d, the distance of the samples.

    >>> torch.fft.fftfreq(5)
    tensor([ 0.0000,  0.2000,  0.4000, -0.4000, -0.2000])
    """
    strided_only(layout, pin_memory)
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    check_memory((n,), 8)
    numbers = np.arange(n)
    numbers[(n + 1) // 2 :] -= n
    return _frequencies("fftfreq", numbers, n, d, dtype, device, requires_grad, out)


@composite(namespace="fft")
def rfftfreq(
    n: int,
    d: float = 1.0,
    *,
    out=None,
    dtype: DType | None = None,
    layout=None,
    device=None,
    pin_memory=False,
    requires_grad: bool | None = False,
) -> Tensor:
    """The frequencies of the n // 2 + 1 terms of `rfft`; none of them is negative.

    >>> torch.fft.rfftfreq(5)
    tensor([0.0000, 0.2000, 0.4000])
    """
    strided_only(layout, pin_memory)
    if n < -3:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    check_memory((abs(n),), 4)
    numbers = np.arange(int(n / 2) + 1 if n < 0 else n // 2 + 1)
    return _frequencies("rfftfreq", numbers, n, d, dtype, device, requires_grad, out)
