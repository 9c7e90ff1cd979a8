"""The functions of torch.linalg. Written by `python -m tests.stubs --write`."""

from builtins import bool as _bool
from builtins import complex as _complex
from builtins import float as _float
from builtins import int as _int
from builtins import str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, overload

import numpy as np

from functorch_lite._core.call.size import Size
from functorch_lite._core.call.storage import UntypedStorage
from functorch_lite._core.call.storage import layout as _layout
from functorch_lite._core.lazy.tensor import Tensor
from functorch_lite._core.words.device import device as _device
from functorch_lite._core.words.dtypes import dtype as _dtype
from functorch_lite._core.words.memory_format import memory_format as _memory_format
from functorch_lite.random import Generator
from functorch_lite.storage import TypedStorage
from functorch_lite import return_types

Number = _bool | _int | _float | _complex
_Sizes = _int | Sequence[_int]

_Device = _device | _str | _int | None

__all__ = ['LinAlgError', 'cholesky', 'cholesky_ex', 'cond', 'cross', 'det', 'diagonal', 'eig', 'eigh', 'eigvals', 'eigvalsh', 'householder_product', 'inv', 'inv_ex', 'ldl_factor', 'ldl_factor_ex', 'ldl_solve', 'lstsq', 'lu', 'lu_factor', 'lu_factor_ex', 'lu_solve', 'matmul', 'matrix_exp', 'matrix_norm', 'matrix_power', 'matrix_rank', 'multi_dot', 'norm', 'pinv', 'qr', 'slogdet', 'solve', 'solve_ex', 'solve_triangular', 'svd', 'svdvals', 'tensorinv', 'tensorsolve', 'vander', 'vecdot', 'vector_norm']

class LinAlgError(RuntimeError): ...
def cholesky(input: Tensor, *, upper: _bool = False, out: Any = None) -> Tensor:
    """The lower (or upper) triangular Cholesky factor; LinAlgError for a matrix that is not positive definite.

    (…, n, n) to (…, n, n), float or complex. Deprecated: use linalg.cholesky.

    Args:
        input: the Hermitian positive definite matrices, of shape (..., n, n).
        upper: whether the upper factor is returned. By default it is the lower one.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def cholesky_ex(input: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Any = None) -> return_types.linalg_cholesky_ex:
    """The lower (or upper) triangular Cholesky factor, and 0 or the order of the first minor that is not positive
    definite.

    Where a matrix is not positive definite its factor is nan. `check_errors` is seen to by the function on tensors.

    Args:
        input: the Hermitian positive definite matrices, of shape (..., n, n).
        upper: whether the upper factor is returned. By default it is the lower one.
        check_errors: whether a failure raises an error. By default the returned `info` reports it.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def cond(input: Tensor, p: Number | None = None, *, out: Any = None) -> Tensor:
    """The condition number in the norm of order `p` (by default 2); inf for a singular matrix.

    Args:
        input: the input tensor.
        p: the order of the norm: a number, inf, -inf, "fro" or "nuc". None (the default) is 2.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def cross(input: Tensor, other: Tensor, *, dim: _int = -1, axis: Any = ..., out: Any = None) -> Tensor:
    """The cross product of vectors of size 3 along `dim`; the other dims broadcast.

    Args:
        input: the input tensor.
        other: the second tensor of vectors; it broadcasts with `input`.
        dim: the dim of the vectors, of size 3. For torch.cross, None (the default) is the first dim of size 3.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def det(A: Tensor, *, out: Any = None) -> Tensor:
    """The determinant of square matrices.

    Args:
        A: the square matrices, of shape (..., n, n).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim of the result.

    Args:
        A: the matrices, of shape (..., m, n).
        offset: which diagonal: 0 is the main one, positive ones are above it and negative ones below it.
            Default: 0.
        dim1: the first dim of the matrices. Default: -2.
        dim2: the second dim of the matrices. Default: -1.
    """
