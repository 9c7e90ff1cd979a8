"""torch.linalg: determinants, inverses, solvers and functions of matrices; leading dims are batches.

A property that torch finds only by reading values (a singular matrix, say) cannot raise in a pure function: the
functions on tensors in `tensors/linalg.py` read the values and raise.
"""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from .._core.api import (
    ENTIRELY,
    Array,
    Arrays,
    Exponent,
    Number,
    Real,
    broadcast_shapes,
    check,
    from_numpy,
    is_python_number,
    need_kind,
    not_differentiable,
    op,
    reads,
    scalar_name,
    state,
    view,
    wrap_dim,
)
from . import strides
from ._pointwise import COMPLEX, category
from ._special import divide, quotient, unit_of
from ._svd import svd_of
from .contracts.linalg import check_cond, check_lstsq
from .contracts.lu import check_sides, same_dtype
from .decompose import (
    adjoint_of,
    check_floating,
    check_matrix,
    eigh_of,
    hermitian_from,
    linalg_op,
    svdvals_of,
)
from .matmul import chained, cross_product, product
from .norm import matrix_norm_of
from .views import diagonal_of, put_diagonal

# --- determinants -------------------------------------------------------------------------------------------------


def _det(x):
    check_matrix("linalg.det", x)
    check_floating("linalg.det", x, "lu_cpu")
    if x.shape[-1] == 1:
        return x[..., 0, 0]
    out = jnp.ones(x.shape[:-2], x.dtype) if x.shape[-1] == 0 else jnp.linalg.det(x)
    return reads(out, x, then=ENTIRELY)


@linalg_op(name="det", grad="LinalgDet", flat_if_empty=True)
def linalg_det(A: Array):
    """The determinant of square matrices.

    >>> A = torch.tensor([[2., 0.], [1., 4.]])
    >>> torch.linalg.det(A)
    tensor(8.)
    """
    return _det(A)


@op(out=False, grad="LinalgDet", flat_if_empty=True)
def det(input: Array):
    """The determinant of square matrices.

    >>> torch.det(torch.tensor([[2., 0.], [1., 4.]]))
    tensor(8.)
    """
    return _det(input)


def _slogdet(x, name="linalg.slogdet"):
    check_matrix(name, x)
    check_floating(name, x)
    if x.shape[-1] == 0:
        return jnp.ones(x.shape[:-2], x.dtype), jnp.zeros(x.shape[:-2], from_numpy(x.dtype).to_real().np)
    n = x.shape[-1]
    if n == 2:  # of which JAX computes the determinant itself, which overflows where its logarithm does not
        root = float(jnp.finfo(x.dtype).tiny) ** 0.25
        unit = unit_of(x, (-2, -1), root, 1 / root)
        sign, size = jnp.linalg.slogdet(quotient(x, unit))
        size = size + n * jnp.log(unit[..., 0, 0])
    else:
        sign, size = jnp.linalg.slogdet(x)
    if not jnp.iscomplexobj(x):
        sign = jnp.where(jnp.isnan(size), 0, sign)  # torch's sign of nan is 0, but of a complex one nan
    return sign, size


@linalg_op(name="slogdet", returns=("sign", "logabsdet"), grad="LinalgSlogdet")
def linalg_slogdet(A: Array):
    """Sign and logarithm of the absolute value of the determinant.

    >>> tuple(torch.linalg.slogdet(-torch.eye(3)))
    (tensor(-1.), tensor(0.))
    """
    return _slogdet(A)


@op(returns=("sign", "logabsdet"), out="exact", grad="LinalgSlogdet")
def slogdet(input: Array):
    """Sign and logarithm of the absolute value of the determinant.

    >>> tuple(torch.slogdet(-torch.eye(3)))
    (tensor(-1.), tensor(0.))
    """
    return _slogdet(input)


