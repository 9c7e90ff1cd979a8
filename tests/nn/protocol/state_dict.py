"""state_dict and load_state_dict: keys, hooks, messages, assign, extra state, old versions."""

# ruff: noqa: B023 (what is called, is called within the loop)
from __future__ import annotations

from collections import OrderedDict

from tests.nn.protocol import filled, program, some


@program
def saving(torch, log):
    net = some(torch)
    state = net.state_dict()
    log(state, state._metadata)
    log([v.requires_grad for v in net.state_dict(keep_vars=True).values()])
    log(list(net.state_dict(prefix="x.")), list(net.state_dict(prefix="x")))
    mine = OrderedDict(a=1)
    log(net.state_dict(destination=mine) is mine, hasattr(mine, "_metadata"), list(mine))
    log.attempt(lambda: net.state_dict(OrderedDict(), "y.", True))
    log.attempt(lambda: net.state_dict({}, "y.").__class__)
    state["p"][0] = 7  # shares storage
    log(net.p)


@program
def complaints(torch, log):
    def state(**changes):
        found = dict(some(torch).state_dict())
        for k in changes.pop("without", ()):
            del found[k]
        found.update(changes)
        return found

    for given in (
        state(without=["p"]),
        state(foo=torch.ones(1)),
        state(**{"inner.9.weight": torch.ones(1)}),
        state(
            **{
                "l1.zz": torch.ones(1),
                "zz.l1": torch.ones(1),
                "tmp": torch.ones(1),
                "no_param": torch.ones(1),
            }
        ),
        state(**{"l1.weight": torch.ones(2, 2), "p": torch.ones(())}),
        state(without=["p", "b"], foo=torch.ones(1), **{"l1.weight": torch.ones(2, 2)}),
        state(p=3),
        state(p=[1.0, 2.0]),
        state(p=None),
        state(p=torch.ones(2, dtype=torch.float64)),
        state(p=torch.tensor([1, 2])),
        state(p=torch.tensor([1j, 2])),
        {},
    ):
        for strict in (True, False):
            log.attempt(lambda: some(torch).load_state_dict(given, strict=strict))
    log.attempts(
        lambda: some(torch).load_state_dict(3),
        lambda: some(torch).load_state_dict([("p", 1)]),
        lambda: some(torch).load_state_dict(None),
        lambda: some(torch).load_state_dict(OrderedDict(some(torch).state_dict())),
    )
    net = some(torch)
    result = net.load_state_dict({"p": torch.zeros(2)}, strict=False)
    log(result.missing_keys, result.unexpected_keys, repr(result), str(result), len(result))


@program
def partly_loaded_when_it_raises(torch, log):
    net = some(torch)
    log.attempt(lambda: net.load_state_dict({"p": torch.zeros(2), "l1.weight": torch.ones(9)}))
    log(net.p, net.l1.weight)


@program
def assign(torch, log):
    nn = torch.nn
    for value in (
        torch.zeros(2),
        torch.zeros(2, dtype=torch.float64),
        torch.zeros(2, requires_grad=True),
        nn.Parameter(torch.zeros(2)),
        nn.Parameter(torch.zeros(2), requires_grad=False),
        torch.zeros(3),
        torch.zeros(()),
        torch.tensor([1, 2]),
    ):
        for needs in (True, False):
            net = nn.Module()
            net.p = nn.Parameter(torch.ones(2), requires_grad=needs)
            log.attempt(lambda: net.load_state_dict({"p": value}, assign=True))
            log(net.p, net.p is value)
    net = nn.Module()
    net.register_buffer("b", torch.ones(2))
    given = torch.zeros(2, dtype=torch.float16)
    log.attempt(lambda: net.load_state_dict({"b": given}, assign=True))
    log(net.b, net.b is given)
    with torch.device("meta"):
        net = nn.Linear(2, 1)
    log.attempt(lambda: net.load_state_dict({"weight": torch.ones(1, 2), "bias": torch.ones(1)}, assign=True))
    log(net(torch.ones(2)))
    log.attempt(
        lambda: nn.Linear(2, 1, device="meta").load_state_dict(
            {"weight": torch.ones(1, 2), "bias": torch.ones(1)}
        )
    )


@program
def requires_grad_and_values(torch, log):
    a, b = (filled(torch, torch.nn.Linear(2, 2)) for _ in range(2))
    with torch.no_grad():
        a.weight.mul_(3)
    before = b.weight
    out = b(torch.ones(2))
    b.weight.requires_grad_(False)
    b.load_state_dict(a.state_dict())
    log(b.weight is before, b.weight, b.bias, out)


@program
def extra_state(torch, log):
    class Extra(torch.nn.Module):
        value = 1

        def get_extra_state(self):
            return self.value

        def set_extra_state(self, state):
            self.value = state

    net = torch.nn.Sequential(Extra(), torch.nn.Linear(1, 1, bias=False))
    log(list(net.state_dict()), net.state_dict()["0._extra_state"])
    filled(torch, net)
    log.attempts(
        lambda: net.load_state_dict({**net.state_dict(), "0._extra_state": {"any": 3}}),
        lambda: net[0].value,
        lambda: net.load_state_dict({"1.weight": torch.ones(1, 1)}),
        lambda: net.load_state_dict({"1.weight": torch.ones(1, 1)}, strict=False),
        lambda: torch.nn.Linear(1, 1, bias=False).load_state_dict(
            {"weight": torch.ones(1, 1), "_extra_state": 3}
        ),
        lambda: torch.nn.Linear(1, 1).get_extra_state(),
        lambda: torch.nn.Linear(1, 1).set_extra_state(1),
    )

    class OnlyGet(torch.nn.Module):
        def get_extra_state(self):
            return 5

    log.attempt(lambda: OnlyGet().load_state_dict({"_extra_state": 5}))


