"""torch.utils._pytree: nested containers as a list of leaves and a TreeSpec.

Containers are list, tuple, named tuples, dict and OrderedDict and defaultdict (in the order of their keys), deque, and
what is registered here; everything else is a leaf, None too. The transforms of torch.func see the same trees.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..func import _trees
from ..func._trees import NODES, PLAIN_DICTS, is_namedtuple_class, parts
from ._treespec import (
    DICTS,
    GetAttrKey,
    LeafSpec,
    MappingKey,
    SequenceKey,
    TreeSpec,
    is_namedtuple,
    is_namedtuple_instance,
    is_structseq,
    is_structseq_class,
    is_structseq_instance,
    key_get,
    keystr,
    register_constant,
    register_dataclass,
    register_pytree_node,
    spec_of,
    treespec_dumps,
    treespec_loads,
    treespec_pprint,
)

__all__ = [
    "Context", "DumpableContext", "FlattenFn", "FromDumpableContextFn", "GetAttrKey", "LeafSpec", "MappingKey", "PyTree", "PyTreeSpec",
    "SequenceKey", "ToDumpableContextFn", "TreeSpec", "UnflattenFn", "is_namedtuple", "is_namedtuple_class", "is_namedtuple_instance",
    "is_structseq", "is_structseq_class", "is_structseq_instance", "key_get", "keystr", "register_constant", "register_dataclass",
    "register_pytree_node", "tree_all", "tree_all_only", "tree_any", "tree_any_only", "tree_flatten", "tree_flatten_with_path",
    "tree_is_leaf", "tree_iter", "tree_leaves", "tree_leaves_with_path", "tree_map", "tree_map_", "tree_map_only", "tree_map_only_",
    "tree_map_with_path", "tree_structure", "tree_unflatten", "treespec_dumps", "treespec_loads", "treespec_pprint",
]  # fmt: skip

PyTree = Any
PyTreeSpec = TreeSpec
Context = Any
DumpableContext = Any
FlattenFn = Callable[[Any], tuple[list[Any], Any]]
UnflattenFn = Callable[[Iterable[Any], Any], Any]
ToDumpableContextFn = Callable[[Any], Any]
FromDumpableContextFn = Callable[[Any], Any]


class NodeDef(NamedTuple):
    """Functions that take instances of a class apart and put them together."""

    type: Any
    flatten_fn: FlattenFn
    unflatten_fn: UnflattenFn
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None


class _SupportedNodes(Mapping):
    """The containers, and what was registered, for libraries that walk trees by themselves: a view, to be read."""

    def __getitem__(self, kind: Any) -> NodeDef:
        if kind not in [*self]:
            raise KeyError(kind)

        def take_apart(x: Any) -> tuple[list[Any], Any]:
            found = parts(x)
            return list(found[0]), type(x) if kind is namedtuple else found[1]  # type: ignore[index]

        def put_together(children: Iterable[Any], context: Any) -> Any:
            many = list(children)
            return TreeSpec(kind, context, [LeafSpec()] * len(many)).unflatten(many)

        return NodeDef(kind, take_apart, put_together, NODES[kind].with_keys if kind in NODES else None)

    def __iter__(self) -> Iterator[Any]:
        return iter((tuple, list, dict, namedtuple, OrderedDict, defaultdict, deque, *NODES))

    def __len__(self) -> int:
        return 7 + len(NODES)


SUPPORTED_NODES = _SupportedNodes()


def _get_node_type(tree: Any) -> Any:
    """A tree's class; collections.namedtuple for every named tuple."""
    kind = PLAIN_DICTS.get(type(tree), type(tree))
    return namedtuple if kind not in NODES and is_namedtuple_class(kind) else kind


def _dict_flatten(d: dict) -> tuple[list[Any], list[Any]]:
    """A dict as PyTorch takes it apart, for libraries that register classes derived from dict."""
    return list(d.values()), list(d)


def _dict_flatten_with_keys(d: dict) -> tuple[list[tuple[Any, Any]], list[Any]]:
    """Flattens a dict, each value with its key."""
    return [(MappingKey(k), v) for k, v in d.items()], list(d)


def _dict_unflatten(values: Iterable[Any], context: list[Any]) -> dict:
    """The dict again."""
    return dict(zip(context, values))


def _list_flatten(d: list) -> tuple[list[Any], None]:
    """A list as PyTorch takes it apart, for libraries that register classes derived from list."""
    return d, None


def _list_flatten_with_keys(d: list) -> tuple[list[tuple[Any, Any]], None]:
    """Flattens a list, each value with its place."""
    return [(SequenceKey(i), v) for i, v in enumerate(d)], None


def _list_unflatten(values: Iterable[Any], context: None) -> list:
    """The list again."""
    return list(values)


# -- functions of trees ----------------------------------------------------------------------------------------------

IsLeaf = Callable[[Any], bool] | None


def tree_is_leaf(tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Returns whether a tree is one leaf."""
    return (is_leaf is not None and is_leaf(tree)) or parts(tree) is None


def tree_flatten(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[Any], TreeSpec]:
    """(leaves, structure). is_leaf(x): whether a container counts as a leaf.

    >>> tree_flatten({"a": [1, 2], "b": None})
    ([1, 2, None], TreeSpec(dict, ['a', 'b'], [TreeSpec(list, None, [*,
        *]),
      *]))
    """
    leaves, structure = _trees.flatten(tree, is_leaf)
    return leaves, spec_of(structure)


def tree_unflatten(leaves: Iterable[Any], treespec: TreeSpec) -> Any:
    """The tree of this structure with these leaves."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got item of type {type(treespec)}."
        )
    return treespec.unflatten(leaves)


