"""Numerical gradients, histograms in several dims, combinations, norms by their older names, questions about a tensor's kind."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._core.api import (
    OPS,
    UNSET,
    Tensor,
    advise,
    apply,
    at_hand,
    cannot_allocate,
    check,
    check_memory,
    checked,
    composite,
    from_array,
    is_real,
    is_scalar,
    make_function,
    need_kind,
    no_kernel,
    result_type,
    signs_of,
    strided_only,
    wrap_dim,
    write_out,
)
from .._core.api import functions as torch
from ..ops.histogram import check_weight
from .creation import dtype_into, finish, to_number

# -- gradients of samples ----------------------------------------------------------------------------------------------


def _dims(input: Tensor, dim) -> list[int]:
    dims = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    wrapped = [wrap_dim(d, input.ndim) for d in dims]
    for d in wrapped:
        check(wrapped.count(d) == 1, RuntimeError, f"dim {d} appears multiple times in the list of dims")
    return wrapped


def _one_per_dim(spacing: Any, dims: list[int], input: Tensor, dim) -> list:
    if not isinstance(spacing, tuple | list):
        return [spacing] * len(dims)
    if len(spacing) != len(dims):
        why = f"'self.dim() = {input.ndim}', since dim argument was not given" if dim is None else "dim"
        raise RuntimeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length equal to {why}, "
            f"but got a list of length {len(spacing)}"
        )
    return list(spacing)


@composite
def gradient(
    input: Tensor, *, spacing=1, dim: int | tuple[int, ...] | None = None, edge_order: int = 1
) -> tuple[Tensor, ...]:
    """The derivatives, along each dim, of a function of which `input` holds samples: one tensor for each dim.

    spacing: the distance of samples, one number or one for each dim, or tensors of coordinates, one for each dim.

    >>> torch.gradient(torch.tensor([1.0, 4.0, 9.0, 16.0]))
    (tensor([3., 4., 6., 7.]),)
    """
    number = not isinstance(spacing, Tensor) or (not spacing.ndim and not spacing.requires_grad)
    unspecified = spacing is None and not isinstance(dim, tuple | list)
    check(
        unspecified or (number and (is_scalar(spacing) or isinstance(spacing, tuple | list | Tensor))),
        TypeError,
        f"gradient() received an invalid combination of arguments - got spacing={type(spacing).__name__}; coordinates are given "
        "as a list of Tensors",
    )
    spacing = 1 if spacing is None else spacing
    check(edge_order in (1, 2), RuntimeError, "torch.gradient only supports edge_order=1 and edge_order=2.")
    dims = _dims(input, dim)
    found = []
    for d, h in zip(dims, _one_per_dim(spacing, dims, input, dim)):
        check(
            h is not None,
            TypeError,
            "gradient(): the elements of spacing must be Numbers or Tensors, not NoneType",
        )
        check(
            input.shape[d] > edge_order,
            RuntimeError,
            "torch.gradient expected each dimension size to be at least edge_order+1",
        )
        if isinstance(h, Tensor) and h is not spacing:
            check(
                h.ndim == 1,
                RuntimeError,
                "torch.gradient expected each element of spacing to have one dimension, but got an element with "
                f"{h.ndim} dimensions!",
            )
            check(
                h.shape[0] == input.shape[d],
                RuntimeError,
                f"torch.gradient expected as many coordinates as there are samples along dim {d}, {input.shape[d]}, "
                f"but got {h.shape[0]}",
            )
            found.append(apply(OPS["_gradient"], (d, edge_order), (input, h, 1)))
        else:
            found.append(apply(OPS["_gradient"], (d, edge_order), (input, None, h)))
    return tuple(found)


# -- histograms --------------------------------------------------------------------------------------------------------

_INT, _INTS = frozenset((int,)), frozenset((tuple,))
_HistogramDD = result_type("histogramdd", ("hist", "bin_edges"))


def _bins(bins, n: int) -> list:
    """A number of bins, or tensor of edges, for each of n coordinates."""
    if not isinstance(bins, tuple | list):
        return [checked(bins, _INT, "histogramdd", "bins", 2)] * n
    edges = [isinstance(b, Tensor) and (b.ndim > 0 or b.is_floating_point()) for b in bins]
    if bins and all(edges):
        return list(bins)
    return list(checked(tuple(bins), _INTS, "histogramdd", "bins", 2))


def _limits(range: Any, function: str) -> tuple | None:
    """`range` as floats: PyTorch tells such a list by its first element, a number; those that follow may be tensors."""
    if range is None:
        return None
    fits = isinstance(range, tuple | list) and not any(isinstance(x, Tensor) for x in range[:1])
    check(
        fits, TypeError, f"{function}(): argument 'range' must be tuple of floats, not {type(range).__name__}"
    )
    for at, x in enumerate(range, 1):
        fits = is_real(x) or (isinstance(x, Tensor) and x.numel() == 1)
        check(
            fits,
            TypeError,
            f"{function}(): argument 'range' must be tuple of floats, but found element of type {type(x).__name__} at pos {at}",
        )
    return tuple([float(x) for x in range])


def _check_range_of(values: np.ndarray | None, dim: int) -> None:
    """Refuses data whose least or largest is to bound bins and is not finite. values: None where they are not at hand."""
    if values is not None and values.size:
        low, high = values.min(), values.max()
        check(
            np.isfinite(low) and np.isfinite(high),
            RuntimeError,
            f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not finite",
        )


_histogram = make_function(OPS["histogram"], "histogram")


@composite(method=True)
def histogram(input: Tensor, bins: Any = 100, *, range=None, weight=None, density: bool = False, out=None):
    """(counts, edges) of all elements of input in bins: a number of bins of equal width, or the edges of bins.

    The last edge belongs to the last bin. weight: what each element counts; density: the integral over the range is 1. Without
    range or edges, an input with nan or inf raises when its values are at hand; otherwise the edges are nan.

    >>> torch.histogram(torch.tensor([1.0, 2.0, 1.0]), bins=2, range=(0.0, 3.0)).hist
    tensor([2., 1.])
    """
    if range is not None and isinstance(bins, Tensor):  # which then is no tensor of edges
        bins = checked(bins, _INT, "histogram", "bins", 2)
    limits = _limits(range, "histogram")
    result = _histogram(input, bins, range=limits, weight=weight, density=density)
    if range is None and not isinstance(bins, Tensor):
        _check_range_of(at_hand(input), 0)
    return result if out is None else write_out(out, result, exact=True)


@composite
def histogramdd(input: Tensor, bins, range=None, weight=None, density: bool = False):
    """(counts, edges) of points input[..., :] in boxes; bins: numbers of bins, or tensors of edges, one for each coordinate.

    counts has one dim for each of the last dim of input, of the default dtype or input's; edges are 1-d.

    >>> torch.histogramdd(torch.tensor([[0., 1.], [1., 0.]]), bins=[2, 2]).hist
    tensor([[0., 1.],
            [1., 0.]])
    """
    whole = weight is None or isinstance(weight, Tensor)
    check(whole, TypeError, f"histogramdd(): argument 'weight' must be Tensor, not {type(weight).__name__}")
    range = _limits(range, "histogramdd")
    check(input.ndim >= 2, RuntimeError, "torch.histogramdd: input tensor should have at least 2 dimensions")
    n = input.shape[-1]
    bins = _bins(bins, n)
    counted = not any(isinstance(b, Tensor) for b in bins)
    if counted and range is None and input.numel():  # whose limits are looked for first
        need_kind(input.dtype, "F", "histogramdd")
    check(
        len(bins) == n,
        RuntimeError,
        "histogramdd: The size of bins must be equal to the innermost dimension of the input.",
    )
    range = range if counted else None
    check(
        range is None or len(range) == 2 * n,
        RuntimeError,
        f"torch.histogramdd: for a {n}-dimensional histogram range should have {2 * n} elements, but got "
        f"{len(range or ())}",
    )
    if not n:  # no box that a point could lie in
        if weight is not None:
            check_weight(input._aval.struct, weight._aval.struct)
        need_kind(input.dtype, "f", "histogram_cpu")
        empty = torch.full((), math.nan if density else 0.0, dtype=input.dtype, device=input.device)
        return _HistogramDD(empty, ())
    edges = []
    for d, b in enumerate(bins):
        limits = None if range is None else tuple(range[2 * d : 2 * d + 2])
        edges.append(b if isinstance(b, Tensor) else apply(OPS["_bin_edges"], (b, limits, d), (input,)))
        if limits is None and not isinstance(b, Tensor):
            values = at_hand(input)
            _check_range_of(None if values is None else values[..., d], d)
    hist = apply(OPS["_histogramdd"], (len(edges), density, counted), (input, *edges, weight))
    return _HistogramDD(hist, tuple(edges))


# -- combinations and coordinates --------------------------------------------------------------------------------------


@composite
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of r elements of a vector, one in a row, as itertools gives them.

    (n,) to (number, r), same dtype; RuntimeError for other than 1-d.

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


# -- norms by their older names ----------------------------------------------------------------------------------------

_norm = make_function(OPS["norm"], "norm")


@composite
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None
):
    return _norm(input, p, dim, keepdim, dtype=dtype, out=out)


@composite(namespace="Tensor", method="norm", name="norm")
def _norm_method(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: Any = False, dtype: Any = None):
    return _norm(self, p, dim, keepdim, dtype=dtype)


norm.__doc__ = _norm_method.__doc__ = OPS["norm"].__doc__


@composite
def frobenius_norm(input: Tensor, dim, keepdim: bool = False, *, out=None) -> Tensor:
    """The square root of the sum of squares over `dim` (one or two dims, or () for all).

    Float or complex.

    >>> torch.frobenius_norm(torch.tensor([[3., 4.]]), (0, 1))
    tensor(5.)
    """
    return torch.norm(input, 2, dim, keepdim, out=out)


@composite
def nuclear_norm(input: Tensor, dim=None, keepdim: bool = False, *, out=None) -> Tensor:
    """The sum of the singular values of a matrix, or of the matrices in two dims: nuclear_norm(input, keepdim) or (input, dim, keepdim).

    Float or complex; RuntimeError for less than two dims.

    >>> torch.nuclear_norm(torch.tensor([[3., 0.], [0., 2.]]))
    tensor(5.)
    """
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    check(
        input.ndim >= 2,
        RuntimeError,
        "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.",
    )
    return torch.norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, out=out)


@composite
def native_norm(input: Tensor, p=2, dim=None, keepdim: bool = False, dtype=None) -> Tensor:
    """The p-norm: `norm` under another name.

    >>> torch.native_norm(torch.tensor([3., 4.]))
    tensor(5.)
    """
    return torch.norm(input, p, dim, keepdim, dtype=dtype)


@composite
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dims but one, which stays; over all dims when dim is -1.

    Float or complex.

    >>> torch.norm_except_dim(torch.tensor([[3., 4.], [0., 1.]]))
    tensor([[5.],
            [1.]])
    """
    at = wrap_dim(dim, v.ndim)
    if not v.ndim and dim != -1:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if v.dtype.category < 2:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {v.dtype.scalar_name} instead."
        )
    if dim == -1:
        return torch.norm(v, pow)
    if not v.shape[at]:
        torch.reshape(v, (0, -1))  # raises, as in torch
    others = tuple(d for d in range(v.ndim) if d != at)
    return torch.norm(v, pow, others, True) if others else torch.norm(v.unsqueeze(-1), pow, (-1,))


