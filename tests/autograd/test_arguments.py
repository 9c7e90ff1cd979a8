"""What autograd's functions do with each of their arguments: the cases of argument_cases.py, in this library."""

from __future__ import annotations

import importlib

import pytest

import functorch_lite as torch

from .argument_cases import CASES, ERRORS, VALUES


def plain(x):
    """x with lists for tensors and tuples."""
    if isinstance(x, dict):
        return {k: plain(v) for k, v in x.items()}
    if isinstance(x, tuple | list):
        return [plain(v) for v in x]
    return x.tolist() if hasattr(x, "tolist") else x


@pytest.mark.parametrize("name", VALUES)
def test_value(name):
    assert plain(CASES[name](torch)) == VALUES[name]


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    error, message = ERRORS[name]
    with pytest.raises(error) as raised:
        CASES[name](torch)
    assert type(raised.value) is error
    assert message in str(raised.value)


def test_backward_inside_a_transform_of_what_requires_grad_there():
    def f(x):
        y = x.detach().requires_grad_()
        (y**3).sum().backward()
        return (x * y.grad).sum()

    assert torch.func.grad(f)(torch.tensor([1.0, 2.0])).tolist() == [3.0, 12.0]


@pytest.mark.parametrize("name", ["associative_scan", "cond", "map", "scan", "while_loop"])
def test_higher_order_ops_have_modules_of_their_own(name):
    package = torch._higher_order_ops
    module = importlib.import_module(f"{package.__name__}.{name}")
    assert getattr(module, name) is getattr(package, name)
    assert callable(getattr(package, name))
