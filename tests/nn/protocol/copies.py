"""copy, deepcopy and pickle of modules: with hooks, shared members, parametrizations, lazy members; pickles of older
versions."""

from __future__ import annotations

import copy
import pickle

from tests.nn.protocol import filled, program, some


def double(m, args, out):
    """A hook that can be pickled."""
    return out * 2


def first_of(m, args):
    """Another."""
    return (args[0] + 1,)


@program
def deepcopy(torch, log):
    net = some(torch)
    net.l1.weight.grad = torch.ones(3, 2)
    deep = copy.deepcopy(net)
    deep.p.data.add_(5)
    log(net.p, deep.p, deep.l1 is deep.shared, deep.l1 is net.l1, deep.l1.weight.grad)
    log(deep, list(deep.state_dict()), sorted(deep._non_persistent_buffers_set), deep.empty)
    net.inner[0].weight = net.l1.bias
    deep = copy.deepcopy(net)
    log(deep.inner[0].weight is deep.l1.bias, deep.inner[0].weight is net.l1.bias)
    net.p.requires_grad_(False)
    log(copy.deepcopy(net).p.requires_grad, copy.deepcopy(net).eval().training, net.training)


@program
def shallow_copy(torch, log):
    net = some(torch)
    twin = copy.copy(net)
    log(twin._parameters is net._parameters, twin.l1 is net.l1)
    twin.p = torch.nn.Parameter(torch.zeros(5))
    log(net.p, twin.p)
    twin.plain = 3
    log(net.plain, twin.plain)


@program
def deepcopy_of_what_is_no_leaf(torch, log):
    net = torch.nn.Module()
    net.p = torch.nn.Parameter(torch.ones(1))
    net.derived = net.p * 2
    log.attempt(lambda: copy.deepcopy(net) is None)


@program
def pickles(torch, log):
    nn = torch.nn
    net = nn.Sequential(filled(torch, nn.Linear(2, 2)), nn.BatchNorm1d(2), nn.ParameterList([torch.ones(1)]))
    net[0].register_forward_hook(double)
    net[0].register_forward_pre_hook(first_of)
    for protocol in (2, pickle.HIGHEST_PROTOCOL):
        again = pickle.loads(pickle.dumps(net, protocol))
        log(repr(again), again[0].weight, again[0](torch.ones(2)), type(again[0].weight).__name__)
        again[0](torch.ones(2)).sum().backward()
        log(again[0].weight.grad, net[0].weight.grad, list(again.state_dict()), again[1].training)
    net.register_forward_hook(lambda *a: None)
    log.attempt(
        lambda: type(_error(lambda: pickle.dumps(net))).__name__ in ("AttributeError", "PicklingError")
    )


def _error(call):
    try:
        call()
    except Exception as error:
        return error
    return None


@program
def handles_after_copies(torch, log):
    linear = filled(torch, torch.nn.Linear(1, 1))
    handle = linear.register_forward_hook(double)
    twin = copy.deepcopy(linear)
    handle.remove()
    log(len(linear._forward_hooks), len(twin._forward_hooks), linear(torch.ones(1)), twin(torch.ones(1)))
    log(twin.register_forward_hook(double).id not in linear._forward_hooks)


@program
def parametrized(torch, log):
    nn = torch.nn

    class Doubled(nn.Module):
        def forward(self, x):
            return x * 2

    linear = filled(torch, nn.Linear(2, 1))
    nn.utils.parametrize.register_parametrization(linear, "weight", Doubled())
    twin = copy.deepcopy(linear)
    with torch.no_grad():
        twin.parametrizations.weight.original.fill_(1.0)
    log(linear.weight, twin.weight, type(twin).__name__, list(twin.state_dict()), twin)
    log.attempt(lambda: type(_error(lambda: pickle.dumps(linear))).__name__)
    log.attempt(lambda: str(_error(lambda: pickle.dumps(linear)))[:60])


@program
def lazy(torch, log):
    lin = torch.nn.LazyLinear(3)
    twin = copy.deepcopy(lin)
    lin(torch.ones(1, 2))
    log(type(lin).__name__, type(twin).__name__, lin, twin)
    again = pickle.loads(pickle.dumps(twin))
    log(type(again).__name__, again.has_uninitialized_params())
    log(tuple(again(torch.ones(1, 4)).shape), again)


@program
def state_of_older_versions(torch, log):
    state = dict(filled(torch, torch.nn.Linear(2, 2)).__getstate__())
    new = (
        "_forward_pre_hooks", "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
        "_load_state_dict_post_hooks", "_non_persistent_buffers_set", "_is_full_backward_hook",
        "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs", "_forward_hooks_always_called", "_backward_pre_hooks",
    )  # fmt: skip
    log(sorted(state), [n for n in new if n not in state])
    for name in new:
        del state[name]
    linear = torch.nn.Linear.__new__(torch.nn.Linear)
    linear.__setstate__(state)
    log(sorted(vars(linear)))
    log(linear(torch.ones(2)), list(linear.state_dict()), linear.load_state_dict(linear.state_dict()))
    linear.register_forward_hook(double, with_kwargs=False)
    log(linear(torch.ones(2)))


@program
def own_getstate(torch, log):
    class Own(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(1))
            self.cache = 5

        def __getstate__(self):
            state = self.__dict__.copy()
            state["cache"] = None
            return state

        def __setstate__(self, state):
            super().__setstate__(state)
            self.restored = True

    own = Own()
    twin = copy.deepcopy(own)
    log(own.cache, twin.cache, twin.restored, twin.w, twin.w is own.w)


@program
def members_of_classes(torch, log):
    net = some(torch)
    net.__dict__["hidden"] = torch.nn.ReLU()
    log([n for n, _ in net.named_children()], net.hidden)
    vars(net)["p2"] = 3
    log(net.p2, net._modules.keys() == copy.deepcopy(net)._modules.keys())
    net._modules["late"] = torch.nn.Tanh()
    net._parameters["l"] = torch.nn.Parameter(torch.ones(1))
    log(net.late, net.l, [n for n, _ in net.named_children()])
    net._modules.pop("late")
    log.attempt(lambda: net.late)
