"""Solutions of equations as functions: fixed points, roots and minima, differentiated by the implicit function theorem.

The solver runs without derivatives; the solution z*(args) of F(z, args) = 0 has the derivative -(dF/dz)^-1 dF/dargs, of
every order and mode, under vmap (each lane its own stop), in args and in whatever func closes over. Source: Blondel et
al., arXiv 2105.15183; jax.lax.custom_root."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from .._core.api import DerivedOp, Graph, Noting, Tensor, apply_op, state, tidied, transforms
from ..api_names import listed
from ._models import check_scalar
from ._trees import flatten, tensor_leaves, unflatten
from .control_flow import record_body
from .derivatives import grad

__all__ = ["argmin", "custom_root", "fixed_point", "root"]
__dir__ = listed(__name__)

FIXED_POINT = ("iteration", "anderson", "newton", "broyden")
ROOT = ("newton", "broyden")
ARGMIN = ("newton", "newton_cg", "lbfgs", "gradient_descent")
LINEAR = ("auto", "dense", "bicgstab")
DENSE_AT_MOST = 512


@tidied
def fixed_point(
    func: Callable, init: Any, *args: Any, solver: Any = "anderson", rtol: float | None = None, max_steps: int = 1000,
    linear_solver: Any = "auto", throw: bool = False,
) -> Any:  # fmt: skip
    """z with z = func(z, *args): a tree like init. No derivative in init.

    linear_solver, of the derivatives: `"dense"`, `"bicgstab"`, `"auto"` (dense up to 512 unknowns), or a solver of
    lineax. A solver that stops after max_steps warns, called from eager code, with residual and steps; throw=True
    raises RuntimeError.

    Args:
        func: the function; its first argument is z, further ones are parameters.
        init: the first guess of z: a tree of tensors. It gets no derivative.
        solver: "anderson" (of 5 steps), "iteration", "newton", "broyden", a function (func, init,
            *args) -> z, or a solver of optimistix, whose own tolerances count. Default:
            "anderson".
        rtol: the tolerance of the residual relative to z. None (the default) is the dtype's
            epsilon ** 0.75.
        max_steps: the largest number of steps. Default: 1000.
        linear_solver: the solver of the linear system of the derivative: "dense", "bicgstab",
            "auto" (dense up to 512 unknowns), or a solver of lineax. Default: "auto".
        throw: whether a solver that stops before it has converged raises RuntimeError. By default
            it warns.

    Raises ValueError for unknown words, RuntimeError where func gives another tree than init.

    >>> z = implicit.fixed_point(lambda z, a: (z + a / z) / 2, torch.tensor(1.), torch.tensor(2.))
    >>> round(z.item(), 4)
    1.4142
    >>> root_of = lambda a: implicit.fixed_point(lambda z, a: (z + a / z) / 2, torch.tensor(1.), a)
    >>> round(grad(root_of)(torch.tensor(2.)).item(), 4)
    0.3536

    Source: Bai, Kolter & Koltun, arXiv 1909.01377; Walker & Ni, "Anderson acceleration for fixed-point
    iterations", 2011.
    """
    return _solved(
        "fixed_point", func, init, args, solver, FIXED_POINT, rtol, max_steps, linear_solver, throw
    )


@tidied
def root(
    func: Callable, init: Any, *args: Any, solver: Any = "newton", rtol: float | None = None, max_steps: int = 200,
    linear_solver: Any = "auto", throw: bool = False,
) -> Any:  # fmt: skip
    """z near init with func(z, *args) = 0: a tree like init, which func must return too. No derivative in init.

    Other arguments and errors as of `fixed_point`; rtol is of the residual to the first one.

    Args:
        func: the function; its first argument is z, further ones are parameters.
        init: the first guess of z: a tree of tensors. It gets no derivative.
        solver: "newton" (steps halved where they increase the residual), "broyden", or a function
            (func, init, *args) -> z. Default: "newton".
        rtol: the tolerance of the residual relative to the first one. None (the default) is the
            dtype's epsilon ** 0.75.
        max_steps: the largest number of steps. Default: 200.
        linear_solver: the solver of the linear system of the derivative: "dense", "bicgstab",
            "auto" (dense up to 512 unknowns), or a solver of lineax. Default: "auto".
        throw: whether a solver that stops before it has converged raises RuntimeError. By default
            it warns.

    >>> cube_root = lambda a: implicit.root(lambda x, a: x ** 3 - a, torch.tensor(1.5), a)
    >>> round(cube_root(torch.tensor(8.)).item(), 4), round(grad(cube_root)(torch.tensor(8.)).item(), 4)
    (2.0, 0.0833)
    """
    return _solved("root", func, init, args, solver, ROOT, rtol, max_steps, linear_solver, throw)


@tidied
def argmin(
    func: Callable, init: Any, *args: Any, solver: Any = "newton", rtol: float | None = None, max_steps: int | None = None,
    linear_solver: Any = "auto", throw: bool = False,
) -> Any:  # fmt: skip
    """z that minimizes func(z, *args), a scalar: a root of its gradient, a tree like init. No derivative in init.

    Other arguments and errors as of `fixed_point`.

    Args:
        func: a function of z and further parameters that returns a scalar.
        init: the first guess of z: a tree of tensors. It gets no derivative.
        solver: "newton" (on the gradient, with halved steps where they increase it), "newton_cg"
            (its steps by conjugate gradients), "lbfgs" (of the last 10 steps), "gradient_descent"
            (steps of Barzilai and Borwein), or a function (func, init, *args) -> z. Default:
            "newton".
        rtol: the tolerance of the residual. None (the default) is the dtype's epsilon ** 0.75.
        max_steps: the largest number of steps. None (the default) means 200, 2000 for "lbfgs" and
            10000 for "gradient_descent".
        linear_solver: the solver of the linear system of the derivative: "dense", "bicgstab",
            "auto" (dense up to 512 unknowns), or a solver of lineax. Default: "auto".
        throw: whether a solver that stops before it has converged raises RuntimeError. By default
            it warns.

    >>> ridge = lambda l: implicit.argmin(lambda w, l: (w - 1) ** 2 + l * w ** 2, torch.tensor(0.), l)
    >>> round(ridge(torch.tensor(1.)).item(), 4), round(grad(ridge)(torch.tensor(1.)).item(), 4)
    (0.5, -0.25)
    """

    def slope(z: Any, *args: Any) -> Any:
        return grad(lambda z: check_scalar(func(z, *args)))(z)

    if callable(solver) and not _is_of("optimistix", solver):
        user = solver
        solver = lambda _, z, *args: user(func, z, *args)  # noqa: E731

    most = (
        (10000 if solver == "gradient_descent" else 2000 if solver == "lbfgs" else 200)
        if max_steps is None
        else max_steps
    )
    return _solved("argmin", slope, init, args, solver, ARGMIN, rtol, most, linear_solver, throw)


def custom_root(optimality: Callable, *, linear_solver: Any = "auto") -> Callable[[Callable], Callable]:
    """Decorates a solver (init, *args) -> z: its result is differentiated as a root of optimality(z, *args), not
    through its steps.

    Args:
        optimality: a function of (z, *args) that is zero at the solution.
        linear_solver: the solver of the linear system of the derivative: "dense", "bicgstab",
            "auto" (dense up to 512 unknowns), or a solver of lineax. Default: "auto".

    >>> @implicit.custom_root(lambda x, a: x ** 2 - a)
    ... def square_root(init, a):
    ...     return torch.sqrt(a.detach())
    >>> round(grad(lambda a: square_root(torch.tensor(1.), a))(torch.tensor(4.)).item(), 4)
    0.25

    Source: Blondel et al., arXiv 2105.15183.
    """

    def decorate(solver: Callable) -> Callable:
        def solved(init: Any, *args: Any) -> Any:
            def run(_: Callable, z: Any, *args: Any) -> Any:
                return solver(z, *args)

            return _solved("custom_root", optimality, init, args, run, (), None, 0, linear_solver, False)

        return solved

    return decorate


def solution(who: str, func: Callable, init: Any, args: tuple, solver: Callable) -> Any:
    """Result of solver(func, init, *args), differentiated as a root of func(z, *args) in args."""
    return _solved(who, func, init, args, solver, (), None, 0, "auto", False)


def _solved(
    who: str, func: Callable, init: Any, args: tuple, solver: Any, allowed: tuple, rtol: float | None, most: int, linear: str, throw: bool
) -> Any:  # fmt: skip
    foreign = _is_of("optimistix", solver)
    if not callable(solver) and not foreign and solver not in allowed:
        raise ValueError(
            f"{who}: solver must be a function, a solver of optimistix or one of {', '.join(allowed)}, got {solver!r}"
        )
    if not _is_of("lineax", linear) and linear not in LINEAR:
        raise ValueError(
            f"{who}: linear_solver must be a solver of lineax or one of {', '.join(LINEAR)}, got {linear!r}"
        )
    leaves, structure = flatten(init)
    for t in leaves:
        if not isinstance(t, Tensor) or not t._aval.taped:
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
    given, given_structure = flatten(args)
    at = tensor_leaves(given)
    start = [t.detach() for t in leaves]  # type: ignore[attr-defined]
    own = callable(solver) and not foreign
    if own:  # of somebody's own: it runs as it is, and what it gives is where the solution is
        found, found_structure = flatten(solver(func, unflatten(structure, start), *args))
        if found_structure != structure:
            raise RuntimeError(f"{who}: the solver returned {found_structure}, init is {structure}")
        start = [t.detach() for t in found]

    def residual(fresh: Sequence[Tensor]) -> Any:
        z = list(fresh[: len(leaves)])
        full = list(given)
        for i, t in zip(at, fresh[len(leaves) :]):
            full[i] = t
        out, out_structure = flatten(func(unflatten(structure, z), *unflatten(given_structure, full)))
        if out_structure != structure or [tuple(t.shape) for t in out] != [tuple(t.shape) for t in z]:
            raise RuntimeError(
                f"{who}: func must return tensors with the shapes of init, but returned {out_structure} for {structure}"
            )
        return [a - b for a, b in zip(out, z)] if who == "fixed_point" else out

    inputs = [*start, *[given[i] for i in at]]
    body = record_body("while_loop", residual, [t._aval for t in inputs], inputs)
    kind = "none" if own else solver
    tol = float(rtol) if rtol is not None else None
    op = body.graph.transformed(("implicit", len(leaves), kind, who, tol, most, linear))
    *z, size, steps = apply_op(op, None, (*inputs, *body.captured))
    if not own and not state.here.rec.level and Noting.made is None:
        _look(who, kind, size, steps, throw)
    return unflatten(structure, z)


def _look(who: str, solver: Any, size: Tensor, steps: Tensor, throw: bool) -> None:
    """Warns, or raises, where a solver stopped early: its residual is given in multiples of what it may be."""
    ratio = float(size.detach().item())
    if ratio <= 1:
        return
    name = solver if isinstance(solver, str) else type(solver).__name__
    residual = (
        f"with a residual {ratio:.1e} times what rtol allows"
        if math.isfinite(ratio)
        else "without a solution"
    )
    message = f"{who}: {name} stopped after {int(steps.item())} steps {residual}"
    if throw:
        raise RuntimeError(message)
    warnings.warn(message, stacklevel=5)


@transforms("implicit")
def _implicit_op(key: tuple, graph: Graph) -> DerivedOp:
    _, n, solver, who, rtol, most, linear = key
    is_fixed = who == "fixed_point"

    def fn(*arrays: Any) -> list:
        shapes = [x.shape for x in arrays[:n]]
        dtype = jnp.result_type(*arrays[:n])
        start = jnp.concatenate([x.reshape(-1).astype(dtype) for x in arrays[:n]])
        tol = jnp.finfo(dtype).eps ** 0.75 if rtol is None else rtol

        def apart(v: Any) -> list:
            out, first = [], 0
            for s, x in zip(shapes, arrays[:n]):
                size = math.prod(s)
                out.append(v[first : first + size].reshape(s).astype(x.dtype))
                first += size
            return out

        def f(v: Any) -> Any:
            return jnp.concatenate([r.reshape(-1).astype(dtype) for r in graph(*apart(v), *arrays[n:])])

        def solve(f: Callable, v: Any) -> tuple[Any, Any]:
            if isinstance(solver, str):
                v, ratio, steps = _run(solver, f, v, tol, most, is_fixed)
            else:
                v, ratio, steps = _by_optimistix(solver, f, v, tol, most, is_fixed)
            return v, (ratio, steps.astype(dtype))  # a float: JAX differentiates these too

        def tangent(g: Callable, y: Any) -> Any:
            if not isinstance(linear, str):
                return _by_lineax(linear, g, y)
            if linear == "bicgstab" or (linear == "auto" and y.size > DENSE_AT_MOST):
                return jax.lax.custom_linear_solve(g, y, _bicgstab, _bicgstab)
            return jnp.linalg.solve(jax.jacobian(g)(y), y)

        z, (ratio, steps) = jax.lax.custom_root(f, jax.lax.stop_gradient(start), solve, tangent, has_aux=True)
        return [*apart(z), ratio, steps]

    return DerivedOp(fn, "implicit", saves="inputs")


def _is_of(package: str, solver: Any) -> bool:
    """Returns whether an object is a solver of a package, which is not imported for that."""
    return any(c.__module__.partition(".")[0] == package for c in type(solver).__mro__)


def _by_optimistix(
    solver: Any, f: Callable, v: Any, tol: Any, most: int, is_fixed: bool
) -> tuple[Any, Any, Any]:
    """The same as `_run` by a solver of optimistix, whose own tolerances say when it stops. f: v -> residual, for a
    fixed point func(v) - v."""
    import optimistix  # type: ignore[import-not-found]

    def root(v: Any, _: Any) -> Any:
        return f(v)

    if isinstance(solver, optimistix.AbstractFixedPointSolver):
        found = optimistix.fixed_point(lambda v, _: v + f(v), solver, v, max_steps=most, throw=False)
    elif isinstance(solver, optimistix.AbstractLeastSquaresSolver):
        found = optimistix.least_squares(root, solver, v, max_steps=most, throw=False)
    else:
        found = optimistix.root_find(root, solver, v, max_steps=most, throw=False)
    good = found.result == optimistix.RESULTS.successful
    return found.value, jnp.where(good, 0, jnp.inf).astype(v.dtype), found.stats["num_steps"]


def _by_lineax(solver: Any, g: Callable, y: Any) -> Any:
    import lineax  # type: ignore[import-not-found]

    struct = jax.ShapeDtypeStruct(y.shape, y.dtype)

    def solve(times: Callable, b: Any) -> Any:
        return lineax.linear_solve(lineax.FunctionLinearOperator(times, struct), b, solver, throw=False).value

    return jax.lax.custom_linear_solve(g, y, solve, solve)


def _norm(v: Any) -> Any:
    return jnp.sqrt(jnp.sum(v * v))


def _run(solver: str, f: Callable, v: Any, tol: Any, most: int, is_fixed: bool) -> tuple[Any, Any, Any]:
    """(solution, residual in multiples of what is allowed, steps). f: v -> residual, for a fixed point func(v) - v."""
    first = f(v)
    begun = _norm(first)

    def allowed(v: Any) -> Any:
        tiny = jnp.finfo(v.dtype).tiny
        return tol * jnp.maximum(_norm(v) if is_fixed else begun, tiny)

    if solver == "none":
        return v, jnp.zeros((), v.dtype), jnp.zeros((), v.dtype)
    begin, step = {
        "newton": _newton,
        "broyden": _broyden,
        "iteration": _iteration,
        "anderson": _anderson,
        "gradient_descent": _descent,
        "newton_cg": _newton_cg,
        "lbfgs": _lbfgs,
    }[solver](f)

    def goes_on(carried: Any) -> Any:
        v, r, _, i = carried
        return (_norm(r) > allowed(v)) & (i < most)

    def advance(carried: Any) -> Any:
        v, r, more, i = carried
        v, r, more = step(v, r, more)
        return v, r, more, i + 1

    v, r, _, steps = jax.lax.while_loop(
        goes_on, advance, (v, first, begin(v, first), jnp.zeros((), jnp.int32))
    )
    size = _norm(r) / allowed(v)
    return v, jnp.where(jnp.isfinite(size), size, jnp.inf), steps


def _iteration(f: Callable) -> tuple[Callable, Callable]:
    def step(v: Any, r: Any, more: Any) -> Any:
        v = v + r
        return v, f(v), more

    return lambda v, r: (), step


def _halved(f: Callable, v: Any, r: Any, delta: Any) -> tuple[Any, Any]:
    """v + delta, or half of it, … : the first of them that makes the residual smaller."""
    return _first_that(lambda new: _norm(new) < _norm(r), 1e-4, f, v, delta)


def _first_that(fits: Callable, least: float, f: Callable, v: Any, delta: Any) -> tuple[Any, Any]:
    """The first of v + delta, v + delta / 2, … at which f satisfies the condition, or the one at the smallest scale;
    and f there."""

    def goes_on(carried: Any) -> Any:
        scale, _, new = carried
        return ~fits(new) & (scale > least)

    def half(carried: Any) -> Any:
        scale = carried[0] / 2
        return scale, v + scale * delta, f(v + scale * delta)

    one = jnp.ones((), v.dtype)
    return jax.lax.while_loop(goes_on, half, (one, v + delta, f(v + delta)))[1:]


def _bicgstab(times: Callable, b: Any) -> Any:
    """Biconjugate gradients, stabilized (van der Vorst, 1992), until the residual is the dtype's epsilon ** 0.85 of
    b; a breakdown restarts the iteration."""
    bound = jnp.finfo(b.dtype).eps ** 0.85 * _norm(b)

    def ratio(x: Any, y: Any) -> Any:
        return jnp.where(y == 0, 0, x / jnp.where(y == 0, 1, y))

    def goes_on(c: Any) -> Any:
        return (_norm(c[1]) > bound) & (c[-1] < 10 * b.size + 100)

    def step(c: Any) -> Any:
        x, r, shadow, p, rho, i = c
        v = times(p)
        alpha = ratio(rho, shadow @ v)
        s = r - alpha * v
        t = times(s)
        omega = ratio(t @ s, t @ t)
        x, r = x + alpha * p + omega * s, s - omega * t
        new = shadow @ r
        broken = (jnp.abs(new) < 1e-12 * _norm(shadow) * _norm(r)) | (omega == 0)
        p = r + ratio(new, rho) * ratio(alpha, omega) * (p - omega * v)
        return (
            x,
            r,
            jnp.where(broken, r, shadow),
            jnp.where(broken, r, p),
            jnp.where(broken, r @ r, new),
            i + 1,
        )

    start = (jnp.zeros_like(b), b, b, b, b @ b, jnp.zeros((), jnp.int32))
    return jax.lax.while_loop(goes_on, step, start)[0]


def _newton(f: Callable) -> tuple[Callable, Callable]:
    def step(v: Any, r: Any, more: Any) -> Any:
        delta = -jnp.linalg.solve(jax.jacfwd(f)(v), r)
        return *_halved(f, v, r, delta), more

    return lambda v, r: (), step


def _broyden(f: Callable) -> tuple[Callable, Callable]:
    """Broyden's good method, from the Jacobian at the start."""

    def step(v: Any, r: Any, inverse: Any) -> Any:
        delta = -inverse @ r
        moved, new = _halved(f, v, r, delta)
        s, y = moved - v, new - r
        Hy = inverse @ y
        below = s @ Hy
        update = jnp.outer(s - Hy, s @ inverse) / jnp.where(below == 0, 1, below)
        return moved, new, inverse + jnp.where(below == 0, 0, 1) * update

    return lambda v, r: jnp.linalg.inv(jax.jacfwd(f)(v)), step


