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
    """The lower (or upper) triangular Cholesky factor; LinAlgError for a matrix that is not positive definite."""
def cholesky_ex(input: Tensor, *, upper: _bool = False, check_errors: _bool = False, out: Any = None) -> return_types.linalg_cholesky_ex:
    """The lower (or upper) triangular Cholesky factor, and 0 or the order of the first minor that is not positive definite."""
def cond(input: Tensor, p: Number | None = None, *, out: Any = None) -> Tensor:
    """The condition number in the norm of order `p` (by default 2); inf for a singular matrix."""
def cross(input: Tensor, other: Tensor, *, dim: _int = -1, axis: Any = ..., out: Any = None) -> Tensor:
    """The cross product of vectors of size 3 along `dim`; the other dims broadcast."""
def det(A: Tensor, *, out: Any = None) -> Tensor:
    """The determinant of square matrices."""
def diagonal(A: Tensor, *, offset: _int = 0, dim1: _int = -2, dim2: _int = -1) -> Tensor:
    """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim of the result."""
def eig(input: Tensor, *, out: Any = None) -> return_types.linalg_eig:
    """Eigenvalues and normalized eigenvectors (columns) of square matrices, always complex; on the CPU only."""
def eigh(input: Tensor, UPLO: _str = 'L', *, out: Any = None) -> return_types.linalg_eigh:
    """Eigenvalues (ascending) and eigenvectors (columns) of Hermitian matrices, of which one triangle is read."""
def eigvals(input: Tensor, *, out: Any = None) -> Tensor:
    """The eigenvalues of square matrices, always complex; on the CPU only."""
def eigvalsh(input: Tensor, UPLO: _str = 'L', *, out: Any = None) -> Tensor:
    """The eigenvalues (ascending) of Hermitian matrices, of which one triangle is read."""
def householder_product(input: Tensor, tau: Tensor, *, out: Any = None) -> Tensor:
    """The first columns of the product of Householder reflections, whose vectors are below the diagonal of `input`."""
def inv(A: Tensor, *, out: Any = None) -> Tensor:
    """The inverse of square matrices; LinAlgError for a singular one."""
def inv_ex(A: Tensor, *, check_errors: _bool = False, out: Any = None) -> return_types.linalg_inv_ex:
    """The inverse of square matrices, and 0 or the number of the diagonal element at which inversion failed."""
def ldl_factor(input: Tensor, *, hermitian: _bool = False, out: Any = None) -> return_types.linalg_ldl_factor:
    """The LDL factorization in packed form: (LD, pivots); an error where a pivot is zero."""
def ldl_factor_ex(input: Tensor, *, hermitian: _bool = False, check_errors: _bool = False, out: Any = None) -> return_types.linalg_ldl_factor_ex:
    """A = L @ D @ L^T (L^H with hermitian=True) of symmetric matrices, whose lower triangle is read."""
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: _bool = False, out: Any = None) -> Tensor:
    """The solution X of A @ X = B from A's LDL factorization; no derivative, as in torch."""
def lstsq(input: Tensor, b: Tensor, rcond: _float | None = None, *, driver: _str | None = None, out: Any = None) -> return_types.linalg_lstsq:
    """The X of least norm that minimizes |A @ X - B|, with residuals, rank and singular values: as torch's on the CPU."""
def lu(A: Tensor, *, pivot: _bool = True, out: Any = None) -> return_types.linalg_lu:
    """A = P @ L @ U with a permutation matrix P, unit lower triangular L and upper triangular U."""
def lu_factor(A: Tensor, *, pivot: _bool = True, out: Any = None) -> return_types.linalg_lu_factor:
    """The LU factorization in packed form: (LU, pivots); an error where U has a zero on its diagonal."""
def lu_factor_ex(A: Tensor, *, pivot: _bool = True, check_errors: _bool = False, out: Any = None) -> return_types.linalg_lu_factor_ex:
    """A = P @ L @ U with partial pivoting: packed factors, pivots, and where U has a zero on its diagonal."""
def lu_solve(LU: Tensor, pivots: Tensor, B: Tensor, *, left: _bool = True, adjoint: _bool = False, out: Any = None) -> Tensor:
    """The solution X of A @ X = B (X @ A = B with left=False; of A^H with adjoint=True) from A's LU factorization."""
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """torch.matmul."""
def matrix_exp(input: Tensor) -> Tensor:
    """The matrix exponential."""
