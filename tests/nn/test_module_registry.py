"""Members of a module that ordinary lookup finds stay true, whatever happens to them (see nn/modules/_registry.py)."""

from __future__ import annotations

import gc
import weakref

import jax

import functorch_lite as torch
import functorch_lite.utils._pytree as pytree
from functorch_lite import nn


class Net(nn.Module):
    """Parameters, buffers of both kinds, empty slots, nested and shared children."""

    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(2, 3)
        self.p = nn.Parameter(torch.ones(2))
        self.register_buffer("b", torch.zeros(2))
        self.register_buffer("tmp", torch.zeros(1), persistent=False)
        self.plain = None
        self.register_parameter("no_param", None)
        self.inner = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU())
        self.shared = self.l1

    def forward(self, x):
        return self.inner(self.l1(x))


def test_mutated_registries_are_seen():
    linear = nn.Linear(2, 2)
    _ = linear.weight
    linear._parameters["weight"] = other = nn.Parameter(torch.zeros(1))
    assert linear.weight is other
    del linear._parameters["weight"]
    assert not hasattr(linear, "weight")
    linear._parameters["weight"] = None
    assert linear.weight is None
    assert linear._parameters.pop("weight") is None
    linear.weight = 3
    assert linear.weight == 3
    del linear.weight
    linear._parameters.update(weight=other)
    assert linear.weight is other
    linear._parameters.clear()
    assert not hasattr(linear, "weight") and not hasattr(linear, "bias")
    linear._parameters = {"weight": 5}
    assert linear.weight == 5
    linear._parameters["weight"] = 6
    assert linear.weight == 6


def test_instance_dict_shows_no_members():
    net = Net()
    _ = net.p, net.b, net.l1
    assert not {"p", "b", "l1"} & set(net.__dict__)
    assert not {"p", "b", "l1"} & set(vars(net))


def test_copied_instance_dict_is_not_stale():
    linear = nn.Linear(2, 2)
    _ = linear.weight
    twin = nn.Linear.__new__(nn.Linear)
    twin.__dict__ = linear.__dict__.copy()
    _ = twin.weight
    linear._parameters["weight"] = None  # one dict for both, as in torch
    assert twin.weight is None and linear.weight is None


def test_own_getattr_sees_every_access():
    class Doubled(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.ones(1))

        def __getattr__(self, name):
            found = super().__getattr__(name)
            return found * 2 if name == "w" else found

    doubled = Doubled()
    assert [doubled.w.item() for _ in range(3)] == [2.0, 2.0, 2.0]


def test_property_of_a_new_class_wins():
    linear = nn.Linear(2, 2)
    _ = linear.weight
    linear.__class__ = type("Fixed", (nn.Linear,), {"weight": property(lambda self: 42)})
    assert linear.weight == 42


def test_module_is_freed_without_gc():
    net = Net()
    _ = net.p, net.l1.weight
    ref = weakref.ref(net)
    gc.disable()
    try:
        del net
        assert ref() is None
    finally:
        gc.enable()


def test_walks_over_trees_find_dicts():
    layer = nn.Linear(2, 3)
    for held in (layer._parameters, nn.Sequential(layer)[0]._parameters):
        assert len(jax.tree.leaves(held)) == 2
        assert jax.tree.map(lambda p, q: p.shape, held, held) == {"weight": (3, 2), "bias": (3,)}
        leaves, structure = pytree.tree_flatten(held)
        assert [p.shape for p in leaves] == [(3, 2), (3,)] and structure == pytree.tree_structure(dict(held))
        assert type(pytree.tree_map(lambda p: p, held)) is dict
        assert pytree.tree_map(lambda p, q: p is q, dict(held), held) == {"weight": True, "bias": True}
        paths, _ = pytree.tree_flatten_with_path(held)
        assert [pytree.keystr(path) for path, _ in paths] == ["['weight']", "['bias']"]
