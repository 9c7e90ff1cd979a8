"""Solutions with triangular matrices and Cholesky factors, and products of Householder reflections."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
from jax import lax

from .._core.api import Array, advising, broadcast_shapes, check, need_kind, op, scalar_name
from .decompose import adjoint_of, check_matrix, linalg_op, unsigned_zeros, without_derivative
from .matmul import product


def check_batched(name, b, a):
    """Checks right-hand sides b and matrices a, as torch's older solvers do."""
    rows, columns = a.shape[-2:]
    check(
        rows == columns,
        RuntimeError,
        f"A must be batches of square matrices, but they are {rows} by {columns} matrices",
    )
    check(
        a.dtype == b.dtype,
        RuntimeError,
        f"Expected b and A to have the same dtype, but found b of type {scalar_name(b)} and A of type {scalar_name(a)} "
        "instead.",
    )
    check(
        rows == b.shape[-2],
        RuntimeError,
        f"Incompatible matrix sizes for {name}: each A matrix is {rows} by {columns} but each b matrix is "
        f"{b.shape[-2]} by {b.shape[-1]}",
    )


def broadcast_batches(a, b):
    """Both with the batch dims that they broadcast to."""
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return jnp.broadcast_to(a, batch + a.shape[-2:]), jnp.broadcast_to(b, batch + b.shape[-2:])


_SOLVE_TRIANGULAR = advising(
    "True",
    "input",
    "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a future PyTorch release.\n"
    "torch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of the inputs.\n"
    "X = torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).",
)


@op(
    returns=("solution", "cloned_coefficient"),
    out="exact",
    asks=(_SOLVE_TRIANGULAR,),
    autocast=("float", None),
)
def triangular_solve(
    input: Array, A: Array, upper: bool = True, transpose: bool = False, unitriangular: bool = False
):
    """The solution X of A @ X = input (A^T @ X with transpose=True) for triangular A, and a copy of A.

    (…, n, k) and (…, n, n), which broadcast; float or complex.

    >>> torch.triangular_solve(torch.tensor([[2.], [4.]]), torch.tensor([[2., 0.], [0., 4.]])).solution
    tensor([[1.],
            [1.]])
    """
    for name, x in (("b", input), ("A", A)):
        check(
            x.ndim >= 2,
            RuntimeError,
            f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it has {x.ndim} dimensions instead",
        )
    check_batched("triangular_solve", input, A)
    need_kind(A, "Fc", "triangular_solve_cpu")
    a, b = broadcast_batches(A, input)
    if b.size == 0:
        return b, a
    solution = lax.linalg.triangular_solve(
        a, b, left_side=True, lower=not upper, transpose_a=transpose, unit_diagonal=unitriangular
    )
    return solution, a


@partial(jax.custom_jvp, nondiff_argnums=(1,))
def _triangle(x, upper):
    """One triangle of x.

    It has the derivative of the identity: torch's derivatives of functions that read factors count both."""
    return jnp.triu(x) if upper else jnp.tril(x)


@_triangle.defjvp
def _triangle_jvp(upper, primals, tangents):
    return _triangle(primals[0], upper), tangents[0]


def _solved_with(lower, b):
    """The solution of lower @ lower^H @ X = b, differentiated as the inverse of that product."""
    fixed = lax.stop_gradient(lower)

    def solve(_, y):
        half = lax.linalg.triangular_solve(fixed, y, left_side=True, lower=True)
        return lax.linalg.triangular_solve(
            fixed, half, left_side=True, lower=True, transpose_a=True, conjugate_a=True
        )

    return lax.custom_linear_solve(
        lambda x: product(lower, product(adjoint_of(lower), x)),
        b,
        solve,
        lambda _, y: jnp.conj(solve(_, jnp.conj(y))),
    )


def _with_factor(b, factor, upper):
    triangle = _triangle(factor, upper)
    return _solved_with(adjoint_of(triangle) if upper else triangle, b)


