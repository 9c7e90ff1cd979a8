"""`to` in all its forms, casts, `type`, `to_empty`, `share_memory`, `_apply`."""

# ruff: noqa: B023 (what is called, is called within the loop)
from __future__ import annotations

from tests.nn.protocol import filled, program, some


def dtypes(net):
    """The dtypes of a module's members."""
    return [str(t.dtype) for t in (*net.parameters(), *net.buffers())]


@program
def forms_of_to(torch, log):
    other = torch.ones(1, dtype=torch.float64)
    for call in (
        lambda m: m.to("cpu"),
        lambda m: m.to(torch.device("cpu")),
        lambda m: m.to(torch.float64),
        lambda m: m.to("cpu", torch.float16),
        lambda m: m.to("cpu", torch.float16, True),
        lambda m: m.to(torch.bfloat16, True),
        lambda m: m.to(other),
        lambda m: m.to(other, True),
        lambda m: m.to(tensor=other),
        lambda m: m.to(device="cpu"),
        lambda m: m.to(dtype=torch.float64),
        lambda m: m.to(device=None, dtype=None),
        lambda m: m.to(None),
        lambda m: m.to(None, torch.float64),
        lambda m: m.to("cpu", None),
        lambda m: m.to("cpu", non_blocking=True),
        lambda m: m.to(torch.float64, non_blocking=True),
        lambda m: m.to(memory_format=torch.channels_last),
        lambda m: m.to(torch.complex64),
        lambda m: m.to(torch.int32),
        lambda m: m.to(torch.bool),
        lambda m: m.to(),
        lambda m: m.to(torch.ones(1, dtype=torch.int64)),
    ):
        module = torch.nn.BatchNorm1d(1)
        log.attempt(lambda: call(module) is module)
        log(dtypes(module))


@program
def errors_of_to(torch, log):
    for call in (
        lambda m: m.to([]),
        lambda m: m.to("cpu", "cpu"),
        lambda m: m.to(torch.float64, "cpu"),
        lambda m: m.to(zz=1),
    ):
        try:
            call(torch.nn.Linear(1, 1))
        except (TypeError, RuntimeError) as error:
            log(type(error).__name__, str(error).partition(" - got")[0].partition(", got")[0])


@program
def casts(torch, log):
    for name in ("float", "double", "half", "bfloat16"):
        net = some(torch)
        net.register_buffer("i", torch.tensor([1]))
        net.register_buffer("c", torch.tensor([1j]))
        kept = net.p
        log(getattr(net, name)() is net, dtypes(net), net.p is kept, net.p.requires_grad)
    net = some(torch).to(torch.float64)
    log(dtypes(net))
    for of in (torch.float64, "torch.DoubleTensor", torch.int32, "torch.FloatTensor", torch.bool):
        module = torch.nn.Module()
        module.register_buffer("f", torch.ones(1))
        module.register_buffer("i", torch.ones(1, dtype=torch.int64))
        log.attempt(lambda: dtypes(module.type(of)))
    log.attempt(lambda: torch.nn.Linear(1, 1).type("zz"))
    log.attempt(lambda: torch.nn.Linear(1, 1).cpu().weight.device.type)


@program
def gradients_are_cast_too(torch, log):
    net = filled(torch, torch.nn.Linear(2, 1))
    net(torch.ones(2)).sum().backward()
    weight, grad = net.weight, net.weight.grad
    net.double()
    log(net.weight is weight, net.weight.grad is grad, net.weight.grad, net.weight, net.bias.grad)
    net.weight.grad = None
    net.half()
    log(net.weight.grad, net.bias.grad.dtype == torch.float16)
    net.float()
    log(net.weight.is_leaf, net(torch.ones(2)))


@program
def meta_and_to_empty(torch, log):
    net = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.BatchNorm1d(1))
    log(net.to_empty(device="cpu") is net, dtypes(net), [tuple(p.shape) for p in net.parameters()])
    net.to_empty(device="meta", recurse=False)
    log([p.device.type for p in net.parameters()])
    net.to_empty(device="meta")
    log([p.device.type for p in net.parameters()], [b.device.type for b in net.buffers()])
    log.attempt(lambda: net.to("cpu"))
    log([p.device.type for p in net.to_empty(device="cpu").parameters()])
    log.attempts(lambda: net.to_empty("cpu"), lambda: net.to_empty())


@program
def own_apply(torch, log):
    class Own(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(1))
            self.kept = torch.ones(1)

        def _apply(self, fn, recurse=True):
            self.kept = fn(self.kept)
            return super()._apply(fn, recurse=recurse)

    net = torch.nn.Sequential(Own())
    net.double()
    log(net[0].kept, net[0].w)
    log(net.share_memory() is net)


@program
def shared_members_stay_shared(torch, log):
    net = some(torch)
    net.inner[0].bias = net.l1.bias
    net.double()
    log(net.inner[0].bias is net.l1.bias, net.shared is net.l1, net.l1.bias.dtype == torch.float64)


@program
def views_of_parameters(torch, log):
    net = filled(torch, torch.nn.Linear(2, 1))
    view = net.weight.detach()
    net.double()
    with torch.no_grad():
        net.weight.zero_()
    log(view, net.weight)
