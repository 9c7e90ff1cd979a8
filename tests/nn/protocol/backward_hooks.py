"""Backward hooks of modules: several inputs and outputs, None, replacement, order, warnings and complaints."""

# ruff: noqa: B023 (what is called, is called within the loop)
from __future__ import annotations

from tests.nn.protocol import filled, program


def two(torch):
    """A module of two inputs and two outputs."""

    class Two(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.tensor([2.0, 3.0]))

        def forward(self, a, b):
            return a * self.w, a + b * b

    return Two()


def sees(log, name):
    """A hook that tells what it is called with."""
    return lambda *a: log(name, *a[1:])


def backward(torch, log, module, a_grad=True, b_grad=True, loss=lambda out: (out[0] * out[1]).sum()):
    """Gradients of both inputs and the weight."""
    a = torch.tensor([1.0, 2.0], requires_grad=a_grad)
    b = torch.tensor([3.0, 5.0], requires_grad=b_grad)

    def call():
        loss(module(a, b)).backward()
        return a.grad, b.grad, module.w.grad

    log.attempt(call)


@program
def several_inputs_and_outputs(torch, log):
    for case in (
        {},
        {"a_grad": False},
        {"b_grad": False},
        {"a_grad": False, "b_grad": False},
        {"loss": lambda out: out[0].sum()},
        {"loss": lambda out: out[1].sum()},
        {"a_grad": False, "loss": lambda out: out[1].sum()},
    ):
        module = two(torch)
        module.register_full_backward_pre_hook(sees(log, "pre"))
        module.register_full_backward_hook(sees(log, "hook"))
        backward(torch, log, module, **case)


@program
def order(torch, log):
    module, hooks = two(torch), torch.nn.modules.module
    module.register_full_backward_hook(lambda *a: log("hook 1"))
    module.register_full_backward_hook(lambda *a: log("hook 0"), prepend=True)
    module.register_full_backward_pre_hook(lambda *a: log("pre 1"))
    module.register_full_backward_pre_hook(lambda *a: log("pre 0"), prepend=True)
    with hooks.register_module_full_backward_hook(lambda *a: log("global hook")):
        with hooks.register_module_full_backward_pre_hook(lambda *a: log("global pre")):
            backward(torch, log, module)
    backward(torch, log, module)


@program
def nested_modules(torch, log):
    nn = torch.nn
    net = nn.Sequential(filled(torch, nn.Linear(2, 2)), nn.ReLU(), filled(torch, nn.Linear(2, 1)))
    for name, m in net.named_modules():
        m.register_full_backward_pre_hook(sees(log, f"pre {name}"))
        m.register_full_backward_hook(sees(log, f"hook {name}"))
    x = torch.tensor([[1.0, 2.0], [0.5, -1.0]], requires_grad=True)
    net(x).sum().backward()
    log(x.grad, [p.grad for p in net.parameters()])
    log("without gradients of the input")
    net(x.detach()).sum().backward()


@program
def replaced_gradients(torch, log):
    for out in (
        lambda gi, go: (gi[0] * 0, gi[1]),
        lambda gi, go: [gi[0] * 2, gi[1] * 3],
        lambda gi, go: (None, gi[1]),
        lambda gi, go: (gi[0],),
        lambda gi, go: gi[0],
        lambda gi, go: (gi[0], gi[1], None),
        lambda gi, go: None,
    ):
        module = two(torch)
        module.register_full_backward_hook(lambda m, gi, go, out=out: out(gi, go))
        module.register_full_backward_hook(sees(log, "next"))
        backward(torch, log, module)


@program
def replaced_gradients_of_the_outputs(torch, log):
    for out in (
        lambda go: (go[0] * 2, go[1] * 3),
        lambda go: [go[0] * 2, go[1] * 3],
        lambda go: (go[0],),
        lambda go: (None, go[1]),
        lambda go: None,
    ):
        module = two(torch)
        module.register_full_backward_pre_hook(lambda m, go, out=out: out(go))
        module.register_full_backward_pre_hook(sees(log, "next"))
        module.register_full_backward_hook(sees(log, "hook"))
        backward(torch, log, module)


@program
def one_input_one_output(torch, log):
    linear = filled(torch, torch.nn.Linear(3, 2))
    linear.register_full_backward_hook(lambda m, gi, go: [torch.ones_like(g) * 42.0 for g in gi])
    x = torch.ones(1, 3, requires_grad=True)
    linear(x).sum().backward()
    log(x.grad, linear.weight.grad)
    linear = filled(torch, torch.nn.Linear(3, 2))
    linear.register_full_backward_hook(lambda m, gi, go: gi[0] * 2)  # a tensor: its length is what counts
    x = torch.ones(2, 3, requires_grad=True)
    log.attempt(lambda: linear(x).sum().backward())


@program
def without_gradients_of_the_inputs(torch, log):
    for out in (None, (None, None), (1, None), [None, None]):
        module = two(torch)
        module.register_full_backward_hook(lambda m, gi, go, out=out: out)
        backward(torch, log, module, a_grad=False, b_grad=False)


