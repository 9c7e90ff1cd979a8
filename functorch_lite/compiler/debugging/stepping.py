"""Graphs run op by op: what each step reads and gives, and the first that makes a NaN or an infinity."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..._core.api import Graph, Tensor, at_once, cell_of, state
from ..._core.api import functions as torch
from ...fx import GraphModule, Interpreter, Node
from ...random import get_rng_state, set_rng_state
from ..graphs.calls import op_called
from ..graphs.joint import joint
from ..graphs.trace import trace
from ..graphs.view import view_of
from ..through_backend import names_of
from .editing import flat, inputs_of
from .nested import checkpoints_opened

__all__ = ["NonFinite", "as_module", "describe", "evaluate", "find_nan", "line_of", "op_name"]


def as_module(fn: Any, args: Sequence[Any], backward: bool = False) -> tuple[GraphModule, list[Any]]:
    """A GraphModule of what fn(*args) computes, and its inputs; what is checkpointed stands in it step by step.
    backward: also gradients of the inputs that require grad, where a result requires it.

    fn: a function or module, also one that torch.compile marked; a GraphModule is taken as it is. Raises NotOneOp where
    no Graph stands for fn.
    """
    if isinstance(fn, GraphModule):
        return flat(fn, args)
    fn = getattr(fn, "_torchdynamo_orig_callable", getattr(fn, "_orig_mod", fn))
    if isinstance(fn, Graph):
        return view_of(fn), list(args)
    traced = trace(fn, tuple(args), {})
    given = [x for i, x in enumerate(traced.inputs) if i not in traced.drawn]
    graph = checkpoints_opened(traced.graph)
    wanted = [i for i, x in enumerate(traced.inputs) if x.requires_grad and i not in traced.drawn]
    if backward and wanted and state.grad:
        avals = graph.out_avals()
        graph, tangents, _ = joint(graph, wanted)
        given += [torch.ones(avals[k].shape, dtype=avals[k].dtype) for k in tangents]
    return view_of(graph, traced.names(names_of(fn, tuple(args))), traced.drawn), given


def line_of(node: Node) -> str:
    """The user's line that recorded a step: `file:line: code`, in a notebook `In[3]:line: code`; empty if it is not
    known."""
    m = re.match(r'File "(.*)", line (\d+)\n\s*(.*)', node.meta.get("stack_trace") or "")
    return f"{cell_of(m[1]) or m[1]}:{m[2]}: {m[3]}" if m else ""


def op_name(node: Node) -> str:
    """Returns the name of the op or function that a step applies, in a word."""
    op = op_called(node.op, node.target)
    name = getattr(op, "name", "") or getattr(node.target, "__name__", str(node.target))
    return name.rpartition(".")[2].lstrip("_")


def describe(x: Any) -> str:
    """A tensor in a few words: dtype, shape, the least, mean and largest number, and how many are NaN or infinite."""
    if not isinstance(x, Tensor):
        return repr(x)
    text = f"{x.dtype.name}[{', '.join(map(str, x.shape))}]"
    if not x.numel() or x.dtype.is_complex:
        return text
    a = x.detach().cpu().to(torch.float64).numpy()
    good = a[np.isfinite(a)]
    if good.size:
        least, most, mean = (x + 0.0 for x in (good.min(), good.max(), good.mean()))  # no -0
        text += f" from {least:.4g} to {most:.4g}, mean {mean:.4g}"
    for count, word in ((np.isnan(a).sum(), "NaN"), (np.isinf(a).sum(), "infinite")):
        text += f", {count} {word}" if count else ""
    return text


class _Steps(Interpreter):
    """Runs a Graph; `see` is given each step with what it read and gave."""

    def __init__(self, gm: GraphModule, see: Callable[[Node, list[Any], Any], None]):
        super().__init__(gm, garbage_collect_values=False)
        self.see = see

    def run_node(self, n: Node) -> Any:
        """Runs one Node, and shows it."""
        value = super().run_node(n)
        if n.op.startswith("call"):
            self.see(n, [self.env[r] for r in n.all_input_nodes], value)
        return value


def _stepped(gm: GraphModule, inputs: Sequence[Any], see: Callable[[Node, list[Any], Any], None]) -> Any:
    """The results of a Graph run op by op. Its random numbers are not drawn from the user's generator."""
    before = get_rng_state()
    try:
        with at_once():
            return _Steps(gm, see).run(*inputs, enable_io_processing=False)
    finally:
        set_rng_state(before)


