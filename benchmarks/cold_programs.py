"""What a newcomer's first minute is made of, as programs of PyTorch's API:
`python -m benchmarks.cold_programs NAME LIBRARY` runs one in a process of its own and prints what it took, as JSON.
`benchmarks/cold.py` runs them beside each other."""

from __future__ import annotations

import importlib
import json
import math
import random
import resource
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PROGRAMS: dict[str, Callable[[Any, Times], None]] = {}


class Times:
    """Seconds of wall time and of processor time, by part of a program; whatever else it found."""

    def __init__(self):
        self.wall: dict[str, float] = {}
        self.cpu: dict[str, float] = {}
        self.found: dict[str, Any] = {}

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall[name] = time.perf_counter() - wall
        self.cpu[name] = time.process_time() - cpu


def program(fn: Callable) -> Callable:
    PROGRAMS[fn.__name__] = fn
    return fn


@program
def cnn(torch: Any, times: Times) -> None:
    """Three steps of a small CNN by Adam."""
    nn, F = torch.nn, torch.nn.functional
    net = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(32 * 49, 10),
    )  # fmt: skip
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    x, y = torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,))
    for k in range(1, 4):
        with times.part(f"step {k}"):
            opt.zero_grad()
            loss = F.cross_entropy(net(x), y)
            loss.backward()
            opt.step()
            loss.item()


@program
def lstm(torch: Any, times: Times) -> None:
    """24 steps of an LSTM on packed sequences, of other lengths each."""
    nn = torch.nn
    net, out = nn.LSTM(16, 32), nn.Linear(32, 4)
    opt = torch.optim.Adam([*net.parameters(), *out.parameters()], lr=1e-3)
    before = memory()
    with times.part("24 steps"):
        for k in range(24):
            lengths = sorted((5 + (7 * k + 3 * i) % 20 for i in range(8)), reverse=True)
            x = nn.utils.rnn.pack_sequence([torch.randn(n, 16) for n in lengths])
            opt.zero_grad()
            _, (h, _) = net(x)
            loss = out(h[-1]).square().mean()
            loss.backward()
            opt.step()
            loss.item()
    times.found["MB more"] = memory() - before


@program
def reinforce(torch: Any, times: Times) -> None:
    """REINFORCE on episodes of varying lengths: a walk on a line."""
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    with times.part("300 episodes"):
        for episode in range(300):
            at, logs = 0.0, []
            for t in range(5 + episode * 7 % 16):
                state = torch.tensor([at, abs(at), 1.0, t / 20])
                choice = torch.distributions.Categorical(logits=net(state))
                action = choice.sample()
                logs.append(choice.log_prob(action))
                at += 2.0 * action.item() - 1.0
            opt.zero_grad()
            loss = -torch.stack(logs).sum() * at
            loss.backward()
            opt.step()


@program
def cartpole(torch: Any, times: Times) -> None:
    """REINFORCE on a pole on a cart, in plain Python: episodes end when it falls, each after another number of
    steps."""
    nn = torch.nn
    net = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2))
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    chance = random.Random(0)
    steps = 0
    with times.part("300 episodes"):
        for _ in range(300):
            state, logs, rewards = [chance.uniform(-0.05, 0.05) for _ in range(4)], [], []
            while len(logs) < 60 and abs(state[0]) < 2.4 and abs(state[2]) < 0.2095:
                choice = torch.distributions.Categorical(logits=net(torch.tensor(state)))
                action = choice.sample()
                logs.append(choice.log_prob(action))
                state = _cart(state, action.item())
                rewards.append(1.0)
            steps += len(logs)
            returns, total = [], 0.0
            for r in reversed(rewards):
                total = r + 0.99 * total
                returns.insert(0, total)
            returns = torch.tensor(returns)
            returns = (returns - returns.mean()) / (returns.std() + 1e-8)
            loss = -(torch.stack(logs) * returns).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
    times.found["steps"] = steps


def _cart(state: list[float], action: int) -> list[float]:
    """One step of Barto, Sutton and Anderson's cart, by Euler's method."""
    x, v, angle, turning = state
    force = 10.0 if action else -10.0
    sine, cosine = math.sin(angle), math.cos(angle)
    push = (force + 0.05 * turning * turning * sine) / 1.1
    turned = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine * cosine / 1.1))
    moved = push - 0.05 * turned * cosine / 1.1
    return [x + 0.02 * v, v + 0.02 * moved, angle + 0.02 * turning, turning + 0.02 * turned]


