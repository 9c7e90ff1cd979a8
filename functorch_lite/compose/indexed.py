"""Functions that need the values of masks or indices: masked_select, nonzero, argwhere, where(condition)."""

from __future__ import annotations

import numpy as np

from .._core import autocast, bind
from .._core.apply import apply, check_writable, from_array, read, write
from .._core.bind import composite
from .._core.dtypes import type_name
from .._core.indexing import basic_part, check_indices, resolve
from .._core.indexing import masked_select as _masked_select
from .._core.levels import VMAP_DYNAMIC
from .._core.methods import values_of
from .._core.op import OPS
from .._core.tensor import Tensor


@composite(method=True)
def masked_select(input: Tensor, mask: Tensor, *, out=None) -> Tensor:
    """The elements of input where mask is True, as a 1-d tensor; differentiable."""
    result = _masked_select(input, mask)
    return result if out is None else bind.write_out(out, result)  # type: ignore


@composite(method=True)
def nonzero(input: Tensor, *, as_tuple: bool = False):
    """Indices of the elements that are not zero: shape (n, ndim), or one 1-d tensor for each dim with as_tuple=True."""
    values = values_of(input, VMAP_DYNAMIC.format("nonzero"))
    where = np.nonzero(values != 0 if input.ndim else np.atleast_1d(values != 0))
    if as_tuple:
        return tuple([from_array(w) for w in where])
    if not input.ndim:
        return from_array(np.zeros((len(where[0]), 0), np.int64))
    return from_array(np.stack(where, 1) if where else np.zeros((0, input.ndim), np.int64))


@composite(method=True)
def argwhere(input: Tensor) -> Tensor:
    """Indices of the elements that are not zero, shape (n, ndim)."""
    return nonzero(input)


_where = None


@composite
def where(condition: Tensor, input=None, other=None, *, out=None):
    """Elements of `input` where condition holds, else of `other`; with the condition alone, nonzero(as_tuple=True)."""
    global _where
    if input is None and other is None:
        return nonzero(condition, as_tuple=True)
    if _where is None:
        _where = bind.make_function(OPS["where"], "where")
    return _where(condition, input, other, out=out)


@composite(namespace="Tensor", method="where", name="where")
def _where_method(self: Tensor, condition: Tensor, other) -> Tensor:
    return where(condition, self, other)


def _checked(name: str) -> None:
    """The op of this name with a check of host-side indices in front."""
    op = OPS[name]
    plain, inplace = bind.make_function(op, name), bind.make_inplace(op, f"{name}_") if op.inplace else None

    def check(input, dim, index) -> None:
        if (
            isinstance(index, Tensor)
            and isinstance(input, Tensor)
            and index.dtype.name in ("int32", "int64")
            and isinstance(dim, int)
            and -input.ndim <= dim < input.ndim
        ):
            check_indices(index, input._aval.shape[dim], dim, negative=name == "index_fill")

    def fn(input, dim, index, *args, **kwargs):
        try:
            check(input, dim, index)
        except IndexError:
            plain(input, dim, index, *args, **kwargs)  # what else is wrong is said first
            raise
        return plain(input, dim, index, *args, **kwargs)

    fn.__name__, fn.__doc__ = name, op.__doc__
    composite(fn, method=True)
    if inplace is not None:

        def update(input, dim, index, *args, **kwargs):
            try:
                check(input, dim, index)
            except IndexError:
                plain(input, dim, index, *args, **kwargs)
                raise
            return inplace(input, dim, index, *args, **kwargs)

        update.__name__, update.__doc__ = f"{name}_", f"In-place {name}."
        composite(update, method=True)


@composite(method=True)
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out=None) -> Tensor:
    """The elements of input at `indices` along dim, where the other dims broadcast; without dim, of the flattened tensor."""
    if indices.dtype.name == "int64" and dim is None:
        try:
            check_indices(indices, input.numel(), 0)
        except IndexError as e:
            raise RuntimeError(str(e)) from None
    return bind.make_function(OPS["take_along_dim"], "take_along_dim")(input, indices, dim, out=out)


