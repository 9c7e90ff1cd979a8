"""Every method of Sequential, ModuleList, ModuleDict, ParameterList and ParameterDict."""

# ruff: noqa: B023 (what is called, is called within the loop)
from __future__ import annotations

from collections import OrderedDict

from tests.nn.protocol import program


def row(torch, kind, n=4):
    """A container of modules that are told apart by their repr."""
    modules = [torch.nn.Linear(1, i + 1) for i in range(n)]
    return kind(*modules) if kind is torch.nn.Sequential else kind(modules)


def numbers(net):
    """The modules by name, as short as can be."""
    return [(k, getattr(m, "out_features", type(m).__name__)) for k, m in net._modules.items()]


@program
def sequential_items(torch, log):
    nn = torch.nn
    new = lambda: row(torch, nn.Sequential)  # noqa: E731
    for key in (
        0,
        3,
        -1,
        -4,
        4,
        -5,
        "0",
        1.0,
        True,
        None,
        torch.tensor(1),
        slice(1, 3),
        slice(None, None, -1),
        slice(5, 9),
        "x",
    ):
        net = new()
        log.attempt(lambda: numbers(net[key]) if isinstance(key, slice) else net[key].out_features)
        log.attempt(lambda: net.__setitem__(key, nn.ReLU()) or numbers(net))
        net = new()
        log.attempt(lambda: net.__delitem__(key) or numbers(net))
        net = new()
        log.attempt(lambda: type(net.pop(key)).__name__)
        log(numbers(net))
    log(len(new()), [m.out_features for m in new()], new()[1] in new(), type(new()[1:]).__name__)
    log.attempts(
        lambda: numbers(nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))[1:]),
        lambda: nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh())).b,
        lambda: nn.Sequential(3),
        lambda: nn.Sequential([nn.ReLU()]),
        lambda: nn.Sequential({"a": nn.ReLU()}),
        lambda: nn.Sequential(None),
        lambda: nn.Sequential(nn.ReLU(), None)(torch.ones(1)),
        lambda: new().__setitem__(0, 3),
        lambda: new().__setitem__(0, None),
        lambda: reversed(new()),
        lambda: numbers(
            nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh(), c=nn.Tanh())).__delitem__(1) or new()
        ),
    )
    named = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh(), c=nn.Sigmoid()))
    del named[1]
    log(numbers(named))
    del named[0:1]
    log(numbers(named))


@program
def sequential_arithmetic(torch, log):
    nn = torch.nn
    new = lambda n=2: row(torch, nn.Sequential, n)  # noqa: E731
    for factor in (2, 1, 0, -1, 1.5, "2", True, None):
        log.attempts(lambda: numbers(new() * factor), lambda: numbers(factor * new()))
        net = new()
        log.attempt(lambda: numbers(net.__imul__(factor)))
    for other in (new(3), nn.ReLU(), [nn.ReLU()], 3, nn.ModuleList([nn.ReLU()]), nn.Sequential()):
        log.attempts(lambda: numbers(new() + other), lambda: numbers(new().__iadd__(other)))
    net = new()
    twice = net * 2
    log(twice[0] is twice[2], len(list(twice.parameters())), net is not twice)
    kept = net
    net += new(1)
    log(kept is net, numbers(net))

    class Own(nn.Sequential):
        pass

    log(
        type(Own(nn.ReLU()) + Own()).__name__,
        type(Own(nn.ReLU()) * 2).__name__,
        type(Own(nn.ReLU())[:1]).__name__,
    )


@program
def sequential_growth(torch, log):
    nn = torch.nn
    new = lambda: row(torch, nn.Sequential, 3)  # noqa: E731
    for index in (0, 1, 3, -1, -3, 4, -4, None, "0"):
        net = new()
        log.attempt(lambda: numbers(net.insert(index, nn.ReLU())))
        log(numbers(net))
    net = new()
    log(net.append(nn.ReLU()) is net, net.extend([nn.Tanh(), nn.ReLU()]) is net, numbers(net))
    log.attempts(
        lambda: new().append(3),
        lambda: new().append(None) and None,
        lambda: new().insert(0, 3),
        lambda: new().insert(0, None),
        lambda: new().extend(3),
        lambda: new().extend([3]),
        lambda: numbers(new().extend(new())),
        lambda: numbers(new().extend(iter([nn.ReLU()]))),
    )
    named = nn.Sequential(OrderedDict(a=nn.ReLU(), b=nn.Tanh()))
    log.attempt(lambda: numbers(named.append(nn.ReLU())))
    log.attempt(lambda: numbers(named.insert(1, nn.Sigmoid())))


