"""save and load: an ExportedProgram as data.
The Graph's functions are ops of the library's, by name; nothing else of a file is ever called."""

from __future__ import annotations

import operator
import os
from typing import Any

from .._core.api import Tensor, aval, lookup
from ..autograd.grad_mode import is_grad_enabled, set_grad_enabled
from ..compiler.graphs.calls import OpCall, is_of_aten, op_call, op_called, op_named, op_with
from ..compiler.graphs.view import example
from ..fx import GraphModule, Node
from ..fx._record import rebuilt, recorded
from ..random.generator import key_tensor
from ..serialization import load as load_data
from ..serialization import save as save_data
from ..utils import _pytree as pytree
from .exported_program import ExportedProgram, Open
from .graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)
from .shown import open_example
from .sym_int import OFF, SymInt

__all__ = ["load", "program_of", "save"]

_FORMAT = "functorch_lite exported program 1"


def save(
    ep: ExportedProgram,
    f: Any,
    *,
    extra_files: dict[str, Any] | None = None,
    opset_version: dict[str, int] | None = None,
    pickle_protocol: int = 2,
) -> None:
    """Writes an exported program to a file, by its name or open for bytes: the Graph, its signature, the state dict,
    constants. It is read without the module's source.

    extra_files: further texts or bytes, by name. Raises NotImplementedError for a step that no other process knows by
    name: a transform of torch.func, a loop, a branch.
    """
    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
    for n in ep.graph.nodes:
        _check(n)
    record = recorded(ep.graph)
    rows = [
        [op, name, _target(target), args, kwargs] for op, name, target, args, kwargs, _ in record["nodes"]
    ]
    vals = {n.name: _val(n.meta["val"]) for n in ep.graph.nodes if "val" in n.meta}
    signature = ep.graph_signature
    data = {
        "format": _FORMAT,
        "nodes": rows,
        "values": vals,
        "inputs": [[s.kind.name, _argument(s.arg), s.target, s.persistent] for s in signature.input_specs],
        "outputs": [[s.kind.name, _argument(s.arg), s.target] for s in signature.output_specs],
        "names": list(ep._names),
        "in_spec": pytree.treespec_dumps(ep._in_spec),
        "out_spec": pytree.treespec_dumps(ep._out_spec),
        "state": dict(ep.state_dict),
        "constants": dict(ep.constants),
        "extra": dict(extra_files or {}),
        "open": None
        if ep.open is None
        else [list(map(list, ep.open.symbols)), list(map(list, ep.open.places))],
    }
    save_data(data, os.fspath(f) if isinstance(f, os.PathLike) else f)


def _check(node: Node) -> None:
    """Raises for a node that does something else than apply an op of the library to what was computed before: no file
    makes it run other code."""
    target = node.target
    if node.op in ("placeholder", "output"):
        return
    if isinstance(target, OpCall):
        known = op_named(getattr(target.op, "name", "")) is target.op
    else:
        known = (
            target in _FUNCTIONS
            or is_of_aten(target)
            or (target is op_with and op_named(node.args[0]) is not None)
        )
        known = known or (node.op != "get_attr" and op_called(node.op, target) is not None)
    if not known:
        raise NotImplementedError(
            f"torch.export: {node.op} of {getattr(target, '__name__', target)!r} cannot be saved, because files contain only ops with a public name and no transforms of torch.func, loops, branches or functions of your own; export the module without them"
        )


_FUNCTIONS = (
    key_tensor, is_grad_enabled, set_grad_enabled, operator.getitem, operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.neg, operator.pow,
    *[lookup("torch", name) for name in ("sym_float", "sym_max", "sym_min")],
)  # fmt: skip
"""What a Graph calls that is no op: keys, the grad mode, and what sizes are computed with."""
_TAGGED = {"key": key_tensor, "grad mode": is_grad_enabled}


def _target(target: Any) -> Any:
    if target is op_with:
        return ["op with"]
    if isinstance(target, OpCall):
        return ["op", target.op.name, target.static]
    return next(([tag] for tag, fn in _TAGGED.items() if target is fn), target)


