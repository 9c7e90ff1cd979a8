"""What a function sees of its tensors inside a reverse transform: they require grad, as in torch, and autograd.grad and
hooks work."""

from __future__ import annotations

import copy
import re

import pytest

import functorch_lite as ours
from functorch_lite import nn


def vector(torch):
    return torch.tensor([1.0, 2.0, 3.0])


def cube(torch, x):
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return g


def flags(torch, x):
    y = x * 2
    with torch.no_grad():
        z = x * 2
    seen = (x, y, z, y.detach(), x > 0, y[...], torch.ones(2), x.data)
    return [(t.requires_grad, t.is_leaf) for t in seen]


def seen_inside(torch, transform, look):
    """What `look(x)` gives inside func.<transform>."""
    found = []

    def f(x):
        found.append(look(x))
        return (x * x).sum()

    if transform == "jvp":
        torch.func.jvp(f, (vector(torch),), (vector(torch),))
    elif transform == "vjp":
        torch.func.vjp(f, vector(torch))
    else:
        getattr(torch.func, transform)(f)(vector(torch))
    return found


def captured(torch):
    """Flags of what an outer transform differentiates by, inside an inner one, and of what is made of both."""
    found = []

    def outer(x):
        def inner(w):
            found.extend([x.requires_grad, w.requires_grad, (x * w).requires_grad])
            return (x * w).sum()

        return torch.func.grad(inner)(x).sum()

    torch.func.grad(outer)(vector(torch))
    return found


def mapped(torch):
    found = []

    def row(r):
        found.append((r.requires_grad, (r * 2).requires_grad))
        return r.sum()

    torch.func.grad(lambda x: torch.func.vmap(row)(x).sum())(torch.ones(2, 2))
    return found


def no_create_graph(torch, x):
    (g,) = torch.autograd.grad((x**3).sum(), x)
    return (g * x).sum()


def of_intermediate(torch, x):
    z = x * 2
    gz, gx = torch.autograd.grad((z**3).sum(), (z, x), create_graph=True)
    return (gz * gx).sum()


def unused(torch, x, **options):
    y = x * 2
    return [
        g if g is None else g.sum().detach() for g in torch.autograd.grad((y**2).sum(), (y, x * 3), **options)
    ]


def along(torch, x):
    (g,) = torch.autograd.grad(x**3, x, x, create_graph=True)
    return (g * g).sum()


def several(torch, x):
    a, b = x.sin(), (x * 3).exp().sum()
    (g,) = torch.autograd.grad((a, b), x, (torch.ones(3), torch.tensor(2.0)), create_graph=True)
    return g.sum()


def of_complex(torch, x):
    z = torch.complex(x, x * 2)
    (g,) = torch.autograd.grad((z * z.conj() * z).real.sum(), z, create_graph=True)
    return g.abs().sum()


def written(torch, x):
    y = x * 2
    y.mul_(x)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return g.sum()


def hooked(torch, x, at):
    if at == "x":
        x.register_hook(lambda g: g * 10 + g**2)
    y = x * 2
    if at == "y":
        y.register_hook(lambda g: g * 10 + g**2)
    return (y * y).sum()


def hooked_twice(torch, x):
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: g + 1)
    return (y * y).sum()


def removed(torch, x):
    y = x * 2
    y.register_hook(lambda g: g * 10).remove()
    return (y * y).sum()


def written_parameter(torch, x):
    return (torch.nn.Parameter(x) * x).sum()


def into(torch, x):
    return torch.mul(x, 2, out=torch.zeros(3)).sum()


def stop(torch, x):
    y = x * 2
    y.requires_grad = False
    return y.sum()


def grad_of(f, *args):
    return lambda torch: torch.func.grad(lambda x: f(torch, x, *args))(vector(torch))


def twice(f, *args):
    def run(torch):
        inner = torch.func.grad(lambda x: f(torch, x, *args))
        return torch.func.grad(lambda x: (inner(x) ** 2).sum())(vector(torch))

    return run


def each(f, *args):
    def run(torch):
        inner = torch.func.grad(lambda x: f(torch, x, *args))
        return torch.func.vmap(inner)(torch.stack([vector(torch), -vector(torch)]))

    return run