@program
def saving_hooks(torch, log):
    nn = torch.nn
    net = filled(torch, nn.Sequential(nn.Linear(1, 1), nn.ReLU()))
    net.register_state_dict_pre_hook(lambda m, prefix, keep: log("pre", type(m).__name__, prefix, keep))
    net[0].register_state_dict_pre_hook(lambda m, prefix, keep: log("pre", type(m).__name__, prefix, keep))
    net[0].register_state_dict_post_hook(lambda m, d, prefix, meta: log("post", list(d), prefix, meta))
    handle = net._register_state_dict_hook(lambda m, d, prefix, meta: OrderedDict(other=1))
    log(net.state_dict(keep_vars=True))
    handle.remove()
    log(list(net.state_dict()))
    wrong = net.register_state_dict_post_hook(lambda m, d, prefix, meta: d)
    log.attempt(lambda: net.state_dict())
    wrong.remove()

    def both(m, d, prefix, meta):
        return None

    net.register_state_dict_post_hook(both)
    log.attempt(lambda: net._register_state_dict_hook(both))
    pre = net.register_state_dict_pre_hook(lambda m, prefix, keep: 3)
    log.attempt(lambda: list(net.state_dict()))
    pre.remove()


@program
def loading_hooks(torch, log):
    nn = torch.nn
    net = filled(torch, nn.Sequential(nn.Linear(1, 1), nn.ReLU()))
    state = net.state_dict()

    def pre(name):
        def hook(*a):
            *module, d, prefix, meta, strict, missing, unexpected, errors = a
            log(name, len(module), list(d), prefix, meta, strict, missing, unexpected, errors)

        return hook

    net._register_load_state_dict_pre_hook(pre("plain"))
    net[0]._register_load_state_dict_pre_hook(pre("with module"), with_module=True)
    net.register_load_state_dict_pre_hook(pre("public"))
    net[0].register_load_state_dict_post_hook(lambda m, keys: log("post 0", keys))
    net.register_load_state_dict_post_hook(lambda m, keys: log("post", keys))
    log.attempts(
        lambda: net.load_state_dict(state), lambda: net.load_state_dict(state, strict=False, assign=True)
    )
    del state["0.bias"]
    log.attempts(lambda: net.load_state_dict(state), lambda: net.load_state_dict(dict(state), strict=False))
    net.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
    log.attempt(lambda: net.load_state_dict(state))
    net.register_load_state_dict_post_hook(lambda m, keys: keys)
    log.attempt(lambda: net.load_state_dict(state))


@program
def hooks_that_change_what_is_loaded(torch, log):
    nn = torch.nn
    net = filled(torch, nn.Sequential(nn.Linear(1, 1)))

    def rename(m, d, prefix, *rest):
        for k in list(d):
            if "old" in k:
                d[k.replace("old", "weight")] = d.pop(k)

    def complain(m, d, prefix, meta, strict, missing, unexpected, errors):
        missing.append(prefix + "imagined")
        unexpected.append("surplus")
        errors.append("an error of my own")

    net[0].register_load_state_dict_pre_hook(rename)
    given = {"0.old": torch.zeros(1, 1), "0.bias": torch.zeros(1)}
    log.attempt(lambda: net.load_state_dict(given))
    log(list(given), net[0].weight)
    net[0].register_load_state_dict_pre_hook(complain)
    log.attempts(lambda: net.load_state_dict(given), lambda: net.load_state_dict(given, strict=False))


@program
def own_methods(torch, log):
    nn = torch.nn

    class Own(nn.Module):
        _version = 3

        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(1))

        def _save_to_state_dict(self, destination, prefix, keep_vars):
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "more"] = 5

        def _load_from_state_dict(self, state_dict, prefix, metadata, strict, missing, unexpected, errors):
            log("version", metadata.get("version"), prefix, strict)
            log(state_dict.pop(prefix + "more", None))
            super()._load_from_state_dict(state_dict, prefix, metadata, strict, missing, unexpected, errors)

    net = nn.Sequential(Own(), nn.Sequential(Own()))
    state = net.state_dict()
    log(list(state), state._metadata)
    log.attempts(lambda: net.load_state_dict(state), lambda: net.load_state_dict(dict(state)))
    log(list(state))


@program
def old_checkpoints(torch, log):
    norm = torch.nn.BatchNorm1d(2)
    state = dict(norm.state_dict())
    del state["num_batches_tracked"]
    log.attempt(lambda: norm.load_state_dict(state))
    modern = torch.nn.BatchNorm1d(2).state_dict()
    del modern["num_batches_tracked"]
    log.attempt(lambda: norm.load_state_dict(modern))  # its version says that the key must be there
    scalar = torch.nn.Module()
    scalar.s = torch.nn.Parameter(torch.tensor(1.0))
    log.attempt(lambda: scalar.load_state_dict({"s": torch.tensor([5.0])}))
    log(scalar.s)
    log.attempt(lambda: scalar.load_state_dict({"s": torch.tensor([[5.0]])}))


@program
def shared_and_changing_modules(torch, log):
    net = some(torch)
    state = net.state_dict()
    log([k for k in state if k.startswith(("l1", "shared"))], state["l1.weight"] is state["shared.weight"])
    state["shared.weight"] = torch.zeros(3, 2)
    net.load_state_dict(state)
    log(net.l1.weight)
    net.b = None
    log(list(net.state_dict())[:3])
    log.attempt(lambda: net.load_state_dict(state))
    net.register_buffer("b", torch.ones(2), persistent=False)
    log("b" in net.state_dict(), net._non_persistent_buffers_set)
    net.register_buffer("b", torch.ones(2))
    log("b" in net.state_dict(), net._non_persistent_buffers_set)
