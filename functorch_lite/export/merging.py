"""Programs of several sizes as one: ints that follow from open sizes become Nodes that compute them of the arguments'
sizes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from .. import _ops
from .._core.api import Power, Rows, Tensor, lookup, value_of
from ..compiler.errors import UserError, UserErrorType
from ..compiler.graphs.calls import OpCall, op_with
from ..fx import Graph, Node
from .exported_program import ExportedProgram
from .graph_signature import ConstantArgument, InputKind
from .open_sizes import OpenSizes, Place
from .shown import open_example
from .sym_int import OFF, SymInt

__all__ = ["merged"]


def merged(
    programs: Sequence[ExportedProgram], rows: Rows, sizes: OpenSizes, examples: tuple
) -> ExportedProgram:
    """The first of several programs that differ in sizes alone, with symbolic sizes. rows: the values of the numbers,
    in the order of the programs. Raises UserError."""
    return _Merging(programs, rows, sizes).program(examples)


class _Merging:
    def __init__(self, programs: Sequence[ExportedProgram], rows: Rows, sizes: OpenSizes):
        self.first, self.programs, self.rows, self.sizes = programs[0], programs, rows, sizes
        self.graph: Graph = self.first.graph
        self.nodes: dict[Any, Any] = {}
        self.of_user = [
            node
            for node, spec in zip(self.graph.find_nodes(op="placeholder"), self.first.graph_signature.input_specs)
            if spec.kind is InputKind.USER_INPUT and not isinstance(spec.arg, ConstantArgument)
        ]  # fmt: skip

    def program(self, examples: tuple) -> ExportedProgram:
        ep = self.first
        for name, first in ep.constants.items():
            for other in self.programs[1:]:
                if not _equal(first, other.constants.get(name)):
                    raise self._fixed(
                        f"a tensor created in forward ({name}) has different values at different sizes; pass it as an argument or compute it from the inputs"
                    )
        groups = list(zip(*[p.graph.nodes for p in self.programs]))
        if len({len(p.graph.nodes) for p in self.programs}) > 1:
            raise self._fixed("the Graphs have other steps at other sizes")
        self.start = next(g[0] for g in groups if g[0].op != "placeholder")
        for group in groups:
            self._node(group)
        self.graph.lint()
        ep.graph_module.recompile()
        ep.example_inputs = examples
        ep._set_open(
            [(s.name, s.least, s.max) for s in self.sizes.symbols],
            [self._place(p) for p in self.sizes.places],
        )
        return ep

    def _place(self, p: Place) -> tuple:
        return self.of_user[p.tensor].name, p.dim, p.symbol, p.factor, p.offset

    def _fixed(self, why: str, node: Node | None = None) -> UserError:
        names = ", ".join(s.described for s in self.sizes.symbols)
        line = "" if node is None or not node.stack_trace else f"\n    {node.stack_trace.strip()}"
        return UserError(
            UserErrorType.CONSTRAINT_VIOLATION, f"Constraints violated ({names})!\n  - {why}{line}"
        )

    def _node(self, group: Sequence[Node]) -> None:
        first = group[0]
        if any(n.op != first.op or not _same_target(n.target, first.target) for n in group):
            raise self._fixed(f"{first.name} is another step at other sizes", first)
        args = self._merge([n.args for n in group], first)
        kwargs = self._merge([n.kwargs for n in group], first)
        target = first.target
        if isinstance(target, OpCall):
            static = self._merge([n.target.static for n in group], first)
            if _has_node(static):
                first.target = op_with
                args = (target.op.name, static, *args)
        first.args, first.kwargs = args, kwargs
        if "val" in first.meta:
            first.meta["val"] = self._val([n.meta["val"] for n in group], first)

    def _val(self, vals: list[Any], node: Node) -> Any:
        first = vals[0]
        if isinstance(first, tuple | list):
            return tuple([self._val(list(each), node) for each in zip(*vals)])
        if not isinstance(first, Tensor):
            return first
        shape = [self._told(row, node) for row in zip(*[v.shape for v in vals])]
        return open_example(first, tuple([self._size(e) for e in shape]))

    def _size(self, expr: Any) -> int:
        n = value_of(expr, self.sizes.names, self.sizes.hints)
        return SymInt(n, expr, OFF) if jax.export.is_symbolic_dim(expr) else n

    def _told(self, row: Sequence[int], node: Node) -> Any:
        found = self.rows.find(row)
        if found is None:
            raise self._fixed(f"{node.name} has a number that no size tells: {list(row)}", node)
        return found

    def _merge(self, values: Sequence[Any], node: Node) -> Any:
        first = values[0]
        if isinstance(first, Node):
            if any(not isinstance(v, Node) or v.name != first.name for v in values):
                raise self._fixed(f"{node.name} is of other values at other sizes", node)
            return first
        if isinstance(first, tuple | list):
            if any(len(v) != len(first) for v in values):
                raise self._fixed(f"{node.name} has more arguments at other sizes", node)
            parts = [self._merge(each, node) for each in zip(*values)]
            return type(first)(parts) if not hasattr(first, "_fields") else type(first)(*parts)
        if isinstance(first, dict):
            return {k: self._merge([v[k] for v in values], node) for k in first}
        if isinstance(first, slice):
            return slice(
                *[self._merge([getattr(v, n) for v in values], node) for n in ("start", "stop", "step")]
            )
        if type(first) is int and any(v != first for v in values):
            return self.of(self._told(values, node))
        if type(first) is float and any(v != first and v == v for v in values):
            found = self.rows.find_float(values)
            if found is None:
                raise self._fixed(f"{node.name} has a number that no size tells: {list(values)}", node)
            return self._power(found) if isinstance(found, Power) else found
        if any(type(v) is not type(first) for v in values) or any(v != first and v == v for v in values):
            raise self._fixed(f"{node.name} has other arguments at other sizes", node)
        return first

    # -- Nodes that compute sizes

    def of(self, expr: Any) -> Any:
        """The Node of a size, or an int."""
        if not jax.export.is_symbolic_dim(expr):
            return int(expr)
        text = str(expr)
        found = self.nodes.get(text)
        if found is None:
            place = next((p for p in self.sizes.places if str(self.sizes.expr(p)) == text), None)
            found = (
                self._read(place)
                if place is not None
                else self._computed(ast.parse(text.replace("^", "**"), mode="eval").body)
            )
            self.nodes[text] = found
            if isinstance(found, Node):
                found.meta["val"] = self._size(expr)
        return found

    def _call(self, target: Any, *args: Any) -> Node:
        with self.graph.inserting_before(self.start):
            return self.graph.call_function(target, args)

    def _read(self, place: Place) -> Node:
        with self.graph.inserting_before(self.start):
            target = _ops.namespace("aten").sym_size.int
            return self.graph.call_function(
                target, (self.of_user[place.tensor], place.dim), name="sym_size_int"
            )

    def _symbol(self, k: int) -> Node:
        name = self.sizes.names[k]
        if name not in self.nodes:
            place = next(p for p in self.sizes.places if p.symbol == k)
            found: Any = self.of(self.sizes.expr(place))
            if place.offset:
                found = self._call(operator.sub, found, place.offset)
            self.nodes[name] = (
                self._call(operator.floordiv, found, place.factor) if place.factor != 1 else found
            )
            self.nodes[name].meta["val"] = self._size(self.sizes.exprs[k])
        return self.nodes[name]

    def _computed(self, tree: ast.expr) -> Any:
        if isinstance(tree, ast.Constant):
            return tree.value
        if isinstance(tree, ast.Name):
            return self._symbol(self.sizes.names.index(tree.id))
        if isinstance(tree, ast.UnaryOp):
            return self._call(operator.neg, self._computed(tree.operand))
        if isinstance(tree, ast.BinOp):
            left, right = self._computed(tree.left), self._computed(tree.right)
            return self._call(_OPERATORS[type(tree.op)], left, right)
        assert isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name)
        parts = [self._computed(a) for a in tree.args]
        if tree.func.id == "non_negative":
            return self._call(lookup("torch", "sym_max"), *parts, 0)
        return self._call(_FUNCTIONS[tree.func.id], *parts)

    def _power(self, found: Power) -> Any:
        node: Any = self._call(lookup("torch", "sym_float"), self.of(found.size))
        if found.power != 1:
            node = self._call(operator.pow, node, found.power)
        return node if found.factor == 1 else self._call(operator.mul, node, found.factor)


_OPERATORS: dict[type, Any] = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Pow: operator.pow}  # fmt: skip
_FUNCTIONS = {"floordiv": operator.floordiv, "mod": operator.mod, "max": lookup("torch", "sym_max"), "min": lookup("torch", "sym_min")}  # fmt: skip


def _same_target(a: Any, b: Any) -> bool:
    if isinstance(a, OpCall) and isinstance(b, OpCall):
        return a.op is b.op
    return a == b


def _has_node(x: Any) -> bool:
    return isinstance(x, Node) or (isinstance(x, tuple | list) and any(map(_has_node, x)))


def _equal(a: Tensor, b: Tensor | None) -> bool:
    if b is None or a.shape != b.shape or a.dtype is not b.dtype:
        return False
    return a is b or bool(np.array_equal(a.detach().cpu().float().numpy(), b.detach().cpu().float().numpy(), equal_nan=True))  # fmt: skip
