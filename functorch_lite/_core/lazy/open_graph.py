"""Graphs with open sizes: of a function that was recorded at several sets of sizes, the steps at symbolic ones.

The recordings have to be one program: the same ops of the same inputs, in the same order. What differs among them are
sizes and numbers that follow from sizes; each is told in terms of the symbols (`rows.py`), and each op is traced once
at symbolic sizes, which gives the sizes of its results exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, InconclusiveDimensionOperation, jaxpr_as_fun

from ..declare.op import Op
from .applied import Applied, tracing
from .bounds import hushed
from .cutting import cut
from .graph import Graph, annotate
from .rows import Power, Rows, value_of
from .sized import COMPARISON, OPPOSITE, constraint, open_sizes, put_together, taken_apart
from .trie import TrieNode
from .value import Aval

__all__ = ["NotOneGraph", "OpenGraph", "OpenStep", "difference"]

MOST_DECIDED = 12
"""Comparisons up to which an op is traced anew."""


class NotOneGraph(RuntimeError):
    """Recordings are not one program with open sizes. source: the line that says so; what: in words."""

    def __init__(self, what: str, source: Any = None):
        super().__init__(what if source is None else f'{what}\n  File "{source[0]}", line {source[1]}')
        self.what, self.source = what, source


class OpenStep:
    """A step with open sizes.

    static  static arguments in terms of the symbols
    numbers by place among the op's inputs, numbers that follow from sizes
    shapes  of the results
    closed  what it computes at symbolic sizes; where JAX does not say, None, and `why`
    """

    __slots__ = ("closed", "node", "numbers", "shapes", "static", "why")

    def __init__(self, node: TrieNode, static: Any, numbers: dict[int, Any]):
        self.node, self.static, self.numbers = node, static, numbers
        self.shapes: list[tuple] = []
        self.closed: ClosedJaxpr | None = None
        self.why: Exception | None = None


def difference(a: Graph, b: Graph) -> NotOneGraph | None:
    """Where two recordings are not of one program; None if they are."""
    for x, y in zip(a.steps, b.steps):
        if _kind(x) != _kind(y):
            return NotOneGraph(f"{_name(x)} here, {_name(y)} at other sizes", x.source or y.source)
        if x.refs != y.refs or x.base != y.base or x.stop != y.stop:
            return NotOneGraph(f"{_name(x)} of other values at other sizes", x.source)
    if len(a.steps) != len(b.steps):
        longer = max(a, b, key=lambda g: len(g.steps))
        more = longer.steps[min(len(a.steps), len(b.steps))]
        return NotOneGraph(f"{len(a.steps)} steps here, {len(b.steps)} at other sizes", more.source)
    if a.outputs != b.outputs or len(a.in_avals) != len(b.in_avals):
        return NotOneGraph("other results, or other tensors that are read, at other sizes")
    return None


def _kind(node: TrieNode) -> tuple:
    inputs = tuple([_input(i) for i in node.applied.inputs])
    return _op(node.op), taken_apart(node.static, []), inputs, node.n_out


def _op(op: Any) -> Any:
    return op if isinstance(op, Op) else (type(op), op.name, getattr(op, "key", ()))


def _input(i: Any) -> Any:
    if type(i) is Aval:
        return len(i.shape), i.dtype, i.weak
    return i if i is None else i[0]


def _name(node: TrieNode) -> str:
    return getattr(node.op, "name", str(node.op))


class OpenGraph:
    """Recordings as one Graph with open sizes. in_shapes: of the inputs, in terms of the symbols. bounds: of the
    symbols, as JAX's scopes of symbols take them. Raises NotOneGraph."""

    def __init__(
        self, graphs: Sequence[Graph], rows: Rows, in_shapes: Sequence[tuple], bounds: Sequence[str]
    ):
        self.bounds = list(bounds)
        self.rows, self.in_shapes = rows, list(in_shapes)
        self.outputs, self.in_avals, self.n_inputs = graphs[0].outputs, graphs[0].in_avals, graphs[0].n_inputs
        for other in graphs[1:]:
            if (found := difference(graphs[0], other)) is not None:
                raise found
        self.shapes: dict[int, tuple] = {-1 - i: s for i, s in enumerate(in_shapes)}
        self.dtypes: dict[int, Aval] = {-1 - i: a for i, a in enumerate(self.in_avals)}
        self._traced: dict[Any, Any] = {}
        self.steps = [self._step(steps) for steps in zip(*[g.steps for g in graphs])]

    def _step(self, nodes: Sequence[TrieNode]) -> OpenStep:
        first = nodes[0]
        structure = taken_apart(first.static, [])
        ints = [self._ints(n.static) for n in nodes]
        told = [self._told(row, first) for row in zip(*ints)]
        static = put_together(structure, iter(told)) if first.static is not None else None
        step = OpenStep(first, static, self._numbers(nodes))
        self._trace(step, all(n.applied is first.applied for n in nodes))
        traced = step.closed is not None
        shapes = [tuple(a.shape) for a in step.closed.out_avals] if traced else self._shapes_as_here(step)  # type: ignore[union-attr]
        for o in range(first.n_out):
            row = list(zip(*[n.avals[o].shape for n in nodes]))
            shape: tuple | None = shapes[o] if shapes else None
            if (
                shape is not None and [self.rows.row(s) for s in shape] != row
            ):  # as where JAX takes symbols for unequal that are equal
                if traced:
                    step.closed, step.why, traced = None, NotOneGraph("JAX tells other sizes"), False
                shape = None
            if shape is None:
                shape = tuple([self._told(r, first, step.why) for r in row])
            for s in shape:
                self.rows.note(s)
            step.shapes.append(shape)
            self.shapes[first.base + o], self.dtypes[first.base + o] = shape, first.avals[o]
        return step

    def _ints(self, static: Any) -> list[int]:
        found: list[int] = []
        taken_apart(static, found)
        return found

    def _told(self, row: Sequence[int], node: TrieNode, why: Exception | None = None) -> Any:
        found = self.rows.find(row)
        if found is None:
            sets = ", ".join(map(str, row))
            more = "" if why is None else f"; JAX says: {_first_line(why)}"
            raise NotOneGraph(
                f"{_name(node)} has a number that no size tells: {sets}{more}", node.source
            ) from why
        return found

    def _numbers(self, nodes: Sequence[TrieNode]) -> dict[int, Any]:
        found: dict[int, Any] = {}
        for k, specs in enumerate(zip(*[n.applied.inputs for n in nodes])):
            if type(specs[0]) is Aval or specs[0] is None:
                continue
            values = [kind(x) for kind, x in specs]
            if all(v == values[0] or v != v for v in values):
                continue
            told = None
            if specs[0][0] is int:
                told = self.rows.find(values)
            elif specs[0][0] is float:
                told = self.rows.find_float(values)
            if told is None:
                raise NotOneGraph(f"{_name(nodes[0])} has a number that no size tells: {values}", nodes[0].source)  # fmt: skip
            found[k] = told
        return found

    def _shapes_as_here(self, step: OpenStep) -> list[tuple] | None:
        """The shapes of a step's results, where what JAX cannot decide of sizes is as in the first recording.

        (Ops choose the faster of two ways by sizes.)"""
        bounds = list(self.bounds)
        undecided = step.why
        for _ in range(MOST_DECIDED):
            if not isinstance(undecided, InconclusiveDimensionOperation):
                return None
            said = COMPARISON.search(str(undecided))
            if said is None:
                return None
            a, which, b = said.groups()
            if not value_of(f"({a} {which} {b})", self.rows.names, self.rows.sets[0]):
                which = OPPOSITE[which]
            text = constraint(f"{a} {which} {b}")
            if text in bounds:
                return None
            bounds.append(text)
            scope = jax.export.SymbolicScope(bounds)
            now = partial(_in_scope, scope)
            try:
                found = self._traced_of(step, now)
            except RecursionError:
                raise
            except Exception as error:  # of whatever kind, as below
                undecided = error
                continue
            mine = self.rows.symbols[0].scope
            back = partial(_in_scope, mine)
            return [tuple(map(back, a.shape)) for a in found.out_avals]
        return None

    def _traced_of(self, step: OpenStep, now: Callable[[Any], Any]) -> ClosedJaxpr:
        """A step, traced with what `now` makes of its sizes."""
        applied: Applied = step.node.applied.lifted() if step.numbers else step.node.applied
        refs = iter(step.node.refs)
        structs = []
        for i, given in zip(applied.inputs, step.node.applied.inputs):
            if type(i) is Aval:
                shape = self.shapes[next(refs)] if type(given) is Aval else ()
                structs.append(jax.ShapeDtypeStruct(tuple(map(now, shape)), i.dtype.np, weak_type=i.weak))
        static = _mapped(step.static, now)
        key = (
            step.node.op,
            static,
            tuple([(s.shape, s.dtype, s.weak_type) for s in structs]),
            applied.inputs,
            applied.device,
        )
        found = self._traced.get(key)
        if found is None:
            try:
                with open_sizes():
                    found = applied.traced_of(static, structs)
            except RecursionError:
                raise
            except Exception as error:  # of whatever kind: the step has no form for all sizes
                found = error
            self._traced[key] = found
        if isinstance(found, Exception):
            raise found
        return found

    def _trace(self, step: OpenStep, is_fixed: bool) -> None:
        """Traces a step at symbolic sizes."""
        node = step.node
        op = node.op
        is_fixed = is_fixed and all(self.shapes[r] == self.dtypes[r].shape for r in node.refs)
        if not isinstance(op, Op) and not op.is_sizeless and getattr(op.fn, "__closure__", op) is not None:
            step.why = NotOneGraph(f"{_name(node)} was made of other ops, at sizes")
            if is_fixed:
                step.closed = node.applied.jaxpr
            return
        try:
            step.closed = self._traced_of(step, lambda size: size)
        except RecursionError:
            raise
        except Exception as error:
            step.why = error

    # -- other recordings, and what is computed ------------------------------------------------------------------------

    def at(self, expr: Any, values: Sequence[int]) -> int:
        """The number of a size at values of the symbols."""
        return value_of(expr, self.rows.names, values)

    def disagrees(self, graph: Graph, like: Graph, values: Sequence[int]) -> NotOneGraph | None:
        """Where a recording at other values of the symbols is not this Graph; None if it is. like: a recording that it
        was made of."""
        if (found := difference(like, graph)) is not None:
            return found
        for step, node in zip(self.steps, graph.steps):
            now = [self.at(x, values) for x in self._ints_of(step.static)]
            if now != self._ints(node.static):
                return NotOneGraph(f"{_name(node)} has {self._ints(node.static)}, not {now}", node.source)
            for k, told in step.numbers.items():
                kind, x = node.applied.inputs[k]
                n = told.at(self.at(told.size, values)) if isinstance(told, Power) else self.at(told, values)
                if abs(n - kind(x)) > 1e-12 * abs(n):
                    return NotOneGraph(f"{_name(node)} has {kind(x)}, not {n}", node.source)
            for k, spec in enumerate(node.applied.inputs):
                if k not in step.numbers and spec != step.node.applied.inputs[k] and type(spec) is tuple:
                    return NotOneGraph(f"{_name(node)} has {spec[1]}, not {step.node.applied.inputs[k][1]}", node.source)  # fmt: skip
            for shape, aval in zip(step.shapes, node.avals):
                if tuple([self.at(s, values) for s in shape]) != tuple(aval.shape):
                    return NotOneGraph(f"{_name(node)} gives {tuple(aval.shape)}", node.source)
        return None

    def _ints_of(self, static: Any) -> list[Any]:
        if type(static) is tuple:
            return [x for s in static for x in self._ints_of(s)]
        return [static] if type(static) is int or jax.export.is_symbolic_dim(static) else []

    def __call__(self, *inputs: Any) -> list[Any]:
        """The results, of jax arrays or tracers of symbolic sizes.

        Raises NotOneGraph for a step that has no form for all sizes."""
        slots: dict[int, Any] = {-1 - i: x for i, x in enumerate(inputs)}
        for step in self.steps:
            if step.closed is None:
                raise NotOneGraph(f"{_name(step.node)} has no form for all sizes: {_first_line(step.why)}", step.node.source) from step.why  # fmt: skip
            refs = iter(step.node.refs)
            args = []
            for k, i in enumerate(step.node.applied.inputs):
                if type(i) is Aval:
                    args.append(slots[next(refs)])
                elif step.numbers and i is not None:
                    args.append(_array(step.numbers[k] if k in step.numbers else i[0](i[1]), i[0]))
            try:
                with tracing(step.node.applied.device):
                    outs = jaxpr_as_fun(hushed(step.closed))(*args)
            except Exception as error:
                annotate(error, step.node)
                raise
            if step.node.stop:
                outs = [cut(o, step.node.stop) for o in outs]
            slots.update(zip(range(step.node.base, step.node.base + step.node.n_out), outs))
        return [slots[o] for o in self.outputs]


def _array(number: Any, kind: type) -> Any:
    """A number as an input of an op that takes any. (Whether its type is weak was looked at when the op was traced.)"""
    if isinstance(number, Power):
        number = number.factor * jnp.asarray(number.size, np.float64) ** number.power
    return jnp.asarray(number, _NUMBERS[kind])


_NUMBERS = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}


def _in_scope(scope: Any, size: Any) -> Any:
    """A size in terms of the symbols of another scope."""
    return jax.export.symbolic_shape(str(size), scope=scope)[0] if jax.export.is_symbolic_dim(size) else size


def _mapped(static: Any, now: Callable[[Any], Any]) -> Any:
    return tuple([_mapped(s, now) for s in static]) if type(static) is tuple else now(static)


def _first_line(error: Exception | None) -> str:
    if isinstance(error, InconclusiveDimensionOperation):
        return str(error).splitlines()[0]
    return (str(error).strip().splitlines() or [""])[0]
