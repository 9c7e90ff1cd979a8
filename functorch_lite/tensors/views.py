"""Views: tensors taken apart, and the same elements in another shape or dtype."""

from __future__ import annotations

import itertools
import math
from typing import Any

from .._core.api import (
    OPS,
    SYMINT,
    SymInt,
    Tensor,
    advise,
    apply,
    apply_view,
    cannot_allocate,
    check_int,
    checked,
    composite,
    int64,
    raiser,
    reshapes_to_view,
    sliced,
    spread_size,
    strides_of,
    tidied,
    wrap_dim,
)
from .._core.api import dtype as DType
from .._core.api import functions as torch
from .over_ops import plain_op

_INT, _TUPLE = frozenset((int,)), frozenset((tuple,))


def _sliced(t: Tensor, dim: int, start: int, end: int) -> Tensor:
    return apply_view(OPS["slice"], (dim, start, end, 1), t)


_MOST_PIECES, _BYTES_OF_A_PIECE = 1 << 24, 1 << 10


def _pieces(count: int) -> range:
    """The numbers of so many views; an error where there are more than memory holds."""
    if count > _MOST_PIECES:
        raise cannot_allocate(count * _BYTES_OF_A_PIECE)
    return range(count)


@composite(namespace="Tensor", method="split", name="split")
def _split_method(self: Tensor, split_size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of this tensor along dim: pieces of one size (the last may be smaller), or of the sizes listed."""
    return split(self, split_size, dim)


@composite
def split(tensor: Tensor, split_size_or_sections, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of `tensor` along dim: pieces of one size (the last may be smaller), or of the sizes listed.

    >>> torch.split(torch.arange(5), 3)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    step = split_size_or_sections
    if step.__class__ is not int or step >= 1 << 62:
        if isinstance(step, Tensor) and step.numel() == 1:
            step = int(step)
        if not isinstance(step, int):
            return split_with_sizes(tensor, step, dim)
        step = checked(step, _INT, "split", "split_size", 2)
    shape = tensor._aval.shape
    if not shape:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if step < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={step}")
    dim = wrap_dim(dim, len(shape))
    n = shape[dim]
    if step == 0 and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    pieces, op = _pieces(-(-n // step) if n else 1), OPS["slice"]
    return tuple([apply_view(op, (dim, i * step, min((i + 1) * step, n), 1), tensor) for i in pieces])


@composite(method=True)
def split_with_sizes(input: Tensor, split_sizes, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of `input` along dim with the sizes listed.

    >>> torch.split_with_sizes(torch.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    sizes = list(checked(split_sizes, _TUPLE, "split_with_sizes", "split_sizes", 2))
    if not input.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap_dim(dim, input.ndim)
    if min(sizes, default=0) < 0:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={sizes}"
        )
    if sum(sizes) != input.shape[dim]:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {input.shape[dim]} (input tensor's size at dimension {dim}), "
            f"but got split_sizes={sizes}"
        )
    ends = list(itertools.accumulate(sizes))
    return tuple([_sliced(input, dim, end - size, end) for size, end in zip(sizes, ends)])


@composite(method=True)
def narrow(input: Tensor, dim: int, start: Any, length: SymInt) -> Tensor:
    """The view of `length` elements along dim from `start` on (an int or a 0-d integer tensor).

    >>> torch.narrow(torch.tensor([[1, 2], [3, 4]]), 1, 0, 1)
    tensor([[1],
            [3]])
    """
    if isinstance(start, Tensor) and (start.ndim or start.dtype.category != 1):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    start = checked(start, SYMINT, "narrow", "start", 3)
    if input.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = wrap_dim(dim, input.ndim)
    size = input.shape[dim]
    if not -size <= start <= size:
        raise IndexError(
            f"start out of range (expected to be in range of [{-size}, {size}], but got {start})"
        )
    start += size if start < 0 else 0
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return sliced(input, dim, start, length)


@composite(method=True)
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size along dim (the last may be smaller).

    >>> torch.chunk(torch.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    shape = input._aval.shape
    if not shape:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = shape[wrap_dim(dim, len(shape))]
    if n == 0:
        return tuple([_sliced(input, wrap_dim(dim, len(shape)), 0, 0) for _ in _pieces(chunks)])
    return split(input, max(math.ceil(n / chunks), 1), dim)


@composite(method=True)
def tensor_split(
    input: Tensor,
    indices_or_sections=None,
    dim: int = 0,
    *,
    indices=None,
    sections=None,
    tensor_indices_or_sections=None,
) -> tuple[Tensor, ...]:
    """Views along dim: so many nearly equal ones, or cut at the indices listed.

    >>> torch.tensor_split(torch.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    cuts = _one_of("tensor_split", indices_or_sections, indices, sections, tensor_indices_or_sections)
    if not input.ndim:
        raise RuntimeError(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    dim = wrap_dim(dim, input.ndim)
    n = input.shape[dim]
    if isinstance(cuts, Tensor):
        if cuts.ndim > 1:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got a "
                f"tensor with {cuts.ndim} dims"
            )
        if cuts.dtype is not int64:
            raise RuntimeError(
                f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {cuts.dtype.scalar_name}"
            )
        cuts = cuts.tolist()
    if isinstance(cuts, int):
        if cuts <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {cuts}")
        sizes = [n // cuts + (1 if i < n % cuts else 0) for i in _pieces(cuts)]
        return split_with_sizes(input, sizes, dim)
    for i in cuts:
        check_int(i)
    ends = [0, *[slice(None, i).indices(n)[1] for i in cuts], n]
    return tuple([_sliced(input, dim, a, max(a, b)) for a, b in itertools.pairwise(ends)])


def _one_of(name: str, *given) -> Any:
    """The single argument that says where to split: an int, a tuple of ints, or a tensor; torch checks for bools in
    the first position only.

    given: the positional argument, then `indices`, `sections` and perhaps a tensor.
    """
    found = [x for x in given if x is not None]
    if len(found) != 1:
        raise TypeError(f"{name}() received an invalid combination of arguments")
    if given[1] is not None or given[2] is not None:
        return checked(found[0], _INT if given[1] is None else _TUPLE, name, "indices", 2)
    return found[0] if isinstance(found[0], Tensor) else checked(found[0], _INT | _TUPLE, name, "indices", 2)


def _split_at(name: str, least: int, dim_of):
    def fn(input: Tensor, indices_or_sections=None, *, indices=None, sections=None) -> tuple[Tensor, ...]:
        cuts = _one_of(name, indices_or_sections, indices, sections)
        if isinstance(cuts, Tensor):
            cuts = checked(cuts, _INT, name, "sections", 2)
        if input.ndim < least:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {least} dimension{'s' if least > 1 else ''}, but got a tensor with "
                f"{input.ndim} dimensions!"
            )
        dim = dim_of(input)
        if isinstance(cuts, int) and (not cuts or input.shape[dim] % cuts):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {input.shape[dim]} is not "
                f"divisible by the split_size {cuts}!"
            )
        return tensor_split(input, cuts, dim)

    def method(self: Tensor, indices_or_sections=None, *more: int, indices=None, sections=None):
        cuts = (indices_or_sections, *more) if more else indices_or_sections
        return fn(self, cuts, indices=indices, sections=sections)

    fn.__name__ = method.__name__ = name
    said = f"torch.{name}: tensor_split along its dimension. RuntimeError for fewer than {least} dims, and where a number of parts does not divide it."
    example = f"    >>> [part.numel() for part in torch.ones(2, 2, 2).{name}(2)]\n    [4, 4]\n    "
    fn.__doc__ = f"{said}\n\n{example}"
    method.__doc__ = f"{said} The indices may be given one by one.\n\n{example}"
    composite(fn)
    composite(method, namespace="Tensor", method=name, name=name)


_split_at("hsplit", 1, lambda t: 0 if t.ndim == 1 else 1)
_split_at("vsplit", 2, lambda t: 0)
_split_at("dsplit", 3, lambda t: 2)


@composite(method=True)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of the slices along dim, with that dim removed.

    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    shape, op = input._aval.shape, OPS["select"]
    if not shape:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = wrap_dim(dim, len(shape))
    return tuple([apply_view(op, (dim,), input, (i,)) for i in _pieces(shape[dim])])


@composite(namespace="Tensor", method=True)
def view(self: Tensor, *spread, size=None, dtype: DType | None = None) -> Tensor:
    """A view of another shape with the same elements; or, given a dtype, the bits read as that dtype."""
    if dtype is not None or (len(spread) == 1 and isinstance(spread[0], DType)):
        as_what = (*spread, dtype, size) if dtype is not None else (*spread, size)
        if not isinstance(as_what[0], DType) or any(x is not None for x in as_what[1:]):
            raise TypeError(
                "view() received an invalid combination of arguments: it takes a dtype, or a size"
            )
        return _view_dtype(self, as_what[0])
    shape = spread_size(spread, size, "view", "size", 1)
    if self._lenses and not reshapes_to_view(self, "view", (shape,)):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous "
            "subspaces). Use .reshape(...) instead."
        )
    return apply_view(OPS["view"], (shape,), self)


