"""autograd.Functions in the bodies of cond, while_loop, scan and map: as in a plain Python loop, under every
transform."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._higher_order_ops import associative_scan, scan, while_loop
from functorch_lite._higher_order_ops import map as torch_map
from functorch_lite.func import grad, jacfwd, jacrev, jvp, vmap
from functorch_lite.utils.checkpoint import checkpoint
from tests.support.full import FULL

X = torch.tensor([0.5, -1.0, 2.0])
XS = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.2, -0.7]])


class Sine(torch.autograd.Function):
    """sin, whose derivatives are written down (three times what they are, so that it shows whose are used)."""

    @staticmethod
    def forward(x, scale):
        return x.sin() * scale, (x > 0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.scale = inputs
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)

    @staticmethod
    def backward(ctx, g, _):
        (x,) = ctx.saved_tensors
        return g * 3 * x.cos() * ctx.scale, None

    @staticmethod
    def jvp(ctx, t, _):
        (x,) = ctx.saved_tensors
        return t * 3 * x.cos() * ctx.scale, None


class Exp(torch.autograd.Function):
    """exp, by forward(ctx, …), with a backward that uses its result, a tensor of its own, and no jvp."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        ctx.five = torch.full((), 5.0)
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0] * ctx.five


class ByNumPy(torch.autograd.Function):
    """A forward that asks for values."""

    @staticmethod
    def forward(ctx, x):
        return torch.from_numpy(np.sin(x.detach().numpy()))

    @staticmethod
    def backward(ctx, g):
        return g


class BackwardByNumPy(torch.autograd.Function):
    """A backward that asks for values."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.from_numpy(2 * g.numpy())


W = torch.tensor([1.0, 2.0, -0.5])


def step(x):
    return Sine.apply(x * W, 0.5)[0] + Exp.apply(x * 0.1)


def by_cond(x):
    return torch.cond(x.sum() > -100, step, torch.cos, (x,))


def by_while(x):
    return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, step(a)), (torch.tensor(0), x))[1]


def by_scan(x):
    carry, ys = scan(lambda c, b: (step(c + b), Sine.apply(c, 2.0)[0]), x, XS)
    return carry + ys.sum(0)


def by_map(x):
    return torch_map(lambda b, a: step(a * b), XS, x).sum(0)


def plainly(f):
    def loop_while(x):
        for _ in range(3):
            x = step(x)
        return x

    def loop_scan(x):
        carry, total = x, 0
        for b in XS:
            carry, total = step(carry + b), total + Sine.apply(carry, 2.0)[0]
        return carry + total

    plain = {
        by_cond: step,
        by_while: loop_while,
        by_scan: loop_scan,
        by_map: lambda x: sum(step(x * b) for b in XS),
    }
    return plain[f]


def gradient(f):
    x = X.clone().requires_grad_()
    f(x).sum().backward()
    return x.grad


def penalty(f):
    x = X.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(x).sum(), x, create_graph=True)
    (g * g).sum().backward()
    return x.grad


USES = {
    "values": lambda f: f(X),
    "backward": gradient,
    "grad": lambda f: grad(lambda x: f(x).sum())(X),
    "jacrev": lambda f: jacrev(f)(X),
    "vmap": lambda f: vmap(f)(torch.stack([X, 2 * X])),
    "vmap of grad": lambda f: vmap(grad(lambda x: f(x).sum()))(torch.stack([X, 2 * X])),
    "hessian": lambda f: jacrev(grad(lambda x: f(x).sum()))(X),
    "double backward": penalty,
    "checkpoint": lambda f: gradient(lambda x: checkpoint(f, x, use_reentrant=False)),
}


LOOPS = (by_cond, by_while, by_scan, by_map)
CASES = [(f, u) for f in LOOPS for u in ("values", "backward")]
CASES += [
    (by_cond, "vmap of grad"),
    (by_while, "grad"),
    (by_scan, "hessian"),
    (by_map, "checkpoint"),
    (by_scan, "double backward"),
]
if FULL:  # each compiles for seconds
    CASES = [(f, u) for f in LOOPS for u in USES]


@pytest.mark.parametrize(("f", "use"), CASES)
def test_as_in_a_plain_loop(f, use):
    expected, found = USES[use](plainly(f)), USES[use](f)
    np.testing.assert_allclose(found.detach().numpy(), expected.detach().numpy(), rtol=2e-4, atol=1e-4)


def only_sine(x):
    return scan(lambda c, b: (Sine.apply(c + b, 0.5)[0], c), x, XS)[0]


def test_forward_mode_asks_the_jvp_rule():
    def plain(x):
        for b in XS:
            x = Sine.apply(x + b, 0.5)[0]
        return x

    np.testing.assert_allclose(
        jvp(only_sine, (X,), (X,))[1].numpy(), jvp(plain, (X,), (X,))[1].numpy(), rtol=1e-5
    )
    np.testing.assert_allclose(jacfwd(only_sine)(X).numpy(), jacfwd(plain)(X).numpy(), rtol=1e-5)
    with pytest.raises(NotImplementedError, match="You must implement the jvp function"):
        jvp(by_scan, (X,), (X,))


def test_by_ops_and_recorded_are_equal():
    with torch.debug.eager():
        expected = gradient(by_scan)
    np.testing.assert_allclose(gradient(by_scan).numpy(), expected.numpy(), rtol=1e-5)


@pytest.mark.parametrize(
    "loop",
    [
        lambda f, x: torch.cond(x.sum() > -100, f, torch.cos, (x,)),
        lambda f, x: scan(lambda c, b: (f(c), c), x, XS)[0],
        lambda f, x: torch_map(f, XS).sum(0),
        lambda f, x: associative_scan(lambda a, b: f(a + b), XS, 0, combine_mode="generic"),
    ],
)
def test_rules_that_ask_for_values_raise(loop):
    with pytest.raises(RuntimeError, match=r"asked for .* by an autograd.Function in the body"):
        loop(ByNumPy.apply, X)


def test_a_backward_that_asks_for_values_raises_when_it_is_needed():
    def loop(x):
        return scan(lambda c, b: (BackwardByNumPy.apply(c), c), x, XS)[0]

    np.testing.assert_array_equal(loop(X).numpy(), (X * 4).numpy())
    with pytest.raises(RuntimeError, match=r"asked for .* by an autograd.Function in the body"):
        gradient(loop)