@program
def pinn(torch: Any, times: Times) -> None:
    """Five steps of L-BFGS on the residual of the heat equation, which has second derivatives of a small net."""
    nn = torch.nn
    net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
    opt = torch.optim.LBFGS(net.parameters(), max_iter=20, line_search_fn="strong_wolfe")
    inside = torch.rand(256, 2, requires_grad=True)
    edge = torch.rand(64, 2) * torch.tensor([1.0, 0.0])
    calls = 0

    def closure():
        nonlocal calls
        calls += 1
        opt.zero_grad()
        (du,) = torch.autograd.grad(net(inside).sum(), inside, create_graph=True)
        (ddu,) = torch.autograd.grad(du[:, 0].sum(), inside, create_graph=True)
        loss = (du[:, 1] - ddu[:, 0]).square().mean()
        loss = loss + (net(edge)[:, 0] - torch.sin(math.pi * edge[:, 0])).square().mean()
        loss.backward()
        return loss

    for k in range(1, 6):
        with times.part(f"step {k}"):
            opt.step(closure).item()
    times.found["calls"] = calls


@program
def private(torch: Any, times: Times) -> None:
    """DP-SGD: gradients of examples, clipped, with Poisson batches."""
    nn, F = torch.nn, torch.nn.functional
    func = torch.func
    net = nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 5))
    params = {k: v.detach() for k, v in net.named_parameters()}
    x, y = torch.randn(400, 20), torch.randint(0, 5, (400,))

    def loss(params, a, b):
        return F.cross_entropy(func.functional_call(net, params, (a[None],)), b[None])

    gradients = func.vmap(func.grad(loss), (None, 0, 0))
    with times.part("50 steps"):
        for k in range(50):
            size = 24 + k * 13 % 17
            at = torch.arange(k, k + size)
            grads = gradients(params, x[at], y[at])
            norms = torch.sqrt(sum(g.flatten(1).square().sum(1) for g in grads.values()))
            scale = (1.0 / (norms + 1e-6)).clamp(max=1.0)
            for name, g in grads.items():
                summed = (g * scale.reshape(-1, *[1] * (g.ndim - 1))).sum(0)
                params[name] = params[name] - 0.1 / 32 * (summed + torch.randn(summed.shape))
        float(params["0.weight"].sum())


@program
def expressions(torch: Any, times: Times) -> None:
    """A list of 1,000 small expressions, stacked, and four backwards of a loss of it."""
    s = torch.tensor(1.1, requires_grad=True)
    rows = torch.linspace(0.9, 2.0, 1000, requires_grad=True)
    with times.part("to build"):
        loss = torch.stack([4 * ((s / x) ** 12 - (s / x) ** 6) for x in rows]).sum()
        loss.item()
    for k in range(1, 5):
        with times.part(f"backward {k}"):
            loss.backward(retain_graph=True)
            s.grad.item()


@program
def pools(torch: Any, times: Times) -> None:
    """vmap(jvp(vjp)) of ten pools."""
    F, func = torch.nn.functional, torch.func
    with times.part("ten pools"):
        for name, size in [("max_pool1d", 3), ("max_pool2d", 4), ("avg_pool1d", 3), ("avg_pool2d", 4), ("max_pool3d", 5),
                           ("avg_pool3d", 5), ("adaptive_avg_pool1d", 3), ("adaptive_avg_pool2d", 4), ("adaptive_max_pool2d", 4), ("lp_pool2d", 4)]:  # fmt: skip
            pool = getattr(F, name)
            x = torch.randn(3, *(2, 4, 4, 4, 4)[:size])
            extra = (2.0, 2) if name.startswith("lp") else (2,)

            def pulled(a, pool=pool, extra=extra):
                out, pull = func.vjp(lambda b: pool(b, *extra), a)
                return pull(torch.ones_like(out))[0]

            func.vmap(lambda a: func.jvp(pulled, (a,), (a,))[1])(x).sum().item()


@program
def hessians(torch: Any, times: Times) -> None:
    """Hessians of functions that index."""
    func = torch.func
    at = torch.tensor([0, 2, 1])
    fns: list[Callable] = [
        lambda x: x[0], lambda x: x[1:3].prod(), lambda x: x[at].prod(), lambda x: x[::2].square().sum(), lambda x: x.index_select(0, at).prod(),
        lambda x: x.gather(0, at).prod(), lambda x: x.take(at).square().sum(), lambda x: x.flip(0).cumsum(0).square().sum(), lambda x: x.roll(1).mul(x).sum(),
        lambda x: torch.index_add(x, 0, at, x[:3]).square().sum(), lambda x: torch.scatter(x, 0, at, x[:3]).square().sum(), lambda x: x.sort().values.cumprod(0).sum(),
        lambda x: x.topk(2).values.prod(), lambda x: x.unfold(0, 2, 1).square().sum(), lambda x: x.max() * x.min(), lambda x: torch.where(x > 0, x, x * x).prod(),
        lambda x: x.reshape(2, 2).diagonal().prod(),
    ]  # fmt: skip
    with times.part("17 hessians"):
        for fn in fns:
            func.hessian(fn)(torch.randn(4)).sum().item()


