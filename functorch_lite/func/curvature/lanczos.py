"""Eigenvalues of symmetric operators by Lanczos' method, on the device: the largest and smallest, and quadrature of the
whole spectrum.

All vectors are kept and each new one is made orthogonal to all before it, twice, so that no eigenvalue comes twice.
Vectors are rows of arrays of a fixed size, into which each step writes at an index that is an argument, so that all
steps are one program.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.api import Tensor, from_array, namespace, tidied
from ..._core.api import functions as torch
from .._estimates import same_draws
from ..implicit import solution
from ..loops import while_loop
from ..vmap import vmap
from .operators import Operator, differentiated, pause

__all__ = ["eigsh", "quadrature"]

linalg = namespace("linalg")


def _place(at: int, like: Tensor) -> Tensor:
    """A place in an array, (1,): a value, not part of the program."""
    return from_array(np.array([at]), on=like._aval.device)


def _orthogonal(w: Tensor, basis: Tensor, times: int = 2) -> Tensor:
    """w (k, n) less its parts along the rows of basis (k, m, n), taken so many times."""
    for _ in range(times):
        w = w - torch.einsum("km,kmn->kn", torch.einsum("kmn,kn->km", basis, w), basis)
    return w


def _normed(w: Tensor) -> tuple[Tensor, Tensor]:
    """w (k, n) with rows of norm 1 (or 0, where nothing is left), and the norms."""
    norm = linalg.vector_norm(w, dim=1)
    tiny = torch.finfo(w.dtype).tiny
    return w / norm.clamp(min=tiny)[:, None], norm


def quadrature(times: Callable[[Tensor], Tensor], starts: Tensor, steps: int) -> tuple[Tensor, Tensor]:
    """Nodes and weights, (k, steps) each, of Gauss quadrature of the spectrum as seen from each row of starts (k, n) of
    norm 1.

    times: the product with columns (n, k). Source: Golub & Meurant, "Matrices, moments and quadrature", 1994; Ubaru,
    Chen & Saad, 2017.
    """
    k, n = starts.shape
    steps = min(steps, n)
    basis = torch.zeros(k, steps, n, dtype=starts.dtype, device=starts.device)
    alphas, betas, v = [], [], starts
    scale = beta = torch.zeros(k, dtype=starts.dtype, device=starts.device)
    before = torch.zeros_like(starts)
    pause()
    for j in range(steps):
        basis = basis.index_copy(1, _place(j, starts), v[:, None])
        w = times(v.mT).mT
        alpha = (w * v).sum(1)
        # less its parts along the last two, w is as short as what is left of it: to take the others once is enough
        w = _orthogonal(w - alpha[:, None] * v - beta[:, None] * before, basis, 1)
        before = v
        v, beta = _normed(w)
        scale = torch.maximum(scale, alpha.abs() + beta)
        # what is left of an invariant subspace is rounding: the quadrature ends there
        ended = beta <= 10 * n**0.5 * torch.finfo(starts.dtype).eps * scale
        beta, v = torch.where(ended, 0, beta), torch.where(ended[:, None], 0, v)
        alphas.append(alpha)
        betas.append(beta)
        pause()
    T = torch.diag_embed(torch.stack(alphas, 1))
    if steps > 1:
        off = torch.stack(betas[:-1], 1)
        T = T + torch.diag_embed(off, 1) + torch.diag_embed(off, -1)
    nodes, vectors = linalg.eigh(T)
    return nodes, vectors[:, 0, :] ** 2


@tidied
def eigsh(
    op: Operator, k: int, which: str = "LA", *, tol: float | None = None, max_restarts: int = 200, throw: bool = False,
    generator: Any = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(k eigenvalues, their vectors (n, k)) of a symmetric operator: `"LA"` the largest, descending; `"SA"` the
    smallest, ascending; `"LM"` the largest in magnitude, descending.

    Lanczos' method with full reorthogonalization and thick restarts, until each residual is below tol (by default, the
    square root of the dtype's epsilon ** 1.5) times the largest eigenvalue seen. A solver that stops before warns with
    residual and restarts; throw=True raises RuntimeError. Differentiable in the operator's params, by the implicit
    function theorem, where the eigenvalues differ. Raises ValueError for k and max_restarts out of range and for
    another `which`.

    Args:
        op: the operator.
        k: the number of eigenpairs.
        which: "LA" for the largest, descending; "SA" for the smallest, ascending; "LM" for those
            of largest magnitude, descending in magnitude. Default: "LA".
        tol: the largest residual, relative to the largest eigenvalue seen. None (the default) is
            the square root of the dtype's epsilon ** 1.5.
        max_restarts: the largest number of restarts. Default: 200.
        throw: whether a solver that stops before it has converged raises RuntimeError. By default
            it warns.
        generator: the `torch.Generator` that draws the numbers. None (the default) is the global
            generator.

    >>> op = curvature.Hessian(lambda w, x: (w ** 2 * x), lambda z, y: z.sum(), torch.ones(3), (torch.tensor([[1., 2., 3.]]), torch.zeros(1)))
    >>> curvature.eigsh(op, 2)[0]
    tensor([6.0000, 4.0000])

    Source: Wu & Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", 2000.
    """
    n = op.shape[0]
    if which not in ("LA", "SA", "LM"):
        raise ValueError(f"eigsh: which must be 'LA', 'SA' or 'LM', got {which!r}")
    if isinstance(k, bool) or not isinstance(k, int) or not 1 <= k <= n:
        raise ValueError(f"eigsh: k must be an int from 1 to {n}, got {k!r}")
    if max_restarts < 1:
        raise ValueError(f"eigsh: max_restarts must be positive, got {max_restarts}")
    tol = torch.finfo(op.dtype).eps ** 0.75 if tol is None else tol
    size = min(n, max(2 * k + 16, 32))
    keep = min(size - 1, k + (size - k) // 2)
    with same_draws():
        start = torch.randn(n, dtype=op.dtype, device=op.device, generator=generator)
    v = _normed(start[None])[0]
    if differentiated(op):
        return _differentiable(op, lambda op: _by_loops(op, k, which, tol, max_restarts, v, size, keep))
    basis = images = torch.zeros(size, n, dtype=op.dtype, device=op.device)
    first = 0
    pause()
    for _ in range(max_restarts):
        for j in range(first, size):
            basis, images, v = _grown(op, basis, images, v, _place(j, v))
            pause()
        values, basis, images, off = _rotated(basis, images, k, which)
        worst = off.item()
        if worst <= tol or size == n:
            break
        kept = (torch.arange(size, device=op.device) < keep)[:, None]
        whole, basis, images = basis, basis * kept, images * kept
        v = _normed(_orthogonal(v, basis[None]))[0]
        first = keep
    else:
        basis = whole
        message = f"eigsh: after {max_restarts} restarts a residual is {worst:.1e} of the largest eigenvalue, above tol={tol:.1e}"
        if throw:
            raise RuntimeError(message)
        warnings.warn(message, stacklevel=3)
    return values[:k], basis[:k].mT


def _grown(
    op: Operator, basis: Tensor, images: Tensor, v: Tensor, place: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """v (1, n) written into the basis at an index, its image at the same index, and the next vector to write."""
    image = (op @ v[0])[None]
    basis, images = basis.index_copy(0, place, v), images.index_copy(0, place, image)
    return basis, images, _normed(_orthogonal(image, basis[None]))[0]


def _rotated(basis: Tensor, images: Tensor, k: int, which: str) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """(eigenvalues in the span of the basis, in the order that is wanted; the basis and its images turned to their
    vectors; the largest residual of the first k as a share of the largest eigenvalue)."""
    small = basis @ images.mT
    values, rotation = linalg.eigh((small + small.mT) / 2)
    sizes = {"LA": -values, "SA": values, "LM": -values.abs()}[which]
    order = sizes.argsort()
    values, chosen = values[order], rotation[:, order]
    basis, images = chosen.mT @ basis, chosen.mT @ images
    residuals = linalg.vector_norm(images - values[:, None] * basis, dim=1)[:k]
    return (
        values,
        basis,
        images,
        residuals.max() / values.abs().max().clamp(min=torch.finfo(values.dtype).tiny),
    )


def _by_loops(
    op: Operator, k: int, which: str, tol: float, most: int, v: Tensor, size: int, keep: int
) -> tuple[Tensor, Tensor]:
    """The same as part of a program: (values, vectors (k, n))."""
    n = op.shape[0]
    on = {"dtype": op.dtype, "device": op.device}
    zeros, places = torch.zeros(size, n, **on), torch.arange(size, device=op.device)

    def goes_on(i: Tensor, worst: Tensor, *_: Any) -> Any:
        return (i < most) & ((worst > tol) | (i == 0)) & ((i == 0) | (size < n))

    def restart(i: Tensor, worst: Tensor, values: Tensor, basis: Tensor, images: Tensor, v: Tensor) -> Any:
        kept = ((places < keep) & (i > 0))[:, None]
        basis, images = basis * kept, images * kept
        v = torch.where(i > 0, _normed(_orthogonal(v, basis[None]))[0], v)

        def grown(j: Tensor, *carried: Tensor) -> Any:
            return (j + 1, *_grown(op, *carried, j[None]))

        _, basis, images, v = while_loop(
            lambda j, *_: j < size, grown, (torch.where(i > 0, keep, 0), basis, images, v)
        )
        values, basis, images, worst = _rotated(basis, images, k, which)
        return i + 1, worst, values, basis, images, v

    begin = (torch.tensor(0), torch.zeros((), **on), torch.zeros(size, **on), zeros, zeros, v)
    _, _, values, basis, _, _ = while_loop(goes_on, restart, begin)
    return values[:k], basis[:k]


def _differentiable(op: Operator, find: Callable) -> tuple[Tensor, Tensor]:
    """Pairs (value, vector) as roots of A v - value v = 0, |v| = 1: of eigenvalues that differ, derivatives of any
    order."""
    with torch.no_grad():
        values, vectors = find(op)

    def equations(z: tuple, op: Operator) -> tuple:
        value, v = z
        return (1 - v @ v) / 2, op @ v - value * v

    def one(value: Tensor, v: Tensor) -> tuple:
        return solution("eigsh", equations, (value, v), (op,), lambda _, z, op: z)

    return vmap(one, out_dims=(0, 1))(values, vectors)