def eig(input: Tensor, *, out: Any = None) -> return_types.linalg_eig:
    """Eigenvalues and normalized eigenvectors (columns) of square matrices, always complex; on the CPU only.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def eigh(input: Tensor, UPLO: _str = 'L', *, out: Any = None) -> return_types.linalg_eigh:
    """Eigenvalues (ascending) and eigenvectors (columns) of Hermitian matrices, of which one triangle is read.

    Args:
        input: the Hermitian matrices, of shape (..., n, n).
        UPLO: which triangle is read: "L" the lower, "U" the upper. Default: "L".
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `eigenvalues`, `eigenvectors`.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def eigvals(input: Tensor, *, out: Any = None) -> Tensor:
    """The eigenvalues of square matrices, always complex; on the CPU only.

    Args:
        input: the input tensor.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def eigvalsh(input: Tensor, UPLO: _str = 'L', *, out: Any = None) -> Tensor:
    """The eigenvalues (ascending) of Hermitian matrices, of which one triangle is read.

    Args:
        input: the Hermitian matrices, of shape (..., n, n).
        UPLO: which triangle is read: "L" the lower, "U" the upper. Default: "L".
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def householder_product(input: Tensor, tau: Tensor, *, out: Any = None) -> Tensor:
    """The first columns of the product of Householder reflections, whose vectors are below the diagonal of `input`.

    Shapes (..., m, n) with m >= n and (..., k) with k <= n; the result has `input`'s.

    Args:
        input: the vectors of the reflections, below the diagonal: (..., m, n).
        tau: the factors of the reflections, of shape (..., k).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def inv(A: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of square matrices; LinAlgError for a singular one.

    Args:
        A: the square matrices, of shape (..., n, n).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def inv_ex(A: Tensor, *, check_errors: _bool = False, out: Any = None) -> return_types.linalg_inv_ex:
    """The inverse of square matrices, and 0 or the number of the diagonal element at which inversion failed.

    Where it failed the result is inf or nan. `check_errors` is seen to by the function on tensors.

    Args:
        A: the square matrices, of shape (..., n, n).
        check_errors: whether a failure raises an error. By default the returned `info` reports it.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def ldl_factor(input: Tensor, *, hermitian: _bool = False, out: Any = None) -> return_types.linalg_ldl_factor:
    """The LDL factorization in packed form: (LD, pivots); an error where a pivot is zero.

    Args:
        input: the symmetric or Hermitian matrices, of shape (..., n, n).
        hermitian: whether complex matrices are Hermitian. By default they are symmetric.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def ldl_factor_ex(input: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: Any = None) -> return_types.linalg_ldl_factor_ex:
    """A = L @ D @ L^T (L^H with hermitian=True) of symmetric matrices, whose lower triangle is read.

    `info` is 0, or the number of the first zero pivot. No derivative, as in torch. `check_errors` is seen to by the
    function on tensors.

    Args:
        input: the symmetric or Hermitian matrices, of shape (..., n, n).
        hermitian: whether complex matrices are Hermitian. By default they are symmetric.
        check_errors: whether a failure raises an error. By default the returned `info` reports it.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Any = None) -> Tensor:
    """The solution X of A @ X = B from A's LDL factorization; no derivative, as in torch.

    Args:
        LD: the factors, as `ldl_factor` returns them.
        pivots: the pivots, as `ldl_factor` returns them.
        B: the right-hand sides, of shape (..., n, k).
        hermitian: whether complex matrices are Hermitian. By default they are symmetric.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def lstsq(input: Tensor, b: Tensor, rcond: _float | None = None, *, driver: _str | None = None, out: Any = None) -> return_types.linalg_lstsq:
    """The X of least norm that minimizes |A @ X - B|, with residuals, rank and singular values: as torch's on the CPU.

    Only "gelsd" and "gelss" give `singular_values`; all but "gels" give `rank`; all but "gelsy" (the default) give
    `residuals`, for more rows than columns, and those two only where every matrix has full rank (which is read).

    Args:
        input: the matrices, of shape (..., m, n).
        b: the right-hand sides, of shape (..., m, k).
        rcond: the relative tolerance below which singular values count as 0. None (the default) is the dtype's
            epsilon times max(m, n).
        driver: the LAPACK driver: "gelsy", "gels", "gelsd" or "gelss". None (the default) means "gelsy".
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def lu(A: Tensor, *, pivot: _bool = True, out: Any = None) -> return_types.linalg_lu:
    """A = P @ L @ U with a permutation matrix P, unit lower triangular L and upper triangular U.

    Args:
        A: the matrices, of shape (..., m, n).
        pivot: whether rows are exchanged; False is possible on CUDA only, as in PyTorch. Default: True.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def lu_factor(A: Tensor, *, pivot: _bool = True, out: Any = None) -> return_types.linalg_lu_factor:
    """The LU factorization in packed form: (LU, pivots); an error where U has a zero on its diagonal.

    Args:
        A: the matrices, of shape (..., m, n).
        pivot: whether rows are exchanged; False is possible on CUDA only, as in PyTorch. Default: True.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def lu_factor_ex(A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Any = None) -> return_types.linalg_lu_factor_ex:
    """A = P @ L @ U with partial pivoting: packed factors, pivots, and where U has a zero on its diagonal.

    Rectangular matrices and batches are allowed. `check_errors` is seen to by the function on tensors.

    Args:
        A: the matrices, of shape (..., m, n).
        pivot: whether rows are exchanged; False is possible on CUDA only, as in PyTorch. Default: True.
        check_errors: whether a failure raises an error. By default the returned `info` reports it.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Any = None) -> Tensor:
    """The solution X of A @ X = B (X @ A = B with left=False; of A^H with adjoint=True) from A's LU factorization.

    Args:
        LU: the factors, as `lu_factor` returns them.
        pivots: the pivots, as `lu_factor` returns them.
        B: the right-hand sides, of shape (..., n, k).
        left: whether A @ X = B is solved; False solves X @ A = B. Default: True.
        adjoint: whether the system of the conjugate transpose is solved. Default: False.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """torch.matmul.

    Args:
        input: a vector, a matrix or a batch of matrices.
        other: a vector, a matrix or a batch of matrices; batch dims broadcast.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential.

    Args:
        input: the input tensor.

    Returns:
        a new tensor.
    """
