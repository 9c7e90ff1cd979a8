"""Leaves get their gradients as a walk reaches them; a walk frees what it visits."""

from __future__ import annotations

import pytest

import functorch_lite as torch

from . import leaves_programs


@pytest.mark.parity
@pytest.mark.parametrize("program", leaves_programs.PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_pytorch(program):
    theirs = pytest.importorskip("torch")
    theirs.manual_seed(0)
    torch.manual_seed(0)
    mine, expected = program(torch), program(theirs)
    if program is leaves_programs.what_is_freed:
        assert mine == pytest.approx(expected)
    else:
        assert mine == expected


def test_bias_before_weight_before_the_hook_of_the_module():
    seen = leaves_programs.layers_of_three_dims(torch)
    last = ["hook of 2.bias", "grad of 2.bias", "hook of 2.weight", "grad of 2.weight"]
    assert seen[:5] == [*last, ("2", ["weight", "bias"])]
    assert seen[-1] == ("", ["0.weight", "0.bias", "1.weight", "2.weight", "2.bias"])


def test_a_function_sees_what_is_complete():
    log, *_ = leaves_programs.what_a_function_sees(torch)
    assert log == [([2, 2, 2], False, True), ([4, 4, 4], False, False), ([4, 4, 4], False, False)]


def test_first_order_maml():
    assert leaves_programs.what_is_freed(torch)[:2] == [2, 6]


def test_a_leaf_that_is_detached_in_place_keeps_its_gradient():
    w = torch.ones(3, requires_grad=True)
    w.sum().backward()
    assert w.detach_() is w and not w.requires_grad and w.grad.tolist() == [1.0, 1.0, 1.0]
    w.requires_grad_()
    (w * 2).sum().backward()
    assert w.grad.tolist() == [3.0, 3.0, 3.0]


def test_a_backward_that_fails_has_accumulated_what_was_complete_by_then():
    """As in PyTorch, whether or not hooks are there that would see it."""
    w, x = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    for k in range(1, 4):
        v = x.exp()
        s = v * 2
        v.detach().zero_()
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            (s.sum() + w.sum()).backward()
        assert w.grad.tolist() == [k] * 3
        assert x.grad is None
