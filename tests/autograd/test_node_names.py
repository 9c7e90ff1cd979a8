"""grad_fn's names are PyTorch's."""

from __future__ import annotations

import pytest

import functorch_lite as ours

from .node_names_cases import names


def test_names():
    x = ours.ones(2, 2, requires_grad=True)
    bias = ours.ones(2)
    assert (x @ x).sum(0).grad_fn.name() == "SumBackward1"
    assert type(ours.nn.functional.linear(x, x, bias).grad_fn).__name__ == "AddmmBackward0"
    assert (
        ours.nn.functional.linear(x, x).grad_fn.next_functions[0][0].name()
        == "torch::autograd::AccumulateGrad"
    )
    assert repr(ours.nn.functional.relu(x).grad_fn).startswith("<ReluBackward0 object at 0x")

    class Doubled(ours.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    node = Doubled.apply(x).grad_fn
    assert (type(node).__name__, type(node).__module__) == ("DoubledBackward", "torch.autograd.function")
    assert repr(node).startswith("<torch.autograd.function.DoubledBackward object at 0x")
    with pytest.raises(AttributeError, match="'ReluBackward0' object has no attribute '_saved_nothing'"):
        _ = x.relu().grad_fn._saved_nothing


def test_results_that_nodes_save():
    x = ours.tensor([1.0, 0.5], requires_grad=True)
    for (
        name
    ) in "exp exp2 expm1 reciprocal relu rsqrt sigmoid sqrt tan tanh softmax log_softmax logsumexp".split():
        dims = [0] if "softmax" in name or name == "logsumexp" else []
        y = getattr(ours, name)(x, *dims)
        saved = y.grad_fn._saved_result
        assert "_saved_result" in dir(y.grad_fn) and saved.grad_fn == y.grad_fn
        assert saved.tolist() == pytest.approx(y.tolist(), rel=1e-6), name
    (gradient,) = ours.autograd.grad(x.exp().grad_fn._saved_result.sum(), x)
    assert gradient.tolist() == pytest.approx(x.exp().tolist(), rel=1e-6)
    assert [n for n in dir((x * x).grad_fn) if n.startswith("_saved")] == ["_saved_other", "_saved_self"]
    y = x.exp()
    y.sum().backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        _ = y.grad_fn._saved_result


@pytest.mark.parity
def test_beside_torch():
    torch = pytest.importorskip("torch")
    mine, theirs = names(ours), names(torch)
    wrong = [(i, a, b) for i, (a, b) in enumerate(zip(mine, theirs)) if a != b]
    assert not wrong
