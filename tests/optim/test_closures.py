"""LBFGS, Adafactor, Muon and swa_utils as the algorithms say, without PyTorch; side by side in
test_closures_parity.py."""

from __future__ import annotations

import copy
import re

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.optim import LBFGS, Adafactor, Muon
from functorch_lite.optim.swa_utils import SWALR, AveragedModel, get_ema_avg_fn
from tests.optim import closures


def test_lbfgs_finds_rosenbrocks_minimum():
    trail, counts = closures.rosenbrock(
        torch, {"line_search_fn": "strong_wolfe", "max_iter": 30, "history_size": 4}, steps=2
    )
    np.testing.assert_allclose(trail[-1, 1:], 1, atol=1e-4)
    assert counts[0] >= counts[1] > 5


@pytest.mark.parametrize(("options", "count"), [({"max_eval": 4}, 5), ({"tolerance_change": 0.1}, 11)])
def test_a_line_search_that_finds_nothing_ends(options, count):
    """By max_eval, or where its bracket is nothing, whatever tolerance_change is. The counts are PyTorch's."""
    assert len(closures.uphill(torch, options)) == count


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("straight", [3.22448313, 2.92448313, 2.61912327]),
        ("overflow", [-0.72, 0.6, 0.18]),
        ("equal", [-1.4867932, 0.7132068, 0.0132068]),
    ],
)
def test_a_line_search_goes_on_where_there_is_no_cubic(name, end):
    """An L1 loss is straight. The ends are PyTorch's."""
    np.testing.assert_allclose(closures.along_lines(torch, name)[-3:], end, rtol=1e-5)


def test_lbfgs_solves_a_quadratic_in_as_many_steps_as_it_has_dims():
    """With exact line searches it is the method of conjugate gradients; strong_wolfe comes near to it."""
    matrix = torch.tensor([[3.0, 1.0, 0.0], [1.0, 2.0, 0.5], [0.0, 0.5, 1.0]], dtype=torch.float64)
    x = torch.zeros(3, dtype=torch.float64).requires_grad_()
    optimizer = LBFGS([x], line_search_fn="strong_wolfe", max_iter=12)

    def closure():
        optimizer.zero_grad()
        loss = 0.5 * (x @ matrix @ x) - x.sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    np.testing.assert_allclose((matrix @ x).detach().numpy(), 1, atol=1e-6)


def test_lbfgs_goes_on_from_a_state_dict():
    def run(stop_after: int):
        x = torch.tensor([-1.2, 1.0], dtype=torch.float64).requires_grad_()
        optimizer = LBFGS([x], max_iter=3, lr=0.2)
        for i in range(4):
            if i == stop_after:
                saved = copy.deepcopy(optimizer.state_dict())
                x = x.detach().clone().requires_grad_()
                optimizer = LBFGS([x])
                optimizer.load_state_dict(saved)

            def closure(x=x, optimizer=optimizer):
                optimizer.zero_grad()
                loss = (1 - x[0]) ** 2 + 5 * (x[1] - x[0] ** 2) ** 2
                loss.backward()
                return loss

            optimizer.step(closure)
        return x.detach().numpy()

    np.testing.assert_allclose(run(2), run(9), rtol=1e-12)


def test_adafactor_with_one_row_is_the_full_second_moment():
    """A matrix of one row and a vector are the same to Adafactor."""
    a = torch.tensor([[0.5, -1.0, 2.0]]).requires_grad_()
    b = torch.tensor([0.5, -1.0, 2.0]).requires_grad_()
    for p in (a, b):
        optimizer = Adafactor([p], lr=0.1)
        for k in range(3):
            p.grad = (torch.tensor([0.3, 0.1, -0.7]) * (k + 1)).reshape(p.shape)
            optimizer.step()
    np.testing.assert_allclose(a.detach().numpy()[0], b.detach().numpy(), rtol=1e-5)


def test_muon_moves_along_nearly_orthogonal_matrices():
    p = torch.zeros(6, 4).requires_grad_()
    p.grad = torch.tensor(np.random.default_rng(3).normal(size=(6, 4)), dtype=torch.float32)
    Muon([p], lr=1.0, weight_decay=0.0).step()
    singular = np.linalg.svd(p.detach().numpy() / np.sqrt(6 / 4))[1]
    assert ((singular > 0.6) & (singular < 1.3)).all()


def test_averages():
    model = torch.nn.Linear(2, 1)
    mean, ema = AveragedModel(model), AveragedModel(model, avg_fn=get_ema_avg_fn(0.75))
    for k in range(3):
        with torch.no_grad():
            model.weight.fill_(float(k))
        mean.update_parameters(model)
        ema.update_parameters(model)
    assert mean.module.weight.tolist() == [[1.0, 1.0]]
    assert ema.module.weight.tolist() == [[0.6875, 0.6875]]
    assert int(mean.n_averaged) == 3
    assert "n_averaged" in mean.state_dict()


@pytest.mark.parametrize(
    ("make", "error", "sentence"),
    [
        (lambda p: LBFGS([p], lr=-1), ValueError, "Invalid learning rate: -1"),
        (lambda p: LBFGS([{"params": [p]}, {"params": [p.detach().requires_grad_()]}]), ValueError, "doesn't support per-parameter"),
        (lambda p: Adafactor([p], beta2_decay=0.5), ValueError, "beta2_decay should be <= 0 but is: 0.5"),
        (lambda p: Adafactor([p], eps=(None, -1.0)), ValueError, "epsilon2 should be >= 0 but is: -1.0"),
        (lambda p: Adafactor([p], d=0.5), ValueError, "Clipping threshold d should be >= 1 but is: 0.5"),
        (lambda p: Muon([p]), ValueError, "Muon only supports 2D parameters whereas we found a parameter with size: torch.Size([2])"),
        (lambda p: Muon([p.reshape(1, 2).detach()], adjust_lr_fn="x"), ValueError, "Adjust learning rate function x is not supported"),
        (lambda p: SWALR(torch.optim.SGD([p], lr=0.1), 0.5, anneal_strategy="x"), ValueError, "anneal_strategy must be one of"),
        (lambda p: get_ema_avg_fn(2), ValueError, "Invalid decay value 2 provided."),
    ],
)  # fmt: skip
def test_errors_are_torchs(make, error, sentence):
    with pytest.raises(error, match=re.escape(sentence)):
        make(torch.ones(2).requires_grad_())
