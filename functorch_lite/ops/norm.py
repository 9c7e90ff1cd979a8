"""Norms of vectors and matrices, and distances made of them.

Derivatives follow torch: 0 where a norm is 0, shared evenly among ties of the norms of order inf and -inf.
"""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    Array,
    Order,
    broadcast_shapes,
    check,
    check_scalar_type,
    check_type,
    dtypes,
    from_numpy,
    no_kernel,
    op,
    rounded_to,
    scalar_name,
    wrap_dim,
    wrap_dims,
)
from ._pointwise import FLOAT, category, check_subtraction, differentiated, once, promoted, structure
from ._svd import svd_of
from .decompose import linalg_op
from .reduce import by_powers_of, check_norm_dtypes, p_norm, sqrt_flat_at_zero


def empty_has_norm(x, order, dims):
    """Raises torch's error for an order without identity over dims that are empty."""
    if x.size or not (order < 0 or order == math.inf):
        return
    name, reason = (
        f"linalg.vector_norm cannot compute the {order:g} norm on",
        "the operation does not have an identity",
    )
    check(len(dims) < x.ndim, RuntimeError, f"{name} an empty tensor because {reason}")
    for d in dims:
        check(
            x.shape[d] > 0,
            RuntimeError,
            f"{name} the dimension {d}because this dimension is empty and {reason}",
        )


def _check_order(kind: str, order) -> None:
    message = f"linalg.{kind}_norm: Expected a non-complex scalar as the order of norm."
    check(not isinstance(order, complex), RuntimeError, message)


def norm_of(x, order, dims, keepdim, by_powers=False):
    """The vector norm over `dims` (from the front) in the real dtype of x; half precision is computed in float32."""
    _check_order("vector", order)
    kind = from_numpy(x.dtype)
    empty_has_norm(x, structure(order), dims)
    wide = x.astype(np.float32) if kind.itemsize < 4 else x
    return p_norm(wide, order, dims, keepdim, by_powers).astype(kind.to_real().np)


def _cast(name, x, dtype):
    check_norm_dtypes(name, from_numpy(x.dtype), dtype)
    return x if dtype is None else x.astype(dtype.np)


def _vector_norm(x, order, dim, keepdim, dtype=None):
    x = _cast("vector_norm", x, dtype)
    _check_order("vector", order)
    check_type(isinstance(structure(order), int | float), order, "Number", "linalg_vector_norm", "ord", 2)
    return norm_of(x, order, wrap_dims(dim, x.ndim, in_turn=True), keepdim, by_powers_of(x, dim))


def _counts(given: dict, wanted: set) -> bool:
    """The norm of order 0 is a number of elements: torch's derivative of it is undefined."""
    return given["ord"] == 0


@linalg_op(undefined=_counts, grad="LinalgVectorNorm", autocast=(None, "float"))
def vector_norm(
    x: Array,
    ord: Order = 2,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
):
    """The vector norm of order `ord` over `dim`, by default over all dims.

    >>> float(vector_norm(jnp.array([3.0, -4.0])))
    5.0
    """
    return _vector_norm(x, ord, dim, keepdim, dtype)


def _check_matrix_norm(x, order, dim) -> None:
    name = "linalg.matrix_norm"
    check(x.ndim >= 2, RuntimeError, f"{name}: The input tensor A must have at least 2 dimensions.")
    check(len(dim) == 2, RuntimeError, f"{name}: dim must be a 2-tuple. Got {' '.join(map(str, dim))}")
    _check_order("matrix", order)
    rows, columns = (wrap_dim(d, x.ndim) for d in dim)
    check(rows != columns, RuntimeError, f"{name}: dims must be different. Got ({dim[0]}, {dim[1]})")  # type: ignore
    size = order if isinstance(order, str) else abs(float(order))
    check(
        size in ("fro", "nuc", 1, 2, math.inf),
        RuntimeError,
        f"{name}: Order {order if isinstance(order, str) else f'{order:g}'} not supported.",
    )


