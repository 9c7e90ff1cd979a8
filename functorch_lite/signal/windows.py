"""Windows for spectral analysis: torch.signal.windows. They are made on the host, in float64, and rounded once.

M is the number of points. sym: symmetric, for filters; otherwise one period of a periodic window, for spectra.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from .._core.api import INT, Tensor, checked, dtypes, from_array, strided
from ..tensors.create import finish, plain_dtype
from ..tensors.data import array_of

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip


def _window(
    name: str,
    points: Callable[[int], np.ndarray],
    M: int,
    dtype,
    layout,
    device,
    requires_grad,
    check: Callable[[], None] = lambda: None,
    one_of_one: bool = True,
) -> Tensor:
    """The window of values `points(M)`. check: looks at its own arguments, after M and dtype. one_of_one: a single
    point is 1."""
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if dtype is not None and not isinstance(dtype, dtypes.dtype):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    d = plain_dtype(dtype)
    if d not in (dtypes.float32, dtypes.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {d}")
    check()
    if M == 0:
        values = np.zeros(0)
    elif M == 1 and one_of_one:  # whatever its type: torch looks at it only to place several points
        values = np.ones(1)
    else:
        with np.errstate(all="ignore"):
            values = points(checked(M, INT, "linspace", "steps", 3))
    return finish(from_array(values.astype(d.np)), device, requires_grad)


def _number(x) -> float:
    """A number, or a tensor without dims; torch places the points from the one to the other by linspace."""
    if isinstance(x, Tensor) and x.ndim:
        dims = f"{x.ndim} dimension(s)"
        raise RuntimeError(
            f"linspace only supports 0-dimensional start and end tensors, but got start with {dims} and end with {dims}."
        )
    return float(x)


def _spaced(start: float, M: int, step: float) -> np.ndarray:
    """(start + n) step for n = 0, …, M - 1; all of them nan where the first or the last is infinite, as torch.linspace
    has it."""
    start, end = start * step, (start + (M - 1)) * step
    return start + np.arange(M) * ((end - start) / (M - 1)) if M > 1 else np.full(1, start, np.float64)


def _period(M: int, sym: bool) -> int:
    return M - 1 if sym else M


def _middle(M: int, sym: bool) -> float:
    return (M - 1 if sym or M == 1 else M) / 2


def general_cosine(
    M: int,
    *,
    a: Iterable,
    sym: bool = True,
    dtype=None,
    layout=strided,
    device=None,
    requires_grad: bool = False,
) -> Tensor:
    """The sum over i of (-1)^i a[i] cos(2 pi i n / period)."""

    def points(M):
        if not isinstance(a, Iterable):
            raise TypeError("Coefficients must be a list/tuple")
        if not a:
            raise ValueError("Coefficients cannot be empty")
        angle = np.arange(M) * (2 * math.pi / _period(M, sym))
        signed = array_of([(-1) ** i * c for i, c in enumerate(a)], dtypes.float64)
        return np.sum([c * np.cos(i * angle) for i, c in enumerate(signed)], 0)

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
    M: int, *, sym: bool = True, dtype=None, layout=strided, device=None, requires_grad: bool = False
) -> Tensor:
    """Bartlett's window, a triangle."""

    def points(M):
        return 1 - np.abs(2 * np.arange(M) / _period(M, sym) - 1)

    return _window("bartlett", points, M, dtype, layout, device, requires_grad)


def cosine(
    M: int, *, sym: bool = True, dtype=None, layout=strided, device=None, requires_grad: bool = False
) -> Tensor:
    """Half a period of a sine."""

    def points(M):
        return np.sin(_spaced(0.5, M, math.pi / (M if sym or M == 1 else M + 1)))

    return _window("cosine", points, M, dtype, layout, device, requires_grad, one_of_one=False)


def exponential(
    M: int,
    *,
    center: float | None = None,
    tau: float = 1.0,
    sym: bool = True,
    dtype=None,
    layout=strided,
    device=None,
    requires_grad: bool = False,
) -> Tensor:
    """exp(-|n - center| / tau), by default around the middle."""

    def check():
        if tau <= 0:
            raise ValueError(f"Tau must be positive, got: {tau} instead.")
        if sym and center is not None:
            raise ValueError("Center must be None for symmetric windows")

    def points(M):
        middle = _middle(M, sym) if center is None else center
        return np.exp(-np.abs(_spaced(-_number(middle), M, 1 / _number(tau))))

    return _window("exponential", points, M, dtype, layout, device, requires_grad, check, one_of_one=False)


def gaussian(
    M: int,
    *,
    std: float = 1.0,
    sym: bool = True,
    dtype=None,
    layout=strided,
    device=None,
    requires_grad: bool = False,
) -> Tensor:
    """exp(-(n - middle)^2 / (2 std^2))."""

    def check():
        if std <= 0:
            raise ValueError(f"Standard deviation must be positive, got: {std} instead.")

    def points(M):
        return np.exp(-(_spaced(-_middle(M, sym), M, 1 / (_number(std) * math.sqrt(2))) ** 2))

    return _window("gaussian", points, M, dtype, layout, device, requires_grad, check, one_of_one=False)


def kaiser(
    M: int,
    *,
    beta: float = 12.0,
    sym: bool = True,
    dtype=None,
    layout=strided,
    device=None,
    requires_grad: bool = False,
) -> Tensor:
    """Kaiser's window: I0(beta sqrt(1 - x^2)) / I0(beta), with I0 the modified Bessel function."""

    def check():
        if beta < 0:
            raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def points(M):
        x, scale = 2 * np.arange(M) / _period(M, sym) - 1, _number(beta)
        return np.i0(scale * np.sqrt(np.maximum(1 - x * x, 0))) / np.i0(scale)

    return _window("kaiser", points, M, dtype, layout, device, requires_grad, check)
