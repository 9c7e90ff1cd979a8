"""Products of matrices and vectors: matmul and its fixed-rank forms, the add* forms, einsum, tensordot, cross.

As in torch there is no promotion here: both factors must have one dtype. float32 is multiplied in full precision
on every device; float16 and bfloat16 are accumulated in float32 and rounded once.
"""

from __future__ import annotations

from itertools import pairwise

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
    need_kind,
    op,
    scalar_name,
    to_common_dtype,
    wrap_dim,
)
from ._pointwise import as_number, fit
from .views import expanded


def no_bool(name, *arrays):
    for x in arrays:
        need_kind(x, "ifc", name)


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


def _check_mm(a, b):
    check(
        a.dtype == b.dtype,
        RuntimeError,
        f"expected m1 and m2 to have the same dtype, but got: {cpp_name(a)} != {cpp_name(b)}",
    )
    check(
        a.shape[-1] == b.shape[-2],
        RuntimeError,
        f"mat1 and mat2 shapes cannot be multiplied ({a.shape[0]}x{a.shape[1]} and {b.shape[0]}x{b.shape[1]})",
    )
    no_bool("addmm_impl_cpu_", a)


@op(out="exact")
def mm(input: Array, mat2: Array):
    """The product of two matrices: (n, m) times (m, p) is (n, p).

    >>> torch.mm(torch.tensor([[1., 2.]]), torch.tensor([[3.], [4.]]))
    tensor([[11.]])
    """
    check(input.ndim == 2, RuntimeError, "self must be a matrix")
    check(mat2.ndim == 2, RuntimeError, "mat2 must be a matrix")
    _check_mm(input, mat2)
    return _rounded(product(input, mat2), input)


def _check_bmm(a, b, name="bmm"):
    check(a.ndim == 3, RuntimeError, "batch1 must be a 3D tensor")
    check(b.ndim == 3, RuntimeError, "batch2 must be a 3D tensor")
    wanted, got = [a.shape[0], a.shape[2]], list(b.shape[:2])
    check(
        wanted == got,
        RuntimeError,
        f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {got}.",
    )
    if not _has_nothing(a, b):
        _check_factors(a, b, name)


def _check_factors(a, b, name: str) -> None:
    no_bool(name, a)
    check(
        a.dtype == b.dtype,
        RuntimeError,
        f"expected scalar type {scalar_name(a)} but found {scalar_name(b)}",
    )


def _has_nothing(a, b) -> bool:
    """Whether there is nothing to multiply in batches of matrices: torch gives zeros of b's dtype then, and looks at no other."""
    return 0 in (*a.shape, *b.shape)


@op(out="exact")
def bmm(input: Array, mat2: Array):
    """The products of two batches of matrices: (b, n, m) times (b, m, p) is (b, n, p).

    >>> torch.bmm(torch.ones(1, 1, 2), torch.ones(1, 2, 1))
    tensor([[[2.]]])
    """
    _check_bmm(input, mat2)
    if _has_nothing(input, mat2):
        return jnp.zeros((*input.shape[:2], mat2.shape[2]), mat2.dtype)
    return _rounded(product(input, mat2), input)


def _check_mv(mat, vec, given):
    """`given` is the vector that is added; `vec` itself stands for none."""
    check(
        mat.ndim == 2 and vec.ndim == 1 and given.ndim <= 1,
        RuntimeError,
        f"vector + matrix @ vector expected, got {given.ndim}, {mat.ndim}, {vec.ndim}",
    )
    rows = mat.shape[0]
    size = given.shape[0] if given.ndim and given is not vec else rows
    fits = mat.shape[1] == vec.shape[0] and size in (rows, 1)
    # torch's sentence names a size that a number does not have
    check(fits or given.ndim > 0, IndexError, "Dimension specified as 0 but tensor has no dimensions")
    check(
        fits,
        RuntimeError,
        f"size mismatch, got input ({size}), mat ({rows}x{mat.shape[1]}), vec ({vec.shape[0]})",
    )
    check(
        given.dtype == mat.dtype == vec.dtype,
        RuntimeError,
        "addmv input tensors must have the same dtype, but got "
        f"{scalar_name(given)}, {scalar_name(mat)}, and {scalar_name(vec)}",
    )
    no_bool("addmv_impl_cpu", mat)


