"""Calls that are computed at once, because what they gave was read before anything else was recorded: they give what
recorded ones give."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.compiler import ready


@pytest.fixture
def at_once(monkeypatch):
    """How many calls were computed at once, as the only item of a list."""
    real, count = ready.computed, [0]

    def counted(*args):
        made = real(*args)
        count[0] += made is not None
        return made

    monkeypatch.setattr(ready, "computed", counted)
    with torch.debug.tier("compiled"):
        yield count


def test_results_that_are_read_each_time_are_computed_at_once(at_once):
    f = torch.compile(lambda x, y: (x * y, x + 1))
    for k in range(80):
        x, y = torch.tensor([float(k)] * 3), torch.tensor([0.0, 1.0, 2.0])
        product, more = f(x, y)
        assert product.tolist() == [0.0, k, 2.0 * k] and more.tolist() == [k + 1.0] * 3
    assert at_once[0] > 50


def test_what_is_recorded_further_is_not_computed_apart(at_once):
    f = torch.compile(lambda x: x * 2)
    x = torch.ones(3)
    for _ in range(20):
        assert (f(x) + f(x)).tolist() == [4.0] * 3
    assert at_once[0] == 0


def test_other_use_of_the_results_is_noticed(at_once):
    f = torch.compile(lambda x: x * 2)
    x = torch.ones(3)
    for _ in range(20):
        assert f(x).tolist() == [2.0] * 3
    for _ in range(3 * ready.LOOKS):
        assert (f(x) + 1).tolist() == [3.0] * 3
    before = at_once[0]
    for _ in range(20):
        assert (f(x) + 1).tolist() == [3.0] * 3
    assert at_once[0] == before


def test_arguments_of_another_kind_go_the_usual_way(at_once):
    def fn(x, y=None):
        if isinstance(x, tuple):
            return x[0] - x[1]
        return x + (x if y is None else y)

    f = torch.compile(fn)
    x, y = torch.ones(3), torch.full((3,), 5.0)
    for _ in range(20):
        assert f((x, y)).tolist() == [-4.0] * 3
        assert f(x, y).tolist() == [6.0] * 3
    for _ in range(20):
        assert f(x, y).tolist() == [6.0] * 3
    for _ in range(3):
        assert f((x, y)).tolist() == [-4.0] * 3
        assert f(x, x).tolist() == [2.0] * 3
        assert f(x).tolist() == [2.0] * 3
        assert f(torch.ones(2, 3)[0], y).tolist() == [6.0] * 3
        assert f(torch.ones(3, dtype=torch.float64), y).dtype is torch.float64
        assert f(x, y).tolist() == [6.0] * 3
        assert f(x * 2, y).tolist() == [7.0] * 3


def test_arguments_that_were_written_to_and_globals_that_change(at_once):
    scale = [2.0]
    f = torch.compile(lambda x: x * scale[0])
    x = torch.ones(3)
    for _ in range(20):
        assert f(x).tolist() == [2.0] * 3
    assert at_once[0] > 0
    x += 1
    assert f(x).tolist() == [4.0] * 3
    scale[0] = 3.0
    assert f(x).tolist() == [6.0] * 3
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert f(x).tolist() == [6.0] * 3


def test_gradients_of_leaves(at_once):
    def fn(x, w):
        return torch.autograd.grad((x * w).square().sum(), [w])[0]

    f = torch.compile(fn)
    w = torch.ones(3, requires_grad=True)
    for k in range(30):
        assert f(torch.tensor([float(k)] * 3), w).tolist() == [2.0 * k * k] * 3
    assert at_once[0] > 10
    w.grad = torch.zeros(3)
    assert f(torch.ones(3), w).tolist() == [2.0] * 3
    assert f(torch.ones(3), torch.ones(3, requires_grad=True)).tolist() == [2.0] * 3


def test_what_reaches_the_tape_is_recorded(at_once):
    f = torch.compile(lambda x: x.exp())
    x = torch.zeros(3, requires_grad=True)
    for _ in range(20):
        y = f(x)
        assert y.tolist() == [1.0] * 3 and y.requires_grad
    (g,) = torch.autograd.grad(y.sum(), [x])
    assert g.tolist() == [1.0] * 3 and at_once[0] == 0


def test_random_numbers_are_new_at_each_call(at_once):
    f = torch.compile(lambda x: x + torch.rand(3))
    found = {tuple(np.asarray(f(torch.zeros(3))).tolist()) for _ in range(20)}
    assert len(found) == 20


def test_an_index_out_of_range_raises(at_once):
    f = torch.compile(lambda x, i: x[i])
    x = torch.arange(3.0)
    for k in range(20):
        assert f(x, torch.tensor([k % 3]) * 1).tolist() == [k % 3]
    with pytest.raises((IndexError, RuntimeError)):
        f(x, torch.tensor([7]) * 1).tolist()
