"""Parts of tensors chosen by masks, indices and positions: their values are looked at where they are at hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.api import (
    OPS,
    SYMINT,
    VMAP_DYNAMIC,
    OutOfRange,
    Tensor,
    apply,
    as_int,
    at_hand,
    autocast,
    basic_part,
    bind,
    bool_,
    broadcast_shapes,
    check,
    check_apart,
    check_indices,
    check_writable,
    checked,
    composite,
    from_array,
    out_of_range,
    require,
    resolve,
    to_number_argument,
    uint8,
    values_of,
    wrap_dim,
    write,
    write_inplace,
    write_out,
)
from .._core.api import functions as torch
from .._core.api import masked_select as _masked_select
from ..ops.contracts.index import TOO_FEW
from .over_ops import plain_op, shown_as


@composite(method=True)
def masked_select(input: Tensor, mask: Tensor, *, out=None) -> Tensor:
    """The elements of input where mask is True, as a 1-d tensor; differentiable.

    >>> torch.masked_select(torch.tensor([[0, 1], [2, 0]]), torch.tensor([[0, 1], [2, 0]]) > 0)
    tensor([1, 2])
    """
    check_apart(out, ("input", "mask"), (input, mask), ("input", "mask"))
    result = _masked_select(input, mask)
    same = not isinstance(out, Tensor) or out.dtype is input.dtype
    check(same, RuntimeError, "masked_select(): self and result must have the same scalar type")
    return result if out is None else write_out(out, result)  # type: ignore


@composite
def nonzero(input: Tensor, *, out=None, as_tuple: bool = False):
    """Indices of the elements that are not zero: shape (n, ndim), or one 1-d tensor for each dim with as_tuple=True.

    >>> torch.nonzero(torch.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    if out is None:
        return _nonzero(input, as_tuple=as_tuple)
    if not isinstance(out, Tensor):
        raise TypeError(f"nonzero(): argument 'out' must be Tensor, not {type(out).__name__}")
    if as_tuple:
        raise RuntimeError("nonzero does not support the out kwarg when as_tuple is True")
    if out.dtype.name != "int64":
        raise RuntimeError(
            f"nonzero: Expected out tensor to have scalar type Long but got scalar type{out.dtype.scalar_name}"
        )
    check_apart(out, ("input",), (input,), ("input",))
    return write_out(out, _nonzero(input))


@composite(namespace="Tensor", method="nonzero", name="nonzero")
def _nonzero(input: Tensor, *, as_tuple: bool = False):
    """Indices of the elements that are not zero: shape (n, ndim), or one 1-d tensor for each dim with as_tuple=True."""
    return _indices(input, as_tuple, "nonzero")


def _indices(input: Tensor, as_tuple: bool, name: str):
    values = values_of(input, VMAP_DYNAMIC.format(name))
    where = np.nonzero(values != 0 if input.ndim else np.atleast_1d(values != 0))
    if as_tuple:
        return tuple([from_array(w, on=input.device) for w in where])
    if not input.ndim:
        return from_array(np.zeros((len(where[0]), 0), np.int64), on=input.device)
    return from_array(np.stack(where, 1) if where else np.zeros((0, input.ndim), np.int64), on=input.device)


@composite(method=True)
def argwhere(input: Tensor) -> Tensor:
    """Indices of the elements that are not zero, shape (n, ndim).

    >>> torch.argwhere(torch.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    return _nonzero(input)


def _out_of_range(name: str, input: Tensor, dim: int, index: Tensor, found: IndexError) -> Exception:
    """torch's error for what `check_indices` found, which its kernels tell in several ways."""
    sentence, ndim, says = str(found), input.ndim, "self"
    dim %= max(ndim, 1)
    bad, size = int(sentence.split()[1]), int(sentence.split()[-1])
    if name in ("gather", "scatter", "scatter_add", "scatter_reduce"):
        says = f"gather:{dim}"
    elif name == "index_fill":
        return found
    elif name == "index_copy":
        says = f"index_copy:{dim}"
    elif name == "index_select" and ndim > 1 and dim == 1:
        says = "data"
    elif name == "index_add" and ndim > 1 and dim in (0, ndim - 1) and index.dtype.name == "int64":
        says = f"gather:{dim}"
    return out_of_range(says, f"({name}", bad, 0, size)


def _dim(given: Any) -> Any:
    """A dim as an int, where it is one in another form."""
    dim = as_int(given)
    return given if dim is None else dim


def _checked(name: str) -> None:
    """The op of this name with a check of host-side indices in front."""
    op = OPS[name]
    plain, inplace = plain_op(name), bind.make_inplace(op, f"{name}_") if op.inplace else None

    def check(input, dim, index, args: tuple, kwargs: dict) -> None:
        if name == "scatter" and any(
            x is None for x in (*args, kwargs.get("value", 0), kwargs.get("reduce", 0))
        ):
            raise TypeError("scatter() received an invalid combination of arguments - got None")
        if name == "scatter" and "src" in kwargs and not isinstance(kwargs["src"], Tensor):
            raise TypeError(  # by name a number is `value`
                f"scatter() received an invalid combination of arguments - got src={type(kwargs['src']).__name__}"
            )
        if (
            isinstance(index, Tensor)
            and isinstance(input, Tensor)
            and index.dtype.name in ("int32", "int64")
            and isinstance(dim, int)
            and -max(input.ndim, 1) <= dim < max(input.ndim, 1)
        ):
            size = input._aval.shape[dim] if input.ndim else 1
            check_indices(index, size, dim % max(input.ndim, 1), negative=name == "index_fill")

    def checked(call):
        def fn(input, dim, index, *args, **kwargs):
            dim = dim if dim.__class__ is int else _dim(dim)
            try:
                check(input, dim, index, args, kwargs)
            except IndexError as e:
                kwargs.pop("out", None)  # which stays as it is
                plain(input, dim, index, *args, **kwargs)  # what else is wrong is said first
                raise _out_of_range(name, input, dim, index, e) from None
            return call(input, dim, index, *args, **kwargs)

        return fn

    _register(checked, plain, inplace)


def _register(checked, plain, inplace) -> None:
    """The function of an op, and its in-place form if it exists, each with a check in front."""
    for call in (plain, inplace):
        if call is not None:
            fn = checked(call)
            fn.__name__, fn.__doc__ = call.__name__, call.__doc__
            shown_as(fn, call)
            composite(fn, method=True)


for _name in (
    "gather", "scatter", "scatter_add", "scatter_reduce",
    "index_select", "index_add", "index_copy", "index_fill", "index_reduce",
):  # fmt: skip
    _checked(_name)


@composite(method=True)
def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None, *, out=None) -> Tensor:
    """The elements of input at `indices` along dim, where the other dims broadcast; without dim, of the flattened
    tensor.

    >>> torch.take_along_dim(torch.tensor([[0, 1], [2, 0]]), torch.tensor([[1], [0]]), dim=1)
    tensor([[1],
            [2]])
    """
    if dim is not None and not input.ndim and not indices.ndim and indices.dtype.name == "int64":
        wrap_dim(dim, 0)
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if indices.dtype.name in ("int64", "int32") and dim is None:
        try:
            check_indices(indices, input.numel(), 0)
        except IndexError as e:
            raise OutOfRange(str(e)) from None
    return plain_op("take_along_dim")(input, indices, dim, out=out)


