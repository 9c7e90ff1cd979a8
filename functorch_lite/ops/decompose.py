"""Decompositions of matrices: Cholesky, QR, singular values, eigenvalues; leading dims are batches.

A property that torch finds only by reading values (a matrix that is not positive definite) cannot raise in a pure
function: the result holds nan instead.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from .._core.api import Array, check, from_numpy, need_kind, no_kernel, op, scalar_name
from ._pointwise import differentiated
from ._special import quotient, unit_of
from ._svd import svd_of
from .matmul import product

linalg_op = partial(op, namespace="linalg", method=False, out="exact")
"""Declares a function of torch.linalg: no method, and into `out=` of its own dtype unless it says otherwise."""


def check_matrix(name, x, square=True):
    check(x.ndim >= 2, RuntimeError, f"{name}: The input tensor A must have at least 2 dimensions.")
    n, m = x.shape[-2:]
    check(
        n == m or not square,
        RuntimeError,
        f"{name}: A must be batches of square matrices, but they are {n} by {m} matrices",
    )


def check_floating(name, x, kernel=None):
    """Checks the dtype; `kernel` names torch's CPU kernel that refuses half precision with its own sentence."""
    kind = from_numpy(x.dtype)
    check(
        kind.category >= 2,
        RuntimeError,
        f"{name}: Expected a floating point or complex tensor as input. Got {scalar_name(x)}",
    )
    if kind.itemsize < 4:
        if kernel:
            raise no_kernel(f"{kernel}", x)
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {scalar_name(x)}")


def without_derivative(fn, sentence, error=RuntimeError):
    """`fn`, whose derivative raises what torch raises where it has none."""
    wrapped = jax.custom_jvp(fn)

    def jvp(primals, tangents):
        raise error(sentence)

    wrapped.defjvp(jvp)
    return wrapped


_forward_only = Primitive("forward_only")
"""Its one operand; where a gradient comes to it, `refuse(the gradient's shape)` raises."""
_forward_only.def_impl(lambda x, refuse: x)
_forward_only.def_abstract_eval(lambda x, refuse: x)
ad.deflinear2(_forward_only, lambda ct, x, refuse: refuse(ct.shape))
batching.defvectorized(_forward_only)
mlir.register_lowering(_forward_only, lambda ctx, x, refuse: [x])


def without_gradient(x, refuse: Callable[[tuple[int, ...]], NoReturn]):
    """`x`, whose derivative exists forward only: `refuse` raises what torch does, told the shape of the gradient that
    came."""
    return _forward_only.bind(x, refuse=refuse)


def adjoint_of(x):
    """The conjugate transpose."""
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def _mirrored(x, upper):
    """The Hermitian matrix of which x is one triangle."""
    if upper:
        x = adjoint_of(x)
    strict = jnp.tril(x, -1)
    diagonal = jnp.where(
        jnp.eye(x.shape[-1], dtype=bool), jnp.real(x).astype(x.dtype), jnp.zeros((), x.dtype)
    )
    return strict + adjoint_of(strict) + diagonal


@partial(jax.custom_jvp, nondiff_argnums=(1, 2))
def hermitian_from(x, upper, halved):
    """The Hermitian matrix of which x is one triangle.

    It has the derivative of the identity: torch's derivatives count both triangles though one is read. `halved`: it
    has the derivative of (x + x^H) / 2, for functions whose gradient is Hermitian."""
    return _mirrored(x, upper)


@hermitian_from.defjvp
def _hermitian_jvp(upper, halved, primals, tangents):
    (x,), (t,) = primals, tangents
    return hermitian_from(x, upper, halved), (t + adjoint_of(t)) / 2 if halved else t


def _check_cholesky(x, name):
    check_matrix(name, x)
    kind = from_numpy(x.dtype)
    if name == "cholesky" or kind.category >= 2:
        need_kind(x, "Fc", "cholesky_cpu")
    check_floating(name, x, "cholesky_cpu")


def _indefinite_minor(x):
    """The order of the first leading minor that is not positive definite, by a Cholesky factorization column by
    column."""
    n = x.shape[-1]
    rows = jnp.arange(n, dtype=np.int32)

    def column(state):
        k, factor, info = state
        row = lax.dynamic_slice_in_dim(factor, k, 1, -2)
        rest = lax.dynamic_slice_in_dim(x, k, 1, -1) - product(factor, adjoint_of(row))
        pivot = jnp.real(lax.dynamic_index_in_dim(rest[..., 0], k, -1, keepdims=False))
        info = jnp.where((info == 0) & ~(pivot > 0), k + 1, info)
        new = jnp.where(rows >= k, rest[..., 0] / jnp.sqrt(pivot)[..., None].astype(x.dtype), 0)
        new = jnp.where((rows > k) & jnp.isinf(pivot)[..., None], jnp.nan, new)  # which 0 / inf is to LAPACK
        return k + 1, lax.dynamic_update_slice_in_dim(factor, new[..., None], k, -1), info

    start = jnp.zeros((), np.int32), jnp.zeros_like(x), jnp.zeros(x.shape[:-2], np.int32)
    return lax.while_loop(lambda state: state[0] < n, column, start)[2]


