"""Products of matrices and vectors: matmul and its fixed-rank forms, the add* forms, einsum, tensordot, cross.

As in torch, dtypes are not promoted: both factors must have one dtype. float32 is multiplied in full precision on
every device; float16 and bfloat16 are accumulated in float32 and rounded once.
"""

from __future__ import annotations

from functools import partial

import jax.numpy as jnp
import numpy as np

from .._core.api import (
    Array,
    Arrays,
    Number,
    advising,
    broadcast_shapes,
    check,
    converted,
    cpp_name,
    dtypes,
    from_numpy,
    of_tensors,
    op,
    to_common_dtype,
    wrap_dim,
)
from ._pointwise import as_number, fit
from .contracts.matmul import (
    check_addbmm,
    check_addr,
    check_batches,
    check_bmm,
    check_chain,
    check_complex_factor,
    check_cross,
    check_dot,
    check_matmul,
    check_mm,
    check_mv,
    check_one_dtype,
    has_nothing,
    no_bool,
)
from .views import expanded


def product(a, b):
    """jnp.matmul of one dtype; the result of narrow floats is left in float32 (see `_rounded`)."""
    if from_numpy(a.dtype).is_narrow:
        return jnp.matmul(a, b, preferred_element_type=np.float32)
    return jnp.matmul(a, b)


def _rounded(x, like):
    return converted(x, like.dtype)


def contracted(a, b, left, right):
    """The sum of products over the dims `left` of a with the dims `right` of b."""
    if from_numpy(a.dtype).is_narrow:
        return converted(jnp.tensordot(a, b, axes=(left, right), preferred_element_type=np.float32), a.dtype)
    return jnp.tensordot(a, b, axes=(left, right))


@op(out="exact", autocast="lower", float8=True)
def mm(input: Array, mat2: Array):
    """The product of two matrices: (n, m) times (m, p) is (n, p).

    >>> torch.mm(torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]]))
    tensor([[11.]])
    """
    check(input.ndim == 2, RuntimeError, "self must be a matrix")
    check(mat2.ndim == 2, RuntimeError, "mat2 must be a matrix")
    check_mm(input, mat2)
    return _rounded(product(input, mat2), input)


@op(out="exact", autocast="lower")
def bmm(input: Array, mat2: Array):
    """The products of two batches of matrices: (b, n, m) times (b, m, p) is (b, n, p).

    >>> torch.bmm(torch.ones(1, 1, 2), torch.ones(1, 2, 1))
    tensor([[[2.]]])
    """
    check_bmm(input, mat2)
    if has_nothing(input, mat2):
        return jnp.zeros((*input.shape[:2], mat2.shape[2]), mat2.dtype)
    return _rounded(product(input, mat2), input)


@op(out="exact", autocast=(None, "lower"))
def mv(input: Array, vec: Array):
    """The product of a matrix and a vector: (n, m) times (m) is (n).

    >>> torch.mv(torch.eye(2), torch.tensor([3., 4.]))
    tensor([3., 4.])
    """
    check(input.ndim > 0, IndexError, "Dimension specified as 0 but tensor has no dimensions")
    check(
        input.ndim == 2 and vec.ndim == 1,
        RuntimeError,
        f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}",
    )
    check_mv(input, vec, vec)
    return _rounded(product(input, vec), input)


@op(out="exact", autocast=(None, "widest"))
def dot(input: Array, tensor: Array):
    """The inner product of two vectors, without conjugation.

    >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    check_dot(input, tensor)
    return _rounded(product(input, tensor), input)


@op(out="exact", autocast=(None, "widest"))
def vdot(input: Array, other: Array):
    """The inner product of two vectors, the first conjugated.

    >>> torch.vdot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    check_dot(input, other)
    return _rounded(product(jnp.conj(input), other), input)


@op(out="exact if input.ndim and other.ndim", autocast="lower", float8=True)
def inner(input: Array, other: Array):
    """The products of all rows (last dims) of `input` with all rows of `other`; a 0-d factor just multiplies.

    >>> torch.inner(torch.ones(2, 3), torch.ones(4, 3)).shape
    torch.Size([2, 4])
    """
    if input.ndim == 0 or other.ndim == 0:
        (a, b), _, result = to_common_dtype([input, other], "default")
        return (a * b).astype(result.np)
    check(
        input.shape[-1] == other.shape[-1],
        RuntimeError,
        "inner() the last dimension must match on both input tensors but got shapes "
        f"{list(input.shape)} and {list(other.shape)}",
    )
    check(input.dtype == other.dtype, RuntimeError, "both inputs should have same dtype")
    no_bool("addmm_impl_cpu_", input)
    return contracted(input, other, [input.ndim - 1], [other.ndim - 1])


def _outer(input, vec2):
    check(input.ndim == 1, RuntimeError, f"outer: Expected 1-D argument self, but got {input.ndim}-D")
    check(vec2.ndim == 1, RuntimeError, f"outer: Expected 1-D argument vec2, but got {vec2.ndim}-D")
    return input[:, None] * vec2[None, :]


