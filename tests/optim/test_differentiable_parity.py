"""Optimizers with `differentiable=True`: values, gradients and second gradients through steps equal torch's, and so
does what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]

CASES = {
    "SGD": [{}, {"momentum": 0.5, "weight_decay": 0.1}, {"momentum": 0.5, "nesterov": True}],
    "Adam": [{}, {"amsgrad": True, "weight_decay": 0.1}],
    "AdamW": [{"weight_decay": 0.2}],
    "RMSprop": [{}, {"centered": True, "momentum": 0.1, "maximize": True}],
    "Adagrad": [{"weight_decay": 0.1, "lr_decay": 0.2}],
    "Adadelta": [{"weight_decay": 0.1}],
    "Adamax": [{"weight_decay": 0.1}],
    "NAdam": [{"weight_decay": 0.9}, {"decoupled_weight_decay": True, "weight_decay": 0.1}],
    "RAdam": [{"weight_decay": 0.9}],
    "ASGD": [{}, {"t0": 0, "weight_decay": 0.1}],
    "Rprop": [{}],
}
TAKES_LR = ("SGD", "Adam", "AdamW", "NAdam", "RAdam", "ASGD")
"""Optimizers whose learning rate may require grad in torch."""
STATE = {
    "SGD": ["momentum_buffer"],
    "Adam": ["exp_avg", "exp_avg_sq"],
    "RMSprop": ["square_avg"],
    "Adadelta": ["square_avg", "acc_delta"],
    "NAdam": ["exp_avg", "exp_avg_sq"],
    "Rprop": ["prev", "step_size"],
}
ROUNDED_STEP = {"rtol": 1e-4, "atol": 2e-5}
"""torch computes the correction of the first step in float32, where the count of steps is a tensor."""


def through_steps(t, name: str, options: dict, steps: int, with_state: bool, lr: bool) -> list[np.ndarray]:
    """The parameter after some steps, and first and second gradients with respect to all that it depends on."""
    rng = np.random.default_rng(3)

    def leaf():
        return t.tensor(rng.uniform(0.1, 1, 5)).requires_grad_()

    start, *grads = leaves = [leaf() for _ in range(steps + 1)]
    options = {"lr": 0.4, **options}
    if lr:
        options["lr"] = t.tensor(0.4, dtype=t.float64).requires_grad_()
        leaves.append(options["lr"])
    p = start.clone()
    optimizer = getattr(t.optim, name)([p], differentiable=True, **options)
    if with_state:
        state = {n: leaf() for n in STATE[name]}
        leaves += state.values()
        optimizer.state[p].update({n: x.clone() for n, x in state.items()})
        if name != "SGD":
            optimizer.state[p]["step"] = t.tensor(10.0, dtype=t.float64)
        if name == "NAdam":
            optimizer.state[p]["mu_product"] = t.tensor(0.9, dtype=t.float64)
    for g in grads:
        p.grad = g
        optimizer.step()
    loss = (p * t.tensor(rng.standard_normal(5))).sum()
    first = t.autograd.grad(loss, leaves, allow_unused=True, create_graph=True)
    moving = [g for g in first if g is not None and g.requires_grad]
    second = [None] * len(leaves)
    if moving:
        second = t.autograd.grad(sum((g * g).sum() for g in moving), leaves, allow_unused=True)
    zeros = [t.zeros_like(x) for x in leaves]
    found = [p, *[z if g is None else g for g, z in zip((*first, *second), (*zeros, *zeros))]]
    return [x.detach().numpy(force=True) for x in found]


@pytest.mark.parametrize("name", CASES)
def test_gradients_through_steps(name):
    runs = [(o, 1, False, name in TAKES_LR) for o in CASES[name]]
    runs += [(o, 2, False, False) for o in CASES[name]]
    if name in STATE:
        runs.append((CASES[name][1 if name == "SGD" else 0], 1, True, False))
    for options, *run in runs:
        try:
            theirs = through_steps(torch, name, options, *run)
        except RuntimeError as error:  # some write over what their own second step reads
            assert "modified by an inplace operation" in str(error)
            theirs = None
        mine = through_steps(ours, name, options, *run)
        for a, b in zip(mine, theirs or []):
            np.testing.assert_allclose(a, b, err_msg=f"{options} {run}", **ROUNDED_STEP)


def _leaf(t):
    p = t.ones(3, requires_grad=True)
    p.grad = t.ones(3)
    return p


@pytest.mark.parametrize(
    "refused",
    [
        lambda t: t.optim.SGD([_leaf(t)], 0.1, differentiable=True).step(),
        lambda t: t.optim.Adam([_leaf(t)], 0.1, differentiable=True, fused=True),
        lambda t: _step_of_clone(t, t.optim.Adam, foreach=True),
        lambda t: _step_of_clone(t, t.optim.Rprop, foreach=True),
    ],
)
def test_what_is_refused(refused):
    raised = []
    for t in (torch, ours):
        with pytest.raises((RuntimeError, AssertionError)) as error:
            refused(t)
        raised.append((error.type.__name__, str(error.value)))
    assert raised[0] == raised[1]


def _step_of_clone(t, kind, **options):
    p = t.ones(3, requires_grad=True).clone()
    p.grad = t.ones(3)
    kind([p], differentiable=True, **options).step()
