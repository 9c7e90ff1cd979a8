"""TreeSpec: the structure of a tree, as torch.utils._pytree shows it; what may be registered as a container; structures
as text."""

from __future__ import annotations

import builtins
import collections
import dataclasses
import json
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Hashable, Iterable
from typing import Any

from .._core.api import Size
from ..func import _trees
from ..func._trees import LEAF, NODES, PLAIN_DICTS, Node, Structure, is_namedtuple_class, parts, short

__all__ = [
    "DICTS", "GetAttrKey", "LeafSpec", "MappingKey", "SequenceKey", "TreeSpec", "is_namedtuple", "is_namedtuple_instance",
    "is_structseq", "is_structseq_class", "is_structseq_instance", "key_get", "keystr", "register_constant", "register_dataclass",
    "register_pytree_node", "spec_of", "treespec_dumps", "treespec_loads", "treespec_pprint",
]  # fmt: skip


# -- keys of a path --------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class MappingKey:
    """A step of a path into a dict."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The value at the key."""
        return mapping[self.key]


@dataclasses.dataclass(frozen=True)
class SequenceKey:
    """A step of a path into a list, tuple or deque."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The item at the index."""
        return sequence[self.idx]


@dataclasses.dataclass(frozen=True)
class GetAttrKey:
    """A step of a path to an attribute (of a named tuple, a dataclass)."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The attribute."""
        return getattr(obj, self.name)


def keystr(kp: Iterable[Any]) -> str:
    """A path as it is written in Python: "['a'][0].x"."""
    return "".join(str(k) for k in kp)


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """Returns the value that a path leads to in a tree."""
    for k in kp:
        obj = k.get(obj)
    return obj


# -- registration ----------------------------------------------------------------------------------------------------


def register_pytree_node(
    cls: type,
    flatten_fn: Callable[[Any], tuple[Any, Any]],
    unflatten_fn: Callable[[Iterable[Any], Any], Any],
    *,
    serialized_type_name: str | None = None,
    to_dumpable_context: Callable[[Any], Any] | None = None,
    from_dumpable_context: Callable[[Any], Any] | None = None,
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None,
) -> None:
    """Makes instances of cls containers: flatten_fn(x) -> (children, context), unflatten_fn(children, context) -> x.

    flatten_with_keys_fn(x) -> ([(key, child), …], context) is what paths are made of. serialized_type_name and the two
    functions of the context are for treespec_dumps and treespec_loads.
    """
    if cls in NODES or cls in (tuple, list, dict, OrderedDict, defaultdict, deque, namedtuple):
        raise ValueError(f"{cls} is already registered as pytree node.")
    if (to_dumpable_context is None) ^ (from_dumpable_context is None):
        raise ValueError(
            f"Both to_dumpable_context and from_dumpable_context for {cls} must be None or registered."
        )
    NODES[cls] = Node(
        flatten_fn,
        unflatten_fn,
        flatten_with_keys_fn,
        serialized_type_name,
        to_dumpable_context,
        from_dumpable_context,
    )


def register_dataclass(
    cls: type,
    *,
    field_names: list[str] | None = None,
    drop_field_names: list[str] | None = None,
    serialized_type_name: str | None = None,
) -> None:
    """Makes instances of a dataclass containers of their fields; fields in drop_field_names are left to their
    defaults."""
    if field_names is None:
        if not dataclasses.is_dataclass(cls):
            raise ValueError(
                f"field_names must be specified with a list of all fields used to initialize {cls}, as it is not a dataclass."
            )
        field_names = [f.name for f in dataclasses.fields(cls) if f.init]
    dropped = list(drop_field_names or ())
    if dataclasses.is_dataclass(cls):
        known = {f.name for f in dataclasses.fields(cls) if f.init}
        unknown = {*field_names, *dropped} - known
        missing = known - {*field_names, *dropped}
        if unknown:
            raise ValueError(f"fields {sorted(unknown)} are not among those that initialize {cls}")
        if missing:
            raise ValueError(
                f"fields {sorted(missing)} of {cls} are missing from field_names and drop_field_names"
            )
    names = [n for n in field_names if n not in dropped]

    def flatten(x: Any) -> tuple[list[Any], Any]:
        there = [n for n in names if getattr(x, n) is not None]
        absent = [n for n in names if getattr(x, n) is None]
        return [getattr(x, n) for n in there], [there, absent]

    def unflatten(children: Iterable[Any], context: Any) -> Any:
        there, absent = context
        return cls(**dict(zip(there, children)), **dict.fromkeys(absent))

    def with_keys(x: Any) -> tuple[list[tuple[Any, Any]], Any]:
        children, context = flatten(x)
        return [(GetAttrKey(n), c) for n, c in zip(context[0], children)], context

    register_pytree_node(
        cls, flatten, unflatten, serialized_type_name=serialized_type_name, flatten_with_keys_fn=with_keys
    )


@dataclasses.dataclass(frozen=True)
class ConstantNode:
    """The context of a registered constant."""

    value: Any