def matrix_norm_of(x, order, dim, keepdim, dtype=None):
    _check_matrix_norm(x, order, dim)
    rows, columns = (wrap_dim(d, x.ndim) for d in dim)
    size = order if isinstance(order, str) else abs(float(order))
    x = _cast("matrix_norm", x, dtype)
    if size == "fro":
        return norm_of(x, 2, (rows, columns), keepdim)
    if size in ("nuc", 2):
        kind = from_numpy(x.dtype)
        check(
            kind.itemsize >= 4,
            RuntimeError,
            f"linalg.matrix_norm: Low precision dtypes not supported. Got {scalar_name(x)}",
        )
        values = svd_of(jnp.moveaxis(x, (rows, columns), (-2, -1)), compute_uv=False)
        out = jnp.sum(values, -1) if size == "nuc" else _extreme(values, -1, False, order)
        return jnp.expand_dims(out, tuple(sorted((rows, columns)))) if keepdim else out
    summed, kept = (rows, columns) if size == 1 else (columns, rows)
    sums = norm_of(x, 1, (summed,), True)
    out = _extreme(sums, kept, True, order)
    return out if keepdim else jnp.squeeze(out, (rows, columns))


def _extreme(x, axis, keepdim, order):
    """The largest (of an order > 0) or smallest entry along axis; the largest of none is 0, as a norm's."""
    if x.shape[axis] == 0 and order > 0:
        return jnp.sum(x, axis, keepdims=keepdim)
    check(
        x.shape[axis] > 0,
        IndexError,
        f"amin(): Expected reduction dim {axis} to have non-zero size.",
    )
    return (jnp.max if order > 0 else jnp.min)(once(x), axis, keepdims=keepdim)


@linalg_op(autocast=(None, "float"))
def matrix_norm(
    input: Array,
    ord: Order = "fro",
    dim: tuple[int, ...] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
):
    """The matrix norm of order `ord` ("fro", "nuc", 1, -1, 2, -2, inf, -inf) of the matrices in the dims `dim`.

    >>> A = torch.tensor([[3., 0.], [0., 4.]])
    >>> torch.linalg.matrix_norm(A), torch.linalg.matrix_norm(A, 1)
    (tensor(5.), tensor(4.))
    """
    check_type(not isinstance(dim, int), dim, "tuple of ints", "linalg_matrix_norm", "dim", 3)
    return matrix_norm_of(input, ord, dim, keepdim, dtype)


@linalg_op(name="norm", undefined=_counts, grad="LinalgVectorNorm")
def linalg_norm(
    input: Array,
    ord: Order | None = None,
    dim: int | tuple[int, ...] | None = None,
    keepdim: bool = False,
    *,
    dtype: dtypes.dtype | None = None,
):
    """The vector norm (one dim) or matrix norm (two dims); without `ord` the 2-norm of all elements.

    >>> torch.linalg.norm(torch.tensor([3., 4.]))
    tensor(5.)
    """
    if dim is not None:
        dim = (dim,) if isinstance(dim, int) else tuple(dim)
        check(
            len(dim) in (1, 2),
            RuntimeError,
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}",
        )
    elif ord is not None:
        check(
            input.ndim in (1, 2),
            RuntimeError,
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
            f"Got {input.ndim}D.",
        )
    if isinstance(ord, str) or (ord is not None and (len(dim) if dim is not None else input.ndim) == 2):
        return matrix_norm_of(input, ord, (-2, -1) if dim is None else dim, keepdim, dtype)
    return _vector_norm(input, 2 if ord is None else ord, dim, keepdim, dtype)


def _dist_counts(given: dict, wanted: set) -> bool:
    """The same for `dist`, where torch takes the negative of the gradient for `other`."""
    if given["p"] == 0 and "other" in wanted:
        raise RuntimeError(
            "Expected a proper Tensor but got None (or an undefined Tensor in C++) for argument #0 'self'"
        )
    return given["p"] == 0


@op(out=False, undefined=_dist_counts, autocast=(None, "float"))
def dist(input: Array, other: Array, p: Order = 2):
    """The norm of order `p` of input - other.

    >>> torch.dist(torch.tensor([3., 4.]), torch.zeros(2))
    tensor(5.)
    """
    check_type(not isinstance(p, tuple | str), p, "Number", "dist", "p", 3)  # which might not matter
    broadcast_shapes(input.shape, other.shape)
    check_subtraction(input, other)

    def compute(a, b):
        check(
            from_numpy(a.dtype).category >= 2,
            RuntimeError,
            f"norm(): input dtype should be either floating point or complex. Got {scalar_name(a)} instead.",
        )
        return norm_of(a - b, p, tuple(range((a - b).ndim)), False)

    return promoted("default", compute, input, other)


def _attained(difference, largest):
    """±1 where |difference| is the largest, and 0 elsewhere: torch's formula, which is nan where one of them is nan or
    infinite."""
    off = jnp.abs(jnp.abs(difference) - largest[..., None])
    return lax.stop_gradient(jnp.sign(difference) * (1 - jnp.minimum(jnp.ceil(off), 1)))


