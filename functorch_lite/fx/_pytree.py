"""Leaves of nested arguments in the order of a structure: what generated code does with containers that were traced
(`concrete_args`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..api_names import listed
from ..utils import _pytree as pytree

__all__ = ["register_pytree_flatten_spec", "tree_flatten_spec"]
__dir__ = listed(__name__, "SUPPORTED_NODES", "SUPPORTED_NODES_EXACT_MATCH")

SUPPORTED_NODES: dict[type, Callable[[Any, Any], list[Any]]] = {}
SUPPORTED_NODES_EXACT_MATCH: dict[type, Callable[[Any, Any], bool] | None] = {}


def register_pytree_flatten_spec(
    cls: type,
    flatten_fn_spec: Callable[[Any, Any], list[Any]],
    flatten_fn_exact_match_spec: Callable[[Any, Any], bool] | None = None,
) -> None:
    """Registers how the children of a container class are got: flatten_fn_spec(container, its TreeSpec)."""
    SUPPORTED_NODES[cls] = flatten_fn_spec
    SUPPORTED_NODES_EXACT_MATCH[cls] = flatten_fn_exact_match_spec


def tree_flatten_spec(tree: Any, spec: pytree.TreeSpec) -> list[Any]:
    """The leaves of a tree, by the structure of a spec. A dict may have more keys than the spec, which are left out.

    Raises ValueError where a list or tuple has not as many entries as the spec, RuntimeError where a container of
    another class has another structure.
    """
    if spec.is_leaf():
        return [tree]
    if spec.type not in SUPPORTED_NODES:
        leaves, structure = pytree.tree_flatten(tree)
        if structure != spec:
            raise RuntimeError(f"{type(tree)} has the structure {structure}, where {spec} was traced")
        return leaves
    children = SUPPORTED_NODES[spec.type](tree, spec)
    return [leaf for x, s in zip(children, spec.children()) for leaf in tree_flatten_spec(x, s)]


def _by_key(d: dict, spec: pytree.TreeSpec) -> list[Any]:
    return [d[k] for k in spec.context]


def _in_order(x: Any, spec: pytree.TreeSpec) -> list[Any]:
    if len(x) != spec.num_children:
        raise ValueError(
            f"the traced function takes {spec.num_children} entries in this {type(x).__name__}, got {len(x)}"
        )
    return list(x)


register_pytree_flatten_spec(dict, _by_key)
register_pytree_flatten_spec(list, _in_order)
register_pytree_flatten_spec(tuple, _in_order)