def register_constant(cls: type) -> None:
    """Makes instances of cls containers of nothing: they are part of the structure.

    The class must define __eq__ and __hash__."""
    if cls.__eq__ is object.__eq__:
        raise TypeError(
            f"register_constant(cls) expects `cls` to have a non-default `__eq__` implementation, but {cls} has not."
        )
    if not issubclass(cls, Hashable):
        raise TypeError(f"register_constant(cls) expects `cls` to be hashable, but {cls} is not.")
    register_pytree_node(
        cls,
        lambda x: ([], ConstantNode(x)),
        lambda children, context: context.value,
        flatten_with_keys_fn=lambda x: ([], ConstantNode(x)),
    )


NODES[Size] = Node(
    lambda x: (list(x), None),
    lambda children, context: Size(children),
    lambda x: ([(SequenceKey(i), c) for i, c in enumerate(x)], None),
    "torch.Size",
)


def is_namedtuple(obj: Any) -> bool:
    """Returns whether obj is a named tuple, or a class of them."""
    return is_namedtuple_class(obj if isinstance(obj, type) else type(obj))


def is_namedtuple_instance(obj: Any) -> bool:
    """Returns whether obj is a named tuple."""
    return is_namedtuple_class(type(obj))


def is_structseq_class(cls: type) -> bool:
    """Returns whether cls is a structseq of CPython, such as time.struct_time."""
    return (
        isinstance(cls, type)
        and cls.__bases__ == (tuple,)
        and all(
            isinstance(getattr(cls, n, None), int)
            for n in ("n_fields", "n_sequence_fields", "n_unnamed_fields")
        )
    )


def is_structseq_instance(obj: Any) -> bool:
    """Returns whether obj is a structseq."""
    return is_structseq_class(type(obj))


def is_structseq(obj: Any) -> bool:
    """Returns whether obj is a structseq, or a class of them."""
    return is_structseq_class(obj if isinstance(obj, type) else type(obj))


# -- TreeSpec --------------------------------------------------------------------------------------------------------


class TreeSpec:
    """The structure of a tree: `type` (None for a leaf), `context`, children. TreeSpec(list, None, [leaf, leaf]) is
    the structure of [*, *]."""

    __slots__ = ("_structure",)

    def __init__(self, type: Any = None, context: Any = None, children_specs: Iterable[TreeSpec] = ()):
        if type is namedtuple:
            type, context = context, None
        children = tuple([c._structure for c in children_specs])
        self._structure = LEAF if type is None else Structure(type, context, children)

    @property
    def type(self) -> Any:
        """The container's class (collections.namedtuple for every named tuple); None for a leaf."""
        kind = self._structure.type
        return namedtuple if _is_plain_namedtuple(kind) else kind

    @property
    def context(self) -> Any:
        """The data that the container needs besides its children: the keys of a dict, the class of a named tuple, …"""
        kind = self._structure.type
        return kind if _is_plain_namedtuple(kind) else self._structure.context

    @property
    def num_leaves(self) -> int:
        """The number of leaves."""
        return self._structure.num_leaves

    @property
    def num_children(self) -> int:
        """The number of children."""
        return len(self._structure.children)

    @property
    def num_nodes(self) -> int:
        """The number of nodes, leaves included."""
        return 1 + sum(c.num_nodes for c in self.children())

    def is_leaf(self) -> bool:
        """Returns whether it is the structure of a leaf."""
        return self._structure.type is None

    def children(self) -> list[TreeSpec]:
        """The children's."""
        return [spec_of(c) for c in self._structure.children]

    def child(self, index: int) -> TreeSpec:
        """Returns the TreeSpec of a child."""
        return spec_of(self._structure.children[index])

    def unflatten(self, leaves: Iterable[Any]) -> Any:
        """The tree of this structure with these leaves."""
        many = list(leaves)
        if len(many) != self.num_leaves:
            raise ValueError(
                f"treespec.unflatten(leaves): `leaves` has length {len(many)} but the spec refers to a pytree that holds "
                f"{self.num_leaves} items ({self})."
            )
        return _trees.unflatten(self._structure, many)

    def flatten_up_to(self, tree: Any) -> list[Any]:
        """The subtrees of `tree` where this structure has leaves. Dicts may have their keys in another order."""
        out: list[Any] = []
        _up_to(self._structure, tree, out)
        return out

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TreeSpec) and self._structure == other._structure

    def __hash__(self) -> int:
        return hash(self._structure)

    def __repr__(self) -> str:
        return repr(self._structure)


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    __slots__ = ()

    def __init__(self):
        super().__init__()


def spec_of(structure: Structure) -> TreeSpec:
    """A structure as a TreeSpec."""
    if structure is LEAF:
        return LeafSpec()
    made = object.__new__(TreeSpec)
    made._structure = structure
    return made


def _is_plain_namedtuple(kind: Any) -> bool:
    return isinstance(kind, type) and is_namedtuple_class(kind) and kind not in NODES


DICTS = (dict, OrderedDict, defaultdict)