def matrix_norm(input: Tensor, ord: Any = 'fro', dim: _Sizes = ..., keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The matrix norm of order `ord` ("fro", "nuc", 1, -1, 2, -2, inf, -inf) of the matrices in the dims `dim`."""
def matrix_power(input: Tensor, n: _int, *, out: Any = None) -> Tensor:
    """The n-th power of square matrices; negative powers go through the inverse."""
def matrix_rank(input: Tensor, tol: Tensor | Number | None = None, hermitian: _bool = False, *, atol: Tensor | Number | None = None, rtol: Tensor | Number | None = None, out: Any = None) -> Tensor:
    """The number of singular values above max(atol, rtol * the largest); `tol` is an absolute tolerance."""
def multi_dot(tensors: Sequence[Tensor], *, out: Any = None) -> Tensor:
    """The product of a chain of matrices in the cheapest order; the first and last may be vectors."""
def norm(input: Tensor, ord: Any = None, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The vector norm (one dim) or matrix norm (two dims); without `ord` the 2-norm of all elements."""
def pinv(input: Tensor, rcond: Tensor | Number | None = None, hermitian: _bool = False, *, atol: Tensor | Number | None = None, rtol: Tensor | Number | None = None, out: Any = None) -> Tensor:
    """The Moore-Penrose pseudo-inverse; singular values up to max(atol, rtol * the largest) count as 0."""
def qr(A: Tensor, mode: _str = 'reduced', *, out: Any = None) -> return_types.linalg_qr:
    """A = Q @ R with orthonormal columns Q and upper triangular R; mode "r" leaves Q empty."""
def slogdet(A: Tensor, *, out: Any = None) -> return_types.linalg_slogdet:
    """Sign and logarithm of the absolute value of the determinant."""
def solve(A: Tensor, B: Tensor, *, left: _bool = True, out: Any = None) -> Tensor:
    """The solution X of A @ X = B (X @ A = B with left=False); LinAlgError for a singular A."""
def solve_ex(A: Tensor, B: Tensor, *, left: _bool = True, check_errors: _bool = False, out: Any = None) -> return_types.linalg_solve_ex:
    """The solution X of A @ X = B (X @ A = B with left=False), and 0 or the diagonal element at which solving failed."""
def solve_triangular(input: Tensor, B: Tensor, *, upper: _bool, left: _bool = True, unitriangular: _bool = False, out: Any = None) -> Tensor:
    """The solution X of A @ X = B (X @ A = B with left=False) for triangular A; the other triangle is not read."""
def svd(A: Tensor, full_matrices: _bool = True, *, driver: _str | None = None, out: Any = None) -> return_types.linalg_svd:
    """A = U @ diag(S) @ Vh with S descending."""
def svdvals(A: Tensor, *, driver: _str | None = None, out: Any = None) -> Tensor:
    """The singular values, descending."""
def tensorinv(input: Tensor, ind: _int = 2, *, out: Any = None) -> Tensor:
    """The inverse of `input` as a linear map from its dims `ind:` to its dims `:ind`, whose sizes must multiply to the same."""
def tensorsolve(input: Tensor, other: Tensor, dims: _Sizes | None = None, *, out: Any = None) -> Tensor:
    """The X with tensordot(input, X, dims=X.ndim) = other; `dims` are moved to the end of input first."""
def vander(x: Tensor, *, N: _int | None = None) -> Tensor:
    """Rows of the powers 0 to N - 1 of the elements of x; N is the length of x by default."""
def vecdot(x: Tensor, y: Tensor, *, dim: _int = -1, axis: Any = ..., out: Any = None) -> Tensor:
    """The inner products of the vectors along `dim`, x conjugated; the other dims broadcast."""
def vector_norm(x: Tensor, ord: Any = 2, dim: _int | _Sizes | None = None, keepdim: _bool = False, *, dtype: _dtype | None = None, axis: Any = ..., keepdims: _bool = ..., out: Any = None) -> Tensor:
    """The vector norm of order `ord` over `dim`, by default over all dims."""