@program
def module_list(torch, log):
    nn = torch.nn
    new = lambda: row(torch, nn.ModuleList)  # noqa: E731
    for key in (
        0,
        3,
        -1,
        -4,
        4,
        -5,
        "0",
        1.0,
        True,
        None,
        torch.tensor(1),
        slice(1, 3),
        slice(None, None, 2),
        slice(5, 9),
    ):
        net = new()
        log.attempt(lambda: numbers(net[key]) if isinstance(key, slice) else net[key].out_features)
        log.attempt(lambda: net.__setitem__(key, nn.ReLU()) or numbers(net))
        net = new()
        log.attempt(lambda: net.__delitem__(key) or numbers(net))
        net = new()
        log.attempt(lambda: numbers(net.pop(key)) if isinstance(key, slice) else net.pop(key).out_features)
        log(numbers(net))
    for index in (0, 2, -1, 9, -9, None):
        net = new()
        log.attempt(lambda: net.insert(index, nn.ReLU()))
        if index is None or index >= 0:  # torch leaves a module twice when it raises
            log(numbers(net))
    for more in (
        [nn.ReLU()],
        nn.Sequential(nn.ReLU()),
        3,
        None,
        nn.ReLU(),
        {"a": nn.ReLU()},
        [3],
        iter([nn.ReLU()]),
        (nn.Tanh(), None),
    ):
        net = new()
        log.attempts(lambda: numbers(new() + more), lambda: numbers(net.extend(more)))
        log(numbers(net))
        net = new()
        log.attempt(lambda: numbers(net.__iadd__(more)))
    net = new()
    log(
        net.append(nn.ReLU()) is net,
        len(net),
        [type(m).__name__ for m in net],
        net[0] in net,
        nn.ReLU() in net,
    )
    log.attempts(
        lambda: nn.ModuleList([3]),
        lambda: nn.ModuleList(3),
        lambda: numbers(nn.ModuleList(nn.ReLU() for _ in range(2))),
        lambda: new().append(3),
        lambda: [m.out_features for m in reversed(new())],
        lambda: numbers(nn.ModuleList([None, nn.ReLU()])),
        lambda: new().__setitem__(0, 3),
        lambda: new() * 2,
        lambda: [nn.ReLU()] + new(),
    )


@program
def module_dict(torch, log):
    nn = torch.nn
    new = lambda: nn.ModuleDict({"z": nn.ReLU(), "a": nn.Tanh()})  # noqa: E731
    net = new()
    log(
        list(net),
        list(net.keys()),
        list(net.items()),
        list(net.values()),
        len(net),
        "a" in net,
        "q" in net,
        3 in net,
    )
    log.attempts(
        lambda: net["q"],
        lambda: net["a"],
        lambda: net.pop("q"),
        lambda: net.pop("a"),
        lambda: net.pop("a", None),
        lambda: net.get("a"),
        lambda: net.__delitem__("q"),
        lambda: net.__setitem__("x", 3),
        lambda: net.__setitem__(3, nn.ReLU()),
        lambda: net.__setitem__("x", None),
        lambda: net.__setitem__("a.b", nn.ReLU()),
        lambda: net["x"],
        lambda: list(net),
        lambda: net.clear() or len(net),
        lambda: nn.ModuleDict({"keys": nn.ReLU()}),
        lambda: nn.ModuleDict(3),
        lambda: nn.ModuleDict([3]),
        lambda: nn.ModuleDict(["ab"]),
        lambda: nn.ModuleDict([("a", nn.ReLU(), 3)]),
        lambda: list(nn.ModuleDict([("b", nn.ReLU()), ("a", nn.ReLU())])),
        lambda: list(nn.ModuleDict([["b", nn.ReLU()]])),
        lambda: list(nn.ModuleDict(OrderedDict(b=nn.ReLU(), a=nn.ReLU()))),
        lambda: list(nn.ModuleDict(new())),
        lambda: nn.ModuleDict(None),
        lambda: reversed(new()),
        lambda: new() | new(),
    )
    net = new()
    for more in (
        {"c": nn.ReLU(), "b": nn.ReLU()},
        [("d", nn.ReLU())],
        new(),
        3,
        None,
        [("e",)],
        nn.ReLU(),
        {"f": 3},
    ):
        log.attempt(lambda: net.update(more))
        log(list(net))
    del net["z"]
    log(list(net), hasattr(net, "z"), net.a)


