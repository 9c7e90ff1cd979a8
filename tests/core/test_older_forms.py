"""Calls with scalings by position, as older programs have them, are the calls with keywords; torch too runs these
tests."""

import warnings

import pytest

import functorch_lite as torch

pytestmark = pytest.mark.filterwarnings("ignore:This overload of")


def _operands():
    return torch.arange(4.0).reshape(2, 2), torch.full((2, 2), 3.0), torch.tensor([[1.0, -2.0], [0.5, 4.0]])


@pytest.mark.parametrize("name", ["add", "sub"])
@pytest.mark.parametrize("other", [1, 2], ids=["tensor", "number"])
def test_the_number_before_what_is_added(name, other):
    given = _operands()
    other = 5.0 if other == 2 else given[1]
    expected = getattr(torch, name)(given[0], other, alpha=-0.5)
    assert torch.equal(getattr(torch, name)(given[0], -0.5, other), expected)
    assert torch.equal(getattr(given[0], name)(-0.5, other), expected)
    written = given[0].clone()
    assert getattr(written, f"{name}_")(-0.5, other) is written
    assert torch.equal(written, expected)


@pytest.mark.parametrize("name", ["addcmul", "addcdiv"])
def test_the_number_before_two_tensors(name):
    t, a, b = _operands()
    expected = getattr(torch, name)(t, a, b, value=0.25)
    assert torch.equal(getattr(torch, name)(t, 0.25, a, b), expected)
    assert torch.equal(getattr(t.clone(), f"{name}_")(0.25, a, b), expected)


SHAPES = {
    "addmm": ("m", "m"),
    "addmv": ("m", "v"),
    "addr": ("v", "v"),
    "addbmm": ("s", "s"),
    "baddbmm": ("s", "s"),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("numbers", [(2.0,), (2.0, -0.5)], ids=["beta", "beta and alpha"])
def test_numbers_before_the_tensors_that_they_scale(name, numbers):
    _, matrix, other = _operands()
    made = {"m": other, "v": other[0], "s": torch.stack([other, matrix])}
    a, b = [made[k] for k in SHAPES[name]]
    t = {"addmv": matrix[0], "baddbmm": made["s"]}.get(name, matrix).clone()
    beta, *alpha = numbers
    expected = getattr(torch, name)(t, a, b, beta=beta, alpha=alpha[0] if alpha else 1)
    assert torch.equal(getattr(torch, name)(beta, t, *alpha, a, b), expected)
    assert torch.equal(getattr(t, name)(beta, *alpha, a, b), expected)
    assert torch.equal(getattr(t, f"{name}_")(beta, *alpha, a, b), expected)


def test_gradients_go_through():
    x, g = torch.ones(3, requires_grad=True), torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    torch.add(x, 2, g).sum().backward()
    assert x.grad.tolist() == [1, 1, 1]
    assert g.grad.tolist() == [2, 2, 2]


def test_it_is_advised_against():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.ones(2).add_(torch.ones(2), alpha=0.5)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: torch.add(t, t, 2),
        lambda t: torch.add(t, t, t),
        lambda t: torch.addcmul(t, t, t, 0.5),
        lambda t: t.addcdiv_(t, 0.5, t),
        lambda t: torch.addmm(t, t, t, 1, 1),
        lambda t: torch.addmm(1, 2, t, t, t),
        lambda t: torch.addmm(1, 2, 3, t, t, t),
        lambda t: torch.mul(t, 2, t),
    ],
)
def test_anything_else_is_an_argument_too_many(call):
    t = torch.ones(2, 2)
    with pytest.raises(TypeError):
        call(t)
    assert torch.equal(t, torch.ones(2, 2))