def tree_iter(tree: Any, is_leaf: IsLeaf = None) -> Iterator[Any]:
    """The leaves, one after the other."""
    found = None if is_leaf is not None and is_leaf(tree) else parts(tree)
    if found is None:
        yield tree
    else:
        for child in found[0]:
            yield from tree_iter(child, is_leaf)


def tree_leaves(tree: Any, is_leaf: IsLeaf = None) -> list[Any]:
    """The leaves."""
    return _trees.flatten(tree, is_leaf)[0]


def tree_structure(tree: Any, is_leaf: IsLeaf = None) -> TreeSpec:
    """The structure."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """The tree of func(leaf), or of func(leaf, what the other trees have there).

    >>> tree_map(lambda x, y: x + y, [1, (2, 3)], [10, (20, 30)])
    [11, (22, 33)]
    """
    leaves, spec = tree_flatten(tree, is_leaf)
    columns = [leaves, *[spec.flatten_up_to(r) for r in rests]]
    return spec.unflatten([func(*x) for x in zip(*columns)])


def tree_map_(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """Calls func on every leaf (as tree_map does) for its effects; returns the tree."""
    leaves, spec = tree_flatten(tree, is_leaf)
    for x in zip(leaves, *[spec.flatten_up_to(r) for r in rests]):
        func(*x)
    return tree


def _matches(wanted: Any) -> Callable[[Any], bool]:
    if isinstance(wanted, type) or isinstance(wanted, tuple) or hasattr(wanted, "__args__"):
        return lambda x: isinstance(x, wanted)
    if callable(wanted):
        return wanted  # type: ignore[return-value]
    raise TypeError("Argument must be a type, a tuple of types, or a callable.")


def tree_map_only(type_or_types_or_pred: Any, func: Callable, tree: Any, is_leaf: IsLeaf = None) -> Any:
    """tree_map on leaves of a type (or of several, or for which a predicate holds); the others stay."""
    match = _matches(type_or_types_or_pred)
    return tree_map(lambda x: func(x) if match(x) else x, tree, is_leaf=is_leaf)


def tree_map_only_(type_or_types_or_pred: Any, func: Callable, tree: Any, is_leaf: IsLeaf = None) -> Any:
    """tree_map_ on leaves of a type (or of several, or for which a predicate holds)."""
    match = _matches(type_or_types_or_pred)
    return tree_map_(lambda x: func(x) if match(x) else x, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Returns whether pred holds for all leaves."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Returns whether pred holds for some leaf."""
    return any(map(pred, tree_iter(tree, is_leaf)))


def tree_all_only(type_or_types: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Returns whether pred holds for all leaves of a type."""
    return all(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def tree_any_only(type_or_types: Any, pred: Callable[[Any], bool], tree: Any, is_leaf: IsLeaf = None) -> bool:
    """Returns whether pred holds for some leaf of a type."""
    return any(pred(x) for x in tree_iter(tree, is_leaf) if isinstance(x, type_or_types))


def _broadcast_to_and_flatten(tree: Any, treespec: TreeSpec, is_leaf: IsLeaf = None) -> list[Any] | None:
    """A tree that is a prefix of the structure, as one entry for each leaf; None if it is not a prefix."""
    if is_leaf is None:
        return _trees.spread(tree, treespec._structure)
    leaves, structure = _trees.flatten(tree, is_leaf)
    out: list[Any] = []
    return out if _trees._spread((leaves, structure), treespec._structure, out) else None


# -- paths -----------------------------------------------------------------------------------------------------------


def _with_keys(x: Any) -> list[tuple[Any, Any]]:
    kind = PLAIN_DICTS.get(type(x), type(x))
    if kind in NODES:
        with_keys = NODES[kind].with_keys
        if with_keys is None:
            raise ValueError(
                f"Did not find a flatten_with_keys_fn for type: {kind}. Please pass a flatten_with_keys_fn argument to "
                "register_pytree_node."
            )
        return list(with_keys(x)[0])
    if kind in DICTS:
        return [(MappingKey(k), v) for k, v in x.items()]
    if is_namedtuple_class(kind):
        return [(GetAttrKey(n), v) for n, v in zip(kind._fields, x)]
    return [(SequenceKey(i), v) for i, v in enumerate(x)]


def _paths(tree: Any, is_leaf: IsLeaf, at: tuple) -> Iterator[tuple[tuple, Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield at, tree
    else:
        for key, child in _with_keys(tree):
            yield from _paths(child, is_leaf, (*at, key))


def tree_flatten_with_path(tree: Any, is_leaf: IsLeaf = None) -> tuple[list[tuple[tuple, Any]], TreeSpec]:
    """([(path, leaf), …], structure)."""
    return list(_paths(tree, is_leaf, ())), tree_structure(tree, is_leaf)


def tree_leaves_with_path(tree: Any, is_leaf: IsLeaf = None) -> list[tuple[tuple, Any]]:
    """[(path, leaf), …]."""
    return list(_paths(tree, is_leaf, ()))


def tree_map_with_path(func: Callable[..., Any], tree: Any, *rests: Any, is_leaf: IsLeaf = None) -> Any:
    """tree_map with func(path, leaf, …)."""
    found, spec = tree_flatten_with_path(tree, is_leaf)
    rows = zip([p for p, _ in found], [x for _, x in found], *[spec.flatten_up_to(r) for r in rests])
    return spec.unflatten([func(*row) for row in rows])