class _Values(Interpreter):
    """Runs a Graph, and keeps the value of each Node with it. store: gives what is kept in a tensor's place."""

    def __init__(self, gm: GraphModule, store: Callable[[Tensor], Any] | None):
        super().__init__(gm, garbage_collect_values=store is not None)
        self.extra_traceback = False
        self.store = store

    def run_node(self, n: Node) -> Any:
        """Runs one Node; keeps its value."""
        value = super().run_node(n)
        if n.op != "output":
            n.meta["concrete_value"] = self._kept(value)
        return value

    def _kept(self, x: Any) -> Any:
        if isinstance(x, Tensor):
            leaf = x.detach().requires_grad_(x.requires_grad and (x.is_floating_point() or x.is_complex()))
            return leaf if self.store is None else self.store(leaf)
        return tuple(map(self._kept, x)) if isinstance(x, tuple | list) else x


def evaluate(gm: GraphModule, inputs: Sequence[Any], store: Callable[[Tensor], Any] | None = None) -> None:
    """Runs a Graph op by op; each Node's `meta["concrete_value"]` is what it gave then."""
    before = get_rng_state()
    try:
        with at_once():
            _Values(gm, store).run(*inputs, enable_io_processing=False)
    finally:
        set_rng_state(before)


# -- NaN and infinity


class NonFinite:
    """Origin of a NaN or an infinity.

    kind    "nan" or "inf"; `op`, `line`: what gave it first, and the user's line
    inputs, result   what the op read and gave, in words
    cause   of a NaN that an infinity became: where that was made, another NonFinite
    backward  whether it is a gradient's
    """

    def __init__(
        self, node: Node, read: Sequence[Any], value: Any, kind: str, cause: NonFinite | None = None
    ):
        self.kind, self.op, self.line, self.cause = kind, op_name(node), line_of(node), cause
        self.backward = self.op.endswith("_backward")
        self.inputs = [describe(x) for x in read]
        self.result = describe(value) if isinstance(value, Tensor) else "; ".join(map(describe, value))

    def __str__(self) -> str:
        word = {"nan": "NaN", "inf": "an infinity"}[self.kind]
        lines = [f"{self.op} makes {word}"] + ([f"  at {self.line}"] if self.line else [])
        lines += [f"  it reads {x}" for x in self.inputs] + [f"  it gives {self.result}"]
        if self.cause is not None:
            lines += ["of an infinity that comes from:", *[f"  {x}" for x in str(self.cause).splitlines()]]
        return "\n".join(lines)

    __repr__ = __str__


def _has(x: Any, which: Callable[[Any], Any]) -> bool:
    parts = x if isinstance(x, tuple | list) else [x]
    return any(
        isinstance(p, Tensor) and (p.is_floating_point() or p.is_complex()) and bool(which(p.detach()).any())
        for p in parts
    )


def find_nan(fn: Any, *args: Any) -> NonFinite | None:
    """The first op that makes a NaN in fn(*args), or in the gradients of what requires grad; if there is none, the
    first that makes an infinity of finite numbers; None if all is finite.

    fn is run op by op; the optimizer's step is to stand outside of it. A ValueError says so if an input is not finite
    already.

    >>> x = torch.tensor([4.0, 0.0, 1.0])
    >>> functorch_lite.debug.find_nan(lambda x: (x.log() - x.log()).sum(), x).op
    'sub'
    """
    gm, inputs = as_module(fn, args, backward=True)
    for n, x in zip(inputs_of(gm.graph), inputs):
        if _has(x, torch.isnan):
            raise ValueError(f"find_nan: the input {n.name} has NaN already: {describe(x)}")
    infinite: dict[Node, NonFinite] = {}
    found: list[NonFinite] = []

    def see(n: Node, read: list[Any], value: Any) -> None:
        if found:
            return
        if _has(value, torch.isnan) and not any(_has(r, torch.isnan) for r in read):
            causes = [infinite[r] for r in n.all_input_nodes if r in infinite]
            found.append(NonFinite(n, read, value, "nan", causes[0] if causes else None))
        elif _has(value, torch.isinf):
            of = next((infinite[r] for r in n.all_input_nodes if r in infinite), None)
            infinite[n] = NonFinite(n, read, value, "inf") if of is None else of

    _stepped(gm, inputs, see)
    return found[0] if found else next(iter(infinite.values()), None)