@op(out=False, grad="Where")
def logdet(input: Array):
    """The logarithm of the determinant: nan for a negative one, -inf for 0.

    >>> torch.logdet(torch.eye(2))
    tensor(0.)
    """
    sign, size = _slogdet(input, "logdet")
    if jnp.iscomplexobj(sign):
        return size + jnp.where(
            sign == 0, jnp.asarray(complex(0, jnp.nan), sign.dtype), jnp.log(sign)
        )  # of 0 no angle
    # so the gradient of nan is 0, as in torch
    return jnp.where(sign == -1, jnp.asarray(jnp.nan, size.dtype), size)


# --- triangular systems -------------------------------------------------------------------------------------------


@linalg_op(grad="LinalgSolveTriangular")
def solve_triangular(input: Array, B: Array, *, upper: bool, left: bool = True, unitriangular: bool = False):
    """The solution X of A @ X = B (X @ A = B with left=False) for triangular A; the other triangle is not read.

    B is cast to the dtype of A, as in torch, whatever is lost by it.

    >>> A, B = torch.tensor([[2., 0.], [1., 4.]]), torch.tensor([[2.], [9.]])
    >>> torch.linalg.solve_triangular(A, B, upper=False)
    tensor([[1.],
            [2.]])
    """
    name = "linalg.solve_triangular"
    check_matrix(name, input)
    check(B.ndim >= 2, RuntimeError, f"{name}: The input tensor B must have at least 2 dimensions.")
    check_sides(name, input, B, left)
    need_kind(input, "Fc", "triangular_solve_cpu")
    B = B.real.astype(input.dtype) if jnp.iscomplexobj(B) > jnp.iscomplexobj(input) else B.astype(input.dtype)
    batch = broadcast_shapes(input.shape[:-2], B.shape[:-2])
    a, b = jnp.broadcast_to(input, batch + input.shape[-2:]), jnp.broadcast_to(B, batch + B.shape[-2:])
    if b.size == 0:
        return b
    return lax.linalg.triangular_solve(a, b, left_side=left, lower=not upper, unit_diagonal=unitriangular)


# --- rank, pseudo-inverse, least squares --------------------------------------------------------------------------


def _tolerance(values, shape, atol, rtol):
    """The value up to which singular values (or |eigenvalues|) count as 0, with torch's defaults."""
    eps = float(jnp.finfo(values.dtype).eps) * max(shape)
    largest = jnp.max(values, -1, initial=0)
    if rtol is None:
        rtol = eps if atol is None else jnp.where(jnp.asarray(atol) > 0, 0, eps)
    rtol, atol = (jnp.asarray(0 if t is None else t).astype(values.dtype) for t in (rtol, atol))
    return jnp.maximum(atol, rtol * largest)[..., None]


@jax.custom_jvp
def _pinv(x, values, u, vh, tolerance):
    large = values > tolerance
    if_zero = jnp.where(large, values, jnp.ones_like(values))
    return product(
        adjoint_of(vh) * jnp.where(large, 1 / if_zero, 0)[..., None, :].astype(x.dtype), adjoint_of(u)
    )


@_pinv.defjvp
def _pinv_jvp(primals, tangents):
    """The derivative at constant rank: Golub and Pereyra, SIAM J. Numer. Anal. 10 (1973)."""
    x, dx = primals[0], tangents[0]
    p = _pinv(*primals)
    ph, dxh = adjoint_of(p), adjoint_of(dx)
    left = product(product(p, ph), dxh - product(dxh, product(x, p)))
    right = product(dxh - product(product(p, x), dxh), product(ph, p))
    return p, left + right - product(product(p, dx), p)


def _check_tolerances(name: str, **tolerances) -> None:
    for which, given in tolerances.items():
        if is_python_number(given):
            check(
                not isinstance(given, complex),
                TypeError,
                f"linalg_{name}() received an invalid combination of arguments - got {which}=complex",
            )
        elif given is not None and category(given) == COMPLEX:
            raise RuntimeError(
                f"torch.linalg.{name}: {which} tensor of complex type is not supported. Got {scalar_name(given)}"
            )


