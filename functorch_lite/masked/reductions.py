"""Reductions, cumulative sums and normalisations that leave out the elements where a mask is False.

A masked-out element is replaced by the identity of the reduction (0 for sums, 1 for products, -inf for maxima …), so
a reduction over nothing gives that value, and a mean over nothing is nan.
"""

from __future__ import annotations

import math
from typing import Any

from .._core.api import Tensor, dtypes, namespace, values_of, wrap_dim
from .._core.api import functions as torch
from .tensor import REDUCTIONS, MaskedTensor, data_and_mask, wrapped

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean", "median", "norm", "normalize",
    "prod", "softmax", "softmin", "std", "sum", "var",
]  # fmt: skip

_linalg = namespace("linalg")


def _filled(input: Tensor, mask: Tensor | None, fill: Any) -> Tensor:
    """input with `fill`, a number or the function whose identity it is, where the mask is False."""
    if mask is None:
        return input
    if mask.ndim > input.ndim:
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)"
        )
    if isinstance(fill, str):
        fill = _identity(input.dtype, fill)
    return torch.where(_spread(mask, input), input, torch.full_like(input, fill))


def _spread(mask: Tensor, input: Tensor) -> Tensor:
    return mask.to(torch.bool).expand(input.shape)


def _identity(d, name: str) -> Any:
    """Returns the number that changes no result of the function: the least or greatest of the dtype."""
    if d is dtypes.bool_:
        raise NotImplementedError(f"identity of {name} on {d} input")
    least = name not in ("amin", "argmin")
    if d.is_floating_point or (d.is_complex and name == "logsumexp"):
        return -math.inf if least else math.inf
    info = dtypes.iinfo(d)
    return info.min if least else info.max


def _dims(input: Tensor, dim) -> tuple[int, ...]:
    if dim is None or dim == ():
        return tuple(range(input.ndim))
    dims = tuple([wrap_dim(d, input.ndim) for d in (dim if isinstance(dim, tuple | list) else (dim,))])
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
    return tuple([d for d in dims if d < input.ndim])


def _cast(input: Tensor, dtype) -> Tensor:
    return input if dtype is None else input.to(dtype)


def _mask_after(mask: Tensor | None, input: Tensor, dims, keepdim) -> Tensor | None:
    """The mask of a reduction of a MaskedTensor: where anything was left."""
    if mask is None:
        return None
    full = _spread(mask, input)
    return full.any(dims, keepdim=bool(keepdim)) if dims else full


def _reduce(given, dim, keepdim, mask, dtype, fill, fn):
    input, mask = data_and_mask(given, mask)
    dims = _dims(input, dim)
    x = _filled(_cast(input, dtype), mask, fill)
    result = fn(x, dims, bool(keepdim), mask)
    if result is input:  # a tensor without dims, of which nothing was left to reduce
        result = input.clone()
    return wrapped(given, result, lambda: _mask_after(mask, input, dims, keepdim))


# -- to one value ------------------------------------------------------------------------------------------------------


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum of the elements where `mask` is True.

    >>> sum(torch.tensor([1., 2., 3.]), 0, mask=torch.tensor([True, False, True]))
    tensor(4.)
    """
    return _reduce(
        input, dim, keepdim, mask, _summed(input, dtype), 0, lambda x, d, k, m: torch.sum(x, d, k) if d else x
    )


def _summed(input, dtype):
    d = input.dtype
    return dtype if dtype is not None or d.is_floating_point or d.is_complex else torch.long


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of the elements where `mask` is True."""

    def fn(x, dims, keep, _):
        for d in sorted(dims, reverse=True):
            x = torch.prod(x, d, keep)
        return x

    return _reduce(input, dim, keepdim, mask, _summed(input, dtype), 1, fn)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest element where `mask` is True."""
    return _reduce(
        input, dim, keepdim, mask, dtype, "amax", lambda x, d, k, m: torch.amax(x, d, k) if d else x
    )


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest element where `mask` is True."""
    return _reduce(
        input, dim, keepdim, mask, dtype, "amin", lambda x, d, k, m: torch.amin(x, d, k) if d else x
    )


def _arg(name: str, which: str):
    def fn(input, dim=None, *, keepdim=False, dtype=None, mask=None):
        def found(x, dims, keep, _):
            index = getattr(torch, name)(x) if dim is None else getattr(torch, name)(x, dim, keep)
            return index.to(x.dtype)  # as PyTorch has it

        return _reduce(input, dim, keepdim, mask, dtype, name, found)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = f"The index of the {which} element where `mask` is True, in the dtype of the input."
    return fn


