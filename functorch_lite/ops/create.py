"""Tensors from shapes and numbers (zeros, arange, linspace, windows, …), and matrices from parts (tril, diag, vander,
…).

The ops of the namespace "create" get `device`, `layout`, `requires_grad`, `pin_memory` and `memory_format` where they
are bound. `dtype=None` means the default: for most functions the default floating point dtype, for `*_like` the dtype
of the tensor.
"""

from __future__ import annotations

import math

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import i0e

from .._core.api import (
    ENTIRELY,
    Array,
    DynamicInt,
    Number,
    Real,
    Sizes,
    SymInt,
    broadcast_shapes,
    check,
    check_memory,
    converted,
    dtype_of,
    dtypes,
    is_python_number,
    no_kernel,
    of_tensors,
    op,
    reads,
    result_dtype,
    wrap_dim,
)
from .._core.api import dtype as DType
from ._pointwise import check_fit, fit, fused, written
from ._special import divide
from .contracts.create import check_steps, check_triangle

INT64 = dtypes.int64.np
HALF = (dtypes.float16, dtypes.bfloat16)


def _scalar(value, d: DType):
    """A 0-d array of dtype `d`; torch's error if a Python number does not fit, but for halves, of which it is inf."""
    return written(value, d) if is_python_number(value) else lax.convert_element_type(value, d.np)


def _check_size(size, name: str | None = None) -> tuple[int, ...]:
    for n in size:
        message = f"Trying to create tensor with negative dimension {n}: {list(size)}"
        if name == "zeros":
            message = "zeros: Dimension size must be non-negative."
        check(n >= 0, RuntimeError, message)
    return tuple(size)


@op(namespace="create", numbers=fit("fill_value", halves=dtypes.float64, one=True))
def full(size: Sizes, fill_value: Number, *, dtype: DType | None = None):
    """A tensor of one number; unless given, its dtype follows the number.

    >>> torch.full((2,), 7)
    tensor([7, 7])
    """
    value = _scalar(fill_value, dtype or result_dtype(fill_value))
    return jnp.broadcast_to(value, _check_size(size))


@op(namespace="create")
def zeros(size: Sizes, *, dtype: DType | None = None):
    """A tensor of zeros.

    >>> torch.zeros(2)
    tensor([0., 0.])
    """
    return jnp.zeros(_check_size(size, "zeros"), (dtype or dtypes.default_dtype()).np)


@op(namespace="create")
def ones(size: Sizes, *, dtype: DType | None = None):
    """A tensor of ones.

    >>> torch.ones(2)
    tensor([1., 1.])
    """
    return jnp.ones(_check_size(size), (dtype or dtypes.default_dtype()).np)


@op(namespace="create")
def empty(size: Sizes, *, dtype: DType | None = None):
    """A tensor whose contents torch leaves open; here they are zeros.

    >>> tuple(torch.empty(2, 3).shape)
    (2, 3)
    """
    return jnp.zeros(_check_size(size), (dtype or dtypes.default_dtype()).np)


@op(namespace="create", numbers=fit("fill_value", halves=dtypes.float64, one=True), float8=True)
def full_like(input: Array, fill_value: Number, *, dtype: DType | None = None):
    """A tensor of one number with the shape, and unless given the dtype, of `input`."""
    return jnp.broadcast_to(_scalar(fill_value, dtype or dtype_of(input)), input.shape)


@op(namespace="create", float8=True)
def zeros_like(input: Array, *, dtype: DType | None = None):
    """Zeros with the shape, and unless given the dtype, of `input`."""
    return jnp.zeros(input.shape, dtype.np if dtype else input.dtype)


@op(namespace="create", float8=True)
def ones_like(input: Array, *, dtype: DType | None = None):
    """Ones with the shape, and unless given the dtype, of `input`."""
    return jnp.ones(input.shape, dtype.np if dtype else input.dtype)


@op(namespace="create")
def empty_like(input: Array, *, dtype: DType | None = None):
    """A tensor with the shape, and unless given the dtype, of `input`; torch leaves its contents open, here they are
    zeros."""
    return jnp.zeros(input.shape, dtype.np if dtype else input.dtype)


