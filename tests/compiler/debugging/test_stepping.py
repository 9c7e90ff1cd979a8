"""find_nan and compare: the op and the line that they name."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.api import NotOneOp

HERE = "test_stepping.py"


def line(text, code):
    return HERE in text and code in text


def test_the_first_nan():
    def loss(x):
        y = x.log()
        return (y - y).sum()

    found = torch.debug.find_nan(loss, torch.tensor([4.0, 0.0]))
    assert (found.kind, found.op, found.backward) == ("nan", "sub", False) and line(found.line, "(y - y)")
    assert found.cause.op == "log" and line(found.cause.line, "x.log()")
    assert "makes NaN" in str(found) and "log makes an infinity" in str(found)
    assert "1 NaN" in found.result and "1 infinite" in found.inputs[0]


def test_a_nan_of_the_backward():
    w = torch.tensor([0.0, 1.0], requires_grad=True)
    found = torch.debug.find_nan(lambda w: (w * w).sqrt().sum(), w)
    assert found.op == "mul_backward" and found.backward and found.cause.op == "sqrt_backward"
    assert torch.debug.find_nan(lambda w: (w * w).sqrt().sum(), w.detach()) is None and w.grad is None


def test_infinities_and_inputs():
    x = torch.full((2,), 100.0)
    assert torch.debug.find_nan(lambda x: x.exp().exp(), x).op == "exp"
    assert torch.debug.find_nan(lambda x: x.sin(), x) is None
    mask = torch.tensor([0.0, float("-inf")])
    assert (
        torch.debug.find_nan(lambda x: (x + mask).softmax(-1), x) is not None
    )  # the mask's infinity goes on
    with pytest.raises(ValueError, match="the input x has NaN already"):
        torch.debug.find_nan(lambda x: x.sin(), x * float("nan"))


def test_a_step_that_trains_is_refused():
    w = nn.Parameter(torch.ones(2))
    with pytest.raises(NotOneOp):
        torch.debug.find_nan(lambda x: (x * w).sum().backward(), torch.ones(2))


def test_the_generator_is_as_it_was():
    before = torch.get_rng_state()
    torch.debug.find_nan(lambda x: nn.functional.dropout(x).log(), torch.ones(4))
    assert torch.equal(torch.get_rng_state(), before)


def model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2), nn.Tanh())


def putting(f):
    """A backend whose callable computes f in the place of relu."""

    def backend(gm, inputs):
        for n in gm.graph.nodes:
            if getattr(n.target, "__name__", "") == "relu":
                n.target = f
        gm.recompile()
        return lambda *a: gm(*a)

    return backend


class WrongDerivative(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.relu(x)

    @staticmethod
    def backward(ctx, g):
        return g


def test_no_difference(capsys):
    assert not torch.debug.compare(model(), torch.randn(5, 3))
    assert "No difference" in capsys.readouterr().out


@pytest.mark.parametrize(
    "f, what", [(lambda x: torch.relu(x) + 0.01, "result"), (WrongDerivative.apply, "gradient")]
)
def test_the_first_step_that_differs(f, what, capsys):
    x = torch.randn(5, 3, requires_grad=True)
    found = torch.debug.compare(torch.compile(model(), backend=putting(f)), x)
    assert (found.what, found.op, found.verdict) == (what, "relu", "reference") and found.largest > 1e-3
    said = capsys.readouterr().out
    assert (
        f"The first {what} that differs is that of relu" in said
        and "float64 sides with the ops run one by one" in said
    )
    assert "it reads float32[5, 8] from" in said and x.grad is None


def test_an_error_of_the_compiled_side():
    def boom(x):
        raise KeyError("mine")

    found = torch.debug.compare(model(), torch.randn(5, 3), backend=putting(boom))
    assert found.what == "error" and found.op == "relu" and "KeyError: 'mine'" in str(found)


def test_against_float64():
    x = torch.full((1000,), 0.1)

    def f(x):
        return (x * 1e4).exp() * 0 + ((x + 1e4) - 1e4) * 100

    assert torch.debug.compare(f, torch.zeros(3)).what == ""
    found = torch.debug.compare(lambda x: ((x + 1e6) - 1e6) * 10, x, against="float64")
    assert found.op == "sub" and found.what == "result"
    with pytest.raises(ValueError, match='against is "eager" or "float64"'):
        torch.debug.compare(f, x, against="x")
