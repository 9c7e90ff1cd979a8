"""Programs whose checkpointed function no single op can stand for: it is run twice.
Each is a function of the torch module and of its checkpoint, and returns tensors: what both libraries must agree on."""

from __future__ import annotations

import numpy as np

from .checkpoint_programs import _data, _module


class _Idle:
    def __enter__(self):
        pass

    def __exit__(self, *exc):
        pass


def _idle():
    return _Idle(), _Idle()


def _count(torch, *numbers):
    return torch.tensor([float(n) for n in numbers])


def _square(torch, calls, with_setup=False):
    """A Function that computes x * x by NumPy, and notes its calls."""

    class Square(torch.autograd.Function):
        @staticmethod
        def backward(ctx, g):
            calls.append("backward")
            (x,) = ctx.saved_tensors
            return g * 2 * torch.as_tensor(x.detach().numpy().copy())

    def forward(ctx, x):
        calls.append("forward")
        ctx.save_for_backward(x)
        return torch.as_tensor(np.square(x.detach().numpy()))

    def forward_alone(x):
        calls.append("forward")
        return torch.as_tensor(np.square(x.detach().numpy()))

    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    if with_setup:
        Square.forward, Square.setup_context = staticmethod(forward_alone), staticmethod(setup_context)
    else:
        Square.forward = staticmethod(forward)
    return Square


def function_inside(torch, checkpoint, reentrant):
    """An autograd.Function that computes by NumPy: its forward runs twice, its backward once."""
    found = []
    for with_setup in (False, True):
        calls: list = []
        x, w, square = _data(torch, (4,)), _data(torch, (4,), 1), _square(torch, calls, with_setup)
        checkpoint(
            lambda a, f=square, w=w: f.apply(a.sin() * w).exp(), x, use_reentrant=reentrant
        ).sum().backward()
        found += [x.grad, w.grad, _count(torch, calls.count("forward"), calls.count("backward"))]
    return found


def dropout_and_function(torch, checkpoint, reentrant):
    """The second run draws what the first drew, and leaves the generator alone."""
    x, square = torch.ones(200, requires_grad=True), _square(torch, [])
    torch.manual_seed(3)
    y = checkpoint(lambda a: square.apply(torch.nn.functional.dropout(a, 0.5)), x, use_reentrant=reentrant)
    before = torch.get_rng_state().clone()
    y.sum().backward()
    assert bool((before == torch.get_rng_state()).all())
    kept = y.detach() != 0
    assert 50 < int(kept.sum()) < 150
    return [torch.tensor(bool((x.grad == kept * 8.0).all()))]


def function_and_statistics(torch, checkpoint, reentrant):
    """A buffer is updated by both runs."""
    x, bn, square = _data(torch, (5, 3)), torch.nn.BatchNorm1d(3), _square(torch, [])
    checkpoint(lambda a: square.apply(bn(a)), x, use_reentrant=reentrant).sum().backward()
    return [x.grad, bn.num_batches_tracked, bn.running_mean, bn.weight.grad]


def function_in_nested(torch, checkpoint, reentrant):
    """An autograd.Function in a checkpoint in a checkpoint."""
    calls: list = []
    x, square = _data(torch, (4,)), _square(torch, calls)

    def inner(a):
        return square.apply(a.sin()) * a

    def outer(a):
        return checkpoint(inner, a.cos(), use_reentrant=reentrant).exp()

    checkpoint(outer, x, use_reentrant=reentrant).sum().backward()
    return [x.grad, _count(torch, calls.count("forward"), calls.count("backward"))]


def hook_inside(torch, checkpoint, reentrant):
    """A hook on a tensor computed inside sees its gradient once, and may change it."""
    x, calls = _data(torch, (4,)), []

    def f(a):
        b = a.sin()
        b.register_hook(lambda g: (calls.append(1), g * 2)[1])
        return b.exp()

    checkpoint(f, x, use_reentrant=False).sum().backward()
    return [x.grad, _count(torch, len(calls))]


def gradient_retained_inside(torch, checkpoint, reentrant):
    """retain_grad on a tensor computed inside."""
    x, kept = _data(torch, (4,)), []

    def f(a):
        b = a.sin()
        if not kept:
            b.retain_grad()
            kept.append(b)
        return b.exp()

    kept.clear()
    y = checkpoint(f, x, use_reentrant=False, context_fn=_idle)
    y.sum().backward()
    return [x.grad, kept[0].grad, kept[0].detach()]


def saved_hooks_inside(torch, checkpoint, reentrant):
    """saved_tensors_hooks inside sees what is saved there; what is outside of it is computed again."""
    x, packed = _data(torch, (4,)), []

    def f(a):
        b = a.sin()
        with torch.autograd.graph.saved_tensors_hooks(lambda t: (packed.append(1), t)[1], lambda t: t * 3):
            c = b * a
        return c.exp()

    checkpoint(f, x, use_reentrant=False).sum().backward()
    return [x.grad, _count(torch, len(packed) > 0)]


def saved_hooks_outside(torch, checkpoint, reentrant):
    """saved_tensors_hooks around a checkpoint see the argument only, once."""
    x, packed, square = _data(torch, (4,)), [], _square(torch, [])
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: (packed.append(tuple(t.shape)), t)[1], lambda t: t
    ):
        y = checkpoint(lambda a: square.apply(a.sin()).exp(), x, use_reentrant=False)
    y.sum().backward()
    return [x.grad, _count(torch, *[len(p) for p in packed])]


