"""Discrete Fourier transforms: torch.fft.

Integers become the default floating dtype. Half precision is not taken, as in torch on a CPU. The names say what they
map: `fft` complex to complex, `rfft` real to half of a Hermitian spectrum, `irfft` back, `hfft` and `ihfft` the same
with the roles of signal and spectrum exchanged; a 2 or n at the end means several dims. A transform of n points is
scaled by

    norm        forward     inverse
    "backward"  1           1/n         (also None)
    "ortho"     1/sqrt(n)   1/sqrt(n)
    "forward"   1/n         1
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    Array,
    SymInt,
    check,
    check_type,
    dtype_of,
    dtypes,
    op,
    scalar_name,
    wrap_dim,
    wrap_dims,
)
from ._pointwise import COMPLEX, FLOAT, category

_OPTIONS = {"namespace": "fft"}
_REAL = "exact if not out.is_floating_point()"
"""`out=` of transforms to real numbers, which may be wider or narrower."""


# ---- dtypes, sizes, scales


def _floating(input):
    """The input with a floating or complex dtype that transforms take."""
    if category(input) < FLOAT:
        return input.astype(dtypes.default_dtype().np)
    check(dtype_of(input).to_real().itemsize >= 4, RuntimeError, f"Unsupported dtype {scalar_name(input)}")
    return input


def _complex(input):
    input = _floating(input)
    return input.astype(dtype_of(input).to_complex().np)


def _real(input, sentence: str):
    check(category(input) != COMPLEX, RuntimeError, f"{sentence}, but got {scalar_name(input)}")
    return _floating(input)


def _one_dim(input, n, dim: int) -> int:
    check_type(n is None or isinstance(n, int), n, "int", "", "n")
    check(input.ndim > 0, IndexError, f"Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(dim, input.ndim)


def _check_points(n: int) -> None:
    check(n >= 1, RuntimeError, f"Invalid number of data points ({n}) specified")


def _many_dims(input, s, dim) -> tuple[list[int | None], list[int]]:
    """Sizes (None: as it is) and dims of a transform over several dims."""
    s = (s,) if isinstance(s, int) else s
    dim = (dim,) if isinstance(dim, int) else dim
    ndim = input.ndim
    if dim is not None:
        for d in dim:
            check(ndim > 0, IndexError, f"Dimension specified as {d} but tensor has no dimensions")
        wrapped = [wrap_dim(d, ndim) for d in dim]
        check(len(set(wrapped)) == len(wrapped), RuntimeError, "FFT dims must be unique")
        check(
            s is None or len(s) == len(wrapped),
            RuntimeError,
            "When given, dim and shape arguments must have the same length",
        )
    elif s is not None:
        check(
            len(s) <= ndim,
            RuntimeError,
            f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions.",
        )
        wrapped = list(range(ndim - len(s), ndim))
    else:
        wrapped = list(range(ndim))
    sizes = [None if s is None or s[i] == -1 else s[i] for i in range(len(wrapped))]
    return sizes, wrapped


def _resized(x, n: int | None, axis: int):
    """x with n points along `axis`: cut off or followed by zeros."""
    _check_points(x.shape[axis] if n is None else n)
    have = x.shape[axis]
    if n is None or n == have:
        return x
    if n < have:
        return lax.slice_in_dim(x, 0, n, axis=axis)
    widths = [(0, 0)] * x.ndim
    widths[axis] = (0, n - have)
    return jnp.pad(x, widths)


def _scaled(x, norm, n: int, forward: bool, included: bool = False):
    """x times the factor of `norm` for n points; `included`: XLA's inverse transform has divided by n already."""
    check(norm is None or isinstance(norm, str), TypeError, f"argument 'norm' must be str, not {norm!r}")
    check(
        norm in (None, "backward", "ortho", "forward"), RuntimeError, f'Invalid normalization mode: "{norm}"'
    )
    if norm == "ortho":
        factor = 1 / math.sqrt(n)
    else:
        factor = 1 / n if (norm == "forward") == forward else 1.0
    factor = factor * n if included else factor
    return x if factor == 1.0 else x * np.asarray(factor, dtype_of(x).to_real().np)


# ---- the three kinds of transform; sizes are those of the signal


