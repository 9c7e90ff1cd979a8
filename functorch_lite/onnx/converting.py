"""From Graphs in ops of aten, recorded at several sizes, to a model of ONNX."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._core.api import Tensor
from .._ops import OpOverload
from ..export import ExportedProgram
from ..export.graph_signature import ConstantArgument, InputKind, OutputKind
from ..fx import Node
from ..fx.node import map_arg
from . import layers, pointwise, recurrent, reductions, shapes  # noqa: F401  (which register their rules)
from .builder import RULES, Builder, Value
from .errors import SymbolicValueError, UnsupportedOperatorError
from .sizes import Merging, Size

__all__ = ["converted"]

_NOTHING = ("is_grad_enabled", "set_grad_enabled")
"""Calls that compute nothing."""


def converted(
    programs: Sequence[ExportedProgram],
    merging: Merging,
    opset: int,
    input_names: Sequence[str] | None,
    output_names: Sequence[str] | None,
    table: dict[Any, Callable],
) -> Any:
    """The model. programs: one module, exported at the sizes of merging's points; table: functions that write ops,
    in the place of the rules."""
    return _Conversion(programs, merging, Builder(opset), table).model(input_names, output_names)


class _Conversion:
    def __init__(
        self, programs: Sequence[ExportedProgram], merging: Merging, b: Builder, table: dict[Any, Callable]
    ):
        self.programs, self.merging, self.b, self.table = programs, merging, b, table
        self.columns = [list(p.graph.nodes) for p in programs]
        self.firsts = [dict(zip(c, self.columns[0])) for c in self.columns]
        """Of each program, by Node: that of the first at its place."""
        self.values: dict[Node, Any] = {}
        self.inputs: list[Any] = []

    def model(self, input_names: Sequence[str] | None, output_names: Sequence[str] | None) -> Any:
        """The whole."""
        import onnx

        b, first = self.b, self.programs[0]
        names = iter(input_names or ())
        placeholders = first.graph.find_nodes(op="placeholder")
        specs = dict(zip(placeholders, first.graph_signature.input_specs, strict=True))
        for spec in (
            specs.values()
        ):  # the parameters have their names in the state dict, whatever the steps are called
            if spec.target is not None:
                b.fresh(str(spec.target))
        for rows in self._rows():
            node = rows[0]
            if node.op == "placeholder":
                self._placeholder(rows, specs[node], names)
            elif node.op == "output":
                outputs = self._outputs(rows, output_names)
            else:
                self._call(rows)
        if next(names, None) is not None:
            raise ValueError(
                f"torch.onnx.export: {len(list(input_names or ()))} input_names for {len(self.inputs)} inputs"
            )
        nodes, read = _needed(b.nodes, {o.name for o in outputs})
        held = [x for n, x in b.initializers.items() if n in read]
        graph = onnx.helper.make_graph(nodes, "main_graph", self.inputs, outputs, held)
        opsets = [onnx.helper.make_opsetid("", b.opset)]
        made = onnx.helper.make_model(
            graph, opset_imports=opsets, producer_name="functorch_lite", ir_version=10
        )
        return made

    def _rows(self) -> Any:
        lengths = {len(c) for c in self.columns}
        for rows in zip(*self.columns):
            if len({(n.op, str(n.target)) for n in rows}) > 1:
                raise SymbolicValueError(
                    f"torch.onnx.export: what the module does depends on its open sizes {self.merging.names}: at the "
                    f"sizes "
                    f"{', '.join(map(repr, self.merging.points))} it calls "
                    f"{', '.join(str(n.target) for n in rows)}{_line(rows[0])}"
                )
            yield rows
        assert len(lengths) == 1, lengths

    # -- inputs and outputs

    def _placeholder(self, rows: Sequence[Node], spec: Any, names: Any) -> None:
        b, node = self.b, rows[0]
        if spec.kind is InputKind.USER_INPUT:
            if isinstance(spec.arg, ConstantArgument):
                return
            shape = self._shapes(rows)[0]
            value = Value(b.fresh(next(names, node.name)), node.meta["val"].dtype, shape)
            dims = [_dim(n) for n in shape]
            self.inputs.append(b._onnx.helper.make_tensor_value_info(value.name, b.code(value.dtype), dims))
            for d, n in enumerate(shape):
                if isinstance(n, Size) and (symbol := n.symbol) is not None:
                    b.open.setdefault(symbol, (value, d))
            self.values[rows[0]] = value
            return
        if not node.users:
            return
        tensors = [p._value(str(spec.target)) for p in self.programs]
        arrays = [_array(t) for t in tensors]
        if any(
            t is not tensors[0]
            and not (
                a.shape == arrays[0].shape and np.array_equal(a, arrays[0], equal_nan=a.dtype.kind == "f")
            )
            for t, a in zip(tensors, arrays)
        ):
            raise SymbolicValueError(
                f"torch.onnx.export: a tensor that the module creates from Python numbers depends on its dynamic sizes {self.merging.names}{_line(next(iter(node.users)))}"
            )
        self.values[rows[0]] = b.initializer(str(spec.target), arrays[0], tensors[0].dtype)

    def _outputs(self, rows: Sequence[Node], output_names: Sequence[str] | None) -> list[Any]:
        b, found, names = self.b, [], list(output_names or ())
        given = self._given(rows, [n.args[0] for n in rows])
        specs = self.programs[0].graph_signature.output_specs
        wanted = [
            (v, n) for v, n, s in zip(given, rows[0].args[0], specs) if s.kind is OutputKind.USER_OUTPUT
        ]  # type: ignore[arg-type]
        for i, (value, node) in enumerate(wanted):
            if not isinstance(value, Value):
                if value is None:
                    continue
                raise UnsupportedOperatorError(
                    f"torch.onnx.export: every result must be a tensor, but got {value!r}"
                )
            name = b.fresh(
                names[i] if i < len(names) else value.name if node.op == "placeholder" else _clean(node.name)
            )
            b.nodes.append(b._onnx.helper.make_node("Identity", [value.name], [name], name=f"node_{name}"))
            found.append(
                b._onnx.helper.make_tensor_value_info(
                    name, b.code(value.dtype), [_dim(n) for n in value.shape or ()]
                )
            )
        if len(names) > len(found):
            raise ValueError(f"torch.onnx.export: {len(names)} output_names for {len(found)} results")
        return found

    # -- steps

    def _shapes(self, rows: Sequence[Node]) -> list[tuple[Any, ...]]:
        vals: list[Any] = [n.meta.get("val") for n in rows]
        if isinstance(vals[0], Tensor):
            vals = [(v,) for v in vals]
        columns = zip(*[[tuple(t.shape) for t in v] for v in vals])
        return [self.merging(c, lambda: f"the shape of {rows[0].target}{_line(rows[0])}") for c in columns]

    def _given(self, rows: Sequence[Node], all_given: Sequence[Any]) -> Any:
        """Arguments, merged: of Nodes their Values, of sizes that differ Sizes."""
        refs = [map_arg(given, at.__getitem__) for given, at in zip(all_given, self.firsts)]
        merged = (
            self.merging(refs, lambda: f"an argument of {rows[0].target}{_line(rows[0])}")
            if len(refs) > 1
            else refs[0]
        )
        return map_arg(merged, self.values.get)

    def _call(self, rows: Sequence[Node]) -> None:
        b, node = self.b, rows[0]
        args = self._given(rows, [n.args for n in rows])
        if node.target is operator.getitem:
            self.values[rows[0]] = args[0][args[1]]
            return
        name = op_name(node)
        if name in _NOTHING:
            return
        kwargs = self._given(rows, [n.kwargs for n in rows])
        val = node.meta.get("val")
        vals = [val] if isinstance(val, Tensor) else list(val or ())
        b.dtypes, b.shapes, b.op, b.name = (
            [v.dtype for v in vals],
            self._shapes(rows),
            name,
            _clean(node.name),
        )
        write = self.table.get(node.target) or RULES.get(name)
        if write is None:
            raise UnsupportedOperatorError(
                f"torch.onnx.export: no counterpart of {_shown(node)} in ONNX is known here{_line(node)}"
            )
        static = node.target.static if hasattr(node.target, "static") else None
        try:
            if static is not None:
                kwargs = {**kwargs, "static": static}
            found = write(b, *args, **kwargs)
        except UnsupportedOperatorError as refused:
            raise UnsupportedOperatorError(
                f"torch.onnx.export: {_shown(node)} is not written as ONNX here: {refused}{_line(node)}"
            ) from None
        except (TypeError, KeyError, AssertionError, NotImplementedError) as wrong:
            raise UnsupportedOperatorError(
                f"torch.onnx.export: {_shown(node)} is not written as ONNX here with these arguments "
                f"({type(wrong).__name__}: {wrong}){_line(node)}"
            ) from wrong
        if isinstance(val, Tensor):
            found = found[0] if isinstance(found, list | tuple) and not isinstance(found, Value) else found
            self.values[rows[0]] = Value(found.name, vals[0].dtype, b.shapes[0])
        else:
            names = [f.name for f in found] + ["unwritten"] * (
                len(vals) - len(found)
            )  # which the checker refuses if it is read
            self.values[rows[0]] = [Value(n, v.dtype, s) for n, v, s in zip(names, vals, b.shapes)]


def _needed(nodes: Sequence[Any], read: set[str]) -> tuple[list[Any], set[str]]:
    """The nodes whose results are read, and everything that they read."""
    kept = []
    for node in reversed(nodes):
        if read.intersection(node.output):
            kept.append(node)
            read.update(node.input)
    return kept[::-1], read


def op_name(node: Node) -> str:
    """The op's name without its namespace and overload."""
    target = node.target
    if isinstance(target, OpOverload):
        return target.overloadpacket.__name__
    op = getattr(target, "op", None)
    name = getattr(op, "name", None) or (
        target if isinstance(target, str) else getattr(target, "__name__", str(target))
    )
    return str(name).rpartition(".")[2]


def _shown(node: Node) -> str:
    return str(node.target) if isinstance(node.target, OpOverload | str) else f"{op_name(node)!r}"


def _line(node: Node) -> str:
    trace = node.meta.get("stack_trace")
    return f"\n{trace}" if trace else ""


def _clean(name: str) -> str:
    return re.sub(r"\W", "_", name)


def _dim(n: Any) -> Any:
    return n if isinstance(n, int) else (n.symbol or str(n).replace(" ", ""))


def _array(t: Tensor) -> np.ndarray:
    return np.asarray(t.detach()._cell.value.array if t.dtype.np.name == "bfloat16" else t.detach().numpy())