def _cholesky(x, upper):
    """(factor, info): where a matrix is not positive definite is only looked for if jax's factor has a nan or infinite
    diagonal."""
    if x.size == 0:
        return x, jnp.zeros(x.shape[:-2], np.int32)
    whole = hermitian_from(x, upper, True)
    lower = lax.linalg.cholesky(whole, symmetrize_input=False)
    diagonal = jnp.real(jnp.diagonal(lax.stop_gradient(lower), axis1=-2, axis2=-1))
    failed = ~jnp.all(jnp.isfinite(diagonal))
    info = lax.cond(
        failed, _indefinite_minor, lambda x: jnp.zeros(x.shape[:-2], np.int32), lax.stop_gradient(whole)
    )
    return adjoint_of(lower) if upper else lower, info


@linalg_op(returns=("L", "info"), grad="LinalgCholeskyEx", autocast=("float", None))
def cholesky_ex(input: Array, *, upper: bool = False, check_errors: bool = False):
    """The lower (or upper) triangular Cholesky factor, and 0 or the order of the first minor that is not positive
    definite.

    Where a matrix is not positive definite its factor is nan. `check_errors` is seen to by the function on tensors.

    >>> A = torch.tensor([[4., 2.], [2., 3.]])
    >>> torch.linalg.cholesky_ex(A).info
    tensor(0, dtype=torch.int32)
    """
    _check_cholesky(input, "linalg.cholesky")
    return _cholesky(input, upper)


@op(name="_cholesky_ex", method=False, out=False, grad="LinalgCholeskyEx", autocast=("float", None))
def _cholesky_of_torch(input: Array, upper: bool = False):
    """linalg.cholesky_ex with the sentences of torch.cholesky."""
    _check_cholesky(input, "cholesky")
    return _cholesky(input, upper)


@differentiated(lambda t, out, x: t)
def unsigned_zeros(x):
    """x with -0 as 0: reflectors of columns that begin with -0 have PyTorch's signs (`x + 0` is folded to x)."""
    if jnp.iscomplexobj(x):
        return lax.complex(*[jnp.where(part == 0, 0, part) for part in (x.real, x.imag)])
    return jnp.where(x == 0, 0, x)


@linalg_op(returns=("Q", "R"), grad="LinalgQr", autocast=("float", None))
def qr(A: Array, mode: str = "reduced"):
    """A = Q @ R with orthonormal columns Q and upper triangular R; mode "r" leaves Q empty.

    >>> A = torch.tensor([[4., 2.], [2., 3.]])
    >>> Q, R = torch.linalg.qr(A)
    >>> torch.allclose(Q @ R, A, atol=1e-5), torch.allclose(Q.mT @ Q, torch.eye(2), atol=1e-5)
    (True, True)
    """
    check_matrix("linalg.qr", A, square=False)
    check(
        mode in ("reduced", "complete", "r"),
        RuntimeError,
        f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'",
    )
    check_floating("linalg.qr", A, "geqrf_cpu")
    n, m = A.shape[-2:]
    A = unsigned_zeros(A)
    if A.size == 0:
        rows = n if mode == "complete" else min(n, m)
        q = jnp.broadcast_to(jnp.eye(n, rows, dtype=A.dtype), (*A.shape[:-2], n, rows))
        r = jnp.zeros((*A.shape[:-2], rows, m), A.dtype)
    elif n < m:  # R of the leading square block, extended; jax has no derivative for the whole
        q, square = jnp.linalg.qr(A[..., :n])
        r = jnp.concatenate([square, product(adjoint_of(q), A[..., n:])], axis=-1)
    else:
        q, r = jnp.linalg.qr(A, mode="complete" if mode == "complete" else "reduced")
    return (jnp.zeros((0,), A.dtype), r) if mode == "r" else (q, r)


@linalg_op(returns=("U", "S", "Vh"), grad="LinalgSvd", autocast=("float", None))
def svd(A: Array, full_matrices: bool = True, *, driver: str | None = None):
    """A = U @ diag(S) @ Vh with S descending. As in torch, the columns beyond min(n, m) carry no derivative.

    >>> A = torch.tensor([[3., 0.], [0., 4.]])
    >>> torch.linalg.svd(A).S
    tensor([4., 3.])
    """
    _check_svd(A, driver)
    n, m = A.shape[-2:]
    if A.size == 0:
        k = min(n, m)
        u = jnp.eye(n, n if full_matrices else k, dtype=A.dtype)
        vh = jnp.eye(m if full_matrices else k, m, dtype=A.dtype)
        batch = A.shape[:-2]
        s = jnp.zeros((*batch, k), from_numpy(A.dtype).to_real().np)
        return jnp.broadcast_to(u, batch + u.shape), s, jnp.broadcast_to(vh, batch + vh.shape)
    u, s, vh = svd_of(A)
    if full_matrices and n != m:
        whole_u, _, whole_vh = svd_of(lax.stop_gradient(A), full_matrices=True)
        u = jnp.concatenate([u, whole_u[..., :, u.shape[-1] :]], axis=-1)
        vh = jnp.concatenate([vh, whole_vh[..., vh.shape[-2] :, :]], axis=-2)
    return u, s, vh


