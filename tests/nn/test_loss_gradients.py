"""Which arguments of losses and norms get a gradient, get none, or may not ask for one.
What is expected was observed in PyTorch 2.13."""

from __future__ import annotations

import re

import numpy as np
import pytest

import functorch_lite as torch
import functorch_lite.nn.functional as F

_A, _B, _C = (
    [[0.3, -0.7, 1.2], [0.5, 0.1, -0.4]],
    [[0.6, 0.2, -0.9], [-0.5, 0.8, 0.4]],
    [[0.3, 0.7, 0.2], [0.5, 0.1, 0.4]],
)
_SIGNS, _WEIGHTS = [[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]], [0.5, 1.5, 1.0]


def _leaves(*values):
    return [torch.tensor(v, requires_grad=True) for v in values]


def _classes(*values):
    return torch.tensor(values)


CONSTANTS = {
    "binary_cross_entropy": lambda w: F.binary_cross_entropy(torch.tensor(_C), torch.tensor(_C), w),
    "binary_cross_entropy_with_logits": lambda w: F.binary_cross_entropy_with_logits(torch.tensor(_A), torch.tensor(_C), w),
    "nll_loss_forward": lambda w: F.nll_loss(torch.tensor(_A), _classes(0, 2), w),
    "nll_loss2d_forward": lambda w: F.cross_entropy(torch.tensor(_A)[..., None], _classes([0], [2]), w),
    "multi_margin_loss": lambda w: F.multi_margin_loss(torch.tensor(_A), _classes(0, 2), weight=w),
}  # fmt: skip


@pytest.mark.parametrize("name", CONSTANTS)
def test_weights_without_a_derivative(name):
    (weights,) = _leaves(_WEIGHTS)
    sentence = f"The function '{name}' is not differentiable with respect to argument 'weight'. This input cannot have requires_grad True."
    with pytest.raises(RuntimeError, match=re.escape(sentence)):
        CONSTANTS[name](weights)
    with torch.no_grad():
        CONSTANTS[name](weights)
    CONSTANTS[name](weights.detach())


def test_weights_of_positive_targets_have_no_derivative():
    (weights,) = _leaves(_WEIGHTS)
    with pytest.raises(RuntimeError, match="with respect to argument 'pos_weight'"):
        F.binary_cross_entropy_with_logits(torch.tensor(_A), torch.tensor(_C), pos_weight=weights)


def test_weights_of_probabilities_have_a_derivative():
    x, weights = _leaves(_A, _WEIGHTS)
    F.cross_entropy(x, torch.tensor(_C), weights).backward()
    assert weights.grad is not None and weights.grad.abs().min() > 0


def test_a_target_that_is_compared_gets_no_gradient():
    for loss, inputs, target in (
        (F.hinge_embedding_loss, (_A,), _SIGNS),
        (F.cosine_embedding_loss, (_A, _B), [1.0, -1.0]),
    ):
        *inputs, target = _leaves(*inputs, target)
        loss(*inputs, target).backward()
        assert target.grad is None and all(x.grad is not None for x in inputs)
        assert not loss(*[x.detach() for x in inputs], target).requires_grad


COUNTS = {
    "norm": (torch.norm, (_A, 0)),
    "norm over a dim": (torch.norm, (_A, 0.0, 1)),
    "vector_norm": (torch.linalg.vector_norm, (_A, 0)),
    "linalg.norm": (torch.linalg.norm, (_A, 0, 1)),
    "pairwise_distance": (F.pairwise_distance, (_A, _B, 0)),
    "triplet_margin_loss": (F.triplet_margin_loss, (_A, _B, _C, 1.0, 0)),
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("case", COUNTS)
def test_a_number_of_elements_has_no_gradient(case, create_graph):
    function, given = COUNTS[case]
    given = [torch.tensor(x, requires_grad=True) if isinstance(x, list) else x for x in given]
    out = function(*given)
    assert out.requires_grad
    leaves = [x for x in given if isinstance(x, torch.Tensor)]
    found = torch.autograd.grad(out.sum(), leaves, create_graph=create_graph, allow_unused=True)
    assert found == (None,) * len(leaves)
    function(*given).sum().backward()
    assert all(x.grad is None for x in leaves)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(function(*given).sum(), leaves)


def test_beside_another_loss_a_number_of_elements_adds_nothing():
    (x,) = _leaves(_A)
    (torch.norm(x, 0) * 3 + x.sum()).backward()
    assert torch.equal(x.grad, torch.ones(2, 3))


def test_the_second_tensor_of_a_distance_that_counts():
    x, y = _leaves(_A, _B)
    torch.dist(x, y.detach(), 0).backward()
    assert x.grad is None
    for first in (x, x.detach()):
        with pytest.raises(RuntimeError, match="Expected a proper Tensor but got None"):
            torch.dist(first, y, 0).backward()


def test_margins_that_are_just_met_have_no_slope():
    rows = [[0.0, -1.0, 1.0], [2.0, 1.0, 1.0]]
    for loss in (
        lambda x: F.multi_margin_loss(x, _classes(0, 0), reduction="sum"),
        lambda x: F.multilabel_margin_loss(x, _classes([0, -1, 0], [0, -1, 0]), reduction="sum"),
    ):
        (x,) = _leaves(rows)
        loss(x).backward()
        np.testing.assert_allclose(x.grad.numpy(), [[-1 / 3, 0, 1 / 3], [0, 0, 0]], rtol=1e-6)


def test_no_classes():
    for loss in (F.nll_loss, F.cross_entropy):
        with pytest.raises(IndexError, match="Target 0 is out of bounds"):
            loss(torch.ones(2, 0), _classes(0, 0))
        with pytest.raises(
            RuntimeError, match=re.escape("size mismatch (got input: [2, 0, 0, 0] , target: [2, 1, 3]")
        ):
            loss(torch.ones(2, 0, 3), torch.zeros(2, 3, dtype=torch.int64))


@pytest.mark.parity
def test_pytorch_gives_the_same(monkeypatch):
    theirs = pytest.importorskip("torch")
    ours = {case: function for case, (function, _) in COUNTS.items()}
    monkeypatch.setitem(globals(), "torch", theirs)
    monkeypatch.setitem(globals(), "F", theirs.nn.functional)
    for name in CONSTANTS:
        test_weights_without_a_derivative(name)
    test_weights_of_positive_targets_have_no_derivative()
    test_weights_of_probabilities_have_a_derivative()
    test_a_target_that_is_compared_gets_no_gradient()
    homes = {
        "norm": theirs,
        "vector_norm": theirs.linalg,
        "pairwise_distance": theirs.nn.functional,
        "triplet_margin_loss": theirs.nn.functional,
    }
    for case, function in ours.items():
        home = theirs.linalg if case == "linalg.norm" else homes[function.__name__]
        monkeypatch.setitem(COUNTS, case, (getattr(home, function.__name__), COUNTS[case][1]))
        for create_graph in (False, True):
            test_a_number_of_elements_has_no_gradient(case, create_graph)
    test_beside_another_loss_a_number_of_elements_adds_nothing()
    test_the_second_tensor_of_a_distance_that_counts()
    test_margins_that_are_just_met_have_no_slope()
    test_no_classes()
