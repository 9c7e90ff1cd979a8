"""torch.linalg's functions that look at numbers: singular and indefinite matrices raise, as in torch; names of old.

Reading the numbers runs what is recorded. Where they cannot be read, as inside `vmap`, the program reports what is
wrong, and whoever reads a result gets the error. Inside a user's own `jax.jit` nothing raises, and the result holds nan
or inf; the functions that end in `_ex` never read.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from .._core.api import (
    ERRORS,
    OPS,
    Noting,
    Tensor,
    bind,
    check_outs,
    composite,
    force,
    read,
    requirement,
    state,
    unmet,
    values_of,
)
from .._core.api import functions as torch
from ..ops._svd import NOT_FINITE
from . import by_lapack
from .over_ops import ended, over, plain_op
from .requirements import required


class LinAlgError(RuntimeError):
    """torch.linalg.LinAlgError: a matrix is singular, not positive definite, or no algorithm converged for it."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
composite(LinAlgError, namespace="linalg", name="LinAlgError")
LinAlgError.__module__ = "functorch_lite._C"  # where pickles name it, as in PyTorch


ERRORS["LinAlgError"] = LinAlgError


def _flags(info: Tensor) -> np.ndarray | None:
    """The numbers of `info`, or None where they cannot be read."""
    rec = state.rec
    if info.is_meta or Noting.reading is not None:  # type: ignore[attr-defined]
        return None  # torch.compile records what it replays, and does not replay what reads a value
    while rec is not None and rec.level:
        if not rec.kind.letters:
            return None
        rec = rec.outer
    v = read(info)
    if not v.rec or not v.rec.level:
        force(v)
    return None if isinstance(v.array, jax.core.Tracer) else values_of(info)


def _valid(result: Any, info: Tensor, says: str) -> Any:
    """Returns `result`, a tensor or a tuple of tensors, which is valid only if `info` is 0 everywhere.

    Where `info` can be read the error is raised now. Elsewhere, as inside vmap, it becomes a requirement of the
    program, and is raised when a value computed from the result is read."""
    flags = _flags(info)
    if flags is None:
        return required(result, info, says)
    if flags.any():
        place = int(np.flatnonzero(flags)[0])
        raise unmet(says, int(flags.reshape(-1)[place]), place if flags.ndim else -1)
    return result


_SINGULAR = (
    "{name}: {batch}The diagonal element {value} is zero, the inversion could not be completed because the input matrix "
    "is singular."
)
_UNSOLVED = "torch.{name}: {batch}The solver failed because the input matrix is singular."
_INDEFINITE = (
    "{name}: {batch}The factorization could not be completed because the input is not positive-definite (the leading "
    "minor of order {value} is not positive-definite)."
)
_ZERO_PIVOT = (
    "torch.{name}: {batch}U[{value},{value}] is zero and using it on lu_solve would result in a division by zero. If you still "
    "want to perform the factorization, consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
)
_UNFACTORED = "torch.{name}: {batch}D[{value},{value}] is zero: the matrix has no usable LDL factorization"


def _validator(error: str, sentence: str) -> Callable[[str, Any, Tensor], Any]:
    """Makes a function (name of the caller, result, info) -> result, which requires that info is 0."""

    def valid(name: str, result: Any, info: Tensor) -> Any:
        return _valid(result, info, requirement(error, sentence.replace("{name}", name)))

    return valid


regular = _validator("LinAlgError", _SINGULAR)
_solved = _validator("LinAlgError", _UNSOLVED)
definite = _validator("LinAlgError", _INDEFINITE)
without_zero_pivot = _validator("RuntimeError", _ZERO_PIVOT)
factored = _validator("RuntimeError", _UNFACTORED)


def _told(valid):
    """Makes `linalg.name_ex`, which raises only with check_errors=True."""

    def make(name, plain):
        def fn(*args, check_errors: bool = False, **kwargs):
            result = plain(*args, check_errors=check_errors, **kwargs)
            if check_errors:
                result = type(result)(*valid(f"linalg.{name}", tuple(result), result[-1]))
            return result

        return fn

    return make