@op(promote="default", grad="Mul", float8=True, watches=True)
def outer(input: Array, vec2: Array):
    """All products of an element of one vector with an element of another.

    >>> torch.outer(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    return _outer(input, vec2)


@op(promote="default", grad="Mul", float8=True)
def ger(input: Array, vec2: Array):
    """All products of an element of one vector with an element of another (another name of `outer`).

    >>> torch.ger(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    return _outer(input, vec2)


def _grad_of_product(name: str, static: tuple, ranks) -> str:
    named = {(1, 1): "DotBackward0", (2, 2): "MmBackward0", (2, 1): "MvBackward0", (1, 2): "SqueezeBackward4"}
    return named.get(tuple(of_tensors(ranks)[:2]), "UnsafeViewBackward0")


@op(out="exact", grad=_grad_of_product, autocast="lower", float8=True)
def matmul(input: Array, other: Array):
    """The product of vectors, matrices or batches of matrices; batch dims broadcast, a 1-d factor is a vector.

    >>> torch.matmul(torch.ones(5, 2, 3), torch.ones(3, 4)).shape
    torch.Size([5, 2, 4])
    """
    check_matmul(input, other)
    if input.ndim > 1 and other.ndim > 2 and has_nothing(input, other):
        batch = broadcast_shapes(input.shape[:-2], other.shape[:-2])
        return jnp.zeros((*batch, input.shape[-2], other.shape[-1]), other.dtype)
    return _rounded(product(input, other), input)


# --- beta * input + alpha * product -------------------------------------------------------------------------------


def _combined(input, wide, beta, alpha):
    """beta * input + alpha * wide in the dtype of `wide`, rounded once; with beta == 0 nan in `input` is ignored."""
    # an integer result takes integer factors: torch truncates them
    beta, alpha = as_number(beta, from_numpy(wide.dtype)), as_number(alpha, from_numpy(wide.dtype))
    kept = jnp.where(beta == 0, jnp.zeros((), wide.dtype), beta * input.astype(wide.dtype))
    return converted(kept + alpha * wide, input.dtype)


_added = partial(
    op,
    inplace=True,
    out="exact",
    numbers=fit("beta", "alpha", halves=dtypes.float32),
    autocast="lower",
    watches=("input",),
    scalings=("beta", "alpha"),
)
"""Declares a product that is scaled and added to a scaled input."""


@_added(float8=True)
def addmm(input: Array, mat1: Array, mat2: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (mat1 @ mat2).

    >>> torch.addmm(torch.ones(2, 2), torch.eye(2), torch.eye(2), alpha=10)
    tensor([[11.,  1.],
            [ 1., 11.]])
    """
    check(mat1.ndim == 2, RuntimeError, f"mat1 must be a matrix, got {mat1.ndim}-D tensor")
    check(mat2.ndim == 2, RuntimeError, f"mat2 must be a matrix, got {mat2.ndim}-D tensor")
    if mat1.dtype == input.dtype:
        check_one_dtype(("self", "mat2"), input, mat2)
    check_one_dtype(("mat1", "mat2"), mat1, mat2)
    check_one_dtype(("self", "mat2"), input, mat2)
    check_mm(mat1, mat2)
    check_complex_factor(input.dtype, beta, alpha)
    return _combined(expanded(input, (mat1.shape[0], mat2.shape[1])), product(mat1, mat2), beta, alpha)


@_added(numbers=fit("beta", "alpha"), autocast=(None, "lower"))
def addmv(input: Array, mat: Array, vec: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (mat @ vec).

    >>> torch.addmv(torch.ones(2), torch.eye(2), torch.tensor([3., 4.]))
    tensor([4., 5.])
    """
    check_mv(mat, vec, input)
    check_complex_factor(input.dtype, beta, alpha)
    return _combined(expanded(input, (mat.shape[0],)), product(mat, vec), beta, alpha)


@_added(float8=True)
def addbmm(input: Array, batch1: Array, batch2: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2).

    >>> torch.addbmm(torch.zeros(1, 1), torch.ones(3, 1, 2), torch.ones(3, 2, 1))
    tensor([[6.]])
    """
    check_addbmm(input, batch1, batch2, beta, alpha)
    n, k = batch1.shape[1:]
    input = expanded(input, (n, batch2.shape[2]))
    if batch1.shape[0] == 0:
        return _combined(input, jnp.zeros(input.shape, input.dtype), beta, alpha)
    flat1 = jnp.moveaxis(batch1, 0, 1).reshape(n, batch1.shape[0] * k)
    return _combined(input, product(flat1, batch2.reshape(batch1.shape[0] * k, batch2.shape[2])), beta, alpha)


@_added
def baddbmm(input: Array, batch1: Array, batch2: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (batch1 @ batch2), batch by batch.

    >>> torch.baddbmm(torch.zeros(1, 1, 1), torch.ones(1, 1, 2), torch.ones(1, 2, 1))
    tensor([[[2.]]])
    """
    check_batches(batch1, batch2)
    input = expanded(input, (batch1.shape[0], batch1.shape[1], batch2.shape[2]))
    if not batch1.dtype == batch2.dtype == input.dtype:
        names = [cpp_name(x) for x in (input, batch1, batch2)]
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]}, batch2: {names[2]}"
        )
    check_bmm(batch1, batch2, "baddbmm")
    check_complex_factor(input.dtype, beta, alpha)
    return _combined(input, product(batch1, batch2), beta, alpha)


