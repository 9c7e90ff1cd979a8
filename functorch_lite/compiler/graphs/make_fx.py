"""make_fx: a function, run once and shown as the ops that it recorded."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ..._core.api import Tensor, record_function, tidied
from ...func._trees import flatten, unflatten
from ...fx import GraphModule
from ...fx._code import PyTreeCodeGen, PyTreeInfo
from ...nn.parameter import Parameter
from ...random.generator import Generator, drawing, take_back
from ...utils import _pytree as pytree
from .trace import with_numbers
from .view import view_of

__all__ = ["make_fx"]


@tidied
def make_fx(
    f: Callable,
    decomposition_table: dict | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
    record_stack_traces: bool = False,
) -> Callable[..., GraphModule]:
    """A function that records f(*args) and gives the GraphModule of it, which is called with the same arguments.

    What it shows are the ops that f recorded: modules, methods and operators are gone; what f captured is an attribute; a write to an argument
    is a `copy_` at the end. A derivative that is taken inside by a transform of torch.func is one step.

    tracing_mode: "real" or "fake", which are the same here: shapes are known, and of values what f reads itself. "symbolic" raises: Graphs are of
    the shapes that they see. The arguments after it say how PyTorch is to trace, and have nothing to choose here. decomposition_table: functions in the place of others, by the function that is called.

    >>> from functorch_lite.fx.experimental.proxy_tensor import make_fx
    >>> make_fx(lambda x: x.sin() + 1)(torch.ones(2)).print_readable(False)  # doctest: +SKIP
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"Expected tracing_mode to be 'real', 'fake', or 'symbolic', got {tracing_mode}")
    if tracing_mode == "symbolic":
        raise NotImplementedError(
            "make_fx: a Graph is of the shapes that it was recorded with; leave tracing_mode out, and trace again for others"
        )

    @functools.wraps(f)
    def wrapped(*args: Any) -> GraphModule:
        made = _traced(f, args)
        if not decomposition_table:
            return made
        from ..pipeline import Decomposing

        return _traced(
            lambda *again: Decomposing(made, decomposition_table).run(*pytree.tree_leaves(again)),
            args,
            _names(f, args),
        )

    return wrapped


def _names(f: Callable, args: tuple) -> list[str]:
    """What f calls its arguments."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return [f"arg_{i}" for i in range(len(args))]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [*names, *[f"arg_{i}" for i in range(len(names), len(args))]][: len(args)]


def _traced(f: Callable, args: tuple, names: list[str] | None = None) -> GraphModule:
    names = _names(f, args) if names is None else names
    leaves, structure = flatten(args)
    given = [x for x in leaves if isinstance(x, Tensor)]
    counts = [len(flatten(a)[0]) for a in args]
    labels = [f"{n}_{k + 1}" for n, count in zip(names, counts) for k in range(count)]
    at = [i for i, x in enumerate(leaves) if isinstance(x, Tensor)]

    def run(fresh: list[Tensor]):
        for t, now in zip(given, fresh):
            now._edge = t._edge
        full = list(leaves)
        for i, now in zip(at, fresh):
            full[i] = now
        with drawing() as keys:
            out = f(*unflatten(structure, full))
        found, out_structure = pytree.tree_flatten(out)
        return [x for x in found if isinstance(x, Tensor)], (found, out_structure, keys)

    recorded = record_function("torch.compile", [t._aval for t in given], given, run, writes=True)
    found, out_structure, keys = recorded.result
    graph, inputs = with_numbers(recorded.graph, recorded.inputs)
    drawn, held = _captured(inputs, len(given), keys)
    gm = view_of(graph, [labels[i] for i in at], drawn, held, getattr(f, "__name__", "GraphModule"))
    _place(gm, recorded, found, [labels[i] for i in at], labels)
    if not _is_flat(args, out_structure):
        gm.graph._codegen = PyTreeCodeGen(
            PyTreeInfo(list(names), pytree.tree_flatten(args)[1], out_structure)
        )
    gm.recompile()
    return gm


def _captured(
    inputs: list, n_given: int, keys: list[tuple[Generator, Any]]
) -> tuple[dict[int, Generator], dict[int, tuple[str, Tensor]]]:
    """What a Graph is given beside arguments: keys of draws, and tensors under the names that PyTorch gives them."""
    take_back(keys)
    owners = {id(key): generator for generator, key in keys if key is not None}
    drawn: dict[int, Generator] = {}
    held: dict[int, tuple[str, Tensor]] = {}
    for i, x in enumerate(inputs[n_given:], n_given):
        key = owners.get(id(x._cell.value.array))
        if key is not None:
            drawn[i] = key
            continue
        kind = "_param_constant" if isinstance(x, Parameter) else "_tensor_constant"
        held[i] = (f"{kind}{sum(n.startswith(kind) for n, _ in held.values())}", x)
    return drawn, held


def _place(gm: GraphModule, recorded: Any, found: list, tensors: list[str], labels: list[str]) -> None:
    """Gives the Graph the arguments that are no tensors, writes to arguments, and the function's own results."""
    graph = gm.graph
    (out,) = graph.find_nodes(op="output")
    values = list(out.args[0])
    results = iter(values)
    shown = [next(results) if isinstance(x, Tensor) else x for x in found]
    inputs = {n.name: n for n in graph.find_nodes(op="placeholder")}
    with graph.inserting_before(out):
        for (_, number, _), value in zip(recorded.written, results):
            graph.call_method("copy_", (inputs[tensors[number]], value))
    first = next(iter(graph.nodes))
    for label in labels:
        if label in inputs:
            first = inputs[label].next
        else:
            with graph.inserting_before(first):
                graph.placeholder(label)
    out.args = (shown[0] if len(shown) == 1 else shown,)


def _is_flat(args: tuple, out: Any) -> bool:
    return out.is_leaf() and not any(isinstance(a, list | tuple | dict) for a in args)