over("linalg.inv_ex")(_told(regular))
over("linalg.solve_ex")(_told(_solved))
over("linalg.cholesky_ex")(_told(definite))
over("linalg.lu_factor_ex")(_told(without_zero_pivot))
over("linalg.ldl_factor_ex")(_told(factored))

_inv_ex, _solve_ex = plain_op("linalg.inv_ex"), plain_op("linalg.solve_ex")


@composite(namespace="linalg")
def inv(A: Tensor, *, out=None) -> Tensor:
    """The inverse of square matrices; LinAlgError for a singular one.

    >>> torch.linalg.inv(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    made = by_lapack.inv(A)
    if made is not None:
        return ended(made, out, exact=True)
    result, info = _inv_ex(A)
    if not by_lapack.is_regular(A):
        result = regular("linalg.inv", result, info)
    return ended(result, out, exact=True)


@composite(method=True)
def inverse(input: Tensor, *, out=None) -> Tensor:
    """The inverse of square matrices; LinAlgError for a singular one.

    (…, n, n) to (…, n, n), float or complex; RuntimeError for integers.

    >>> torch.inverse(torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inv(input, out=out)


@composite(namespace="linalg")
def solve(A: Tensor, B: Tensor, *, left: bool = True, out=None) -> Tensor:
    """The solution X of A @ X = B (X @ A = B with left=False); LinAlgError for a singular A.

    B may be a vector or a batch of vectors.

    >>> A, B = torch.tensor([[2., 0.], [1., 4.]]), torch.tensor([[2.], [9.]])
    >>> torch.linalg.solve(A, B)
    tensor([[1.],
            [2.]])
    """
    made = by_lapack.solve(A, B, left)
    if made is not None:
        return ended(made, out, exact=True)
    result, info = _solve_ex(A, B, left=left)
    if not by_lapack.is_regular(A):
        result = _solved("linalg.solve", result, info)
    return ended(result, out, exact=True)


def _svd_by_lapack(A=None, full_matrices=True, **more):
    made = None if more else by_lapack.svd(A, full_matrices)
    return made if made is None else bind.result_type_of(OPS["linalg.svd"])(*made)


_NOT_FINITE_FOR_EIG = requirement(
    "RuntimeError", "torch.linalg.eig: input tensor should not contain infs or NaNs."
)


def _finite_svd_input(x: Tensor, result: Any) -> Any:
    return _of_finite(x, result, NOT_FINITE)


def _finite_eig_input(x: Tensor, result: Any) -> Any:
    return _of_finite(x, result, _NOT_FINITE_FOR_EIG)


def _of_finite(x: Tensor, result: Any, says: str) -> Any:
    """Returns the result of a function of matrices, which must be finite."""
    if x.ndim < 2 or not x.dtype.category >= 2:
        return result
    bad = torch.isfinite(x.detach()).logical_not().flatten(-2).any(-1)
    return _valid(result, bad, says)


def _one_tolerance(name: str, older: str, args: tuple, kwargs: dict) -> None:
    """Raises for the older tolerance together with atol or rtol, even None, and for None as the tolerance."""
    if len(args) > 1 or older in kwargs:
        tolerance = args[1] if len(args) > 1 else kwargs[older]
        if tolerance is None or kwargs.keys() & {"atol", "rtol"}:
            raise TypeError(
                f"linalg_{name}() received an invalid combination of arguments: {older} is a number or a Tensor, and alone"
            )


def _one_kind(name: str, kwargs: dict) -> None:
    """Raises if one of atol and rtol is a number and the other a tensor with dims or one that requires grad."""
    given = [kwargs[n] for n in ("atol", "rtol") if kwargs.get(n) is not None]
    tensors = [t for t in given if isinstance(t, Tensor)]
    if len(tensors) < len(given) and any(t.ndim or t.requires_grad for t in tensors):
        raise TypeError(
            f"linalg_{name}() received an invalid combination of arguments: atol and rtol are numbers, or both Tensors"
        )


def _as_double(x):
    """An int as the float that it becomes, which may be above 2**63."""
    return float(x) if x.__class__ is int else x


def _finite(check, unless: str = "", older: str = "", at_once=None):
    """Makes functions with a look at their matrix; older: the tolerance before there were atol and rtol; at_once: gives
    the result of some calls."""

    def make(name, plain):
        def fn(*args, **kwargs):
            if older:
                _one_tolerance(name, older, args, kwargs)
                _one_kind(name, kwargs)
                args = tuple(_as_double(x) if i == 1 else x for i, x in enumerate(args))
                kwargs = {n: _as_double(x) if n in ("atol", "rtol", older) else x for n, x in kwargs.items()}
            made = None if at_once is None else at_once(*args, **kwargs)
            if made is not None:
                return made
            result = plain(*args, **kwargs)
            matrix = args[0] if args else kwargs.get("input", kwargs.get("A"))
            if isinstance(matrix, Tensor) and not (unless and kwargs.get(unless)):
                result = check(matrix, result)
            return result

        fn.__signature__ = inspect.signature(plain)  # type: ignore[attr-defined]
        return fn

    return make


over("linalg.svd")(_finite(_finite_svd_input, at_once=_svd_by_lapack))
over("linalg.svdvals")(_finite(_finite_svd_input))
over("linalg.eig", "linalg.eigvals")(_finite(_finite_eig_input))
over("linalg.pinv")(_finite(_finite_svd_input, "hermitian", older="rcond"))
over("linalg.matrix_rank")(_finite(_finite_svd_input, "hermitian", older="tol"))


@composite(namespace="linalg")
def lstsq(input: Tensor, b: Tensor, rcond: float | None = None, *, driver: str | None = None, out=None):
    """The X of least norm that minimizes |A @ X - B|, with residuals, rank and singular values: as torch's on the CPU.

    Only "gelsd" and "gelss" give `singular_values`; all but "gels" give `rank`; all but "gelsy" (the default) give
    `residuals`, for more rows than columns, and those two only where every matrix has full rank (which is read).

    >>> A, B = torch.tensor([[1., 0.], [0., 2.], [0., 0.]]), torch.tensor([[1.], [4.], [5.]])
    >>> torch.linalg.lstsq(A, B).solution
    tensor([[1.],
            [2.]])
    """
    if out is not None:
        check_outs(out, "linalg_lstsq", 4)
    plain = rcond is None and driver in (None, "gelsy") and out is None
    made = by_lapack.lstsq(input, b) if plain else None
    if made is not None:
        nothing = torch.empty(0, dtype=input.dtype)
        kind = bind.result_type_of(OPS["linalg.lstsq"])
        return kind(made[0], nothing, torch.tensor(made[1]), nothing.clone())
    result = plain_op("linalg.lstsq")(input, b, rcond, driver=driver)
    solution, residuals, rank, values = result
    if driver in ("gelsd", "gelss") and residuals.numel():
        ranks = _flags(rank)
        if ranks is None:
            raise NotImplementedError(f"linalg.lstsq with driver={driver!r} inside vmap; use driver='gels'")
        if (ranks < input.shape[-1]).any():
            residuals = residuals.new_empty((0,))
    return ended(type(result)(solution, residuals, rank, values.detach()), out)


@composite(namespace="linalg")
def tensorinv(input: Tensor, ind: int = 2, *, out=None) -> Tensor:
    """The inverse of `input` as a linear map from its dims `ind:` to its dims `:ind`, whose sizes must multiply to the
    same.

    >>> torch.linalg.tensorinv(torch.eye(6).reshape(2, 3, 6), ind=2).shape
    torch.Size([6, 2, 3])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    if ind > input.ndim:
        raise RuntimeError(f"ArrayRef: invalid slice, N = {ind}; size = {input.ndim}")
    first, last = input.shape[:ind], input.shape[ind:]
    if math.prod(first) != math.prod(last):
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {math.prod(last)} "
            f"!= {math.prod(first)}"
        )
    result, info = _inv_ex(input.reshape(math.prod(first), math.prod(last)))
    result = regular("inv", result, info)
    return ended(result.reshape((*last, *first)), out)


@composite(namespace="linalg")
def tensorsolve(input: Tensor, other: Tensor, dims: tuple[int, ...] | None = None, *, out=None) -> Tensor:
    """The X with tensordot(input, X, dims=X.ndim) = other; `dims` are moved to the end of input first.

    >>> A = torch.eye(6).reshape(2, 3, 2, 3)
    >>> torch.linalg.tensorsolve(A, torch.arange(6.).reshape(2, 3))
    tensor([[0., 1., 2.],
            [3., 4., 5.]])
    """
    if dims is not None:
        input = input.movedim(tuple(dims), tuple(range(input.ndim - len(dims), input.ndim)))
    if other.ndim > input.ndim:
        raise RuntimeError(
            f"linalg.tensorsolve: other has more dimensions, {other.ndim}, than input, {input.ndim}"
        )
    first, last = input.shape[: other.ndim], input.shape[other.ndim :]
    if math.prod(first) != math.prod(last):
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), but got "
            f"{math.prod(last)} != {math.prod(first)}"
        )
    flat = solve(input.reshape(math.prod(first), math.prod(last)), other.reshape(-1))
    return ended(flat.reshape(last), out)


@composite(namespace="linalg")
def vander(x: Tensor, *, N: int | None = None) -> Tensor:
    """Rows of the powers 0 to N - 1 of the elements of x; N is the length of x by default. Batches are allowed.

    >>> torch.linalg.vander(torch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
    if x.dtype.name in ("bool", "float16", "bfloat16"):
        raise RuntimeError(
            f"linalg.vander supports floating point, complex, and integer tensors, but got {x.dtype.scalar_name}"
        )
    if N is None and not x.ndim:
        raise RuntimeError("N must be greater than 1.")
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError("N must be greater than 1.")
    x = x.reshape(1) if x.ndim == 0 else x
    powers = x.unsqueeze(-1).expand((*x.shape, count - 1)).cumprod(-1)
    return torch.cat([torch.ones_like(powers[..., :1]), powers], -1)


_GONE = {
    "eig": "`torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real tensors mimicking complex "
    "tensors.\n\nL, _ = torch.eig(A) should be replaced with:\nL_complex = torch.linalg.eigvals(A)\n\nand\n\n"
    "L, V = torch.eig(A, eigenvectors=True) should be replaced with:\nL_complex, V_complex = torch.linalg.eig(A)",
    "symeig": "The default behavior has changed from using the upper triangular portion of the matrix by default to using the "
    "lower triangular portion.\n\nL, _ = torch.symeig(A, upper=upper) should be replaced with:\n"
    "L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')\n\nand\n\nL, V = torch.symeig(A, eigenvectors=True) should be "
    "replaced with:\nL, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')",
    "lstsq": "`torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.\n`torch.linalg.lstsq` has reversed arguments: "
    "X = torch.linalg.lstsq(A, B).solution",
    "solve": "`torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its arguments reversed and "
    "does not return the LU factorization.\n\nX = torch.solve(B, A).solution should be replaced with:\n"
    "X = torch.linalg.solve(A, B)",
    "matrix_rank": "Please use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
    "`torch.linalg.matrix_rank()` to 'hermitian'.",
}


def _gone(name: str, advice: str) -> None:
    def fn(*args, **kwargs):
        separator = "\n" if name == "matrix_rank" else " "
        raise RuntimeError(
            f"This function was deprecated since version 1.9 and is now removed.{separator}{advice}"
        )

    fn.__name__ = name
    fn.__doc__ = f"Removed from PyTorch, raises RuntimeError: use torch.linalg ({name}).\n\n    >>> torch.eye(2).{name}()\n    Traceback (most recent call last):\n        ...\n    RuntimeError: This function was deprecated ...\n    "
    composite(fn, method=name != "matrix_rank")


for _name, _advice in _GONE.items():
    _gone(_name, _advice)