def _anderson(f: Callable, memory: int = 5) -> tuple[Callable, Callable]:
    """Steps from the combination of the last five whose residuals cancel best."""

    def begin(v: Any, r: Any) -> Any:
        zeros = jnp.zeros((memory, v.size), v.dtype)
        return zeros, zeros, jnp.zeros((), jnp.int32)

    def step(v: Any, r: Any, more: Any) -> Any:
        dvs, drs, i = more
        gram = drs @ drs.T
        ridge = 1e-14 * jnp.trace(gram) + jnp.finfo(v.dtype).tiny
        gamma = jnp.linalg.solve(
            gram + (ridge + jnp.where(jnp.diag(gram) == 0, 1, 0)) * jnp.eye(memory, dtype=v.dtype), drs @ r
        )
        moved = v + r - gamma @ (dvs + drs)
        new = f(moved)
        plain = v + r  # where the combination makes it worse, a plain step
        good = jnp.isfinite(_norm(new)) & (_norm(new) <= 2 * _norm(r))
        moved = jnp.where(good, moved, plain)
        new = jnp.where(good, new, f(plain))
        at = i % memory
        return moved, new, (dvs.at[at].set(moved - v), drs.at[at].set(new - r), i + 1)

    return begin, step


def _descent(f: Callable) -> tuple[Callable, Callable]:
    """Steps along the gradient, as long as the last change of the gradient says (Barzilai & Borwein, 1988)."""

    def begin(v: Any, r: Any) -> Any:
        return 1e-3 / jnp.maximum(_norm(r), 1)

    def step(v: Any, r: Any, rate: Any) -> Any:
        moved = v - rate * r
        new = f(moved)
        s, y = moved - v, new - r
        below = s @ y
        return moved, new, jnp.where(below > 0, (s @ s) / jnp.where(below > 0, below, 1), rate)

    return begin, step


