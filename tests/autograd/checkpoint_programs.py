"""Programs that use checkpoint, each a function of the torch module, which returns tensors: what both libraries must
agree on."""

from __future__ import annotations

import numpy as np


def _data(torch, shape, seed=0, grad=True):
    t = torch.tensor(np.random.default_rng(seed).standard_normal(shape).astype(np.float32))
    return t.requires_grad_(grad)


def _module(torch, *layers):
    rng = np.random.default_rng(1)
    model = torch.nn.Sequential(*layers)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.tensor(rng.standard_normal(tuple(p.shape)).astype(np.float32)))
    return model


def parameters(torch, checkpoint, reentrant):
    """Gradients of the input and of captured parameters; hooks on parameters fire once."""
    x, calls = _data(torch, (3, 2)), []
    model = _module(torch, torch.nn.Linear(2, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    for p in model.parameters():
        p.register_hook(lambda g: calls.append(1))
    y = checkpoint(model, x, use_reentrant=reentrant)
    (y * y).sum().backward()
    return [y, x.grad, *[p.grad for p in model.parameters()], torch.tensor(len(calls))]


def nested(torch, checkpoint, reentrant):
    """A checkpoint within a checkpoint."""
    x, w = _data(torch, (3,)), _data(torch, (3,), 1)

    def inner(a):
        return (a * w).sin().exp()

    def outer(a):
        return checkpoint(inner, a.cos(), use_reentrant=reentrant) * w

    checkpoint(outer, x, use_reentrant=reentrant).sum().backward()
    return [x.grad, w.grad]


def structures(torch, checkpoint, reentrant):
    """Arguments that are no tensors, results in a tuple, an integer result."""
    x = _data(torch, (4,))

    def f(a, factor, names):
        return a.sin() * factor, names, (a > 0).sum()

    y, names, count = checkpoint(f, x, 3.0, ["n"], use_reentrant=reentrant)
    assert names == ["n"]
    y.sum().backward()
    return [y, count, x.grad]


def flags(torch, checkpoint, reentrant):
    """Which results require grad."""
    x = _data(torch, (4,))
    y, z = checkpoint(lambda a: (a.sin(), a.cos().detach()), x, use_reentrant=reentrant)
    frozen = checkpoint(lambda a: a.sin(), x.detach(), use_reentrant=False)
    with torch.no_grad():
        off = checkpoint(lambda a: a.sin(), x, use_reentrant=reentrant)
    return [torch.tensor([t.requires_grad for t in (y, z, frozen, off)])]


def batch_norm(torch, checkpoint, reentrant):
    """Running statistics are updated in forward and again in backward."""
    x = _data(torch, (5, 3))
    model = _module(torch, torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.ReLU())
    y = checkpoint(lambda a: model(a) * 2, x, use_reentrant=reentrant)
    before = [b.clone() for b in model.buffers()]
    (y * y).sum().backward()
    return [y, x.grad, *before, *model.buffers(), *[p.grad for p in model.parameters()]]


def batch_norm_twice(torch, checkpoint, reentrant):
    """Two backward passes over a kept graph repeat the update twice."""
    x = _data(torch, (5, 3))
    bn = torch.nn.BatchNorm1d(3)
    y = checkpoint(bn, x, use_reentrant=reentrant).sin().sum()
    y.backward(retain_graph=True)
    y.backward()
    return [bn.num_batches_tracked, bn.running_mean, x.grad]


def late_counter(torch, checkpoint, reentrant):
    """A counter that counts after everything that backward needs: early stop leaves it alone."""

    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(()))

        def forward(self, a):
            y = a.sin()
            self.n.add_(1)
            return y

    x, model = _data(torch, (4,)), Counts()
    checkpoint(model, x, use_reentrant=reentrant).sum().backward()
    return [model.n, x.grad]


def replaced_buffer(torch, checkpoint, reentrant):
    """A buffer that the function assigns anew."""

    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("n", torch.zeros(()))

        def forward(self, a):
            self.n = self.n + 1
            return a.sin()

    x, model = _data(torch, (4,)), Counts()
    checkpoint(model, x, use_reentrant=reentrant).sum().backward()
    return [model.n, x.grad]


def argument_written(torch, checkpoint, reentrant):
    """An argument that the function writes to in place is written to."""
    x, w = torch.ones(3), _data(torch, (3,))
    with torch.no_grad():
        y = checkpoint(lambda a: a.mul_(2) * w, x, use_reentrant=False)
    z = checkpoint(lambda a: a.add_(1).sum() + w.sum(), x, use_reentrant=False)
    return [x, y, z, torch.tensor(x.requires_grad)]


def argument_returned(torch, checkpoint, reentrant):
    """An argument, a view of it, a captured tensor: returned as they are."""
    x, w = _data(torch, (4,)), _data(torch, (4,), 1)
    base = x * 1
    same, view, captured, y, rows = checkpoint(
        lambda a: (a, a.view(2, 2), w, (b := a * w), b.view(2, 2)), base, use_reentrant=False
    )
    assert same is base and captured is w
    with torch.no_grad():
        view.mul_(2)
        rows.mul_(3)
    return [base, view, y, rows]


def keywords(torch, checkpoint, reentrant):
    """Keyword arguments, tensors among them and within containers."""
    x, w = _data(torch, (4,)), _data(torch, (4,), 1)
    y = checkpoint(lambda a, *, k, many: a * k + many["v"][0], x, k=w, many={"v": [x]}, use_reentrant=False)
    return [*torch.autograd.grad(y.sum(), (x, w)), y]


def no_grad_inside(torch, checkpoint, reentrant):
    """What is computed under no_grad, or detached, takes no gradient."""
    x = _data(torch, (4,))

    def f(a):
        with torch.no_grad():
            scale = a.exp()
        return a * scale + a.sin().detach() * a

    checkpoint(f, x, use_reentrant=reentrant).sum().backward()
    return [x.grad]


def penalty_inside(torch, checkpoint, reentrant):
    """A gradient taken inside, with create_graph."""
    x = _data(torch, (4,))

    def f(a):
        (g,) = torch.autograd.grad(a.sin().sum() * a.sum(), a, create_graph=True)
        return g * g

    checkpoint(f, x, use_reentrant=False).sum().backward()
    return [x.grad]


def double_backward(torch, checkpoint, reentrant):
    """Second derivatives."""
    x = _data(torch, (4,))
    y = checkpoint(lambda a: a.sin() * a.exp(), x, use_reentrant=False).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    return [g, *torch.autograd.grad((g * g).sum(), x)]


def value_inside(torch, checkpoint, reentrant):
    """Control flow on a value inside."""
    x = _data(torch, (4,))
    checkpoint(
        lambda a: a.sin() if a.sum().item() > 0 else a.cos(), x, use_reentrant=reentrant
    ).sum().backward()
    return [x.grad]


def only_parameters(torch, checkpoint, reentrant):
    """No argument requires grad: the reentrant variant then gives none at all."""
    x = _data(torch, (3, 2), grad=False)
    model = _module(torch, torch.nn.Linear(2, 2))
    y = checkpoint(model, x, use_reentrant=reentrant)
    if y.requires_grad:
        y.sum().backward()
    grads = [p.grad for p in model.parameters() if p.grad is not None]
    return [torch.tensor(y.requires_grad), *grads]


PROGRAMS = {
    f.__name__: f
    for f in (
        parameters, nested, structures, flags, batch_norm, batch_norm_twice, late_counter, replaced_buffer, argument_written,
        argument_returned, keywords, no_grad_inside, penalty_inside, double_backward, value_inside, only_parameters,
    )
}  # fmt: skip
