"""Registration, attributes, walking, look-up by path, printing, modes."""

# ruff: noqa: B023 (what is called, is called within the loop)
from __future__ import annotations

from tests.nn.protocol import program, some


@program
def assigned_before_init(torch, log):
    nn = torch.nn

    def module(make):
        class NoInit(nn.Module):
            def __init__(self):
                make(self)

        return NoInit

    for make in (
        lambda self: setattr(self, "x", nn.Linear(1, 1)),
        lambda self: setattr(self, "x", nn.Parameter(torch.ones(1))),
        lambda self: setattr(self, "x", nn.Buffer(torch.ones(1))),
        lambda self: self.register_buffer("x", torch.ones(1)),
        lambda self: self.register_parameter("x", None),
        lambda self: setattr(self, "x", torch.ones(1)) or log(self.x),
    ):
        log.attempt(lambda: module(make)() and None)


@program
def wrong_assignments(torch, log):
    nn, net = torch.nn, some(torch)
    for name in ("p", "no_param", "l1", "empty", "b", "tmp", "plain"):
        for value in (3, "x", [], torch.ones(1), torch.ones(1, dtype=torch.int64), nn.ReLU, None):
            log.attempt(lambda: setattr(net, name, value))
    log(net)


@program
def names(torch, log):
    nn = torch.nn
    for name in ("a.b", "", "forward", "b", "p", "l1", "plain", "training", 3, None, b"x", "ünï", "0", "a b"):
        log.attempts(
            lambda: some(torch).register_parameter(name, nn.Parameter(torch.ones(1))),
            lambda: some(torch).register_parameter(name, None),
            lambda: some(torch).register_buffer(name, torch.ones(1)),
            lambda: some(torch).add_module(name, nn.ReLU()),
            lambda: some(torch).register_module(name, None),
        )


@program
def wrong_kinds(torch, log):
    nn = torch.nn
    for value in (3, torch.ones(1), nn.Parameter(torch.ones(1)) * 1, nn.ReLU(), nn.ReLU, "x"):
        log.attempts(
            lambda: some(torch).register_parameter("z", value),
            lambda: some(torch).register_buffer("z", value),
            lambda: some(torch).add_module("z", value),
        )


@program
def a_name_moves(torch, log):
    nn, net = torch.nn, some(torch)

    def places(name):
        where = ("_parameters", "_buffers", "_modules")
        return [w for w in where if name in getattr(net, w)] + ["dict"] * (name in vars(net))

    for name in ("b", "p", "l1", "plain", "tmp", "new"):
        for value in (
            nn.Parameter(torch.ones(1)),
            nn.ReLU(),
            nn.Buffer(torch.ones(1)),
            torch.ones(2),
            3,
            None,
        ):
            log.attempt(lambda: setattr(net, name, value))
            log(name, places(name), sorted(net._non_persistent_buffers_set))
    log(list(net.state_dict()))


@program
def deleting(torch, log):
    net = some(torch)
    for name in ("p", "b", "tmp", "l1", "plain", "no_param", "empty", "zz", "training", "p"):
        log.attempt(lambda: delattr(net, name))
        log(hasattr(net, name))
    log(sorted(net._non_persistent_buffers_set), net)
    log.attempts(lambda: net.zz, lambda: net.forward, lambda: net(torch.ones(2)))


@program
def dir_and_vars(torch, log):
    net = some(torch)
    missing = {"p", "b", "tmp", "l1", "inner", "shared", "empty", "no_param", "plain", "training"} - set(
        dir(net)
    )
    log(sorted(missing), sorted(vars(net)), [n for n in dir(net.inner) if n.isdigit()])
    devices_and_types = {"ipu", "mtia", "xpu", "T_destination"}
    log([n for n in dir(torch.nn.Module) if not n.startswith("_") and n not in devices_and_types])
    log(sorted(vars(torch.nn.Linear(1, 1))))


@program
def buffers(torch, log):
    nn, net = torch.nn, some(torch)
    net.new = nn.Buffer(torch.ones(3), persistent=False)
    log(isinstance(net.new, nn.Buffer), "new" in net._buffers, list(net.state_dict())[:3])
    log(
        isinstance(torch.ones(1), nn.Buffer),
        isinstance(net.b, nn.Buffer),
        type(nn.Buffer(torch.ones(1))).__name__,
    )
    log(nn.Buffer(torch.ones(2)), nn.Buffer(), nn.Buffer(torch.ones(1), persistent=False).persistent)
    net.b = torch.ones(5)
    log(net.b, net._buffers["b"] is net.b)
    net.b = nn.Buffer(torch.zeros(1), persistent=False)
    log("b" in net.state_dict())
    net.b = torch.ones(1)
    log("b" in net.state_dict())
    log.attempts(
        lambda: nn.Buffer(3),
        lambda: nn.Buffer(torch.ones(1), False),
        lambda: nn.Buffer(torch.ones(1, dtype=torch.int64)),
    )