def _c2c(x, sizes, axes, norm, forward: bool):
    for n, axis in zip(sizes, axes):
        x = _resized(x, n, axis)
    points = math.prod(x.shape[a] for a in axes)
    if axes and x.size:
        x = (jnp.fft.fftn if forward else jnp.fft.ifftn)(x, axes=axes)
    return _scaled(x, norm, points, forward, included=not forward)


def _last(transform, x, axis: int):
    """A transform of the last dim, applied along `axis`."""
    return jnp.moveaxis(transform(jnp.moveaxis(x, axis, -1)), -1, axis)


def _r2c(x, n, axis: int, norm, forward: bool):
    x = _resized(x, n, axis)
    points = x.shape[axis]
    out = (
        _last(lambda y: lax.fft(y, lax.FftType.RFFT, (points,)), x, axis) if x.size else _half_empty(x, axis)
    )
    return _scaled(out if forward else lax.conj(out), norm, points, forward)


def _half_empty(x, axis: int):
    shape = (*x.shape[:axis], x.shape[axis] // 2 + 1, *x.shape[axis + 1 :])
    return jnp.zeros(shape, dtype_of(x).to_complex().np)


def _c2r(x, n, axis: int, norm, forward: bool):
    points = 2 * (x.shape[axis] - 1) if n is None else n
    _check_points(points)
    x = _resized(x, points // 2 + 1, axis)
    x = lax.conj(x) if forward else x
    if x.size:
        out = _last(lambda y: lax.fft(y, lax.FftType.IRFFT, (points,)), x, axis)
    else:
        out = jnp.zeros((*x.shape[:axis], points, *x.shape[axis + 1 :]), dtype_of(x).to_real().np)
    return _scaled(out, norm, points, forward, included=True)


# ---- one dim


@op(**_OPTIONS, grad="FftC2C", autocast=("float", None))
def fft(input: Array, n: SymInt | None = None, dim: int = -1, norm: str | None = None):
    """The Fourier transform along one dim, of the first n points (zeros follow if there are fewer); complex.

    >>> torch.fft.fft(torch.tensor([1.0, 0.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    """
    axis = _one_dim(input, n, dim)
    return _c2c(_complex(input), (n,), (axis,), norm, True)


@op(**_OPTIONS, out="exact if not input.is_complex()", grad="FftC2C", autocast=("float", None))
def ifft(input: Array, n: SymInt | None = None, dim: int = -1, norm: str | None = None):
    """The inverse of `fft`; complex.

    >>> torch.fft.ifft(torch.tensor([10., -2., -2., -2.])).real
    tensor([1., 3., 3., 3.])
    """
    axis = _one_dim(input, n, dim)
    return _c2c(_complex(input), (n,), (axis,), norm, False)


@op(**_OPTIONS, grad="FftR2C", autocast=("float", None))
def rfft(input: Array, n: SymInt | None = None, dim: int = -1, norm: str | None = None):
    """The first n // 2 + 1 terms of the Fourier transform of a real signal; the others are their conjugates.

    >>> torch.fft.rfft(torch.tensor([1.0, 0.0, 0.0, 0.0]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    axis = _one_dim(input, n, dim)
    return _r2c(_real(input, "rfft expects a real input tensor"), n, axis, norm, True)


@op(**_OPTIONS, out=_REAL, grad="FftC2R", autocast=("float", None))
def irfft(input: Array, n: SymInt | None = None, dim: int = -1, norm: str | None = None):
    """The real signal of n points (2 * (size - 1) by default) whose `rfft` is input.

    >>> torch.fft.irfft(torch.tensor([10., -2., -2.]))
    tensor([1., 3., 3., 3.])
    """
    axis = _one_dim(input, n, dim)
    return _c2r(_complex(input), n, axis, norm, False)


@op(**_OPTIONS, out=_REAL, grad="FftC2R", autocast=("float", None))
def hfft(input: Array, n: SymInt | None = None, dim: int = -1, norm: str | None = None):
    """The real Fourier transform, of n points, of a Hermitian signal of which the first half is given.

    >>> torch.fft.hfft(torch.tensor([1., 2., 1.]))
    tensor([ 6.,  0., -2.,  0.])
    """
    axis = _one_dim(input, n, dim)
    return _c2r(_complex(input), n, axis, norm, True)


@op(**_OPTIONS, out="exact", autocast=("float", None))
def ihfft(input: Array, n: SymInt | None = None, dim: int = -1, norm: str | None = None):
    """The inverse of `hfft`: the first n // 2 + 1 terms of the inverse Fourier transform of a real spectrum.

    >>> torch.fft.ihfft(torch.tensor([1., 2., 3., 4.])).real
    tensor([ 2.5000, -0.5000, -0.5000])
    """
    axis = _one_dim(input, n, dim)
    return _r2c(_real(input, "ihfft expects a real input tensor"), n, axis, norm, False)


# ---- several dims


def _fftn(input, s, dim, norm, forward: bool):
    sizes, axes = _many_dims(input, s, dim)
    return _c2c(_complex(input), sizes, axes, norm, forward)


def _rfftn(input, s, dim, norm):
    sizes, axes = _many_dims(input, s, dim)
    x = _real(input, "rfftn expects a real-valued input tensor")
    check(axes, RuntimeError, "rfftn must transform at least one axis")
    return _c2c(_r2c(x, sizes[-1], axes[-1], norm, True), sizes[:-1], axes[:-1], norm, True)


def _ihfftn(input, s, dim, norm):
    sizes, axes = _many_dims(input, s, dim)
    check(
        category(input) != COMPLEX,
        RuntimeError,
        f"Only supports floating-point dtypes, but found: {scalar_name(input)}",
    )
    check(axes, RuntimeError, "ihfftn must transform at least one axis")
    return _c2c(_r2c(_floating(input), sizes[-1], axes[-1], norm, False), sizes[:-1], axes[:-1], norm, False)


def _to_real(name: str, input, s, dim, norm, forward: bool):
    sizes, axes = _many_dims(input, s, dim)
    check(axes, RuntimeError, f"{name} must transform at least one axis")
    x = _c2c(_complex(input), sizes[:-1], axes[:-1], norm, forward)
    return _c2r(x, sizes[-1], axes[-1], norm, forward)


@op(**_OPTIONS, grad="FftC2C", autocast=("float", None))
def fft2(input: Array, s: int | tuple | None = None, dim: int | tuple = (-2, -1), norm: str | None = None):
    """`fftn` over the last two dims.

    >>> torch.fft.fft2(torch.tensor([[1., 2.], [3., 4.]])).real
    tensor([[10., -2.],
            [-4.,  0.]])
    """
    return _fftn(input, s, dim, norm, True)


@op(**_OPTIONS, grad="FftC2C", autocast=("float", None))
def ifft2(input: Array, s: int | tuple | None = None, dim: int | tuple = (-2, -1), norm: str | None = None):
    """`ifftn` over the last two dims.

    >>> torch.fft.ifft2(torch.tensor([[10., -2.], [-4., 0.]])).real
    tensor([[1., 2.],
            [3., 4.]])
    """
    return _fftn(input, s, dim, norm, False)


@op(**_OPTIONS, grad="FftR2C", autocast=("float", None))
def rfft2(input: Array, s: int | tuple | None = None, dim: int | tuple = (-2, -1), norm: str | None = None):
    """`rfftn` over the last two dims.

    >>> torch.fft.rfft2(torch.tensor([[1., 2.], [3., 4.]])).real
    tensor([[10., -2.],
            [-4.,  0.]])
    """
    return _rfftn(input, s, dim, norm)


@op(**_OPTIONS, out=_REAL, grad="FftC2R", autocast=("float", None))
def irfft2(input: Array, s: int | tuple | None = None, dim: int | tuple = (-2, -1), norm: str | None = None):
    """`irfftn` over the last two dims.

    >>> torch.fft.irfft2(torch.tensor([[10., -2.], [-4., 0.]]))
    tensor([[1., 2.],
            [3., 4.]])
    """
    return _to_real("irfftn", input, s, dim, norm, False)


@op(**_OPTIONS, out=_REAL, grad="FftC2R", autocast=("float", None))
def hfft2(input: Array, s: int | tuple | None = None, dim: int | tuple = (-2, -1), norm: str | None = None):
    """`hfftn` over the last two dims."""
    return _to_real("hfftn", input, s, dim, norm, True)


@op(**_OPTIONS, grad="FftC2C", autocast=("float", None))
def ihfft2(input: Array, s: int | tuple | None = None, dim: int | tuple = (-2, -1), norm: str | None = None):
    """`ihfftn` over the last two dims."""
    return _ihfftn(input, s, dim, norm)


@op(**_OPTIONS, grad="FftC2C", autocast=("float", None))
def fftn(input: Array, s: int | tuple | None = None, dim: int | tuple | None = None, norm: str | None = None):
    """The Fourier transform over several dims (all by default) of `s` points each (-1: as many as there are).

    >>> torch.fft.fftn(torch.tensor([[1., 2.], [3., 4.]])).real
    tensor([[10., -2.],
            [-4.,  0.]])
    """
    return _fftn(input, s, dim, norm, True)


@op(**_OPTIONS, grad="FftC2C", autocast=("float", None))
def ifftn(
    input: Array, s: int | tuple | None = None, dim: int | tuple | None = None, norm: str | None = None
):
    """The inverse of `fftn`.

    >>> torch.fft.ifftn(torch.tensor([[10., -2.], [-4., 0.]])).real
    tensor([[1., 2.],
            [3., 4.]])
    """
    return _fftn(input, s, dim, norm, False)


@op(**_OPTIONS, grad="FftR2C", autocast=("float", None))
def rfftn(
    input: Array, s: int | tuple | None = None, dim: int | tuple | None = None, norm: str | None = None
):
    """`fftn` of a real signal: half of the terms along the last of the dims, the others are conjugates.

    >>> torch.fft.rfftn(torch.tensor([[1., 2.], [3., 4.]])).real
    tensor([[10., -2.],
            [-4.,  0.]])
    """
    return _rfftn(input, s, dim, norm)


@op(**_OPTIONS, out=_REAL, grad="FftC2R", autocast=("float", None))
def irfftn(
    input: Array, s: int | tuple | None = None, dim: int | tuple | None = None, norm: str | None = None
):
    """The real signal whose `rfftn` is input; `s` are the sizes of the signal.

    >>> torch.fft.irfftn(torch.tensor([[10., -2.], [-4., 0.]]))
    tensor([[1., 2.],
            [3., 4.]])
    """
    return _to_real("irfftn", input, s, dim, norm, False)


@op(**_OPTIONS, out=_REAL, grad="FftC2R", autocast=("float", None))
def hfftn(
    input: Array, s: int | tuple | None = None, dim: int | tuple | None = None, norm: str | None = None
):
    """The real `fftn` of a Hermitian signal of which half is given along the last of the dims."""
    return _to_real("hfftn", input, s, dim, norm, True)


@op(**_OPTIONS, grad="FftC2C", autocast=("float", None))
def ihfftn(
    input: Array, s: int | tuple | None = None, dim: int | tuple | None = None, norm: str | None = None
):
    """The inverse of `hfftn`."""
    return _ihfftn(input, s, dim, norm)


# ---- order of the terms


def _shifted(input, dim, sign: int):
    axes = tuple(range(input.ndim)) if dim is None else (dim,) if isinstance(dim, int) else dim
    check(axes, RuntimeError, "`shifts` required")
    for axis in axes:
        check(input.ndim, IndexError, f"Dimension specified as {axis} but tensor has no dimensions")
        (at,) = wrap_dims(axis, input.ndim)
        half = input.shape[at] // 2
        input = jnp.roll(input, half if sign > 0 else -half, at)
    return input


@op(saves="nothing", out=False, **_OPTIONS, grad="Roll", float8=True)
def fftshift(input: Array, dim: int | tuple | None = None):
    """Moves the zero frequency to the middle of each dim.

    >>> torch.fft.fftshift(torch.tensor([0.0, 1.0, 2.0, -2.0, -1.0]))
    tensor([-2., -1.,  0.,  1.,  2.])
    """
    return _shifted(input, dim, 1)


@op(saves="nothing", out=False, **_OPTIONS, grad="Roll", float8=True)
def ifftshift(input: Array, dim: int | tuple | None = None):
    """The inverse of `fftshift`.

    >>> torch.fft.ifftshift(torch.tensor([-2., -1., 0., 1.]))
    tensor([ 0.,  1., -2., -1.])
    """
    return _shifted(input, dim, -1)
