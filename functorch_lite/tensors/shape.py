"""Tensors of other shapes: broadcast together, in grids, repeated, combined."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from .._core.api import (
    OPS,
    SYMINT,
    Size,
    SymInt,
    Tensor,
    Unset,
    advise,
    bind,
    check,
    check_memory,
    checked,
    composite,
    from_array,
    is_whole,
    no_kernel,
    spread_size,
    to_arrays_argument,
    values_of,
)
from .._core.api import broadcast_shapes as _broadcast_shapes
from .._core.api import functions as torch
from .over_ops import over


@composite
def broadcast_shapes(*shapes) -> Size:
    """The shape that shapes broadcast to."""
    longest = max(
        [1 if isinstance(s, int) else len(s) for s in shapes if isinstance(s, int | tuple | list)], default=0
    )
    common = [1] * longest  # from the last dim to the first
    for at, shape in enumerate(shapes):
        if not isinstance(shape, int | tuple | list):
            raise RuntimeError(
                f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}"
            )
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        for i, n in enumerate(reversed(sizes)):
            if not is_whole(n):
                raise TypeError(f"'<' not supported between instances of '{type(n).__name__}' and 'int'")
            if common[i] == 1:
                if n < 0:
                    raise ValueError("Attempting to broadcast a dimension with negative length!")
                common[i] = int(n)
            elif n not in (1, common[i]):
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {n} at {-1 - i}! Mismatching argument at index {at} had {sizes if isinstance(shape, int) else shape}; "
                    f"but expected shape should be broadcastable to {common[::-1]}"
                )
    return Size(reversed(common))


@composite
def broadcast_tensors(*tensors) -> tuple[Tensor, ...]:
    """All tensors expanded to their common shape.

    >>> [tuple(t.shape) for t in torch.broadcast_tensors(torch.ones(2, 1), torch.ones(3))]
    [(2, 3), (2, 3)]
    """
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    shape = _broadcast_shapes(*[t.shape for t in tensors])
    return tuple([t if t.shape == shape else t.expand(shape) for t in tensors])


@composite(namespace="Tensor", method=True)
def sum_to_size(self: Tensor, *spread, size=None) -> Tensor:
    """The sum over the dims that broadcasting `size` to this tensor's shape would make or expand.

    RuntimeError for a size that does not broadcast to the shape.

    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    shape = spread_size(spread, size, "sum_to_size", "size", 2)
    extra = self.ndim - len(shape)
    if extra < 0 or any(want not in (1, have) for want, have in zip(shape, self.shape[max(extra, 0) :])):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(self.shape)}}}.")
    dims = [d for d in range(self.ndim) if d < extra or (shape[d - extra] == 1 and self.shape[d] != 1)]
    part = self.sum(dims, keepdim=True) if dims or not shape else self
    return part if part.shape == shape else part.reshape(shape)


@composite
def meshgrid(*tensors, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Coordinate grids of 1-d tensors; indexing: "ij" (the default) or "xy".

    >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3]), indexing='ij')
    (tensor([[1],
            [2]]), tensor([[3],
            [3]]))
    """
    tensors = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
    for i, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(t).__name__}")
    if indexing is None:
        advise("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
        indexing = "ij"
    if not isinstance(indexing, str):
        raise TypeError(f"meshgrid(): argument 'indexing' must be str, not {type(indexing).__name__}")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(
                f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(t.shape)}"
            )
    if any(t.dtype is not tensors[0].dtype for t in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    flat = [t.reshape(-1) for t in tensors]
    if indexing == "xy" and len(flat) > 1:
        flat[0], flat[1] = flat[1], flat[0]
    shape = tuple(t.shape[0] for t in flat)
    grids = [
        t.reshape([-1 if i == k else 1 for k in range(len(flat))]).expand(shape) for i, t in enumerate(flat)
    ]
    if indexing == "xy" and len(flat) > 1:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


@composite
def cartesian_prod(*tensors) -> Tensor:
    """Rows of all combinations of the elements of 1-d tensors.

    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    for t in to_arrays_argument(tensors, "cartesian_prod", "tensors", 1):
        check(t.ndim == 1, RuntimeError, f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return torch.stack([g.reshape(-1) for g in meshgrid(*tensors, indexing="ij")], dim=1)


def _at_least(n: int):
    def fn(*tensors):
        many = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], tuple | list) else tensors
        if not all(isinstance(t, Tensor) for t in many):
            raise TypeError(f"atleast_{n}d() received an invalid combination of arguments")
        out = tuple([_grown(t, n) for t in many])
        return out[0] if len(tensors) == 1 and isinstance(tensors[0], Tensor) else out

    fn.__name__ = f"atleast_{n}d"
    fn.__doc__ = f"Tensors with at least {n} dimensions, as views.\n\n    >>> torch.atleast_{n}d(torch.tensor(1.)).ndim\n    {n}\n    "
    composite(fn)