def under_jvp(f, *args):
    def run(torch):
        inner = torch.func.grad(lambda x: f(torch, x, *args))
        return torch.func.jvp(inner, (vector(torch),), (torch.ones(3),))

    return run


FUNCTIONS = {
    "autograd.grad": lambda torch, x: cube(torch, x).sum(),
    "without create_graph": no_create_graph,
    "by an intermediate": of_intermediate,
    "along a cotangent": along,
    "of several": several,
    "of complex": of_complex,
    "after a write": written,
}
HOOKS = {
    "hook on an argument": (hooked, "x"),
    "hook on a result": (hooked, "y"),
    "two hooks": (hooked_twice,),
    "hook removed": (removed,),
}

CASES = {
    **{f"{k}, grad": grad_of(f) for k, f in FUNCTIONS.items()},
    **{f"{k}, grad(grad)": twice(f) for k, f in FUNCTIONS.items()},
    **{f"{k}, vmap(grad)": each(f) for k, f in FUNCTIONS.items()},
    **{f"{k}, grad": grad_of(*f) for k, f in HOOKS.items()},
    **{f"{k}, grad(grad)": twice(*f) for k, f in HOOKS.items()},
    **{f"{k}, vmap(grad)": each(*f) for k, f in HOOKS.items()},
    "autograd.grad, jacrev": lambda torch: torch.func.jacrev(lambda x: cube(torch, x))(vector(torch)),
    "autograd.grad, vjp": lambda torch: torch.func.vjp(lambda x: cube(torch, x), vector(torch))[1](vector(torch)),
    "autograd.grad, jvp": lambda torch: torch.func.jvp(lambda x: cube(torch, x), (vector(torch),), (vector(torch),)),
    "autograd.grad, vmap": lambda torch: torch.func.vmap(lambda x: cube(torch, x))(torch.ones(2, 3)),
    "unused": lambda torch: torch.func.vjp(lambda x: unused(torch, x)[0], vector(torch)),
    "unused allowed": lambda torch: [
        g is None for g in seen_inside(torch, "grad", lambda x: unused(torch, x, allow_unused=True))[0]
    ],
    "unused as zeros": lambda torch: torch.func.vjp(
        lambda x: sum(unused(torch, x, materialize_grads=True)), vector(torch)
    )[0],
    **{
        f"flags, {k}": (lambda torch, k=k: seen_inside(torch, k, lambda x: flags(torch, x)))
        for k in ("grad", "vjp", "jacrev", "hessian", "jvp", "jacfwd")
    },
    "flags of captured": captured,
    "flags, mapped": mapped,
    "a Parameter": grad_of(written_parameter),
    "data": grad_of(lambda torch, x: (x.data * x).sum()),
    "numpy": grad_of(lambda torch, x: x.sum() * float(x.numpy().sum())),
    "out=": grad_of(into),
    "deepcopy": grad_of(lambda torch, x: (copy.deepcopy(x * 2) * x).sum()),
    "requires_grad = False": grad_of(stop),
    "grad without argument": grad_of(lambda torch, x: torch.autograd.grad(x * 2, x)[0].sum()),
    "grad of a constant": grad_of(lambda torch, x: torch.autograd.grad(torch.ones(()), x)[0].sum()),
}  # fmt: skip


def plain(x):
    if hasattr(x, "tolist"):
        return x.tolist()
    return [plain(v) for v in x] if isinstance(x, list | tuple) else x if not callable(x) else None


def outcome(torch, name):
    try:
        return "gives", plain(CASES[name](torch))
    except (RuntimeError, NotImplementedError) as error:
        return type(error).__name__, str(error).removeprefix("mul(): ")[:60]


@pytest.mark.parity
@pytest.mark.parametrize("name", CASES)
def test_beside_torch(name):
    import torch

    assert outcome(ours, name) == near(outcome(torch, name))


def near(x):
    """x, whose floats may be a little off."""
    if isinstance(x, list | tuple):
        return type(x)([near(v) for v in x])
    return pytest.approx(x, rel=1e-5) if isinstance(x, float) else x


def gradient(f, x):
    return ours.func.grad(f)(x).tolist()


X = vector(ours)


