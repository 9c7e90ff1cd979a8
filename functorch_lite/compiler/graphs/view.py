"""Graphs as torch.fx shows them: nodes that can be walked, edited and run again.

A Graph is not changed by what is done to its view. The view is run by calling its functions, which records them; so
what an editor puts there is checked as any user's call is, and the Graph of a view that was not edited is the Graph
that it is of.
"""

from __future__ import annotations

import linecache
import operator
from collections.abc import Mapping, Sequence
from typing import Any

from ..._core.api import DETACH, Aval, Graph, Tensor, make_tensor, meta_value
from ...autograd.grad_mode import is_grad_enabled, set_grad_enabled
from ...fx import Graph as FxGraph
from ...fx import GraphModule, Node, has_side_effect
from ...random.generator import Generator, default_generator, key_tensor
from .calls import call_of

__all__ = ["SWITCHES", "GradMode", "example", "is_single", "view_of"]

SWITCHES = (is_grad_enabled, set_grad_enabled)
"""What Graphs call where the grad mode changes."""

has_side_effect(set_grad_enabled)
has_side_effect(key_tensor)


class GradMode:
    """The grad mode in a Graph in the making: off for what was recorded without gradients; elsewhere the mode that the
    Graph is called under, which it leaves as it was."""

    def __init__(self, shown: FxGraph):
        self._shown, self._on = shown, True
        self._before: Node | None = None

    def be(self, on: bool) -> None:
        """Switches, if it is not so already."""
        if on is not self._on:
            self._on = on
            self._before = self._before or self._shown.call_function(is_grad_enabled)
            self._shown.call_function(set_grad_enabled, (self._before if on else False,))


def view_of(
    graph: Graph,
    names: Sequence[str] = (),
    drawn: Mapping[int, Generator] | None = None,
    held: Mapping[int, tuple[str, Tensor]] | None = None,
    name: str = "GraphModule",
) -> GraphModule:
    """The view of a Graph: a GraphModule of its inputs that returns its results as a tuple.

    names   of the inputs, one after the other; `arg` and the number for those that have none
    drawn   inputs, by number, that are the keys of draws: the module draws them itself
    held    inputs, by number, that become attributes of the module: their names and tensors
    """
    root: dict[str, Any] = {}
    shown = FxGraph()
    env: dict[int, Any] = {}
    drawn, held = drawn or {}, held or {}
    for i, aval in enumerate(graph.in_avals):
        if i not in drawn and i not in held:
            env[-1 - i] = node = shown.placeholder(names[i] if i < len(names) else f"arg{i}")
            node.meta["val"] = example(aval)
    for i, (attribute, t) in held.items():
        if _is_read(graph, -1 - i):
            root[attribute] = t
            env[-1 - i] = node = shown.get_attr(attribute)
            node.meta["val"] = example(graph.in_avals[i])
    keys = {i: generator for i, generator in drawn.items() if _is_read(graph, -1 - i)}
    for i in sorted(keys):
        env[-1 - i] = _draw(shown, root, keys[i])
        env[-1 - i].meta["val"] = example(graph.in_avals[i])
    mode = GradMode(shown)
    for step in graph.steps:
        if _is_implied(graph, step):
            env[step.base] = env[step.refs[0]]
            continue
        mode.be(not step.stop)
        kind, called, args, kwargs = call_of(step, [env[r] for r in step.refs])
        node = shown.create_node(kind, called, args, kwargs, step.op.name.rpartition(".")[2].lstrip("_"))
        _describe(node, step)
        if is_single(step):
            env[step.base] = node
        else:
            for k, aval in enumerate(step.avals):
                env[step.base + k] = part = shown.call_function(operator.getitem, (node, k))
                part.meta["val"] = example(aval)
    mode.be(True)
    shown.output(tuple([env[o] for o in graph.outputs]))
    for node in list(shown.nodes):
        if node.target is operator.getitem and not node.users and type(node.args[0].meta["val"]) is tuple:
            shown.erase_node(node)
    return GraphModule(root, shown, name)


_CHECKED = frozenset({"linalg.eig", "linalg.eigvals", "linalg.svd", "linalg.svdvals", "cholesky_inverse"})
"""Ops whose public function records the requirement of its results by itself."""


def _is_implied(graph: Any, step: Any) -> bool:
    """Returns whether a step is a requirement that the call of the function before it records again."""
    if getattr(step.op, "name", "") != "_required":
        return False
    made = [s for s in graph.steps if s.base <= step.refs[0] < s.base + s.n_out]
    return bool(made) and getattr(made[0].op, "name", "") in _CHECKED


def _is_read(graph: Any, ref: int) -> bool:
    return ref in graph.outputs or any(ref in step.refs for step in graph.steps)


def _draw(shown: FxGraph, root: dict[str, Any], generator: Generator) -> Any:
    """A node that draws a key."""
    if generator is default_generator:
        return shown.call_function(key_tensor, (), name="key")
    name = next((n for n, x in root.items() if x is generator), f"generator{len(root)}")
    root[name] = generator
    return shown.call_function(key_tensor, (shown.get_attr(name),), name="key")


def is_single(step: Any) -> bool:
    """Returns whether its call gives a tensor, and not a tuple."""
    return step.single or step.op is DETACH


def _describe(node: Any, step: Any) -> None:
    """Sets the metadata that users of torch.fx look up: the results without numbers ("val"), and the user's line
    ("stack_trace")."""
    found = tuple([example(a) for a in step.avals])
    node.meta["val"] = found[0] if is_single(step) else found
    if step.source is not None:
        file, line = step.source
        node.meta["stack_trace"] = f'File "{file}", line {line}\n    {linecache.getline(file, line).strip()}'


def example(aval: Aval) -> Tensor | int | float | bool | complex:
    """A tensor of these properties that has no numbers: on the device "meta". For a number, one of its kind."""
    if aval.weak:
        return aval.dtype.np.type(1).item()
    return make_tensor(meta_value(aval.shape, aval.dtype), 0)