_wholly_to_all = differentiated(lambda t, out, d: jnp.sum(t * _attained(d, out), -1))
"""As in torch's distances, every coordinate that attains the maximum gets the whole derivative."""


@_wholly_to_all
def largest_distance(difference):
    """The maximum of |difference| along the last dim."""
    return jnp.max(jnp.abs(difference), -1)


@_wholly_to_all
def _largest_number(difference):
    """The maximum of those |difference| along the last dim that are not nan: torch's cdist does not see it."""
    size = jnp.abs(difference)
    return jnp.max(jnp.where(jnp.isnan(size), 0, size), -1)


@differentiated(lambda t, out, d: jnp.sum(t * lax.stop_gradient(jnp.sign(d)), -1))
def city_block(difference):
    """The sum of |difference| along the last dim; its derivative at nan is nan."""
    return jnp.sum(jnp.abs(difference), -1)


def distance_of(difference, p):
    """The norm of order p along the last dim as torch's distances have it: by powers, and where p is 0 nan is not
    counted but nan."""
    kind = structure(p)
    if difference.dtype == np.float32 and abs(kind) > np.finfo(np.float32).max:
        p = math.copysign(math.inf, p)  # as torch's float has it
    if kind == 2:
        return sqrt_flat_at_zero(jnp.sum(difference * difference, -1))
    distance = p_norm(difference, p, (difference.ndim - 1,), False, by_powers=True)
    return distance if kind else jnp.where(jnp.isnan(difference).any(-1), jnp.nan, distance)


_COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary",
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)


def _check_cdist(x1, x2, p, compute_mode) -> None:
    for name, x in (("X1", x1), ("X2", x2)):
        check(
            x.ndim >= 2,
            RuntimeError,
            f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D",
        )
    check(
        compute_mode in _COMPUTE_MODES,
        ValueError,
        f"{compute_mode} is not a valid value for compute_mode",
    )
    check(
        x1.shape[-1] == x2.shape[-1],
        RuntimeError,
        f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}",
    )
    for name, x in (("X1", x1), ("X2", x2)):
        check(
            category(x) == FLOAT,
            RuntimeError,
            f"cdist only supports floating-point dtypes, {name} got: {scalar_name(x)}",
        )
    check(structure(p) >= 0, RuntimeError, "cdist only supports non-negative p values")


@op(method=False, out=False, autocast="float")
def cdist(x1: Array, x2: Array, p: Order = 2.0, compute_mode: Any = "use_mm_for_euclid_dist_if_necessary"):
    """The distances of order `p` of every row of x1 (.., P, M) from every row of x2 (.., R, M), as (.., P, R).

    >>> torch.cdist(torch.tensor([[0., 0.]]), torch.tensor([[3., 4.], [0., 1.]]))
    tensor([[5., 1.]])
    """
    _check_cdist(x1, x2, p, compute_mode)
    kind = structure(p)
    shape = (*broadcast_shapes(x1.shape[:-2], x2.shape[:-2]), x1.shape[-2], x2.shape[-2])
    if 0 in (*shape, x1.shape[-1]):
        return jnp.zeros(shape, x1.dtype)
    large = max(x1.shape[-2], x2.shape[-2]) > 25
    by_product = kind == 2 and (
        compute_mode == _COMPUTE_MODES[1] or (large and compute_mode != _COMPUTE_MODES[2])
    )
    d = from_numpy(x1.dtype)
    if d.itemsize < 4 and not by_product:
        raise no_kernel("cdist", x1)
    check_scalar_type(x1, x2)
    if by_product:

        def step(x):  # halves are rounded after each, as by torch
            return rounded_to(x, d) if d.is_narrow else x

        a, b = (x.astype(np.float32) if d.is_narrow else x for x in (x1, x2))
        first, second = (step(jnp.sum(step(x * x), -1)) for x in (a, b))
        mixed = jnp.matmul(a, jnp.swapaxes(b, -1, -2), precision="highest")
        squares = step(first[..., :, None] + second[..., None, :] - 2 * mixed)
        return sqrt_flat_at_zero(jnp.maximum(squares, 0)).astype(x1.dtype)
    difference = x1[..., :, None, :] - x2[..., None, :, :]
    if kind == math.inf:
        return _largest_number(once(difference))
    if kind == 1:
        return city_block(difference)
    if kind < 1:  # where coordinates are equal the derivative is 0, be the distance nan
        difference = jnp.where(difference == 0, 0, difference)
    return distance_of(difference, p)
