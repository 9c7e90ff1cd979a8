"""Laplacians and other sums of second and fourth derivatives: in one pass forward, or estimated from random
directions."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any

from ..._core.api import Tensor, tidied
from ..._core.api import functions as torch
from .._estimates import Estimate, check_samples, mean_of, probes, same_draws
from ..chunk_size import check_chunk_size
from ..derivatives import jvp
from ..jacobians import jacrev
from ..outermost import transform
from ..vmap import vmap
from ._functions import OneArgument
from ._ops import along_many

__all__ = ["biharmonic", "divergence", "hessian_diagonal", "laplacian", "value_grad_laplacian"]

DISTRIBUTIONS = ("rademacher", "normal", "sparse")
METHODS = ("auto", "forward", "collapsed", "nested")


def _named(func: Callable, what: tuple, keep: bool) -> Callable[[Callable], Callable]:
    """Decorates what computes a transform of func. keep: what it gives follows from func, its arguments and `what`
    alone."""
    if keep:
        return transform(func, *what)

    def decorate(run: Callable) -> Callable:
        return tidied(update_wrapper(run, func) if hasattr(func, "__name__") else run)

    return decorate


def _check_distribution(who: str, distribution: str, allowed: tuple = DISTRIBUTIONS) -> None:
    if distribution not in allowed:
        raise ValueError(f"{who}: distribution must be one of {', '.join(allowed)}, got {distribution!r}")


def _seconds(
    f: OneArgument, directions: Tensor | None, order: int, chunk_size: int | str | None
) -> list[Tensor]:
    """Computes for each result its derivatives of this order along every direction (by default of the basis):
    (directions, *result)."""
    if f.whole:
        extra = () if directions is None else (directions,)
        total = f.size if directions is None else directions.shape[0]
        key = ("taylor_along", (order,))
        return f.apply((*key, f.chunk(key, chunk_size, total, *extra)), *extra)[0]
    if directions is None:
        directions = _basis(f.x)
    return along_many(f.call, f.x, directions, [order], None if chunk_size == "auto" else chunk_size)[0]  # type: ignore[arg-type]


def _basis(x: Tensor) -> Tensor:
    n = x.numel()  # type: ignore[attr-defined]
    return torch.eye(n, dtype=x.dtype, device=x.device).reshape(n, *x.shape)


def _random_directions(
    who: str, f: OneArgument, S: Tensor | None, samples: int, distribution: str, generator: Any
) -> tuple[Tensor, float, int | None]:
    """(directions, what a derivative along one is to be multiplied by, how many there are to draw from without
    replacement)."""
    x = f.x
    n = f.size if S is None else S.shape[1]
    if distribution == "sparse":
        check_samples(who, samples, n)
        with same_draws():
            chosen = torch.randperm(n, generator=generator, device=x.device)[:samples]
        z = (chosen[:, None] == torch.arange(n, device=x.device)).to(x.dtype)
        scale, population = float(n), n
    else:
        check_samples(who, samples)
        z, scale, population = probes(distribution, (samples, n), x, generator), 1.0, None
    z = z if S is None else z @ S.mT
    return z.reshape(samples, *x.shape), scale, population


def _weights(who: str, weight: Any, f: OneArgument) -> Tensor | None:
    """S, a matrix of (numel, r), checked."""
    if weight is None:
        return None
    S = weight(f.x) if callable(weight) and not isinstance(weight, Tensor) else weight
    if not isinstance(S, Tensor) or S.dim() != 2 or S.shape[0] != f.size:  # type: ignore[attr-defined]
        shape = tuple(S.shape) if isinstance(S, Tensor) else type(S).__name__
        raise ValueError(
            f"{who}: weight must have shape (numel of the argument, r) = ({f.size}, r), got {shape}; "
            f"the argument has shape {tuple(f.x.shape)}"
        )
    return S.to(f.x.dtype)  # type: ignore[attr-defined]


def laplacian(
    func: Callable, argnums: int = 0, *, weight: Tensor | Callable[[Tensor], Tensor] | None = None,
    samples: int | None = None, distribution: str = "rademacher", generator: Any = None, method: str = "auto",
    chunk_size: int | str | None = None, has_aux: bool = False,
) -> Callable:  # fmt: skip
    """A function that returns the Laplacian of func: the sum of second derivatives over all entries of one tensor
    argument.

    The argument has any shape, and func returns tensors of any shape, of which the Laplacians have the shapes and
    dtypes.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        argnums: which argument of `func` to differentiate with respect to: an int. Default: 0.
        weight: a matrix S of shape (numel of the argument, r), or a function of the argument that
            returns it: the result is then tr(S^T H S), H being the Hessian. None (the default) is
            the identity.
        samples: the number of random directions; the result is then an `Estimate`. None (the
            default) computes exactly.
        distribution: the random directions: "rademacher", "normal", or "sparse" (coordinates,
            without replacement). Default: "rademacher".
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
        method: "forward" (also "auto" and "collapsed") computes values, first derivatives and the
            Laplacian in one pass; "nested" a jvp of a jvp for each entry. Default: "auto".
        chunk_size: how many directions are computed at a time. None (the default) computes all at
            once.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    Raises ValueError for a weight that does not fit and for unknown words, RuntimeError where func gives no real
    floating-point tensors.

    >>> f = lambda x: (x ** 3).sum()
    >>> taylor.laplacian(f)(torch.tensor([1., 2.]))
    tensor(18.)
    >>> taylor.laplacian(f, samples=2, distribution="sparse")(torch.tensor([1., 2.])).value
    tensor(18.)

    Source: Li et al., arXiv 2307.08214 (forward Laplacian); Dangel et al., arXiv 2505.13644 (collapsed Taylor mode);
    Shi et al., arXiv 2412.00088 (estimates from coordinates).
    """
    who = "laplacian"
    check_chunk_size(who, chunk_size)
    _check_distribution(who, distribution)
    if method not in METHODS:
        raise ValueError(f"{who}: method must be one of {', '.join(METHODS)}, got {method!r}")
    if samples is not None:
        check_samples(who, samples)
    keep = weight is None and samples is None

    @_named(func, ("laplacian", argnums, method, chunk_size, has_aux), keep)
    def wrapper(*args, **kwargs):
        f = OneArgument(who, func, args, kwargs, argnums, has_aux)
        S = _weights(who, weight, f)
        if samples is not None:
            directions, scale, population = _random_directions(who, f, S, samples, distribution, generator)
            draws = _seconds(f, directions, 2, chunk_size)
            estimates = [mean_of(d, samples, scale, population) for d in draws]
            value, error = (f.tree([e[i] for e in estimates]) for i in (0, 1))
            return f.answer(Estimate(value, error, samples))
        directions = None if S is None else S.mT.reshape(S.shape[1], *f.x.shape)
        if method == "nested" or not f.whole:
            return f.answer(f.tree([d.sum(0) for d in _nested(f, directions, chunk_size)]))
        extra = () if directions is None else (directions,)
        total = f.size if directions is None else directions.shape[0]
        chunk = f.chunk(("taylor_laplacian",), chunk_size, total, *extra)
        return f.answer(f.tree(f.apply(("taylor_laplacian", chunk), *extra)[0]))

    return wrapper


def _nested(f: OneArgument, directions: Tensor | None, chunk_size: int | str | None) -> list[Tensor]:
    directions = _basis(f.x) if directions is None else directions
    return along_many(f.call, f.x, directions, [2], None if chunk_size == "auto" else chunk_size)[0]  # type: ignore[arg-type]


def value_grad_laplacian(func: Callable, argnums: int = 0, *, has_aux: bool = False) -> Callable:
    """A function that returns (value, gradient or Jacobian, Laplacian) of func in one pass forward.

    The gradient has the shape output.shape + argument.shape, the Laplacian the output's.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        argnums: which argument of `func` to differentiate with respect to: an int. Default: 0.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    Raises RuntimeError where func gives no real floating-point tensors.

    >>> value, gradient, laplacian = taylor.value_grad_laplacian(lambda x: (x ** 2).sum())(torch.tensor([1., 2.]))
    >>> value.item(), gradient.tolist(), laplacian.item()
    (5.0, [2.0, 4.0], 4.0)

    Source: Li et al., arXiv 2307.08214.
    """

    @transform(func, "value_grad_laplacian", argnums, has_aux)
    def wrapper(*args, **kwargs):
        f = OneArgument("value_grad_laplacian", func, args, kwargs, argnums, has_aux)
        if f.whole:
            return f.answer(tuple([f.tree(row) for row in f.apply(("taylor_value_grad_laplacian",))]))
        values, first, second = along_many(f.call, f.x, _basis(f.x), [0, 1, 2], None)
        jacobians = [torch.movedim(J, 0, -1).reshape(*J.shape[1:], *f.x.shape) for J in first]
        return f.answer(
            (f.tree([v[0] for v in values]), f.tree(jacobians), f.tree([s.sum(0) for s in second]))
        )

    return wrapper


def hessian_diagonal(
    func: Callable, argnums: int = 0, *, samples: int | None = None, distribution: str = "rademacher",
    generator: Any = None, chunk_size: int | str | None = None, has_aux: bool = False,
) -> Callable:  # fmt: skip
    """A function that returns the second derivatives of func by each entry of one tensor argument: output.shape +
    argument.shape.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        argnums: which argument of `func` to differentiate with respect to: an int. Default: 0.
        samples: the number of random directions v; the result is then an `Estimate` of v * (H v)
            (Bekas, Kokiopoulou & Saad, 2007). None (the default) computes exactly.
        distribution: the random directions: "rademacher" or "normal". Default: "rademacher".
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
        chunk_size: how many directions are computed at a time. None (the default) computes all at
            once.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    Raises ValueError for an unknown distribution, RuntimeError where func gives no real floating-point tensors.

    >>> taylor.hessian_diagonal(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
    tensor([ 6., 12.])
    """
    who = "hessian_diagonal"
    check_chunk_size(who, chunk_size)
    _check_distribution(who, distribution, DISTRIBUTIONS[:2])
    if samples is not None:
        check_samples(who, samples)

    @_named(func, (who, argnums, chunk_size, has_aux), samples is None)
    def wrapper(*args, **kwargs):
        f = OneArgument(who, func, args, kwargs, argnums, has_aux)
        if samples is None:
            diagonals = [
                torch.movedim(d, 0, -1).reshape(*d.shape[1:], *f.x.shape)
                for d in _seconds(f, None, 2, chunk_size)
            ]
            return f.answer(f.tree(diagonals))
        directions = probes(distribution, (samples, *f.x.shape), f.x, generator)

        def one(v: Tensor) -> list[Tensor]:
            rows = jacrev(lambda x: jvp(f.call, (x,), (v,))[1])(f.x)
            return [row * v for row in rows]

        draws = vmap(one, chunk_size=chunk_size)(directions)
        estimates = [mean_of(d, samples) for d in draws]
        value, error = (f.tree([e[i] for e in estimates]) for i in (0, 1))
        return f.answer(Estimate(value, error, samples))

    return wrapper


def biharmonic(
    func: Callable, argnums: int = 0, *, samples: int | None = None, generator: Any = None,
    chunk_size: int | str | None = None, has_aux: bool = False,
) -> Callable:  # fmt: skip
    """A function that returns the Laplacian of the Laplacian of func, of the output's shape.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        argnums: which argument of `func` to differentiate with respect to: an int. Default: 0.
        samples: the number of random directions; the result is then an `Estimate` from fourth
            derivatives along normal directions, divided by 3. None (the default) computes
            exactly.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
        chunk_size: how many directions are computed at a time. None (the default) computes all at
            once.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    Raises RuntimeError where func gives no real floating-point tensors.

    >>> taylor.biharmonic(lambda x: (x ** 4).sum())(torch.tensor([1., 2.]))
    tensor(48.)

    Source: Hu et al., arXiv 2312.14499 (the estimate).
    """
    who = "biharmonic"
    check_chunk_size(who, chunk_size)
    if samples is None:
        return laplacian(
            laplacian(func, argnums, has_aux=has_aux), argnums, chunk_size=chunk_size, has_aux=has_aux
        )
    check_samples(who, samples)

    @_named(func, (who,), False)
    def wrapper(*args, **kwargs):
        f = OneArgument(who, func, args, kwargs, argnums, has_aux)
        directions = probes("normal", (samples, *f.x.shape), f.x, generator)
        estimates = [mean_of(d, samples, 1 / 3) for d in _seconds(f, directions, 4, chunk_size)]
        value, error = (f.tree([e[i] for e in estimates]) for i in (0, 1))
        return f.answer(Estimate(value, error, samples))

    return wrapper


def divergence(
    func: Callable, argnums: int = 0, *, samples: int | None = None, distribution: str = "rademacher",
    generator: Any = None, chunk_size: int | str | None = None, has_aux: bool = False,
) -> Callable:  # fmt: skip
    """A function that returns the divergence of a field: the trace of the Jacobian of func, a scalar.

    func returns one tensor of as many entries as the argument has.

    Args:
        func: the function: it takes tensors and returns real floating-point tensors.
        argnums: which argument of `func` to differentiate with respect to: an int. Default: 0.
        samples: the number of random directions v; the result is then an `Estimate` of v^T J v
            (Hutchinson; Grathwohl et al., arXiv 1810.01367). None (the default) computes exactly.
        distribution: the random directions: "rademacher" or "normal". Default: "rademacher".
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.
        chunk_size: how many directions are computed at a time. None (the default) computes all at
            once.
        has_aux: whether `func` returns (output, aux), where aux is returned unchanged beside the
            result. Default: False.

    Raises ValueError where the two sizes differ, RuntimeError where func gives no real floating-point tensors.

    >>> taylor.divergence(lambda x: x ** 2)(torch.tensor([1., 2.]))
    tensor(6.)
    """
    who = "divergence"
    check_chunk_size(who, chunk_size)
    _check_distribution(who, distribution, DISTRIBUTIONS[:2])
    if samples is not None:
        check_samples(who, samples)

    @_named(func, (who, argnums, chunk_size, has_aux), samples is None)
    def wrapper(*args, **kwargs):
        f = OneArgument(who, func, args, kwargs, argnums, has_aux)
        directions = None
        if samples is not None:
            directions = probes(distribution, (samples, *f.x.shape), f.x, generator)
        found = _seconds(f, directions, 1, chunk_size)
        if len(found) != 1 or found[0][0].numel() != f.size:
            raise ValueError(
                f"{who}: the field must have as many entries as the argument, of shape {tuple(f.x.shape)}, "
                f"got {', '.join(str(tuple(o.shape[1:])) for o in found)}"
            )
        rows = found[0].reshape(-1, f.size)
        if directions is None:
            return f.answer(torch.diagonal(rows).sum())
        return f.answer(mean_of((rows * directions.reshape(samples, -1)).sum(1), samples))

    return wrapper
