"""Functions that need the values of masks or indices: masked_select, nonzero, argwhere, where(condition)."""

from __future__ import annotations

import numpy as np

from .._core import bind
from .._core.apply import apply, check_writable, from_array, write
from .._core.bind import composite
from .._core.indexing import basic_part, check_indices, resolve
from .._core.indexing import masked_select as _masked_select
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
    where = (
        np.nonzero(values_of(input) != 0) if input.ndim else np.nonzero(np.atleast_1d(values_of(input) != 0))
    )
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
            and isinstance(dim, int)
            and -input.ndim <= dim < input.ndim
        ):
            check_indices(index, input._aval.shape[dim], dim, negative=name == "index_fill")

    def fn(input, dim, index, *args, **kwargs):
        check(input, dim, index)
        return plain(input, dim, index, *args, **kwargs)

    fn.__name__, fn.__doc__ = name, op.__doc__
    composite(fn, method=True)
    if inplace is not None:

        def update(input, dim, index, *args, **kwargs):
            check(input, dim, index)
            return inplace(input, dim, index, *args, **kwargs)

        update.__name__, update.__doc__ = f"{name}_", f"In-place {name}."
        composite(update, method=True)


for _name in ("gather", "scatter", "scatter_add", "index_select", "index_add", "index_copy", "index_fill"):
    if _name in OPS:
        _checked(_name)


@composite(method=True)
def index_put_(input: Tensor, indices, values: Tensor, accumulate: bool = False) -> Tensor:
    """input[indices] = values, or += with accumulate=True (where an index repeats, all its values are added)."""
    index = tuple([slice(None) if i is None else i for i in indices])
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
    return index_put_(input.clone(), indices, values, accumulate)
