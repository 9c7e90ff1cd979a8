"""Arguments as trees: which of their leaves a transform works on, and their replacement.

Lists, tuples, named tuples, dicts (in the order of their keys) and deques are containers, as for torch, and whatever
was registered with torch.utils._pytree (`NODES`). None is a leaf.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Tensor

__all__ = [
    "NODES", "Node", "Structure", "flatten", "name_of", "select_argnums", "short", "spread", "tensor_leaves", "unflatten",
]  # fmt: skip


class Structure:
    """Tree without its leaves: the container's type, what it needs besides children, and the children's."""

    __slots__ = ("children", "context", "num_leaves", "type")

    def __init__(self, type: Any, context: Any, children: tuple[Structure, ...]):
        self.type = type
        self.context = context
        self.children = children
        self.num_leaves = sum([c.num_leaves for c in children]) if type is not None else 1

    def __eq__(self, other) -> bool:
        return self is other or (
            isinstance(other, Structure)
            and self.type is other.type
            and self.num_leaves == other.num_leaves
            and self.context == other.context
            and self.children == other.children
        )

    def __hash__(self) -> int:
        return hash((self.type, self.num_leaves, len(self.children)))

    def __repr__(self) -> str:
        return _printed(self, 0)


LEAF = Structure(None, None, ())


class Node:
    """How instances of a registered class are containers: flatten(x) -> (children, context), unflatten(children,
    context) -> x."""

    __slots__ = ("dump", "flatten", "load", "serialized", "unflatten", "with_keys")

    def __init__(
        self, flatten: Callable, unflatten: Callable, with_keys=None, serialized=None, dump=None, load=None
    ):
        self.flatten = flatten
        self.unflatten = unflatten
        self.with_keys = with_keys
        self.serialized = serialized
        self.dump = dump
        self.load = load


NODES: dict[type, Node] = {}
"""What was registered."""

PLAIN_DICTS: dict[type, type] = {dict: dict, OrderedDict: OrderedDict}
"""Classes of dicts in the order of their keys, and as which of them each counts: a module's own registries are plain
dicts to whoever walks over them."""


def is_namedtuple_class(kind: type) -> bool:
    """Returns whether a class was made by collections.namedtuple or typing.NamedTuple."""
    return issubclass(kind, tuple) and isinstance(getattr(kind, "_fields", None), tuple)


def _printed(s: Structure, indent: int) -> str:
    if s.type is None:
        return "*"
    inner = f",\n{' ' * (indent + 2)}".join([_printed(c, indent + 2) for c in s.children])
    if is_namedtuple_class(s.type) and s.type not in NODES:
        return f"TreeSpec(namedtuple, {s.type}, [{inner}])"
    return f"TreeSpec({s.type.__name__}, {s.context}, [{inner}])"


class _Star:
    def __repr__(self) -> str:
        return "*"


def short(s: Structure) -> str:
    """A structure as its tree is written in Python, with * for leaves."""
    return repr(unflatten(s, [_Star()] * s.num_leaves))


def flatten(tree: Any, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list, Structure]:
    """Leaves (Tensors and everything that is not a container, or for which is_leaf is true) and structure."""
    leaves: list = []
    return leaves, _flatten(tree, leaves) if is_leaf is None else _flatten_to(tree, leaves, is_leaf)


def _flatten(x: Any, leaves: list) -> Structure:  # hot path
    kind = type(x)
    context = None
    if kind is not tuple and kind is not list:
        found = parts(x)
        if found is None:
            leaves.append(x)
            return LEAF
        x, context = found
        kind = PLAIN_DICTS.get(kind, kind)
    children = []
    for child in x:
        if type(child) is Tensor:
            leaves.append(child)
            children.append(LEAF)
        else:
            children.append(_flatten(child, leaves))
    return Structure(kind, context, tuple(children))


def _flatten_to(x: Any, leaves: list, is_leaf: Callable[[Any], bool]) -> Structure:
    if is_leaf(x):
        leaves.append(x)
        return LEAF
    found = parts(x)
    if found is None:
        leaves.append(x)
        return LEAF
    children, context = found
    return Structure(
        PLAIN_DICTS.get(type(x), type(x)), context, tuple([_flatten_to(c, leaves, is_leaf) for c in children])
    )


def parts(x: Any) -> tuple[Any, Any] | None:
    """The children of a container, and what it needs besides them to be built again; None for a leaf."""
    kind = type(x)
    if kind is tuple or kind is list:
        return x, None
    if kind in PLAIN_DICTS:
        return x.values(), list(x)
    if kind in NODES:
        children, context = NODES[kind].flatten(x)
        return tuple(children), context
    if kind is defaultdict:
        return x.values(), [x.default_factory, list(x)]
    if kind is deque:
        return x, x.maxlen
    if isinstance(x, tuple) and is_namedtuple_class(kind):
        return x, None
    return None


def unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """The tree of this structure with these leaves."""
    return _unflatten(structure, iter(leaves))


def _unflatten(s: Structure, leaves) -> Any:
    if s.type is None:
        return next(leaves)
    return rebuilt(s.type, s.context, [_unflatten(c, leaves) for c in s.children])


def rebuilt(kind: type, context: Any, children: list) -> Any:
    """A container of this type with these children."""
    if kind is list:
        return children
    if kind is tuple:
        return tuple(children)
    if kind is dict or kind is OrderedDict:
        return kind(zip(context, children))
    if kind in NODES:
        return NODES[kind].unflatten(children, context)
    if kind is defaultdict:
        return defaultdict(context[0], zip(context[1], children))
    if kind is deque:
        return deque(children, context)
    return kind(*children)


def spread(prefix: Any, structure: Structure) -> list | None:
    """A tree that is a prefix of the structure, as one entry for each of its leaves; None if it is not a prefix."""
    out: list = []
    return out if _spread(flatten(prefix), structure, out) else None


def _spread(prefix: tuple[list, Structure], structure: Structure, out: list) -> bool:
    leaves, mine = prefix
    if mine.type is None:
        out.extend(leaves * structure.num_leaves)
        return True
    if mine.type is not structure.type or len(mine.children) != len(structure.children):
        return False
    keys, wanted = _keys(mine), _keys(structure)
    if keys is None and mine.context != structure.context:
        return False
    starts = [0]
    for a in mine.children:
        starts.append(starts[-1] + a.num_leaves)
    for i, b in enumerate(structure.children):
        if keys is not None:
            if wanted[i] not in keys:  # type: ignore[index]
                return False
            i = keys.index(wanted[i])  # type: ignore[index]
        if not _spread((leaves[starts[i] : starts[i + 1]], mine.children[i]), b, out):
            return False
    return True


def _keys(s: Structure) -> list | None:
    """The keys of a dict's structure; their order does not matter for what is a prefix."""
    if s.type is defaultdict:
        return s.context[1]
    return s.context if s.type is dict or s.type is OrderedDict else None


def tensor_leaves(leaves: Sequence[Any]) -> list[int]:
    """Positions of the leaves that are Tensors."""
    return [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]


def name_of(fn: Callable) -> str:
    """A function's name for messages."""
    return getattr(fn, "__name__", type(fn).__name__)


def select_argnums(args: tuple, argnums: int | tuple[int, ...]) -> tuple[int, ...]:
    """argnums as indices from the front; torch's errors for what does not fit the arguments."""
    if not isinstance(argnums, int | tuple):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    many = (argnums,) if isinstance(argnums, int) else argnums
    if not many:
        raise RuntimeError("argnums must be non-empty")
    wrapped = []
    for a in many:
        if not isinstance(a, int):
            raise RuntimeError(f"argnum must be int, got: {type(a)}")
        if not -len(args) <= a < len(args):
            raise RuntimeError(f"Got argnum={a}, but only {len(args)} positional inputs")
        wrapped.append(a % len(args))
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(wrapped)}")
    return tuple(wrapped)
