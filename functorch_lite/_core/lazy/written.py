"""Graphs as Python: what `to_python` writes, and what the lines of it call.
Executed, they make a Graph of the same steps.

Ops are named, and looked up by their names; derivatives and transforms are written as what they are of. What has no
name that another process would know (an op of the user's) is written too, and raises when it is read. Programs import
this module as `rt`; so do scripts of the minifier, which have their own words for steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..declare.op import OPS, UNSET, Op
from ..words import dtypes
from ..words.device import ANY, CPU, device
from ..words.memory_format import memory_format
from .applied import Formula, apply_once
from .apply import put_op
from .builder import Builder
from .cutting import DATA, DETACH, UNMOVED_DATA
from .gradients import ADD, ONES, ZEROS
from .graph import TRANSFORMS, Graph, writer
from .trie import SignedZero, hashed
from .value import Aval, aval

__all__ = ["CannotWrite", "begin", "derivative", "like", "of_op", "of_value", "op", "put", "transform"]


class CannotWrite(RuntimeError):
    """A Graph has something in it that no text can hold: what, in a sentence."""


LIBRARY = {"add": ADD, "detach": DETACH, "ones_like": ONES, "zeros_like": ZEROS}
"""Ops of the library that are none of the user's."""
_INNER = {**LIBRARY, "data": DATA, "unmoved_data": UNMOVED_DATA}


# -- writing


def of_op(op: Any, static: Any, inner: Mapping[Graph, str] | None = None) -> str:
    """An op with its static arguments, as an expression. inner: names of Graphs that ops are made of.

    Raises CannotWrite."""
    if isinstance(op, Op):
        if OPS.get(op.name) is not op:
            raise CannotWrite(f"the op {op.name} is none of the library's")
        return f"rt.op({', '.join([repr(op.name), *[of_value(s) for s in static or ()]])})"
    name = next((n for n, x in LIBRARY.items() if x is op), None)
    if name is not None:
        return f"rt.library({name!r})"
    made = getattr(op, "made_of", None) or ()
    if isinstance(op, Formula) and len(made) == 3:
        applied, mask, cts = made
        inputs = ", ".join([_spec(x) for x in applied.inputs])
        return f"rt.derivative({of_op(applied.op, applied.static, inner)}, [{inputs}], {mask}, {cts})"
    if inner and _graphs(op):
        return f"rt.transform({', '.join([of_value(op.key), *[inner[g] for g in _graphs(op)]])})"
    if len(made) == 1 and isinstance(made[0], Op):
        return f"rt.put({', '.join([repr(made[0].name), *[of_value(s) for s in static or ()]])})"
    raise CannotWrite(
        f"the op {getattr(op, 'name', op)} is made anew in each process, of a function of yours or by an optimizer"
    )


def _graphs(op: Any) -> Sequence[Graph]:
    """The Graphs that an op is made of, or that the op is which it is the derivative of."""
    made = getattr(op, "made_of", None) or ()
    if isinstance(op, Formula) and len(made) == 3:
        return _graphs(made[0].op)
    inner = getattr(op, "of", None)
    return () if inner is None else inner[0]


def _spec(x: Any) -> str:
    if type(x) is Aval:
        where = "" if x.device is CPU else ", on='any'" if x.device is ANY else f", on={str(x.device)!r}"
        weak = ", True" if x.weak else ""
        return f"rt.like({tuple(x.shape)}, torch.{x.dtype.name}{weak}{where})"
    return "None" if x is None else f"({x[0].__name__!r}, {of_value(x[1])})"