@op(out="exact")
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
    _check_mv(input, vec, vec)
    return _rounded(product(input, vec), input)


def _check_dot(a, b):
    check(
        a.ndim == 1 and b.ndim == 1,
        RuntimeError,
        f"1D tensors expected, but got {a.ndim}D and {b.ndim}D tensors",
    )
    check(
        a.dtype == b.dtype,
        RuntimeError,
        f"dot : expected both vectors to have same dtype, but found {scalar_name(a)} and {scalar_name(b)}",
    )
    check(
        a.size == b.size,
        RuntimeError,
        f"inconsistent tensor size, expected tensor [{a.size}] and src [{b.size}] to have the same number of "
        f"elements, but got {a.size} and {b.size} elements respectively",
    )
    no_bool("dot", a)


@op(out="exact")
def dot(input: Array, tensor: Array):
    """The inner product of two vectors, without conjugation.

    >>> torch.dot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    _check_dot(input, tensor)
    return _rounded(product(input, tensor), input)


@op(out="exact")
def vdot(input: Array, other: Array):
    """The inner product of two vectors, the first conjugated.

    >>> torch.vdot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    _check_dot(input, other)
    return _rounded(product(jnp.conj(input), other), input)


@op(out="exact if input.ndim and other.ndim")
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


@op(promote="default")
def outer(input: Array, vec2: Array):
    """All products of an element of one vector with an element of another.

    >>> torch.outer(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    return _outer(input, vec2)


@op(promote="default")
def ger(input: Array, vec2: Array):
    """All products of an element of one vector with an element of another (another name of `outer`).

    >>> torch.ger(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    return _outer(input, vec2)


@op(out="exact")
def matmul(input: Array, other: Array):
    """The product of vectors, matrices or batches of matrices; batch dims broadcast, a 1-d factor is a vector.

    >>> torch.matmul(torch.ones(5, 2, 3), torch.ones(3, 4)).shape
    torch.Size([5, 2, 4])
    """
    a, b = input, other
    check(
        a.ndim >= 1 and b.ndim >= 1,
        RuntimeError,
        f"both arguments to matmul need to be at least 1D, but they are {a.ndim}D and {b.ndim}D",
    )
    if a.ndim == 1 and b.ndim == 1:
        _check_dot(a, b)
    elif b.ndim == 1:
        _check_mv(_folded(a), b, b)
    elif a.ndim <= 2 and b.ndim == 2:
        _check_mm(a[None] if a.ndim == 1 else a, b)
    elif b.ndim == 2:
        _check_mm(_folded(a), b)
    else:
        batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
        count = int(np.prod(batch))
        wanted, got = [count, a.shape[-1]], [count, b.shape[-2]]
        check(
            wanted == got,
            RuntimeError,
            f"Expected size for first two dimensions of batch2 tensor to be: {wanted} but got: {got}.",
        )
        if a.ndim > 1 and _has_nothing(a, b):
            return jnp.zeros((*batch, a.shape[-2], b.shape[-1]), b.dtype)
        _check_factors(a, b, "bmm")
    return _rounded(product(a, b), a)


class _Shaped:
    """A shape and dtype to check where the array itself is not needed."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.ndim = tuple(shape), dtype, len(shape)


def _folded(a):
    """The matrix that torch multiplies when it folds the batch dims of `a` into its rows."""
    return a if a.ndim == 2 else _Shaped((int(np.prod(a.shape[:-1])), a.shape[-1]), a.dtype)


# --- beta * input + alpha * product -------------------------------------------------------------------------------


def _combined(input, wide, beta, alpha):
    """beta * input + alpha * wide in the dtype of `wide`, rounded once; with beta == 0 nan in `input` is ignored."""
    # an integer result takes integer factors: torch truncates them
    beta, alpha = as_number(beta, from_numpy(wide.dtype)), as_number(alpha, from_numpy(wide.dtype))
    kept = jnp.where(beta == 0, jnp.zeros((), wide.dtype), beta * input.astype(wide.dtype))
    return converted(kept + alpha * wide, input.dtype)


def _one_dtype(names, *arrays):
    for name, x in zip(names[1:], arrays[1:]):
        check(
            x.dtype == arrays[0].dtype,
            RuntimeError,
            f"{names[0]} and {name} must have the same dtype, but got {scalar_name(arrays[0])} and {scalar_name(x)}",
        )


def _complex_factor(wide, *factors):
    for f in factors:
        if isinstance(f, complex) and not jnp.issubdtype(wide, jnp.complexfloating):
            raise RuntimeError(
                f"value cannot be converted to type {from_numpy(wide).cpp_name} without overflow"
            )


@op(inplace=True, out="exact", numbers=fit("beta", "alpha", halves=dtypes.float32))
def addmm(input: Array, mat1: Array, mat2: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (mat1 @ mat2).

    >>> torch.addmm(torch.ones(2, 2), torch.eye(2), torch.eye(2), alpha=10)
    tensor([[11.,  1.],
            [ 1., 11.]])
    """
    check(mat1.ndim == 2, RuntimeError, f"mat1 must be a matrix, got {mat1.ndim}-D tensor")
    check(mat2.ndim == 2, RuntimeError, f"mat2 must be a matrix, got {mat2.ndim}-D tensor")
    if mat1.dtype == input.dtype:
        _one_dtype(("self", "mat2"), input, mat2)
    _one_dtype(("mat1", "mat2"), mat1, mat2)
    _one_dtype(("self", "mat2"), input, mat2)
    _check_mm(mat1, mat2)
    _complex_factor(input.dtype, beta, alpha)
    return _combined(expanded(input, (mat1.shape[0], mat2.shape[1])), product(mat1, mat2), beta, alpha)


@op(inplace=True, out="exact", numbers=fit("beta", "alpha"))
def addmv(input: Array, mat: Array, vec: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (mat @ vec).

    >>> torch.addmv(torch.ones(2), torch.eye(2), torch.tensor([3., 4.]))
    tensor([4., 5.])
    """
    _check_mv(mat, vec, input)
    _complex_factor(input.dtype, beta, alpha)
    return _combined(expanded(input, (mat.shape[0],)), product(mat, vec), beta, alpha)


def _batches(batch1, batch2) -> None:
    """Both have three dims. As in torch, a size that is looked at and is not there is an IndexError."""
    for x, least in ((batch1, 2), (batch2, 3)):
        if x.ndim < least:
            wrap_dim(least - 1, x.ndim)
            raise IndexError(f"Dimension specified as {least - 1} but tensor has no dimensions")
    check(batch1.ndim == 3, RuntimeError, "batch1 must be a 3D tensor")
    check(batch2.ndim == 3, RuntimeError, "batch2 must be a 3D tensor")


@op(inplace=True, out="exact", numbers=fit("beta", "alpha", halves=dtypes.float32))
def addbmm(input: Array, batch1: Array, batch2: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (the sum over the batch of batch1 @ batch2).

    >>> torch.addbmm(torch.zeros(1, 1), torch.ones(3, 1, 2), torch.ones(3, 2, 1))
    tensor([[6.]])
    """
    _batches(batch1, batch2)
    n, k = batch1.shape[1:]
    check(
        batch1.shape[0] == batch2.shape[0],
        RuntimeError,
        f"batch1 and batch2 must have same number of batches, got {batch1.shape[0]} and {batch2.shape[0]}",
    )
    check(
        k == batch2.shape[1],
        RuntimeError,
        f"Incompatible matrix sizes for bmm ({n}x{k} and {batch2.shape[1]}x{batch2.shape[2]})",
    )
    input = expanded(input, (n, batch2.shape[2]))
    if batch1.shape[0] == 0:
        return _combined(input, jnp.zeros(input.shape, input.dtype), beta, alpha)
    _one_dtype(("self", "mat2"), input, batch2)
    _one_dtype(("mat1", "mat2"), batch1, batch2)
    no_bool("addmm_impl_cpu_", input)
    _complex_factor(input.dtype, beta, alpha)
    flat1 = jnp.moveaxis(batch1, 0, 1).reshape(n, batch1.shape[0] * k)
    return _combined(input, product(flat1, batch2.reshape(batch1.shape[0] * k, batch2.shape[2])), beta, alpha)


@op(inplace=True, out="exact", numbers=fit("beta", "alpha", halves=dtypes.float32))
def baddbmm(input: Array, batch1: Array, batch2: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (batch1 @ batch2), batch by batch.

    >>> torch.baddbmm(torch.zeros(1, 1, 1), torch.ones(1, 1, 2), torch.ones(1, 2, 1))
    tensor([[[2.]]])
    """
    _batches(batch1, batch2)
    input = expanded(input, (batch1.shape[0], batch1.shape[1], batch2.shape[2]))
    if not batch1.dtype == batch2.dtype == input.dtype:
        names = [cpp_name(x) for x in (input, batch1, batch2)]
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {names[0]}, batch1: {names[1]}, batch2: {names[2]}"
        )
    _check_bmm(batch1, batch2, "baddbmm")
    _complex_factor(input.dtype, beta, alpha)
    return _combined(input, product(batch1, batch2), beta, alpha)


@op(promote="default", inplace=True, numbers=fit("beta", "alpha"))
def addr(input: Array, vec1: Array, vec2: Array, *, beta: Number = 1, alpha: Number = 1):
    """beta * input + alpha * (the outer product of two vectors).

    >>> torch.addr(torch.zeros(2, 2), torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([[3., 4.],
            [6., 8.]])
    """
    check(vec1.ndim == 1, RuntimeError, f"addr: Expected 1-D argument vec1, but got {vec1.ndim}-D")
    check(vec2.ndim == 1, RuntimeError, f"addr: Expected 1-D argument vec2, but got {vec2.ndim}-D")
    kind = input.dtype
    for name, factor in (("beta", beta), ("alpha", alpha)):
        is_float = isinstance(factor, float) or jnp.issubdtype(jnp.result_type(factor), jnp.floating)
        check(
            not is_float or jnp.issubdtype(kind, jnp.inexact),
            RuntimeError,
            f"For integral input tensors, argument {name} must not be a floating point number.",
        )
        check(
            jnp.result_type(factor) != np.bool_ or kind == np.bool_,
            RuntimeError,
            f"Boolean {name} only supported for Boolean results.",
        )
    _complex_factor(kind, beta, alpha)
    input = expanded(input, (vec1.size, vec2.size))
    pairs = vec1[:, None] * vec2[None, :]
    if kind == np.bool_:
        return (input & as_number(beta, from_numpy(kind))) | (pairs & as_number(alpha, from_numpy(kind)))
    return _combined(input, pairs, beta, alpha)


# --- cross products and chains ------------------------------------------------------------------------------------


def cross_product(a, b, dim):
    """The cross product along `dim`, where both have size 3; see `linalg.cross`."""
    check(a.ndim == b.ndim, RuntimeError, "linalg.cross: inputs must have the same number of dimensions.")
    check(a.ndim > 0, IndexError, f"Dimension specified as {dim} but tensor has no dimensions")
    at = wrap_dim(dim, a.ndim)
    check(
        a.shape[at] == 3 and b.shape[at] == 3,
        RuntimeError,
        f"linalg.cross: inputs dimension {dim} must have length 3. Got {a.shape[at]} and {b.shape[at]}",
    )
    broadcast_shapes(a.shape, b.shape)
    no_bool("cross", a)
    check(
        a.dtype == b.dtype,
        RuntimeError,
        f"expected scalar type {scalar_name(a)} but found {scalar_name(b)}",
    )
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


@op(out="exact", asks=(_WITHOUT_DIM,))
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
    check(len(tensors) >= 2, RuntimeError, f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    last = len(tensors) - 1
    for i, x in enumerate(tensors):
        if i in (0, last):
            end = "first" if i == 0 else "last"
            check(
                x.ndim in (1, 2),
                RuntimeError,
                f"multi_dot(): the {end} tensor must be 1D or 2D but got {x.ndim}D",
            )
        else:
            check(x.ndim == 2, RuntimeError, f"multi_dot(): tensor {i} must be 2D but got {x.ndim}D")
        check(
            x.dtype == tensors[0].dtype,
            RuntimeError,
            f"multi_dot(): all tensors must have be the same dtype but tensor 0 is {cpp_name(tensors[0])} and tensor "
            f"{i} {cpp_name(x)}",
        )
    for i, (x, y) in enumerate(pairwise(tensors)):
        check(
            x.shape[-1] == y.shape[0],
            RuntimeError,
            f"multi_dot(): tensors {i} and {i + 1} with shapes {list(x.shape)} and {list(y.shape)} cannot be multiplied",
        )
    no_bool("addmm_impl_cpu_", tensors[0])
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


@op(method=False, out="exact if len(matrices) > 1", asks=(_MULTI_DOT,))
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
