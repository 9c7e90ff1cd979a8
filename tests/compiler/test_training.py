"""Training with torch.compile: the losses, parameters and gradients of training without it, to the last bit; replayed,
and compiled no more often."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.compiler import replay
from functorch_lite.nn import functional as F


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.LSTM(4, 8, batch_first=True)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        y, (h, _) = self.inner(x)
        return self.out(y[:, -1] + h[0])


def _models():
    return {
        "mlp": (nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), (6, 4)),
        "norm_dropout": (
            nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.3), nn.Tanh(), nn.Linear(8, 2)),
            (6, 4),
        ),
        "cnn": (
            nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(27, 2)),
            (4, 1, 8, 8),
        ),
        "attention": (
            nn.Sequential(
                nn.TransformerEncoderLayer(4, 2, 8, batch_first=True), nn.Flatten(), nn.Linear(12, 2)
            ),
            (3, 3, 4),
        ),
        "lstm": (Recurrent(), (3, 5, 4)),
        "embedding": (nn.Sequential(nn.Embedding(7, 4), nn.Flatten(), nn.Linear(12, 2)), None),
    }


# with an eps that rounding does not reach: what is divided by less would amplify it
OPTIMIZERS = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1),
    "momentum": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01),
    "adam": lambda p: torch.optim.Adam(p, lr=0.01, eps=1e-4),
    "adamw": lambda p: torch.optim.AdamW(p, lr=0.01, eps=1e-4),
    "rmsprop": lambda p: torch.optim.RMSprop(p, lr=0.01, eps=1e-4),
}


def _train(how: str, model: str, optimizer: str, steps: int = 9, change=None) -> tuple[list, int]:
    torch.manual_seed(0)
    net, shape = _models()[model]
    opt = OPTIMIZERS[optimizer](net.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(opt, 4, 0.5) if how.endswith("schedule") else None
    rng = np.random.default_rng(0)

    def step(x, y):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        return loss

    def loss_of(x, y):
        return F.cross_entropy(net(x), y)

    compiled = None
    if how.startswith("step"):
        step = compiled = torch.compile(step)
    elif how.startswith("loss"):
        loss_of = compiled = torch.compile(loss_of)
    elif how.startswith("model"):
        compiled = torch.compile(net)
    found = []
    for k in range(steps):
        n = 3
        x = (
            torch.tensor(rng.integers(0, 7, (n, 3)))
            if shape is None
            else torch.tensor(rng.standard_normal(shape).astype(np.float32))
        )
        y = torch.tensor(rng.integers(0, 2, x.shape[0]))
        if change is not None and k == 5:
            change(net, opt)
        if how.startswith("step") or how == "eager" or how == "eager_schedule":
            loss = step(x, y)
        else:
            opt.zero_grad()
            loss = loss_of(x, y) if how.startswith("loss") else F.cross_entropy(compiled(x), y)
            loss.backward()
            opt.step()
        if scheduler is not None:
            scheduler.step()
        found.append([loss.item(), *[p.detach().numpy().copy() for p in net.parameters()]])
        if k % 3 == 0:
            found[-1] += [None if p.grad is None else p.grad.numpy().copy() for p in net.parameters()]
        found[-1] += [b.numpy().copy() for b in net.buffers()]
    replayed = compiled.replayed if compiled is not None else None
    return found, replayed


def _check(how, model, optimizer, change=None):
    before = len(replay.mismatches)
    with torch.debug.tier("compiled"):
        wanted, _ = _train(
            "eager_schedule" if how.endswith("schedule") else "eager", model, optimizer, change=change
        )
        got, replayed = _train(how, model, optimizer, change=change)
    assert len(replay.mismatches) == before
    for mine, theirs in zip(got, wanted, strict=True):
        for a, b in zip(mine, theirs, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    return replayed


@pytest.mark.parametrize("how", ["step", "loss", "model"])
@pytest.mark.parametrize("model", sorted(_models()))
def test_training(how, model):
    """Adam, and what is compiled: a whole step, what computes the loss, the model alone."""
    replayed = _check(how, model, "adam")
    assert replayed.replays >= 3, replayed.why_not


@pytest.mark.parametrize("optimizer", sorted(OPTIMIZERS))
def test_optimizers(optimizer):
    """A whole step with each optimizer."""
    replayed = _check("step", "mlp", optimizer)
    assert replayed.replays >= 3, replayed.why_not


@pytest.mark.parametrize("how", ["step_schedule", "model_schedule"])
def test_schedule(how):
    """A learning rate that changes."""
    assert _check(how, "mlp", "adam").replays >= 2


CHANGES = {
    "rate": lambda net, opt: opt.param_groups[0].update(lr=0.5),
    "frozen": lambda net, opt: net[0].weight.requires_grad_(False),
    "eval": lambda net, opt: net.eval(),
    "group": lambda net, opt: opt.add_param_group({"params": [nn.Parameter(torch.ones(2))]}),
    "state": lambda net, opt: opt.load_state_dict(opt.state_dict()),
    "grads": lambda net, opt: [setattr(p, "grad", torch.ones_like(p)) for p in net.parameters()],
    "weights": lambda net, opt: net.load_state_dict({k: v * 0.5 for k, v in net.state_dict().items()}),
    "parameter": lambda net, opt: setattr(net[0], "weight", nn.Parameter(torch.ones(8, 4))),
    "hook": lambda net, opt: net[0].register_forward_hook(lambda m, a, out: out * 0.5),
    "gradient hook": lambda net, opt: net[0].weight.register_hook(lambda g: g * 0.5),
    "step hook": lambda net, opt: opt.register_step_pre_hook(
        lambda o, a, k: [p.grad.mul_(0.5) for p in net.parameters()] and None
    ),
    "seed": lambda net, opt: torch.manual_seed(3),
    "written": lambda net, opt: net[0].weight.data.mul_(0.5),
}


@pytest.mark.parametrize("how", ["step", "model"])
@pytest.mark.parametrize("change", sorted(CHANGES))
def test_changes(change, how):
    """Something is changed after the fifth step."""
    _check(how, "norm_dropout", "adam", CHANGES[change])