def _downhill(f: Callable, v: Any, g: Any, delta: Any) -> tuple[Any, Any]:
    """v + delta, or half of it, … : the first of them at which the function whose gradient f is does not rise along
    the step by more than nine tenths of what it fell at v."""
    return _first_that(lambda new: new @ delta <= -0.9 * (g @ delta), 1e-8, f, v, delta)


def _newton_cg(f: Callable) -> tuple[Callable, Callable]:
    """Newton's steps for a gradient f, the systems solved by conjugate gradients to min(1/2, sqrt |f|), or until a
    direction curves down (Nocedal &
    Wright, "Numerical optimization", algorithm 7.1)."""

    def step(v: Any, g: Any, more: Any) -> Any:
        bound = jnp.minimum(0.5, jnp.sqrt(_norm(g))) * _norm(g)

        def times(p: Any) -> Any:
            return jax.jvp(f, (v,), (p,))[1]

        def goes_on(c: Any) -> Any:
            _, r, _, i, down = c
            return (_norm(r) > bound) & (i < 10 * v.size + 10) & ~down

        def advance(c: Any) -> Any:
            z, r, p, i, _ = c
            Hp = times(p)
            curvature = p @ Hp
            down = curvature <= 0
            alpha = (r @ r) / jnp.where(down, 1, curvature)
            first = jnp.where(i == 0, p, z)  # the gradient itself, where it curves down at once
            moved, left = jnp.where(down, first, z + alpha * p), jnp.where(down, r, r - alpha * Hp)
            return moved, left, left + (left @ left) / (r @ r) * p, i + 1, down

        start = (jnp.zeros_like(v), -g, -g, jnp.zeros((), jnp.int32), jnp.zeros((), bool))
        return *_downhill(f, v, g, jax.lax.while_loop(goes_on, advance, start)[0]), more

    return lambda v, r: (), step