@program
def parameter_list(torch, log):
    nn = torch.nn
    new = lambda: nn.ParameterList([torch.ones(2), nn.Parameter(torch.zeros(1)), 3, "x"])  # noqa: E731
    log(new(), list(new()), len(new()), list(new().state_dict()), len(list(new().parameters())))
    for key in (0, 2, -1, -4, 4, -5, "0", 1.0, None, slice(1, 3), slice(None, None, -1)):
        net = new()
        log.attempts(
            lambda: net[key],
            lambda: net.__setitem__(key, torch.full((1,), 5.0)) or list(net),
            lambda: net.__setitem__(key, 7) or list(net),
        )
    net = new()
    log(net.append(torch.ones(1)) is net, net.extend([1, torch.ones(1)]) is net, list(net))
    net += [torch.zeros(1)]
    log(len(net), net[-1])
    log.attempts(
        lambda: new().extend(3),
        lambda: new().extend(torch.ones(2)),
        lambda: new().extend("ab")[-1],
        lambda: len(nn.ParameterList(new())),
        lambda: nn.ParameterList(3),
        lambda: nn.ParameterList(torch.ones(2)),
        lambda: new().append(torch.tensor([1])),
        lambda: new().append(None)[-1],
        lambda: new().__delitem__(0),
        lambda: new().pop(),
        lambda: new().insert(0, 1),
        lambda: new() + new(),
        lambda: 3 in new(),
        lambda: repr(nn.ParameterList()),
        lambda: repr(
            nn.ParameterList(
                [torch.ones(2, 3), nn.Parameter(torch.tensor([1]), requires_grad=False), nn.ReLU()]
            )
        ),
        lambda: nn.ParameterList([nn.ReLU(), [torch.ones(1)]]),
    )


@program
def parameter_dict(torch, log):
    nn = torch.nn
    new = lambda: nn.ParameterDict({"z": torch.ones(2), "a": nn.Parameter(torch.zeros(1)), "n": 3})  # noqa: E731
    net = new()
    log(
        net,
        list(net),
        list(net.keys()),
        list(net.items()),
        list(net.values()),
        len(net),
        "a" in net,
        "q" in net,
    )
    log(list(net.state_dict()), list(reversed(net)), net.get("a"), net.get("q"), net.get("q", 5))
    log.attempts(
        lambda: net["q"],
        lambda: net.pop("q"),
        lambda: net.pop("a"),
        lambda: list(net),
        lambda: net.pop("a", 3),
        lambda: net.setdefault("s", torch.ones(1)),
        lambda: net.setdefault("s", 7),
        lambda: net.setdefault("t"),
        lambda: net.popitem(),
        lambda: net.__delitem__("q"),
        lambda: net.__delitem__("n"),
        lambda: new().__setitem__(3, torch.ones(1)),
        lambda: net[3],
        lambda: 3 in net,
        lambda: new().__setitem__("x.y", torch.ones(1)),
        lambda: new().__setitem__("keys", torch.ones(1)),
        lambda: net.keys(),
        lambda: list(net.copy().items()),
        lambda: type(net.copy()).__name__,
        lambda: list(net.fromkeys(["a", "b"], 2).items()),
        lambda: list(net.fromkeys(["a"]).items()),
        lambda: net.clear() or len(net),
        lambda: net.popitem(),
    )
    for make in (
        lambda: nn.ParameterDict(OrderedDict(b=1, a=2)),
        lambda: nn.ParameterDict({"b": 1, "a": 2}),
        lambda: nn.ParameterDict([("b", 1), ("a", 2)]),
        lambda: nn.ParameterDict(new()),
        lambda: nn.ParameterDict(3),
        lambda: nn.ParameterDict([3]),
        lambda: nn.ParameterDict([("a",)]),
        lambda: nn.ParameterDict(None),
        lambda: nn.ParameterDict((k, 1) for k in "ba"),
    ):
        log.attempt(lambda: list(make().items()))
    for other in ({"a": 9, "m": torch.ones(1)}, new(), 3, [("a", 1)]):
        log.attempts(
            lambda: list((new() | other).items()),
            lambda: [type(other | new()).__name__, list((other | new()).items())],
            lambda: list(new().__ior__(other).items()),
        )
    net = new()
    net["z"] = None
    log(net, net["z"])
    log.attempts(lambda: net.__setitem__("a", 5), lambda: net["a"])
    log(repr(nn.ParameterDict()), repr(nn.ParameterDict(OrderedDict(b=torch.ones(2, 3)))))
    log(
        repr(
            nn.ParameterDict(
                {"i": nn.Parameter(torch.tensor([1]), requires_grad=False), "d": torch.ones(1).double()}
            )
        )
    )


@program
def dir_hides_numbers(torch, log):
    nn = torch.nn
    for net in (
        nn.Sequential(nn.ReLU()),
        nn.ModuleList([nn.ReLU()]),
        nn.ParameterList([torch.ones(1)]),
        nn.ModuleDict({"0": nn.ReLU()}),
    ):
        log([n for n in dir(net) if n.isdigit()], hasattr(net, "0"))


@program
def old_container(torch, log):
    log.attempt(lambda: torch.nn.Container(a=torch.nn.ReLU()))
