"""First-class dimensions made positional, and what makes new ones: order, expand, split, cat and stack."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from functorch_lite._core.api import Tensor as Plain
from functorch_lite._core.api import functions as torch

from .base import (
    HANDLERS,
    Dim,
    DimensionBindError,
    FirstClass,
    dims_of,
    has,
    parts,
    place_of,
    without,
    wrapped,
)
from .batching import aligned, call, positive
from .lists import DimList, flat

__all__ = ["bind_sizes", "cat", "split", "stack"]


def _order(func: Callable, args: tuple, kwargs: dict) -> Any:
    x, *given = args
    data, dims = parts(x)
    n = len(dims)
    groups = [list(g) if isinstance(g, tuple | list | DimList) else [g] for g in given]
    axes: list[int] = []
    for d in (d for g in groups for d in flat(g)):
        if isinstance(d, Dim):
            axis = place_of(d, dims)
        else:
            axis = n + positive(d, data.ndim - n)
        if axis < 0 or axis in axes:
            raise ValueError(f"tensor does not contain dim {d} or it was specified twice")
        axes.append(axis)
    rest = [k for k in range(data.ndim) if k not in axes]
    named, unnamed = [k for k in rest if k < n], [k for k in rest if k >= n]
    places = [*named, *axes, *unnamed]
    moved = data if places == list(range(data.ndim)) else data.permute(*places)
    if any(isinstance(g, tuple | list | DimList) for g in given):
        sizes = [math.prod([_size(x, d) for d in flat(g)]) for g in groups]
        moved = moved.reshape((*[data.shape[k] for k in named], *sizes, *[data.shape[k] for k in unnamed]))
    return wrapped(moved, [dims[k] for k in named])


def _size(x: Any, d: Any) -> int:
    return d.size if isinstance(d, Dim) else x.shape[d]


def _permute(func: Callable, args: tuple, kwargs: dict) -> Any:
    given = kwargs.get("dims", args[1] if len(args) == 2 else args[1:])
    return _order(func, (args[0], *flat(given)), {}) if _has_dims(given) else call(func, args, kwargs)


def _has_dims(given: Any) -> bool:
    return any(isinstance(d, Dim) for d in flat(given))


def _expand(func: Callable, args: tuple, kwargs: dict) -> Any:
    x, *given = args
    new = flat(given[0] if len(given) == 1 else tuple(given))
    if not any(isinstance(d, Dim) for d in new):
        return call(func, args, kwargs)
    data, dims = parts(x)
    for d in new:
        if not isinstance(d, Dim):
            raise TypeError(
                f"expand: {d} cannot be combined with first-class dimensions; expand by the dimensions first, and then by sizes"
            )
        if has(dims, d) or sum(e is d for e in new) > 1:
            raise DimensionBindError(f"expanding dimension {d} already exists in tensor with dims")
    return wrapped(data.expand(*[d.size for d in new], *data.shape), [*new, *dims])


def bind_sizes(names: Sequence[Dim], whole: int, sizes: Sequence[int] | None = None) -> None:
    """Binds dimensions that share an axis to sizes, each a factor of the axis: at most one size may be unknown."""
    unbound = [d for d in names if not d.is_bound]
    if len(unbound) > 1:
        raise DimensionBindError(
            f"cannot infer the sizes of two dimensions at once {unbound[0]} and {unbound[1]}"
        )
    known = math.prod([d.size for d in names if d.is_bound])
    shown = tuple([d.size if d.is_bound else "?" for d in names])
    if unbound:
        if known == 0 or whole % known:
            raise DimensionBindError(
                f"inferred dimension does not evenly fit into larger dimension: {whole} vs {shown}"
            )
        unbound[0].size = whole // known
    elif known != whole:
        raise DimensionBindError(
            f"Dimension sizes to do not match ({whole} != {known}) when matching dimension pack {tuple(names)}"
        )


# -- apart and together ----------------------------------------------------------------------------------------------


def split(tensor: Any, split_size_or_sections: Any, dim: Any = None) -> tuple:
    """Parts of a tensor along a dimension: of a size, of several, or, given dimensions, one for each, which is bound to
    it.

    Dimensions without a size share evenly the rest. dim: a number or a first-class dimension; the parts of one are
    given by dimensions alone.

    >>> from functorch_lite.compat.functorch.dim import dims, split
    >>> i, j, k = dims(3)
    >>> j.size = 1
    >>> [x.dims for x in split(torch.zeros(3, 4)[i], [j, k], 0)], k.size
    ([(i, j), (i, k)], 3)
    """
    dim = 0 if dim is None else dim
    sections = split_size_or_sections
    if isinstance(sections, Dim | DimList):
        sections = tuple(flat(sections))
    named = isinstance(sections, tuple | list) and any(isinstance(s, Dim) for s in sections)
    if isinstance(dim, Dim) and not named:
        raise TypeError("when dim is specified as a Dim object, split sizes must also be dimensions.")
    if not named:
        return call(torch.split, (tensor, sections, dim), {}) if isinstance(tensor, FirstClass) else torch.split(tensor, sections, dim)  # fmt: skip
    new = flat(tuple(sections))
    if not all(isinstance(s, Dim) for s in new):
        raise TypeError("split: the sections must be all dimensions or all ints")
    moved = tensor.order(dim) if isinstance(tensor, FirstClass) else tensor.movedim(dim, 0)
    _share(new, moved.shape[0])
    at, found = 0, []
    for d in new:
        found.append(moved[at : at + d.size][d])
        at += d.size
    return tuple(found)


def _share(new: list[Dim], whole: int) -> None:
    """Gives dimensions without a size what the others leave of one."""
    unbound = [d for d in new if not d.is_bound]
    left = whole - sum(d.size for d in new if d.is_bound)
    if left < 0 or (not unbound and left):
        raise TypeError(
            f"result dimensions do not fill the dimension that is split: {[d.size if d.is_bound else '?' for d in new]} of {whole}"
        )
    each = -(-left // len(unbound)) if unbound else 0
    for d in unbound:
        d.size = min(each, left)
        left -= d.size


def _split_method(func: Callable, args: tuple, kwargs: dict) -> Any:
    return split(*args, **kwargs)


def cat(tensors: Sequence[Any], dim: Any, new_dim: Dim) -> Any:
    """Tensors joined along a dimension, a number or a first-class one of each, which becomes `new_dim`.

    >>> from functorch_lite.compat.functorch.dim import cat, dims
    >>> i, j, k = dims(3)
    >>> cat([torch.zeros(2, 3)[i, j]] * 2, j, k).dims, k.size
    ((i, k), 6)
    """
    if not isinstance(dim, int) and not all(has(dims_of(t), dim) for t in tensors):
        raise TypeError(f"Dimension {dim} does not exist in inputs")
    rest = without(dims_of(*tensors), [dim])
    moved = [_first(t, dim) for t in tensors]
    ndim = max(t.ndim for t in moved)
    joined = torch.cat([_whole(t, rest, ndim) for t in moved], len(rest))
    return wrapped(joined, rest)[new_dim]


def stack(tensors: Sequence[Any], new_dim: Dim, dim: Any = 0) -> Any:
    """Tensors stacked along `new_dim`, which is bound to their number. dim: changes nothing, as `new_dim` has no
    position.

    >>> from functorch_lite.compat.functorch.dim import dims, stack
    >>> i, j = dims(2)
    >>> stack([torch.zeros(3)[i], torch.ones(3)[i]], j).order(j, i)
    tensor([[0., 0., 0.],
            [1., 1., 1.]])
    """
    rest = dims_of(*tensors)
    ndim = max(t.ndim for t in tensors)
    if not isinstance(dim, Dim):
        positive(dim, ndim + 1)
    joined = torch.stack([_whole(t, rest, ndim) for t in tensors], len(rest))
    return wrapped(joined, rest)[new_dim]


def _first(t: Any, dim: Any) -> Any:
    """The tensor with a dimension as its first positional one."""
    if isinstance(t, FirstClass):
        return t.order(dim)
    return t.movedim(dim, 0)


def _whole(t: Any, dims: tuple[Dim, ...], ndim: int) -> Plain:
    """The plain tensor of x, with all of these dimensions before its positional ones."""
    if t.ndim != ndim:
        raise RuntimeError(f"Tensors must have same number of dimensions: got {ndim} and {t.ndim}")
    if not dims_of(t):
        return t.expand(*[d.size for d in dims], *t.shape)
    data = aligned(t, dims, ndim)
    return data.expand(*[d.size for d in dims], *data.shape[len(dims) :])


def _cat(func: Callable, args: tuple, kwargs: dict) -> Any:
    if len(args) + len(kwargs) == 3 and "out" not in kwargs:
        return cat(*args, **kwargs)
    return call(func, args, kwargs)


def _stack(func: Callable, args: tuple, kwargs: dict) -> Any:
    if "new_dim" in kwargs or (len(args) > 1 and isinstance(args[1], Dim)):
        return stack(*args, **kwargs)
    return call(func, args, kwargs)


HANDLERS["order"] = _order
HANDLERS["permute"] = _permute
HANDLERS["expand"] = _expand
HANDLERS["split"] = _split_method
HANDLERS["cat"] = _cat
HANDLERS["stack"] = _stack
