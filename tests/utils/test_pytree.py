"""torch.utils._pytree, and that the transforms of torch.func see the same trees."""

from __future__ import annotations

import dataclasses
import json
import time
from collections import OrderedDict, defaultdict, deque, namedtuple

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import func
from functorch_lite.utils import _pytree as pytree
from functorch_lite.utils._pytree import (
    GetAttrKey,
    LeafSpec,
    MappingKey,
    SequenceKey,
    TreeSpec,
    key_get,
    keystr,
    tree_flatten,
    tree_leaves,
    tree_map,
    tree_structure,
    tree_unflatten,
    treespec_dumps,
    treespec_loads,
)

Pair = namedtuple("Pair", "first second")


class Box:
    """A registered container of two."""

    def __init__(self, x, y, label="box"):
        self.x, self.y, self.label = x, y, label


pytree.register_pytree_node(
    Box,
    lambda b: ([b.x, b.y], b.label),
    lambda children, label: Box(*children, label),
    serialized_type_name="tests.Box",
    flatten_with_keys_fn=lambda b: ([(GetAttrKey("x"), b.x), (GetAttrKey("y"), b.y)], b.label),
)


@dataclasses.dataclass
class State:
    """A registered dataclass."""

    weight: object
    bias: object = None
    steps: int = 0


pytree.register_dataclass(State, drop_field_names=["steps"])