def test_autograd_grad_is_the_derivative():
    assert gradient(lambda x: cube(ours, x).sum(), X) == [6.0, 12.0, 18.0]
    assert ours.func.jacrev(lambda x: cube(ours, x))(X).diagonal().tolist() == [6.0, 12.0, 18.0]
    third = ours.func.grad(lambda x: ours.func.grad(lambda x: cube(ours, x).sum())(x).sum())(X)
    assert third.tolist() == [6.0, 6.0, 6.0]


def test_what_a_backward_outside_differentiates_goes_through():
    w = ours.tensor(2.0, requires_grad=True)

    def f(x):
        (g,) = ours.autograd.grad((w * x**3).sum(), x, create_graph=True)
        return g.sum()

    ours.func.grad(f)(X).sum().backward()  # 6 w x, summed: 36 w
    assert w.grad.item() == 36.0


def test_hooks_fire_in_the_order_of_torch_and_see_values_below():
    seen = []

    def f(x):
        x.register_hook(lambda g: seen.append(g.tolist()))
        y = x * 2
        y.register_hook(lambda g: seen.append(g.tolist()))
        return (y * y).sum()

    assert gradient(f, X) == [8.0, 16.0, 24.0]
    assert seen == [[4.0, 8.0, 12.0], [8.0, 16.0, 24.0]]


@pytest.mark.parametrize("case", ["an argument", "a result"])
def test_hooks_inside_jvp_of_grad(case):
    f = under_jvp(hooked, "x" if case == "an argument" else "y")
    _, tangent = f(ours)
    direct = ours.func.jvp(grad_by_hand(case), (X,), (ours.ones(3),))[1]
    assert tangent.tolist() == near(direct.tolist())


def grad_by_hand(case):
    if case == "an argument":
        return lambda x: 10 * (8 * x) + (8 * x) ** 2
    return lambda x: 2 * (10 * (4 * x) + (4 * x) ** 2)


def test_module_hooks_change_the_gradients():
    linear = nn.Linear(3, 2)
    calls = []
    linear.register_full_backward_hook(lambda m, gi, go: calls.append(len(gi)) or (gi[0] * 10,))
    linear.register_full_backward_pre_hook(lambda m, go: (go[0] * 2,))
    got = ours.func.grad(lambda x: linear(x).sum())(X)
    assert got.tolist() == pytest.approx((20 * linear.weight.detach().sum(0)).tolist())
    each = ours.vmap(ours.func.grad(lambda x: linear(x).sum()))(ours.stack([X, X]))
    assert each.tolist() == [pytest.approx(row) for row in [got.tolist()] * 2]
    assert calls == [1, 1]


def hook_that_looks_at_the_function(y):
    y.register_hook(lambda g: g * y)
    return (y * y).sum()


OUTSIDE = ours.ones(3, requires_grad=True)
REFUSED = {
    "a hook after use": (lambda x: (x * x).sum() * bool(x.register_hook(lambda g: g)), "a hook on a tensor that was used already"),
    "a hook on a view": (lambda x: x[0].register_hook(lambda g: g), "or that is a view"),
    "a hook that uses the function's tensors": (lambda x: hook_that_looks_at_the_function(x * 2), "after the transform had returned"),
    "grad_fn": (lambda x: (x * 2).grad_fn, "grad_fn inside grad"),
    "autograd.grad by another's": (lambda x: ours.autograd.grad(x.sum(), OUTSIDE), "must all be of the innermost"),
    "autograd.grad after data": (lambda x: ours.autograd.grad((x.data * x).sum(), x), "after .data or no_grad under several"),
    "autograd.grad after a hook": (lambda x: ours.autograd.grad(hooked(ours, x, "y"), x), "after an autograd.Function or a hook"),
    "backward": (lambda x: (x * 2).sum().backward(inputs=[x]), "backward() called inside a functorch transform"),
    "a gradient edge": (lambda x: ours.autograd.graph.get_gradient_edge(x), "it has no tape"),
    "retain_grad": (lambda x: (x * 2).retain_grad(), "You are attempting to call Tensor.retain_grad()"),
    "requires_grad = False": (lambda x: setattr(x, "requires_grad", False), "You are attempting to call Tensor.requires_grad_()"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_there_says_so(name):
    f, sentence = REFUSED[name]
    with pytest.raises((RuntimeError, NotImplementedError), match=re.escape(sentence)):
        ours.func.grad(f)(X)