@op(namespace="create")
def eye(n: SymInt, m: SymInt | None = None, *, dtype: DType | None = None):
    """The n × m (n × n) matrix with ones on the diagonal."""
    m = n if m is None else m
    check(n >= 0, RuntimeError, f"n must be greater or equal to 0, got {n}")
    check(m >= 0, RuntimeError, f"m must be greater or equal to 0, got {m}")
    return converted(jnp.eye(n, m, dtype=bool), (dtype or dtypes.default_dtype()).np)


def numbers_before(start, end, step, dtype: DType | None) -> tuple[float, float, int, DType]:
    """Returns the first number of an `arange`, the step between two, how many they are, and their dtype."""
    given = (start, end, step)
    for value in given:
        check_fit(value, dtypes.float64)
    exact = all(isinstance(value, int) for value in given)
    start, end, step = (value.real for value in given)
    d = dtype or (dtypes.int64 if exact else dtypes.default_dtype())
    if d.category in (0, 3) or d.is_float8:
        raise no_kernel("arange_cpu", d)
    check(step > 0 or step < 0, RuntimeError, "step must be nonzero")
    finite = math.isfinite(start) and math.isfinite(end)
    check(finite, RuntimeError, f"unsupported range: {start:g} -> {end:g}")
    consistent = (step > 0 and end >= start) or (step < 0 and end <= start)
    check(consistent, RuntimeError, "upper bound and lower bound inconsistent with step sign")
    if d is dtypes.int64:  # torch truncates first, and only for this dtype does that decide the length
        start, end, step = (int(value) for value in given)
        check(step != 0, ValueError, "step must be nonzero")
        length = -((start - end) // step)
    elif exact:
        length = -((start - end) // step)
    else:
        length = math.ceil((end - start) / step)
    kind = int if d.category == 1 else float
    return kind(start), kind(step), length, d


@op(namespace="create")
def arange(start: Number, step: Number, length: SymInt, *, dtype: DType):
    """`length` numbers: start, start + step, … (see `numbers_before`).

    >>> torch.arange(0, 6, 2)
    tensor([0, 2, 4])
    """
    compute = INT64 if dtype.category == 1 else jnp.float64
    start, step = jnp.asarray(start, compute), jnp.asarray(step, compute)
    return (start + lax.iota(compute, length) * step).astype(dtype.np)


def _even_steps(name: str, start, end, steps: int, dtype: DType | None):
    """`steps` numbers from start to end in the dtype that torch computes in, and the dtype of the result."""
    inferred = dtypes.default_dtype()
    if result_dtype(start).is_complex or result_dtype(end).is_complex:
        inferred = inferred.to_complex()
    check_steps(name, start, end, steps, dtype, inferred)
    d = dtype or inferred
    start, end = (lax.stop_gradient(_scalar(value, d)) for value in (start, end))
    if steps == 1:
        return start.reshape(1), d
    if d.is_complex:  # part by part: what is infinite in one leaves the other as it is
        parts = [_from_both_ends(f(start), f(end), steps, d.to_real()) for f in (jnp.real, jnp.imag)]
        return lax.complex(*parts), d
    return _from_both_ends(start, end, steps, d), d


def _from_both_ends(start, end, steps: int, d: DType):
    """`steps` numbers from start to end, of which the last is exactly `end`."""
    compute = np.dtype(np.float64) if d.category == 1 else np.dtype(np.float32) if d in HALF else d.np
    start, end = start.astype(compute), end.astype(compute)
    step = divide(end - start, jnp.asarray(max(steps - 1, 1), compute))
    if d in HALF:
        step = step.astype(d.np).astype(compute)
    i = lax.iota(INT64, steps)
    forth, back = i.astype(compute), (steps - 1 - i).astype(compute)
    return jnp.where(i < max(steps // 2, 1), fused(start, step, forth), fused(end, -step, back))


@op(namespace="create", numbers=fit("start", "end"))
def linspace(start: Array | Number, end: Array | Number, steps: int, *, dtype: DType | None = None):
    """`steps` evenly spaced numbers from `start` to `end`, both included.

    >>> torch.linspace(0.0, 1.0, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    values, d = _even_steps("linspace", start, end, steps, dtype)
    return values.astype(d.np)


@op(namespace="create", numbers=fit("start", "end"))
def logspace(
    start: Array | Number,
    end: Array | Number,
    steps: int,
    base: Real = 10.0,
    *,
    dtype: DType | None = None,
):
    """base ** linspace(start, end, steps).

    >>> torch.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    values, d = _even_steps("logspace", start, end, steps, dtype)
    if steps == 1 and not d.is_complex:  # of a single number torch computes the power in double precision
        values = lax.stop_gradient(jnp.asarray(start)).astype(np.float64).reshape(1)
    powers = jnp.power(jnp.asarray(base).astype(values.dtype), values)
    if d.category == 1 and d.itemsize < 8:  # a C cast to int64, of which the last bits are kept
        powers = powers.astype(INT64)
    return powers.astype(d.np)


def _triangle_indices(name: str, row: int, col: int, rows: range, firsts, lasts, dtype: DType | None):
    """(2, n): the row and column numbers of the elements from firsts[i] up to before lasts[i] of every row rows[i]."""
    d, counts = dtype or dtypes.int64, lasts - firsts
    total = int(counts.sum())
    check_triangle(name, row, col, total, d)
    at = jnp.repeat(lax.iota(INT64, len(rows)), counts, total_repeat_length=total)
    shift = jnp.asarray(firsts - (np.cumsum(counts) - counts), INT64)
    return jnp.stack([rows.start + at, lax.iota(INT64, total) + shift[at]]).astype(d.np)


def _rows_between(row: int, col: int, begin: int, end: int) -> range:
    """The rows from `begin` up to before `end` of a row × col matrix; none if these have no columns."""
    count = row if col > 0 else 0
    begin = min(max(begin, 0), max(count, 0))
    return range(begin, max(begin, min(end, count)))


def _columns_up_to(rows: range, row: int, col: int, offset: int) -> np.ndarray:
    """How many columns of each of these rows lie on and below the diagonal `offset`."""
    check_memory((len(rows),), 8)
    fits = offset >= -(2**63) and row + offset < 2**63
    check(fits, RuntimeError, f"Storage size calculation overflowed: diagonal {offset} of {row} rows")
    offset = min(max(offset, -max(row, 0) - 1), max(col, 0))
    return np.clip(np.arange(rows.start, rows.stop) + offset + 1, 0, max(col, 0))


@op(namespace="create")
def tril_indices(row: int, col: int, offset: int = 0, *, dtype: DType | None = None):
    """(2, n): the row and column numbers of the elements of a row × col matrix on and below the diagonal `offset`.

    >>> torch.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    rows = _rows_between(row, col, -offset, row)
    lasts = _columns_up_to(rows, row, col, offset)
    return _triangle_indices("tril_indices", row, col, rows, np.zeros_like(lasts), lasts, dtype)


@op(namespace="create")
def triu_indices(row: int, col: int, offset: int = 0, *, dtype: DType | None = None):
    """(2, n): the row and column numbers of the elements of a row × col matrix on and above the diagonal `offset`.

    >>> torch.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    rows = _rows_between(row, col, 0, col - offset)
    firsts = _columns_up_to(rows, row, col, offset - 1)
    return _triangle_indices("triu_indices", row, col, rows, firsts, np.full_like(firsts, col), dtype)


def _window(name: str, length: int, periodic: bool, dtype: DType | None, formula):
    """formula(i, last) for i in 0 … length - 1; a periodic window is a symmetric one, longer by one, without its
    last."""
    d = dtype or dtypes.default_dtype()
    is_float = d.category >= 2
    check(is_float, RuntimeError, f"{name} expects floating point dtypes, got: TensorOptions(dtype={d.name}")
    message = f"{name} requires non-negative window_length, got window_length={length}"
    check(length >= 0, RuntimeError, message)
    if length <= 1:
        return jnp.ones((length,), d.np)
    if d.is_complex:
        raise no_kernel("arange_cpu", d)
    compute = np.dtype(np.float32) if d in HALF else d.np
    return formula(lax.iota(INT64, length).astype(compute), length if periodic else length - 1).astype(d.np)


@op(namespace="create")
def hann_window(window_length: int, periodic: bool = True, *, dtype: DType | None = None):
    """The window 0.5 - 0.5 cos(2πi/N).

    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window(
        "hann_window", window_length, periodic, dtype, lambda i, n: 0.5 - 0.5 * jnp.cos(i * (2 * math.pi / n))
    )


@op(namespace="create")
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: Real = 0.54,
    beta: Real = 0.46,
    *,
    dtype: DType | None = None,
):
    """The window alpha - beta cos(2πi/N).

    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """

    def formula(i, n):
        return jnp.asarray(alpha, i.dtype) - jnp.asarray(beta, i.dtype) * jnp.cos(i * (2 * math.pi / n))

    return _window("hamming_window", window_length, periodic, dtype, formula)


@op(namespace="create")
def blackman_window(window_length: int, periodic: bool = True, *, dtype: DType | None = None):
    """The window 0.42 - 0.5 cos(2πi/N) + 0.08 cos(4πi/N).

    >>> torch.blackman_window(4).abs()
    tensor([2.9802e-08, 3.4000e-01, 1.0000e+00, 3.4000e-01])
    """

    def formula(i, n):
        # in this order the first number of a float64 window is 0, as in torch
        return 0.08 * jnp.cos(i * (4 * math.pi / n)) - 0.5 * jnp.cos(i * (2 * math.pi / n)) + 0.42

    return _window("blackman_window", window_length, periodic, dtype, formula)


@op(namespace="create")
def bartlett_window(window_length: int, periodic: bool = True, *, dtype: DType | None = None):
    """The triangular window 1 - |2i/N - 1|.

    >>> torch.bartlett_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window(
        "bartlett_window", window_length, periodic, dtype, lambda i, n: 1 - jnp.abs(i * (2 / n) - 1)
    )


@op(namespace="create")
def kaiser_window(
    window_length: int,
    periodic: bool = True,
    beta: Real = 12.0,
    *,
    dtype: DType | None = None,
):
    """The window I0(beta sqrt(1 - (2i/N - 1)²)) / I0(beta), with the modified Bessel function I0.

    >>> torch.kaiser_window(3, False)
    tensor([5.2773e-05, 1.0000e+00, 5.2773e-05])
    """

    def formula(i, n):
        b = jnp.abs(jnp.asarray(beta, i.dtype))  # I0 is even
        inside = b * jnp.sqrt(jnp.maximum(1 - (i * (2 / n) - 1) ** 2, 0))
        # i0e(x) is I0(x) exp(-x): no overflow for a large beta.
        return i0e(inside) / i0e(b) * jnp.exp(inside - b)

    return _window("kaiser_window", window_length, periodic, dtype, formula)


def _triangle(name: str, input, diagonal, keep):
    check(input.ndim >= 2, RuntimeError, f"{name}: input tensor must have at least 2 dimensions")
    shape = input.shape[-2:]
    row = lax.broadcasted_iota(INT64, (shape[0], 1), 0)
    col = lax.broadcasted_iota(INT64, (1, shape[1]), 1)
    first = row + jnp.clip(diagonal, -(2**62), 2**62)
    return jnp.where(keep(col, first), input, jnp.zeros_like(input))


@op(inplace=True, saves="nothing", out="exact", watches=False)
def tril(input: Array, diagonal: DynamicInt | SymInt = 0):
    """The matrices with zeros above the diagonal number `diagonal`.

    >>> torch.tril(torch.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    return _triangle("tril", input, diagonal, jnp.less_equal)


@op(inplace=True, saves="nothing", out="exact", watches=False)
def triu(input: Array, diagonal: DynamicInt | SymInt = 0):
    """The matrices with zeros below the diagonal number `diagonal`.

    >>> torch.triu(torch.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return _triangle("triu", input, diagonal, jnp.greater_equal)


@op(saves="nothing", out=False, float8=True)
def diag_embed(input: Array, offset: int = 0, dim1: int = -2, dim2: int = -1):
    """Matrices over the dims `dim1` and `dim2` of the result, whose diagonal `offset` is the last dim of `input`.

    >>> torch.diag_embed(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    ndim = input.ndim + 1
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    check(first != second, RuntimeError, f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    length = input.shape[-1]
    n = length + abs(offset)
    i = np.arange(length)
    out = jnp.zeros((*input.shape[:-1], n, n), input.dtype)
    out = out.at[..., i + max(-offset, 0), i + max(offset, 0)].set(input)
    return jnp.moveaxis(out, (-2, -1), (first, second))


def _grad_of_diag(name: str, static: tuple, ranks) -> str:
    return "DiagEmbedBackward0" if of_tensors(ranks)[0] == 1 else "DiagonalBackward0_copy"


@op(saves="nothing", out="exact", grad=_grad_of_diag, float8=True)
def diag(input: Array, diagonal: int = 0):
    """The diagonal of a matrix, or the matrix with a 1-D tensor on its diagonal.

    >>> torch.diag(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    message = f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D"
    check(input.ndim in (1, 2), RuntimeError, message)
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    rows, cols = input.shape
    first = min(max(-diagonal, 0), rows)
    i = np.arange(first, max(min(rows, cols - diagonal), first))
    return input[i, i + diagonal]


@op(saves="nothing", out=False, grad="DiagEmbed", float8=True)
def diagflat(input: Array, offset: int = 0):
    """The matrix with the elements of `input` on its diagonal `offset`.

    >>> torch.diagflat(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    return diag_embed(input.reshape(-1), offset)


@op(method=False, out=False)
def vander(x: Array, N: int | None = None, increasing: bool = False):
    """The matrix of the powers of a 1-D `x`: its N columns are x^(N-1) … x^0, or the other way if `increasing`.

    >>> torch.vander(torch.tensor([2, 3]))
    tensor([[2, 1],
            [3, 1]])
    """
    check(x.ndim == 1, RuntimeError, "x must be a one-dimensional tensor.")
    n = x.shape[0] if N is None else N
    check(n >= 0, RuntimeError, "N must be non-negative.")
    x = x.astype(result_dtype(x, 1).np if dtype_of(x).category >= 2 else INT64)
    if n < 2 or x.shape[0] == 0:
        return jnp.ones((x.shape[0], n), x.dtype)
    wide = x.astype(np.float32) if dtype_of(x).is_narrow else x
    factors = jnp.broadcast_to(wide[:, None], (x.shape[0], n)).at[:, 0].set(1)
    powers = reads(lax.cumprod(factors, axis=1), wide, then=ENTIRELY).astype(x.dtype)
    return powers if increasing else powers[:, ::-1]


def _check_parts(a, b) -> None:
    first, second = dtype_of(a), dtype_of(b)
    allowed = (dtypes.float16, dtypes.float32, dtypes.float64)
    check(
        first in allowed and second in allowed,
        RuntimeError,
        f"Expected both inputs to be Half, Float or Double tensors but got {first.scalar_name} and {second.scalar_name}",
    )
    check(
        first is second,
        RuntimeError,
        f"Expected object of scalar type {first.scalar_name} but got scalar type {second.scalar_name} "
        "for second argument",
    )
    if first is dtypes.float16:  # a dtype that jax does not have
        raise NotImplementedError(
            "complex tensors of float16 parts (torch.complex32) are not supported; use float32"
        )


@op(name="complex", method=False, saves="nothing", out="exact")
def complex_(real: Array, imag: Array):
    """The complex tensor with these real and imaginary parts, float32 or float64.

    >>> torch.complex(torch.tensor([1.]), torch.tensor([2.]))
    tensor([1.+2.j])
    """
    _check_parts(real, imag)
    shape = broadcast_shapes(real.shape, imag.shape)
    return lax.complex(jnp.broadcast_to(real, shape), jnp.broadcast_to(imag, shape))


@op(method=False, out="exact", autocast=("float", None))
def polar(abs: Array, angle: Array):
    """The complex tensor with these absolute values and angles, float32 or float64.

    >>> torch.polar(torch.tensor([2.]), torch.tensor([0.]))
    tensor([2.+0.j])
    """
    _check_parts(abs, angle)
    broadcast_shapes(abs.shape, angle.shape)
    return lax.complex(abs * jnp.cos(angle), abs * jnp.sin(angle))
