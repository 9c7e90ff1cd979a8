"""A training loop compiles one program for its steps, whether its loss is read at every step, at some, or never."""

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn, optim
from functorch_lite._core.run.executor import flush, forget_programs, stats
from functorch_lite.nn import functional as F


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.out = nn.LSTM(8, 8, batch_first=True), nn.Linear(8, 4)

    def forward(self, x):
        return self.out(self.net(x)[0][:, -1])


def perceptron():
    return nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 4)), torch.randn(5, 8)


def convolutional():
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(676, 40), nn.Linear(40, 4)
    )
    return net, torch.randn(5, 1, 28, 28)  # the linear layer is large enough to be overwritten


def recurrent():
    return Recurrent(), torch.randn(5, 6, 8)


def attending():
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    return nn.Sequential(layer, nn.Flatten(), nn.Linear(24, 4)), torch.randn(5, 3, 8)


def steps(make, optimizer, is_read, n=6, after=lambda net: None):
    """The programs that each step makes, and the losses that were read."""
    torch.manual_seed(0)
    flush()
    forget_programs()
    net, x = make()
    y = torch.tensor([0, 1, 2, 3, 0])
    opt = optimizer(net.parameters(), lr=0.01)
    made, read = [], []
    for i in range(n):
        before = stats["programs"]
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        if is_read(i):
            read.append(loss.item())
        after(net)
        made.append(stats["programs"] - before)
    return made, read


READS = {"always": lambda i: True, "each third": lambda i: i % 3 == 2, "never": lambda i: False}


@pytest.mark.programs
@pytest.mark.parametrize("read", READS)
@pytest.mark.parametrize(
    ("make", "optimizer"),
    [(perceptron, optim.SGD), (perceptron, optim.Adam), (convolutional, optim.AdamW), (recurrent, optim.Adam), (attending, optim.SGD)],
)  # fmt: skip
def test_one_program(make, optimizer, read):
    made, _ = steps(make, optimizer, READS[read])
    assert sum(made) == 1


@pytest.mark.programs
def test_a_schedule_makes_no_further_program():
    torch.manual_seed(0)
    net, x = perceptron()
    opt = optim.SGD(net.parameters(), lr=0.1)
    schedule = optim.lr_scheduler.ExponentialLR(opt, 0.9)
    before = stats["programs"]
    for _ in range(5):
        opt.zero_grad()
        net(x).square().mean().backward()
        opt.step()
        schedule.step()
        flush()
    assert stats["programs"] - before == 1


@pytest.mark.parametrize("make", [perceptron, convolutional])
def test_gradients_are_there_after_the_loss_was_read(make):
    """They were left out of the program, and are computed when they are asked for; from then on the program yields
    them."""
    found, expected = [], []

    def look(into):
        return lambda net: into.append([p.grad.numpy().copy() for p in net.parameters()])

    made, losses = steps(make, optim.Adam, READS["always"], after=look(found))
    assert made[0] <= 2
    assert made[2:] == [0, 0, 0, 0]

    def eagerly(net):
        with torch.no_grad():
            look(expected)(net)

    with torch.debug.eager():
        _, again = steps(make, optim.Adam, READS["always"], after=eagerly)
    np.testing.assert_allclose(losses, again, rtol=1e-5)
    for step, other in zip(found, expected, strict=True):
        for g, e in zip(step, other, strict=True):
            np.testing.assert_allclose(g, e, rtol=1e-3, atol=1e-6)


def test_gradients_of_an_earlier_step_can_be_kept():
    """Whoever holds a gradient holds what it is computed from, as it was then."""
    kept, values = [], []

    def keep(net):
        kept.append(net[0].weight.grad)
        values.append(net[0].weight.detach().clone())

    steps(perceptron, optim.SGD, READS["always"], after=keep)
    late = [g.numpy() for g in kept]  # asked for when all steps are over
    for k in range(len(values) - 1):
        moved = (values[k] - values[k + 1]).numpy()
        np.testing.assert_allclose(moved, 0.01 * late[k + 1], rtol=1e-3, atol=1e-7)


def test_gradients_that_are_summed_over_steps():
    torch.manual_seed(0)
    p = torch.nn.Parameter(torch.ones(3))
    opt = optim.SGD([p], lr=0.0)
    for k in range(1, 5):
        loss = (p * k).sum()
        loss.backward()
        opt.step()
        loss.item()
        assert p.grad.tolist() == [k * (k + 1) / 2] * 3


def test_a_number_that_has_changed_at_a_call_is_an_input_wherever_that_call_comes_again():
    def scaled(x, k):
        return (x * k).sum()

    x = torch.arange(4.0)
    flush()
    scaled(x, 0.5).item(), scaled(x, 0.75).item()
    before = stats["programs"]
    for n in range(3):  # in recordings that begin otherwise
        made = stats["programs"]
        for k in (1.5, 2.5, 3.5):
            y = x
            for _ in range(n + 1):
                y = y.sin()
            scaled(y, k).item()
        assert stats["programs"] - made <= 1
    assert stats["programs"] - before <= 3
