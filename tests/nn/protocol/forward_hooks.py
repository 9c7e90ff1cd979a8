"""Forward hooks and registration hooks: order, what they may return, keyword arguments, exceptions, removal while they
run."""

# ruff: noqa: B023 (what is called, is called within the loop)
from __future__ import annotations

from tests.nn.protocol import program


def adder(torch):
    """A module that raises for None."""

    class Add(torch.nn.Module):
        def forward(self, a, b=1, *, c=0):
            if a is None:
                raise ValueError("boom")
            return a + b + c

    return Add()


@program
def order(torch, log):
    module, hooks = adder(torch), torch.nn.modules.module
    handles = [
        hooks.register_module_forward_pre_hook(lambda m, a: log("global pre", a)),
        hooks.register_module_forward_hook(lambda m, a, out: log("global", a, out)),
        hooks.register_module_forward_hook(
            lambda m, a, k, out: log("global with kwargs", a, k, out), with_kwargs=True
        ),
    ]
    module.register_forward_pre_hook(lambda m, a: log("pre 1", a))
    module.register_forward_pre_hook(lambda m, a, k: log("pre 2", a, k), with_kwargs=True)
    module.register_forward_pre_hook(lambda m, a: log("pre 0", a), prepend=True)
    module.register_forward_hook(lambda m, a, out: log("post 1", a, out))
    module.register_forward_hook(lambda m, a, k, out: log("post 2", a, k, out), with_kwargs=True)
    module.register_forward_hook(lambda m, a, out: log("post 0", a, out), prepend=True)
    log(module(1, b=2, c=3))
    for h in handles:
        h.remove()
    log(module(1))
    log(
        len(module._forward_hooks),
        len(module._forward_pre_hooks),
        next(iter(module._forward_hooks.values())) is None,
    )


@program
def what_pre_hooks_return(torch, log):
    for out in (7, (7,), (7, 2), [7], None, 0, False):
        module = adder(torch)
        module.register_forward_pre_hook(lambda m, a, out=out: out)
        log.attempt(lambda: module(5))
    for out in (
        ((1,), {"b": 3}),
        ((1,), {}),
        (1,),
        [(1,), {}],
        ((1,), {"z": 1}),
        None,
        "ab",
        ((1, 2, 3), {}),
    ):
        module = adder(torch)
        module.register_forward_pre_hook(lambda m, a, k, out=out: out, with_kwargs=True)
        log.attempt(lambda: module(5, c=2))


@program
def what_hooks_return(torch, log):
    for out in (7, (7,), [7], None, 0, False, "x"):
        module = adder(torch)
        module.register_forward_hook(lambda m, a, o, out=out: out)
        module.register_forward_hook(lambda m, a, o: log("sees", o))
        log.attempt(lambda: module(5))


@program
def wrong_signatures(torch, log):
    module = adder(torch)
    module.register_forward_pre_hook(lambda m: None)
    with module.register_forward_hook(lambda m, a, out: None):
        try:
            module(1)
        except TypeError:
            log("TypeError")
    log(len(module._forward_hooks))


@program
def always_call_when_forward_raises(torch, log):
    module = adder(torch)
    module.register_forward_hook(lambda m, a, out: log("never", out))
    module.register_forward_hook(lambda m, a, out: log("always", a, out), always_call=True)
    module.register_forward_hook(
        lambda m, a, k, out: log("always with kwargs", a, k, out), always_call=True, with_kwargs=True
    )
    log.attempt(lambda: module(None, c=3))
    log.attempt(lambda: module(1, c=3))


@program
def always_call_after_a_pre_hook_changed_the_arguments(torch, log):
    module = adder(torch)
    module.register_forward_pre_hook(lambda m, a, k: ((None,), {"c": 9}), with_kwargs=True)
    module.register_forward_hook(
        lambda m, a, k, out: log("always", a, k, out), always_call=True, with_kwargs=True
    )
    log.attempt(lambda: module(4))


@program
def always_call_when_a_pre_hook_raises(torch, log):
    module = adder(torch)

    def raises(m, a):
        raise KeyError("pre")

    module.register_forward_pre_hook(raises)
    module.register_forward_hook(lambda m, a, out: log("always", a, out), always_call=True)
    log.attempt(lambda: module(4))


@program
def always_call_when_a_hook_raises(torch, log):
    module = adder(torch)

    def raises(m, a, out):
        raise KeyError("hook")

    module.register_forward_hook(lambda m, a, out: log("first", out) or 100, always_call=True)
    module.register_forward_hook(raises)
    module.register_forward_hook(lambda m, a, out: log("last", out) or 200, always_call=True)
    module.register_forward_hook(lambda m, a, out: log("very last", out), always_call=True)
    log.attempt(lambda: module(4))


@program
def always_called_hook_that_raises(torch, log):
    module = adder(torch)

    def raises(m, a, out):
        raise KeyError("always")

    module.register_forward_hook(raises, always_call=True)
    module.register_forward_hook(lambda m, a, out: log("after", out), always_call=True)
    log.attempt(lambda: module(None))
    log.attempt(lambda: module(4))