@program
def repl(torch: Any, times: Times) -> None:
    """300 short chains as one would type them, each new, to the printed result."""
    ops = ("sin", "cos", "exp", "tanh", "abs", "neg", "square", "sigmoid", "relu", "log1p")
    seconds = []
    x = torch.arange(6.0)
    for k in range(300):
        chain = [ops[k % 10], ops[k // 10 % 10], ops[(k // 100 + 3 * k) % 10]]
        with times.part("chains"):
            y = x.reshape(2, 3) + k
            for op in chain:
                y = getattr(y, op)()
            repr(y.mean(k % 2))
        seconds.append(times.wall["chains"])
    seconds.sort()
    times.wall = {"median": seconds[150], "95 %": seconds[285]}
    times.cpu = {}


@program
def beams(torch: Any, times: Times) -> None:
    """Beam search with a small language model: 4 beams of 30 tokens, for each of 20 prompts; every step reads what it
    chose."""
    nn = torch.nn
    embed, cell, out = nn.Embedding(50, 32), nn.GRUCell(32, 64), nn.Linear(64, 50)
    with times.part("20 prompts"), torch.no_grad():
        for prompt in range(20):
            h = torch.zeros(1, 64)
            tokens, scores, written = torch.tensor([prompt]), torch.zeros(1), [[prompt]]
            for _ in range(30):
                h = cell(embed(tokens), h)
                found = scores[:, None] + torch.log_softmax(out(h), -1)
                scores, at = found.flatten().topk(4)
                rows, tokens = at // 50, at % 50
                h = h[rows]
                written = [[*written[r], t] for r, t in zip(rows.tolist(), tokens.tolist())]
                if scores[0].item() < -1e6:
                    break
            best = scores.argmax().item()
            assert len(written[best]) == 31


@program
def hmc(torch: Any, times: Times) -> None:
    """HMC on a banana: 200 proposals of 10 leapfrog steps, each accepted or not."""

    def energy(q):
        return 0.5 * (q[0] ** 2 / 4 + (q[1] - 0.5 * q[0] ** 2) ** 2)

    def slope(q):
        q = q.detach().requires_grad_()
        return torch.autograd.grad(energy(q), q)[0]

    q, accepted, step = torch.tensor([1.0, 0.5]), 0, 0.2
    with times.part("200 proposals"):
        for _ in range(200):
            p = torch.randn(2)
            new_q, new_p = q, p - step / 2 * slope(q)
            for k in range(10):
                new_q = new_q + step * new_p
                new_p = new_p - (step if k < 9 else step / 2) * slope(new_q)
            change = energy(q) + p.square().sum() / 2 - energy(new_q) - new_p.square().sum() / 2
            if torch.rand(()) < torch.exp(change):
                q, accepted = new_q.detach(), accepted + 1
    times.found["accepted"] = accepted / 200


@program
def sentences(torch: Any, times: Times) -> None:
    """120 steps of a transformer encoder, each batch as long as its longest sentence: from 30 to 60 words."""
    nn = torch.nn

    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embedding = nn.Embedding(1000, 128)
            layer = nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True)
            self.encoder = nn.TransformerEncoder(layer, 2)
            self.out = nn.Linear(128, 1000)

        def forward(self, x):
            return self.out(self.encoder(self.embedding(x), src_key_padding_mask=x == 0))

    net = Encoder()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    choice = random.Random(0)
    for part in ("60 steps", "60 more"):
        with times.part(part):
            for _ in range(60):
                x = torch.randint(1, 1000, (16, choice.randint(30, 60)))
                loss = nn.functional.cross_entropy(net(x).flatten(0, 1), x.flatten())
                opt.zero_grad()
                loss.backward()
                opt.step()
                loss.item()
    times.found["MB"] = memory()


def memory() -> float:
    """MB that the process holds at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    name, library = sys.argv[1:]
    times = Times()
    with times.part("import"):
        torch = importlib.import_module(library)
    torch.manual_seed(0)
    PROGRAMS[name](torch, times)
    print(json.dumps({"wall": times.wall, "cpu": times.cpu, **times.found}))


if __name__ == "__main__":
    main()
