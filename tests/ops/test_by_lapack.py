"""Small matrices whose flags are read are handed to LAPACK at once: the results are the op's, and so are errors and
derivatives."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.compat import from_jax, to_jax
from functorch_lite.tensors import by_lapack

A = np.random.default_rng(0).standard_normal((2, 5, 5)) + 5 * np.eye(5)
B = np.random.default_rng(1).standard_normal((2, 5, 3))


@pytest.fixture
def as_ops(monkeypatch):
    """A function that computes what it is given without LAPACK at hand."""

    def run(fn):
        with monkeypatch.context() as patched:
            patched.setattr(by_lapack, "_numbers", lambda *tensors, **how: None)
            return fn()

    return run


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_results_are_those_of_the_ops(as_ops, dtype):
    a, b = torch.tensor(A, dtype=dtype), torch.tensor(B, dtype=dtype)
    L = torch.linalg
    for fn in (
        lambda: [L.inv(a), L.solve(a, b), L.cholesky(a @ a.mT), torch.inverse(a[0])],
        lambda: [L.svd(a)[1], L.svd(b, full_matrices=False)[1], L.svd(b).U.abs(), L.svd(b)[2].abs()],
        lambda: [*L.lstsq(b[0], a[0])[:3], L.lstsq(b[1].mT, b[1].mT).solution],
    ):
        for ours, op in zip(fn(), as_ops(fn)):
            assert ours.dtype is op.dtype and ours.shape == op.shape
            torch.testing.assert_close(ours, op)


def test_they_are_handed_over(monkeypatch):
    monkeypatch.setattr("functorch_lite.tensors.linalg._inv_ex", None)
    torch.testing.assert_close(
        torch.linalg.inv(torch.tensor(A)) @ torch.tensor(A), torch.eye(5).double().expand(2, 5, 5)
    )


def test_what_cannot_be_factored_raises_as_ever():
    with pytest.raises(
        torch.linalg.LinAlgError, match=r"inv: \(Batch element 1\): The diagonal element 2 is zero"
    ):
        torch.linalg.inv(torch.stack([torch.eye(2), torch.ones(2, 2)]))
    with pytest.raises(torch.linalg.LinAlgError, match="singular"):
        torch.linalg.solve(torch.zeros(2, 2), torch.ones(2, 2))
    with pytest.raises(torch.linalg.LinAlgError, match="leading minor of order 2"):
        torch.linalg.cholesky(torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(torch.linalg.LinAlgError, match="non-finite"):
        torch.linalg.svd(torch.tensor([[1.0, float("nan")], [2.0, 1.0]]))
    assert torch.linalg.inv(torch.tensor([[float("nan")]])).isnan().all()


def test_derivatives_and_transforms():
    a = torch.tensor(A[0], requires_grad=True)
    (g,) = torch.autograd.grad(torch.linalg.inv(a).sum(), [a])
    inverse = np.linalg.inv(A[0])
    np.testing.assert_allclose(g.numpy(), -(inverse.T @ np.ones((5, 5)) @ inverse.T))
    np.testing.assert_allclose(torch.vmap(torch.linalg.inv)(torch.tensor(A)).numpy(), np.linalg.inv(A))
    fn = torch.compile(lambda x: torch.linalg.solve(x, x).sum() * 2)
    for _ in range(4):
        assert fn(torch.tensor(A[0])).item() == pytest.approx(10)


def test_inside_a_transformation_of_jax():
    """The numbers are not known there, nor whether a matrix is singular: what is recorded becomes part of its
    program."""

    def f(x):
        t = from_jax(x)
        return to_jax(torch.linalg.inv(t) + torch.linalg.cholesky(t) + torch.linalg.solve(t, t))

    x = np.array([[2.0, 0.5], [0.5, 1.0]], np.float32)
    expected = np.linalg.inv(x) + np.linalg.cholesky(x) + np.eye(2)
    np.testing.assert_allclose(jax.jit(f)(x), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(jax.vmap(f)(np.stack([x, x]))[1], expected, rtol=1e-5, atol=1e-6)


def test_many_equations_are_handed_over_too():
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((400, 100)), rng.standard_normal((400, 2))
    found = torch.linalg.lstsq(torch.tensor(a), torch.tensor(b))
    np.testing.assert_allclose(found.solution.numpy(), np.linalg.lstsq(a, b, None)[0], rtol=1e-9, atol=1e-9)
    assert found.rank.item() == 100


@pytest.mark.programs
@pytest.mark.parametrize("name", ["inv", "solve", "cholesky", "upper"])
def test_on_the_tape_one_program_computes_factors_and_gradients(name):
    L = torch.linalg
    fn = {
        "inv": L.inv,
        "solve": lambda x: L.solve(x, x + 1),
        "cholesky": L.cholesky,
        "upper": lambda x: L.cholesky(x, upper=True),
    }[name]
    x = torch.tensor(A[0] @ A[0].T, requires_grad=True)
    with torch.debug.tier("compiled"):
        before = torch.debug.stats()["programs"]
        (g,) = torch.autograd.grad(fn(x).sum(), [x])
        assert g.isfinite().all().item()
        assert torch.debug.stats()["programs"] == before + 1


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_on_the_tape_what_cannot_be_factored_raises(scale):
    """Also what rounding decides: it is left to the op."""
    L = torch.linalg
    for singular in ([[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 1.0]]):
        x = (torch.tensor(singular) * scale).requires_grad_()
        for fn in (L.inv, lambda x: L.solve(x, x)):
            with pytest.raises(L.LinAlgError, match="singular"):
                fn(x)
    for indefinite in ([[1.0, 2.0], [2.0, 1.0]], [[-1.0, 0.0], [0.0, 1.0]]):
        x = (torch.tensor(indefinite) * scale).requires_grad_()
        for upper in (False, True):
            with pytest.raises(L.LinAlgError, match="leading minor"):
                L.cholesky(x, upper=upper)


def test_what_rounding_decides_is_not_seen_at_once():
    near = torch.tensor([[1.0, 1.0], [1.0, 1.0 + 1e-6]])
    assert not by_lapack.is_regular(near) and not by_lapack.is_definite(near, False)
    well = torch.tensor([[2.0, 1.0], [1.0, 2.0]])
    assert by_lapack.is_regular(well) and by_lapack.is_definite(well, False)
    of_upper = torch.tensor([[2.0, 1.0], [100.0, 2.0]])
    assert by_lapack.is_definite(of_upper, True) and not by_lapack.is_definite(of_upper, False)
    assert not by_lapack.is_regular(torch.tensor([[float("nan")]]))
    assert not by_lapack.is_regular(torch.eye(2, requires_grad=True) * 2)  # it is pending


def test_dual_numbers_have_the_tangents_of_the_ops(as_ops):
    fw, L = torch.autograd.forward_ad, torch.linalg
    a, t = torch.tensor(A[0] @ A[0].T), torch.tensor(A[1] + A[1].T)

    def tangents():
        with fw.dual_level():
            x = fw.make_dual(a, t)
            made = (L.svd(x).S, L.inv(x), L.cholesky(x), L.solve(x, x * 2), L.lstsq(x, x.mT).solution)
            return [fw.unpack_dual(y).tangent for y in made]

    for ours, op in zip(tangents(), as_ops(tangents)):
        torch.testing.assert_close(ours, op)
    (values,) = torch.func.jvp(L.svdvals, (a,), (t,))[1:]
    torch.testing.assert_close(tangents()[0], values)