def _constant(tolerance: str) -> tuple:
    """For `asks=`: a tolerance by which PyTorch has no derivative."""

    def refuse(given):
        if state.grad:
            raise not_differentiable("linalg_pinv", tolerance)
        return given

    return f"isinstance({tolerance}, Tensor) and {tolerance}.requires_grad", tolerance, refuse


def _pseudo_inverse(x, atol, rtol, hermitian):
    kind = from_numpy(x.dtype)
    check(
        x.ndim >= 2 and kind.category >= 2 and kind.itemsize >= 4,
        RuntimeError,
        f"linalg.pinv({scalar_name(x)}{{{list(x.shape)}}}): expected a tensor with 2 or more dimensions of float, "
        "double, cfloat or cdouble types",
    )
    if hermitian:
        check_matrix("linalg.eigh", x)
    if x.size == 0:
        return jnp.zeros((*x.shape[:-2], x.shape[-1], x.shape[-2]), x.dtype)
    if hermitian:
        x = hermitian_from(x, False, False)
        values, vectors = jnp.linalg.eigh(lax.stop_gradient(x), symmetrize_input=False)
        # as a singular value decomposition: the sign goes into u
        u, values, vh = (
            vectors * jnp.where(values < 0, -1, 1)[..., None, :].astype(x.dtype),
            jnp.abs(values),
            adjoint_of(vectors),
        )
    else:
        u, values, vh = svd_of(lax.stop_gradient(x))
    tolerance = lax.stop_gradient(_tolerance(values, x.shape[-2:], atol, rtol))
    return _pinv(x, values, u, vh, tolerance)


