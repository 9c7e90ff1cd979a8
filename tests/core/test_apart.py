"""Ops in one program round, overflow and lose nan as they do one by one."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.declare.op import OPS
from functorch_lite._core.lazy.apart import ANY, MERGED

INF, NAN = float("inf"), float("nan")
X = [1000.0, 40.0, -3.0, 1e-9, 1e30, -1e30, 0.0, -0.0, 2.5, INF, -INF, NAN]
Y = torch.tensor([3.0, 1e20, 2.0, 1.0, 1e30, 1e-30, 5.0, 6.0, 1e10, 2.0, 3.0, 4.0])

CHAINS = {
    "products with numbers": [lambda x: x * 1e30, lambda x: x * 1e30, lambda x: x * 1e-30],
    "products with tensors that are constants": [lambda x: x * torch.full((12,), 1e30), lambda x: x * torch.tensor(1e30) * 1e-30],
    "sums": [lambda x: x + 1e10, lambda x: x - 1e10],
    "differences": [lambda x: 1e10 - x, lambda x: x - 1e10],
    "sums with ones": [lambda x: x + torch.ones(12), lambda x: x - torch.ones(12)],
    "rounding by a large number": [lambda x: x + 12582912.0, lambda x: x - 12582912.0],
    "quotients": [lambda x: x / Y, lambda x: x / Y],
    "quotients by numbers": [lambda x: x / 1e20, lambda x: x / 1e20, lambda x: x * 1e30],
    "a quotient by a quotient": [lambda x: Y / x, lambda x: x / (x / Y)],
    "log of exp": [torch.exp, torch.log],
    "log of a power": [lambda x: x.abs() ** Y, torch.log],
    "a power of exp": [torch.exp, lambda x: x**0.01],
    "a power of a power": [lambda x: x**2, lambda x: x**0.5],
    "the root of a square": [torch.square, torch.sqrt],
    "the root of a product": [lambda x: x * x, torch.sqrt],
    "through views": [lambda x: (x * 1e30).reshape(3, 4).t().clone(), lambda x: (x * 1e30).reshape(12), lambda x: x * 1e-30],
    "through sums of one": [lambda x: x.exp()[:, None], lambda x: x.sum(1), torch.log],
    "products with what is made of constants": [lambda x: x * (1e30 * torch.ones(12)), lambda x: x * 1e-30],
    "nan compared": [lambda x: x.abs(), lambda x: x >= 0],
    "nan compared on the left": [lambda x: x * x, lambda x: 0 <= x],
    "products of exp": [lambda x: x.exp() * (-x).exp()],
}  # fmt: skip
ROUNDED_TO_NEAREST = {n for n in CHAINS if n.startswith(("product", "sum", "difference", "round", "quotient", "a quotient", "nan"))} - {
    "products of exp"
}  # fmt: skip


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("name", CHAINS)
def test_as_one_by_one(name, dtype):
    x = torch.tensor(X, dtype=dtype)
    together = x.clone()
    for step in CHAINS[name]:
        together = step(together)
    apart = x.clone()
    for step in CHAINS[name]:
        apart = torch.tensor(step(apart).numpy())  # read, and so computed, after each
    if name == "products of exp":
        apart = torch.tensor(x.exp().numpy()) * torch.tensor((-x).exp().numpy())
    # sums, products and quotients are rounded to the nearest everywhere; what else is computed may differ by program
    near = 0 if name in ROUNDED_TO_NEAREST else 8 * torch.finfo(dtype).eps
    np.testing.assert_allclose(together.numpy(), apart.numpy(), rtol=near, atol=near)


def test_scales_whose_product_overflows():
    x = torch.zeros(3, dtype=torch.float64)
    assert (x * 1e200 * 1e200 * 1e-200).tolist() == [0.0, 0.0, 0.0]


def test_infinity_divided_twice():
    assert (torch.tensor([INF]) / 1e20 / 1e20).tolist() == [INF]


def test_derivatives_pass():
    """Of nan too, in a transform, where what is kept apart is differentiated."""
    slope = torch.func.grad(lambda x: (x * 2.0 * 3.0).sum())(torch.tensor([1.0, NAN]))
    assert slope.tolist() == [6.0, 6.0]
    x = torch.tensor([0.5, 2.0], requires_grad=True)
    (x.exp().log() * 2.0 * 5.0).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [10.0, 10.0], rtol=1e-6)
    assert torch.vmap(lambda x: x + 1e10 - 1e10)(torch.tensor([[1.0], [3.0]])).tolist() == [[0.0], [0.0]]


def test_derivatives_are_kept_apart():
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    (x * 1e-200 * 1e200 * 1e200).backward(torch.zeros(3, dtype=torch.float64))
    assert x.grad.tolist() == [0.0, 0.0, 0.0]
    y = torch.full((3,), 1e-30, requires_grad=True)
    huge = torch.tensor([1e20, 1e30, 1.0])
    (y / huge / huge).backward(torch.tensor([1e30, INF, 1.0]))
    np.testing.assert_allclose(y.grad.numpy(), [1e-10, INF, 1.0], rtol=1e-6)


def test_the_ops_of_the_table_exist():
    named = {*MERGED, *(first for firsts in MERGED.values() for first in firsts)} - {ANY}
    assert {name.removesuffix("_backward") for name in named} <= set(OPS)