@op(
    promote="default",
    inplace=True,
    numbers=fit("beta", "alpha"),
    autocast=(None, "lower"),
    scalings=("beta", "alpha"),
)
def addr(input: Array, vec1: Array, vec2: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (the outer product of two vectors).

    >>> torch.addr(torch.zeros(2, 2), torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    check_addr(input, vec1, vec2, beta, alpha)
    kind = input.dtype
    input = expanded(input, (vec1.size, vec2.size))
    pairs = vec1[:, None] * vec2[None, :]
    if kind == np.bool_:
        return (input & as_number(beta, from_numpy(kind))) | (pairs & as_number(alpha, from_numpy(kind)))
    return _combined(input, pairs, beta, alpha)


# --- cross products and chains ------------------------------------------------------------------------------------


def cross_product(a, b, dim):
    """The cross product along `dim`, where both have size 3; see `linalg.cross`."""
    check_cross(a, b, dim)
    at = wrap_dim(dim, a.ndim)
    kind = a.dtype
    if from_numpy(kind).is_narrow:
        a, b = a.astype(np.float32), b.astype(np.float32)
    a, b = jnp.moveaxis(a, at, 0), jnp.moveaxis(b, at, 0)
    parts = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    return jnp.stack(parts, axis=at).astype(kind)


_WITHOUT_DIM = advising(
    "dim is None",
    "dim",
    "Using torch.cross without specifying the dim arg is deprecated.\nPlease either pass the dim explicitly or simply use "
    "torch.linalg.cross.\nThe default value of dim will change to agree with that of linalg.cross in a future release.",
)


@op(out="exact", asks=(_WITHOUT_DIM,), grad="LinalgCross", autocast=(None, "widest"), apart=True)
def cross(input: Array, other: Array, dim: int | None = None):
    """The cross product of vectors of size 3 along `dim`, by default the first dim of that size.

    >>> torch.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]), dim=0)
    tensor([0., 0., 1.])
    """
    if dim is None:
        dim = next((d for d, n in enumerate(input.shape) if n == 3), None)
        check(dim is not None, RuntimeError, "no dimension of size 3 in input")
    return cross_product(input, other, dim)


def chained(tensors):
    """The product of a chain of matrices in the cheapest order; the ends may be vectors. See `linalg.multi_dot`."""
    check_chain(tensors)
    rows = [jnp.atleast_2d(tensors[0]), *tensors[1:]]
    if rows[-1].ndim == 1:
        rows[-1] = rows[-1][:, None]
    sizes = [x.shape[0] for x in rows] + [rows[-1].shape[1]]
    wide = from_numpy(rows[0].dtype).is_narrow
    split = _cheapest(sizes)

    def multiply(i, j):
        if i == j:
            return rows[i].astype(np.float32) if wide else rows[i]
        k = split[i, j]
        return product(multiply(i, k), multiply(k + 1, j))

    out = multiply(0, len(rows) - 1).astype(tensors[0].dtype)
    return out.reshape([n for n, x in zip(out.shape, (tensors[0], tensors[-1])) if x.ndim == 2])


def _cheapest(sizes):
    """Where to split each subchain of matrices of sizes (sizes[i], sizes[i + 1]), by dynamic programming."""
    n = len(sizes) - 1
    cost, split = {(i, i): 0 for i in range(n)}, {}
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            costs = [
                (cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k) for k in range(i, j)
            ]
            cost[i, j], split[i, j] = min(costs)
    return split


_MULTI_DOT = advising(
    "True",
    "matrices",
    "torch.chain_matmul is deprecated and will be removed in a future PyTorch release. Use torch.linalg.multi_dot instead, which "
    "accepts a list of two or more tensors rather than multiple parameters.",
)


@op(method=False, out="exact if len(matrices) > 1", asks=(_MULTI_DOT,), autocast="lower")
def chain_matmul(matrices: Arrays):
    """The product of a chain of matrices in the cheapest order.

    >>> A, B = torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]])
    >>> torch.chain_matmul(A, B)
    tensor([[11.]])
    """
    check(len(matrices) > 0, RuntimeError, "chain_matmul(): Expected one or more matrices")
    for x in matrices:
        check(x.ndim == 2, RuntimeError, f"Tensor dimension is {x.ndim}, expected 2 instead.")
    return matrices[0] if len(matrices) == 1 else chained(list(matrices))