@program
def outputs_of_other_kinds(torch, log):
    class Gives(torch.nn.Module):
        def forward(self, x, how):
            return how(x * 2)

    import collections

    pair = collections.namedtuple("pair", "u v")
    for how, of in (
        (lambda y: [y, y + 1], lambda o: o[0].sum() + o[1].sum()),
        (lambda y: {"y": y}, lambda o: o["y"].sum()),
        (lambda y: (y, 3), lambda o: o[0].sum()),
        (lambda y: (3, y, None), lambda o: o[1].sum()),
        (lambda y: pair(y, y * y), lambda o: o.u.sum() + o.v.sum()),
    ):
        module = Gives()
        module.register_full_backward_hook(sees(log, "hook"))
        module.register_full_backward_pre_hook(sees(log, "pre"))
        x = torch.tensor([1.0, 2.0], requires_grad=True)

        def call(module=module, x=x, how=how, of=of):
            out = module(x, how)
            of(out).backward()
            return type(out).__name__, x.grad

        log.attempt(call)


@program
def not_every_argument_is_a_tensor(torch, log):
    class Scale(torch.nn.Module):
        def forward(self, a, x, b=None, *, k=1):
            return x * a * k + (0 if b is None else b)

    module = Scale()
    module.register_full_backward_hook(sees(log, "hook"))
    x, b = torch.tensor([1.0], requires_grad=True), torch.tensor([3.0], requires_grad=True)
    module(2.0, x).sum().backward()
    module(2.0, x, b, k=3).sum().backward()
    module(2.0, x, b=b).sum().backward()
    module(2.0, x, torch.tensor([5])).sum().backward()
    log(x.grad, b.grad)


@program
def no_grad_and_second_use(torch, log):
    module = filled(torch, torch.nn.Linear(1, 1))
    module.register_full_backward_hook(sees(log, "hook"))
    with torch.no_grad():
        log(module(torch.ones(1, requires_grad=True)).requires_grad)
    x = torch.ones(1, 1, requires_grad=True)
    y = module(module(x))
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    log(x.grad)


@program
def input_used_beside_the_output(torch, log):
    kept = {}

    class Leaks(torch.nn.Module):
        def forward(self, x):
            kept["inside"] = x * 3
            return x * 2

    module = Leaks()
    module.register_full_backward_hook(sees(log, "hook"))
    x = torch.tensor([1.0], requires_grad=True)
    module(x)
    log.attempt(lambda: kept["inside"].sum().backward())
    log(x.grad)


@program
def removal(torch, log):
    module = two(torch)
    handle = module.register_full_backward_hook(sees(log, "hook"))
    pre = module.register_full_backward_pre_hook(sees(log, "pre"))
    handle.remove()
    backward(torch, log, module)
    pre.remove()
    backward(torch, log, module)
    handles = {}

    def once(*a):
        log("once")
        handles["once"].remove()

    handles["once"] = module.register_full_backward_hook(once)
    backward(torch, log, module)
    backward(torch, log, module)
    log(len(module._backward_hooks), module._is_full_backward_hook)


@program
def hooks_see_the_aliases(torch, log):
    module = two(torch)
    module.register_full_backward_hook(lambda *a: None)
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    module.register_forward_hook(lambda m, args, out: seen.append((args[0] is a, torch.equal(args[0], a))))
    out = module(a, b)
    log(seen, type(out).__name__, [o.requires_grad for o in out])


@program
def create_graph(torch, log):
    module = filled(torch, torch.nn.Linear(2, 1))
    calls = []
    module.register_full_backward_hook(lambda m, gi, go: calls.append([g is None for g in (*gi, *go)]))
    x = torch.tensor([[1.0, 2.0]], requires_grad=True)
    (g,) = torch.autograd.grad((module(x) ** 2).sum(), x, create_graph=True)
    log(g.detach(), g.requires_grad, calls)
    g.sum().backward()
    log(x.grad, module.weight.grad, calls)


@program
def what_hooks_of_tensors_may_return(torch, log):
    for out in (
        lambda g: g[0],
        lambda g: g.double(),
        lambda g: g.sum(),
        lambda g: 3,
        lambda g: g.half(),
        lambda g: g * 2,
        lambda g: None,
    ):
        leaf = torch.ones(2, 3, requires_grad=True)
        leaf.register_hook(out)
        log.attempt(lambda: (leaf * 2).sum().backward())
        log(leaf.grad)
        leaf = torch.ones(2, 3, requires_grad=True)
        middle = leaf * 1
        middle.register_hook(out)
        log.attempt(lambda: (middle * 2).sum().backward())
        log(leaf.grad)
        leaf = torch.ones(2, 3, requires_grad=True)
        middle = leaf.clone()
        middle.grad_fn.register_hook(lambda gi, go: (out(gi[0]),))
        log.attempt(lambda: (middle * 2).sum().backward())
        log(leaf.grad)
    middle = torch.ones(2, requires_grad=True).clone()
    middle.grad_fn.register_hook(lambda gi, go: (gi[0], gi[0]))
    log.attempt(lambda: middle.sum().backward())
