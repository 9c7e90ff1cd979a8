"""Who sees which gradients in the midst of a walk, and in which order leaves get theirs: functions of a library,
PyTorch or this one."""

from __future__ import annotations


def _seen(lib, net, x, by_input=True):
    """What hooks of all modules and parameters see, in order."""
    log = []
    for name, module in net.named_modules():

        def of_module(module, grad_input, grad_output, name=name):
            log.append((name, [k for k, p in module.named_parameters() if p.grad is not None]))

        module.register_full_backward_hook(of_module)
    for name, p in net.named_parameters():
        p.register_hook(lambda g, name=name: log.append(f"hook of {name}"))
        p.register_post_accumulate_grad_hook(lambda p, name=name: log.append(f"grad of {name}"))
    net(x.clone().requires_grad_(by_input)).sum().backward()
    return log


def layers(lib):
    nn = lib.nn
    return _seen(
        lib, nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3), nn.LayerNorm(3)), lib.ones(2, 3)
    )


def layers_of_three_dims(lib):
    nn = lib.nn
    return _seen(lib, nn.Sequential(nn.Linear(3, 4), nn.PReLU(), nn.Linear(4, 2)), lib.ones(2, 2, 3))


def convolutions(lib):
    nn = lib.nn
    net = nn.Sequential(
        nn.Conv2d(1, 2, 2), nn.BatchNorm2d(2), nn.ConvTranspose2d(2, 2, 1), nn.GroupNorm(1, 2)
    )
    return _seen(lib, net, lib.arange(18.0).reshape(2, 1, 3, 3))


def shared_parameters(lib):
    class Net(lib.nn.Module):
        def __init__(self):
            super().__init__()
            self.twice = lib.nn.Linear(3, 3)
            self.w = lib.nn.Parameter(lib.ones(3))

        def forward(self, x):
            return self.twice(self.twice(x) * self.w) * self.w

    return _seen(lib, Net(), lib.ones(2, 3))


def what_a_function_sees(lib):
    w, b, x = [lib.ones(3, requires_grad=True) for _ in range(3)]
    log = []

    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            log.append((w.grad.tolist(), b.grad is None, x.grad is None))
            return grad * 2

    (Double.apply(x) * w + b).sum().backward()
    (Double.apply(x) * w + b).sum().backward(inputs=[w, x])
    lib.autograd.grad((Double.apply(x) * w + b).sum(), [w, x, b])
    return log, w.grad.tolist(), b.grad.tolist(), x.grad.tolist()


def a_gradient_taken_away(lib):
    """A step in the hook: the gradient is used, and gone."""
    net = lib.nn.Linear(2, 1)
    log = []

    def step(p):
        log.append(p.grad.tolist())
        p.grad = None

    for p in net.parameters():
        p.register_post_accumulate_grad_hook(step)
    (net(lib.ones(1, 2)).sum() + 3 * net(lib.ones(1, 2)).sum()).backward()
    return log, [p.grad for p in net.parameters()]


def a_backward_in_a_hook(lib):
    w, v = lib.ones(2, requires_grad=True), lib.ones(2, requires_grad=True)

    def another(w):
        with lib.enable_grad():
            loss = (v * v).sum()
        loss.backward()

    w.register_post_accumulate_grad_hook(another)
    (w * v).sum().backward()
    return w.grad.tolist(), v.grad.tolist()


def what_is_freed(lib):
    """A walk frees what it visits, not what lies behind the inputs."""
    a = lib.tensor(3.0, requires_grad=True)
    b = a * a
    found = [lib.autograd.grad(b * 2, b)[0].item(), lib.autograd.grad(b, a)[0].item()]
    inner = a.exp()
    for _ in range(2):
        (slope,) = lib.autograd.grad((inner * inner).sum(), inner)
        found.append((inner - slope).item())
    found.append(lib.autograd.grad(inner, a)[0].item())
    try:
        lib.autograd.grad(inner, a)
    except RuntimeError as error:
        found.append(str(error)[:20])
    batch = (a * lib.ones(2)).sin()
    found.append(lib.autograd.grad(batch * 2, batch, lib.eye(2), is_grads_batched=True)[0].sum().item())
    found.append(lib.autograd.grad(batch.sum(), a)[0].item())
    return found


PROGRAMS = (
    layers, layers_of_three_dims, convolutions, shared_parameters, what_a_function_sees, a_gradient_taken_away, a_backward_in_a_hook,
    what_is_freed,
)  # fmt: skip
