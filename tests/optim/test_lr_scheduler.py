"""Learning rate schedules equal torch's to the last bit (tests/golden/lr_scheduler.json, made by
make_lr_scheduler.py)."""

from __future__ import annotations

import copy
import gc
import json
import warnings
import weakref
from pathlib import Path

import pytest

import functorch_lite as torch
from functorch_lite.optim import lr_scheduler
from tests.optim.schedules import SCHEDULES, metric, run

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "lr_scheduler.json").read_text())


def make_optimizer(kind: str = "sgd"):
    params = [torch.ones(1).requires_grad_() for _ in range(2)]
    groups = [{"params": [params[0]]}, {"params": [params[1]], "lr": 0.37}]
    if kind == "adam":
        return torch.optim.Adam(groups, lr=0.1)
    return torch.optim.SGD(groups, lr=0.1, momentum=0.9)


def plain(x):
    """Tuples as lists, as JSON has them."""
    return [plain(v) for v in x] if isinstance(x, list | tuple) else x


@pytest.mark.parametrize("case", GOLDEN["rows"])
def test_learning_rates_are_torchs(case):
    name, kind = case.split("/")
    with warnings.catch_warnings():
        # torch, too, takes the nested scheduler's first step for one that came too early
        warnings.simplefilter("ignore" if name == "sequential_nested" else "error")
        rows = run(name, lr_scheduler, make_optimizer(kind))
    assert plain(rows) == GOLDEN["rows"][case]


@pytest.mark.parametrize("name", SCHEDULES)
def test_state_dict_has_torchs_keys_and_resumes(name):
    optimizer = make_optimizer()
    scheduler = SCHEDULES[name](lr_scheduler, optimizer)
    assert list(scheduler.state_dict()) == GOLDEN["keys"][name]
    args = [[metric(e)] if name.startswith("plateau") else [] for e in range(12)]
    for a in args[:5]:
        optimizer.step()
        scheduler.step(*a)
    saved = copy.deepcopy(scheduler.state_dict()), copy.deepcopy(optimizer.state_dict())
    expected = []
    for a in args[5:]:
        scheduler.step(*a)
        expected.append(scheduler.get_last_lr())
    other = make_optimizer()
    resumed = SCHEDULES[name](lr_scheduler, other)
    other.load_state_dict(saved[1])
    resumed.load_state_dict(saved[0])
    got = []
    for a in args[5:]:
        other.step()
        resumed.step(*a)
        got.append(resumed.get_last_lr())
    assert got == expected


@pytest.mark.parametrize("name", GOLDEN["closed"])
def test_step_to_an_epoch_takes_the_closed_form(name):
    optimizer = make_optimizer()
    scheduler = SCHEDULES[name](lr_scheduler, optimizer)
    optimizer.step()
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(6)
    assert scheduler.get_last_lr() == GOLDEN["closed"][name]


def test_fractional_epochs_of_warm_restarts():
    scheduler = lr_scheduler.CosineAnnealingWarmRestarts(make_optimizer(), 5, 2)
    seen = []
    for epoch in (0, 0.5, 4.9, 5, 7.2, 15, 40.5):
        scheduler.step(epoch)
        seen.append((scheduler.T_cur, scheduler.T_i, scheduler.last_epoch))
    assert [s[1:] for s in seen] == [(5, 0), (5, 0), (5, 4), (10, 5), (10, 7), (20, 15), (40, 40)]
    assert [s[0] for s in seen] == pytest.approx([0, 0.5, 4.9, 0, 2.2, 0, 5.5])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda o: lr_scheduler.LambdaLR(o, [lambda e: 1.0]), ValueError, "Expected 2 lr_lambdas, but got 1"),
        (lambda o: lr_scheduler.ConstantLR(o, 1.5), ValueError, "Constant multiplicative factor expected"),
        (lambda o: lr_scheduler.LinearLR(o, 0), ValueError, "Starting multiplicative factor expected"),
        (
            lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 0),
            ValueError,
            "Expected positive integer T_0",
        ),
        (lambda o: lr_scheduler.OneCycleLR(o, 1.0), ValueError, "You must define either total_steps OR"),
        (lambda o: lr_scheduler.OneCycleLR(o, [1.0], 5), ValueError, "max_lr must have the same length"),
        (lambda o: lr_scheduler.CyclicLR(o, 0.1, 1.0, 2, None, "x"), ValueError, "mode is invalid"),
        (lambda o: lr_scheduler.ReduceLROnPlateau(o, "x"), ValueError, "mode x is unknown!"),
        (lambda o: lr_scheduler.ReduceLROnPlateau(o, min_lr=[1.0]), ValueError, "expected 2 min_lrs, got 1"),
        (lambda o: lr_scheduler.SequentialLR(o, [], []), ValueError, "expects at least one scheduler"),
        (lambda o: lr_scheduler.StepLR(o, 2, 0.1, 3), KeyError, "param 'initial_lr' is not specified"),
        (lambda o: lr_scheduler.StepLR(3, 2), TypeError, "int is not an Optimizer"),  # type: ignore[arg-type]
    ],
)
def test_errors_are_torchs(make, error, message):
    with pytest.raises(error, match=message):
        make(make_optimizer())


def test_more_steps_than_one_cycle_has():
    optimizer = make_optimizer()
    scheduler = lr_scheduler.OneCycleLR(optimizer, 1.0, 2)
    optimizer.step()
    scheduler.step()
    scheduler.step()
    with pytest.raises(ValueError, match=r"Tried to step 3 times\. The specified number of total steps is 2"):
        scheduler.step()


def test_order_of_steps_is_watched():
    scheduler = lr_scheduler.StepLR(make_optimizer(), 2)
    with pytest.warns(
        UserWarning, match=r"Detected call of `lr_scheduler.step\(\)` before `optimizer.step\(\)`"
    ):
        scheduler.step()
    optimizer = make_optimizer()
    scheduler = lr_scheduler.StepLR(optimizer, 2)
    optimizer.step = lambda: None
    with pytest.warns(UserWarning, match=r"`optimizer.step\(\)` has been overridden"):
        scheduler.step()


def test_get_lr_by_hand_warns():
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        lr_scheduler.StepLR(make_optimizer(), 2).get_lr()


def test_a_tensor_as_learning_rate_is_written_in_place():
    lr = torch.tensor(0.5)
    optimizer = torch.optim.SGD([torch.ones(1).requires_grad_()], lr=lr)
    scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step()
    scheduler.step()
    assert optimizer.param_groups[0]["lr"] is lr
    assert lr.item() == 0.25


def test_no_reference_cycle():
    gc.disable()
    try:
        optimizer = make_optimizer()
        scheduler = lr_scheduler.StepLR(optimizer, 2)
        optimizer.step()
        scheduler.step()
        dead = weakref.ref(optimizer)
        del optimizer, scheduler
        assert dead() is None
    finally:
        gc.enable()