@linalg_op(asks=(_constant("rcond"), _constant("atol"), _constant("rtol")), grad="LinalgPinv", out=True)
def pinv(
    input: Array,
    rcond: Array | Number | None = None,
    hermitian: bool = False,
    *,
    atol: Array | Number | None = None,
    rtol: Array | Number | None = None,
):
    """The Moore-Penrose pseudo-inverse; singular values up to max(atol, rtol * the largest) count as 0.

    >>> torch.linalg.pinv(torch.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    rtol = rcond if rtol is None else rtol
    _check_tolerances("pinv", atol=atol, rtol=rtol)
    return _pseudo_inverse(input, atol, rtol, hermitian)


@op(out=False, grad="LinalgPinv", autocast=("float", None))
def pinverse(input: Array, rcond: Real = 1e-15):
    """The Moore-Penrose pseudo-inverse; singular values up to rcond * the largest count as 0.

    >>> torch.pinverse(torch.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    return _pseudo_inverse(input, None, rcond, False)


def _rank(values, shape, atol, rtol):
    return jnp.sum(values > _tolerance(values, shape, atol, rtol), -1, dtype=np.int64)


@linalg_op(autocast=("float", None), out=True)
def matrix_rank(
    input: Array,
    tol: Array | Number | None = None,
    hermitian: bool = False,
    *,
    atol: Array | Number | None = None,
    rtol: Array | Number | None = None,
):
    """The number of singular values above max(atol, rtol * the largest); `tol` is an absolute tolerance.

    >>> torch.linalg.matrix_rank(torch.ones(3, 3))
    tensor(1)
    """
    check(
        input.ndim >= 2,
        RuntimeError,
        "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions.",
    )
    if tol is not None:  # which is then alone
        atol, rtol = tol, 0.0
    _check_tolerances("matrix_rank", atol=atol, rtol=rtol)
    kind = from_numpy(input.dtype)
    check(
        rtol is not None or (kind.category >= 2 and kind.itemsize >= 4),
        RuntimeError,
        "This function doesn't handle types other than float and double",
    )
    if input.size == 0:
        return jnp.zeros(input.shape[:-2], np.int64)
    values = jnp.abs(eigh_of(input, "L")[0]) if hermitian else svdvals_of(input)
    return lax.stop_gradient(_rank(values, input.shape[-2:], atol, rtol))


@linalg_op(
    out=False,
    returns=("solution", "residuals", "rank", "singular_values"),
    grad="LinalgLstsq",
    autocast=("float", None),
)
def lstsq(input: Array, b: Array, rcond: Real | None = None, *, driver: str | None = None):
    """The X of least norm that minimizes |A @ X - B|, through the pseudo-inverse.

    As torch's on the CPU: only "gelsd" and "gelss" give `singular_values`; all but "gels" give `rank`; all but "gelsy"
    (the default) give `residuals`, for more rows than columns.
    """
    check_lstsq(input, b, driver)
    vector = b.shape == input.shape[:-1] or (b.ndim == 1 and input.ndim == 2)
    other = b[..., None] if vector else b
    kind = from_numpy(input.dtype)
    batch = broadcast_shapes(input.shape[:-2], other.shape[:-2])
    n, m = input.shape[-2:]
    wide = jnp.broadcast_to(input, (*batch, n, m))
    eps = float(jnp.finfo(input.dtype).eps)
    rtol = eps * max(n, m) if rcond is None else rcond
    if driver == "gelsd":  # LAPACK's own rule
        rtol = jnp.where((0 < rtol) & (rtol < 1), rtol, eps)
    solution = product(_pseudo_inverse(wide, None, 0.0 if driver == "gels" else rtol, False), other)
    real = kind.to_real().np
    nothing = jnp.zeros((0,), real)
    rank, residuals, values = jnp.zeros((0,), np.int64), nothing, nothing
    if driver != "gels":
        values = svdvals_of(lax.stop_gradient(input))
        rank = _rank(values, (n, m), None, rtol) if solution.size else jnp.zeros(input.shape[:-2], np.int64)
    if driver in ("gels", "gelsd", "gelss") and n > m:
        error = product(wide, solution) - other
        residuals = jnp.sum(jnp.real(error) ** 2 + jnp.imag(error) ** 2, -2)
    values = values if driver in ("gelsd", "gelss") else nothing
    return solution[..., 0] if vector else solution, residuals, rank, values


@linalg_op(autocast=("float", None), out=True)
def cond(input: Array, p: Exponent | None = None):
    """The condition number in the norm of order `p` (by default 2); inf for a singular matrix.

    >>> A = torch.tensor([[1., 0.], [0., 4.]])
    >>> torch.linalg.cond(A)
    tensor(4.)
    """
    check_cond(input, p)
    if p is None or p in (2, -2):
        values = svdvals_of(input)
        if values.shape[-1] == 0:
            return jnp.zeros(values.shape[:-1], values.dtype)
        largest, least = values[..., 0], values[..., -1]
        return divide(least, largest) if p == -2 else divide(largest, least)
    if input.size == 0:
        return jnp.zeros(input.shape[:-2], from_numpy(input.dtype).to_real().np)
    singular = lax.stop_gradient(jnp.linalg.slogdet(input)[0] == 0)
    safe = jnp.where(singular[..., None, None], jnp.eye(input.shape[-1], dtype=input.dtype), input)
    value = matrix_norm_of(safe, p, (-2, -1), False) * matrix_norm_of(
        jnp.linalg.inv(safe), p, (-2, -1), False
    )
    infinite = jnp.asarray(math.inf, value.dtype)
    if p == "nuc":  # torch's product of 0 and infinity
        infinite = jnp.where((input == 0).all((-2, -1)), jnp.asarray(math.nan, value.dtype), infinite)
    return jnp.where(singular, infinite, value)


# --- functions of matrices ----------------------------------------------------------------------------------------


def _matrix_power(x, n):
    check_matrix("linalg.matrix_power", x)
    if n not in (0, 1):
        need_kind(x, "ifc", "addmm_impl_cpu_")
    if n == 0:
        return jnp.broadcast_to(jnp.eye(x.shape[-1], dtype=x.dtype), x.shape)
    if n < 0:
        check_floating("linalg.inv", x)
        x, n = (x if x.size == 0 else jnp.linalg.inv(x)), -n
    kind = x.dtype
    if from_numpy(kind).name in ("float16", "bfloat16"):
        x = x.astype(np.float32)
    if n == 3:  # in torch's order, which decides where an inf makes a nan
        return product(product(x, x), x).astype(kind)
    power = None
    while n:
        if n & 1:
            power = x if power is None else product(power, x)
        n >>= 1
        x = product(x, x) if n else x
    return power.astype(kind)


@linalg_op(name="matrix_power", autocast="lower", out=True)
def linalg_matrix_power(input: Array, n: int):
    """The n-th power of square matrices; negative powers go through the inverse.

    >>> A = torch.tensor([[2., 0.], [1., 4.]])
    >>> torch.linalg.matrix_power(A, 2)
    tensor([[ 4.,  0.],
            [ 6., 16.]])
    """
    return _matrix_power(input, n)


@op(out="exact", autocast="lower")
def matrix_power(input: Array, n: int):
    """The n-th power of square matrices; negative powers go through the inverse.

    >>> torch.matrix_power(torch.tensor([[2., 0.], [1., 4.]]), 2)
    tensor([[ 4.,  0.],
            [ 6., 16.]])
    """
    return _matrix_power(input, n)


_TERMS, _REACH = 18, {"single": 3.01, "double": 1.09}
"""The degree of the Taylor polynomial of exp, and the 1-norm up to which it is accurate: Bader, Blanes and Casas,
"Computing the matrix exponential with an optimized Taylor polynomial approximation", Mathematics 7 (2019). A Padé
approximant would have to solve, and for matrices that are far from normal the rounding errors of that grow with every
squaring."""
_MOST_SQUARINGS = 64


def _taylor(x):
    """exp of a matrix of small norm: a polynomial of x**4, whose coefficients are polynomials of x (Paterson and
    Stockmeyer, 1973)."""
    powers = [jnp.broadcast_to(jnp.eye(x.shape[-1], dtype=x.dtype), x.shape), x]
    for _ in range(3):
        powers.append(product(powers[-1], x))
    total = None
    for first in range(_TERMS // 4 * 4, -1, -4):
        part = sum(powers[k] / math.factorial(first + k) for k in range(min(4, _TERMS - first + 1)))
        total = part if total is None else product(total, powers[4]) + part
    return total


def _exp_by_squaring(x, repeat):
    """exp(x) = exp(x / 2**n) ** 2**n, with n for each matrix its own."""
    kind = from_numpy(x.dtype).to_real()
    limit = _REACH["single" if kind.itemsize == 4 else "double"]
    norm = lax.stop_gradient(jnp.max(jnp.sum(jnp.abs(x), -2), -1))
    count = jnp.ceil(jnp.log2(jnp.maximum(norm / limit, 1)))[..., None, None]
    scale = lax.pow(jnp.full_like(count, 2), -count)  # exactly, as jnp.exp2 is not
    power = _taylor(x * scale.astype(x.dtype))
    last = jnp.minimum(jnp.max(count), _MOST_SQUARINGS)

    def step(i, y):
        return jnp.where(i < count, product(y, y), y)

    return jnp.where(count <= _MOST_SQUARINGS, repeat(step, last.astype(np.int32), power), jnp.nan)


def _repeat_scan(step, last, y):
    """`step` repeated `last` times, in a form that can be differentiated backwards."""

    def body(y, i):
        return lax.cond(i < last, lambda y: step(i, y), lambda y: y, y), None

    return lax.scan(body, y, jnp.arange(_MOST_SQUARINGS, dtype=np.int32))[0]


@jax.custom_jvp
def _expm(x):
    return _exp_by_squaring(x, lambda step, last, y: lax.fori_loop(0, last, step, y))


_expm.defjvp(lambda x, t: jax.jvp(lambda y: _exp_by_squaring(y, _repeat_scan), x, t))


def _matrix_exp(x):
    check_matrix("linalg.matrix_exp", x)
    kind = from_numpy(x.dtype)
    check(
        kind.category >= 2,
        RuntimeError,
        f"linalg.matrix_exp: Expected a floating point or complex tensor as input. Got {scalar_name(x)}",
    )
    if x.size == 0:
        return x
    return _expm(x.astype(np.float32) if kind.itemsize < 4 else x).astype(kind.np)


@linalg_op(name="matrix_exp", out=False, grad="LinalgMatrixExp")
def linalg_matrix_exp(input: Array):
    """The matrix exponential.

    >>> torch.linalg.matrix_exp(torch.tensor([[0., 1.], [0., 0.]]))
    tensor([[1., 1.],
            [0., 1.]])
    """
    return _matrix_exp(input)


@op(out=False, grad="LinalgMatrixExp")
def matrix_exp(input: Array):
    """The matrix exponential.

    >>> torch.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _matrix_exp(input)


@linalg_op(autocast="lower")
def multi_dot(tensors: Arrays):
    """The product of a chain of matrices in the cheapest order; the first and last may be vectors.

    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1)])
    tensor([[12.],
            [12.]])
    """
    return chained(list(tensors))


@linalg_op(name="cross", grad="LinalgCross", autocast=(None, "widest"), apart=True)
def linalg_cross(input: Array, other: Array, *, dim: int = -1):
    """The cross product of vectors of size 3 along `dim`; the other dims broadcast.

    >>> torch.linalg.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    return cross_product(input, other, dim)


