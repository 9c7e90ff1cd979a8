"""The functions of torch.fft. Written by `python -m tests.stubs --write`."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from functorch_lite._core.call.size import Size
from functorch_lite._core.call.storage import UntypedStorage
from functorch_lite._core.call.storage import layout as _layout
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.words.device import device as _device
from functorch_lite._core.words.dtypes import dtype as _dtype
from functorch_lite._core.words.memory_format import memory_format as _memory_format
from functorch_lite.random import Generator
from functorch_lite.storage import TypedStorage
from functorch_lite import return_types

Number = _bool | _int | _float | _complex
_Sizes = _int | Sequence[_int]

_Device = _device | _str | _int | None

__all__ = ['fft', 'fft2', 'fftfreq', 'fftn', 'fftshift', 'hfft', 'hfft2', 'hfftn', 'ifft', 'ifft2', 'ifftn', 'ifftshift', 'ihfft', 'ihfft2', 'ihfftn', 'irfft', 'irfft2', 'irfftn', 'rfft', 'rfft2', 'rfftfreq', 'rfftn']

def fft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The Fourier transform along one dim, of the first n points (zeros follow if there are fewer); complex.

    Args:
        input: the signal or the spectrum.
        n: the number of points along `dim`; `input` is cropped or padded with zeros. None (the default) is the
            size of `dim` (for a real result, 2 * (size - 1)).
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def fft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`fftn` over the last two dims.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def fftfreq(n: _int, d: _float = ..., *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False) -> Tensor:
    """The frequencies of the n terms of `fft`, in cycles per unit of d, the distance of the samples.

    Args:
        n: the number of points of the transform.
        d: the distance between samples. Default: 1.0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def fftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The Fourier transform over several dims (all by default) of `s` points each (-1: as many as there are).

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def fftshift(input: Tensor, dim: _int | _Sizes | None = None, *, axis: Any = ...) -> Tensor:
    """Moves the zero frequency to the middle of each dim.

    Args:
        input: the signal or the spectrum.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        axis: NumPy's name for `dim`; give one of the two.

    Returns:
        a new tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def hfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The real Fourier transform, of n points, of a Hermitian signal of which the first half is given.

    Args:
        input: the signal or the spectrum.
        n: the number of points along `dim`; `input` is cropped or padded with zeros. None (the default) is the
            size of `dim` (for a real result, 2 * (size - 1)).
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def hfft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`hfftn` over the last two dims.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def hfftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The real `fftn` of a Hermitian signal of which half is given along the last of the dims.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ifft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The inverse of `fft`; complex.

    Args:
        input: the signal or the spectrum.
        n: the number of points along `dim`; `input` is cropped or padded with zeros. None (the default) is the
            size of `dim` (for a real result, 2 * (size - 1)).
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ifft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`ifftn` over the last two dims.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ifftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The inverse of `fftn`.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ifftshift(input: Tensor, dim: _int | _Sizes | None = None, *, axis: Any = ...) -> Tensor:
    """The inverse of `fftshift`.

    Args:
        input: the signal or the spectrum.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        axis: NumPy's name for `dim`; give one of the two.

    Returns:
        a new tensor.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
    """
def ihfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The inverse of `hfft`: the first n // 2 + 1 terms of the inverse Fourier transform of a real spectrum.

    Args:
        input: the signal or the spectrum.
        n: the number of points along `dim`; `input` is cropped or padded with zeros. None (the default) is the
            size of `dim` (for a real result, 2 * (size - 1)).
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ihfft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`ihfftn` over the last two dims.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def ihfftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The inverse of `hfftn`.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def irfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The real signal of n points (2 * (size - 1) by default) whose `rfft` is input.

    Args:
        input: the signal or the spectrum.
        n: the number of points along `dim`; `input` is cropped or padded with zeros. None (the default) is the
            size of `dim` (for a real result, 2 * (size - 1)).
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def irfft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`irfftn` over the last two dims.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def irfftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The real signal whose `rfftn` is input; `s` are the sizes of the signal.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def rfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The first n // 2 + 1 terms of the Fourier transform of a real signal; the others are their conjugates.

    Args:
        input: the signal or the spectrum.
        n: the number of points along `dim`; `input` is cropped or padded with zeros. None (the default) is the
            size of `dim` (for a real result, 2 * (size - 1)).
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def rfft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`rfftn` over the last two dims.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def rfftfreq(n: _int, d: _float = ..., *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False) -> Tensor:
    """The frequencies of the n // 2 + 1 terms of `rfft`; none of them is negative.

    Args:
        n: the number of points of the transform.
        d: the distance between samples. Default: 1.0.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
        dtype: the dtype of the result. None (the default) is the default dtype, float32 unless
            `torch.set_default_dtype` changed it.
        layout: only `torch.strided`, or None (the default), which means the same; convert the result with
            `to_sparse()`.
        device: the device of the result, such as "cpu" or "cuda:0". None (the default) is the current default
            device.
        pin_memory: whether the result is in page-locked memory, as in PyTorch; it needs an accelerator.
            Default: False.
        requires_grad: whether operations on the result are recorded for autograd. Default: False.
    """
def rfftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`fftn` of a real signal: half of the terms along the last of the dims, the others are conjugates.

    Args:
        input: the signal or the spectrum.
        s: the number of points along each of the dims; -1 means no padding. None (the default) takes the sizes
            of `input`.
        dim: the dim or dims to transform. None, where it is the default, means all dims, or the last len(s).
        norm: the factor of the transform: "forward" divides the forward transform by n, "ortho" divides both
            by sqrt(n), "backward" divides the inverse by n. None (the default) means "backward".
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
