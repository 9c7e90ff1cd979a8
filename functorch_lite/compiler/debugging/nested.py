"""Steps that hold Graphs: a transform of a function, a loop, a branch or a checkpoint is one op, made of what functions
recorded. Here it is opened, and called again of other Graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..._core.api import Builder, DerivedOp, Graph, Tensor
from ...func import grad_and_value, vmap
from ...func.control_flow import cond
from ...func.control_flow import map as mapped
from ...func.loops import associative_scan, scan, while_loop
from ...fx import GraphModule, Node
from ...utils.checkpoint import checkpoint
from ..graphs.calls import OpCall
from ..graphs.view import view_of

__all__ = ["KINDS", "Nested", "called_again", "checkpoints_opened", "edited", "first_example", "nested_of"]

Graphs = Sequence[Callable[..., tuple]]
"""Functions of Graphs' inputs that give their results as a tuple."""


class Nested(NamedTuple):
    """The Graphs of a step and their use: a kind (a key of `_AGAIN`), the Graphs, and what else determines the step:
    axes, or how many inputs are of which sort."""

    kind: str
    graphs: tuple[Graph, ...]
    how: tuple

    def views(self) -> list[GraphModule]:
        """The Graphs as GraphModules."""
        return [view_of(g) for g in self.graphs]


def nested_of(node: Node) -> Nested | None:
    """Returns the Graphs of a step and their use; None if the step applies an op without Graphs."""
    op = node.target.op if isinstance(node.target, OpCall) else None
    return _nested(op)


def _nested(op: Any) -> Nested | None:
    if not isinstance(op, DerivedOp) or op.of is None:
        return None
    graphs, (kind, *how) = op.of[0], op.key
    if kind not in _AGAIN or (kind == "grad" and not how[1]):
        return None
    if kind in ("vmap", "grad"):  # the rest says how it is computed
        how = how[: {"vmap": 2, "grad": 1}[kind]]
    elif kind in ("cond", "while_loop"):  # what the first Graph captured
        how.append(len(graphs[0].in_avals) - how[0] - (kind == "while_loop"))
    return Nested(kind, tuple(graphs), tuple(how))


def called_again(kind: str, how: tuple, fns: Graphs) -> Callable[..., tuple]:
    """Makes a step of this kind of other functions: a function of the step's inputs that gives the step's results."""
    return lambda *inputs: tuple(_AGAIN[kind](fns, how, inputs))


def _vmap(fns: Graphs, how: tuple, inputs: tuple) -> Any:
    (fn,), (in_axes, out_axes) = fns, how
    axes = (*in_axes, *[None] * (len(inputs) - len(in_axes)))
    return vmap(lambda *a: tuple(fn(*a)), in_dims=axes, out_dims=tuple(out_axes), randomness="same")(*inputs)


def _grad(fns: Graphs, how: tuple, inputs: tuple) -> Any:
    (fn,), (n,) = fns, how

    def scalar(*a: Any) -> Any:
        out, *rest = fn(*a)
        return out, tuple(rest)

    gradients, (value, rest) = grad_and_value(scalar, argnums=tuple(range(n)), has_aux=True)(*inputs)
    return (*gradients, value, *rest)


def _checkpoint(fns: Graphs, how: tuple, inputs: tuple) -> Any:
    return checkpoint(lambda *a: tuple(fns[0](*a)), *inputs, use_reentrant=False)


def _cond(fns: Graphs, how: tuple, inputs: tuple) -> Any:
    (yes, no), (n, of_yes) = fns, how
    pred, operands, captured = inputs[0], inputs[1 : n + 1], inputs[n + 1 :]
    return cond(
        pred,
        lambda *a: tuple(yes(*a, *captured[:of_yes])),
        lambda *a: tuple(no(*a, *captured[of_yes:])),
        operands,
    )


def _map(fns: Graphs, how: tuple, inputs: tuple) -> Any:
    (n,) = how
    return mapped(lambda xs: tuple(fns[0](*xs, *inputs[n:])), list(inputs[:n]))


def _while_loop(fns: Graphs, how: tuple, inputs: tuple) -> Any:
    """The last of what is carried is the number of the step, which the Graphs read."""
    (body, test), (n, of_body) = fns, how
    carried, captured = inputs[: n + 1], inputs[n + 1 :]
    of_test = len(captured) - of_body
    out = while_loop(
        lambda *a: test(*a, *captured[:of_test])[0],
        lambda *a: (*body(*a, *captured[of_test:]), a[-1] + 1),
        carried,
    )
    return out[:n]


