"""Random programs with a world around them that they read and write, and random changes of that world between their
calls.

`Program(seed)` is a function of two vectors as text, what it is called with, and a line to be run before some of its
calls.
"""

from __future__ import annotations

import random
from typing import Any

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite.nn import functional as F

WORLD = """
class Box:
    scale = 1.25
    def __init__(self, **own): self.__dict__.update(own)
    def times(self, a): return a * self.scale

def hook(module, args, out): return out * 0.5
def helper(a, c=0.5): return a * k + c

def make():
    depth, held = 2.0, torch.full((4,), 0.25)
    def inner(a): return a * depth + held
    def deepen():
        nonlocal depth
        depth += 1.0
    return inner, deepen

torch.manual_seed(3)
k, n, flag, name, items, table = 1.5, 2, True, "tanh", [0.5, -1.0], {"a": 2.0}
base = torch.arange(8.0) * 0.1
g, h = torch.tensor([0.5, -0.5, 1.0, 2.0]), base[:4]
buf, index = torch.zeros(4), torch.tensor([3, 0, 1])
w, u = nn.Parameter(torch.tensor([1.0, 0.5, -0.25, 2.0])), nn.Parameter(torch.ones(4, 4) * 0.3)
box = Box(gain=0.75, t=torch.ones(4), inner=Box(deep=[1.0, 2.0]))
inner, deepen = make()
net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.4), nn.Tanh())
norm = nn.BatchNorm1d(1)
opt = torch.optim.SGD([w, u], lr=0.1, momentum=0.5)
"""
VALUES = (
    "{a} + {b}", "{a} * {b}", "{a} * k", "{a} * g", "{a} - h", "{a}.sin()", "helper({a})", "helper({a}, c=k)", "net({a})", "{a} * items[-1]",
    "{a} * table['a']", "{a} * box.scale", "box.times({a})", "{a} + box.t", "box.inner.deep[1] * {a}", "{a} * len(items)", "inner({a})",
    "torch.where({a} > 0, {a}, {b})", "{a}.sum() * {b}", "{a} + torch.rand(4)", "F.dropout({a}, 0.5)", "{a}.detach()", "{a}.clone()",
    "{a}.view(2, 2).t().reshape(4)", "({a} if flag else {b} * 2)", "torch.stack([{a}, {b}]).mean(0)", "sum({a} * v for v in items)",
    "u @ {a}", "{a} * w", "getattr(F, name)({a})", "norm({a}.view(4, 1)).view(4)", "{a}[index].sum() + {b}", "torch.cat([{a}[:2], {b}[2:]])",
    "{a} * torch.tensor(items[:1])", "{a} * (2 if {a}.shape[0] > n else 3)", "torch.func.grad(lambda z: (z * z * k).sum())({a}.detach())",
    "{a}[1:3].sum() * {b}", "F.linear({a}, u)", "{a} * box.__dict__['gain']", "{a} + torch.zeros(4).normal_()", "{a}.flip(0)", "{a} / (1 + g * g)",
)  # fmt: skip
ALIASES = ("{a}[...]", "{a}.view(4)", "{a}.detach()", "{a}", "{a}.unsqueeze(0)[0]")
WRITES = (
    "{v} = {v} * 1\n{v}.mul_(1.25)", "{v} = {v} + 0\n{v}[1:3] = 0.5", "{v} = {v} * 1\n{v}[0] = {b}[1]", "buf.copy_({a}.detach())", "buf.add_(1)",
    "with torch.no_grad(): w.mul_(0.99)", "w.data.add_(0.01)", "g.mul_(0.9)", "g[1:3] = {a}[1:3].detach()", "base.add_(0.5)", "h[0] += 1",
    "for _ in range(n): {v} = {v} * k", "x.detach().add_(0.125)", "box.t.add_({a}.detach())", "buf[index] = 0.25",
)  # fmt: skip
RARE = (
    "box.t = {a}.detach()",
    "items.append(0.125)",
    "k = k + 0.5",
    "if {a}.sum() > 1: {v} = {v} * 2",
    "{v} = {v} * {a}[0].item()",
)
"""What no replay may follow."""
ENDS = (
    "", "", "", "{total}.backward()", "opt.zero_grad()\n{total}.backward()\nopt.step()", "w.grad = None\n{total}.backward()",
    "v0 = torch.autograd.grad({total}, w)[0]",
)  # fmt: skip
RESULTS = (
    "{a}",
    "{a}, {b}",
    "{{'a': {a}, 'b': [{b}, k]}}",
    "{a}, g",
    "x, {a}[:2]",
    "{a}.sum()",
    "buf, {a}",
    "{a}.detach(), {a}",
    "w.grad, {a}",
    "{a}[:2], g[1:]",
)
CHANGES = (
    "k = 2.5", "k = 2", "n = 3", "flag = False", "name = 'relu'", "items.append(0.25)", "items[-1] = 3.0", "items.reverse()", "table['a'] = -3.0",
    "table.update(b=1.0)", "box.scale = 4.0", "Box.scale = 4.0", "box.t = torch.full((4,), 2.0)", "box.t.mul_(3)", "box.inner.deep[1] = 5.0",
    "box.inner = Box(deep=[0.0, 7.0])", "box.gain = 2.0", "g.mul_(0.5)", "g = torch.arange(4.0)", "g[0] = 7.0", "g = g.double()", "base.mul_(2)",
    "h = base[4:]", "h = g", "g = h", "g = base[2:6]", "box.t = g", "box.t = w", "buf = g", "w.requires_grad_(False)", "w.requires_grad_(True)",
    "w.grad = None", "w.grad = torch.ones(4)", "w.data = torch.full((4,), 0.5)", "with torch.no_grad(): w.add_(1)", "w = nn.Parameter(torch.ones(4))",
    "w.grad = g", "w.grad = base[2:6]", "buf = w.grad if w.grad is not None else buf", "u.grad = torch.arange(16.0).view(4, 4).t()", "net.eval()", "net.train()", "net[0].weight = nn.Parameter(torch.ones(4, 4))", "net[0].bias = None", "net[1].p = 0.2",
    "net[2] = nn.ReLU()", "net.append(nn.Sigmoid())", "net.register_forward_hook(hook)", "net[0].weight.data.mul_(0.5)", "net[0].requires_grad_(False)",
    "net.load_state_dict({key: v * 0.5 for key, v in net.state_dict().items()})", "norm.eval()", "norm.momentum = 0.5", "norm.running_mean.add_(1)",
    "norm.reset_running_stats()", "def helper(a, c=0.5): return a - k - c", "helper.__defaults__ = (3.0,)", "deepen()", "inner.__closure__[1].cell_contents.mul_(2)",
    "opt.param_groups[0]['lr'] = 0.01", "opt.param_groups[0]['momentum'] = 0.9", "opt.add_param_group({'params': [nn.Parameter(torch.ones(1))]})",
    "opt.load_state_dict(opt.state_dict())", "opt.state.clear()", "torch.manual_seed(5)", "torch.rand(2)", "index = torch.tensor([0, 0, 2])",
    "index.add_(-1).clamp_(0)", "u.grad = None", "u = u.detach()", "w.register_hook(lambda d: d * 2)", "box.times = lambda a: a - 1",
    "Box.times = lambda self, a: a + self.scale", "box.__dict__['gain'] = 9.0", "F = __import__('types').SimpleNamespace(**{**vars(F), 'relu': torch.sin, 'linear': lambda a, b: a})",
    "torch.set_default_dtype(torch.float32)", "box.__class__ = type('Other', (Box,), {'scale': 6.0})", "u.data.t_()", "g.requires_grad_(True)", "g = g.detach()",
)  # fmt: skip
GIVEN = ("fresh", "fresh", "fresh", "leaf", "twice", "view", "global", "result")
STATE = (
    "base",
    "g",
    "h",
    "buf",
    "w",
    "u",
    "box.t",
    "index",
    "w.grad",
    "u.grad",
    "k",
    "items",
    "net",
    "norm",
    "opt",
)
CALLS = 8