for _name in ("gather", "scatter", "scatter_add", "index_select", "index_add", "index_copy", "index_fill"):
    if _name in OPS:
        _checked(_name)


@composite(method=True)
def index_put_(input: Tensor, indices, values: Tensor, accumulate: bool = False) -> Tensor:
    """input[indices] = values, or += with accumulate=True (where an index repeats, all its values are added)."""
    if not isinstance(indices, tuple | list):
        raise TypeError(
            f"index_put_(): argument 'indices' (position 2) must be tuple of Tensors, not {type(indices).__name__}"
        )
    index = tuple([slice(None) if i is None else i for i in indices])
    if not accumulate and input.dtype is not values.dtype and not index:
        raise RuntimeError("Index put requires the source and destination dtypes match")
    if not accumulate:
        input[index] = values
        return input
    check_writable(input)
    viewed, advanced = basic_part(input, index)
    dims, tensors = resolve(viewed, advanced)
    write(viewed, apply(OPS["index_put"], (len(tensors), True, dims), (viewed, *tensors, values)))
    return input


@composite(method=True)
def index_put(input: Tensor, indices, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of input with values written (or added) at the indices."""
    if autocast.STATE.on:
        input, values = autocast.cast_inputs(OPS["index_put"], (), (input, values))
    return index_put_(input.clone(), indices, values, accumulate)


@composite(method=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of input with the elements of `source`, in order, where mask is True.

    That source has enough elements is checked when the mask's values are at hand (they are not waited for).
    """
    v = read(mask)
    if (
        isinstance(v.array, np.ndarray)
        and mask.dtype.name == "bool"
        and source.numel() < np.broadcast_to(v.array, np.broadcast_shapes(mask.shape, input.shape)).sum()
    ):
        raise RuntimeError("Number of elements of source < number of ones in mask")
    return bind.make_function(OPS["masked_scatter"], "masked_scatter")(input, mask, source)


@composite(method=True)
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter in place."""
    check_writable(input)
    return bind.write_inplace(input, masked_scatter(input, mask, source))


_repeat_interleave = bind.make_function(OPS["repeat_interleave"], "repeat_interleave")


@composite(method=True)
def repeat_interleave(
    input: Tensor,
    repeats: int | Tensor | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each element (along dim, or of the flattened tensor) repeated `repeats` times in a row.

    A Tensor of repeats, one for each element, is read at once. With one argument, `repeats`: the indices themselves.

    >>> torch.tensor([1, 2, 3]).repeat_interleave(torch.tensor([0, 2, 1]))
    tensor([2, 2, 3])
    """
    if isinstance(repeats, bool):
        raise TypeError(
            "repeat_interleave() received an invalid combination of arguments: repeats must be Tensor or int, not bool"
        )
    if repeats is None:
        input, repeats, dim = None, input, 0  # type: ignore[assignment]
    if not isinstance(repeats, Tensor):
        return _repeat_interleave(input, repeats, dim, output_size=output_size)
    if repeats.dtype.name not in ("int32", "int64"):
        raise NotImplementedError(
            f"\"repeat_interleave_cpu\" not implemented for '{type_name(repeats.dtype)}'"
        )
    if repeats.ndim > 1:
        raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
    counts = values_of(repeats).reshape(-1)
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    if input is not None:
        if dim is None:
            input, dim = input.reshape(-1), 0
        size = input.shape[dim]
        if counts.size == 1:
            counts = np.broadcast_to(counts, (size,))
        if counts.size != size:
            raise RuntimeError(
                f"repeats must have the same size as input along dim, but got repeats.size(0) = {counts.size} and "
                f"input.size({dim}) = {size}"
            )
    where = np.repeat(np.arange(counts.size, dtype=np.int64), counts)
    if output_size is not None and output_size != where.size:
        raise RuntimeError("allocated size does not match required size")
    index = from_array(where if input is not None else where.astype(repeats.dtype.np))
    return index if input is None else input.index_select(dim, index)