def _grown(t: Tensor, n: int) -> Tensor:
    if t.ndim >= n:
        return t
    if n == 3 and t.ndim == 2:
        return t.unsqueeze(-1)
    if n == 3 and t.ndim == 1:
        return t.unsqueeze(0).unsqueeze(-1)
    return t.reshape([1] * (n - t.ndim) + list(t.shape))


for _n in (1, 2, 3):
    _at_least(_n)


@over("block_diag")
def _many_tensors(name, plain):
    """Its tensors may be given one by one or as one list."""

    def fn(*args, **kwargs):
        return plain(args[0] if len(args) == 1 and isinstance(args[0], tuple | list) else args, **kwargs)

    return fn


@composite
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of r elements of a vector, one in a row, as itertools gives them.

    (n,) to (number, r), same dtype; RuntimeError for a tensor that is not 1-d.

    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    check(input.ndim == 1, RuntimeError, f"Expect a 1D vector, but got shape {list(input.shape)}")
    check(r >= 0, RuntimeError, f"Expect a non-negative number, but got {r}")
    if r == 0:
        return torch.zeros(0, dtype=input.dtype, device=input.device)
    n = input.shape[0]
    count = (math.comb(n + r - 1, r) if n else 0) if with_replacement else math.comb(n, r)
    check_memory((count, r), 8)
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = choose(range(n), r) if count else ()
    chosen = np.fromiter(itertools.chain.from_iterable(rows), np.int64, count * r)
    return torch.index_select(input, 0, from_array(chosen, on=input.device)).reshape(count, r)


_MISSING = Unset()


_repeat_interleave = bind.make_function(OPS["repeat_interleave"], "repeat_interleave")


@composite(namespace="Tensor", method="repeat_interleave", name="repeat_interleave")
def _repeat_interleave_method(
    self: Tensor, repeats: Any = _MISSING, dim: int | None = None, *, output_size: SymInt | None = None
) -> Tensor:
    """torch.repeat_interleave of this tensor; `repeats` must be given."""
    if repeats is _MISSING:
        raise TypeError(
            "repeat_interleave() received an invalid combination of arguments: repeats is missing"
        )
    return repeat_interleave(self, repeats, dim, output_size=output_size)


@composite
def repeat_interleave(
    input: Any = _MISSING,
    repeats: Any = _MISSING,
    dim: int | None = None,
    *,
    output_size: SymInt | None = None,
) -> Tensor:
    """Each element (along dim, or of the flattened tensor) repeated `repeats` times in a row.

    A Tensor of repeats, one for each element, is read at once. With one argument, `repeats`: the indices themselves.

    >>> torch.tensor([1, 2, 3]).repeat_interleave(torch.tensor([0, 2, 1]))
    tensor([2, 2, 3])
    """
    if repeats is _MISSING:
        input, repeats = _MISSING, input
    if isinstance(repeats, bool) or repeats is None or repeats is _MISSING:
        raise TypeError(
            "repeat_interleave() received an invalid combination of arguments: repeats must be Tensor or int, not "
            f"{type(repeats).__name__}"
        )
    if input is _MISSING:
        if dim is not None:
            raise TypeError("repeat_interleave() of repeats alone takes no dim")
        input = None
        if not isinstance(repeats, Tensor):
            raise TypeError(
                f"repeat_interleave(): argument 'repeats' (position 1) must be Tensor, not {type(repeats).__name__}"
            )
    if not isinstance(repeats, Tensor):
        repeats = checked(repeats, SYMINT, "repeat_interleave", "repeats", 2)
        return _repeat_interleave(input, repeats, dim, output_size=output_size)
    if repeats.dtype.name not in ("int32", "int64"):
        raise no_kernel("repeat_interleave_cpu", repeats.dtype)
    if repeats.ndim > 1 or (input is None and repeats.ndim == 0):
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
    index = from_array(where if input is not None else where.astype(repeats.dtype.np), on=repeats.device)
    return index if input is None else input.index_select(dim, index)
