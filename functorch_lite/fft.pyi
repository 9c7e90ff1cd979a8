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
    """The Fourier transform along one dim, of the first n points (zeros follow if there are fewer); complex."""
def fft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`fftn` over the last two dims."""
def fftfreq(n: _int, d: _float = ..., *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False) -> Tensor:
    """The frequencies of the n terms of `fft`, in cycles per unit of d, the distance of the samples."""
def fftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The Fourier transform over several dims (all by default) of `s` points each (-1: as many as there are)."""
def fftshift(input: Tensor, dim: _int | _Sizes | None = None, *, axis: Any = ...) -> Tensor:
    """Moves the zero frequency to the middle of each dim."""
def hfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The real Fourier transform, of n points, of a Hermitian signal of which the first half is given."""
def hfft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`hfftn` over the last two dims."""
def hfftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The real `fftn` of a Hermitian signal of which half is given along the last of the dims."""
def ifft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The inverse of `fft`; complex."""
def ifft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`ifftn` over the last two dims."""
def ifftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The inverse of `fftn`."""
def ifftshift(input: Tensor, dim: _int | _Sizes | None = None, *, axis: Any = ...) -> Tensor:
    """The inverse of `fftshift`."""
def ihfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The inverse of `hfft`: the first n // 2 + 1 terms of the inverse Fourier transform of a real spectrum."""
def ihfft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`ihfftn` over the last two dims."""
def ihfftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The inverse of `hfftn`."""
def irfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The real signal of n points (2 * (size - 1) by default) whose `rfft` is input."""
def irfft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`irfftn` over the last two dims."""
def irfftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The real signal whose `rfftn` is input; `s` are the sizes of the signal."""
def rfft(input: Tensor, n: _int | None = None, dim: _int = -1, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """The first n // 2 + 1 terms of the Fourier transform of a real signal; the others are their conjugates."""
def rfft2(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes = ..., norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`rfftn` over the last two dims."""
def rfftfreq(n: _int, d: _float = ..., *, out: Any = None, dtype: _dtype | None = None, layout: _layout | None = None, device: _Device = None, pin_memory: _bool = False, requires_grad: _bool | None = False) -> Tensor:
    """The frequencies of the n // 2 + 1 terms of `rfft`; none of them is negative."""
def rfftn(input: Tensor, s: _int | _Sizes | None = None, dim: _int | _Sizes | None = None, norm: _str | None = None, *, axis: Any = ..., out: Any = None) -> Tensor:
    """`fftn` of a real signal: half of the terms along the last of the dims, the others are conjugates."""
