"""Copies with another shape: joining, repeating, flipping, rolling and padding."""

from __future__ import annotations

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    Array,
    Arrays,
    DynamicInts,
    Number,
    Sizes,
    SymInt,
    can_cast,
    check,
    check_memory_format,
    dtypes,
    need_kind,
    op,
    promote_types,
    result_dtype,
    to_common_dtype,
    wrap_dim,
    wrap_dims,
)
from ._pointwise import as_number, fit, promoted


def _joined(tensors, dim):
    """`tensors`, of one dtype, joined along dim; see `cat`."""
    for i, x in enumerate(tensors):
        check(x.ndim > 0, RuntimeError, f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    kept = [x for x in tensors if x.shape != (0,)]
    if not kept:
        return tensors[0]
    dim, first = wrap_dim(dim, kept[0].ndim), kept[0]
    for i, x in enumerate(tensors):
        if x.shape == (0,):
            continue
        check(
            x.ndim == first.ndim,
            RuntimeError,
            f"Tensors must have same number of dimensions: got {first.ndim} and {x.ndim}",
        )
        for d, (a, b) in enumerate(zip(first.shape, x.shape)):
            check(
                d == dim or a == b,
                RuntimeError,
                f"Sizes of tensors must match except in dimension {dim}. "
                f"Expected size {a} but got size {b} for tensor number {i} in the list.",
            )
    return lax.concatenate(kept, dim)


def _check_into(tensors, out, dim: int = 0, new_dim: bool = False):
    """torch's first look where tensors are joined into `out=`: whether their common dtype may be written there."""
    if tensors and hasattr(out, "dtype"):
        wrap_dim(dim, max(t.ndim for t in tensors) + new_dim)  # empty 1-d tensors are skipped
        common = functools.reduce(promote_types, [t.dtype for t in tensors])
        message = f"torch.cat(): input types can't be cast to the desired output type {out.dtype.scalar_name}"
        check(can_cast(common, out.dtype), TypeError, message)
    return tensors, out, dim


_INTO = ("out is not None", "tensors, out", lambda tensors, out: _check_into(tensors, out)[:2])


@op(
    aliases=("concat", "concatenate"),
    asks=(("out is not None", "tensors, out, dim", _check_into),),
    autocast=("widest", None),
    float8=True,
    apart=True,
    joins=np.concatenate,
)
def cat(tensors: Arrays, dim: int = 0):
    """The tensors joined along `dim`, in their common dtype; empty 1-d tensors are skipped, as torch does.

    >>> torch.cat([torch.ones(2, 3), torch.zeros(1, 3)]).shape
    torch.Size([3, 3])
    """
    check(len(tensors) > 0, ValueError, "torch.cat(): expected a non-empty list of Tensors")
    return _joined(to_common_dtype(list(tensors), "same")[0], dim)


def _stacked(tensors, dim):
    first = tensors[0]
    dim = wrap_dim(dim, first.ndim + 1)
    for i, x in enumerate(tensors):
        check(
            x.shape == first.shape,
            RuntimeError,
            f"stack expects each tensor to be equal size, but got {list(first.shape)} at entry 0 "
            f"and {list(x.shape)} at entry {i}",
        )
    return jnp.stack(to_common_dtype(list(tensors), "same")[0], axis=dim)


@op(
    asks=(("out is not None", "tensors, out, dim", functools.partial(_check_into, new_dim=True)),),
    autocast=("widest", None),
    float8=True,
    watches=True,
    joins=np.stack,
)
def stack(tensors: Arrays, dim: int = 0):
    """The tensors, all of one shape, joined along a new dim.

    >>> torch.stack((torch.tensor([1]), torch.tensor([2])))
    tensor([[1],
            [2]])
    """
    check(len(tensors) > 0, RuntimeError, "stack expects a non-empty TensorList")
    return _stacked(tensors, dim)


def _stacks(tensors, name: str, dims) -> list:
    """The tensors after `dims`, which gives each one at least one dim, in their common dtype."""
    check(len(tensors) > 0, RuntimeError, f"{name} expects a non-empty TensorList")
    return to_common_dtype([dims(x) for x in tensors], "same")[0]


@op(asks=(_INTO,), grad="Cat", float8=True, watches=True)
def hstack(tensors: Arrays):
    """The tensors joined along dim 1, or along dim 0 when they are 1-d.

    >>> torch.hstack((torch.tensor([1]), torch.tensor([2])))
    tensor([1, 2])
    """
    tensors = _stacks(tensors, "hstack", jnp.atleast_1d)
    return _joined(tensors, 0 if tensors[0].ndim == 1 else 1)


@op(aliases=("row_stack",), asks=(_INTO,), grad="Cat", float8=True, watches=True)
def vstack(tensors: Arrays):
    """The tensors joined along dim 0, after a 1-d tensor was made a row.

    >>> torch.vstack((torch.tensor([1]), torch.tensor([2])))
    tensor([[1],
            [2]])
    """
    return _joined(_stacks(tensors, "vstack", jnp.atleast_2d), 0)


@op(asks=(_INTO,), grad="Cat", float8=True, watches=True)
def dstack(tensors: Arrays):
    """The tensors joined along dim 2, after each was given at least three dims.

    >>> tuple(torch.dstack((torch.ones(2), torch.ones(2))).shape)
    (1, 2, 2)
    """
    return _joined(_stacks(tensors, "dstack", jnp.atleast_3d), 2)


@op(asks=(_INTO,), grad="Cat", float8=True, watches=True)
def column_stack(tensors: Arrays):
    """The tensors joined along dim 1, after a 1-d tensor was made a column.

    >>> torch.column_stack((torch.tensor([1, 2]), torch.tensor([3, 4])))
    tensor([[1, 3],
            [2, 4]])
    """
    columns = _stacks(tensors, "column_stack", lambda x: x.reshape(x.size, 1) if x.ndim <= 1 else x)
    return _joined(columns, 1)


def _tiled(input, reps):
    shape = (1,) * (len(reps) - input.ndim) + input.shape
    sizes = [s * r for s, r in zip(shape, reps)]
    for size, r in zip(sizes, reps):
        check(r >= 0, RuntimeError, f"Trying to create tensor with negative dimension {size}: {sizes}")
    return jnp.tile(input, tuple(reps))


@op(namespace="Tensor", out=False, float8=True)
def repeat(input: Array, repeats: Sizes):
    """The tensor repeated `repeats[d]` times along each dim; missing leading dims are added.

    RuntimeError for fewer numbers than dims.

    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    check(
        len(repeats) >= input.ndim,
        RuntimeError,
        "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
    )
    return _tiled(input, tuple(repeats))


@op(out=False, grad="Repeat", float8=True)
def tile(input: Array, dims: Sizes):
    """The tensor repeated along its dims; `dims` counts from the last one.

    >>> torch.tile(torch.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
    """
    return _tiled(input, (1,) * (input.ndim - len(dims)) + tuple(dims))


def _check_repeats(input, repeats, dim, output_size) -> None:
    if hasattr(repeats, "dtype"):
        raise NotImplementedError(
            "repeat_interleave with a Tensor of repeats: its result's shape depends on data; pass an int"
        )
    whole = isinstance(repeats, int)
    check(whole, TypeError, "repeat_interleave() received an invalid combination of arguments")
    shape = (input.size,) if dim is None else input.shape
    dim = wrap_dim(0 if dim is None else dim, len(shape))
    if not shape:
        raise IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    check(repeats >= 0, RuntimeError, "Repeats must be non-negative")
    size = shape[dim] * repeats
    check(
        output_size is None or output_size == size,
        RuntimeError,
        f"repeat_interleave: Invalid output_size, expected {size} but got {output_size}",
    )


@op(out=False, grad="View", float8=True)
def repeat_interleave(
    input: Array, repeats: Array | int | Any, dim: int | None = None, *, output_size: SymInt | None = None
):
    """Each element (along `dim`, or of the flattened tensor) repeated `repeats` times in a row."""
    _check_repeats(input, repeats, dim, output_size)
    if dim is None:
        input, dim = input.reshape(-1), 0
    dim = wrap_dim(dim, input.ndim)
    spread = (*input.shape[: dim + 1], repeats, *input.shape[dim + 1 :])
    repeated = jnp.broadcast_to(jnp.expand_dims(input, dim + 1), spread)
    return repeated.reshape((*input.shape[:dim], input.shape[dim] * repeats, *input.shape[dim + 1 :]))


@op(out=False, float8=True)
def flip(input: Array, dims: Sizes):
    """The order of the elements reversed along `dims`.

    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), (0,))
    tensor([[3, 4],
            [1, 2]])
    """
    return lax.rev(input, wrap_dims(dims, input.ndim, in_turn=True) if len(dims) else ())


@op(out=False, grad="Flip")
def fliplr(input: Array):
    """The order reversed along dim 1.

    >>> torch.fliplr(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    check(input.ndim >= 2, RuntimeError, "Input must be >= 2-d.")
    return lax.rev(input, (1,))


@op(out=False, grad="Flip", float8=True)
def flipud(input: Array):
    """The order reversed along dim 0.

    >>> torch.flipud(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    check(input.ndim >= 1, RuntimeError, "Input must be >= 1-d.")
    return lax.rev(input, (0,))


def _tuple(x) -> tuple[int, ...]:
    return tuple(x) if isinstance(x, tuple | list) else (x,)


@op(out=False, float8=True)
def roll(input: Array, shifts: DynamicInts, dims: int | tuple[int, ...] | None = ()):
    """The elements shifted along `dims`, those falling off coming in at the other end; without dims, of the flattened
    tensor.

    >>> torch.roll(torch.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    shifts, dims = _tuple(shifts), _tuple(() if dims is None else dims)
    check(len(shifts) > 0, RuntimeError, "`shifts` required")
    if not dims and len(shifts) == 1:
        return jnp.roll(input.reshape(-1), shifts[0]).reshape(input.shape) if input.ndim else input
    check(
        len(shifts) == len(dims),
        RuntimeError,
        f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}",
    )
    check(input.ndim > 0, IndexError, f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if not input.size:
        return input
    return jnp.roll(input, shifts, tuple(wrap_dim(d, input.ndim) for d in dims))


def _check_rot90(input, k: int, dims) -> None:
    check(-(2**63) <= k < 2**63, ValueError, "Overflow when unpacking long long")
    check(len(dims) == 2, RuntimeError, f"expected total rotation dims == 2, but got dims = {len(dims)}")
    check(input.ndim >= 2, RuntimeError, f"expected total dims >= 2, but got total dims = {input.ndim}")
    first, second = (wrap_dim(d, input.ndim) for d in dims)
    check(
        first != second,
        RuntimeError,
        f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}",
    )


@op(out=False)
def rot90(input: Array, k: int = 1, dims: tuple[int, ...] = (0, 1)):
    """The tensor turned by k times 90 degrees in the plane of two dims, from the first towards the second.

    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    _check_rot90(input, k, dims)
    return jnp.rot90(input, k, tuple(wrap_dim(d, input.ndim) for d in dims))


@op(float8=True, watches=True)
def kron(input: Array, other: Array):
    """The Kronecker product: every element of `input` times the whole of `other`, which first get as many dims as each
    other.

    >>> torch.kron(torch.eye(2), torch.tensor([[1., 2.]]))
    tensor([[1., 2., 0., 0.],
            [0., 0., 1., 2.]])
    """
    n = max(input.ndim, other.ndim)
    a = input.reshape((1,) * (n - input.ndim) + input.shape)
    b = other.reshape((1,) * (n - other.ndim) + other.shape)
    spread = [x.reshape([s for d in x.shape for s in ((d, 1) if x is a else (1, d))]) for x in (a, b)]
    product = promoted("default", lambda x, y: x * y, *spread)
    return product.reshape([x * y for x, y in zip(a.shape, b.shape)])


@op(out=False, float8=True)
def block_diag(tensors: Arrays):
    """A matrix with the given matrices on its diagonal and zeros elsewhere; a vector counts as a row.

    >>> torch.block_diag(torch.ones(1, 1), 2 * torch.ones(1, 2))
    tensor([[1., 0., 0.],
            [0., 2., 2.]])
    """
    blocks = []
    for i, x in enumerate(tensors):
        check(
            x.ndim <= 2,
            RuntimeError,
            f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {x.ndim} dimensions",
        )
        blocks.append(jnp.atleast_2d(x))
    if not blocks:
        return jnp.zeros((1, 0), dtypes.default_dtype().np)
    common = result_dtype(*tensors).np
    rows, columns, at = [], sum(x.shape[1] for x in blocks), 0
    for x in blocks:
        pads = ((0, 0, 0), (at, columns - at - x.shape[1], 0))
        rows.append(lax.pad(x.astype(common), np.zeros((), common), pads))
        at += x.shape[1]
    return lax.concatenate(rows, 0)


@op(out=False, float8=True)
def clone(input: Array, *, memory_format: object = None):
    """A copy of the tensor, through which derivatives flow; memory formats do not apply.

    >>> torch.clone(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 2],
            [3, 4]])
    """
    check_memory_format("clone", memory_format, input.ndim)
    return jnp.copy(input)


@op(out=False, autocast=("float", None))
def trace(input: Array):
    """The sum of the diagonal of a matrix; integers are summed as int64.

    >>> torch.trace(torch.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    kind = dtypes.from_numpy(input.dtype)
    need_kind(kind, "ifc", "trace")
    check(input.ndim == 2, RuntimeError, f"trace: expected a matrix, but got tensor with dim {input.ndim}")
    if kind.category == 1:
        return jnp.trace(input, dtype=np.int64)
    wide = np.float32 if kind.itemsize < 4 else kind.np
    return jnp.trace(input.astype(wide)).astype(kind.np)


def fills(op, static, inputs, result) -> None:
    """The `numbers=` of paddings: a value that goes somewhere fits."""
    pad = next(s for s in static if isinstance(s, tuple))
    if any(n > 0 for n in pad):
        fit("value")(op, static, inputs, result)


@op(out=False, method=False, numbers=fills, float8=True)
def constant_pad_nd(input: Array, pad: tuple[int, ...], value: Number = 0):
    """`value` added around the tensor: `pad` gives (before, after) from the last dim backwards; negative sizes cut.

    >>> torch.constant_pad_nd(torch.ones(2), (1, 0), 9.0)
    tensor([9., 1., 1.])
    """
    check(len(pad) % 2 == 0, RuntimeError, f"Length of pad must be even but instead it equals {len(pad)}")
    check(
        len(pad) <= 2 * input.ndim,
        RuntimeError,
        "Length of pad should be no more than twice the number of dimensions of the input. "
        f"Pad length is {len(pad)}while the input has {input.ndim}dimensions.",
    )
    config = [(0, 0, 0)] * input.ndim
    for i in range(len(pad) // 2):
        low, high = pad[2 * i], pad[2 * i + 1]
        size = input.shape[-1 - i]
        # torch cuts first and adds then, so each side may cut at most what is there
        left = size + min(low, 0) + min(high, 0)
        check(left >= 0, RuntimeError, "narrow(): length must be non-negative.")
        config[input.ndim - 1 - i] = (low, high, 0)
    return padded(input, value, config)


def padded(x, value, config):
    """x with `value` around it, or cut: (before, after, 0) for each dim. torch does not look at a value that goes
    nowhere."""
    grows = any(low > 0 or high > 0 for low, high, _ in config)
    return lax.pad(x, as_number(value if grows else 0, dtypes.from_numpy(x.dtype)), config)