argmax = _arg("argmax", "largest")
argmin = _arg("argmin", "smallest")


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The logarithm of the sum of exponentials, where `mask` is True; in the dtype of the input, be it an integer's."""
    to = input.dtype if dtype is None else dtype
    return _reduce(
        input, dim, keepdim, mask, None, "logsumexp", lambda x, d, k, m: torch.logsumexp(x, d, k).to(to)
    )


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The vector norm of the elements where `mask` is True."""
    fill = math.inf if ord is not None and ord < 0 else 0
    order = 2.0 if ord is None else ord

    def fn(x, dims, keep, m):  # of a tensor without dims it counts whether a dim is named
        return _linalg.vector_norm(x, order, dims if x.ndim else dim, keep)

    return _reduce(input, dim, keepdim, mask, dtype, fill, fn)


def _count(x: Tensor, dims, keep: bool, mask: Tensor | None) -> Tensor:
    ones = torch.ones_like(x, dtype=torch.long) if mask is None else _spread(mask, x).long()
    return ones.sum(dims, keepdim=keep) if dims else ones


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The mean of the elements where `mask` is True; nan where there are none."""
    d = input.dtype if dtype is None else dtype
    if not (d.is_floating_point or d.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {d}"
        )

    def fn(x, dims, keep, m):
        total = torch.sum(x, dims, keep) if dims else x
        return total / _count(x, dims, keep, m)

    return _reduce(input, dim, keepdim, mask, dtype, 0, fn)


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The (lower) median of the elements where `mask` is True; nan where there are none, and ValueError for dtypes
    without nan."""
    data, mask = data_and_mask(input, mask)
    exact = not data.dtype.is_floating_point
    along = 0 if dim is None else dim
    found = torch.nanmedian(_filled(data.double() if exact else data, mask, math.nan), along, bool(keepdim))[
        0
    ]
    if exact and mask is not None and values_of(found.isnan().any()):
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    result = found.to(data.dtype if dtype is None else dtype) if exact else found
    return wrapped(input, result, lambda: _mask_after(mask, data, (along,), keepdim))


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of the elements where `mask` is True: the squared deviations over their number less the correction
    (1)."""
    return _spread_of(input, dim, unbiased, correction, keepdim, dtype, mask, False)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation of the elements where `mask` is True: see var."""
    return _spread_of(input, dim, unbiased, correction, keepdim, dtype, mask, True)


def _spread_of(input, dim, unbiased, correction, keepdim, dtype, mask, root: bool):
    if unbiased is not None and correction is not None:
        raise RuntimeError("Only one of unbiased and correction may be given")
    less = correction if correction is not None else 1 if unbiased is None else int(unbiased)
    if input.dtype is dtypes.bool_:
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the `~` or "
            "`logical_not()` operator instead."
        )
    inexact = input.dtype.is_floating_point or input.dtype.is_complex
    to = dtype if dtype is not None else input.dtype if inexact else dtypes.float32
    compute = to if to.is_floating_point or to.is_complex else dtypes.float32

    def fn(x, dims, keep, m):
        count = _count(x, dims, True, m)
        distance = x - (torch.sum(x, dims, True) if dims else x) / count
        square = (distance * distance.conj()).real if x.is_complex() else distance * distance
        square = square if m is None else torch.where(_spread(m, x), square, torch.zeros_like(square))
        total = torch.sum(square, dims, keep) if dims else square
        found = total / (_count(x, dims, keep, m) - less).clamp(min=0)
        return found.sqrt().to(to) if root else found.to(to)

    return _reduce(input, dim, keepdim, mask, compute, 0, fn)


# -- of the same shape -------------------------------------------------------------------------------------------------


def _same_shape(given, mask, dtype, fill, fn):
    input, mask = data_and_mask(given, mask)
    result = fn(_filled(_cast(input, dtype), mask, fill))
    return wrapped(given, result, lambda: None if mask is None else _spread(mask, input))


def cumsum(input, dim, *, dtype=None, mask=None):
    """Cumulative sums of the elements where `mask` is True."""
    to = input.dtype if dtype is None else dtype
    return _same_shape(input, mask, None, 0, lambda x: torch.cumsum(x, dim, dtype=to))


def cumprod(input, dim, *, dtype=None, mask=None):
    """Cumulative products of the elements where `mask` is True."""
    to = input.dtype if dtype is None else dtype
    return _same_shape(input, mask, None, 1, lambda x: torch.cumprod(x, dim, dtype=to))


def softmax(input, dim, *, dtype=None, mask=None):
    """Softmax over the elements where `mask` is True; 0 elsewhere, and nan where there are none."""
    return _same_shape(input, mask, None, "amax", lambda x: torch.softmax(x, dim, dtype=dtype))


def log_softmax(input, dim, *, dtype=None, mask=None):
    """The logarithm of softmax over the elements where `mask` is True; -inf elsewhere."""
    return _same_shape(input, mask, None, "amax", lambda x: torch.log_softmax(x, dim, dtype=dtype))


def softmin(input, dim, *, dtype=None, mask=None):
    """softmax of the negative elements where `mask` is True; 0 elsewhere."""
    return _same_shape(input, mask, None, "amin", lambda x: torch.softmax(-x, dim, dtype=dtype))


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """The elements where `mask` is True over their norm (at least eps); 0 elsewhere."""

    def fn(x):
        length = norm(x, ord, dim, keepdim=True, mask=data_and_mask(input, mask)[1])
        return x / length.clamp(min=eps)

    return _same_shape(input, mask, dtype, 0, fn)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(a) + exp(b)), each only where its mask is True (-inf elsewhere)."""
    (a, m), (b, n) = data_and_mask(input, input_mask), data_and_mask(other, other_mask)
    a, b = _filled(a, m, "logaddexp"), _filled(b, n, "logaddexp")
    result = torch.logaddexp(a, b).to(input.dtype if dtype is None else dtype)
    given = input if isinstance(input, MaskedTensor) else other
    return wrapped(
        given, result, lambda: (_spread(m, a) | _spread(n, b)) if m is not None and n is not None else None
    )


REDUCTIONS.update({name: globals()[name] for name in __all__})
