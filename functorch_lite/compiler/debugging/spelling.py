"""Graphs as text: each step as an expression that can be read, run, and read back without running anything.

Scripts import this module as `rt`: what they call for ops that no public function stands for is at its end.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

from ..._core.api import (
    LIBRARY,
    UNSET,
    CannotWrite,
    Tensor,
    of_op,
    of_value,
    written,
)
from ...autograd.grad_mode import is_grad_enabled, set_grad_enabled
from ...fx import Graph as FxGraph
from ...fx import GraphModule, Node
from ...fx.node import _get_qualified_name, resolved
from ...random.generator import key_tensor
from ..graphs.calls import OpCall, is_of_aten, op_call, op_called
from .nested import KINDS, called_again, nested_of

__all__ = [
    "UNSET", "CannotWrite", "Text", "derivative", "key", "library", "like", "op", "put", "spelled", "transform",
    "writable",
]  # fmt: skip


class Text:
    """A Graph as text.

    inputs   names of the placeholders
    steps    (name, expression, the user's line)
    result   the expression of what is returned
    inner    Graphs inside of steps, by name
    members  tensors that are attributes of the module, by name: further inputs
    """

    def __init__(self) -> None:
        self.inputs: list[str] = []
        self.steps: list[tuple[str, str, str]] = []
        self.result = ""
        self.inner: dict[str, Text] = {}
        self.members: dict[str, Tensor] = {}


def spelled(gm: GraphModule, prefix: str = "inner") -> Text:
    """A GraphModule as text. Raises CannotWrite."""
    made = Text()
    names: dict[Node, str] = {}
    taken: set[str] = set()
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            names[node] = _free(re.sub(r"\W", "_", node.name), taken)
            made.inputs.append(names[node])
    for node in gm.graph.nodes:
        if node.op == "placeholder":
            continue
        if node.op == "output":
            made.result = _value(node.args[0], names)
            continue
        if node.op == "get_attr":
            member = gm
            for part in str(node.target).split("."):
                member = getattr(member, part)
            if not isinstance(member, Tensor):
                raise CannotWrite(f"self.{node.target} must be a tensor, but is a {type(member).__name__}")
            names[node] = name = _free(re.sub(r"\W", "_", str(node.target)), taken)
            made.members[name] = member
            continue
        names[node] = _free(re.sub(r"\W", "_", node.name), taken)
        text = _step(node, names, made, prefix)
        trace = re.match(r'File "(.*)", line (\d+)\n\s*(.*)', node.meta.get("stack_trace") or "")
        made.steps.append((names[node], text, f"{trace[1]}:{trace[2]}: {trace[3]}" if trace else ""))
    return made


def writable(gm: GraphModule) -> tuple[GraphModule, list[str]]:
    """The module without the steps that no file can hold and the steps that depend on them, and the reasons, a
    sentence for each.

    It returns what they read, too."""
    gone: dict[Node, None] = {}
    why: list[str] = []
    env: dict[Node, Node] = {}
    made = FxGraph()
    shown: dict[Node, None] = {}
    for node in gm.graph.nodes:
        if node.op == "output":
            shown |= dict.fromkeys(node.all_input_nodes)
            break
        if not gone.keys().isdisjoint(node.all_input_nodes):
            gone[node] = None
        elif node.op.startswith("call") and node.target is not operator.getitem:
            try:
                _step(node, {n: n.name for n in node.all_input_nodes}, Text(), "inner")
            except CannotWrite as reason:
                why.append(str(reason))
                gone[node] = None
        if node in gone:
            shown |= {n: None for n in node.all_input_nodes if n not in gone and n.op != "placeholder"}
        else:
            env[node] = made.node_copy(node, env.__getitem__)
    kept = [n for n in shown if n in env and not isinstance(n.meta.get("val"), tuple)]
    made.output(tuple([env[n] for n in kept]))
    return GraphModule(gm, made), why


def _free(name: str, taken: set[str]) -> str:
    """The name, or another where it is taken or means something in a script."""
    while name in taken or name in ("torch", "rt", "self", "slice") or not name.isidentifier():
        name = f"{name}_" if name.isidentifier() else f"v_{name}"
    taken.add(name)
    return name


def _step(node: Node, names: dict[Node, str], made: Text, prefix: str) -> str:
    args = [_value(a, names) for a in node.args]
    if node.target is operator.getitem:
        return f"{args[0]}[{args[1]}]"
    args += [f"{k}={_value(v, names)}" for k, v in node.kwargs.items()]
    if node.op == "call_method":
        if op_called(node.op, node.target) is None:
            raise CannotWrite(f"the method {node.target} applies no op by itself")
        return f"{args[0]}.{node.target}({', '.join(args[1:])})"
    if node.op != "call_function":
        raise CannotWrite(f"{node.op} {node.target}: a module is called as it stands")
    found = nested_of(node)
    if found is not None:
        of = []
        for view in found.views():
            of.append(f"{prefix}{len(made.inner)}")
            made.inner[of[-1]] = spelled(view, f"{of[-1]}_")
        return f"rt.transform({found.kind!r}, {_value(found.how, names)}, {', '.join(of)})({', '.join(args)})"
    return f"{_target(node)}({', '.join(args)})"


def _target(node: Node) -> str:
    target = node.target
    if target is set_grad_enabled or target is is_grad_enabled:
        return f"torch.{target.__name__}"
    if target is key_tensor:
        return "rt.key"
    if isinstance(target, OpCall):
        return of_op(target.op, target.static)
    if is_of_aten(target):
        return _get_qualified_name(target)
    if op_called("call_function", target) is not None:
        name = _get_qualified_name(target)
        if resolved(name) is target:
            return name
    raise CannotWrite(f"{getattr(target, '__qualname__', target)} is a function of yours, and no op")


def _value(x: Any, names: dict[Node, str]) -> str:
    """An argument as an expression."""
    return of_value(x, lambda x: names[x] if isinstance(x, Node) else None)


# -- what scripts call


def op(name: str, *static: Any) -> OpCall:
    """An op of the library, with its static arguments."""
    return op_call(*written.op(name, *static))


def library(name: str) -> OpCall:
    """An op that the library records of its own accord."""
    if name not in LIBRARY:
        raise ValueError(f"the library has no op {name!r}")
    return op_call(LIBRARY[name], None)


def put(name: str, *static: Any) -> OpCall:
    """The write to what a view of this name shows."""
    return op_call(*written.put(name, *static))


like = written.like


def derivative(of: OpCall, inputs: Sequence[Any], mask: int, cts: int) -> OpCall:
    """The derivative of an op at inputs of these shapes and dtypes, with respect to the inputs in `mask`, given
    cotangents of the results in `cts`."""
    return op_call(*written.derivative((of.op, of.static), inputs, mask, cts))


def transform(kind: str, how: tuple, *fns: Callable) -> Callable[..., tuple]:
    """A transform, a loop, a branch or a checkpoint of functions, as a step has it."""
    if kind not in KINDS or len(fns) != KINDS[kind]:
        raise ValueError(f"the transform {kind!r} of {len(fns)} functions does not exist")
    return called_again(kind, how, fns)


key = key_tensor
