"""A Graph as plain data: what is pickled of it.
Functions of the library are named, not referred to; nothing is executed when one is read, and a name gives a public
function of the library, an operator, or one of the builtins below."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

from .._core.api import overrides as _overrides
from .._ops import OpOverload
from ..utils._pytree import treespec_dumps, treespec_loads
from ._code import CodeGen, PyTreeCodeGen, PyTreeInfo
from .graph import Graph
from .node import Node, _get_qualified_name, _type_repr, resolved

__all__ = ["found", "named", "rebuilt", "recorded"]

_BUILTINS = ("abs", "all", "any", "bool", "complex", "dict", "float", "getattr", "int", "len", "list", "max", "min", "range", "round", "slice", "str", "sum", "tuple")  # fmt: skip


def _is_plain(cls: type | None) -> bool:
    return cls is None or (cls.__module__, cls.__qualname__) == (
        "functorch_lite.fx._symbolic_trace",
        "Tracer",
    )


def recorded(graph: Graph) -> dict[str, Any]:
    """The Graph as data. `Node.meta` is not in it."""
    rows = [
        (n.op, n.name, named(n.target), _written(n.args), _written(n.kwargs), named(n.type))
        for n in graph.nodes
    ]
    codegen = graph._codegen
    how: Any = codegen
    if type(codegen) is CodeGen and codegen._body_transformer is None:
        how = None
    elif type(codegen) is PyTreeCodeGen and codegen._body_transformer is None:
        info = codegen.pytree_info
        out = None if info.out_spec is None else treespec_dumps(info.out_spec)
        how = ["pytree", list(info.orig_args), treespec_dumps(info.in_spec), out]
    tracer = (
        None
        if _is_plain(graph._tracer_cls) or "<locals>" in graph._tracer_cls.__qualname__
        else graph._tracer_cls
    )  # type: ignore[union-attr]
    return {"nodes": rows, "codegen": how, "tracer": tracer}


def rebuilt(record: dict[str, Any]) -> Graph:
    """The Graph of a record."""
    graph = Graph(tracer_cls=record["tracer"])
    made: dict[str, Node] = {}
    for op, name, target, args, kwargs, kind in record["nodes"]:
        made[name] = graph.create_node(op, found(target), _read(args, made), dict(_read(kwargs, made)), name, found(kind))  # fmt: skip
    how = record["codegen"]
    if isinstance(how, list):
        _, names, in_spec, out_spec = how
        out = None if out_spec is None else treespec_loads(out_spec)
        graph._codegen = PyTreeCodeGen(PyTreeInfo(names, treespec_loads(in_spec), out))
    elif how is not None:
        graph._codegen = how
    return graph


def _reduced(graph: Graph) -> tuple:
    return rebuilt, (recorded(graph),)


Graph.__reduce__ = _reduced  # type: ignore[method-assign]


# -- functions and types ---------------------------------------------------------------------------------------------


def named(x: Any) -> Any:
    """A function or class of the library, an operator or a builtin by its name; anything else as it is."""
    if x is None or isinstance(x, str):
        return x
    name = getattr(x, "__name__", "")
    if isinstance(x, type) and resolved(_type_repr(x)) is x:
        return ["name", _type_repr(x)]
    if getattr(x, "__module__", "") == "_operator" and getattr(operator, name, None) is x:
        return ["name", f"operator.{name}"]
    if name in _BUILTINS and getattr(builtins, name) is x:
        return ["name", f"builtins.{name}"]
    if _is_of_aten(x):
        return ["name", _get_qualified_name(x)]
    if _overrides.name_of(x) is not None and resolved(_get_qualified_name(x)) is x:
        return ["name", _get_qualified_name(x)]
    return x


def _is_of_aten(x: Any) -> bool:
    """Returns whether it is an op of aten, and none that reads a file."""
    return isinstance(x, OpOverload) and x.namespace == "aten" and x.overloadpacket.__name__ != "from_file"


def found(x: Any) -> Any:
    """Reads back what `named` wrote. Raises AttributeError for a name that it does not write."""
    if not isinstance(x, list):
        return x
    space, _, name = x[1].partition(".")
    known: Any = None
    if space == "operator":
        known = getattr(operator, name, None)
    elif space == "builtins" and name in _BUILTINS:
        known = getattr(builtins, name)
    elif x[1].startswith("torch.ops.aten."):
        known = resolved(x[1])
        known = known if _is_of_aten(known) else None
    elif (
        space == "torch"
        and not any(part.startswith("_") for part in name.split(".")[:-1])
        and "__" not in name
    ):
        known = resolved(x[1])
        private = name.rpartition(".")[2].startswith(
            "_"
        )  # such as torch._assert, a function of tensors like others
        if _overrides.name_of(known) is None and (private or not isinstance(known, type)):
            known = None
    if known is None:
        raise AttributeError(f"the Graph that is read calls {x[1]}, which is not known here")
    return known


# -- arguments -------------------------------------------------------------------------------------------------------


def _written(a: Any) -> Any:
    if isinstance(a, Node):
        return ("node", a.name)
    if isinstance(a, tuple) and hasattr(a, "_fields"):
        return ("named", type(a), [_written(x) for x in a])
    if isinstance(a, tuple | list):
        return ("tuple" if isinstance(a, tuple) else "list", [_written(x) for x in a])
    if isinstance(a, dict):
        return ("dict", [(k, _written(v)) for k, v in a.items()])
    if isinstance(a, slice):
        return ("slice", [_written(x) for x in (a.start, a.stop, a.step)])
    if a is ...:
        return ("...",)
    if isinstance(a, Callable):  # type: ignore[arg-type]
        return ("target", named(a))
    return ("value", a)


def _read(a: tuple, made: dict[str, Node]) -> Any:
    kind, *rest = a
    if kind == "node":
        return made[rest[0]]
    if kind == "named":
        return rest[0](*[_read(x, made) for x in rest[1]])
    if kind == "dict":
        return {k: _read(v, made) for k, v in rest[0]}
    if kind in ("tuple", "list", "slice"):
        parts = [_read(x, made) for x in rest[0]]
        return parts if kind == "list" else tuple(parts) if kind == "tuple" else slice(*parts)
    if kind == "...":
        return ...
    return found(rest[0]) if kind == "target" else rest[0]
