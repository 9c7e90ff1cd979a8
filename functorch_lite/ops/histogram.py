"""Histograms with edges: torch.histogram and what torch.histogramdd is made of. They have no derivatives."""

from __future__ import annotations

import math

import jax.numpy as jnp
from jax import lax

from .._core.api import Array, Arrays, check, cpp_name, need_kind, no_kernel, op, required, requirement
from ._pointwise import fused
from ._special import divide


def check_bins(bins: int, dim: int = 0) -> None:
    """torch's check of a number of bins."""
    check(bins > 0, RuntimeError, f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}")


def _check_edges(x, edges, dim: int = 0) -> None:
    check(
        edges.ndim == 1,
        RuntimeError,
        f"torch.histogramdd: bins tensor should have one dimension, but got {edges.ndim} dimensions in the bins "
        f"tensor for dimension {dim}",
    )
    check(
        edges.size > 0,
        RuntimeError,
        "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for "
        f"dimension {dim}",
    )
    check(
        edges.dtype == x.dtype,
        RuntimeError,
        "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype "
        f"{cpp_name(x)} and bins for dimension {dim} with dtype {cpp_name(edges)}",
    )
    check_bins(edges.size - 1, dim)


def check_weight(x, weight) -> None:
    check(
        weight.dtype == x.dtype,
        RuntimeError,
        "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, but "
        f"got input({cpp_name(x)}), and weight({cpp_name(weight)})",
    )
    check(
        weight.shape == x.shape[:-1],
        RuntimeError,
        "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its "
        f"innermost dimension, but got input with shape {list(x.shape)} and weight with shape {list(weight.shape)}",
    )


def _even(x, bins: int, limits, dim: int = 0):
    """Edges of `bins` bins of equal width between the limits, by default the smallest and the largest number."""
    check_bins(bins, dim)
    if limits is not None:
        low, high = limits
        check(
            math.isfinite(low) and math.isfinite(high),
            RuntimeError,
            f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite",
        )
        check(
            low <= high,
            RuntimeError,
            f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension {dim}",
        )
        low, high = jnp.asarray(low, x.dtype), jnp.asarray(high, x.dtype)
    elif x.size == 0:
        low, high = jnp.zeros((), x.dtype), jnp.ones((), x.dtype)
    else:
        low, high = jnp.min(x), jnp.max(x)
        sentence = f"torch.histogramdd: dimension {dim}'s range is not finite"
        wrong = ~(jnp.isfinite(low) & jnp.isfinite(high))
        low = required(low, wrong, requirement("RuntimeError", sentence))
    half = jnp.where(low == high, 0.5, 0.0).astype(x.dtype)
    low, high = low - half, high + half
    step = divide(high - low, jnp.asarray(bins, x.dtype))
    i = lax.iota(jnp.int32, bins + 1)
    from_low, from_high = fused(low, step, i.astype(x.dtype)), fused(high, -step, (bins - i).astype(x.dtype))
    return jnp.where(i < (bins + 1) // 2, from_low, from_high)


def _evenly(x, edges):
    """The bins of numbers between evenly spaced edges, computed as in PyTorch: by a quotient, which may be off by
    one, and the adjacent edges. It differs from a search where edges coincide, as they do where a range is narrow
    for its dtype."""
    n = edges.size - 1
    quotient = divide((x - edges[0]) * jnp.asarray(n, x.dtype), edges[-1] - edges[0])
    guess = jnp.clip(jnp.where(jnp.isfinite(quotient), quotient, 0), 0, n).astype(jnp.int64)
    first = jnp.maximum(guess - 1, 0)
    beside = [(first + k < jnp.minimum(guess + 2, n + 1)) & (edges[first + k] <= x) for k in range(3)]
    return first + sum(at.astype(jnp.int64) for at in beside) - 1


def _count(columns, edges, weight, density: bool, even: bool):
    """How many points, given by columns of coordinates, lie in each box of the grid of edges; the last edges belong to
    it. even: whether edges are equally far apart."""
    sizes = [e.size - 1 for e in edges]
    flat = jnp.zeros(columns[0].shape, jnp.int64)
    inside = jnp.ones(columns[0].shape, bool)
    for x, e, n in zip(columns, edges, sizes):
        if even:
            at = _evenly(x, e)
        else:
            at = jnp.where(x == e[-1], n - 1, jnp.searchsorted(e, x, side="right") - 1)
        inside &= (x >= e[0]) & (x <= e[-1])
        flat = flat * n + jnp.clip(at, 0, n - 1)
    ones = jnp.ones(flat.shape, edges[0].dtype) if weight is None else weight.reshape(-1)
    hist = jnp.zeros(math.prod(sizes), edges[0].dtype).at[flat].add(jnp.where(inside, ones, 0))
    hist = hist.reshape(sizes)
    if density:
        hist = hist / jnp.sum(hist)
        for k, e in enumerate(edges):
            hist = hist / jnp.diff(e).reshape(-1, *[1] * (len(edges) - 1 - k))
    return hist


def _check_histogram(input, bins, range) -> None:
    counted = isinstance(bins, int)
    check(
        (counted and not isinstance(bins, bool)) or (hasattr(bins, "ndim") and range is None),
        TypeError,
        "histogram() received an invalid combination of arguments: bins must be an int, or a Tensor without range",
    )
    need_kind(input, "f", "histogramdd")
    if counted:
        check(
            range is None or len(range) == 2,
            RuntimeError,
            f"torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got {len(range or ())}",
        )
    else:
        _check_edges(input, bins)


@op(returns=("hist", "bin_edges"))
def histogram(
    input: Array,
    bins: Array | int = 100,
    *,
    range: tuple[float, ...] | None = None,
    weight: Array | None = None,
    density: bool = False,
):
    """(counts, edges) of all elements of input in bins: a number of bins of equal width, or the edges of bins.

    The last edge belongs to the last bin. weight: what each element counts; density: the integral over the range is 1.

    >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
    tensor([2., 1.])
    """
    _check_histogram(input, bins, range)
    counted, x = isinstance(bins, int), lax.stop_gradient(input).reshape(-1)
    edges = _even(x, bins, range) if counted else lax.stop_gradient(bins)
    if counted:
        _check_outermost(x, range)
    if weight is not None:
        weight = lax.stop_gradient(weight).reshape(-1)
        check_weight(x.reshape(-1, 1), weight)
    return _count([x], [edges], weight, density, counted), edges


def _check_outermost(x, limits) -> None:
    """Raises where limits must be found among numbers of half precision, for which torch lacks the kernel."""
    if limits is None and x.size and x.dtype.itemsize < 4:
        raise no_kernel("histogramdd", x)


@op(name="_bin_edges", method=False, out=False)
def _bin_edges(input: Array, bins: int, limits: tuple[float, ...] | None, dim: int):
    """The edges of `bins` equal bins for the coordinates input[..., dim]."""
    x = lax.stop_gradient(input)[..., dim]
    _check_outermost(x, limits)
    return _even(x, bins, limits, dim)


@op(name="_histogramdd", method=False, out=False)
def _histogramdd(
    input: Array, edges: Arrays, weight: Array | None = None, density: bool = False, even: bool = False
):
    """Counts of points input[..., :] on the grid of edges. even: whether edges are equally far apart."""
    need_kind(input, "f", "histogramdd")
    x = lax.stop_gradient(input)
    for d, e in enumerate(edges):
        _check_edges(x, e, d)
    if weight is not None:
        check_weight(x, weight)
    columns = [x[..., d].reshape(-1) for d in range(x.shape[-1])]
    return _count(columns, edges, None if weight is None else lax.stop_gradient(weight), density, even)
