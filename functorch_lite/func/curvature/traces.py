"""Traces, diagonals, determinants and spectra of operators: exactly, or estimated from random vectors, all of which are
in one batch."""

from __future__ import annotations

import math
from typing import Any

from ..._core.api import Tensor, namespace, tidied
from ..._core.api import functions as torch
from .._estimates import Estimate, check_samples, mean_of, probes
from .lanczos import quadrature
from .operators import Operator, cholesky

__all__ = ["diagonal", "frobenius_norm_squared", "logdet", "spectral_density", "trace"]

linalg = namespace("linalg")


def _draw(op: Operator, samples: int, generator: Any, distribution: str = "rademacher") -> Tensor:
    """Random columns (n, samples)."""
    return probes(distribution, (samples, op.shape[1]), op.parameters.leaves[0], generator).mT


def _check_method(who: str, method: str, allowed: tuple[str, ...]) -> None:
    if method not in allowed:
        raise ValueError(f"{who}: method must be one of {', '.join(allowed)}, got {method!r}")


@tidied
def trace(
    op: Operator, *, samples: int | None = None, method: str = "hutchinson", generator: Any = None
) -> Any:
    """The trace of an operator; with samples an `Estimate`.

    The last two take `samples` products in all. Raises ValueError for samples below 1 (2 of `"xtrace"`, 3 of
    `"hutch++"`).

    Args:
        op: the operator.
        samples: the number of random vectors; the result is then an `Estimate`. None, where it is
            the default, computes exactly.
        method: "hutchinson", "hutch++" (a third of the products find the largest directions,
            whose trace is exact) or "xtrace" (each probe is estimated with what all others
            found). The last two take `samples` products in all. Default: "hutchinson".
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> H = curvature.Hessian(lambda w, x: w ** 2 * x, lambda z, y: z.sum(), torch.ones(2), (torch.tensor([[1., 2.]]), torch.zeros(1)))
    >>> curvature.trace(H), curvature.trace(H, samples=4).value
    (tensor(6.), tensor(6.))

    Source: Meyer et al., arXiv 2010.09649 (Hutch++); Epperly, Tropp & Webber, arXiv 2301.07825 (XTrace).
    """
    _check_method("trace", method, ("hutchinson", "hutch++", "xtrace"))
    if samples is None:
        return op.trace()
    check_samples("trace", samples)
    least = {"hutchinson": 1, "hutch++": 3, "xtrace": 2}[method]
    if samples < least:
        raise ValueError(f"trace: {method!r} takes at least {least} samples, got {samples}")
    if method == "hutchinson":
        V = _draw(op, samples, generator)
        return mean_of((V * (op @ V)).sum(0), samples)
    if method == "hutch++":
        found = max(1, min(samples // 3, op.shape[1]))
        rest = samples - 2 * found
        Q = linalg.qr(op @ _draw(op, found, generator))[0]
        exact = (Q * (op @ Q)).sum()
        V = _draw(op, rest, generator)
        V = V - Q @ (Q.mT @ V)
        estimate = mean_of((V * (op @ V)).sum(0), rest)
        return Estimate(exact + estimate.value, estimate.standard_error, samples)
    return _xtrace(op, samples, generator)


def _leave_one_out(Y: Tensor) -> tuple[Tensor, Tensor]:
    """(Q, S): the columns of Q (n, m) span Y; row i of S is the unit vector in Q's coordinates that is lost without
    column i of Y."""
    Q, R = linalg.qr(Y)
    S = linalg.inv(R).mT
    return Q, S / linalg.vector_norm(S, dim=0)


def _xtrace(op: Operator, samples: int, generator: Any) -> Estimate:
    m = min(samples // 2, op.shape[1])
    V = _draw(op, m, generator)
    Y = op @ V
    Q, S = _leave_one_out(Y)
    Z = op @ Q
    H, W = Q.mT @ Z, Q.mT @ V
    X = W - S * (S * W).sum(0)
    # the trace on what all the other probes found, and the probe itself outside of that
    draws = torch.trace(H) - (S * (H @ S)).sum(0) + ((V - Q @ X) * (Y - Z @ X)).sum(0)
    return Estimate(draws.mean(), draws.std(correction=1) / math.sqrt(m), samples)


@tidied
def diagonal(
    op: Operator, *, samples: int | None = None, method: str = "hutchinson", generator: Any = None
) -> Any:
    """The diagonal of an operator, in flat order; with samples an `Estimate`.

    Args:
        op: the operator.
        samples: the number of random vectors; the result is then an `Estimate`. None, where it is
            the default, computes exactly.
        method: "hutchinson" (v * (A v), v of signs: Bekas, Kokiopoulou & Saad, 2007) or "xdiag"
            (Epperly, Tropp & Webber, arXiv 2301.07825; `samples` products in all, at least 2).
            Default: "hutchinson".
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for other methods and numbers.

    >>> H = curvature.Hessian(lambda w, x: w ** 2 * x, lambda z, y: z.sum(), torch.ones(2), (torch.tensor([[1., 2.]]), torch.zeros(1)))
    >>> curvature.diagonal(H)
    tensor([2., 4.])
    """
    _check_method("diagonal", method, ("hutchinson", "xdiag"))
    if samples is None:
        return op.diagonal()
    check_samples("diagonal", samples)
    if method == "hutchinson":
        V = _draw(op, samples, generator)
        return mean_of((V * (op @ V)).mT, samples)
    if samples < 2:
        raise ValueError(f"diagonal: 'xdiag' takes at least 2 samples, got {samples}")
    m = min(samples // 2, op.shape[1])
    V = _draw(op, m, generator)
    Y = op @ V
    Q, S = _leave_one_out(Y)
    Z = op.T @ Q
    P = Q.mT @ Y
    inside = (Q * Z).sum(1, keepdim=True) - (Q @ S) * (Z @ S)
    draws = inside + V * (Y - Q @ (P - S * (S * P).sum(0)))
    return Estimate(draws.mean(1), draws.std(1, correction=1) / math.sqrt(m), samples)


@tidied
def frobenius_norm_squared(op: Operator, *, samples: int | None = None, generator: Any = None) -> Any:
    """The sum of the squares of all entries; with samples an `Estimate`, |A v|^2 of vectors of signs.

    Args:
        op: the operator.
        samples: the number of random vectors; the result is then an `Estimate`. None, where it is
            the default, computes exactly.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> H = curvature.Hessian(lambda w, x: w ** 2 * x, lambda z, y: z.sum(), torch.ones(2), (torch.tensor([[1., 2.]]), torch.zeros(1)))
    >>> curvature.frobenius_norm_squared(H)
    tensor(20.)
    """
    if samples is None:
        return op.frobenius_norm_squared()
    check_samples("frobenius_norm_squared", samples)
    return mean_of((op @ _draw(op, samples, generator)).square().sum(0), samples)


def _check_damping(who: str, damping: Any) -> None:
    if not isinstance(damping, Tensor) and not damping >= 0:
        raise ValueError(f"{who}: damping must not be negative, got {damping}")


@tidied
def logdet(
    op: Operator,
    *,
    damping: Any = 0.0,
    samples: int | None = None,
    steps: int | None = None,
    generator: Any = None,
) -> Any:
    """The logarithm of the determinant of op + damping * identity, which must be positive definite; with samples an
    `Estimate` by stochastic Lanczos quadrature of so many steps (by default 30).

    Exactly: of the dense matrix, or by the eigenvalues of Kronecker factors. Raises ValueError for a negative damping.

    Args:
        op: the operator.
        damping: a number that is added to the diagonal. Default: 0.0.
        samples: the number of random vectors; the result is then an `Estimate`. None, where it is
            the default, computes exactly.
        steps: the number of Lanczos steps, if `samples` is given. None (the default) is 30.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> H = curvature.Hessian(lambda w, x: w ** 2 * x, lambda z, y: z.sum(), torch.ones(2), (torch.tensor([[1., 2.]]), torch.zeros(1)))
    >>> round(curvature.logdet(H).item(), 4)
    2.0794

    Source: Ubaru, Chen & Saad, "Fast estimation of tr(f(A)) via stochastic Lanczos quadrature", 2017.
    """
    _check_damping("logdet", damping)
    if samples is None:
        if hasattr(op, "logdet"):
            return op.logdet(damping)
        dense = op.to_dense()
        eye = torch.eye(op.shape[0], dtype=dense.dtype, device=dense.device)
        return 2 * cholesky((dense + dense.mT) / 2 + damping * eye).diagonal().log().sum()
    check_samples("logdet", samples)
    n = op.shape[0]
    nodes, weights = _quadrature(op, samples, 30 if steps is None else steps, generator)
    values = torch.where(
        weights > 0, torch.log((nodes + damping).clamp(min=torch.finfo(nodes.dtype).tiny)), 0
    )
    return mean_of((values * weights).sum(1), samples, float(n))


def _quadrature(op: Operator, samples: int, steps: int, generator: Any) -> tuple[Tensor, Tensor]:
    starts = _draw(op, samples, generator).mT / math.sqrt(op.shape[0])
    return quadrature(lambda V: op @ V, starts, steps)


@tidied
def spectral_density(
    op: Operator, grid: Tensor, *, width: float, steps: int = 64, samples: int = 10, generator: Any = None
) -> Estimate:
    """An `Estimate` of the density of eigenvalues at each point of a grid: the mean over all eigenvalues of a normal
    density of this width around them.

    Args:
        op: the operator.
        grid: the points at which the density is estimated: a 1-D tensor.
        width: the standard deviation of the normal density around each eigenvalue.
        steps: the number of Lanczos steps. Default: 64.
        samples: the number of random vectors. Default: 10.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    Raises ValueError for a width that is not positive.

    >>> H = curvature.Hessian(lambda w, x: w ** 2 * x, lambda z, y: z.sum(), torch.ones(2), (torch.tensor([[1., 2.]]), torch.zeros(1)))
    >>> round(curvature.spectral_density(H, torch.tensor([2.]), width=0.1, samples=3).value.item(), 3)
    1.995

    Source: Lin, Saad & Yang, "Approximating spectral densities of large matrices", 2016; Ghorbani et al., arXiv
    1901.10159.
    """
    check_samples("spectral_density", samples)
    if not width > 0:
        raise ValueError(f"spectral_density: width must be positive, got {width}")
    nodes, weights = _quadrature(op, samples, steps, generator)
    z = (grid[:, None, None] - nodes) / width
    bumps = torch.exp(-(z**2) / 2) / (width * math.sqrt(2 * math.pi))
    return mean_of((bumps * weights).sum(2).mT, samples)
