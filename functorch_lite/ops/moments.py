"""Variances and standard deviations, over some or all dims of a tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral

import jax.numpy as jnp
from jax import lax

from .._core.api import (
    UNSET,
    Array,
    Number,
    Unset,
    advise,
    check,
    dtype_of,
    is_python_number,
    no_kernel,
    op,
    wrap_dims,
)
from .reduce import count_over, sqrt_flat_at_zero


def _moments(name: str, input, dim, unbiased, keepdim, correction, root: bool = False):
    """(variance or its square root, mean)."""
    fits = unbiased is UNSET or (correction is None and (dim is not UNSET or keepdim is UNSET))
    keepdim = keepdim is True
    dim = None if dim is UNSET else dim
    check(fits, TypeError, f"{name}() received an invalid combination of arguments")
    which = "std and var" if name in ("std", "var") else name
    message = f"{which} only support floating point and complex dtypes"
    check(dtype_of(input).category >= 2, RuntimeError, message)
    if correction is None:
        correction = 0 if unbiased is False else 1
    message = "value cannot be converted to type double without overflow"
    check(not isinstance(correction, complex), RuntimeError, message)
    axes = wrap_dims(dim, input.ndim, in_turn=True)
    count = count_over(input, axes)
    center = jnp.sum(input, axis=axes, keepdims=True) / count
    off = input - center
    unit = _unit(off, axes) if root else None
    if root:
        off = off / unit
    parts = (off.real, off.imag) if jnp.iscomplexobj(off) else (off,)
    if is_python_number(correction):
        freedom = count - correction if count > correction else 0
        if isinstance(freedom, Integral):  # which a symbolic size is not
            freedom = float(freedom)  # it may be above 2**63
    else:
        freedom = jnp.where(count > correction, count - correction, 0).astype(jnp.finfo(input.dtype).dtype)
    spread = sum(jnp.sum(part * part, axis=axes, keepdims=True) / freedom for part in parts)
    if root:
        spread = sqrt_flat_at_zero(spread) * unit
    return (spread, center) if keepdim else (spread.squeeze(axes), center.squeeze(axes))


def _unit(x, axes):
    """Returns the unit to measure x in so that its squares are within float32, as they are in the float64 that torch
    squares real numbers in: 1, unless its largest element is very large or small. For complex numbers torch rounds the
    variance before it takes the root."""
    if x.size == 0 or jnp.iscomplexobj(x) or jnp.finfo(x.dtype).bits > 32:
        return 1
    largest = lax.stop_gradient(jnp.max(jnp.abs(x), axis=axes, keepdims=True))
    ordinary = ((largest > 1e-15) & (largest < 1e15)) | (largest == 0) | ~jnp.isfinite(largest)
    return jnp.where(ordinary, jnp.ones_like(largest), largest)


def _warning_of_few(name: str) -> tuple[tuple[str, str, Callable]]:
    """For `asks=`: warns where the reduction divides by nothing."""

    def look(input, dim, unbiased, correction):
        if input.dtype.category < 2:  # which is refused
            return input, dim, unbiased, correction
        shape = input.shape
        axes = wrap_dims(None if isinstance(dim, Unset) else dim, len(shape), in_turn=True)
        less = int(unbiased is not False) if correction is None else correction
        count = (
            0 if 0 in [n for i, n in enumerate(shape) if i not in axes] else math.prod(shape[i] for i in axes)
        )
        if isinstance(less, int | float) and count - less <= 0:
            advise(
                f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input numel "
                "divided by output numel).",
                once=False,
            )
        return input, dim, unbiased, correction

    return (
        (
            "dim is not _d_dim or unbiased is not _d_unbiased or correction is not None or input.numel() < 2",
            "input, dim, unbiased, correction",
            look,
        ),
    )


def _real_out(input, dim, unbiased, out):
    """torch's kernel of real numbers writes into its `out=`, but for a single result of single or double precision.

    The form with `unbiased` alone takes no `out=`.
    """
    alone = dim is UNSET and unbiased is not UNSET
    check(not alone, TypeError, "std() and var() of an input and `unbiased` alone take no out=")
    into = getattr(out, "dtype", input.dtype)
    if input.dtype.is_floating_point and into is not input.dtype:
        axes = wrap_dims(None if isinstance(dim, Unset) else dim, input.ndim, in_turn=True)
        single = math.prod(n for d, n in enumerate(input.shape) if d not in axes) == 1
        if single and input.numel() and input.dtype.itemsize < 4 <= into.itemsize:
            raise RuntimeError(f"std_var_all: Unsupported dtype {input.dtype.scalar_name}")
        if into.is_complex and not single and input.numel():
            raise no_kernel("std_cpu", into)
        if input.dtype.itemsize < 4 and into.is_floating_point:  # rounded once, to what it goes into
            input = input.float()
    return input, dim, unbiased, out


_INTO = (("out is not None", "input, dim, unbiased, out", _real_out),)


@op(promote="default", asks=(*_INTO, *_warning_of_few("var")), second="unbiased")
def var(
    input: Array,
    dim: int | tuple | Unset | None = UNSET,
    unbiased: bool | Unset = UNSET,
    keepdim: bool | Unset = UNSET,
    *,
    correction: Number | None = None,
):
    """The variance over `dim`: the sum of squared distances from the mean, divided by max(0, count - correction).

    >>> torch.var(torch.tensor([1., 2., 3.]))
    tensor(1.)
    """
    return _moments("var", input, dim, unbiased, keepdim, correction)[0]


@op(promote="default", asks=(*_INTO, *_warning_of_few("std")), second="unbiased")
def std(
    input: Array,
    dim: int | tuple | Unset | None = UNSET,
    unbiased: bool | Unset = UNSET,
    keepdim: bool | Unset = UNSET,
    *,
    correction: Number | None = None,
):
    """The standard deviation over `dim`; where it is 0 its gradient is 0.

    >>> torch.std(torch.tensor([1., 2., 3.]))
    tensor(1.)
    """
    return _moments("std", input, dim, unbiased, keepdim, correction, root=True)[0]


@op(promote="default", method=False, out=False, asks=_warning_of_few("var_mean"), second="unbiased")
def var_mean(
    input: Array,
    dim: int | tuple | Unset | None = UNSET,
    unbiased: bool | Unset = UNSET,
    keepdim: bool | Unset = UNSET,
    *,
    correction: Number | None = None,
):
    """(variance, mean) over `dim`.

    Returns:
        the pair of tensors (variance, mean).

    >>> torch.var_mean(torch.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
    """
    return _moments("var_mean", input, dim, unbiased, keepdim, correction)


@op(promote="default", method=False, out=False, asks=_warning_of_few("std_mean"), second="unbiased")
def std_mean(
    input: Array,
    dim: int | tuple | Unset | None = UNSET,
    unbiased: bool | Unset = UNSET,
    keepdim: bool | Unset = UNSET,
    *,
    correction: Number | None = None,
):
    """(standard deviation, mean) over `dim`.

    Returns:
        the pair of tensors (standard deviation, mean).

    >>> torch.std_mean(torch.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
    """
    return _moments("std_mean", input, dim, unbiased, keepdim, correction, root=True)