@program
def parameters(torch, log):
    nn = torch.nn
    log.attempts(
        lambda: nn.Parameter(torch.ones(2)),
        lambda: nn.Parameter(),
        lambda: nn.Parameter(torch.ones(2), requires_grad=False),
        lambda: nn.Parameter(torch.ones(2), False),
        lambda: nn.Parameter(torch.tensor([1])),
        lambda: nn.Parameter(torch.tensor([1]), requires_grad=False),
        lambda: nn.Parameter(3),
        lambda: nn.Parameter([1.0]),
        lambda: nn.Parameter(torch.tensor([1j])),
        lambda: nn.Parameter(nn.Parameter(torch.ones(1), False)),
        lambda: type(nn.Parameter(torch.ones(1)) + 1).__name__,
        lambda: type(nn.Parameter(torch.ones(1)).data).__name__,
        lambda: type(nn.Parameter(torch.ones(1)).detach()).__name__,
        lambda: type(nn.Parameter(torch.ones(1)).clone()).__name__,
        lambda: repr(nn.Parameter(torch.ones(2))),
        lambda: repr(nn.Parameter(torch.ones(2), False)),
        lambda: isinstance(torch.ones(1), nn.Parameter),
        lambda: nn.Parameter(torch.ones(2)).is_leaf,
    )
    base = torch.ones(2)
    p = nn.Parameter(base)
    p.data.fill_(3)
    log(base)
    source = torch.ones(2, requires_grad=True)
    p = nn.Parameter(source * 2)
    log(p.is_leaf, p.grad_fn is None)


@program
def walking(torch, log):
    net = some(torch)
    kinds = lambda pairs: [(n, type(m).__name__) for n, m in pairs]  # noqa: E731
    for options in (
        {},
        {"remove_duplicate": False},
        {"prefix": "x"},
        {"recurse": False},
        {"prefix": "x.", "recurse": False},
    ):
        log([n for n, _ in net.named_parameters(**options)])
        log([n for n, _ in net.named_buffers(**options)])
    for options in ({}, {"remove_duplicate": False}, {"prefix": "x"}):
        log(kinds(net.named_modules(**options)))
    memo = {net.inner}
    log(kinds(net.named_modules(memo=memo)), len(memo))
    log(kinds(net.named_children()), [type(m).__name__ for m in net.children()])
    log([type(m).__name__ for m in net.modules()], len(list(net.parameters())), len(list(net.buffers())))
    log(len(list(net.parameters(recurse=False))), len(list(net.buffers(recurse=False))))
    net.inner[0].weight = net.l1.bias
    log([n for n, _ in net.named_parameters()], [n for n, _ in net.named_parameters(remove_duplicate=False)])
    log.attempt(lambda: type(net.named_parameters()).__name__)
    net.itself = torch.nn.ModuleList([net.inner])
    log(kinds(net.named_modules()))


@program
def by_path(torch, log):
    nn, net = torch.nn, some(torch)
    for path in (
        "",
        "inner.0",
        "l1",
        "zz",
        "p",
        "inner.zz",
        "inner.0.weight",
        "empty",
        "inner.",
        ".inner",
        "inner..0",
        "plain",
        "b",
    ):
        log.attempts(
            lambda: type(net.get_submodule(path)).__name__,
            lambda: tuple(net.get_parameter(path).shape),
            lambda: tuple(net.get_buffer(path).shape),
        )
    for path in ("inner.1.running_mean", "l1.weight", "l1.running", "no_param", "inner.1.zz", "tmp"):
        log.attempts(lambda: tuple(net.get_parameter(path).shape), lambda: tuple(net.get_buffer(path).shape))
    for strict in (False, True):
        for path in (
            "",
            "inner.2",
            "l1",
            "new",
            "inner.new",
            "zz.new",
            "p",
            "l1.weight",
            "b",
            "forward",
            "inner.0.zz",
        ):
            net = some(torch)
            log.attempt(lambda: net.set_submodule(path, nn.Tanh(), strict=strict))
            log([n for n, _ in net.named_modules()])
    log.attempts(
        lambda: net.set_submodule("l1", 3),
        lambda: net.set_submodule("l1", None),
        lambda: net.set_submodule("l1", torch.ones(1)),
    )


