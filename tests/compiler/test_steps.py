"""Whole steps under torch.compile that do more than one step does: averages of parameters after it, several steps,
clipping, sums of gradients."""

from __future__ import annotations

import gc
from collections.abc import Callable

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.run import pending
from functorch_lite._core.run.calls import Call
from functorch_lite.compiler import replay, steps
from functorch_lite.nn import functional as F


def _net():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def _backward(net, optimizer, x, y):
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    return loss


def then_an_op(net, optimizer, own):
    def step(x, y):
        loss = _backward(net, optimizer, x, y)
        optimizer.step()
        return loss.detach() * 1.0

    return step


def average(net, optimizer, own):
    own += [p.detach().clone() for p in net.parameters()]

    def step(x, y):
        loss = _backward(net, optimizer, x, y)
        optimizer.step()
        with torch.no_grad():
            for mean, p in zip(own, net.parameters()):
                mean.mul_(0.9).add_(p, alpha=0.1)
        return loss

    return step


def average_by_lerp(net, optimizer, own):
    own += [p.detach().clone() for p in net.parameters()]

    def step(x, y):
        loss = _backward(net, optimizer, x, y)
        optimizer.step()
        with torch.no_grad():
            for mean, p in zip(own, net.parameters()):
                mean.lerp_(p, 0.1)
        return loss

    return step


def two_steps(net, optimizer, own):
    def step(x, y):
        for _ in range(2):
            loss = _backward(net, optimizer, x, y)
            optimizer.step()
        return loss

    return step


def two_parts(net, optimizer, own):
    def step(x, y):
        optimizer.zero_grad()
        total = 0.0
        for k in range(2):
            loss = F.cross_entropy(net(x[k::2]), y[k::2]) / 2
            loss.backward()
            total = total + loss.detach()
        optimizer.step()
        return total

    return step


def clipped_by_norm(net, optimizer, own):
    def step(x, y):
        loss = _backward(net, optimizer, x, y)
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        optimizer.step()
        return loss, norm

    return step


def clipped_by_value(net, optimizer, own):
    def step(x, y):
        loss = _backward(net, optimizer, x, y)
        nn.utils.clip_grad_value_(net.parameters(), 0.05)
        optimizer.step()
        return loss

    return step


def cleared_after(net, optimizer, own):
    def step(x, y):
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss

    return step


def two_nets(net, optimizer, own):
    other = nn.Linear(4, 2)
    own += other.parameters()
    second = torch.optim.SGD(own, lr=0.1, momentum=0.9)

    def step(x, y):
        loss = _backward(net, optimizer, x, y)
        optimizer.step()
        second.zero_grad()
        distance = (other(x) - net(x).detach()).square().mean()
        distance.backward()
        second.step()
        return loss, distance

    return step


def statistics(net, optimizer, own):
    own.append(torch.zeros(()))

    def step(x, y):
        optimizer.zero_grad()
        out = net(x)
        loss = F.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        own[0].add_(loss.detach())
        norms = torch.stack([p.grad.norm() for p in net.parameters()])
        return loss, (out.argmax(1) == y).float().mean(), norms.norm()

    return step


STEPS: dict[str, Callable] = {
    f.__name__: f
    for f in (
        then_an_op, average, average_by_lerp, two_steps, two_parts, clipped_by_norm, clipped_by_value, cleared_after, two_nets, statistics,
    )
}  # fmt: skip


