"""Derivatives of lobpcg: those of the same eigenpairs by linalg.eigh, and, in parity, PyTorch's own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import functorch_lite

_rng = np.random.default_rng(5)
_ROOT = _rng.normal(size=(8, 8))
_MATRIX = _ROOT @ _ROOT.T + np.diag(np.arange(8.0))
_START = _rng.normal(size=(8, 2))


def _derivatives(torch: Any, largest: bool, pairs: Any) -> list[np.ndarray]:
    """A scalar of a matrix's eigenpairs (d, u) that does not depend on the signs of u, and its first two
    derivatives."""
    a = torch.tensor(_MATRIX, requires_grad=True)
    d, u = pairs(a)
    weights = torch.tensor(np.cos(np.arange(64.0)).reshape(8, 8))
    out = (u @ torch.diag_embed(d.cos()) @ u.mT * weights).sum() + (d**2).sum()
    (grad,) = torch.autograd.grad(out, a, create_graph=True)
    (second,) = torch.autograd.grad((grad * weights).sum(), a)
    return [x.detach().numpy() for x in (out, grad, second)]


def _by_lobpcg(torch: Any, largest: bool) -> list[np.ndarray]:
    def pairs(a: Any) -> Any:
        return torch.lobpcg(a, 2, X=torch.tensor(_START), largest=largest, tol=1e-12)

    return _derivatives(torch, largest, pairs)


@pytest.mark.parametrize("largest", [True, False])
def test_derivatives_are_those_of_eigh(largest):
    def pairs(a):
        d, u = functorch_lite.linalg.eigh((a + a.mT) / 2)
        return (d[-2:], u[:, -2:]) if largest else (d[:2], u[:, :2])

    for got, want in zip(
        _by_lobpcg(functorch_lite, largest), _derivatives(functorch_lite, largest, pairs), strict=True
    ):
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-7)


def test_a_generalized_problem_has_no_derivative():
    a = functorch_lite.tensor(_MATRIX, requires_grad=True)
    with pytest.raises(ValueError, match="does not support backward with B != I yet"):
        functorch_lite.lobpcg(a, 2, functorch_lite.eye(8, dtype=functorch_lite.float64))[0].sum().backward()


@pytest.mark.parity
@pytest.mark.parametrize("largest", [True, False])
def test_derivatives_are_those_of_pytorch(largest):
    torch = pytest.importorskip("torch")
    for got, want in zip(_by_lobpcg(functorch_lite, largest), _by_lobpcg(torch, largest), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-7, atol=1e-7)