def of_value(x: Any, named: Callable[[Any], str | None] = lambda x: None) -> str:
    """An argument as an expression. named: gives the name of what stands for a result. Raises CannotWrite."""
    if (name := named(x)) is not None:
        return name
    if isinstance(x, SignedZero):
        x = x.number
    if x is None or x is ... or type(x) in (bool, int, str):
        return repr(x) if x is not ... else "..."
    if type(x) is float:
        return repr(x) if math.isfinite(x) else f'float("{x}")'
    if type(x) is complex:
        return f"complex({of_value(x.real)}, {of_value(x.imag)})"
    if x is UNSET:
        return "rt.UNSET"
    if isinstance(x, dtypes.dtype | memory_format):
        return str(x)
    if isinstance(x, device):
        return f"torch.device({str(x)!r})"
    if isinstance(x, slice):
        return f"slice({', '.join(of_value(p, named) for p in (x.start, x.stop, x.step))})"
    if isinstance(x, tuple):
        inside = ", ".join(of_value(p, named) for p in x)
        return f"({inside},)" if len(x) == 1 else f"({inside})"
    if isinstance(x, list):
        return f"[{', '.join(of_value(p, named) for p in x)}]"
    if isinstance(x, dict) and all(type(k) is str for k in x):
        return f"{{{', '.join(f'{k!r}: {of_value(v, named)}' for k, v in x.items())}}}"
    if x in (bool, int, float, complex, str, tuple, list):
        return x.__name__
    if x is type(None):
        return "type(None)"
    raise CannotWrite(f"an argument is a {type(x).__name__}, which no file can hold")


def to_python(graph: Graph) -> str:
    """The Graph as a program.

    >>> from functorch_lite.compiler.graphs.trace import trace
    >>> print(trace(lambda x: x.sin() * 2, (torch.ones(3),), {}).graph.to_python())  # doctest: +ELLIPSIS
    import functorch_lite as torch
    from functorch_lite._core.lazy import written as rt
    <BLANKLINE>
    g = rt.begin([rt.like((3,), torch.float32)], 1)
    in0, = g.inputs
    v0, = g.step(rt.op('sin'), in0)  # float32[3]...
    v1, = g.step(rt.op('mul'), v0, 2)  # float32[3]...
    graph = g.end(v1)
    """
    lines = ["import functorch_lite as torch", "from functorch_lite._core.lazy import written as rt", ""]
    _write(graph, "graph", lines, {})
    return "\n".join(lines)


def _write(graph: Graph, name: str, lines: list[str], done: dict[Graph, str]) -> None:
    """The lines of a Graph, after those of the Graphs inside of it."""
    steps: list[str] = []
    names = {-1 - i: f"in{i}" for i in range(len(graph.in_avals))}
    for node in graph.steps:
        for g in _graphs(node.op):
            if g not in done:
                done[g] = f"inner{len(done)}"
                _write(g, done[g], lines, done)
        n = len(names) - len(graph.in_avals)
        names.update({node.base + k: f"v{n + k}" for k in range(node.n_out)})
        steps.append(_step(node, names, done))
    inputs = "".join(f"in{i}, " for i in range(len(graph.in_avals))).rstrip()
    lines.append(f"g = rt.begin([{', '.join(map(_spec, graph.in_avals))}], {graph.n_inputs})")
    lines += [f"{inputs} = g.inputs"] if inputs else []
    lines += steps
    lines.append(f"{name} = g.end({', '.join(names[o] for o in graph.outputs)})")


def _step(node: Any, names: dict[int, str], done: dict[Graph, str]) -> str:
    try:
        called = _called(node, done)
    except CannotWrite as why:
        called = f"rt.unknown({getattr(node.op, 'name', str(node.op))!r}, {str(why)!r})"
    refs = iter(node.refs)
    args = [names[next(refs)] if type(x) is Aval else _number(x) for x in node.applied.inputs]
    args += [f"stop={node.stop!r}"] if node.stop else []
    outs = "".join(f"{names[node.base + i]}, " for i in range(node.n_out)).rstrip()
    known = ", ".join(map(str, node.avals))
    where = f"  {node.source[0].rsplit('/', 1)[-1]}:{node.source[1]}" if node.source else ""
    made = f"{outs} = " if outs else ""
    return f"{made}g.step({', '.join([called, *args])})  # {known}{where}"


