"""Every optimizer beside torch's, over 20 steps: parameters, state, state_dict layout; gradients missing at some
steps."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import functorch_lite as ours
import functorch_lite.optim

pytestmark = pytest.mark.parity
torch = pytest.importorskip("torch")

OPTIONS = {
    "SGD": [
        {"lr": 0.1},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1, "maximize": True},
    ],
    "Adam": [
        {"lr": 0.1},
        {"lr": 0.1, "amsgrad": True, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.01, "betas": (0.5, 0.6), "eps": 1e-3, "decoupled_weight_decay": True, "weight_decay": 0.1},
    ],
    "AdamW": [{"lr": 0.1}, {"lr": 0.1, "amsgrad": True, "weight_decay": 0.3, "maximize": True}],
    "Adamax": [{}, {"lr": 0.1, "weight_decay": 0.1, "maximize": True}],
    "NAdam": [
        {"lr": 0.1},
        {"lr": 0.1, "weight_decay": 0.1, "maximize": True, "momentum_decay": 0.1},
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
    ],
    "RAdam": [
        {"lr": 0.1},
        {"lr": 0.1, "weight_decay": 0.1, "maximize": True, "betas": (0.8, 0.9)},
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
    ],
    "RMSprop": [
        {"lr": 0.1},
        {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1},
        {"lr": 0.1, "momentum": 0.9, "centered": True, "weight_decay": 0.1, "maximize": True},
    ],
    "Adagrad": [
        {"lr": 0.1},
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5},
    ],
    "Adadelta": [{}, {"lr": 0.5, "rho": 0.8, "weight_decay": 0.1, "maximize": True}],
    "Rprop": [{"lr": 0.1}, {"lr": 0.01, "etas": (0.3, 1.5), "step_sizes": (0.01, 0.2), "maximize": True}],
    "ASGD": [
        {"lr": 0.1},
        {"lr": 0.1, "t0": 5, "weight_decay": 0.1, "alpha": 0.9, "lambd": 0.1, "maximize": True},
    ],
}
CASES = [(name, i, "float64") for name in OPTIONS for i in range(len(OPTIONS[name]))]
CASES += [(name, len(OPTIONS[name]) - 1, "float32") for name in OPTIONS]
CASES += [("SGD", 1, "complex128"), ("Adam", 1, "complex128"), ("Rprop", 0, "complex128")]
TOLERANCE = {"float32": 4e-6, "float64": 1e-12, "complex128": 1e-12}
SHAPES = [(3, 4), (5,), ()]


def draw(rng, shape, dtype) -> np.ndarray:
    x = rng.normal(size=shape)
    if dtype.startswith("complex"):
        x = x + 1j * rng.normal(size=shape)
    return np.asarray(x).astype(dtype)


def pair(name: str, options: dict, dtype: str, rng):
    arrays = [draw(rng, s, dtype) for s in SHAPES]
    theirs = [torch.nn.Parameter(torch.tensor(a)) for a in arrays]
    mine = [ours.tensor(a).requires_grad_() for a in arrays]
    return (
        (theirs, getattr(torch.optim, name)(theirs, **options)),
        (mine, getattr(ours.optim, name)(mine, **options)),
    )


def step(theirs, mine, dtype, rng, skip: int | None = None) -> None:
    for i, (p, q) in enumerate(zip(theirs[0], mine[0])):
        g = draw(rng, SHAPES[i], dtype)
        p.grad = None if i == skip else torch.tensor(g)
        q.grad = None if i == skip else ours.tensor(g)
    theirs[1].step()
    mine[1].step()


def assert_equal(theirs, mine, tolerance: float) -> None:
    for p, q in zip(theirs[0], mine[0]):
        np.testing.assert_allclose(q.detach().numpy(), p.detach().numpy(), rtol=tolerance, atol=tolerance)
    expected, got = theirs[1].state_dict(), mine[1].state_dict()
    assert got["param_groups"] == expected["param_groups"]
    assert [list(g) for g in got["param_groups"]] == [list(g) for g in expected["param_groups"]]
    assert list(got["state"]) == list(expected["state"])
    for key, state in expected["state"].items():
        assert list(got["state"][key]) == list(state)
        for name, value in state.items():
            mine_value = got["state"][key][name].numpy()
            assert (mine_value.dtype, mine_value.shape) == (value.numpy().dtype, tuple(value.shape))
            np.testing.assert_allclose(
                mine_value, value.numpy(), rtol=tolerance, atol=tolerance, err_msg=name
            )


@pytest.mark.parametrize(("name", "which", "dtype"), CASES)
def test_twenty_steps(name, which, dtype):
    rng = np.random.default_rng(0)
    theirs, mine = pair(name, OPTIONS[name][which], dtype, rng)
    for i in range(20):
        if i == 12:
            for optimizer in (theirs[1], mine[1]):
                optimizer.param_groups[0]["lr"] *= 0.5
        step(theirs, mine, dtype, rng, skip=1 if i in (0, 7) else None)
    assert_equal(theirs, mine, TOLERANCE[dtype])


@pytest.mark.parametrize("name", OPTIONS)
def test_repr_and_fresh_state_dict(name):
    theirs, mine = pair(name, OPTIONS[name][-1], "float32", np.random.default_rng(0))
    assert repr(mine[1]) == repr(theirs[1])
    assert mine[1].state_dict()["param_groups"] == theirs[1].state_dict()["param_groups"]


@pytest.mark.parametrize("name", ["SGD", "Adam", "NAdam", "ASGD"])
def test_a_torch_state_dict_can_be_loaded(name):
    rng = np.random.default_rng(0)
    theirs, _ = pair(name, OPTIONS[name][1], "float64", rng)
    for _ in range(3):
        for p in theirs[0]:
            p.grad = torch.tensor(draw(rng, tuple(p.shape), "float64"))
        theirs[1].step()
    saved = copy.deepcopy(theirs[1].state_dict())
    again = getattr(torch.optim, name)(theirs[0])
    again.load_state_dict(copy.deepcopy(saved))  # loading casts scalars such as mu_product, in torch too
    theirs = (theirs[0], again)
    arrays = [p.detach().numpy().copy() for p in theirs[0]]
    params = [ours.tensor(a).requires_grad_() for a in arrays]
    optimizer = getattr(ours.optim, name)(params)
    optimizer.load_state_dict(
        {
            "state": {
                k: {n: ours.tensor(v.numpy().copy()) for n, v in s.items()} for k, s in saved["state"].items()
            },
            "param_groups": saved["param_groups"],
        }
    )
    mine = (params, optimizer)
    for _ in range(3):
        step(theirs, mine, "float64", rng)
    assert_equal(theirs, mine, 1e-12)