@op(autocast=("float", None))
def cholesky_solve(input: Array, input2: Array, upper: bool = False):
    """The solution X of A @ X = input, where input2 is the lower (or upper) Cholesky factor of A.

    (…, n, k) and (…, n, n), which broadcast; float or complex.

    >>> torch.cholesky_solve(torch.tensor([[4.], [8.]]), torch.tensor([[2., 0.], [0., 2.]]))
    tensor([[1.],
            [2.]])
    """
    check(
        input.ndim >= 2,
        RuntimeError,
        f"b should have at least 2 dimensions, but has {input.ndim} dimensions instead",
    )
    check(
        input2.ndim >= 2,
        RuntimeError,
        f"u should have at least 2 dimensions, but has {input2.ndim} dimensions instead",
    )
    check_batched("cholesky_solve", input, input2)
    need_kind(input2, "Fc", "cholesky_solve_cpu")
    factor, b = broadcast_batches(input2, input)
    return b if b.size == 0 else _with_factor(b, factor, upper)


@op(autocast=("float", None))
def cholesky_inverse(input: Array, upper: bool = False):
    """The inverse of A, of which `input` is the lower (or upper) Cholesky factor."""
    check_matrix("cholesky_inverse", input)
    need_kind(input, "Fc", "cholesky_inverse_out_cpu")
    if input.size == 0:
        return input
    one = jnp.broadcast_to(jnp.eye(input.shape[-1], dtype=input.dtype), input.shape)
    return _with_factor(one, input, upper)


# --- Householder reflections --------------------------------------------------------------------------------------


def _reflectors(input, tau):
    """(V, T) with H_1 ... H_k = 1 - V T V^H: Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10 (1989)."""
    k = tau.shape[-1]
    columns = input[..., :, :k]
    v = jnp.tril(columns, -1) + jnp.eye(*columns.shape[-2:], dtype=input.dtype)
    inner = jnp.triu(product(adjoint_of(v), v), 1)
    scaled = jnp.eye(k, dtype=input.dtype) + tau[..., :, None] * inner
    diagonal = tau[..., :, None] * jnp.eye(k, dtype=input.dtype)
    return v, lax.linalg.triangular_solve(scaled, diagonal, left_side=True, unit_diagonal=True)


def _check_tau(name, input, tau):
    check(input.ndim >= 2, RuntimeError, f"{name}: input must have at least 2 dimensions.")
    check(tau.ndim > 0, IndexError, "Dimension specified as -1 but tensor has no dimensions")
    check(
        tau.ndim == input.ndim - 1,
        RuntimeError,
        f"{name}: Expected tau to have one dimension less than input, but got tau.ndim equal to {tau.ndim} and input.ndim "
        f"is equal to {input.ndim}",
    )


def _check_orthogonal(input, tau) -> None:
    name = "torch.linalg.householder_product"
    check(input.ndim >= 2, RuntimeError, f"{name}: input must have at least 2 dimensions.")
    check(
        input.shape[-2] >= input.shape[-1],
        RuntimeError,
        f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]",
    )
    if tau.ndim and tau.shape[-1] > input.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]")
    _check_tau(name, input, tau)
    check(
        tau.shape[:-1] == input.shape[:-2],
        RuntimeError,
        f"{name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got {list(tau.shape[:-1])}",
    )
    check(
        tau.dtype == input.dtype,
        RuntimeError,
        f"{name}: tau dtype {scalar_name(tau)} does not match input dtype {scalar_name(input)}",
    )
    need_kind(input, "Fc", "orgqr_cpu")


def _orthogonal(input, tau):
    _check_orthogonal(input, tau)
    if input.size == 0 or tau.shape[-1] == 0:
        return jnp.broadcast_to(jnp.eye(*input.shape[-2:], dtype=input.dtype), input.shape)
    v, t = _reflectors(input, tau)
    head = adjoint_of(v[..., : input.shape[-1], :])
    return jnp.eye(*input.shape[-2:], dtype=input.dtype) - product(v, product(t, head))