def _by_position(name: str) -> None:
    """take or put, with a check of host-side positions in the flattened tensor."""
    op = OPS[name]
    plain, inplace = plain_op(name), bind.make_inplace(op, f"{name}_") if op.inplace else None

    def checked(call):
        def fn(input, index, *args, **kwargs):
            within = isinstance(input, Tensor) and isinstance(index, Tensor) and index.dtype.name == "int64"
            if within and input.numel():
                try:
                    check_indices(index, input.numel(), 0, negative=True)
                except IndexError as e:
                    kwargs.pop("out", None)  # which stays as it is
                    plain(input, index, *args, **kwargs)  # what else is wrong is said first
                    bad = str(e).split()[1]
                    raise out_of_range("take", f"({name}", int(bad), -input.numel(), input.numel()) from None
            return call(input, index, *args, **kwargs)

        return fn

    _register(checked, plain, inplace)


_by_position("take")
_by_position("put")

_select, _select_scatter = plain_op("select"), plain_op("select_scatter")


def _number_at_hand(index: Any) -> Any:
    """An index in a tensor without dims as an int, which is checked, when its value is at hand; in other forms an int
    at once."""
    if not isinstance(index, Tensor) or index.ndim or not index.dtype.category:
        return checked(index, SYMINT, "select", "index", 3)
    if index.dtype.category != 1:
        return index
    value = at_hand(index)
    return index if value is None else int(value)


@composite(method=True)
def select(input: Tensor, dim: int, index) -> Tensor:
    """The slice `index` along dim, without that dim: a view. An index in a tensor is checked when its value is at hand.

    >>> torch.select(torch.tensor([[0, 1], [2, 0]]), 0, 1)
    tensor([2, 0])
    """
    known = isinstance(input, Tensor) and input.ndim
    return _select(input, dim, _number_at_hand(index) if known else index)