def _check_svd(x, driver):
    check_matrix("linalg.svd", x, square=False)
    check_floating("linalg.svd", x, "linalg_svd_cpu")
    check(
        driver is None or x.size == 0,
        RuntimeError,
        "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.",
    )


def svdvals_of(x, driver=None):
    _check_svd(x, driver)
    if x.size == 0:
        return jnp.zeros((*x.shape[:-2], min(x.shape[-2:])), from_numpy(x.dtype).to_real().np)
    return svd_of(x, compute_uv=False)


@linalg_op(grad="LinalgSvd", autocast=("float", None))
def svdvals(A: Array, *, driver: str | None = None):
    """The singular values, descending.

    >>> A = torch.tensor([[3., 0.], [0., 4.]])
    >>> torch.linalg.svdvals(A)
    tensor([4., 3.])
    """
    return svdvals_of(A, driver)


def eigh_of(x, UPLO):
    check_matrix("linalg.eigh", x)
    check(
        UPLO.upper() in ("L", "U"),
        RuntimeError,
        f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}",
    )
    kind = from_numpy(x.dtype)
    need_kind(x, "Fc", "linalg_eigh_cpu")
    if x.size == 0:
        return jnp.zeros(x.shape[:-1], kind.to_real().np), x
    return jnp.linalg.eigh(hermitian_from(x, UPLO.upper() == "U", True), symmetrize_input=False)


@linalg_op(returns=("eigenvalues", "eigenvectors"), autocast=("float", None))
def eigh(input: Array, UPLO: str = "L"):
    """Eigenvalues (ascending) and eigenvectors (columns) of Hermitian matrices, of which one triangle is read.

    >>> A = torch.tensor([[2., 1.], [1., 2.]])
    >>> torch.linalg.eigh(A).eigenvalues
    tensor([1., 3.])
    """
    values, vectors = eigh_of(input, UPLO)
    return values, vectors


@linalg_op(grad="LinalgEigh", autocast=("float", None))
def eigvalsh(input: Array, UPLO: str = "L"):
    """The eigenvalues (ascending) of Hermitian matrices, of which one triangle is read.

    >>> A = torch.tensor([[2., 1.], [1., 2.]])
    >>> torch.linalg.eigvalsh(A)
    tensor([1., 3.])
    """
    return eigh_of(input, UPLO)[0]


def _check_eig(name, x):
    check_matrix(name, x)
    check(from_numpy(x.dtype).category >= 2, RuntimeError, f"Unknown Complex ScalarType for {scalar_name(x)}")
    check_floating(name, x, "linalg_eig_out_cpu")


# later versions of jax differentiate eigenvectors only on request
_EIG_OPTIONS = {
    name: True for name in ("enable_eigvec_derivs",) if name in inspect.signature(lax.linalg.eig).parameters
}


def _eig(x, **options):
    """LAPACK's result, if LAPACK need not scale the matrix. Where it does, because squares of numbers vanish or
    overflow, the LAPACK in SciPy 1.17 does not scale the eigenvalues back."""
    limits = jnp.finfo(x.dtype)
    low = float(limits.tiny) ** 0.5 / float(limits.eps)
    unit = unit_of(x, (-2, -1), 2 * low, 0.5 / low)
    values, *vectors = lax.linalg.eig(
        quotient(x, unit), compute_left_eigenvectors=False, **options, **_EIG_OPTIONS
    )
    return values * unit[..., 0], *vectors


@linalg_op(returns=("eigenvalues", "eigenvectors"), autocast=("float", None), out=True)
def eig(input: Array):
    """Eigenvalues and normalized eigenvectors (columns) of square matrices, always complex; on the CPU only.

    >>> A = torch.tensor([[0., -1.], [1., 0.]])
    >>> torch.linalg.eig(A).eigenvalues.imag.sort().values
    tensor([-1.,  1.])
    """
    _check_eig("linalg.eig", input)
    if input.size == 0:
        kind = from_numpy(input.dtype).to_complex().np
        return jnp.zeros(input.shape[:-1], kind), jnp.zeros(input.shape, kind)
    values, vectors = _eig(input)
    # jax leaves the length of a vector free to first order; torch's derivative holds it at 1
    length = jnp.sqrt(jnp.sum(jnp.real(vectors) ** 2 + jnp.imag(vectors) ** 2, -2, keepdims=True))
    return values, vectors / length


@linalg_op(grad="LinalgEig", autocast=("float", None), out=True)
def eigvals(input: Array):
    """The eigenvalues of square matrices, always complex; on the CPU only.

    >>> A = torch.tensor([[0., -1.], [1., 0.]])
    >>> torch.linalg.eigvals(A).imag.sort().values
    tensor([-1.,  1.])
    """
    _check_eig("linalg.eigvals", input)
    if input.size == 0:
        return jnp.zeros(input.shape[:-1], from_numpy(input.dtype).to_complex().np)
    return _eig(input, compute_right_eigenvectors=False)[0]
