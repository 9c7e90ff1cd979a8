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


def test_sparse_embeddings_say_that_gradients_are_dense():
    with pytest.warns(
        UserWarning, match="with sparse=True the gradient of weight is a dense tensor all the same"
    ):
        torch.nn.functional.embedding(torch.tensor([0]), torch.ones(2, 2), sparse=True)
    with pytest.warns(UserWarning, match="embedding_bag: with sparse=True"):
        torch.nn.EmbeddingBag(2, 2, sparse=True)(torch.tensor([[0, 1]]))
