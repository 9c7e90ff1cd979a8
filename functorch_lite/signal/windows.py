"""Windows for spectral analysis: torch.signal.windows. They are made on the host, in float64, and rounded once.

M is the number of points. sym: symmetric, for filters; otherwise one period of a periodic window, for spectra.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from .._core import dtypes
from .._core.apply import from_array
from .._core.arguments import checked
from .._core.tensor import Tensor
from ..compose.creation import finish, plain_dtype

__all__ = [
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "general_cosine",
    "general_hamming",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
]


def _window(
    name: str, points: Callable[[np.ndarray], np.ndarray], M: int, dtype, layout, device, requires_grad
) -> Tensor:
    """The window whose values are `points` of the positions 0, 1, …, M - 1."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    if layout is not None and str(layout) != "torch.strided":
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    d = plain_dtype(dtype)
    if d not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {d}")
    M = 0 if M == 0 else checked(M, frozenset((int,)), "linspace", "steps", 3)
    values = points(np.arange(M, dtype=np.float64)) if M != 1 else np.ones(1)
    return finish(from_array(np.asarray(values).astype(d.np)), device, requires_grad)


def _period(M: int, sym: bool) -> int:
    return max(M - 1 if sym else M, 1)


def general_cosine(
    M: int,
    *,
    a: Iterable,
    sym: bool = True,
    dtype=None,
    layout=None,
    device=None,
    requires_grad: bool = False,
) -> Tensor:
    """The sum over i of (-1)^i a[i] cos(2 pi i n / period)."""
    if not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    a, M = list(a), 1 if M is True else M
    if not a:
        raise ValueError("Coefficients cannot be empty")

    def points(n):
        angle = 2 * math.pi * n / _period(len(n), sym)
        return sum((-1) ** i * c * np.cos(i * angle) for i, c in enumerate(a))

    return _window("general_cosine", points, M, dtype, layout, device, requires_grad)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options) -> Tensor:
    """alpha - (1 - alpha) cos(2 pi n / period)."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options) -> Tensor:
    """Hamming's window.

    >>> hamming(5)
    tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return general_hamming(M, alpha=0.54, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options) -> Tensor:
    """Hann's window, a raised cosine."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def blackman(M: int, *, sym: bool = True, **options) -> Tensor:
    """Blackman's window."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def nuttall(M: int, *, sym: bool = True, **options) -> Tensor:
    """The minimum 4-term Blackman-Harris window, by Nuttall."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)


def bartlett(
    M: int, *, sym: bool = True, dtype=None, layout=None, device=None, requires_grad: bool = False
) -> Tensor:
    """Bartlett's window, a triangle."""

    def points(n):
        return 1 - np.abs(2 * n / _period(len(n), sym) - 1)

    return _window("bartlett", points, M, dtype, layout, device, requires_grad)


def cosine(
    M: int, *, sym: bool = True, dtype=None, layout=None, device=None, requires_grad: bool = False
) -> Tensor:
    """Half a period of a sine."""

    def points(n):
        return np.sin(math.pi * (n + 0.5) / (len(n) if sym else len(n) + 1))

    return _window("cosine", points, M, dtype, layout, device, requires_grad)


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype=None,
    layout=None,
    device=None,
    requires_grad: bool = False,
) -> Tensor:
    """exp(-|n - center| / tau), by default around the middle."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")

    def points(n):
        middle = (len(n) - 1 if sym else len(n)) / 2 if center is None else center
        return np.exp(-np.abs(n - middle) / tau)

    return _window("exponential", points, M, dtype, layout, device, requires_grad)


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype=None,
    layout=None,
    device=None,
    requires_grad: bool = False,
) -> Tensor:
    """exp(-(n - middle)^2 / (2 std^2))."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")

    def points(n):
        middle = (len(n) - 1 if sym else len(n)) / 2
        return np.exp(-(((n - middle) / std) ** 2) / 2)

    return _window("gaussian", points, M, dtype, layout, device, requires_grad)


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype=None,
    layout=None,
    device=None,
    requires_grad: bool = False,
) -> Tensor:
    """Kaiser's window: I0(beta sqrt(1 - x^2)) / I0(beta), with I0 the modified Bessel function."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def points(n):
        x = 2 * n / _period(len(n), sym) - 1
        return np.i0(beta * np.sqrt(np.maximum(1 - x * x, 0))) / np.i0(float(beta))

    return _window("kaiser", points, M, dtype, layout, device, requires_grad)