def _called(node: Any, done: dict[Graph, str]) -> str:
    name = next((n for n, x in _INNER.items() if x is node.op), None)
    return f"rt.library({name!r})" if name is not None else of_op(node.op, node.static, done)


def _number(spec: Any) -> str:
    if spec is None:
        return "None"
    text = of_value(spec[1])
    return text if spec[0] is type(hashed_back(spec[1])) else f"rt.Number({spec[0].__name__}, {text})"


def hashed_back(x: Any) -> Any:
    """The number that a part of a key stands for."""
    return x.number if isinstance(x, SignedZero) else x


writer[:] = [to_python]


# -- reading


class Number:
    """A number among inputs, of a type that its text does not tell."""

    def __init__(self, kind: type, number: Any):
        self.kind, self.number = kind, number


class Ref(int):
    """The reference of an input or a result."""


class Made:
    """A Graph in the making: `inputs`, `step(op, *inputs)`, `end(*outputs)`."""

    def __init__(self, avals: Sequence[Aval], n_inputs: int):
        self._builder = Builder(avals, n_inputs)
        self.inputs = [Ref(-1 - i) for i in range(len(avals))]

    def step(self, called: tuple[Any, Any], *inputs: Any, stop: str = "") -> list[Ref]:
        """One more step: the references of its results."""
        op, static = called
        return [Ref(r) for r in self._builder.add(op, static, [_given(x) for x in inputs], stop)]

    def end(self, *outputs: Ref) -> Graph:
        """The Graph."""
        return self._builder.graph([int(o) for o in outputs])


def _given(x: Any) -> Any:
    if x is None:
        return None
    if isinstance(x, Ref):
        return int(x)
    return (x.kind, hashed(x.number)) if isinstance(x, Number) else (type(x), hashed(x))


begin = Made


def op(name: str, *static: Any) -> tuple[Any, Any]:
    """An op of the library, with its static arguments."""
    found = OPS.get(name)
    if found is None:
        raise ValueError(f"there is no op {name!r}")
    return found, tuple(static)


def library(name: str) -> tuple[Any, Any]:
    """An op that the library records of its own accord."""
    return _INNER[name], None


def put(name: str, *static: Any) -> tuple[Any, Any]:
    """The write to what a view of this name shows."""
    found = OPS.get(name)
    if found is None or not found.is_view:
        raise ValueError(f"there is no view {name!r}")
    return put_op(found), tuple(static)


def like(shape: Sequence[int], dtype: Any, weak: bool = False, on: str = "") -> Aval:
    """Makes the Aval of an input, from its shape and dtype, and where it is ("any": wherever the others are)."""
    where = ANY if on == "any" else device(on) if on else CPU
    return aval(tuple(shape), dtype, where, weak=weak)


_KINDS = {"bool": bool, "int": int, "float": float, "complex": complex}


def derivative(of: tuple[Any, Any], inputs: Sequence[Any], mask: int, cts: int) -> tuple[Any, Any]:
    """The derivative of an op at inputs of these shapes and dtypes, by those in `mask`, given cotangents of the results
    in `cts`."""
    spec = tuple([(_KINDS[x[0]], hashed(x[1])) if isinstance(x, tuple) else x for x in inputs])
    found = apply_once(*of, spec).backward(mask, cts).op
    if found is None:
        raise ValueError(f"{getattr(of[0], 'name', of[0])} has no such derivative")
    return found, None


def transform(key: tuple, first: Graph, *others: Graph) -> tuple[Any, Any]:
    """A transform, a loop or a branch of Graphs."""
    if key[0] not in TRANSFORMS:
        raise ValueError(f"there is no transform {key[0]!r}")
    return first.transformed(key, *others), None


def unknown(name: str, why: str) -> Callable:
    """Raises CannotWrite: what this op is was not written."""
    raise CannotWrite(why)