def _scan(fns: Graphs, how: tuple, inputs: tuple) -> Any:
    n, m, reverse = how
    captured = inputs[n + m :]

    def step(carry: list, xs: list) -> tuple:
        out = fns[0](*carry, *xs, *captured)
        return list(out[:n]), list(out[n:])

    carry, ys = scan(step, list(inputs[:n]), list(inputs[n : n + m]), reverse=reverse)
    return (*carry, *ys)


def _associative_scan(fns: Graphs, how: tuple, inputs: tuple) -> Any:
    n, reverse = how
    captured = inputs[n:]
    return associative_scan(
        lambda a, b: list(fns[0](*a, *b, *captured)),
        list(inputs[:n]),
        dim=0,
        reverse=reverse,
        combine_mode="generic",
    )


_AGAIN: dict[str, Callable[[Graphs, tuple, tuple], Any]] = {
    "associative_scan": _associative_scan,
    "checkpoint": _checkpoint,
    "cond": _cond,
    "grad": _grad,
    "map": _map,
    "scan": _scan,
    "vmap": _vmap,
    "while_loop": _while_loop,
}
"""Functions that call each kind again: (functions, how, inputs) -> results."""

KINDS = {kind: 2 if kind in ("cond", "while_loop") else 1 for kind in _AGAIN}
"""Number of Graphs that a step of each kind holds."""


def first_example(found: Nested, inputs: Sequence[Any]) -> tuple[Graph, list[Any]]:
    """Returns one Graph inside, and inputs of it, given the step's: of what is batched the first example, of a loop the
    first step, of a branch the one that is taken."""
    graph, how, given = found.graphs[0], found.how, list(inputs)
    if found.kind == "vmap":
        axes = (*how[0], *[None] * (len(given) - len(how[0])))
        given = [_part(x, 0, a) if a is not None else x for x, a in zip(given, axes)]
    elif found.kind == "cond":
        n, of_first = how
        operands, captured = given[1 : n + 1], given[n + 1 :]
        graph = found.graphs[not bool(given[0])]
        given = [*operands, *(captured[:of_first] if bool(given[0]) else captured[of_first:])]
    elif found.kind in ("map", "scan"):
        n, m = (0, how[0]) if found.kind == "map" else how[:2]
        given[n : n + m] = [_part(x, 0) for x in given[n : n + m]]
    elif found.kind == "while_loop":
        n, of_first = how
        given = [*given[: n + 1], *given[len(given) - of_first :]]
    elif found.kind == "associative_scan":
        n = how[0]
        given = [*[_part(x, 0) for x in given[:n]], *[_part(x, 1) for x in given[:n]], *given[n:]]
    elif found.kind == "grad":
        given[: how[0]] = [x.detach().requires_grad_() for x in given[: how[0]]]
    return graph, given


def _part(x: Any, i: int, axis: int = 0) -> Any:
    if not isinstance(x, Tensor):
        return x
    return x.detach().select(axis, min(i, x.shape[axis] - 1)).clone().requires_grad_(x.requires_grad)


def checkpoints_opened(graph: Graph) -> Graph:
    """The Graph in which a checkpoint is replaced by its contents: each step by itself, and its derivative too."""
    if not any(_is_checkpoint(s.op) for s in graph.steps):
        return graph
    made = Builder(graph.in_avals, graph.n_inputs)
    made_of = {-1 - i: -1 - i for i in range(len(graph.in_avals))}
    _opened(made, graph, made_of)
    return made.graph([made_of[o] for o in graph.outputs])


def _is_checkpoint(op: Any) -> bool:
    found = _nested(op)
    return found is not None and found.kind == "checkpoint"


def _opened(made: Builder, graph: Graph, now: dict[int, int], stop: str = "") -> None:
    """Adds a Graph's steps; `now` are references to its inputs, and then to its results."""
    for step in graph.steps:
        given = [now[r] for r in step.refs]
        if _is_checkpoint(step.op):
            inner = step.op.of[0][0]
            there = {-1 - i: r for i, r in enumerate(given)}
            _opened(made, inner, there, step.stop or stop)
            outs = [there[o] for o in inner.outputs]
        else:
            outs = made.add_applied(step.applied, given, step.stop or stop, step.source, step.avals)
        now.update(zip(range(step.base, step.base + step.n_out), outs))


def edited(gm: GraphModule, change: Callable[[Node], None]) -> GraphModule:
    """The module, in which `change` was called with each step, also those inside of transforms, loops, branches and
    checkpoints."""
    for node in list(gm.graph.nodes):
        if node.op.startswith("call"):
            found = nested_of(node)
            if found is not None:
                inner = [edited(view, change).forward for view in found.views()]
                node.target = called_again(found.kind, found.how, inner)
            change(node)
    gm.recompile()
    return gm