# -- questions ---------------------------------------------------------------------------------------------------------


@composite(method=True)
def is_conj(input: Tensor) -> bool:
    """Whether the tensor is the conjugate of what its storage holds: a view that `conj` gave, or a view of it.

    >>> torch.tensor([1j]).conj().is_conj()
    True
    """
    return signs_of(input)[0]


@composite(method=True)
def is_neg(input: Tensor) -> bool:
    """Whether the tensor is the negative of what its storage holds, as the imaginary part of a conjugate is.

    >>> torch.tensor([1j]).conj().imag.is_neg()
    True
    """
    return signs_of(input)[1]


@composite(method=True)
def resolve_conj(input: Tensor) -> Tensor:
    """A copy of a tensor that `is_conj`; the tensor itself otherwise.

    Same shape and dtype.

    >>> torch.resolve_conj(torch.tensor([1 + 2j]).conj())
    tensor([1.-2.j])
    """
    return input.clone() if signs_of(input)[0] else input  # type: ignore[attr-defined]


@composite(method=True)
def resolve_neg(input: Tensor) -> Tensor:
    """A copy of a tensor that `is_neg`; the tensor itself otherwise.

    Same shape and dtype.

    >>> torch.resolve_neg(torch.tensor([1 + 2j]).conj().imag)
    tensor([-2.])
    """
    return input.clone() if signs_of(input)[1] else input  # type: ignore[attr-defined]