@tidied
def _view_dtype(self: Tensor, d: DType) -> Tensor:
    if d is self.dtype:
        return apply_view(OPS["alias"], (), self)
    if d.itemsize != self.dtype.itemsize and self.ndim:
        _check_element_sizes(self, d)
    viewed = apply_view(OPS["_view_dtype"], (d,), self)
    viewed._edge = None
    return viewed


@raiser
def _check_element_sizes(t: Tensor, d: DType) -> None:
    """Returns whether elements of d's size fit the positions of t's elements."""
    what = f"to view {t.dtype.scalar_name} as {d.scalar_name} (different element sizes), but got"
    strides = strides_of(t)
    if strides is None:
        raise RuntimeError(f"self.stride(-1) must be 1 {what} other strides")
    ratio = d.itemsize // t.dtype.itemsize
    if ratio and t.shape[-1] % ratio:
        raise RuntimeError(f"self.size(-1) must be divisible by {ratio} {what} {t.shape[-1]}")
    if ratio and (offset := t.storage_offset()) % ratio:
        raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} {what} {offset}")
    if strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {what} {strides[-1]}")
    for i, s in enumerate(strides[:-1]):
        if ratio and s % ratio:
            raise RuntimeError(f"self.stride({i}) must be divisible by {ratio} {what} {s}")


