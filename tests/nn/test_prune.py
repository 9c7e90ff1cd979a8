"""Pruning. What is expected here was observed in PyTorch 2.13."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.nn.utils import prune


def linear():
    m = nn.Linear(3, 4)
    with torch.no_grad():
        m.weight.copy_(torch.arange(12.0).reshape(4, 3) - 5.4)
        m.bias.copy_(torch.arange(4.0))
    return m


def test_pruning_twice_and_making_it_permanent():
    m = linear()
    prune.l1_unstructured(m, "weight", 0.3)
    assert list(m.state_dict()) == ["bias", "weight_orig", "weight_mask"]
    assert m.weight_mask.tolist() == [[1, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]]
    prune.l1_unstructured(m, "weight", 4)  # four of what is left
    assert m.weight_mask.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 0], [0, 1, 1]]
    prune.ln_structured(m, "weight", 1, n=2, dim=0)
    assert m.weight_mask.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 1]]
    assert prune.is_pruned(m) and len(m._forward_pre_hooks) == 1
    m(torch.ones(2, 3)).sum().backward()
    assert m.weight_orig.grad.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 2, 2]]
    prune.remove(m, "weight")
    assert list(m.state_dict()) == ["bias", "weight"] and not prune.is_pruned(m)
    assert m.weight[:3].abs().sum() == 0


def test_custom_mask_identity_and_global():
    m, other = linear(), linear()
    prune.identity(m, "bias")
    assert m.bias_mask.tolist() == [1, 1, 1, 1]
    prune.custom_from_mask(m, "bias", torch.tensor([0, 1, 0, 1]))
    assert m.bias.tolist() == [0, 1, 0, 3]
    prune.global_unstructured([(m, "weight"), (other, "bias")], prune.L1Unstructured, amount=4)
    assert m.weight_mask.sum() == 10 and other.bias_mask.tolist() == [0, 0, 1, 1]


def test_random():
    torch.manual_seed(0)
    assert prune.random_unstructured(linear(), "weight", 0.5).weight_mask.sum() == 6
    rows = prune.random_structured(linear(), "weight", 2, dim=0).weight_mask.sum(1)
    assert sorted(rows.tolist()) == [0, 0, 3, 3]


def test_what_is_refused():
    for amount, error in ((1.5, ValueError), (-1, ValueError), ("a", TypeError), (20, ValueError)):
        m = linear()
        with pytest.raises(error, match="amount"):
            prune.l1_unstructured(m, "weight", amount)
        assert list(m.state_dict()) == ["bias", "weight"] or list(m.state_dict()) == ["weight", "bias"]
    with pytest.raises(
        ValueError, match="Structured pruning can only be applied to multidimensional tensors"
    ):
        prune.ln_structured(linear(), "bias", 0.5, 1, 0)
    with pytest.raises(IndexError, match="Invalid index 5"):
        prune.random_structured(linear(), "weight", 1, 5)
    with pytest.raises(ValueError, match="has to be pruned before pruning can be removed"):
        prune.remove(linear(), "weight")


def test_a_mask_of_the_importance_given():
    m = linear()
    prune.l1_unstructured(m, "weight", 6, importance_scores=torch.arange(12.0).reshape(4, 3))
    assert m.weight_mask.tolist() == [[0, 0, 0], [0, 0, 0], [1, 1, 1], [1, 1, 1]]