@linalg_op(autocast="lower")
def vecdot(x: Array, y: Array, *, dim: int = -1):
    """The inner products of the vectors along `dim`, x conjugated; the other dims broadcast.

    >>> torch.linalg.vecdot(torch.tensor([[1., 2.], [3., 4.]]), torch.ones(2, 2))
    tensor([3., 7.])
    """
    kind = from_numpy(x.dtype)
    check(
        kind.category >= 2,
        RuntimeError,
        f"linalg.vecdot: Expected a floating point or complex tensor as input. Got {scalar_name(x)}",
    )
    same_dtype("linalg.vecdot", x, y, "x", "y")
    if x.ndim == y.ndim == 1:  # torch's vdot, which does not broadcast
        check(
            x.size == y.size,
            RuntimeError,
            f"inconsistent tensor size, expected tensor [{x.size}] and src [{y.size}] to have the same number of elements, "
            f"but got {x.size} and {y.size} elements respectively",
        )
    shape = broadcast_shapes(x.shape, y.shape)
    if kind.itemsize < 4:
        x, y = x.astype(np.float32), y.astype(np.float32)
    products, axis = jnp.conj(x) * y, wrap_dim(dim, len(shape))
    return (jnp.sum(products, axis) if shape else products).astype(kind.np)


def _put_linalg_diagonal(base, part, offset=0, dim1=-2, dim2=-1):
    return put_diagonal(base, part, offset, dim1, dim2)


@view(namespace="linalg", name="diagonal", method=False, put=_put_linalg_diagonal, strides=strides.diagonal)
def linalg_diagonal(A: Array, *, offset: int = 0, dim1: int = -2, dim2: int = -1):
    """The diagonal of the matrices in dims `dim1` and `dim2`, as the last dim of the result.

    >>> A = torch.tensor([[2., 0.], [1., 4.]])
    >>> torch.linalg.diagonal(A)
    tensor([2., 4.])
    """
    return diagonal_of(A, offset, dim1, dim2)
