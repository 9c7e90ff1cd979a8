"""Steps of loops that write in place to the tensors that they are given, as steps in PyTorch's style do.

These belong to the step: the result is that of the step written without writes, and the caller's tensors stay as they
are. (PyTorch's loops refuse such steps.)"""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite.func import grad, hessian, jacfwd, training, vmap

scan, while_loop, torch_map = (getattr(torch._higher_order_ops, n) for n in ("scan", "while_loop", "map"))
associative_scan = torch._higher_order_ops.associative_scan
XS = torch.arange(6.0).reshape(3, 2) / 4
START = torch.tensor([1.0, -2.0])


def add(c, x):
    c += x
    return c, c * 2


def added(c, x):
    return c + x, (c + x) * 2


def scale_input(c, x):
    x.mul_(3)
    return c + x, x.sin()


def scaled_input(c, x):
    return c + x * 3, (x * 3).sin()


def write_part(c, x):
    c[0] = x.sum()
    c[1:] *= x[1:]
    return c, c.clone()


def wrote_part(c, x):
    c = torch.stack([x.sum(), c[1] * x[1]])
    return c, c


def swap(c, x):
    c.copy_(c.flip(0)).add_(x)
    return c, c.clone()


def swapped(c, x):
    c = c.flip(0) + x
    return c, c


PAIRS = [(add, added), (scale_input, scaled_input), (write_part, wrote_part), (swap, swapped)]


@pytest.mark.parametrize(("step", "pure"), PAIRS)
def test_scan(step, pure):
    start, xs = START.clone(), XS.clone()
    torch.testing.assert_close(scan(step, start, xs), scan(pure, START, XS))
    assert start.tolist() == START.tolist() and xs.tolist() == XS.tolist()


@pytest.mark.parametrize(("step", "pure"), PAIRS)
def test_derivatives(step, pure):
    def loss(step):
        return lambda c, xs: sum(t.square().sum() for t in scan(step, c, xs))

    for transform in (grad, jacfwd, hessian):
        torch.testing.assert_close(transform(loss(step), 1)(START, XS), transform(loss(pure), 1)(START, XS))
    c, d = START.clone().requires_grad_(), START.clone().requires_grad_()
    loss(step)(c, XS).backward()
    loss(pure)(d, XS).backward()
    torch.testing.assert_close(c.grad, d.grad)
    starts = torch.stack([START, START + 1])
    torch.testing.assert_close(
        vmap(loss(step), (0, None))(starts, XS), vmap(loss(pure), (0, None))(starts, XS)
    )


def test_a_tree_as_the_carry():
    def step(c, x):
        c["n"] += 1
        for k in ("a", "b"):
            c[k] -= 0.1 * x
        return c, c["a"].sum()

    start = {"n": torch.tensor(0), "a": torch.zeros(2), "b": torch.ones(2)}
    last, sums = scan(step, start, XS)
    assert last["n"].item() == 3
    torch.testing.assert_close(last["a"], -0.1 * XS.sum(0))
    torch.testing.assert_close(last["b"], 1 - 0.1 * XS.sum(0))
    torch.testing.assert_close(sums, -0.1 * XS.sum(1).cumsum(0))
    assert start["n"].item() == 0


def test_while_loop():
    def body(i, x):
        i += 1
        x *= 2
        return i, x

    start = torch.ones(2)
    i, x = while_loop(lambda i, x: i < 5, body, (torch.tensor(0), start))
    assert (i.item(), x.tolist(), start.tolist()) == (5, [32.0, 32.0], [1.0, 1.0])
    slope = grad(lambda x: while_loop(lambda i, x: i < 5, body, (torch.tensor(0), x))[1].sum())(start)
    assert slope.tolist() == [32.0, 32.0]
    steps = torch.tensor([1, 3])
    _, xs = vmap(lambda n: while_loop(lambda i, x: i < n, body, (torch.tensor(0), start)))(steps)
    assert xs.tolist() == [[2.0, 2.0], [8.0, 8.0]]


def test_map_and_associative_scan():
    def f(x):
        x += 1
        return x * 2

    def combine(a, b):
        return a.add_(b)

    xs = XS.clone()
    torch.testing.assert_close(torch_map(f, xs), (XS + 1) * 2)
    torch.testing.assert_close(associative_scan(combine, xs, 0, combine_mode="generic"), XS.cumsum(0))
    assert xs.tolist() == XS.tolist()


@pytest.mark.parametrize("checkpoint", [None, 2, "sqrt", "nested"])
def test_unroll(checkpoint):
    """Training in PyTorch's style: the momentum and the parameters are updated in place."""
    targets = torch.arange(10.0).reshape(5, 2) / 7

    def step(carry, x):
        p, m, n = carry
        g = grad(lambda p: (p - x).pow(2).sum())(p)
        m.mul_(0.9).add_(g)
        p -= lr * m
        n += 1
        return p, m, n

    def pure(carry, x):
        p, m, n = carry
        m = 0.9 * m + 2 * (p - x)
        return p - lr * m, m, n + 1

    def run(step, rate):
        nonlocal lr
        lr = rate
        return training.unroll(step, (START, torch.zeros(2), torch.tensor(0)), targets, checkpoint=checkpoint)

    lr = None
    before = START.tolist()
    torch.testing.assert_close(run(step, 0.1), run(pure, 0.1))
    rate = torch.tensor(0.1)
    slopes = [grad(lambda r, s=s: run(s, r)[0].square().sum())(rate) for s in (step, pure)]
    torch.testing.assert_close(*slopes)
    h = 1e-3
    ends = [run(pure, rate + d)[0].square().sum().item() for d in (h, -h)]
    assert slopes[0].item() == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-2)
    assert START.tolist() == before


def test_writes_to_tensors_from_outside_raise():
    counter = torch.zeros(())

    def step(c, x):
        counter.add_(1)
        return c + x, c

    with pytest.raises(RuntimeError, match=r"mutate a captured Tensor|do not support input mutation"):
        scan(step, START, XS)
    with pytest.raises(RuntimeError, match="do not support input mutation"):
        torch.cond(torch.tensor(True), lambda x: x.add_(1), torch.cos, (START.clone(),))
    assert counter.item() == 0
