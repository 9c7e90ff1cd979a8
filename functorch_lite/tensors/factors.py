"""Factors of matrices: LU, LDL, Cholesky, QR, SVD. A matrix that cannot be factored raises where values can be read."""

from __future__ import annotations

from typing import Any

from .._core.api import Tensor, advise, check_outs, composite, lookup, result_type
from .._core.api import functions as torch
from . import by_lapack
from .linalg import definite, ended, factored, plain_op, regular, without_zero_pivot
from .over_ops import over


def _linalg(name: str) -> Any:
    return lookup("linalg", name)


_cholesky_ex = plain_op("linalg.cholesky_ex")


_cholesky_of_torch = plain_op("_cholesky_ex")


@composite(namespace="linalg")
def cholesky(input: Tensor, *, upper: bool = False, out=None) -> Tensor:
    """The lower (or upper) triangular Cholesky factor; LinAlgError for a matrix that is not positive definite.

    (…, n, n) to (…, n, n), float or complex. Deprecated: use linalg.cholesky.

    >>> A = torch.tensor([[4., 2.], [2., 3.]])
    >>> torch.linalg.cholesky(A)
    tensor([[2.0000, 0.0000],
            [1.0000, 1.4142]])
    """
    made = by_lapack.cholesky(input, upper)
    if made is not None:
        return ended(made, out, exact=True)
    result, info = _cholesky_ex(input, upper=upper)
    if not by_lapack.is_definite(input, upper):
        result = definite("linalg.cholesky", result, info)
    return ended(result, out, exact=True)


def _cholesky(input: Tensor, upper: bool = False, *, out=None) -> Tensor:
    """The lower (or upper) triangular Cholesky factor; LinAlgError for a matrix that is not positive definite.

    (…, n, n) to (…, n, n), float or complex. Deprecated: use linalg.cholesky.

    >>> torch.cholesky(torch.tensor([[4., 0.], [0., 9.]]))
    tensor([[2., 0.],
            [0., 3.]])
    """
    advise(
        "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future PyTorch release.\n"
        "L = torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = torch.cholesky(A, upper=True)\n"
        "should be replaced with\nU = torch.linalg.cholesky(A).mH\n"
        "This transform will produce equivalent results for all valid (symmetric positive definite) inputs."
    )
    result, info = _cholesky_of_torch(input, upper)
    result = definite("cholesky", result, info)
    return ended(result, out)


composite(_cholesky, name="cholesky", method="cholesky")


_lu_factor_result = result_type("linalg_lu_factor", ("LU", "pivots"))


_ldl_factor_result = result_type("linalg_ldl_factor", ("LD", "pivots"))


_lu_with_info = result_type("_lu_with_info", ("LU", "pivots", "info"))


@composite(namespace="linalg")
def lu_factor(A: Tensor, *, pivot: bool = True, out=None):
    """The LU factorization in packed form: (LU, pivots); an error where U has a zero on its diagonal.

    >>> A = torch.tensor([[2., 0.], [1., 4.]])
    >>> torch.linalg.lu_factor(A).LU
    tensor([[2.0000, 0.0000],
            [0.5000, 4.0000]])
    """
    packed, pivots, info = plain_op("linalg.lu_factor_ex")(A, pivot=pivot)
    packed, pivots = without_zero_pivot("linalg.lu_factor", (packed, pivots), info)
    return ended(_lu_factor_result(packed, pivots), out, exact=True)


@composite(namespace="linalg")
def ldl_factor(input: Tensor, *, hermitian: bool = False, out=None):
    """The LDL factorization in packed form: (LD, pivots); an error where a pivot is zero.

    >>> A = torch.tensor([[4., 2.], [2., 3.]])
    >>> LD, pivots = torch.linalg.ldl_factor(A)
    >>> LD.tril()
    tensor([[4.0000, 0.0000],
            [0.5000, 2.0000]])
    """
    packed, pivots, info = plain_op("linalg.ldl_factor_ex")(input, hermitian=hermitian)
    packed, pivots = factored("linalg.ldl_factor", (packed, pivots), info)
    return ended(_ldl_factor_result(packed, pivots), out, exact=True)