@composite(method=True)
def select_scatter(input: Tensor, src: Tensor, dim: int, index) -> Tensor:
    """`input` with its slice `index` along `dim` replaced by `src`.

    An index in a tensor is checked when its value is at hand.

    >>> torch.select_scatter(torch.zeros(2, 2), torch.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return _select_scatter(input, src, dim, _number_at_hand(index) if input.ndim else index)


@composite(method=True)
def index_put_(input: Tensor, indices, values: Tensor, accumulate: bool = False) -> Tensor:
    """input[indices] = values, or += with accumulate=True (where an index repeats, all its values are added)."""
    if not isinstance(indices, tuple | list):
        raise TypeError(
            f"index_put_(): argument 'indices' (position 2) must be tuple of Tensors, not {type(indices).__name__}"
        )
    for i, x in enumerate(indices):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 1, but got {type(x).__name__}")
    index = tuple(indices)
    check(
        len(index) <= input.ndim,
        IndexError,
        f"too many indices for tensor of dimension {input.ndim} (got {len(index)})",
    )
    known = all(i.dtype.name in ("int32", "int64", "bool", "uint8") for i in index)
    check(known, IndexError, "tensors used as indices must be long, int, byte or bool tensors")
    one_mask = len(index) == 1 and index[0].dtype in (bool_, uint8) and values.numel() == 1
    check_writable(input)
    check_apart(input, ("index", "source"), (index, values), ("index", "source"))
    viewed, advanced = basic_part(input, index)
    if not advanced and values.ndim > viewed.ndim:
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of shape "
            f"{list(viewed.shape)}"
        )
    # the op refuses another dtype, after it has looked at the indices
    whole = not advanced and input.dtype is values.dtype
    if not accumulate and (whole or one_mask):
        input[index] = values.to(input.dtype)
        return input
    dims, tensors = resolve(viewed, advanced)
    write(viewed, apply(OPS["index_put"], (len(tensors), accumulate, dims), (viewed, *tensors, values)))
    return input


@composite(method=True)
def index_put(input: Tensor, indices, values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of input with values written (or added) at the indices.

    >>> torch.index_put(torch.zeros(3), (torch.tensor([0, 2]),), torch.ones(2))
    tensor([1., 0., 1.])
    """
    if autocast.STATE.on:
        input, values = autocast.cast_inputs(OPS["index_put"], (), (input, values))
    return index_put_(input.clone(), indices, values, accumulate)


@composite(method=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """A copy of input with the elements of `source`, in order, where mask is True.

    Raises RuntimeError if source has fewer elements: at once if the mask's values are on the host, otherwise when a
    value computed from the result is read.

    >>> torch.masked_scatter(torch.zeros(3), torch.tensor([True, False, True]), torch.tensor([1., 2.]))
    tensor([1., 0., 2.])
    """
    values = at_hand(mask)
    if (
        values is not None
        and mask.dtype.name == "bool"
        and source.numel() < np.broadcast_to(values, broadcast_shapes(mask.shape, input.shape)).sum()
    ):
        require(False, TOO_FEW)
    return bind.make_function(OPS["masked_scatter"], "masked_scatter")(input, mask, source)


@composite(method=True)
def masked_scatter_(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """masked_scatter in place.

    >>> torch.zeros(3).masked_scatter_(torch.tensor([True, False, True]), torch.tensor([1., 2.]))
    tensor([1., 0., 2.])
    """
    check_writable(input)
    return write_inplace(input, masked_scatter(input, mask, source))


@composite(namespace="Tensor", method=True)
def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Fills the main diagonal in place; with wrap=True the diagonal of a tall matrix restarts after n columns and a
    gap of one.

    RuntimeError for less than two dims, and for more than two that differ in length.

    >>> torch.zeros(2, 3).fill_diagonal_(1)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    value = to_number_argument(fill_value, "fill_diagonal_", "fill_value", 1, False)
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    rows, columns = self.shape[0], self.shape[1]
    check_writable(self)
    step = sum(int(np.prod(self.shape[d + 1 :])) for d in range(self.ndim))
    count = min(self.shape)
    if wrap and self.ndim == 2 and rows > columns + 1:
        count = -(-rows * columns // (columns + 1))
    mask = np.zeros(self.numel(), bool)
    mask[: step * count : step] = True
    if not isinstance(value, Tensor):
        self.new_full((count,), value)  # refuses what does not fit
        value = value != 0 if self.dtype.category == 0 else value if self.is_complex() else value.real
        if self.is_floating_point():
            with np.errstate(over="ignore"):
                value = float(np.asarray(value, self.dtype.np))
    return self.masked_fill_(from_array(mask.reshape(self.shape), on=self.device), value)


@composite
def unravel_index(indices: Tensor, shape) -> tuple[Tensor, ...]:
    """The coordinates, one tensor for each dim of `shape`, of positions in a flattened tensor of that shape.

    Integers, else TypeError; ValueError for negative entries of `shape`.

    >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
    (tensor([0, 1]), tensor([1, 2]))
    """
    check(
        isinstance(indices, Tensor),
        TypeError,
        f"unravel_index(): argument 'indices' (position 1) must be Tensor, not {type(indices).__name__}",
    )
    check(
        indices.dtype.category == 1,
        TypeError,
        f"expected 'indices' to be integer dtype, but got {indices.dtype}",
    )
    shape = (shape,) if isinstance(shape, int) else shape
    check(
        isinstance(shape, Sequence),
        TypeError,
        f"expected 'shape' to be int or sequence of ints, but got {type(shape)}",
    )
    odd = next((type(n) for n in shape if not isinstance(n, int)), None)
    check(odd is None, TypeError, f"expected 'shape' sequence to only contain ints, but got {odd}")
    shape = tuple(shape)
    check(all(n >= 0 for n in shape), ValueError, f"'shape' cannot have negative values, but got {shape}")
    check(0 not in shape, RuntimeError, "ZeroDivisionError")
    indices, found, stride = indices.long(), [], math.prod(shape)
    for n in shape:
        stride //= n
        found.append(torch.remainder(torch.floor_divide(indices, stride), n))
    return tuple(found)
