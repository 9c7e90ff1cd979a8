"""Where the elements of views lie in PyTorch's memory: for `strides=` of the views.

Each function takes the shape, the strides and the offset of the viewed tensor, in elements, and the view's further
arguments, and returns the same three for the view. Source: https://docs.pytorch.org/docs/stable/tensor_view.html
"""

from __future__ import annotations

from .._core.api import UNSET, wrap_dim


def same(shape, strides, offset):
    return shape, strides, offset


def _ordered(shape, strides, offset, order):
    return tuple([shape[d] for d in order]), tuple([strides[d] for d in order]), offset


def permuted(shape, strides, offset, dims):
    return _ordered(shape, strides, offset, [wrap_dim(d, len(shape)) for d in dims])


def swapped(shape, strides, offset, dim0, dim1):
    order = list(range(len(shape)))
    a, b = wrap_dim(dim0, len(shape)), wrap_dim(dim1, len(shape))
    if order:
        order[a], order[b] = order[b], order[a]
    return _ordered(shape, strides, offset, order)


def transposed(shape, strides, offset):
    return swapped(shape, strides, offset, -2, -1) if len(shape) >= 2 else (shape, strides, offset)


def moved(shape, strides, offset, source, destination):
    n = len(shape)
    given = [[x] if isinstance(x, int) else x for x in (source, destination)]
    source, target = ([wrap_dim(d, n) for d in dims] for dims in given)
    rest = iter([d for d in range(n) if d not in source])
    placed = dict(zip(target, source))
    return _ordered(shape, strides, offset, [placed[d] if d in placed else next(rest) for d in range(n)])


def selected(shape, strides, offset, dim, index):
    d, first = wrap_dim(dim, len(shape)), int(index)
    skipped = (first + shape[d] if first < 0 else first) * strides[d]
    return (*shape[:d], *shape[d + 1 :]), (*strides[:d], *strides[d + 1 :]), offset + skipped


def narrowed(shape, strides, offset, dim, start, length):
    d, first = wrap_dim(dim, len(shape)), int(start)
    skipped = (first + shape[d] if first < 0 else first) * strides[d]
    return (*shape[:d], length, *shape[d + 1 :]), strides, offset + skipped


def sliced(shape, strides, offset, dim, start, end, step):
    d = wrap_dim(dim, len(shape))
    start, end, step = slice(start, end, step).indices(shape[d])
    size = len(range(start, end, step))
    steps = (*strides[:d], strides[d] * step, *strides[d + 1 :])
    return (*shape[:d], size, *shape[d + 1 :]), steps, offset + start * strides[d]


def unsqueezed(shape, strides, offset, dim):
    n = len(shape)
    d = wrap_dim(dim, n + 1)
    inner = strides[d] * shape[d] if d < n else 1
    return (*shape[:d], 1, *shape[d:]), (*strides[:d], inner, *strides[d:]), offset


def squeezed(shape, strides, offset, dim):
    n = len(shape)
    dims = range(n) if dim is UNSET else [dim] if isinstance(dim, int) else dim
    gone = [wrap_dim(d, n) for d in dims]
    return _ordered(shape, strides, offset, [d for d in range(n) if d not in gone or shape[d] != 1])


def expanded(shape, strides, offset, size):
    extra = len(size) - len(shape)
    have = [1] * extra + list(shape)
    new = tuple([h if want == -1 else want for want, h in zip(size, have)])
    result = [s if h == want else 0 for want, h, s in zip(new[extra:], shape, strides)]
    for d in reversed(
        range(extra)
    ):  # a dim of size 1 that is put in front has a stride as if it were contiguous
        inner = new[d + 1] * result[0] if result else 1
        result.insert(0, inner if new[d] == 1 else 0)
    return new, tuple(result), offset


def diagonal(shape, strides, offset, by, dim1, dim2):
    n = len(shape)
    d1, d2 = wrap_dim(dim1, n), wrap_dim(dim2, n)
    length = max(min(shape[d1], shape[d2] - by) if by >= 0 else min(shape[d1] + by, shape[d2]), 0)
    skipped = by * strides[d2] if by >= 0 else -by * strides[d1]
    sizes, steps, _ = _ordered(shape, strides, offset, [d for d in range(n) if d not in (d1, d2)])
    return (*sizes, length), (*steps, strides[d1] + strides[d2]), offset + (skipped if length else 0)


def windows(shape, strides, offset, dim, size, step):
    if not shape:
        return (size,), (1,), offset
    d = wrap_dim(dim, len(shape))
    count = (shape[d] - size) // step + 1
    steps = (*strides[:d], strides[d] * step, *strides[d + 1 :], strides[d])
    return (*shape[:d], count, *shape[d + 1 :], size), steps, offset


def strided(shape, strides, offset, size, stride, storage_offset):
    return tuple(size), tuple(stride), storage_offset or 0


def as_real(shape, strides, offset):
    return (*shape, 2), (*[2 * s for s in strides], 1), 2 * offset


def as_complex(shape, strides, offset):
    return shape[:-1], tuple([s // 2 for s in strides[:-1]]), offset // 2


def real(shape, strides, offset):
    return shape, tuple([2 * s for s in strides]), 2 * offset


def imaginary(shape, strides, offset):
    return shape, tuple([2 * s for s in strides]), 2 * offset + 1


def read_as(shape, strides, offset, size, dtype):
    if not shape or size == dtype.itemsize:
        return shape, strides, offset * size // dtype.itemsize
    outer = tuple([s * size // dtype.itemsize for s in strides[:-1]])
    return (*shape[:-1], shape[-1] * size // dtype.itemsize), (*outer, 1), offset * size // dtype.itemsize


read_as.asks_size = True  # type: ignore[attr-defined]
