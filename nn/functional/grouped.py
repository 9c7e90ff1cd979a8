"""Products of groups of rows or columns, each with a matrix of its own: the layers of mixtures of experts."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from functorch_lite._core.api import (
    OPS,
    Array,
    Tensor,
    bfloat16,
    check,
    composite,
    dtype,
    float16,
    float32,
    int32,
    make_function,
    strides_of,
)

from ._declare import compute, nn_op

__all__: list[str] = []


@nn_op()
def _grouped_product(mat_a: Array, mat_b: Array, offs: Array | None = None):
    """mat_a @ mat_b, where what is 2-d is cut into groups that end at `offs`, along the dim that the other has once for
    each group.

    (M, K) @ (G, K, N) -> (M, N), (G, M, K) @ (K, N) -> (M, N), (M, K) @ (K, N) -> (G, M, N), (G, M, K) @ (G, K, N) ->
    (G, M, N). Every row is multiplied with the matrices of all groups, and its own kept: XLA has no product of which a
    value tells the sizes.
    """
    a, b = compute(mat_a), compute(mat_b)
    if offs is None:
        return jnp.matmul(a, b).astype(mat_a.dtype)
    if a.ndim == b.ndim == 2:
        length = min(a.shape[1], b.shape[0])
        inside = _inside(offs, length)
        a = jnp.where(inside[:, None, :], a[:, :length], 0)
        b = jnp.where(inside[:, :, None], b[:length], 0)
        return jnp.matmul(a, b).astype(mat_a.dtype)
    inside = _inside(offs, a.shape[0])[:, :, None] if a.ndim == 2 else _inside(offs, b.shape[1])[:, None, :]
    return jnp.where(inside, jnp.matmul(a, b), 0).sum(0).astype(mat_a.dtype)


def _inside(offs, length: int) -> jax.Array:
    """Returns whether each of `length` places is in each group: (groups, length)."""
    places = jnp.arange(length, dtype=offs.dtype)
    begins = jnp.concatenate([jnp.zeros(1, offs.dtype), offs[:-1]])
    return (begins[:, None] <= places) & (places < offs[:, None])


_product = make_function(OPS["nn.functional._grouped_product"], "_grouped_mm")


def _check_strides(t: Tensor) -> None:
    """Checks that rows or columns begin at multiples of 16 bytes, which the kernels of PyTorch ask for."""
    strides = strides_of(t)
    if strides is None:
        return
    (rows, columns), (by_row, by_column) = t.shape[-2:], strides[-2:]
    if by_row == 1 and by_column >= max(1, rows):
        step = by_column
    else:
        apart = by_column == 1 and by_row >= max(1, columns)
        sizes = list(t.shape)
        check(
            apart,
            RuntimeError,
            f"Invalid strides/sizes, got {list(strides)} for strides and {sizes} for sizes",
        )
        step = by_row
    check(step * t.element_size() % 16 == 0, RuntimeError, "strides should be multiple of 16 bytes")


@composite
def _grouped_mm(
    self: Tensor,
    mat2: Tensor,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: dtype | None = None,
) -> Tensor:
    """nn.functional.grouped_mm."""
    both = (("mat_a", self), ("mat_b", mat2))
    for name, t in both:
        known = t.dtype in (float32, bfloat16, float16)
        wanted = f"Expected {name} to be Float32, BFloat16 or Float16 matrix, got {t.dtype.scalar_name}"
        check(known, RuntimeError, wanted)
    for name, t in both:
        check(t.ndim in (2, 3), RuntimeError, f"{name} has to be 2 or 3d")
    flat = self.ndim == mat2.ndim == 2
    check(
        flat or self.shape[-1] == mat2.shape[-2],
        RuntimeError,
        "contraction dimension of mat_a and mat_b must match",
    )
    for _, t in both:
        _check_strides(t)
    check(
        (offs is None) == (self.ndim == mat2.ndim == 3),
        RuntimeError,
        "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d",
    )
    if offs is not None:
        check(offs.ndim == 1, RuntimeError, "offs has to be 1D")
        check(offs.dtype is int32, RuntimeError, "Offsets have to be int32")
        groups = offs.shape[0] if flat else (self if self.ndim == 3 else mat2).shape[0]
        check(groups == offs.shape[0], RuntimeError, "matrix batch sizes have to match")
    else:
        check(self.shape[0] == mat2.shape[0], RuntimeError, "batched dimension has to match")
    check(bias is None, RuntimeError, "Bias not supported yet")
    same = out_dtype is None or out_dtype is self.dtype
    check(same, RuntimeError, "Grouped gemm output dtype must match `mat_a` dtype")
    check(
        self.dtype is mat2.dtype,
        RuntimeError,
        f"expected m1 and m2 to have the same dtype, but got: {self.dtype.cpp_name} != {mat2.dtype.cpp_name}",
    )
    return _product(self, mat2, offs)


@composite(namespace="nn.functional")
def grouped_mm(
    mat_a: Tensor,
    mat_b: Tensor,
    *,
    offs: Tensor | None = None,
    bias: Tensor | None = None,
    out_dtype: dtype | None = None,
) -> Tensor:
    """Products of matrices in groups: what is 2-d is cut into groups that end at `offs` (int32, not decreasing), what
    is 3-d has one matrix for each.

    (M, K) @ (G, K, N) -> (M, N): each group of rows with its own matrix. (G, M, K) @ (K, N) -> (M, N): each group of
    columns. (M, K) @ (K, N) -> (G, M, N): each group of the summed dim. (G, M, K) @ (G, K, N) -> (G, M, N), without
    offs. The dtype is float32, bfloat16 or float16; rows or columns must begin at multiples of 16 bytes. Rows beyond
    the last group are zero (in PyTorch they are uninitialized memory). A bias and an out_dtype that differs from the
    inputs' raise, as in PyTorch on a CPU.

    >>> F.grouped_mm(torch.ones(3, 4), torch.ones(2, 4, 4), offs=torch.tensor([1, 3], dtype=torch.int32)).shape
    torch.Size([3, 4])
    """
    return _grouped_mm(mat_a, mat_b, offs, bias, out_dtype)