class Program:
    """One program.

    `source`: of f(x, y); `given`: with what it is called; `pokes`: whether its results are written to afterwards;
    `changes`: lines by the number of the call that they precede."""

    def __init__(self, seed: int):
        dice = random.Random(seed)
        self.seed, self.given = seed, dice.choice(GIVEN)
        names, lines = ["x", "y"], []
        for _ in range(dice.randint(2, 7)):
            words = {"a": dice.choice(names[-3:]), "b": dice.choice(names), "v": f"v{len(names)}"}
            what = dice.random()
            if what < 0.68 or len(names) == 2:
                lines.append(f"{words['v']} = {dice.choice(VALUES).format(**words)}")
                names.append(words["v"])
            elif what < 0.76:
                lines.append(f"{words['v']} = {dice.choice(ALIASES).format(**words)}")
                names.append(words["v"])
            else:
                words["v"] = dice.choice(names[2:])
                lines += dice.choice(RARE if what > 0.985 else WRITES).format(**words).split("\n")
        total = f"({' + '.join(f'{v}.sum()' for v in names[2:])} + w.sum())"
        lines += dice.choice(ENDS).format(total=total).split("\n")
        lines.append(f"return {dice.choice(RESULTS).format(a=names[-1], b=dice.choice(names))}")
        self.source = "\n    ".join(["def f(x, y):", "global k", *[line for line in lines if line]])
        self.changes: dict[int, str] = {}
        for _ in range(dice.choice((0, 1, 1, 2, 2, 3))):
            self.changes[dice.choice((2, 3, 3, 4, 4, 5, 6))] = dice.choice(CHANGES)

        self.pokes = dice.random() < 0.25

    def __repr__(self) -> str:
        changes = [f"# before call {k + 1}: {line}" for k, line in sorted(self.changes.items())]
        return "\n".join(
            [
                f"seed {self.seed}, given {self.given}{', results are written to' * self.pokes}",
                self.source,
                *changes,
            ]
        )