def matrix_norm(input: Tensor, ord: Any = 'fro', dim: _Sizes = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The matrix norm of order `ord` ("fro", "nuc", 1, -1, 2, -2, inf, -inf) of the matrices in the dims `dim`.

    Args:
        input: the input tensor.
        ord: the order of the norm: a number, inf, -inf, and for matrices "fro" or "nuc". None, where it is the
            default, is the 2-norm of the flattened tensor.
        dim: the dim (for norms the dim or the pair of dims) to reduce. None, where it is the default, means
            all.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def matrix_power(input: Tensor, n: _int, *, out: Any = None) -> Tensor:
    """The n-th power of square matrices; negative powers go through the inverse.

    Args:
        input: the input tensor.
        n: the exponent: an int; negative ones invert.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def matrix_rank(input: Tensor, tol: Tensor | Number | None = None, hermitian: _bool = False, *, atol: Tensor | Number | None = None, rtol: Tensor | Number | None = None, out: Any = None) -> Tensor:
    """The number of singular values above max(atol, rtol * the largest); `tol` is an absolute tolerance.

    Args:
        input: the input tensor.
        tol: the older name of `atol`.
        hermitian: whether the matrices are Hermitian (symmetric, if real), which is faster. Default: False.
        atol: the absolute tolerance below which singular values count as 0. None (the default) is 0.
        rtol: the tolerance relative to the largest singular value. None (the default) is the dtype's epsilon
            times max(m, n), or 0 if `atol` is given.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def multi_dot(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The product of a chain of matrices in the cheapest order; the first and last may be vectors.

    Args:
        tensors: the tensors: a list or tuple.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def norm(input: Tensor, ord: Any = None, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The vector norm (one dim) or matrix norm (two dims); without `ord` the 2-norm of all elements.

    Args:
        input: the input tensor.
        ord: the order of the norm: a number, inf, -inf, and for matrices "fro" or "nuc". None, where it is the
            default, is the 2-norm of the flattened tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def pinv(input: Tensor, rcond: Tensor | Number | None = None, hermitian: _bool = False, *, atol: Tensor | Number | None = None, rtol: Tensor | Number | None = None, out: Any = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse; singular values up to max(atol, rtol * the largest) count as 0.

    Args:
        input: the input tensor.
        rcond: the relative tolerance below which singular values count as 0. None (the default) is the dtype's
            epsilon times max(m, n).
        hermitian: whether the matrices are Hermitian (symmetric, if real), which is faster. Default: False.
        atol: the absolute tolerance below which singular values count as 0. None (the default) is 0.
        rtol: the tolerance relative to the largest singular value. None (the default) is the dtype's epsilon
            times max(m, n), or 0 if `atol` is given.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def qr(A: Tensor, mode: _str = 'reduced', *, out: Any = None) -> return_types.linalg_qr:
    """A = Q @ R with orthonormal columns Q and upper triangular R; mode "r" leaves Q empty.

    Args:
        A: the matrices, of shape (..., m, n).
        mode: "reduced", "complete", or "r", which leaves Q empty. Default: "reduced".
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `Q`, `R`.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def slogdet(A: Tensor, *, out: Any = None) -> return_types.linalg_slogdet:
    """Sign and logarithm of the absolute value of the determinant.

    Args:
        A: the square matrices, of shape (..., n, n).
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a named tuple of `sign`, `logabsdet`.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Any = None) -> Tensor:
    """The solution X of A @ X = B (X @ A = B with left=False); LinAlgError for a singular A.

    B may be a vector or a batch of vectors.

    Args:
        A: the square matrices, of shape (..., n, n).
        B: the right-hand sides, of shape (..., n, k).
        left: whether A @ X = B is solved; False solves X @ A = B. Default: True.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def solve_ex(A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: Any = None) -> return_types.linalg_solve_ex:
    """The solution X of A @ X = B (X @ A = B with left=False), and 0 or the diagonal element at which solving failed.

    B may be a vector or a batch of vectors. `check_errors` is seen to by the function on tensors.

    Args:
        A: the square matrices, of shape (..., n, n).
        B: the right-hand sides, of shape (..., n, k).
        left: whether A @ X = B is solved; False solves X @ A = B. Default: True.
        check_errors: whether a failure raises an error. By default the returned `info` reports it.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def solve_triangular(input: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Any = None) -> Tensor:
    """The solution X of A @ X = B (X @ A = B with left=False) for triangular A; the other triangle is not read.

    B is cast to the dtype of A, as in torch, whatever is lost by it.

    Args:
        input: the triangular matrices, of shape (..., n, n).
        B: the right-hand sides, of shape (..., n, k).
        upper: whether `input` is upper triangular.
        left: whether input @ X = B is solved; False solves X @ input = B. Default: True.
        unitriangular: whether the diagonal counts as ones and is not read. Default: False.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def svd(A: Tensor, full_matrices: _bool = True, *, driver: _str | None = None, out: Any = None) -> return_types.linalg_svd:
    """A = U @ diag(S) @ Vh with S descending. As in torch, the columns beyond min(n, m) carry no derivative.

    Args:
        A: the matrices, of shape (..., m, n).
        full_matrices: whether U and Vh are square; False returns the reduced ones. Default: True.
        driver: the cuSOLVER method, for CUDA tensors only. None (the default) lets the library choose.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def svdvals(A: Tensor, *, driver: _str | None = None, out: Any = None) -> Tensor:
    """The singular values, descending.

    Args:
        A: the matrices, of shape (..., m, n).
        driver: the cuSOLVER method, for CUDA tensors only. None (the default) lets the library choose.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def tensorinv(input: Tensor, ind: _int = 2, *, out: Any = None) -> Tensor:
    """The inverse of `input` as a linear map from its dims `ind:` to its dims `:ind`, whose sizes must multiply to the
    same.

    Args:
        input: the input tensor.
        ind: the number of leading dims that form the rows. Default: 2.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def tensorsolve(input: Tensor, other: Tensor, dims: _Sizes | None = None, *, out: Any = None) -> Tensor:
    """The X with tensordot(input, X, dims=X.ndim) = other; `dims` are moved to the end of input first.

    Args:
        input: the tensor of the linear map; its last dims match the dims of the solution.
        other: the right-hand side; its dims match the first dims of `input`.
        dims: the dims of `input` to move to the end first. None (the default) moves none.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.
    """
def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """Rows of the powers 0 to N - 1 of the elements of x; N is the length of x by default. Batches are allowed.

    Args:
        x: the points, 1-D.
        N: the number of columns. None (the default) is the number of points.
    """
def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, axis: Any = ..., out: Any = None) -> Tensor:
    """The inner products of the vectors along `dim`, x conjugated; the other dims broadcast.

    Args:
        x: the vectors.
        y: the second vectors; they broadcast with `x`.
        dim: the dim (for norms the dim or the pair of dims) to reduce. None, where it is the default, means
            all.
        axis: NumPy's name for `dim`; give one of the two.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
def vector_norm(x: Tensor, ord: Any = 2, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The vector norm of order `ord` over `dim`, by default over all dims.

    Args:
        x: the tensor.
        ord: the order of the norm: a number, inf, -inf, and for matrices "fro" or "nuc". None, where it is the
            default, is the 2-norm of the flattened tensor.
        dim: the dim or dims to reduce; negative ones count from the end. Without it (or with None) all dims
            are reduced.
        keepdim: whether the reduced dims are kept, with size 1. By default they are removed.
        dtype: the dtype to which `input` is cast before the operation, which prevents overflow. None (the
            default) keeps the natural dtype of the result.
        axis: NumPy's name for `dim`; give one of the two.
        keepdims: NumPy's name for `keepdim`.
        out: a tensor into which the result is written; it is resized if its shape differs. None (the default)
            returns a new tensor.

    Returns:
        a new tensor, or `out` if it is given.

    Raises:
        IndexError: if `dim` is out of range for the number of dims.
        RuntimeError: if the dtype of the result cannot be cast to that of `out`.
    """
