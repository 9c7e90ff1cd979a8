"""Gradients of a tape that was walked before in the same place: the walk is not repeated, and nothing else differs."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite._core.lazy import gradients


def energy(q):
    return 0.5 * (q[0] ** 2 / 4 + (q[1] - 0.5 * q[0] ** 2) ** 2)


def closed_form(a, b):
    rest = b - 0.5 * a**2
    return [a / 4 - rest * a, rest]


@pytest.fixture
def walks(monkeypatch):
    """The number of walks over a tape."""
    counted = []
    walk = gradients.run_backward
    monkeypatch.setattr(gradients, "run_backward", lambda *a, **k: counted.append(1) or walk(*a, **k))
    return counted


def test_grad_is_walked_once(walks):
    for k in range(8):
        q = torch.tensor([1.0 + k, 0.5]).requires_grad_()
        (slope,) = torch.autograd.grad(energy(q), q)
        assert slope.tolist() == pytest.approx(closed_form(1.0 + k, 0.5))
        assert q.grad is None
    assert len(walks) <= 2


def test_of_several_targets_in_one_recording(walks):
    for k in range(6):
        a, b = torch.tensor(1.0 + k, requires_grad=True), torch.tensor(2.0, requires_grad=True)
        total, twice = a + b, a * 2
        out = total * 3 + energy(torch.stack([twice, b]))
        by_a, by_b, by_twice, again = torch.autograd.grad(out, (a, b, twice, a), retain_graph=True)
        (by_total,) = torch.autograd.grad(out, total)
        one, two = closed_form(2.0 + 2 * k, 2.0)
        found = [g.item() for g in (by_a, by_b, by_twice, again)]
        assert found == pytest.approx([3 + 2 * one, 3 + two, one, 3 + 2 * one])
        assert by_total.item() == 3
    assert len(walks) <= 4


def test_what_was_freed_stays_freed():
    for k in range(4):
        x = torch.tensor(1.0 + k, requires_grad=True)
        y, z = x * x, x * x * 5
        assert torch.autograd.grad(y, x)[0].item() == 2 * (1 + k)
        with pytest.raises(RuntimeError, match="second time"):
            torch.autograd.grad(y, x)
        assert torch.autograd.grad(z, x, retain_graph=True)[0].item() == 10 * (1 + k)
        assert torch.autograd.grad(z, x)[0].item() == 10 * (1 + k)
        with pytest.raises(RuntimeError, match="second time"):
            z.backward()


def test_targets_that_nothing_leads_to():
    for k in range(4):
        x, other = torch.tensor(1.0 + k, requires_grad=True), torch.tensor(1.0, requires_grad=True)
        y = x * x
        assert torch.autograd.grad(y, (other, x), retain_graph=True, allow_unused=True)[0] is None
        with pytest.raises(RuntimeError, match="not have been used"):
            torch.autograd.grad(y, (other, x))
        r = x * 3
        assert torch.autograd.grad(r, r)[0].item() == 1


def test_leaves_that_hold_gradients_and_hooks_are_seen():
    for k in range(4):
        x = torch.tensor(1.0 + k, requires_grad=True)
        (x * x).backward()
        assert torch.autograd.grad(x * 3, x)[0].item() == 3 and x.grad.item() == 2 * (1 + k)
        y = torch.tensor(2.0, requires_grad=True)
        y.register_hook(lambda g: g * 10)
        assert torch.autograd.grad(y * y, y)[0].item() == 40
        z = torch.tensor(2.0, requires_grad=True)
        square = z * z
        square.register_hook(lambda g: g * 2)
        assert torch.autograd.grad(square, z)[0].item() == 8


def test_a_saved_tensor_that_was_overwritten_is_noticed():
    for k in range(4):
        x, w = torch.tensor(1.0 + k, requires_grad=True), torch.tensor(3.0)
        y = x * w
        if k % 2:
            w.mul_(2)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                torch.autograd.grad(y, x)
        else:
            assert torch.autograd.grad(y, x)[0].item() == 3


def test_a_gradient_may_come_in_a_list():
    x = torch.ones(2, requires_grad=True)
    for given in ([torch.ones(2)], (torch.ones(2),)):
        x.grad = None
        (x * 2).backward(given)
        assert x.grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="got 1 tensors and 2 gradients"):
        (x * 2).backward([torch.ones(2)] * 2)


def test_hooks_are_seen_by_their_ids():
    x = torch.ones(2, requires_grad=True)
    assert x._backward_hooks is None
    for t in (x, x * 2):

        def hook(grad):
            return grad

        handle = t.register_hook(hook)
        assert t._backward_hooks[handle.id] is hook and len(t._backward_hooks) == 1
        handle.remove()
        assert not t._backward_hooks