@composite(method=True)
def lu(A: Tensor, pivot: bool = True, get_infos: bool = False, out=None):
    """The LU factorization in packed form: (LU, pivots), and with get_infos=True also where U has a zero on its
    diagonal.

    (…, m, n) to (…, m, n) and int32 (…, min(m, n)). LinAlgError for a singular matrix, unless get_infos.

    >>> LU, pivots = torch.tensor([[1., 2.], [3., 4.]]).lu()
    >>> pivots
    tensor([2, 2], dtype=torch.int32)
    """
    advise(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be removed in a future PyTorch "
        "release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\n"
        "LU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
        "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
        "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
    )
    result = plain_op("linalg.lu_factor_ex")(A, pivot=pivot)
    result = _lu_with_info(*result) if get_infos else tuple(result[:2])
    if out is None:
        return result
    if len(out) != len(result):
        raise TypeError(f"expected tuple of {len(result)} elements but got {len(out)}")
    if not isinstance(out, tuple | list):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    for o, r in zip(out, result):  # copied, and so of any dtype
        o.resize_as_(r).copy_(r)
    return out


def _without_history(constant: int):
    """Makes functions whose result number `constant` never requires grad."""

    def make(name, plain):
        def fn(*args, out=None, **kwargs):
            result = plain(*args, **kwargs)
            parts = [r.detach() if i == constant else r for i, r in enumerate(result)]
            return ended(type(result)(*parts), out, exact=True)

        return fn

    return make


over("linalg.lu", "lu_unpack")(_without_history(0))


@composite(method=True)
def cholesky_inverse(input: Tensor, upper: bool = False, *, out=None) -> Tensor:
    """The inverse of A, of which `input` is the lower (or upper) Cholesky factor; LinAlgError for a zero on its
    diagonal.

    (…, n, n) to (…, n, n), float or complex.

    >>> torch.cholesky_inverse(torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.2500, 0.0000],
            [0.0000, 0.0625]])
    """
    result = plain_op("cholesky_inverse")(input, upper)
    zero = input.detach().diagonal(dim1=-2, dim2=-1) == 0
    info = torch.where(zero.any(-1), zero.long().argmax(-1) + 1, 0) if zero.shape[-1] else None
    if info is not None:
        result = regular("cholesky_inverse", result, info)
    return ended(result, out)


@composite(method=True)
def qr(input: Tensor, some: bool = True, *, out=None):
    """linalg.qr with mode "reduced", or "complete" with some=False.

    (…, m, n) to Q (…, m, k), R (…, k, n), k = min(m, n), or m with some=False.

    >>> Q, R = torch.qr(torch.tensor([[3., 1.], [4., 2.]]))
    >>> (Q @ R).round()
    tensor([[3., 1.],
            [4., 2.]])
    """
    advise(
        "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.\n"
        "The boolean parameter 'some' has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\n"
        "should be replaced with\nQ, R = torch.linalg.qr(A, 'reduced' if some else 'complete')"
    )
    if out is not None:
        check_outs(out, "qr", 2)
    found = plain_op("linalg.qr")(input, "reduced" if some else "complete")
    return ended(_qr_result(*found), out, exact=True)


_qr_result = result_type("qr", ("Q", "R"))


_svd_result = result_type("svd", ("U", "S", "V"))


@composite(method=True)
def svd(input: Tensor, some: bool = True, compute_uv: bool = True, *, out=None):
    """input = U @ diag(S) @ V^H: linalg.svd with V instead of Vh; some=False gives square U and V.

    With compute_uv=False, U and V are square matrices of zeros.

    (…, m, n) to U (…, m, k), S (…, k) real, V (…, n, k), k = min(m, n).

    >>> torch.svd(torch.tensor([[3., 0.], [0., 2.]])).S
    tensor([3., 2.])
    """
    if out is not None:
        check_outs(out, "svd", 3)
    if compute_uv:
        u, s, vh = _linalg("svd")(input, full_matrices=not some)
    else:  # a derivative of their own: that of the vectors is none where values are equal
        s, (n, m) = _linalg("svdvals")(input), input.shape[-2:]
        u, vh = input.new_zeros((*input.shape[:-2], n, n)), input.new_zeros((*input.shape[:-2], m, m))
    return ended(_svd_result(u, s, vh.mH), out, exact=True)
