"""Modules look for hooks only once some were put in: by whatever road they come, they run."""

from __future__ import annotations

import copy
import pickle
from collections import OrderedDict

import pytest

from functorch_lite import nn
from functorch_lite.nn.modules import module as home
from functorch_lite.nn.modules._global_hooks import CallHooks


@pytest.fixture
def none_yet(monkeypatch):
    monkeypatch.setattr(CallHooks, "in_use", False)


class Same(nn.Module):
    def forward(self, x):
        return x


def double(module, args, out):
    return 2 * out


def increase(module, args):
    return (args[0] + 1,)


def registered(m):
    m.register_forward_hook(double)


def before(m):
    m.register_forward_pre_hook(increase)


def by_hand(m):
    m._forward_hooks[0] = double


def updated(m):
    m._forward_pre_hooks.update({0: increase})


def by_default(m):
    m._forward_hooks.setdefault(0, double)


def merged(m):
    m._forward_hooks |= {0: double}


def assigned(m):
    m._forward_hooks = OrderedDict({0: double})


def assigned_first(m):
    m._forward_hooks = mine = OrderedDict()
    mine[0] = double


def plain_state(m):
    m.__setstate__({"_forward_hooks": OrderedDict({0: double})})


def plain_state_first(m):
    mine = OrderedDict()
    m.__setstate__({"_forward_hooks": mine})
    mine[0] = double


ROADS = [
    registered,
    before,
    by_hand,
    updated,
    by_default,
    merged,
    assigned,
    assigned_first,
    plain_state,
    plain_state_first,
]


@pytest.mark.parametrize("road", ROADS, ids=lambda r: r.__name__)
def test_hooks_run(none_yet, road):
    m = Same()
    assert m(1) == 1 and not CallHooks.in_use
    road(m)
    assert m(1) == nn.Sequential(m)(1) == 2


@pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_hooks_of_copies_run(none_yet, again):
    m = Same()
    m.register_forward_hook(double)
    CallHooks.in_use = False
    assert again(m)(1) == 2


def test_a_call_of_its_own_is_made(none_yet, monkeypatch):
    class Counted(Same):
        def __call__(self, x):
            return super().__call__(x) + 10

    sequence = nn.Sequential(Same(), Counted(), Same())
    assert sequence(1) == 11
    monkeypatch.setattr(nn.Module, "__call__", lambda self, x: self.forward(x) + 100)
    assert nn.Sequential.forward(sequence, 1) == 311


def test_a_hook_put_in_by_a_module_before_runs(none_yet):
    last = Same()

    class Puts(nn.Module):
        def forward(self, x):
            last.register_forward_hook(double)
            return x

    assert nn.Sequential(Puts(), last)(1) == 2


@pytest.mark.parametrize("kind", ["forward_hook", "forward_pre_hook"])
def test_global_hooks_run(none_yet, kind):
    m = Same()
    handle = getattr(home, f"register_module_{kind}")(double if kind == "forward_hook" else increase)
    try:
        assert m(1) == 2
    finally:
        handle.remove()
    assert m(1) == 1