def _lbfgs(f: Callable, memory: int = 10) -> tuple[Callable, Callable]:
    """Steps along H g, H from the last ten changes of v and of its gradient f, halved where they lead uphill
    (`_downhill`)."""

    def begin(v: Any, g: Any) -> Any:
        zeros = jnp.zeros((memory, v.size), v.dtype)
        return zeros, zeros, jnp.zeros((), jnp.int32)

    def step(v: Any, g: Any, more: Any) -> Any:
        changes, bends, i = more
        products = jnp.sum(changes * bends, 1)
        inverse = jnp.where(
            products > 0, 1 / jnp.where(products > 0, products, 1), 0
        )  # 0: a place that holds nothing
        q, kept = g, []
        newest_first = [(i - 1 - k) % memory for k in range(memory)]
        for at in newest_first:
            a = inverse[at] * (changes[at] @ q)
            q = q - a * bends[at]
            kept.append(a)
        last = newest_first[0]
        below = bends[last] @ bends[last]
        q = q * jnp.where(
            below > 0, products[last] / jnp.where(below > 0, below, 1), 1 / jnp.maximum(_norm(g), 1)
        )
        for at, a in zip(reversed(newest_first), reversed(kept)):
            q = q + changes[at] * (a - inverse[at] * (bends[at] @ q))
        moved, new = _downhill(f, v, g, -q)
        s, y = moved - v, new - g
        good, at = s @ y > 0, i % memory
        changes = changes.at[at].set(jnp.where(good, s, changes[at]))
        bends = bends.at[at].set(jnp.where(good, y, bends[at]))
        return moved, new, (changes, bends, jnp.where(good, i + 1, i))

    return begin, step