def _up_to(s: Structure, tree: Any, out: list[Any]) -> None:
    if s.type is None:
        out.append(tree)
        return
    found = parts(tree)
    kind = PLAIN_DICTS.get(type(tree), type(tree))
    if kind is not s.type and not (kind in DICTS and s.type in DICTS):
        raise ValueError(f"Node type mismatch; expected {spec_of(s).type!r}, but got {kind!r}.")
    children, context = found  # type: ignore[misc]
    children = list(children)
    if len(children) != len(s.children) and s.type not in DICTS:
        raise ValueError(f"Node arity mismatch; expected {len(s.children)}, but got {len(children)}.")
    if s.type in DICTS:
        wanted = s.context[1] if s.type is defaultdict else s.context
        missing, extra = set(wanted) - set(tree), set(tree) - set(wanted)
        if missing or extra:
            message = f"; missing key(s): {missing}" if missing else ""
            message += f"; extra key(s): {extra}" if extra else ""
            raise ValueError(f"Node keys mismatch{message}.")
        children = [tree[k] for k in wanted]
    elif s.type is not deque and context != s.context:
        raise ValueError(
            f"Node context mismatch for {spec_of(s).type!r}; expected {s.context!r}, but got {context!r}."
        )
    for c, sub in zip(s.children, children):
        _up_to(c, sub, out)


# -- as text ---------------------------------------------------------------------------------------------------------

_PROTOCOL = 1
_TEXT_NAMES = {
    tuple: "builtins.tuple",
    list: "builtins.list",
    dict: "builtins.dict",
    OrderedDict: "collections.OrderedDict",
    deque: "collections.deque",
}


def treespec_dumps(treespec: TreeSpec, protocol: int | None = None) -> str:
    """A structure as JSON, in torch's format.

    Contexts must be JSON, or their class registered with functions that make them so."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(
            f"treespec_dumps(treespec, protocol): Expected `treespec` to be instance of TreeSpec but got item of type {type(treespec)}."
        )
    if protocol not in (None, _PROTOCOL):
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_PROTOCOL}]")
    return json.dumps([_PROTOCOL, _dumped(treespec._structure)])


def _dumped(s: Structure) -> dict[str, Any]:
    if s.type is None:
        return {"type": None, "context": None, "children_spec": []}
    children = [_dumped(c) for c in s.children]
    node = NODES.get(s.type)
    if s.type in _TEXT_NAMES:
        return {"type": _TEXT_NAMES[s.type], "context": json.dumps(s.context), "children_spec": children}
    if s.type is defaultdict:
        factory, keys = s.context
        module, name = (None, None) if factory is None else (factory.__module__, factory.__qualname__)
        context = {"default_factory_module": module, "default_factory_name": name, "dict_context": keys}
        return {"type": "collections.defaultdict", "context": json.dumps(context), "children_spec": children}
    if node is None or node.serialized is None:
        kind = "namedtuple class " if _is_plain_namedtuple(s.type) else ""
        raise NotImplementedError(
            f"Can't serialize TreeSpec of {kind}{s.type} because it has no serialized_type_name: register it with register_pytree_node."
        )
    if node.dump is not None:
        context = node.dump(s.context)
    else:
        try:
            context = json.dumps(s.context)
        except TypeError as error:
            raise TypeError(
                "Unable to serialize context. Please make the context json dump-able, or register a custom serializer using "
                "register_pytree_node."
            ) from error
    return {"type": node.serialized, "context": context, "children_spec": children}


def treespec_loads(serialized: str) -> TreeSpec:
    """The structure that treespec_dumps wrote."""
    protocol, schema = json.loads(serialized)
    if protocol != _PROTOCOL:
        raise ValueError(f"Unknown protocol {protocol}. Available protocols: [{_PROTOCOL}]")
    return spec_of(_loaded(schema))


def _loaded(schema: dict[str, Any]) -> Structure:
    name = schema["type"]
    if name is None:
        return LEAF
    children = tuple([_loaded(c) for c in schema["children_spec"]])
    for kind, known in _TEXT_NAMES.items():
        if name == known:
            return Structure(kind, json.loads(schema["context"]), children)
    if name == "collections.defaultdict":
        context = json.loads(schema["context"])
        if context["default_factory_module"] not in (None, "builtins", "collections"):
            raise NotImplementedError(
                f"treespec_loads: a defaultdict's factory of the module {context['default_factory_module']} is not imported"
            )
        homes = {"builtins": builtins, "collections": collections}
        home = homes.get(context["default_factory_module"])
        factory = None if home is None else getattr(home, context["default_factory_name"])
        return Structure(defaultdict, [factory, context["dict_context"]], children)
    for kind, node in NODES.items():
        if node.serialized == name:
            context = node.load(schema["context"]) if node.load is not None else json.loads(schema["context"])
            return Structure(kind, context, children)
    raise NotImplementedError(f"Can't deserialize TreeSpec of type {name!r}: it is not registered.")


def treespec_pprint(treespec: TreeSpec) -> str:
    """A structure as its tree is written, with * for leaves: "[*, {'a': *}]"."""
    return short(treespec._structure)
