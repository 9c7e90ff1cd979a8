"""SparseAdam. The numbers are those of PyTorch 2.13 for the same program, with sparse gradients."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as torch


def steps(lib, **options):
    """Four steps in which other rows take part; (table, step, first moment, second moment)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = lib.nn.Embedding(4, 2, sparse=True)
        with lib.no_grad():
            table.weight.copy_(lib.arange(8.0).reshape(4, 2))
        optimizer = lib.optim.SparseAdam(table.parameters(), lr=0.1, betas=(0.8, 0.95), **options)
        for rows in ([0, 2], [2, 2, 3], [0], [3, 1]):
            optimizer.zero_grad()
            (table(lib.tensor(rows)) ** 2).sum().backward()
            optimizer.step()
    state = optimizer.state_dict()["state"][0]
    return [table.weight.detach(), state["step"], state["exp_avg"], state["exp_avg_sq"]]


def test_rows_that_took_no_part_stay():
    table, step, mean, square = steps(torch)
    close = torch.testing.assert_close
    close(
        table,
        torch.tensor(
            [[0, 0.8113016], [1.9347526, 2.9347527], [3.8021376, 4.8021832], [5.8383651, 6.8383579]]
        ),
    )
    assert step == 4
    close(mean, torch.tensor([[0, 0.68], [0.8, 1.2], [4.4, 5.52], [4.2889686, 5.0089684]]))
    close(square, torch.tensor([[0, 0.352], [0.8, 1.8], [15.208001, 23.958], [13.855015, 18.893982]]))


def test_maximize():
    table = steps(torch, maximize=True)[0]
    assert float(table.sum()) == pytest.approx(29.0382844, rel=1e-6)


@pytest.mark.parity
@pytest.mark.parametrize("maximize", [False, True])
def test_beside_torch(maximize):
    theirs = pytest.importorskip("torch")
    for got, want in zip(steps(torch, maximize=maximize), steps(theirs, maximize=maximize)):
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"lr": 0}, "Invalid learning rate: 0"),
        ({"eps": 0}, "Invalid epsilon value: 0"),
        ({"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
        ({"lr": torch.ones(2)}, "Tensor lr must be 1-element"),
    ],
)
def test_arguments(options, sentence):
    with pytest.raises(ValueError) as error:
        torch.optim.SparseAdam([torch.nn.Parameter(torch.ones(2))], **options)
    assert str(error.value) == sentence


def test_complex_parameters():
    with pytest.raises(ValueError, match=r"Complex params at indices \[\[0, 0\]\]"):
        torch.optim.SparseAdam([torch.nn.Parameter(torch.ones(1) * 1j)])


def test_other_shapes_and_no_gradient():
    scalar, cube, idle = (torch.nn.Parameter(torch.ones(s)) for s in ((), (2, 2, 2), (3,)))
    optimizer = torch.optim.SparseAdam([scalar, cube, idle], lr=0.5)
    (scalar * 2 + cube[1].sum()).backward()
    optimizer.step()
    assert float(scalar) == pytest.approx(0.5) and idle.tolist() == [1, 1, 1]
    assert cube.tolist()[0] == [[1, 1], [1, 1]] and cube.tolist()[1][0] == pytest.approx([0.5, 0.5])


def test_gradients_of_sparse_embeddings_are_sparse():
    table = torch.nn.Embedding(4, 2, padding_idx=1, sparse=True)
    table(torch.tensor([[2, 1], [2, 3]])).sum().backward()
    grad = table.weight.grad
    assert grad.is_sparse and not grad.is_coalesced() and grad._indices().tolist() == [[2, 2, 3]]
    assert grad.to_dense().tolist() == [[0, 0], [0, 0], [2, 2], [1, 1]]
    bag = torch.nn.EmbeddingBag(4, 2, mode="mean", sparse=True)
    bag(torch.tensor([[2, 1], [2, 3]])).sum().backward()
    assert bag.weight.grad.coalesce().indices().tolist() == [[1, 2, 3]]
    assert bag.weight.grad.to_dense()[:, 0].tolist() == [0, 0.5, 1, 0.5]
    frequent = torch.nn.Embedding(4, 2, scale_grad_by_freq=True, sparse=True)
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse gradients"):
        frequent(torch.tensor([2])).sum().backward()
    (table(torch.tensor([2])).sum() + table.weight.sum()).backward()
    assert not table.weight.grad.is_sparse and table.weight.grad[:, 0].tolist() == [1, 1, 4, 2]


def test_sparse_embeddings_say_where_gradients_are_dense():
    weight, at = torch.ones(2, 2, requires_grad=True), torch.tensor([0])
    look_up = lambda w: torch.nn.functional.embedding(at, w, sparse=True).sum()  # noqa: E731
    with pytest.warns(UserWarning, match="embedding: inside a transform, and with dual numbers the gradient"):
        assert torch.func.grad(look_up)(weight).tolist() == [[1, 1], [0, 0]]
    with pytest.warns(UserWarning, match="embedding_bag: with padding_idx the gradient of weight is a dense"):
        torch.nn.EmbeddingBag(2, 2, sparse=True, padding_idx=0)(torch.tensor([[0, 1]]))


# -- sparse gradients, of every optimizer ------------------------------------------------------------------------------


def sparse_steps(lib, name, **options):
    """Three steps along sparse gradients, with an index twice and a row whose gradient is zero; (parameter, first
    state), or the error."""
    p = lib.nn.Parameter(lib.arange(8.0).reshape(4, 2))
    optimizer = getattr(lib.optim, name)([p], lr=0.1, **options)
    try:
        for i in range(3):
            values = lib.tensor([[1.0, 2.0], [0.0, 0.0], [3.0, -1.0]]) * (i + 1)
            p.grad = lib.sparse_coo_tensor(lib.tensor([[0, 3, 0]]), values, (4, 2))
            loss = optimizer.step(lambda: lib.tensor(1.0)) if name == "LBFGS" else optimizer.step()
            del loss
    except RuntimeError as error:
        return str(error)
    return p.detach().tolist()


CALLS = [
    *[(name, {}) for name in ("SparseAdam", "SGD", "Adagrad", "Adam", "AdamW", "Adadelta", "Adafactor", "Adamax", "ASGD", "LBFGS", "NAdam", "RAdam", "RMSprop", "Rprop")],
    ("SGD", {"momentum": 0.9}), ("SGD", {"maximize": True}), ("SGD", {"weight_decay": 0.1}), ("SGD", {"fused": True}), ("Adagrad", {"weight_decay": 0.1}),
    ("SparseAdam", {"maximize": True, "betas": (0.5, 0.9)}), ("Adagrad", {"lr_decay": 0.1}),
]  # fmt: skip


@pytest.mark.parity
@pytest.mark.parametrize(("name", "options"), CALLS)
@pytest.mark.filterwarnings("ignore")
def test_sparse_gradients_beside_torch(name, options):
    theirs = pytest.importorskip("torch")
    got, want = sparse_steps(torch, name, **options), sparse_steps(theirs, name, **options)
    if isinstance(want, str):
        assert got == want
    else:
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-7)


def test_a_sparse_gradient_is_kept_as_it_is():
    p = torch.nn.Parameter(torch.ones(3, 2))
    p.grad = torch.sparse_coo_tensor(torch.tensor([[1]]), torch.ones(1, 2), (3, 2))
    assert p.grad.is_sparse
    with pytest.raises(RuntimeError, match="attempting to assign a gradient of size"):
        p.grad = torch.sparse_coo_tensor(torch.tensor([[1]]), torch.ones(1, 3), (3, 3))
