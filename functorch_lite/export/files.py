"""save and load: an ExportedProgram as data. The Graph's functions are names of the library's; nothing of the file is executed."""

from __future__ import annotations

import os
from typing import Any

from .._core.api import OPS, Tensor, aval
from ..compiler.graphs.calls import OpCall, op_call
from ..compiler.graphs.view import example
from ..fx import GraphModule
from ..fx._record import rebuilt, recorded
from ..random.generator import key_tensor
from ..serialization import load as load_data
from ..serialization import save as save_data
from ..utils import _pytree as pytree
from .exported_program import ExportedProgram
from .graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)

__all__ = ["load", "save"]

_FORMAT = "functorch_lite exported program 1"


def save(
    ep: ExportedProgram,
    f: Any,
    *,
    extra_files: dict[str, Any] | None = None,
    opset_version: dict[str, int] | None = None,
    pickle_protocol: int = 2,
) -> None:
    """Writes an exported program to a file, by its name or open for bytes: the Graph, its signature, the state dict, constants. It is read without the
    module's source.

    extra_files: further texts or bytes, by name. Raises NotImplementedError for a step that no other process knows by name: a transform of torch.func, a
    loop, a branch.
    """
    if not isinstance(ep, ExportedProgram):
        raise TypeError(
            f"The 'ep' parameter must be an instance of 'ExportedProgram', got '{type(ep).__name__}' instead."
        )
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
    }
    save_data(data, os.fspath(f) if isinstance(f, os.PathLike) else f)


def _target(target: Any) -> Any:
    if isinstance(target, OpCall) and OPS.get(getattr(target.op, "name", "")) is target.op:
        return ["op", target.op.name, target.static]
    if target is key_tensor:
        return ["key"]
    if target is None or isinstance(target, str | list):
        return target
    raise NotImplementedError(
        f"torch.export.save: {getattr(target, '__name__', target)} has no name that another process knows: vmap, loops and branches "
        "are not kept in files. Export the module without them"
    )


def _val(val: Any) -> Any:
    if isinstance(val, tuple):
        return [_val(v) for v in val]
    return ["tensor", list(val.shape), val.dtype] if isinstance(val, Tensor) else ["number", val]


def _argument(arg: Any) -> list[Any]:
    return [arg.name, arg.value] if isinstance(arg, ConstantArgument) else [arg.name]


def load(
    f: Any, *, extra_files: dict[str, Any] | None = None, expected_opset_version: dict[str, int] | None = None
) -> ExportedProgram:
    """The exported program of a file that `save` wrote, by its name or open for bytes. Only data is read: tensors, numbers, names.

    extra_files: a dict whose values become those of these names in the file.
    """
    data = load_data(os.fspath(f) if isinstance(f, os.PathLike) else f, weights_only=True)
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise RuntimeError("torch.export.load: this file is no exported program of functorch_lite")
    nodes = [
        (op, name, _called(target), args, kwargs, None) for op, name, target, args, kwargs in data["nodes"]
    ]
    graph = rebuilt({"nodes": nodes, "codegen": None, "tracer": None})
    for n in graph.nodes:
        if n.name in data["values"]:
            n.meta["val"] = _like(data["values"][n.name])
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
    return ExportedProgram(
        GraphModule({}, graph), signature, data["state"], data["constants"], pytree.treespec_loads(data["in_spec"]),
        pytree.treespec_loads(data["out_spec"]), data["names"],
    )  # fmt: skip


def _called(target: Any) -> Any:
    if isinstance(target, list | tuple) and target[0] == "op":
        return op_call(OPS[target[1]], target[2])
    if isinstance(target, list | tuple) and target[0] == "key":
        return key_tensor
    return list(target) if isinstance(target, tuple) else target


def _like(val: Any) -> Any:
    if val and val[0] == "tensor":
        return example(aval(tuple(val[1]), val[2]))
    return val[1] if val and val[0] == "number" else tuple([_like(v) for v in val])


def _argument_of(arg: list[Any]) -> Any:
    return ConstantArgument(*arg) if len(arg) == 2 else TensorArgument(arg[0])