class Mode:
    """A registered constant."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Mode) and self.name == other.name

    def __hash__(self):
        return hash(self.name)


pytree.register_constant(Mode)

TREE = {
    "b": [1, (2, None)],
    "a": OrderedDict(z=3, y=4),
    "n": Pair(5, 6),
    "d": deque([7, 8], maxlen=3),
    "f": defaultdict(list, {"k": 9}),
    "x": Box(10, [11]),
}


def test_flatten_and_unflatten():
    leaves, spec = tree_flatten(TREE)
    assert leaves == [1, 2, None, 3, 4, 5, 6, 7, 8, 9, 10, 11]
    again = tree_unflatten([x and 2 * x for x in leaves], spec)
    assert list(again) == list(TREE)
    assert again["b"] == [2, (4, None)] and again["a"] == OrderedDict(z=6, y=8) and again["n"] == Pair(10, 12)
    assert again["d"].maxlen == 3 and again["f"].default_factory is list
    assert (again["x"].x, again["x"].y, again["x"].label) == (20, [22], "box")
    assert (spec.num_leaves, spec.num_nodes, spec.num_children) == (12, 21, 6)
    assert spec.type is dict and spec.context == list(TREE)
    assert [c.type for c in spec.children()] == [list, OrderedDict, namedtuple, deque, defaultdict, Box]
    assert spec.child(2).context is Pair
    with pytest.raises(
        ValueError, match=r"`leaves` has length 1 but the spec refers to a pytree that holds 12 items"
    ):
        tree_unflatten([1], spec)
    with pytest.raises(TypeError, match="instance of TreeSpec"):
        tree_unflatten([1], 3)


def test_specs():
    assert repr(tree_structure([1, (2, {"a": 3})])) == (
        "TreeSpec(list, None, [*,\n  TreeSpec(tuple, None, [*,\n    TreeSpec(dict, ['a'], [*])])])"
    )
    assert repr(tree_structure(Pair(1, 2))).startswith("TreeSpec(namedtuple, <class ")
    assert tree_structure({"a": 1, "b": 2}) == tree_structure({"a": 3, "b": 4})
    assert tree_structure({"a": 1, "b": 2}) != tree_structure({"b": 1, "a": 2})
    assert tree_structure(Box(1, 2)) != tree_structure(Box(1, 2, "other"))
    assert hash(tree_structure([1, (2,)])) == hash(tree_structure([3, (4,)]))
    assert tree_structure(1).is_leaf() and isinstance(tree_structure(None), LeafSpec)
    assert TreeSpec(list, None, [LeafSpec(), LeafSpec()]) == tree_structure([1, 2])
    assert TreeSpec(namedtuple, Pair, [LeafSpec(), LeafSpec()]) == tree_structure(Pair(1, 2))
    assert pytree.treespec_pprint(tree_structure([1, {"a": (2,)}])) == "[*, {'a': (*,)}]"


def test_text():
    spec = tree_structure(
        [1, {"a": (2, None)}, OrderedDict(b=1), deque([1], 2), defaultdict(int, c=1), Box(1, 2)]
    )
    assert treespec_loads(treespec_dumps(spec)) == spec
    leaf = {"type": None, "context": None, "children_spec": []}
    assert json.loads(treespec_dumps(tree_structure([1]))) == [
        1,
        {"type": "builtins.list", "context": "null", "children_spec": [leaf]},
    ]
    with pytest.raises(NotImplementedError, match="Can't serialize"):
        treespec_dumps(tree_structure(Pair(1, 2)))
    with pytest.raises(TypeError, match="json dump-able"):
        treespec_dumps(tree_structure(Box(1, 2, label=object())))
    with pytest.raises(NotImplementedError, match="not registered"):
        treespec_loads('[1, {"type": "nobody", "context": "null", "children_spec": []}]')
    with pytest.raises(ValueError, match="Unknown protocol"):
        treespec_dumps(spec, 7)


def test_maps():
    assert tree_map(lambda a, b: a + b, [1, (2, 3)], [10, (20, 30)]) == [11, (22, 33)]
    assert tree_map(lambda a, b: (a, b), {"a": 1, "b": 2}, {"b": 3, "a": [4]}) == {"a": (1, [4]), "b": (2, 3)}
    assert tree_map(lambda x: x is None, [None, 1]) == [True, False]
    assert tree_map(len, [(1, 2), (3,)], is_leaf=lambda x: isinstance(x, tuple)) == [2, 1]
    seen = []
    tree = [1, (2,)]
    assert pytree.tree_map_(seen.append, tree) is tree and seen == [1, 2]
    assert pytree.tree_map_only(int, lambda x: -x, [1, 2.0, (3,)]) == [-1, 2.0, (-3,)]
    assert pytree.tree_map_only((int, float), lambda x: -x, [1, 2.0, "a"]) == [-1, -2.0, "a"]
    assert pytree.tree_map_only(lambda x: x == 1, lambda x: -x, [1, 2]) == [-1, 2]
    with pytest.raises(TypeError, match="must be a type"):
        pytree.tree_map_only(3, abs, [1])
    with pytest.raises(
        ValueError, match="Node type mismatch; expected <class 'tuple'>, but got <class 'int'>"
    ):
        tree_map(lambda a, b: a, [1, (2, 3)], [10, 20])
    with pytest.raises(ValueError, match="Node arity mismatch; expected 2, but got 1"):
        tree_map(lambda a, b: a, [1, 2], [1])
    with pytest.raises(
        ValueError, match=r"Node keys mismatch; missing key\(s\): {'a'}; extra key\(s\): {'b'}"
    ):
        tree_map(lambda a, b: a, {"a": 1}, {"b": 2})
    with pytest.raises(ValueError, match="Node context mismatch"):
        tree_map(lambda a, b: a, Box(1, 2), Box(1, 2, "other"))


def test_questions():
    assert pytree.tree_any(lambda x: x > 2, [1, (3,)]) and not pytree.tree_all(lambda x: x > 2, [1, (3,)])
    assert pytree.tree_all_only(int, lambda x: x > 2, [1.0, 3]) and not pytree.tree_any_only(
        int, lambda x: x > 4, [5.0, 3]
    )
    assert list(pytree.tree_iter([1, [2, None]])) == [1, 2, None]
    assert pytree.tree_is_leaf(None) and not pytree.tree_is_leaf([1])
    assert pytree.tree_is_leaf([1], is_leaf=lambda x: True)
    assert (
        pytree.is_namedtuple(Pair)
        and pytree.is_namedtuple_instance(Pair(1, 2))
        and not pytree.is_namedtuple((1, 2))
    )
    assert pytree.is_structseq(time.gmtime()) and not pytree.is_structseq(Pair)
    assert tree_leaves(torch.ones(2, 3).shape) == [2, 3]
    assert isinstance(tree_map(lambda n: n + 1, torch.ones(2, 3).shape), torch.Size)


def test_paths():
    found, spec = pytree.tree_flatten_with_path(TREE)
    assert spec == tree_structure(TREE)
    texts = [keystr(path) for path, _ in found]
    assert texts == [
        "['b'][0]", "['b'][1][0]", "['b'][1][1]", "['a']['z']", "['a']['y']", "['n'].first", "['n'].second", "['d'][0]", "['d'][1]",
        "['f']['k']", "['x'].x", "['x'].y[0]",
    ]  # fmt: skip
    for path, x in found:
        assert key_get(TREE, path) is x
    assert found[1][0] == (MappingKey("b"), SequenceKey(1), SequenceKey(0))
    assert pytree.tree_map_with_path(lambda p, x: f"{keystr(p)}={x}", [1, {"a": 2}]) == [
        "[0]=1",
        {"a": "[1]['a']=2"},
    ]
    assert pytree.tree_leaves_with_path(3) == [((), 3)]

    class Plain:
        pass

    pytree.register_pytree_node(Plain, lambda p: ([], None), lambda children, context: Plain())
    with pytest.raises(ValueError, match="Did not find a flatten_with_keys_fn"):
        pytree.tree_flatten_with_path(Plain())


def test_registration():
    with pytest.raises(ValueError, match="already registered as pytree node"):
        pytree.register_pytree_node(Box, lambda b: ([], None), lambda c, x: None)
    with pytest.raises(ValueError, match="already registered"):
        pytree.register_pytree_node(list, lambda b: ([], None), lambda c, x: None)
    with pytest.raises(ValueError, match="must be None or registered"):
        pytree.register_pytree_node(int, lambda b: ([], None), lambda c, x: None, to_dumpable_context=str)
    assert tree_leaves(State([1, 2], 3, 4)) == [1, 2, 3]
    assert tree_map(lambda x: -x, State([1, 2])) == State([-1, -2])
    assert tree_structure(State(1)) != tree_structure(State(1, 2))
    with pytest.raises(ValueError, match="not a dataclass"):
        pytree.register_dataclass(int)
    with pytest.raises(ValueError, match="missing from field_names"):
        pytree.register_dataclass(dataclasses.make_dataclass("Other", ["a", "b"]), field_names=["a"])
    leaves, spec = tree_flatten([Mode("fast"), 1])
    assert leaves == [1] and spec.unflatten(leaves)[0].name == "fast"
    assert spec != tree_structure([Mode("slow"), 1])
    with pytest.raises(TypeError, match="non-default `__eq__`"):
        pytree.register_constant(object)


def test_prefixes():
    spread = pytree._broadcast_to_and_flatten
    assert spread((0, None), tree_structure((1, [2, 3]))) == [0, None, None]
    assert spread((0, [1]), tree_structure((1, [2, 3]))) is None
    assert spread({"a": 0, "b": 1}, tree_structure({"b": 1, "a": [1, 2]})) == [1, 0, 0]
    assert spread({"a": 0}, tree_structure({"b": 1})) is None


# -- in the transforms -----------------------------------------------------------------------------------------------


def array(t):
    return t.detach().numpy()


def test_registered_nodes_are_trees_for_grad():
    def loss(box, state):
        return (box.x * state.weight).sum() + (box.y[0] ** 2).sum() + box.x.sum() * 0

    x, y, w = torch.tensor([1.0, 2.0]), torch.tensor([3.0]), torch.tensor([4.0, 5.0])
    g, s = func.grad(loss, argnums=(0, 1))(Box(x, [y], "kept"), State(w))
    assert isinstance(g, Box) and g.label == "kept" and isinstance(s, State) and s.bias is None
    np.testing.assert_array_equal(array(g.x), [4, 5])
    np.testing.assert_array_equal(array(g.y[0]), [6])
    np.testing.assert_array_equal(array(s.weight), [1, 2])
    out, pull = func.vjp(lambda b: Box(b.x * 2, [b.y[0].sin()]), Box(x, [y]))
    (back,) = pull(Box(x, [y]))
    assert isinstance(out, Box) and isinstance(back, Box)
    np.testing.assert_array_equal(array(back.x), [2, 4])


def test_registered_nodes_are_trees_for_vmap():
    x, y = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)

    def f(box, mode):
        assert mode == Mode("fast") and box.x.shape == (2,)
        return Box(box.x + box.y, {"total": box.x.sum()})

    out = func.vmap(f, in_dims=(Box(1, None), None), out_dims=Box(1, {"total": 0}))(
        Box(x, y[:2]), Mode("fast")
    )
    assert isinstance(out, Box) and list(out.y) == ["total"]
    np.testing.assert_array_equal(array(out.x), array(x) + array(y[:2])[:, None])
    np.testing.assert_array_equal(array(out.y["total"]), array(x).sum(0))
    got = func.vmap(lambda s: State(s.weight * 2))(State(x))
    assert isinstance(got, State)
    np.testing.assert_array_equal(array(got.weight), 2 * array(x))


def test_dicts_keep_their_order_and_none_is_a_leaf():
    x = torch.tensor([1.0, 2.0])
    out = func.vmap(lambda d: {"z": d["b"], "a": d["c"]})({"c": x, "b": -x})
    assert list(out) == ["z", "a"]
    np.testing.assert_array_equal(array(out["z"]), [-1, -2])
    swapped = func.vmap(lambda d: d["a"] + d["b"], in_dims=({"b": None, "a": 0},))(
        {"a": x, "b": torch.tensor(10.0)}
    )
    np.testing.assert_array_equal(array(swapped), [11, 12])
    g = func.grad(lambda d: (d["b"] * 2 + d["a"]).sum())({"b": x, "a": x})
    assert list(g) == ["b", "a"]
    with pytest.raises(ValueError, match="must only return Tensors, got type <class 'NoneType'>"):
        func.vmap(lambda a: (a, None))(x)