def _reshaped(name: str, static: tuple, t: Tensor) -> Tensor:
    """A reshaping as a view where PyTorch gives one, else as a copy."""
    if t._lenses and not reshapes_to_view(t, name, static):
        return apply(OPS[name], static, (t,))
    return apply_view(OPS[name], static, t)


@composite
def reshape(input: Tensor, shape: tuple[int, ...]) -> Tensor:
    """The same elements in another shape (one entry may be -1): a view if possible, else a copy.

    >>> torch.reshape(torch.tensor([[1, 2], [3, 4]]), (4,))
    tensor([1, 2, 3, 4])
    """
    return _reshaped("reshape", (tuple(shape),), input)


@composite(namespace="Tensor", method="reshape", name="reshape")
def _reshape_method(self: Tensor, *spread, shape=None) -> Tensor:
    """The same elements in another shape, given as ints or as one sequence: a view if possible, else a copy."""
    return _reshaped("reshape", (spread_size(spread, shape, "reshape", "shape", 1),), self)


@composite(method=True)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dims from start_dim to end_dim as one: a view if possible, else a copy.

    >>> torch.flatten(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    if input.ndim and wrap_dim(start_dim, input.ndim) == wrap_dim(end_dim, input.ndim):
        return input
    return _reshaped("flatten", (start_dim, end_dim), input)


@composite(method=True)
def ravel(input: Tensor) -> Tensor:
    """All elements as one dim, contiguous: a view of what is contiguous, else a copy.

    >>> torch.ravel(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    if input._lenses and not input.is_contiguous():  # type: ignore[attr-defined]
        return apply(OPS["ravel"], (), (input,))
    return apply_view(OPS["ravel"], (), input)


@composite(namespace="Tensor", method=True)
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """self.view(other.size()).

    >>> torch.arange(4).view_as(torch.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return view(self, other.shape)


@composite(namespace="Tensor", method=True)
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """self.reshape(other.size()).

    >>> torch.arange(4).reshape_as(torch.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    return self.reshape(other.shape)


@composite(namespace="Tensor", method=True)
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """self.expand(other.size()).

    >>> torch.tensor([[1], [2]]).expand_as(torch.ones(2, 2))
    tensor([[1, 1],
            [2, 2]])
    """
    return self.expand(other.shape)


@composite(namespace="Tensor", method=True)
def unflatten(self: Tensor, dim, sizes) -> Tensor:
    """torch.unflatten; as a method it looks at whether there are sizes before it looks at what they are.

    >>> torch.arange(6).unflatten(0, (2, 3))
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return torch.unflatten(self, dim, sizes)


_adjoint = plain_op("adjoint")


@composite(method=True)
def adjoint(input):
    """The conjugate transpose of the last two dims.

    (…, m, n) to (…, n, m), same dtype; a view of a real tensor.

    >>> torch.adjoint(torch.tensor([[1 + 1j, 2]]))
    tensor([[1.-1.j],
            [2.-0.j]])
    """
    if isinstance(input, Tensor) and not input.ndim:
        advise("adjoint() is deprecated on 0-D tensors. Consider using x.conj().")
        return input.conj()
    return _adjoint(input)
