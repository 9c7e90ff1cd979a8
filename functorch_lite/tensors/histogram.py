"""Histograms in one dim and in several."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.api import (
    OPS,
    Tensor,
    apply,
    at_hand,
    check,
    checked,
    composite,
    is_real,
    need_kind,
    result_type,
    write_out,
)
from .._core.api import functions as torch
from ..ops.histogram import check_weight
from .over_ops import plain_op

_INT, _INTS = frozenset((int,)), frozenset((tuple,))
_HistogramDD = result_type("histogramdd", ("hist", "bin_edges"))


def _bins(bins, n: int) -> list:
    """A number of bins, or tensor of edges, for each of n coordinates."""
    if not isinstance(bins, tuple | list):
        return [checked(bins, _INT, "histogramdd", "bins", 2)] * n
    edges = [isinstance(b, Tensor) and (b.ndim > 0 or b.is_floating_point()) for b in bins]
    if bins and all(edges):
        return list(bins)
    return list(checked(tuple(bins), _INTS, "histogramdd", "bins", 2))


def _limits(range: Any, function: str) -> tuple | None:
    """`range` as floats: PyTorch recognizes such a list by its first element, a number; the following ones may be
    tensors."""
    if range is None:
        return None
    fits = isinstance(range, tuple | list) and not any(isinstance(x, Tensor) for x in range[:1])
    check(
        fits, TypeError, f"{function}(): argument 'range' must be tuple of floats, not {type(range).__name__}"
    )
    for at, x in enumerate(range, 1):
        fits = is_real(x) or (isinstance(x, Tensor) and x.numel() == 1)
        check(
            fits,
            TypeError,
            f"{function}(): argument 'range' must be tuple of floats, but found element of type {type(x).__name__} at pos {at}",
        )
    return tuple([float(x) for x in range])


def _check_range_of(values: np.ndarray | None, dim: int) -> None:
    """Refuses data whose least or largest is to bound bins and is not finite. values: None where they are not at
    hand."""
    if values is not None and values.size:
        low, high = values.min(), values.max()
        check(
            np.isfinite(low) and np.isfinite(high),
            RuntimeError,
            f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite",
        )


_histogram = plain_op("histogram")


@composite(method=True)
def histogram(input: Tensor, bins: Any = 100, *, range=None, weight=None, density: bool = False, out=None):
    """(counts, edges) of all elements of input in bins: a number of bins of equal width, or the edges of bins.

    The last edge belongs to the last bin. weight: what each element counts; density: the integral over the range is 1.
    Without range or edges, an input with nan or inf raises when its values are at hand; otherwise the edges are nan.

    >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
    tensor([2., 1.])
    """
    if range is not None and isinstance(bins, Tensor):  # which then is no tensor of edges
        bins = checked(bins, _INT, "histogram", "bins", 2)
    limits = _limits(range, "histogram")
    result = _histogram(input, bins, range=limits, weight=weight, density=density)
    if range is None and not isinstance(bins, Tensor):
        _check_range_of(at_hand(input), 0)
    return result if out is None else write_out(out, result, exact=True)


@composite
def histogramdd(input: Tensor, bins, range=None, weight=None, density: bool = False):
    """(counts, edges) of points input[..., :] in boxes; bins: numbers of bins, or tensors of edges, one for each
    coordinate.

    counts has one dim for each of the last dim of input, of the default dtype or input's; edges are 1-d.

    >>> torch.histogramdd(torch.tensor([[0., 1.], [1., 0.]]), bins=[2, 2]).hist
    tensor([[0., 1.],
            [1., 0.]])
    """
    whole = weight is None or isinstance(weight, Tensor)
    check(whole, TypeError, f"histogramdd(): argument 'weight' must be Tensor, not {type(weight).__name__}")
    range = _limits(range, "histogramdd")
    check(input.ndim >= 2, RuntimeError, "torch.histogramdd: input tensor should have at least 2 dimensions")
    n = input.shape[-1]
    bins = _bins(bins, n)
    counted = not any(isinstance(b, Tensor) for b in bins)
    if counted and range is None and input.numel():  # whose limits are looked for first
        need_kind(input.dtype, "F", "histogramdd")
    check(
        len(bins) == n,
        RuntimeError,
        "histogramdd: The size of bins must be equal to the innermost dimension of the input.",
    )
    range = range if counted else None
    check(
        range is None or len(range) == 2 * n,
        RuntimeError,
        f"torch.histogramdd: for a {n}-dimensional histogram range should have {2 * n} elements, but got "
        f"{len(range or ())}",
    )
    if not n:  # no box that a point could lie in
        if weight is not None:
            check_weight(input._aval.struct, weight._aval.struct)
        need_kind(input.dtype, "f", "histogram_cpu")
        empty = torch.full((), math.nan if density else 0.0, dtype=input.dtype, device=input.device)
        return _HistogramDD(empty, ())
    edges = []
    for d, b in enumerate(bins):
        limits = None if range is None else tuple(range[2 * d : 2 * d + 2])
        edges.append(b if isinstance(b, Tensor) else apply(OPS["_bin_edges"], (b, limits, d), (input,)))
        if limits is None and not isinstance(b, Tensor):
            values = at_hand(input)
            _check_range_of(None if values is None else values[..., d], d)
    hist = apply(OPS["_histogramdd"], (len(edges), density, counted), (input, *edges, weight))
    return _HistogramDD(hist, tuple(edges))
