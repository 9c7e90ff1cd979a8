"""register_backward_hook, the legacy form, where the op that makes the output is PyTorch's: what it is called with,
what it may return, its complaints and warnings."""

# ruff: noqa: B023 (what is called, is called within the loop)
from __future__ import annotations

from tests.nn.protocol import filled, program


def sees(log, name):
    """A hook that tells what it is called with."""
    return lambda m, gi, go: log(name, type(m).__name__, gi, go)


def run(torch, log, module, *shape, made=None, leaf=True):
    """Calls a module with a hook, and goes backward; tells the warnings of the call as well."""
    x = (
        ((torch.arange(torch.Size(shape).numel()).double() * 7 % 5 - 1.75) / 2)
        .reshape(shape)
        .requires_grad_()
    )
    module.double().register_backward_hook(sees(log, "hook"))

    def call():
        out = module(x if leaf else x * 1) if made is None else made(module, x)
        while not isinstance(out, torch.Tensor):
            out = next(iter(out.values())) if isinstance(out, dict) else out[0]
        (out * (torch.arange(out.numel()).double() + 1).reshape(out.shape)).sum().backward()
        return x.grad, [p.grad for p in module.parameters()]

    log.attempt(call)


@program
def layers(torch, log):
    nn = torch.nn
    for module, shape in (
        (nn.Conv2d(1, 2, 2), (1, 1, 3, 3)), (nn.ConvTranspose1d(1, 2, 2), (1, 1, 2)),
        (nn.BatchNorm1d(2, affine=False).eval(), (3, 2)), (nn.LayerNorm(2), (3, 2)), (nn.Embedding(3, 2), None),
        (nn.AvgPool2d(2), (1, 1, 2, 2)), (nn.MaxPool2d(2), (1, 1, 2, 2)), (nn.Flatten(), (1, 2, 2)),
    ):  # fmt: skip
        module = filled(torch, module)
        if shape is None:
            run(torch, log, module, 2, made=lambda m, x: m(torch.tensor([2, 0])))
        else:
            run(torch, log, module, *shape)


@program
def activations_and_the_warning(torch, log):
    nn = torch.nn
    for make in (
        nn.ReLU,
        nn.GELU,
        nn.Sigmoid,
        lambda: nn.Softmax(1),
        lambda: nn.ReLU(inplace=True),
        lambda: nn.Dropout().eval(),
    ):
        run(torch, log, make(), 2, 2, leaf=False)
        if make is nn.ReLU:
            run(torch, log, make(), 2, 2)
    run(torch, log, nn.Sequential(filled(torch, nn.Linear(2, 2)), nn.ReLU()), 2, 2)


@program
def losses(torch, log):
    nn = torch.nn
    target = torch.tensor([[0.0, 1.0], [1.0, 0.5]]).double()
    for loss in (nn.MSELoss(), nn.SmoothL1Loss(reduction="sum"), nn.BCEWithLogitsLoss(), nn.HuberLoss()):
        run(torch, log, loss, 2, 2, made=lambda m, x: m(x, target))
    run(torch, log, nn.NLLLoss(), 2, 2, made=lambda m, x: m(x, torch.tensor([0, 1])))


@program
def own_modules(torch, log):
    class Own(torch.nn.Module):
        def __init__(self, f):
            super().__init__()
            self.f = f

        def forward(self, *args, **kwargs):
            return self.f(*args, **kwargs)

    ones = torch.ones(2, 2).double()
    for f in (
        lambda x: x * 2, lambda x: 3 * x, lambda x: x + 1, lambda x: x - ones, lambda x: x / 2, lambda x: ones * x, lambda x: x**2,
        lambda x: x @ ones, lambda x: x.sum(1), lambda x: x.mean(), lambda x: torch.cat([x, x * 2]), lambda x: torch.where(x > 0, x, ones),
        lambda x: x.T, lambda x: x.reshape(4), lambda x: x.clone(), lambda x: x.detach(), lambda x: x, lambda x: (x * 2, x + 1),
        lambda x: [x * 2], lambda x: {"y": x.exp()},
    ):  # fmt: skip
        run(torch, log, Own(f), 2, 2)
    run(torch, log, Own(lambda x, k: x * k), 2, 2, made=lambda m, x: m(x, 3.0))
    run(torch, log, Own(lambda x, k: x * k), 2, 2, made=lambda m, x: m(x, k=3.0))
    run(torch, log, Own(lambda x, y: x * y), 2, 2, made=lambda m, x: m(x * 1, x + 1))


@program
def replaced(torch, log):
    for out in (
        lambda gi: tuple(g * 2 for g in gi),
        lambda gi: (gi[0], None, gi[2]),
        lambda gi: gi[:2],
        lambda gi: (gi[1], gi[0], gi[2]),
        lambda gi: (*gi[:2], gi[2].float()),
        lambda gi: gi[0],
        lambda gi: None,
    ):
        module = filled(torch, torch.nn.LayerNorm(3)).double()
        module.register_backward_hook(lambda m, gi, go: out(gi))
        module.register_backward_hook(sees(log, "next"))
        x = torch.tensor([[1.0, 2.0, 4.0]], dtype=torch.float64, requires_grad=True)

        def call():
            module(x).sum().backward()
            return x.grad, module.weight.grad, module.bias.grad

        log.attempt(call)
    doubled = torch.nn.ReLU()
    doubled.register_backward_hook(lambda m, gi, go: gi[0] * 2)
    log.attempt(lambda: torch.autograd.grad(doubled(x).sum(), x))


@program
def both_kinds(torch, log):
    for first, second in (
        ("register_backward_hook", "register_full_backward_hook"),
        ("register_full_backward_hook", "register_backward_hook"),
    ):
        module = torch.nn.ReLU()
        log(module._is_full_backward_hook)
        handle = getattr(module, first)(sees(log, first))
        log(module._is_full_backward_hook)
        log.attempt(lambda: getattr(module, second)(sees(log, second)))
        handle.remove()
        log(len(module._backward_hooks))
        log.attempt(lambda: getattr(module, second)(sees(log, second)))


@program
def a_dead_module(torch, log):
    import gc

    module = torch.nn.ReLU()
    module.register_backward_hook(sees(log, "hook"))
    out = module(torch.ones(1, requires_grad=True))
    del module
    gc.collect()
    log.attempt(lambda: out.sum().backward())


@program
def forward_hooks_first_and_twice(torch, log):
    module = torch.nn.ReLU()
    module.register_forward_hook(lambda m, a, out: out * 5)
    module.register_backward_hook(sees(log, "hook"))
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    y = module(x)
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    with torch.no_grad():
        log(module(x))
    (g,) = torch.autograd.grad((module(x) ** 2).sum(), x, create_graph=True)
    log(g)
    g.sum().backward()
    log(x.grad)


@program
def global_ones(torch, log):
    """The kind of the global hooks is decided once in a process, so this registers none for good."""
    hooks = torch.nn.modules.module
    log(hooks.register_module_backward_hook.__name__)
    before = dict(hooks._global_backward_hooks)
    log.attempt(lambda: hooks.register_module_full_backward_hook(sees(log, "global")).remove())
    log.attempt(lambda: hooks.register_module_backward_hook(sees(log, "global")))
    log(dict(hooks._global_backward_hooks) == before)
