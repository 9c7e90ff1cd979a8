"""Distances and similarities along a dim, and the vector norm they are made of.

The norm's gradient at 0 is 0, as torch defines it.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from functorch_lite._core.api import (
    Array,
    Order,
    Real,
    broadcast_shapes,
    check,
    check_type,
    dtype_of,
    dtypes,
    is_python_number,
    need_kind,
    promote_types,
    result_dtype,
    rounded_to,
    scalar_name,
    wrap_dim,
    wrap_dims,
)
from functorch_lite.ops._pointwise import category, check_fit, check_subtraction, once, structure
from functorch_lite.ops._special import quotient
from functorch_lite.ops.norm import city_block, distance_of, empty_has_norm, largest_distance
from functorch_lite.ops.reduce import p_norm

from ._declare import compute, nn_op

__all__ = ["cosine_similarity", "pairwise_distance", "pdist", "vector_norm"]


def vector_norm(x, p, dim, keepdim: bool = False, by_powers: bool = False):
    """(sum |x|^p)^(1/p) along `dim` (an int, a tuple, or None for all); also p = 0, inf, -inf."""
    message = "linalg.vector_norm: Expected a non-complex scalar as the order of norm."
    check(not isinstance(p, complex), RuntimeError, message)
    dims = wrap_dims(dim, x.ndim)
    p = p if hasattr(p, "dtype") else float(p)
    empty_has_norm(x, structure(p), dims)
    return p_norm(x, p, dims, keepdim, by_powers)


def _common(a, b):
    """Both in their common dtype (half precision in float32), and that dtype."""
    to = promote_types(dtype_of(a), dtype_of(b)).np
    return compute(a.astype(to)), compute(b.astype(to)), to


def _eps_fits(op, static, inputs, result) -> None:
    eps = inputs[-1]
    if is_python_number(eps):
        check(eps >= 0, RuntimeError, f"eps must be non-negative, got: {eps:g}")
        check_fit(eps, dtypes.float64 if result.dtype is dtypes.float64 else dtypes.float32)


@nn_op(numbers=_eps_fits, grad="SumBackward1", autocast=(None, "float"))
def cosine_similarity(x1: Array, x2: Array, dim: int = 1, eps: Real = 1e-8):
    """The cosine of the angle between x1 and x2 along dim; norms below eps count as eps.

    >>> F.cosine_similarity(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    a, b, to = _common(x1, x2)
    check(
        category(a) == 2,
        RuntimeError,
        f"expected common dtype to be floating point, yet common dtype is {scalar_name(jnp.zeros((), to))}",
    )
    shape = broadcast_shapes(a.shape, b.shape)
    dim = wrap_dim(dim, len(shape))
    without_dims = not shape
    if without_dims:
        a, b, shape = a[None], b[None], (1,)
    a, b = jnp.broadcast_to(a, shape), jnp.broadcast_to(b, shape)

    d = result_dtype(x1, x2)

    def step(x):  # torch rounds each, which counts where the sum cancels
        return rounded_to(x, d) if d.is_narrow else x

    def unit(x):
        size = step(vector_norm(x, 2, dim, keepdim=True, by_powers=without_dims))
        # the clamp is outside the derivative, as in torch; half precision has no 1e-8
        least = jnp.asarray(eps, to).astype(size.dtype)
        return step(quotient(x, jnp.where(size < least, least + (size - jax.lax.stop_gradient(size)), size)))

    return jnp.sum(step(unit(a) * unit(b)), dim).astype(to)


def counts(given: dict, wanted: set) -> bool:
    """Returns whether the distance is a norm of order 0, whose derivative torch leaves undefined."""
    return given["p"] == 0


@nn_op(undefined=counts)
def pairwise_distance(x1: Array, x2: Array, p: Order = 2.0, eps: Real = 1e-6, keepdim: bool = False):
    """The p-norm of x1 - x2 + eps along the last dim.

    >>> F.pairwise_distance(torch.tensor([[3., 4.]]), torch.zeros(1, 2), eps=0).tolist()
    [5.0]
    """
    check_type(isinstance(structure(p), int | float), p, "float", "pairwise_distance", "p")
    a, b, _ = _common(x1, x2)
    to = result_dtype(x1, x2).np
    broadcast_shapes(a.shape, b.shape)
    check_subtraction(x1, x2)
    difference = a - b  # of integers, which wrap
    if category(a) < 2:
        to = dtypes.default_dtype().np
        difference = difference.astype(to)
    kind = dtypes.from_numpy(to)
    if kind.is_narrow:  # rounded after each step, as by torch
        difference = rounded_to(rounded_to(difference, kind) + eps, kind)
    else:
        difference = difference + eps
    if difference.ndim == 0:
        return vector_norm(difference[None], p, 0, by_powers=True).astype(to)
    result = vector_norm(difference, p, -1, keepdim)
    return result.astype(dtypes.from_numpy(to).to_real().np)


def _check_pdist(input, p) -> None:
    check(input.ndim == 2, RuntimeError, f"pdist only supports 2D tensors, got: {input.ndim}D")
    check(category(input) == 2, RuntimeError, "pdist only supports floating-point dtypes")
    check(p >= 0, RuntimeError, "pdist only supports non-negative p values")


@nn_op(autocast=(None, "float"))
def pdist(input: Array, p: Order = 2.0):
    """The p-norm distances between all pairs of rows (i, j), i < j, row by row.

    input: (N, D); the result has N (N − 1) / 2 elements. Raises RuntimeError for other dims and a negative p.

    >>> F.pdist(torch.tensor([[0., 0.], [3., 4.], [0., 1.]]), p=1.0).tolist()
    [7.0, 1.0, 6.0]
    """
    kind = structure(p)
    _check_pdist(input, kind)
    first, second = np.triu_indices(input.shape[0], 1)
    if not first.size or not input.shape[1]:
        return jnp.zeros(first.shape, input.dtype)
    need_kind(input, "F", "pdist")
    difference = input[first] - input[second]
    if kind in (1, np.inf):
        return (city_block if kind == 1 else largest_distance)(once(difference))
    return distance_of(difference, p)
