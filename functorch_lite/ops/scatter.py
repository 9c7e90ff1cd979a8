"""Scatter: elements written or combined at places that an index tensor names.

The rules of `index.py` on indices out of range and on colliding writes hold here too.
"""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    ENTIRELY,
    Array,
    Number,
    bounded,
    check,
    from_numpy,
    is_number,
    need_kind,
    no_kernel,
    op,
    reads,
    wrap_dim,
)
from ._pointwise import as_number, converted, fit, held
from .contracts.index import check_index_dtype, check_slices
from .index import added, gathered, grid


def _check_scatter(input, dim: int, index, src) -> None:
    if index.size:
        check_index_dtype("scatter", index)
    if src is not None:
        check(
            src.dtype == input.dtype,
            RuntimeError,
            "scatter(): Expected self.dtype to be equal to src.dtype",
        )
    if index.size == 0:
        return
    shape, own = index.shape or (1,), input.shape or (1,)
    check(
        len(shape) == len(own),
        RuntimeError,
        "Index tensor must have the same number of dimensions as self tensor",
    )
    fits = all(d == dim or n <= m for d, (n, m) in enumerate(zip(shape, own)))
    sentence = f"Expected index {list(index.shape)} to be no larger than self {list(input.shape)} apart from dimension {dim}"
    if src is None:
        check(fits, RuntimeError, sentence)
        return
    theirs = src.shape or (1,)
    fits = fits and all(n <= m for n, m in zip(shape, theirs))
    if fits and 0 < src.ndim < len(shape):
        wrap_dim(src.ndim, src.ndim)  # raises: torch asks for the size of each dim before it counts them
    check(
        len(shape) == len(theirs),
        RuntimeError,
        "Index tensor must have the same number of dimensions as src tensor",
    )
    check(fits, RuntimeError, f"{sentence} and to be no larger size than src {list(src.shape)}")


def _scatter_inputs(input, dim, index, src):
    """(dim, input, index, src) with at least one dim each and src cut to the shape of index; no index where it is
    empty."""
    dim = wrap_dim(dim, input.ndim)
    _check_scatter(input, dim, index, src)
    base, index = jnp.atleast_1d(input), jnp.atleast_1d(index)
    if index.size == 0:
        return dim, base, None, None
    index = bounded(index, base.shape[dim], f"gather:{dim}")
    if src is not None:
        src = jnp.atleast_1d(src)[tuple(slice(0, n) for n in index.shape)]
    return dim, base, index, src


def _reduced(how, dim, base, index, src, include_self=True):
    """`src` scattered into `base` along dim, combined by `how`; all have one dtype and at least one dim."""
    key = grid(base.shape, dim, index)
    kind = base.dtype
    real = jnp.issubdtype(kind, jnp.inexact)
    if how in ("amax", "amin") and jnp.issubdtype(kind, jnp.complexfloating):
        raise no_kernel(f"scatter_gather_tensor_cpu_reduce_{how}", base)
    if how == "mean" and kind == np.bool_:
        raise no_kernel("scatter_gather_tensor_cpu_reduce_mean", base)
    if not include_self:
        base = base.at[key].set(_neutral(how, kind), mode="drop", unique_indices=True)
    if how == "sum":
        return added(base.at[key], src)
    if how == "mean":
        ones = np.float32 if real else kind
        count = jnp.full(base.shape, include_self, ones).at[key].add(1, mode="drop")
        total, count = base.at[key].add(src, mode="drop"), jnp.maximum(count, 1)
        return (total / count.astype(kind)).astype(kind) if real else total // count
    if how == "prod":
        if kind == np.bool_:
            return base.at[key].min(src, mode="drop")
        return _scatter_prod(dim, base, index, src) if real else base.at[key].multiply(src, mode="drop")
    if real:
        return _scatter_extreme(how, dim, base, index, src)
    return base.at[key].max(src, mode="drop") if how == "amax" else base.at[key].min(src, mode="drop")


def _neutral(how, kind):
    """Returns the number that combines with x to x."""
    if how in ("sum", "mean"):
        return np.zeros((), kind)
    if how == "prod":
        return np.ones((), kind)
    if jnp.issubdtype(kind, jnp.floating):
        return np.asarray(-np.inf if how == "amax" else np.inf, kind)
    if kind == np.bool_:
        return np.asarray(how == "amin")
    return np.asarray(np.iinfo(kind).min if how == "amax" else np.iinfo(kind).max, kind)


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _scatter_extreme(how, dim, base, index, src):
    target = base.at[grid(base.shape, dim, index)]
    return target.max(src, mode="drop") if how == "amax" else target.min(src, mode="drop")


@_scatter_extreme.defjvp
def _scatter_extreme_jvp(how, dim, primals, tangents):
    """torch's rule: all that equal the extreme share its derivative evenly."""
    base, index, src = held(primals[0]), primals[1], held(primals[2])
    d_base, _, d_src = tangents
    out = _scatter_extreme(how, dim, base, index, src)
    won = converted(src == gathered(out, dim, index), out.dtype)
    stayed = converted(base == out, out.dtype)
    key = grid(base.shape, dim, index)
    count = stayed.at[key].add(won, mode="drop")  # 0 where the extreme is nan, as then is its derivative
    return out, (stayed * d_base).at[key].add(won * d_src, mode="drop") / count


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def _scatter_prod(dim, base, index, src):
    return base.at[grid(base.shape, dim, index)].multiply(src, mode="drop")


@_scatter_prod.defjvp
def _scatter_prod_jvp(dim, primals, tangents):
    base, index, src = primals
    return jax.jvp(lambda b, s: _sorted_prod(dim, b, index, s), (base, src), (tangents[0], tangents[2]))