@program
def global_always_called_hooks(torch, log):
    module, hooks = adder(torch), torch.nn.modules.module
    handle = hooks.register_module_forward_hook(lambda m, a, out: log("global always", out), always_call=True)
    with handle:
        module.register_forward_hook(lambda m, a, out: log("own always", out), always_call=True)
        log.attempt(lambda: module(None))
        log.attempt(lambda: module(2))
    log(len(hooks._global_forward_hooks_always_called), len(hooks._global_forward_hooks))


@program
def removal_while_hooks_run(torch, log):
    module = adder(torch)
    handles = {}

    def removes_itself(m, a, out):
        log("once", out)
        handles["once"].remove()

    def removes_the_next(m, a, out):
        log("removes the next")
        handles["next"].remove()

    def adds(m, a, out):
        if "added" not in handles:
            handles["added"] = m.register_forward_hook(lambda m, a, out: log("added", out))

    handles["once"] = module.register_forward_hook(removes_itself)
    handles["first"] = module.register_forward_hook(removes_the_next)
    handles["next"] = module.register_forward_hook(lambda m, a, out: log("next"))
    module.register_forward_hook(adds)
    log(module(1))
    log(module(1))
    log(len(module._forward_hooks))


@program
def handles(torch, log):
    module = adder(torch)
    handle = module.register_forward_hook(lambda m, a, k, o: 9, with_kwargs=True, always_call=True)
    log(module(1))
    log(handle.id in module._forward_hooks, handle.id in module._forward_hooks_with_kwargs)
    handle.remove()
    handle.remove()
    log(module(1), len(module._forward_hooks_with_kwargs), len(module._forward_hooks_always_called))
    with module.register_forward_pre_hook(lambda m, a: 100) as inner:
        log(type(inner).__name__, module(1))
    log(module(1))


@program
def hooks_are_not_shared_by_copies_made_later(torch, log):
    import copy

    module = adder(torch)
    module.register_forward_hook(lambda m, a, out: out * 10)
    twin, shallow = copy.deepcopy(module), copy.copy(module)
    module._forward_hooks.clear()
    log(module(1), twin(1), shallow(1))


@program
def registration_hooks(torch, log):
    nn, hooks = torch.nn, torch.nn.modules.module
    handles = [
        hooks.register_module_parameter_registration_hook(
            lambda m, name, p: log("parameter", name, None if p is None else tuple(p.shape))
        ),
        hooks.register_module_buffer_registration_hook(lambda m, name, b: log("buffer", name, b is None)),
        hooks.register_module_module_registration_hook(
            lambda m, name, c: log("module", name, type(c).__name__)
        ),
    ]
    net = nn.Sequential(nn.Linear(1, 2), nn.BatchNorm1d(2))
    net.extra = nn.ReLU()
    net.none = None
    net.p = nn.Parameter(torch.ones(1))
    net.p = None
    net.register_parameter("q", None)
    net.register_buffer("r", None)
    net.r = torch.ones(1)
    net.s = nn.Buffer(torch.ones(1))
    net.extra = None
    nn.ModuleList([nn.ReLU()]).append(nn.Tanh())
    for h in handles:
        h.remove()
    replace = hooks.register_module_parameter_registration_hook(lambda m, name, p: nn.Parameter(p * 0 + 5))
    replace_child = hooks.register_module_module_registration_hook(lambda m, name, c: nn.Identity())
    net = nn.Sequential(nn.Linear(1, 1))
    net.p = nn.Parameter(torch.ones(1))
    log(net, net.p)
    replace.remove()
    replace_child.remove()
    wrong = hooks.register_module_parameter_registration_hook(lambda m, name, p: 3)
    log.attempt(lambda: setattr(net, "w", nn.Parameter(torch.ones(1))))
    log.attempt(lambda: net.w)
    wrong.remove()


@program
def calling(torch, log):
    nn = torch.nn
    log.attempts(
        lambda: nn.Module()(1),
        lambda: nn.Module().forward(),
        lambda: nn.Module(1, 2),
        lambda: nn.Module(a=1),
        lambda: nn.Identity(1, 2, a=3)("x"),
        lambda: nn.Sequential()(3),
        lambda: nn.ModuleList()(3),
        lambda: nn.ModuleDict()(3),
        lambda: nn.ParameterList()(3),
        lambda: nn.ParameterDict()(3),
    )

    class OwnCall(nn.Module):
        def __call__(self, x):
            return "own", super().__call__(x)

        def forward(self, x):
            return x

    log(OwnCall()(3))

    class Calls(nn.Module):
        call_super_init = True

    log.attempt(lambda: Calls())

    class Base:
        def __init__(self, a, b=2):
            self.ab = (a, b)

    class Both(nn.Module, Base):
        call_super_init = True

    log.attempt(lambda: Both(1, b=3).ab)
    log.attempt(lambda: type("Neither", (nn.Module, Base), {})(1))
