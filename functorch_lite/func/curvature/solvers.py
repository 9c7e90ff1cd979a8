"""Linear systems with operators: (op + damping * identity) x = b, one column or many."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..._core.api import Tensor, namespace, tidied
from ..._core.api import functions as torch
from ..implicit import solution
from ..loops import while_loop
from .operators import Operator, Scaled, Sum, differentiated, identity, pause

__all__ = ["inverse", "solve"]

linalg = namespace("linalg")

METHODS = ("cg", "minres", "lsmr", "dense", "exact", "neumann")


def _damped(op: Operator, damping: Any) -> Operator:
    return op if not isinstance(damping, Tensor) and damping == 0 else Sum(op, Scaled(damping, identity))


@tidied
def solve(
    op: Operator, b: Any, *, damping: Any = 0.0, method: str = "cg", rtol: float | None = None, max_steps: int | None = None,
    preconditioner: Any = None, terms: int | None = None, scale: float | None = None, throw: bool = False,
) -> Any:  # fmt: skip
    """The solution x of (op + damping * identity) x = b: a tree, a vector or columns, as b is.

    A solver that stops after max_steps (by default 10 n) warns with residual and steps; throw=True raises
    RuntimeError. Differentiable in b, damping and the operator's params, by the implicit function theorem: not
    through the steps.

    Args:
        op: the operator.
        b: the right-hand side: a tree, a vector or columns.
        damping: a number that is added to the diagonal. Default: 0.0.
        method: "cg" (positive definite operators), "minres" (symmetric ones), "lsmr" (any: least
            squares), "dense", "exact" (operators that know their inverse: KFAC, EKFAC, diagonals)
            or "neumann" (scale * sum over i <= terms of (1 - scale * A)^i b). Default: "cg".
        rtol: the tolerance of the residual relative to `b`. None (the default) is the dtype's
            epsilon ** 0.75.
        max_steps: the largest number of steps. None (the default) is 10 n.
        preconditioner: for "cg": an operator, or a function of columns. None (the default) uses
            none.
        terms: for "neumann", which needs it: the number of terms. None is the default.
        scale: for "neumann", which needs it: the factor of each term. None is the default.
        throw: whether a solver that stops before it has converged raises RuntimeError. By default
            it warns.

    Raises ValueError for unknown methods, negative damping, and sizes that differ.

    >>> H = curvature.Hessian(lambda w, x: w ** 2 * x, lambda z, y: z.sum(), torch.ones(2), (torch.tensor([[1., 2.]]), torch.zeros(1)))
    >>> curvature.solve(H, torch.tensor([2., 8.]))
    tensor([1., 2.])

    Source: Hestenes & Stiefel, 1952 (cg); Paige & Saunders, 1975 (minres).
    """
    if method not in METHODS:
        raise ValueError(f"solve: method must be one of {', '.join(METHODS)}, got {method!r}")
    if not isinstance(damping, Tensor) and not damping >= 0:
        raise ValueError(f"solve: damping must not be negative, got {damping}")
    is_tree = not isinstance(b, Tensor) or (
        isinstance(op.parameters.tree, Tensor) and tuple(b.shape) != (op.shape[0],)
    )
    if is_tree and not (isinstance(b, Tensor) and b.dim() == 2 and b.shape[0] == op.shape[0]):
        flat = op.parameters.flat(op.parameters.checked(b))
        found = solve(
            op, flat, damping=damping, method=method, rtol=rtol, max_steps=max_steps, preconditioner=preconditioner, terms=terms, scale=scale, throw=throw
        )  # fmt: skip
        return op.parameters.of(op.parameters.split(found))
    if b.dim() not in (1, 2) or b.shape[0] != op.shape[0]:
        raise ValueError(f"solve: op has shape {op.shape}, b {tuple(b.shape)}")
    columns = b[:, None] if b.dim() == 1 else b
    rtol = torch.finfo(b.dtype).eps ** 0.75 if rtol is None else rtol
    most = 10 * op.shape[1] if max_steps is None else max_steps
    if method == "exact":
        if not hasattr(op, "solved"):
            raise ValueError(
                f"solve: a {type(op).__name__} does not know its inverse; 'exact' is for KFAC, EKFAC and diagonals"
            )
        x = op.solved(columns, damping)
    elif method == "dense":
        x = linalg.solve(_damped(op, damping).to_dense(), columns)
    elif method == "neumann":
        x = _neumann(_damped(op, damping), columns, terms, scale)
    else:
        x = _iterated(op, columns, damping, method, rtol, most, preconditioner, throw)
    return x[:, 0] if b.dim() == 1 else x


def _neumann(A: Operator, b: Tensor, terms: int | None, scale: float | None) -> Tensor:
    if terms is None or scale is None:
        raise ValueError("solve: 'neumann' needs terms= and scale=")
    if terms < 0:
        raise ValueError(f"solve: terms must not be negative, got {terms}")
    term = total = b
    for _ in range(terms):
        term = term - scale * (A @ term)
        total = total + term
        pause()
    return total * scale


def _iterated(
    op: Operator,
    b: Tensor,
    damping: Any,
    method: str,
    rtol: float,
    most: int,
    preconditioner: Any,
    throw: bool,
) -> Tensor:
    def equations(op: Operator, damping: Any, b: Tensor) -> tuple[Callable, Tensor]:
        """(times, right): of lsmr the normal equations."""
        A = _damped(op, damping)
        if method != "lsmr":
            return (lambda v: A @ v), b
        At = _damped(op.T, damping)
        return (lambda v: At @ (A @ v)), At @ b

    times, right = equations(op, damping, b)
    begin, step = (
        _minres(times, right) if method == "minres" else _cg(times, right, _preconditioned(preconditioner))
    )
    bound = rtol * linalg.vector_norm(right, dim=0)
    if differentiated(b, op, damping):
        # part of a program: each lane goes on until its own end; derivatives are those of the solution, by another
        # solve
        def goes_on(i: Any, *c: Tensor) -> Any:
            return (i < most) & (c[1] > bound).any()

        def found(*_: Any) -> Tensor:
            return while_loop(goes_on, lambda i, *c: (i + 1, *step(c)), (torch.tensor(0), *begin()))[1]

        def residual(x: Tensor, b: Tensor, op: Operator, damping: Any) -> Tensor:
            times, right = equations(op, damping, b)
            return times(x) - right

        return solution("solve", residual, torch.zeros_like(b), (b, op, damping), found)
    carried = begin()
    steps = 0
    while steps < most and bool((carried[1] > bound).any()):
        carried = step(carried)
        steps += 1
    if bool((carried[1] > bound).any()):
        worst = (carried[1] / linalg.vector_norm(right, dim=0)).max().item()
        message = f"solve: {method} stopped after {steps} steps with a residual of {worst:.1e}, above rtol={rtol:.1e}"
        if throw:
            raise RuntimeError(message)
        warnings.warn(message, stacklevel=5)
    return carried[0]


def _preconditioned(preconditioner: Any) -> Callable[[Tensor], Tensor]:
    if preconditioner is None:
        return lambda r: r
    return (lambda r: preconditioner @ r) if isinstance(preconditioner, Operator) else preconditioner


def _ratio(a: Tensor, b: Tensor) -> Tensor:
    """a / b, 0 where b is: of columns that are done."""
    return torch.where(b == 0, 0, a / torch.where(b == 0, 1, b))


def _cg(times: Callable, b: Tensor, apply: Callable) -> tuple[Callable, Callable]:
    """Conjugate gradients: carried are (x, norms of the residuals, r, direction, r . z)."""

    def begin() -> tuple:
        z = apply(b)
        return torch.zeros_like(b), linalg.vector_norm(b, dim=0), b, z, (b * z).sum(0)

    def step(carried: Any) -> tuple:
        x, _, r, p, rz = carried
        Ap = times(p)
        alpha = _ratio(rz, (p * Ap).sum(0))
        x, r = x + alpha * p, r - alpha * Ap
        z = apply(r)
        new = (r * z).sum(0)
        return x, linalg.vector_norm(r, dim=0), r, z + _ratio(new, rz) * p, new

    return begin, step


def _minres(times: Callable, b: Tensor) -> tuple[Callable, Callable]:
    """Minimal residuals, in the form of conjugate residuals (Stiefel, 1955): carried are (x, norms, r, p, A r, A p, r .

    A r)."""

    def begin() -> tuple:
        Ab = times(b)
        return torch.zeros_like(b), linalg.vector_norm(b, dim=0), b, b, Ab, Ab, (b * Ab).sum(0)

    def step(carried: Any) -> tuple:
        x, _, r, p, Ar, Ap, rAr = carried
        alpha = _ratio(rAr, (Ap * Ap).sum(0))
        x, r = x + alpha * p, r - alpha * Ap
        Ar = times(r)
        new = (r * Ar).sum(0)
        beta = _ratio(new, rAr)
        return x, linalg.vector_norm(r, dim=0), r, r + beta * p, Ar, Ar + beta * Ap, new

    return begin, step


class Inverse(Operator):
    """The inverse of op + damping * identity: each product is a solve."""

    def __init__(self, op: Operator, options: dict):
        self.op, self.options = op, options
        self.parameters = op.parameters

    def _times(self, columns: Tensor) -> Tensor:
        return solve(self.op, columns, **self.options)

    def _parts(self) -> tuple[list, Any]:
        return [self.op], tuple(self.options.items())

    @classmethod
    def _made(cls, children: Any, rest: Any) -> Operator:
        return cls(children[0], dict(rest))


def inverse(op: Operator, **options: Any) -> Operator:
    """The inverse of op + damping * identity, an operator; options: the options of `solve`.

    The inverse of a KFAC is a preconditioner.

    Args:
        op: the operator.

    >>> H = curvature.Hessian(lambda w, x: w ** 2 * x, lambda z, y: z.sum(), torch.ones(2), (torch.tensor([[1., 2.]]), torch.zeros(1)))
    >>> curvature.inverse(H) @ torch.tensor([2., 8.])
    tensor([1., 2.])
    """
    return Inverse(op, options)