@composite
def is_signed(input: Tensor) -> bool:
    """Whether the tensor's dtype has negative numbers.

    >>> torch.is_signed(torch.ones(2, dtype=torch.uint8))
    False
    """
    return input.is_signed()


@composite
def get_device(input: Tensor) -> int:
    """The number of the tensor's device; -1 for a CPU.

    >>> torch.get_device(torch.ones(2))
    -1
    """
    return input.get_device()


@composite
def typename(obj: Any) -> str:
    """The name of a tensor's type, such as "torch.FloatTensor", or the full name of another object's type.

    >>> torch.typename(torch.ones(2)), torch.typename(1)
    ('torch.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        place = "" if obj.device.type == "cpu" else f"{obj.device.type}."
        return f"torch.{place}{obj.dtype.scalar_name}Tensor"
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", "") or ""
    name = kind.__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"


@composite(name="range")
def inclusive_range(
    start, end, step=1, *, out=None, dtype=None, layout=None, device=None, requires_grad=False
) -> Tensor:
    """Numbers from start to end, including end, in steps; floating point by default. `arange` is what replaced it.

    RuntimeError for a step of 0 or in the other direction.

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     torch.range(1, 3)
    tensor([1., 2., 3.])
    """
    strided_only(layout)
    advise(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with Python's range "
        "builtin. Instead, use torch.arange, which produces values in [start, end).",
        once=False,
    )
    start, end, step = (
        to_number(x, "range", what, position)
        for position, (what, x) in enumerate((("start", start), ("end", end), ("step", step)), 1)
    )
    if any(isinstance(x, complex) for x in (start, end, step)):
        raise RuntimeError("value cannot be converted to type double without overflow")
    d = dtype_into(dtype, out)
    if d.category in (0, 3):
        raise no_kernel("range_cpu", d)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(f"unsupported range: {float(start):g} -> {float(end):g}")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    exact = np.float64 if d.category >= 2 else np.int64
    if exact is np.int64:  # which all three become before anything is counted
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise RuntimeError("step must be nonzero")
    count = math.floor((end - start) / step) + 1
    check_memory((count,), d.itemsize)
    try:
        values = (exact(start) + exact(step) * np.arange(count, dtype=exact)).astype(d.np)
    except MemoryError:
        raise cannot_allocate(count * d.itemsize) from None
    return finish(from_array(values), device, requires_grad, out)


def _by_trapezoids(name: str, op: str) -> None:
    """The op of this name, whose places and whose step may be left out but not be None."""
    plain = make_function(OPS[op], name)

    def fn(y: Tensor, x: Any = UNSET, *, dx: Any = UNSET, dim: int = -1) -> Tensor:
        none = "x" if x is None else "dx" if dx is None else ""
        if none:
            raise TypeError(f"{name}() received an invalid combination of arguments - got {none}=NoneType")
        if name == "trapz" and isinstance(dx, bool | complex):  # whose step is a double
            if isinstance(dx, complex):
                raise TypeError(f"{name}() received an invalid combination of arguments - got dx=complex")
            dx = float(dx)
        return plain(y, None if x is UNSET else x, dx=None if dx is UNSET else dx, dim=dim)

    fn.__name__ = fn.__qualname__ = name
    fn.__doc__ = OPS[op].__doc__
    composite(fn)


for _name, _op in (
    ("trapezoid", "trapezoid"),
    ("trapz", "trapezoid"),
    ("cumulative_trapezoid", "cumulative_trapezoid"),
):
    _by_trapezoids(_name, _op)
