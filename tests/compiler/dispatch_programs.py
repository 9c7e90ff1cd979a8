"""Programs under dispatch modes, given a torch, its TorchDispatchMode and FakeTensorMode: what each was shown, and what
came out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

QUIET = ("aten.detach.default", "aten.lift_fresh.default", "aten.alias.default")
"""What PyTorch does for its own sake, between ops."""

SEEN: dict[str, Callable[[Any], Any]] = {}


def seen(fn):
    SEEN[fn.__name__] = fn
    return fn


def inputs(torch):
    x = torch.arange(6.0).reshape(2, 3) / 6 - 0.4
    w = (torch.arange(12.0).reshape(4, 3) / 12 - 0.5).requires_grad_()
    return x, w, torch.zeros(4, requires_grad=True)


@seen
def arithmetic(torch):
    x, _, _ = inputs(torch)
    return lambda: [
        x + 1,
        x + x,
        2 - x,
        x * 3,
        x / x.exp(),
        -x,
        x**2,
        x @ x.T,
        (x > 0) & (x < 1),
        x.clamp(0, 1),
    ]


@seen
def reductions(torch):
    x, _, _ = inputs(torch)
    return lambda: [x.sum(), x.sum(1), x.mean(), x.var(1), x.cumsum(0), *x.sort(), x.softmax(-1), x.amax(1)]


@seen
def views(torch):
    x, _, _ = inputs(torch)
    return lambda: [
        x.view(6)[1:3].unsqueeze(0),
        x.t().contiguous(),
        x[:, 1],
        x.expand(4, 2, 3),
        x.transpose(0, 1),
    ]


@seen
def layers(torch):
    x, w, b = inputs(torch)
    F = torch.nn.functional
    im = torch.arange(50.0).reshape(2, 1, 5, 5) / 50
    k = torch.arange(18.0).reshape(2, 1, 3, 3) / 18
    at = torch.tensor([1, 0])
    return lambda: [F.linear(x, w, b).relu(), F.gelu(x), F.layer_norm(x, (3,)), F.conv2d(im, k), F.max_pool2d(im, 2), F.embedding(at, x), torch.cat([x, x])]  # fmt: skip


@seen
def gradients(torch):
    x, w, b = inputs(torch)
    F = torch.nn.functional
    at = torch.tensor([1, 0])

    def run():
        loss = F.cross_entropy(F.linear(x, w, b).relu(), at)
        loss.backward()
        return [loss, w.grad, b.grad]

    return run


@seen
def gradients_of_views_and_products(torch):
    x, w, _ = inputs(torch)
    return lambda: list(torch.autograd.grad((w.view(2, 6)[:, :3] @ x.T).tanh().sum(), w))


def logged(torch, Mode, make):
    """(names of the ops that a mode was shown, the results)."""
    names: list[str] = []

    class Log(Mode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            if str(func) not in QUIET:
                names.append(str(func))
            return func(*args, **(kwargs or {}))

    run = make(torch)
    with Log():
        results = run()
    return names, results


def fake(torch, FakeTensorMode) -> list[str]:
    """What tensors without numbers are printed as."""
    with FakeTensorMode() as mode:
        net = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 10))  # fmt: skip
        out = net(torch.randn(2, 3, 8, 8))
        out.sum().backward()
        torch.optim.SGD(net.parameters(), 0.1).step()
        found = [
            out,
            net[0].weight.grad,
            torch.arange(3),
            torch.ones(2, 3) @ torch.ones(3, 4),
            torch.zeros(2).to("meta"),
        ]
    found += [mode.from_tensor(torch.ones(2, 3)), mode.from_tensor(torch.ones(2, requires_grad=True)) * 2]
    return [repr(t).replace("grad_fn=<MulBackward0>", "") for t in found]