def _val(val: Any) -> Any:
    if isinstance(val, tuple):
        return [_val(v) for v in val]
    if isinstance(val, int) and hasattr(val, "expr"):
        return ["number", _size(val)]
    return ["tensor", list(map(_size, val.shape)), val.dtype] if isinstance(val, Tensor) else ["number", val]


def _size(n: Any) -> Any:
    """A size; of an open one its value in the example, and its text."""
    return [int.__add__(n, 0), str(n.expr)] if hasattr(n, "expr") else n


def _argument(arg: Any) -> list[Any]:
    return [arg.name, arg.value] if isinstance(arg, ConstantArgument) else [arg.name]


def load(
    f: Any, *, extra_files: dict[str, Any] | None = None, expected_opset_version: dict[str, int] | None = None
) -> ExportedProgram:
    """The exported program of a file that `save` wrote, by its name or open for bytes.

    Only data is read: tensors, numbers, names.

    extra_files: a dict whose values are replaced by the texts with these names in the file. Raises
    NotImplementedError for a step that is not an op of the library.
    """
    data = load_data(os.fspath(f) if isinstance(f, os.PathLike) else f, weights_only=True)
    return program_of(data, extra_files)


def program_of(data: Any, extra_files: dict[str, Any] | None = None) -> ExportedProgram:
    """The exported program of what a file holds: see `load`."""
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise RuntimeError(
            "torch.export.load: expected a program exported by functorch_lite, but the file contains something else"
        )
    nodes = [
        (op, name, _called(target), args, kwargs, None) for op, name, target, args, kwargs in data["nodes"]
    ]
    graph = rebuilt({"nodes": nodes, "codegen": None, "tracer": None})
    opened = None if data.get("open") is None else Open(*data["open"])
    for n in graph.nodes:
        _check(n)
        if n.name in data["values"]:
            n.meta["val"] = _like(data["values"][n.name], opened)
    signature = ExportGraphSignature(
        [
            InputSpec(InputKind[kind], _argument_of(arg), target, persistent)
            for kind, arg, target, persistent in data["inputs"]
        ],
        [OutputSpec(OutputKind[kind], _argument_of(arg), target) for kind, arg, target in data["outputs"]],
    )
    for name in extra_files or ():
        if name in data["extra"]:
            extra_files[name] = data["extra"][name]  # type: ignore[index]
    made = ExportedProgram(
        GraphModule({}, graph), signature, data["state"], data["constants"], pytree.treespec_loads(data["in_spec"]),
        pytree.treespec_loads(data["out_spec"]), data["names"],
    )  # fmt: skip
    if opened is not None:
        made._set_open(opened.symbols, opened.places)
    return made


def _called(target: Any) -> Any:
    if isinstance(target, list | tuple) and target[0] == "op":
        return op_call(op_named(target[1]), target[2])
    if isinstance(target, list | tuple) and target[0] == "op with":
        return op_with
    if isinstance(target, list | tuple) and target[0] in _TAGGED:
        return _TAGGED[target[0]]
    return list(target) if isinstance(target, tuple) else target


def _like(val: Any, opened: Open | None) -> Any:
    if val and val[0] == "tensor":
        sizes = [_size_of(n, opened) for n in val[1]]
        like = example(aval(tuple(map(_number, sizes)), val[2]))
        return like if opened is None else open_example(like, tuple(sizes))
    return _size_of(val[1], opened) if val and val[0] == "number" else tuple([_like(v, opened) for v in val])


def _size_of(n: Any, opened: Open | None) -> Any:
    return SymInt(n[0], opened.expr(n[1]), OFF) if opened is not None and isinstance(n, list | tuple) else n


def _number(n: Any) -> Any:
    return int.__add__(n, 0)


def _argument_of(arg: list[Any]) -> Any:
    return ConstantArgument(*arg) if len(arg) == 2 else TensorArgument(arg[0])