def contexts(torch, checkpoint, reentrant):
    """context_fn: the first context around the function, the second around its second run."""
    x, entered = _data(torch, (4,)), []

    class Says:
        def __init__(self, word):
            self.word = word

        def __enter__(self):
            entered.append(self.word)

        def __exit__(self, *exc):
            entered.append(-self.word)

    checkpoint(
        lambda a: a.sin().exp(), x, use_reentrant=False, context_fn=lambda: (Says(1), Says(2))
    ).sum().backward()
    return [x.grad, _count(torch, *entered)]


def captured_written(torch, checkpoint, reentrant):
    """A captured tensor that the function writes to is written twice."""
    x, count = _data(torch, (4,)), torch.zeros(())

    def f(a):
        count.add_(1)
        return a.sin().exp()

    checkpoint(f, x, use_reentrant=reentrant).sum().backward()
    return [x.grad, count]


def counted_in_the_midst(torch, checkpoint, reentrant):
    """A buffer that is updated before and after the last tensor is saved: early stop repeats the first update only."""

    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(()))

        def forward(self, a):
            self.n += 1
            y = a.sin()
            self.n += 1
            return y

    x, found = _data(torch, (4,)), []
    for stop in (True, False):
        model = Counts()
        checkpoint(model, x, use_reentrant=False, early_stop=stop).sum().backward()
        found.append(model.n.clone())
    return [x.grad, *found]


def same_argument_twice(torch, checkpoint, reentrant):
    """An argument seen under two names, one of which is written to: the values are right; backward refuses."""
    x = torch.ones(3)
    w = _data(torch, (3,))
    y = checkpoint(lambda a, b: (a.mul_(2) * b) * w, x, x, use_reentrant=False)
    try:
        y.sum().backward()
    except RuntimeError as e:
        return [y, x, torch.tensor("modified by an inplace operation" in str(e))]
    return [y, x, torch.tensor(False)]


def twice_over_a_kept_graph(torch, checkpoint, reentrant):
    """Each of two walks over a kept graph runs the function again."""
    x, runs = _data(torch, (4,)), []

    def f(a):
        runs.append(1)
        b = a.sin()
        if b.requires_grad:
            b.register_hook(lambda g: g * 2)
        return b.exp()

    y = checkpoint(f, x, use_reentrant=False, context_fn=_idle).sum()
    y.backward(retain_graph=True)
    y.backward()
    return [x.grad, _count(torch, len(runs))]


def double_backward_through_a_function(torch, checkpoint, reentrant):
    """Second derivatives of a function that is run twice."""

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.saved_tensors[0] ** 2

    x = _data(torch, (4,))
    y = checkpoint(lambda a: Cube.apply(a.sin()), x, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return [g, *torch.autograd.grad((g * g).sum(), x)]


def autocast_inside(torch, checkpoint, reentrant):
    """The second run is under the autocast of the first."""
    x, w, square = _data(torch, (4, 4)), _data(torch, (4, 4), 1), _square(torch, [])
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = checkpoint(lambda a: square.apply((a @ w).float()), x, use_reentrant=reentrant)
    y.sum().backward()
    return [y, x.grad, w.grad]


def parameters_of_a_module(torch, checkpoint, reentrant):
    """A module with a Function between its layers; hooks on parameters fire once."""
    square, fired = _square(torch, []), []

    class Act(torch.nn.Module):
        def forward(self, a):
            return square.apply(a)

    x = _data(torch, (3, 2))
    model = _module(torch, torch.nn.Linear(2, 4), Act(), torch.nn.Linear(4, 2))
    for p in model.parameters():
        p.register_hook(lambda g: fired.append(1))
    checkpoint(model, x, use_reentrant=reentrant).sum().backward()
    return [x.grad, *[p.grad for p in model.parameters()], _count(torch, len(fired))]


PROGRAMS = {
    f.__name__: f
    for f in (
        function_inside, dropout_and_function, function_and_statistics, function_in_nested, hook_inside, gradient_retained_inside,
        saved_hooks_inside, saved_hooks_outside, contexts, captured_written, counted_in_the_midst, same_argument_twice,
        twice_over_a_kept_graph, double_backward_through_a_function, autocast_inside, parameters_of_a_module,
    )
}  # fmt: skip


def _grows(a, state):
    """Computes with another shape when it runs again."""
    state.append(1)
    return a.sin().exp() if len(state) == 1 else a[:2].sin().exp().sum() + a.cos()


def _saves_less(a, state):
    state.append(1)
    return a.sin().exp().cos() if len(state) == 1 else a.sin()


def _saves_more(a, state):
    state.append(1)
    return a.sin() if len(state) == 1 else a.sin().cos().exp() * a


FAILURES = {
    "other shapes": lambda torch, c, x: (
        c(_grows, x, [], use_reentrant=False, context_fn=_idle).sum().backward()
    ),
    "fewer": lambda torch, c, x: (
        c(_saves_less, x, [], use_reentrant=False, context_fn=_idle).sum().backward()
    ),
    "more": lambda torch, c, x: (
        c(_saves_more, x, [], use_reentrant=False, context_fn=_idle, early_stop=False).sum().backward()
    ),
    "debug and contexts": lambda torch, c, x: c(
        torch.sin, x, use_reentrant=False, debug=True, context_fn=_idle
    ),
    "reentrant and grad": lambda torch, c, x: torch.autograd.grad(
        c(_square(torch, []).apply, x, use_reentrant=True).sum(), x
    ),
}
"""Calls that raise."""
