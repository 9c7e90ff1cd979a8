"""Adaptive pooling: the windows follow from the wanted output size.

Window i of n along a dim of size s is [floor(i s / n), ceil((i + 1) s / n)).
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import (
    ENDS,
    Array,
    check,
    check_memory,
    check_type,
    no_kernel,
    reads,
    scalar_name,
    wrap_dims,
)
from functorch_lite.ops._pointwise import category
from functorch_lite.ops._special import divide, mean
from functorch_lite.ops.decompose import without_gradient

from ._contracts.pool import check_two_or_three
from ._declare import compute, is_float8, nn_op, shape_text

__all__ = ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"]  # fmt: skip


def _sizes(name: str, n: int, input, output_size) -> tuple[int, ...]:
    check_type(not isinstance(output_size, bool), output_size, "tuple of ints", name, "output_size", 2)
    kind = name[: -len("1d")]
    if n == 1:
        check_two_or_three(name, input)
        given = (output_size,) if isinstance(output_size, int) else tuple(output_size)
        check(
            len(given) == 1,
            RuntimeError,
            f"{name}() argument 'output_size' should contain one int (got {len(given)})",
        )
    else:
        colon = ":" if "max" in kind else ""
        listed = output_size if isinstance(output_size, tuple) else ()
        check(
            input.ndim > len(listed) or not listed,
            ValueError,
            f"Input dimension should be at least {len(listed) + 1}",
        )
        given = (
            (output_size,) * n if isinstance(output_size, int) or output_size is None else tuple(output_size)
        )
        ones = (1,) * n
        if "avg" in kind and given == ones:  # a mean, of any number of dims
            wrap_dims(tuple(range(-n, 0)), input.ndim, in_turn=True)
            return ones
        check(
            input.ndim in (n + 1, n + 2),
            RuntimeError,
            f"{name}(): Expected {n + 1}D or {n + 2}D tensor, but got{colon} {shape_text(input)}",
        )
        check(
            len(given) == n,
            RuntimeError,
            f"{name}(): internal error: output_size.size() must be {n}"
            if "max" in kind
            else f"{name}: output_size must be {n}",
        )
    sizes = tuple(s if want is None else want for want, s in zip(given, input.shape[-n:]))
    negative = min(sizes) < 0
    check_memory((*input.shape[:-n], *(max(size, 0) for size in sizes)), input.dtype.itemsize)
    if "max" in kind:
        _check_filled(f"{name}(): Expected input", "input", input.shape, input.ndim - n - 1)
        shape = [*input.shape[:-n], *_two_at_least(sizes)]
        check(
            not negative,
            RuntimeError,
            f"Trying to create tensor with negative dimension {min(sizes)}: {shape}",
        )
        return sizes
    last = "," if n == 3 else ", "
    received = f"{', '.join(str(s) for s in _two_at_least(sizes)[:-1])}{last}{sizes[-1]}"
    check(
        not negative,
        RuntimeError,
        f"{_kernel(name)}: elements of output_size must be greater than or equal to 0 but received {{{received}}}",
    )
    if not _is_mean(sizes):
        shape = (*input.shape[:-n], *_two_at_least(input.shape[-n:]))
        _check_filled(f"{_kernel(name)}(): Expected input", "input", shape, len(shape) - max(n, 2) - (n == 3))
    return sizes


def _kernel(name: str) -> str:
    """The torch function that does it: one dim is pooled as two."""
    return name.replace("1d", "2d")


def _two_at_least(sizes: tuple[int, ...]) -> tuple[int, ...]:
    return (1, *sizes) if len(sizes) == 1 else sizes


def _check_filled(expected: str, what: str, shape: tuple[int, ...], first: int) -> None:
    """Raises torch's error if a dim from `first` on is empty; the very first dim may be."""
    empty = next((d for d in range(max(first, 1), len(shape)) if not shape[d]), None)
    check(
        empty is None,
        RuntimeError,
        f"{expected} to have non-zero size for non-batch dimensions, but {what} has sizes {shape_text(shape)} with dimension "
        f"{empty} being empty",
    )