@linalg_op(grad="LinalgHouseholderProduct", autocast=("float", None), out=True)
def householder_product(input: Array, tau: Array):
    """The first columns of the product of Householder reflections, whose vectors are below the diagonal of `input`.

    Shapes (..., m, n) with m >= n and (..., k) with k <= n; the result has `input`'s.

    >>> A = torch.tensor([[4., 2.], [2., 3.]])
    >>> a, tau = torch.geqrf(A)
    >>> Q = torch.linalg.householder_product(a, tau)
    >>> torch.allclose(Q @ a.triu(), A, atol=1e-5)
    True
    """
    return _orthogonal(input, tau)


@op(grad="LinalgHouseholderProduct", autocast=("float", None))
def orgqr(input: Array, input2: Array):
    """The first columns of the product of Householder reflections: another name of linalg.householder_product.

    (…, m, n) and (…, k) to (…, m, n), float or complex.

    >>> torch.orgqr(torch.eye(2), torch.zeros(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _orthogonal(input, input2)


@op(out="exact", autocast=("float", None))
def ormqr(input: Array, input2: Array, input3: Array, left: bool = True, transpose: bool = False):
    """The product of Q and `input3`, where Q is the whole orthogonal matrix of Householder reflections (`input`,
    `input2`).

    left=False multiplies from the right; transpose=True uses Q's conjugate transpose.

    (…, m, k), (…, k) and (…, m, n) to (…, m, n), float or complex.

    >>> torch.ormqr(torch.eye(2), torch.zeros(2), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    name, tau, other = "torch.ormqr", input2, input3
    check(input.ndim >= 2, RuntimeError, f"{name}: input must have at least 2 dimensions.")
    check(other.ndim >= 2, RuntimeError, f"{name}: other must have at least 2 dimensions.")
    side = -2 if left else -1
    check(
        other.shape[side] == input.shape[-2],
        RuntimeError,
        f"{name}: other.shape[{side}] must be equal to input.shape[-2]",
    )
    if tau.ndim:
        check(
            tau.shape[-1] == min(other.shape[side], input.shape[-1]),
            RuntimeError,
            f"{name}: tau.shape[-1] must be equal to min(other.shape[{side}], input.shape[-1])",
        )
    _check_tau(name, input, tau)
    for what, x in (("tau", tau), ("other", other)):
        check(
            x.dtype == input.dtype,
            RuntimeError,
            f"{name}: Expected input and {what} to have the same dtype, but input has dtype{scalar_name(input)} and {what} "
            f"has dtype {scalar_name(x)}",
        )
    check(
        tau.shape[:-1] == input.shape[:-2] and other.shape[:-2] == input.shape[:-2],
        RuntimeError,
        f"{name}: Expected batch dimensions of tau and other to be equal to input.shape[:-2], but got "
        f"{list(tau.shape[:-1])} and {list(other.shape[:-2])}",
    )
    need_kind(input, "Fc", "ormqr_cpu")
    if other.size == 0 or tau.shape[-1] == 0:
        return other
    v, t = _reflectors(input, tau)
    t = adjoint_of(t) if transpose else t
    if left:
        return other - product(v, product(t, product(adjoint_of(v), other)))
    return other - product(product(product(other, v), t), adjoint_of(v))


@op(returns=("a", "tau"), autocast=("float", None))
def geqrf(input: Array):
    """QR in LAPACK's form: R on and above the diagonal, Householder vectors below it, and their factors; no derivative.

    (…, m, n) to (…, m, n) and (…, min(m, n)), float or complex.

    >>> torch.geqrf(torch.tensor([[3.], [4.]])).a.shape
    torch.Size([2, 1])
    """
    check(input.ndim >= 2, RuntimeError, "torch.geqrf: input must have at least 2 dimensions.")
    need_kind(input, "Fc", "geqrf_cpu")
    if input.size == 0:
        return input, jnp.zeros((*input.shape[:-2], min(input.shape[-2:])), input.dtype)
    without = without_derivative(
        lambda x: jnp.linalg.qr(unsigned_zeros(x), mode="raw"),
        "the derivative for 'geqrf' is not implemented.",
        NotImplementedError,
    )
    packed, tau = without(input)
    return jnp.swapaxes(packed, -1, -2), tau