class World:
    """A program in a world of its own. `call(k)` makes the k-th call and gives what came of it, unread."""

    def __init__(self, program: Program, wrap: Any = lambda f: f):
        self.program = program
        self.own: dict[str, Any] = {"torch": torch, "nn": nn, "F": F, "__name__": __name__}
        exec(WORLD + program.source, self.own)
        self.f = wrap(self.own["f"])
        self.last: Any = None

    def call(self, k: int) -> list:
        torch.manual_seed(k // 3)
        own = self.own
        try:
            if k in self.program.changes:
                exec(self.program.changes[k], own)
            x, y = self._given(k)
            self.last = self.f(x, y)
            if self.program.pokes:
                self._poke(self.last)
            return [self.last, x, y, torch.rand(1)]
        except Exception as error:
            return [f"{type(error).__name__}: {error}"]

    def _poke(self, x: Any) -> None:
        """Writes to the tensors in a result."""
        if isinstance(x, torch.Tensor):
            x.detach().add_(1)
        elif isinstance(x, list | tuple | dict):
            for part in x.values() if isinstance(x, dict) else x:
                self._poke(part)

    def _given(self, k: int) -> tuple:
        x, y = torch.tensor([0.5, 1.0, -2.0, 1.5]) * (1 + k), torch.tensor([1.0, -1.0, 0.25, 3.0]) + k
        how = self.program.given
        if how == "leaf":
            return x.requires_grad_(True), y
        if how == "view":
            return torch.cat([x, y])[2:6], y[...]
        if how == "result" and isinstance(self.last, torch.Tensor) and self.last.shape == x.shape:
            return self.last.detach(), y
        return (x, x) if how == "twice" else (x, self.own["g"]) if how == "global" else (x, y)

    def state(self) -> list:
        """What its names are bound to, unread."""
        found: list = [eval(name, self.own) for name in STATE]
        net, norm, opt = found[-3:]
        return [
            *found[:-3], *net.parameters(), *[p.grad for p in net.parameters()], *norm.parameters(), *norm.buffers(),
            [list(s.values()) for s in opt.state.values()],
        ]  # fmt: skip
