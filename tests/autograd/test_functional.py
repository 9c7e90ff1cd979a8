"""autograd.functional: against closed forms and torch.func's transforms. (Beside PyTorch: test_autograd_parity.py.)"""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.autograd import functional

from .functional_programs import ERRORS, cubes, product, square, vectors


def close(t, wanted):
    np.testing.assert_allclose(t.detach().numpy(), np.asarray(wanted), rtol=1e-5, atol=1e-6)


def test_products():
    x, _ = vectors(torch)
    v = torch.tensor([1.0, -1.0, 2.0])
    for f in (functional.vjp, functional.jvp):
        out, found = f(square, x, v)
        close(out, [1, 4, 9])
        close(found, [2, -4, 12])
    for f in (functional.vhp, functional.hvp):
        out, found = f(cubes, x, v)
        close(out, 36)
        close(found, [6, -12, 36])
        assert not found.requires_grad


@pytest.mark.parametrize(
    "options", [{}, {"vectorize": True}, {"vectorize": True, "strategy": "forward-mode"}]
)
def test_jacobian_is_that_of_func(options):
    x, y = vectors(torch)

    def f(x, y):
        return (x.sum() * y.sin(), y[0] @ y)

    mine = functional.jacobian(f, (x, y), **options)
    wanted = torch.func.jacrev(f, argnums=(0, 1))(x, y)
    for row, other in zip(mine, wanted):
        for a, b in zip(row, other):
            close(a, b.numpy())


@pytest.mark.parametrize("options", [{}, {"vectorize": True, "outer_jacobian_strategy": "forward-mode"}])
def test_hessian_is_that_of_func(options):
    x, y = vectors(torch)
    mine = functional.hessian(product, (x, y), **options)
    wanted = torch.func.hessian(product, argnums=(0, 1))(x, y)
    for row, other in zip(mine, wanted):
        for a, b in zip(row, other):
            close(a, b.numpy())


def test_graph_of_results():
    x = vectors(torch)[0].requires_grad_()
    for result, wanted in (
        (functional.jacobian(lambda x: x**3, x, create_graph=True), [6, 12, 18]),
        (functional.hvp(cubes, x, torch.ones(3), create_graph=True)[1], [6, 6, 6]),
        (functional.jvp(square, x, torch.ones(3), create_graph=True)[1], [2, 2, 2]),
    ):
        close(torch.autograd.grad(result.sum(), x)[0], wanted)


def test_backward_of_python_is_run_row_by_row():
    class Numpy(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return torch.from_numpy(np.sin(x.detach().numpy()))

        @staticmethod
        def backward(ctx, g):
            return torch.from_numpy(g.numpy() * np.cos(ctx.saved_tensors[0].detach().numpy()))

    x, _ = vectors(torch)
    close(functional.jacobian(Numpy.apply, x), np.diag(np.cos(x.numpy())))


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    with pytest.raises((RuntimeError, TypeError, AssertionError, NotImplementedError)) as error:
        ERRORS[name](torch)
    assert type(error.value) is not RuntimeError or "strict" in str(error.value) or "v" in str(error.value)