def _trained(make: Callable, is_compiled: bool, reads: bool) -> tuple[list, Callable]:
    """What fourteen steps give, if it is read, and leave behind."""
    torch.manual_seed(0)
    net, own = _net(), []
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    step = make(net, optimizer, own)
    if is_compiled:
        step = torch.compile(step)
    rng, found = np.random.default_rng(0), []
    for _ in range(14):
        x, y = rng.standard_normal((6, 4)).astype(np.float32), rng.integers(0, 2, 6)
        shown = step(torch.tensor(x), torch.tensor(y))
        if reads:
            found += [t.detach().numpy().copy() for t in (shown if isinstance(shown, tuple) else [shown])]
    found += [t.detach().numpy().copy() for t in (*net.parameters(), *own)]
    found += [np.zeros(0) if p.grad is None else p.grad.numpy().copy() for p in net.parameters()]
    return found, step


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("name", sorted(STEPS))
def test_equal(name, reads):
    """Replayed, with the results that it has without: NumPy runs both, op by op, so rounding hardly differs."""
    before = len(replay.mismatches)
    with torch.debug.tier("cold"):
        wanted, _ = _trained(STEPS[name], False, reads)
        got, step = _trained(STEPS[name], True, reads)
    assert len(replay.mismatches) == before
    assert step.replayed.replays >= 7, step.replayed.why_not
    for mine, theirs in zip(got, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["average", "two_steps", "two_nets"])
def test_compiled(name):
    """The same by XLA, which may round otherwise: a marked step is one program, where there are two without."""
    with torch.debug.tier("compiled"):
        wanted, _ = _trained(STEPS[name], False, True)
        got, _ = _trained(STEPS[name], True, True)
    for mine, theirs in zip(got, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=1e-6)


def _bytes_of_results(is_compiled: bool, clips: bool, reads: bool, monkeypatch) -> list[int]:
    """What the programs of each of eighteen steps store."""
    stored = [0]
    arrays = Call.arrays

    def noted(self):
        found = arrays(self)
        stored[-1] += sum(a.nbytes for a in found if hasattr(a, "nbytes"))
        return found

    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(200, 200, bias=False), nn.Tanh(), nn.Linear(200, 200, bias=False))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step(x):
        optimizer.zero_grad()
        loss = net(x).square().mean()
        loss.backward()
        if clips:
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        return loss

    if is_compiled:
        step = torch.compile(step)
    with monkeypatch.context() as patched, torch.debug.tier("compiled"):
        patched.setattr(Call, "arrays", noted)
        patched.setattr(
            pending, "MOST_COPIED", 0
        )  # as with large weights, whose gradients are not left for later
        for _ in range(18):
            loss = step(torch.ones(4, 200))
            if reads:
                loss.item()
            stored.append(0)
    assert not is_compiled or step.replayed.replays >= 12, step.replayed.why_not
    return stored[:-1]


@pytest.mark.parametrize("reads", [True, False])
@pytest.mark.parametrize("clips", [True, False])
def test_no_call_stores_more(clips, reads, monkeypatch):
    """No gradients where unmarked code stores none, at the calls that are recorded anew as little as at those that are
    replayed."""
    wanted = _bytes_of_results(False, clips, reads, monkeypatch)
    assert _bytes_of_results(True, clips, reads, monkeypatch) == wanted


def test_nothing_is_compiled_while_the_rate_changes():
    """After warm-up, the calls at which the function is run to look whether it still records the same among them."""
    gc.collect()  # a finalizer that ran in a noted run would be code of its
    torch.manual_seed(0)
    net = _net()
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    step = torch.compile(two_steps(net, optimizer, []))
    x, y = torch.randn(6, 4), torch.tensor([0, 1, 0, 1, 0, 1])
    with torch.debug.tier("compiled"):
        for k in range(40):
            step(x, y).item()
            scheduler.step()
            if k == 4:
                before = torch.debug.stats()["programs"]
    assert torch.debug.stats()["programs"] == before
    assert step.replayed.replays >= 30, step.replayed.why_not


def test_constants_of_64_bits_are_told_apart():
    """Not by JAX's ==, which takes 64 bits for 32 where they are not enabled; and nan, of which nothing is equal, by
    its bits."""
    values = [torch.tensor(x, dtype=torch.float64)._cell.value for x in (1.0, 1.0 + 1e-12, np.nan, 1.0)]
    one, near, nan, again = values
    assert not steps._same_constant(one, near) and not steps._same_constant(one, nan)
    assert steps._same_constant(one, again) and steps._same_constant(nan, nan)
