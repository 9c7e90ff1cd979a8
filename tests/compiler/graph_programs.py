"""Random programs of two matrices in which much is done twice, or for nothing: views there and back, ones and zeros,
casts, copies, equal steps."""

from __future__ import annotations

import random
from collections.abc import Callable

import functorch_lite as torch
from functorch_lite.nn import functional as F

LEAST, MOST = 5, 60
SHAPE = (4, 6)

VALUES = (
    "{a} + {b}", "{b} + {a}", "{a} * {b}", "{a} - {b}", "{a}.sin()", "{a}.exp().clamp(max=3.0)", "{a}.tanh()", "-{a}", "{a} * 1", "{a} / 1", "{a} - 0.0",
    "{a} * torch.ones(4, 6)", "{a} * torch.ones(6)", "{a} + (torch.full((4, 6), 2.0) + torch.full((4, 6), 3.0))", "{a} * (torch.ones_like({b}) * 2)",
    "{a}.reshape(24).reshape(4, 6)", "{a}.t().t()", "{a}.reshape(2, 12).reshape(24).reshape(4, 6)", "{a}.permute(1, 0).contiguous().t()", "{a}.unsqueeze(0).squeeze(0)",
    "{a}.reshape(4, 1, 6).transpose(0, 1).reshape(4, 6)", "{a}.clone()", "{a}[:, 0:6]", "{a}[1:3].repeat(2, 1)", "torch.cat([{a}])", "{a}.repeat(1, 1)",
    "{a}.double().float()", "{a}.half().float()", "{a}.double().half().float()", "{a}.to(torch.float32)", "F.pad({a}, (0, 0, 0, 0))", "{a}.expand(4, 6)",
    "torch.where(torch.ones(4, 6, dtype=torch.bool), {a}, {b})", "torch.where({a} > {b}, {a}, {b})", "F.dropout({a}, 0.5, False)", "F.dropout({a}, 0.5)",
    "{a} + torch.rand(4, 6)", "{a}.detach() + {b}", "{a} * torch.full((8, 6), 2.0)[2:6]", "{a} + torch.full((1, 6), 2.0).expand(4, 6)",
    "{a}.softmax(-1)", "{a} @ {b}.t() @ {a} * 0.1", "{a}.unsqueeze(0).amax(0)", "{a}.sum(0, keepdim=True) * 0.1 + {b}", "torch.maximum({a}, {b})",
    "{a} + torch.full((4, 6), 4.0).sqrt()", "{a} * torch.zeros(4, 6, dtype=torch.int32).to(torch.float32)", "{a}.ceil() + {b}", "{a}.flip(0).flip(0)",
    "torch.cond({a}.sum() > 0, lambda p, q: p * q, lambda p, q: p - q, ({a}, {b}))",
    "torch.func.grad(lambda p: (p * p * {b}).sum())({a})", "torch.stack([{a}, {b}]).mean(0)", "{a} * torch.full((4, 6), 1e38) * 0.0",
)  # fmt: skip
WRITES = (
    "{v} = {v}.clone()\n{v}.mul_(1.25)", "{v} = {v}.clone()\n{v}[:, 1] = 0.5", "{v} = {v}.clone()\n{v}.t()[1:3].add_(1)",
    "with torch.no_grad(): {v} = {v} * 1 + {b}", "with torch.no_grad(): n = {a} * 2\n{v} = {v} * n",
    "_, {v} = scan(lambda c, e: (c + e, c * 0.5), {v}[0] * 0, {v})",
)  # fmt: skip


def program(seed: int) -> tuple[str, Callable]:
    """A function of two matrices of SHAPE, as text and as itself. It returns a tuple."""
    r = random.Random(seed)
    names = ["x", "y"]
    lines = ["def f(x, y):"]
    for k in range(r.randint(LEAST, MOST)):
        a, b = r.choice(names[-4:]), r.choice(names)
        if r.random() < 0.15 and names[2:]:
            text = r.choice(WRITES).format(v=r.choice(names[2:]), a=a, b=b)
        else:
            names.append(f"v{k}")
            text = f"v{k} = {r.choice(VALUES).format(a=a, b=b)}"
        lines += [f"    {line}" for line in text.split("\n")]
    results = sorted({names[-1], *r.sample(names, min(3, len(names)))})
    lines.append(f"    return {', '.join(results)},")
    source = "\n".join(lines)
    scope = {"torch": torch, "F": F, "scan": torch._higher_order_ops.scan}
    exec(compile(source, f"<program {seed}>", "exec"), scope)
    return source, scope["f"]  # type: ignore[return-value]


def read(text: str):
    """The Graph that a program of `to_python` makes."""
    space: dict = {}
    exec(text, space)
    return space["graph"]


def steps(graph) -> list:
    """Its steps, whose results are numbered without gaps."""
    now: dict[int, int] = {}
    for s in graph.steps:
        now.update({s.base + k: len(now) + k for k in range(s.n_out)})
    refs = [tuple([now.get(r, r) for r in s.refs]) for s in graph.steps]
    return [(_told(s.op), s.static, s.applied.inputs, r, s.stop) for s, r in zip(graph.steps, refs)]


def _told(op):
    """An op; a transform by its key and the steps of what it is of."""
    made = getattr(op, "made_of", None) or ()
    if len(made) == 3 and getattr(made[0].op, "of", None):
        return (op.name, _told(made[0].op), *made[1:])
    return (op.key, [steps(g) for g in op.of[0]]) if getattr(op, "of", None) else op