def _is_mean(sizes: tuple[int, ...]) -> bool:
    """Returns whether torch computes the averages as one mean."""
    return max(sizes) == min(sizes) == 1


def _refuses_gradient(name: str, n: int, input, result):
    """The result, or, where torch's derivative refuses an empty gradient, the result without one."""

    def refuse(shape):
        seen = (*shape[:-n], *_two_at_least(shape[-n:]))
        _check_filled(f"{_kernel(name)}_backward(): Expected grad_output", "grad_output", seen, 1)
        raise AssertionError(f"no dim of {shape} is empty")

    if 0 not in result.shape[1:]:
        return result
    # jnp.take of nothing has no derivative, this has
    empty = jnp.broadcast_to(jnp.sum(input, dtype=result.dtype), result.shape)
    return without_gradient(empty, refuse)


def _windows(size: int, count: int):
    """(places, inside): for each window its places, padded to the longest window, and which of them count."""
    i = np.arange(count)
    start, end = i * size // max(count, 1), -(-(i + 1) * size // max(count, 1))
    longest = int((end - start).max()) if count else 1
    places = start[:, None] + np.arange(longest)
    inside = places < end[:, None]
    return np.minimum(places, size - 1), inside


def _spread_windows(x, axis: int, count: int):
    """x with `axis` replaced by (count, window length), and which places count (None if all do)."""
    size = x.shape[axis]
    if count and size % count == 0:
        return x.reshape(x.shape[:axis] + (count, size // count) + x.shape[axis + 1 :]), None
    places, inside = _windows(size, count)
    shape = (*places.shape, *(1,) * (x.ndim - axis - 1))
    spread = jnp.take(x, places.reshape(-1), axis=axis).reshape(
        x.shape[:axis] + places.shape + x.shape[axis + 1 :]
    )
    return spread, None if inside.all() else inside.reshape(shape)


def _adaptive_avg(name, n, input, output_size):
    sizes = _sizes(name, n, input, output_size)
    whole = _is_mean(sizes)
    if whole and category(input) < 2:
        raise RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {scalar_name(input)}"
        )
    if whole:
        if is_float8(input):
            raise no_kernel("sum_cpu", input)
        return mean(compute(input), tuple(range(-n, 0)), keepdims=True).astype(input.dtype)
    # torch looks at no dtype if there is nothing to compute
    if (category(input) != 2 or is_float8(input)) and (n == 3 or 0 not in (*input.shape, *sizes)):
        raise no_kernel("adaptive_avg_pool3d_cpu" if n == 3 else "adaptive_avg_pool2d", input)
    x = compute(input)
    for i in reversed(range(n)):
        axis = x.ndim - n + i
        spread, inside = _spread_windows(x, axis, sizes[i])
        if inside is None:
            x = mean(spread, (axis + 1,))
        else:
            counts = inside.sum(1, keepdims=True).squeeze(1).astype(x.dtype)
            total = jnp.sum(jnp.where(inside, spread, 0), axis + 1)
            x = divide(total, jnp.broadcast_to(counts, total.shape))
    return _refuses_gradient(name, n, input, reads(x, input, then=ENDS).astype(input.dtype))


def first_max(x, axis: int):
    """The index of the first maximum along `axis`, or of the last nan, as torch chooses; the dim stays."""
    nan = jnp.isnan(x)
    last_nan = x.shape[axis] - 1 - jnp.argmax(jnp.flip(nan, axis), axis, keepdims=True)
    return jnp.where(jnp.any(nan, axis, keepdims=True), last_nan, jnp.argmax(x, axis, keepdims=True))


def _adaptive_max(name, n, input, output_size, return_indices):
    sizes = _sizes(name, n, input, output_size)
    if category(input) != 2 or is_float8(input):
        raise no_kernel("adaptive_max_pool3d_cpu" if n == 3 else "adaptive_max_pool2d", input)
    x, lead = input, (1,) * (input.ndim - n)
    where = jnp.arange(math.prod(input.shape[-n:]), dtype=jnp.int64).reshape(lead + input.shape[-n:])
    where = jnp.broadcast_to(where, x.shape)
    for i in reversed(range(n)):
        axis = x.ndim - n + i
        spread, inside = _spread_windows(x, axis, sizes[i])
        places, _ = _spread_windows(where, axis, sizes[i])
        if inside is not None:
            spread = jnp.where(inside, spread, -jnp.inf)
        best = first_max(spread, axis + 1)
        x = jnp.take_along_axis(spread, best, axis + 1).squeeze(axis + 1)
        where = jnp.take_along_axis(places, best, axis + 1).squeeze(axis + 1)
    x = _refuses_gradient(name, n, input, reads(x, input, then=ENDS))
    return (x, where) if return_indices else x


@nn_op()
def adaptive_avg_pool1d(input: Array, output_size: int | tuple[int, ...]):
    """The means of `output_size` windows of the last dim.

    input: (N, C, L) or (C, L).

    >>> F.adaptive_avg_pool1d(torch.arange(6.).view(1, 1, 6), 2).tolist()
    [[[1.0, 4.0]]]
    """
    return _adaptive_avg("adaptive_avg_pool1d", 1, input, output_size)


@nn_op(grad="AdaptiveAvgPool2D", float8=True)
def adaptive_avg_pool2d(input: Array, output_size: int | tuple[int | None, ...] | None):
    """The means of windows of the last two dims, so many that the result has `output_size`; None keeps a size.

    >>> F.adaptive_avg_pool2d(torch.arange(4.0).reshape(1, 2, 2), 1)
    tensor([[[1.5000]]])
    """
    return _adaptive_avg("adaptive_avg_pool2d", 2, input, output_size)


@nn_op(grad="AdaptiveAvgPool3D", autocast=("float", None))
def adaptive_avg_pool3d(input: Array, output_size: int | tuple[int | None, ...] | None):
    """The means of windows of the last three dims, so many that the result has `output_size`.

    input: (N, C, D, H, W) or (C, D, H, W); a None in output_size keeps a size.

    >>> F.adaptive_avg_pool3d(torch.arange(8.).view(1, 1, 2, 2, 2), 1).tolist()
    [[[[[3.5]]]]]
    """
    return _adaptive_avg("adaptive_avg_pool3d", 3, input, output_size)


@nn_op()
def adaptive_max_pool1d(input: Array, output_size: int | tuple[int, ...], return_indices: bool = False):
    """The maxima of `output_size` windows of the last dim.

    input: (N, C, L) or (C, L). With return_indices also their places.

    >>> F.adaptive_max_pool1d(torch.arange(6.).view(1, 1, 6), 2).tolist()
    [[[2.0, 5.0]]]
    """
    return _adaptive_max("adaptive_max_pool1d", 1, input, output_size, return_indices)


@nn_op(grad="AdaptiveMaxPool2D")
def adaptive_max_pool2d(
    input: Array, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False
):
    """The maxima of windows of the last two dims, so many that the result has `output_size`.

    input: (N, C, H, W) or (C, H, W); a None in output_size keeps a size. With return_indices also their places.

    >>> F.adaptive_max_pool2d(torch.arange(16.).view(1, 1, 4, 4), (2, 2)).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    return _adaptive_max("adaptive_max_pool2d", 2, input, output_size, return_indices)


@nn_op(grad="AdaptiveMaxPool3D", autocast=("float", None))
def adaptive_max_pool3d(
    input: Array, output_size: int | tuple[int | None, ...] | None, return_indices: bool = False
):
    """The maxima of windows of the last three dims, so many that the result has `output_size`.

    input: (N, C, D, H, W) or (C, D, H, W); a None in output_size keeps a size. With return_indices also their places.

    >>> F.adaptive_max_pool3d(torch.arange(8.).view(1, 1, 2, 2, 2), 1).tolist()
    [[[[[7.0]]]]]
    """
    return _adaptive_max("adaptive_max_pool3d", 3, input, output_size, return_indices)