def _sorted_prod(dim, base, index, src):
    """`_scatter_prod` as a segmented scan over the sorted indices: its derivatives hold where factors are zero."""
    order = jnp.argsort(index, axis=dim, stable=True)
    index = jnp.take_along_axis(index, order, axis=dim)
    src = jnp.take_along_axis(src, order, axis=dim)
    n = index.shape[dim]
    change = lax.slice_in_dim(index, 1, n, 1, dim) != lax.slice_in_dim(index, 0, n - 1, 1, dim)
    edge = jnp.ones_like(lax.slice_in_dim(index, 0, 1, 1, dim), dtype=bool)
    first, last = lax.concatenate([edge, change], dim), lax.concatenate([change, edge], dim)

    def combine(a, b):
        return a[0] | b[0], jnp.where(b[0], b[1], a[1] * b[1])

    products = lax.associative_scan(combine, (first, src), axis=dim)[1]
    at_last = jnp.where(last, index, jnp.asarray(base.shape[dim], index.dtype))
    factor = (
        jnp.ones_like(base).at[grid(base.shape, dim, at_last)].set(products, mode="drop", unique_indices=True)
    )
    return reads(base * factor, base, src, then=ENTIRELY)


@op(inplace=True, out="exact", numbers=fit("src", "value"), apart=("index", "src"))
def scatter(
    input: Array,
    dim: int,
    index: Array,
    src: Array | Number | None = None,
    *,
    value: Number | None = None,
    reduce: str | None = None,
):
    """`input` with result[index[i][j]][j] = src[i][j] for dim 0, and so on; `src` may be a number.

    reduce: "add" or "multiply" combines instead of overwriting.

    >>> torch.scatter(torch.zeros(3), 0, torch.tensor([2, 0]), torch.tensor([5., 6.]))
    tensor([6., 0., 5.])
    """
    check(src is None or value is None, TypeError, "scatter() received an invalid combination of arguments")
    src = value if src is None else src
    check(src is not None, TypeError, 'scatter() missing 1 required positional arguments: "src"')
    wrap_dim(dim, input.ndim)  # is looked at first
    check(
        reduce in (None, "add", "multiply"),
        RuntimeError,
        "reduce argument must be either add or multiply.",
    )
    number = value is not None or is_number(src)
    shape = input.shape
    dim, base, index, part = _scatter_inputs(input, dim, index, None if number else src)  # type: ignore
    if index is None:
        return input
    if number:
        part = jnp.broadcast_to(as_number(src, from_numpy(input.dtype)), index.shape)
    if reduce is None:
        out = base.at[grid(base.shape, dim, index)].set(part, mode="drop", unique_indices=True)
    else:
        out = _reduced("sum" if reduce == "add" else "prod", dim, base, index, part)
    return out.reshape(shape)


@op(inplace=True, out="exact", autocast=(None, "widest"), apart=("index", "src"))
def scatter_add(input: Array, dim: int, index: Array, src: Array):
    """`input` with src[i][j] added at result[index[i][j]][j] for dim 0, and so on.

    >>> torch.scatter_add(torch.zeros(3), 0, torch.tensor([2, 2]), torch.tensor([5., 6.]))
    tensor([ 0.,  0., 11.])
    """
    dim, base, index, part = _scatter_inputs(input, dim, index, src)  # type: ignore
    return input if index is None else _reduced("sum", dim, base, index, part).reshape(input.shape)


@op(inplace=True, out="exact", apart=("index", "src"))
def scatter_reduce(
    input: Array, dim: int, index: Array, src: Array, reduce: str, *, include_self: bool = True
):
    """`src` scattered into `input`, where colliding elements are combined: "sum", "prod", "mean", "amax" ("max") or
    "amin" ("min").

    With include_self=False the elements of `input` that are written to do not take part.

    >>> torch.scatter_reduce(torch.zeros(3), 0, torch.tensor([2, 2]), torch.tensor([5., 6.]), 'amax')
    tensor([0., 0., 6.])
    """
    wrap_dim(dim, input.ndim)  # is looked at first
    reduce = {"max": "amax", "min": "amin"}.get(reduce, reduce)
    check(
        reduce in ("sum", "prod", "mean", "amax", "amin"),
        RuntimeError,
        f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}",
    )
    dim, base, index, part = _scatter_inputs(input, dim, index, src)  # type: ignore
    return (
        input
        if index is None
        else _reduced(reduce, dim, base, index, part, include_self).reshape(input.shape)
    )


@op(inplace=True, out="exact", apart=("index", "source"))
def index_reduce(
    input: Array, dim: int, index: Array, source: Array, reduce: str, *, include_self: bool = True
):
    """The slices of `source` combined with the slices of `input` that `index` names: "prod", "mean", "amax" or "amin".

    Same shape and dtype; RuntimeError for another `reduce`, IndexError for an index that there is not.

    >>> torch.index_reduce(torch.ones(2), 0, torch.tensor([0, 0]), torch.tensor([2., 3.]), "prod")
    tensor([6., 1.])
    """
    check(
        reduce in ("prod", "mean", "amax", "amin"),
        RuntimeError,
        f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.",
    )
    dim = wrap_dim(dim, input.ndim)
    check_slices("index_reduce_", input, dim, index, source)
    if not include_self:
        need_kind(input, "if", "index_reduce_func_exclude_input_init")
    if input.ndim <= 1:  # torch has another kernel for more dims
        need_kind(input, "if", "index_func_")
    if source.size == 0:
        return input
    base, source = jnp.atleast_1d(input), jnp.atleast_1d(source)
    index = bounded(index, base.shape[dim], "self")
    along = index.reshape([-1 if d == dim else 1 for d in range(base.ndim)])
    return _reduced(reduce, dim, base, jnp.broadcast_to(along, source.shape), source, include_self).reshape(
        input.shape
    )
