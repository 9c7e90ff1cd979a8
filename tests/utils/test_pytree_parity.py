"""torch.utils._pytree side by side with PyTorch."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

from functorch_lite.utils import _pytree as ours

theirs = pytest.importorskip("torch.utils._pytree")
pytestmark = pytest.mark.parity

Pair = namedtuple("Pair", "first second")
TREES = [
    3,
    None,
    [],
    [1, (2, None), {"b": 3, "a": [4]}],
    OrderedDict(z=1, y=(2,)),
    {"n": Pair(5, [6]), "d": deque([7, 8], maxlen=3), "f": defaultdict(list, {"k": 9})},
]


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_trees(tree):
    def seen(lib):
        leaves, spec = lib.tree_flatten(tree)
        paths = [lib.keystr(path) for path, _ in lib.tree_flatten_with_path(tree)[0]]
        counts = spec.num_leaves, spec.num_nodes, spec.num_children, spec.is_leaf(), spec.type, spec.context
        return leaves, repr(spec), counts, paths, spec.unflatten(leaves)

    assert seen(ours) == seen(theirs)


@pytest.mark.parametrize("tree", TREES[:5], ids=str)
def test_text(tree):
    text = theirs.treespec_dumps(theirs.tree_structure(tree))
    assert ours.treespec_dumps(ours.tree_structure(tree)) == text
    assert ours.treespec_loads(text) == ours.tree_structure(tree)


CALLS = {
    "map": lambda p: p.tree_map(lambda a, b: (a, b), {"a": 1, "b": 2}, {"b": 3, "a": [4]}),
    "types": lambda p: p.tree_map(lambda a, b: a, [1, (2, 3)], [10, 20]),
    "arity": lambda p: p.tree_map(lambda a, b: a, [1, 2], [1]),
    "keys": lambda p: p.tree_map(lambda a, b: a, {"a": 1}, {"b": 2}),
    "leaves": lambda p: p.tree_unflatten([1], p.tree_structure([1, 2])),
    "only": lambda p: p.tree_map_only((int, float), lambda x: -x, [1, 2.0, "a"]),
    "all": lambda p: [
        p.tree_all(bool, [1, 0]),
        p.tree_any(bool, [1, 0]),
        p.tree_all_only(int, bool, [1, 0.0]),
    ],
    "paths": lambda p: p.tree_map_with_path(lambda k, x: f"{p.keystr(k)}{x}", [1, {"a": 2}]),
    "prefix": lambda p: p._broadcast_to_and_flatten((0, None), p.tree_structure((1, [2, 3]))),
    "no prefix": lambda p: p._broadcast_to_and_flatten((0, [1]), p.tree_structure((1, [2, 3]))),
    "twice": lambda p: p.register_pytree_node(list, lambda x: (x, None), lambda c, x: list(c)),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    def run(lib):
        try:
            return CALLS[name](lib)
        except Exception as error:
            return type(error), str(error)

    assert run(ours) == run(theirs)