@program
def printing(torch, log):
    nn = torch.nn
    log(repr(some(torch)), str(some(torch)))

    class Extra(nn.Module):
        def __init__(self, extra, *children):
            super().__init__()
            self.extra = extra
            for n, c in enumerate(children):
                self.add_module(f"c{n}", c)

        def extra_repr(self):
            return self.extra

        def _get_name(self):
            return "Renamed"

    for extra in ("", "a=1", "a=1\nb=2"):
        log(
            repr(Extra(extra)),
            repr(Extra(extra, nn.ReLU())),
            repr(Extra(extra, None, Extra("x\ny", nn.ReLU()))),
        )
    layers = nn.ModuleList(
        [nn.Linear(1, 1) for _ in range(3)] + [nn.ReLU()] + [nn.Sequential(nn.ReLU(), nn.ReLU())] * 2
    )
    log(
        repr(layers),
        repr(nn.ModuleList()),
        repr(nn.Sequential()),
        repr(nn.ModuleDict()),
        repr(nn.Sequential(layers)),
    )
    log(repr(nn.ModuleDict({"a": nn.ReLU(), "b": None})), repr(nn.ModuleList([None, nn.ReLU()])))
    log(nn.Linear(1, 1).extra_repr(), nn.Module().extra_repr(), nn.Module()._get_name())


@program
def modes(torch, log):
    net = some(torch)
    log(
        net.training,
        net.eval() is net,
        [m.training for m in net.modules()],
        net.train() is net,
        net.inner[1].training,
    )
    for mode in (3, None, "x", 0):
        log.attempt(lambda: net.train(mode) is net)
    net.inner.eval()
    log([m.training for m in net.modules()])
    log(net.requires_grad_(False) is net, [p.requires_grad for p in net.parameters()])
    net.l1.requires_grad_()
    log([p.requires_grad for p in net.parameters()])


@program
def zero_grad(torch, log):
    for set_to_none in (True, False):
        net = torch.nn.Linear(2, 1)
        net(torch.ones(2)).sum().backward()
        kept = net.weight.grad
        log(net.zero_grad(set_to_none), net.weight.grad, net.weight.grad is kept, kept)
        net.zero_grad(set_to_none=set_to_none)
    net = torch.nn.Linear(1, 1)
    (net(torch.ones(1)) ** 2).sum().backward(create_graph=True)
    log(net.bias.grad.grad_fn is None)
    net.zero_grad(set_to_none=False)
    log(net.bias.grad.grad_fn is None, net.bias.grad)


@program
def apply(torch, log):
    net, seen = some(torch), []
    log(net.apply(lambda m: seen.append(type(m).__name__)) is net, seen)
    log.attempt(lambda: net.apply(None))

    @torch.no_grad()
    def fill(m):
        if isinstance(m, torch.nn.Linear):
            m.weight.fill_(2.0)

    log(net.apply(fill).l1.weight)


@program
def own_attribute_methods(torch, log):
    nn = torch.nn

    class Doubled(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(1))

        def __getattr__(self, name):
            found = super().__getattr__(name)
            return found * 2 if name == "w" else found

        def __setattr__(self, name, value):
            if name != "ignored":
                super().__setattr__(name, value)

        @property
        def broken(self):
            return self.not_there

    doubled = Doubled()
    doubled.ignored = 3
    log([doubled.w.item() for _ in range(2)], hasattr(doubled, "ignored"))
    log.attempts(lambda: doubled.broken, lambda: doubled.zz, lambda: nn.Linear(1, 1).zz)

    class WithProperty(nn.Module):
        @property
        def weight(self):
            return 42

    module = WithProperty()
    log.attempts(
        lambda: setattr(module, "weight", 3),
        lambda: setattr(module, "weight", nn.Parameter(torch.ones(1))),
        lambda: module.weight,
        lambda: list(module._parameters),
        lambda: module.register_buffer("weight", torch.ones(1)),
    )

    class ClassAttribute(nn.Module):
        scale = 2

    module = ClassAttribute()
    log.attempts(
        lambda: module.register_buffer("scale", torch.ones(1)),
        lambda: setattr(module, "scale", nn.Parameter(torch.ones(1))),
        lambda: module.scale,
        lambda: module.scale is ClassAttribute.scale,
    )


@program
def equality_and_hash(torch, log):
    a, b = torch.nn.ReLU(), torch.nn.ReLU()
    log(
        a == b,
        a != a,
        len({a, b, a}),
        a in [b, a],
        bool(a),
        bool(torch.nn.Sequential()),
        bool(torch.nn.ModuleList()),
    )
