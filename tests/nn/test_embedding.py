"""Embedding and EmbeddingBag: renormalization in place, frequencies, second derivatives, transforms, errors."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.func import grad, vmap

F = nn.functional
I = torch.tensor([0, 2, 2, 1])
OFFSETS = torch.tensor([0, 3])


def test_max_norm_renormalizes_the_rows_looked_up_in_the_table_itself():
    weight = torch.tensor([[3.0, 4.0], [0.3, 0.4], [6.0, 8.0]])
    m = nn.Embedding.from_pretrained(weight, freeze=False, max_norm=1.0)
    out = m(torch.tensor([0, 1]))
    assert np.allclose(out.tolist(), [[0.6, 0.8], [0.3, 0.4]])
    assert np.allclose(m.weight.tolist(), [[0.6, 0.8], [0.3, 0.4], [6.0, 8.0]])
    out.sum().backward()
    assert m.weight.grad.tolist() == [[1, 1], [1, 1], [0, 0]]


def test_gradients_by_frequency():
    weight = torch.ones(4, 2, requires_grad=True)
    (
        F.embedding(I, weight, scale_grad_by_freq=True) * torch.tensor([[1.0], [2.0], [4.0], [8.0]])
    ).sum().backward()
    assert weight.grad[:, 0].tolist() == [1, 8, 3, 0]
    weight.grad = None
    F.embedding_bag(I, weight, OFFSETS, mode="sum", scale_grad_by_freq=True).sum().backward()
    assert weight.grad[:, 0].tolist() == [1, 1, 1, 0]


def test_sparse_is_accepted_and_gradients_are_dense():
    m = nn.Embedding(4, 2, sparse=True)
    m(I).sum().backward()
    assert m.weight.grad.shape == (4, 2)


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_second_derivatives_and_vmap_of_embedding_bag_which_pytorch_lacks(mode):
    torch.manual_seed(0)
    weight = torch.randn(4, 3, dtype=torch.float64)

    def f(weight, bags):
        return F.embedding_bag(bags, weight, mode=mode).sin().sum()

    bags = I.view(2, 2)
    each = vmap(f, in_dims=(None, 0))(weight, torch.stack([bags, bags.flip(0)]))
    assert np.allclose(each.tolist(), [float(f(weight, bags))] * 2)
    v = torch.randn(4, 3, dtype=torch.float64)
    second = grad(lambda w: (grad(f)(w, bags) * v).sum())(weight)
    small = 1e-6
    numeric = (grad(f)(weight + small * v, bags) - grad(f)(weight - small * v, bags)) / (2 * small)
    assert float((second - numeric).abs().max()) < 1e-6


def test_empty_bags_and_the_first_of_equals():
    weight = torch.ones(4, 2, requires_grad=True)
    out = F.embedding_bag(I, weight, torch.tensor([0, 2, 2]), mode="max")
    assert out.tolist() == [[1, 1], [0, 0], [1, 1]]
    out.sum().backward()
    assert weight.grad[:, 0].tolist() == [1, 0, 1, 0]


W = torch.ones(4, 2)
ERRORS = {
    "no_offsets": (lambda: F.embedding_bag(I, W), ValueError, "offsets has to be a 1D Tensor but got None"),
    "two_of_both": (
        lambda: F.embedding_bag(I.view(2, 2), W, OFFSETS),
        ValueError,
        "if input is 2D, then offsets has to be None",
    ),
    "dims": (lambda: F.embedding_bag(I.view(1, 2, 2), W), ValueError, "input has to be 1D or 2D Tensor"),
    "mode": (
        lambda: F.embedding_bag(I, W, OFFSETS, mode="x"),
        ValueError,
        "mode has to be one of sum, mean or max",
    ),
    "weights": (
        lambda: F.embedding_bag(I, W, OFFSETS, per_sample_weights=torch.ones(4)),
        NotImplementedError,
        "per_sample_weights is only supported for mode='sum' (got mode='mean')",
    ),
    "frequency": (
        lambda: F.embedding_bag(I, W, OFFSETS, mode="max", scale_grad_by_freq=True),
        ValueError,
        "max mode does not support scaling the gradient by the frequency",
    ),
    "padding": (
        lambda: nn.EmbeddingBag(4, 2, padding_idx=4),
        AssertionError,
        "padding_idx must be within num_embeddings",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    call, error, sentence = ERRORS[name]
    with pytest.raises(error) as found:
        call()
    assert sentence in str(found.value)


def test_printing():
    bag = nn.EmbeddingBag(
        4, 3, max_norm=1.0, norm_type=1.0, mode="sum", padding_idx=-1, scale_grad_by_freq=True
    )
    assert repr(bag) == (
        "EmbeddingBag(4, 3, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True, mode='sum', padding_idx=3)"
    )
