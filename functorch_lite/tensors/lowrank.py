"""Approximate decompositions: a few singular values or eigenvalues of a large matrix, from products with it."""

from __future__ import annotations

import math
from typing import Any

from .._core.api import OPS, Tensor, apply, check, composite, lookup, state, values_of
from .._core.api import functions as torch


def _linalg(name: str) -> Any:
    return lookup("linalg", name)


def _basis(A: Any, q: int, niter: int) -> Any:
    """An orthonormal basis that nearly contains the range of A: Halko, Martinsson, Tropp, SIAM Review 53 (2011),
    algorithm 4.4."""
    qr = _linalg("qr")
    start = torch.randn((*A.shape[:-2], A.shape[-1], q), dtype=A.dtype, device=A.device)
    basis = qr(A @ start)[0]
    for _ in range(niter):
        basis = qr(A @ qr(A.mH @ basis)[0])[0]
    return basis


@composite
def svd_lowrank(
    A: Any, q: int | None = 6, niter: int | None = 2, M: Any = None
) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) with A - M nearly U @ diag(S) @ V^H, of rank q; by random projection and `niter` subspace iterations.

    >>> U, S, V = torch.svd_lowrank(torch.ones(5, 4), q=2)
    >>> round(S[0].item(), 3)
    4.472
    """
    A = A if M is None else A - M
    q = 6 if q is None else q
    wide = A.shape[-2] < A.shape[-1]
    A = A.mH if wide else A
    basis = _basis(A, q, 2 if niter is None else niter)
    U, S, Vh = _linalg("svd")(basis.mH @ A, full_matrices=False)
    U, V = basis @ U, Vh.mH
    return (V, S, U) if wide else (U, S, V)


@composite
def pca_lowrank(
    A: Any, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) of svd_lowrank for the rows of A, from which their mean is subtracted if `center`; q is min(6, m, n) by
    default."""
    m, n = A.shape[-2:]
    q = min(6, m, n) if q is None else q
    if not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(dim=-2, keepdim=True) if center else A, q, niter)


@composite
def lobpcg(
    A: Any,
    k: int | None = None,
    B: Any = None,
    X: Any = None,
    n: int | None = None,
    iK: Any = None,
    niter: int | None = None,
    tol: float | None = None,
    largest: bool | None = None,
    method: str | None = None,
    tracker: Any = None,
    ortho_iparams: dict | None = None,
    ortho_fparams: dict | None = None,
    ortho_bparams: dict | None = None,
) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) eigenvalues of a symmetric A, or of A x = lambda B x, and their vectors, by
    iteration.

    Knyazev, SIAM J. Sci. Comput. 23 (2001); iK is a preconditioner, X the first guess, n how many vectors are
    iterated. The residuals are read in every iteration. A has derivatives, the ones of exact eigenpairs; with B no
    derivative exists, as in PyTorch. `method` may be "basic" or "ortho": both are the same here.

    >>> E, V = torch.lobpcg(torch.diag(torch.tensor([1.0, 2.0, 3.0, 5.0])), k=1)
    >>> E
    tensor([5.])
    """
    if tracker is not None or ortho_iparams or ortho_fparams or ortho_bparams:
        raise NotImplementedError("lobpcg: tracker and ortho_*params are not supported")
    check(A.shape[-2] == A.shape[-1], AssertionError, f"A must be square, got shape {A.shape}")
    if B is not None:
        check(A.shape == B.shape, AssertionError, f"A and B must have same shape, got {A.shape} vs {B.shape}")
    m = A.shape[-1]
    k = (1 if X is None else X.shape[-1]) if k is None else k
    n = (k if n is None else n) if X is None else X.shape[-1]
    if m < 3 * n:
        raise ValueError(
            f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is smaller than 3 x the number of requested "
            f"eigenpairs (={n})"
        )
    if method not in (None, "basic", "ortho"):
        raise ValueError(f"expected method 'basic' or 'ortho' but got {method!r}")
    if X is not None:
        check(
            tuple(X.shape[-2:]) == (m, n),
            AssertionError,
            f"X shape mismatch: got {X.shape}, expected {(m, n)}",
        )
    if state.grad and (A.requires_grad or (B is not None and B.requires_grad)):
        A, B = (A + A.mT) / 2, None if B is None else (B + B.mT) / 2
    tol = math.sqrt(torch.finfo(A.dtype).eps) if tol is None else tol
    rest = (
        iK if iK is None else iK.detach(),
        1000 if niter is None or niter < 0 else niter,
        tol,
        largest is not False,
    )
    a, b, x = (None if t is None else t.detach() for t in (A, B, X))
    if A.ndim == 2:
        guess = torch.randn((m, n), dtype=A.dtype, device=A.device) if x is None else x
        E, V = _iterate(a, b, guess, *rest)
    else:
        flat = [None if t is None else t.reshape(-1, *t.shape[-2:]) for t in (a, b, x)]
        parts = []
        for i in range(flat[0].shape[0]):
            ai, bi, xi = (None if t is None else t[i] for t in flat)
            parts.append(
                _iterate(
                    ai, bi, torch.randn((m, n), dtype=A.dtype, device=A.device) if xi is None else xi, *rest
                )
            )
        E, V = (torch.stack(p).reshape(*A.shape[:-2], *p[0].shape) for p in zip(*parts))
    return apply(OPS["_eigenpairs"], (), (A, B, E[..., :k], V[..., :k]))


def _ritz(A: Any, B: Any, S: Any, k: int, largest: bool) -> tuple[Any, Any]:
    """The best k eigenpairs within the span of S, which may be dependent."""
    eigh = _linalg("eigh")
    gram = S.mT @ (S if B is None else B @ S)
    scale = gram.diagonal().clamp(min=0).rsqrt()
    scale = torch.where(torch.isfinite(scale), scale, 0)
    values, vectors = eigh(scale[:, None] * gram * scale)
    kept = values_of(values > S.shape[-1] * torch.finfo(S.dtype).eps * values[-1] * 10)
    first = int(kept.argmax())  # eigenvalues ascend
    T = S @ (scale[:, None] * vectors[:, first:] / values[first:].sqrt())
    values, vectors = eigh(T.mT @ (A @ T))
    if largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    return values[:k], T @ vectors[:, :k]


def _iterate(A: Any, B: Any, X: Any, iK: Any, niter: int, tol: float, largest: bool) -> tuple[Any, Any]:
    k, P = X.shape[-1], None
    E, X = _ritz(A, B, X, k, largest)
    size = (A @ X).norm() / X.norm()
    size_b = 1 if B is None else (B @ X).norm() / X.norm()
    for _ in range(niter):
        R = A @ X - (X if B is None else B @ X) * E
        error = R.norm(dim=0) / (X.norm(dim=0) * (size + E.abs() * size_b))
        if bool((error < tol).all()):
            break
        W = R if iK is None else iK @ R
        S = torch.cat([X, W] if P is None else [X, W, P], 1)
        E, new = _ritz(A, B, S, k, largest)
        P = new - X @ (X.mT @ (new if B is None else B @ new))
        X = new
    return E, X
