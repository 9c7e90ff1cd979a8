"""make_fx: a function, run once and shown as the ops that it recorded."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ... import _ops
from ..._core.api import Tensor, record_function, tidied
from ...func._trees import flatten, unflatten
from ...fx import GraphModule
from ...fx._code import PyTreeCodeGen, PyTreeInfo
from ...nn.parameter import Parameter
from ...random.generator import Generator, drawing, take_back
from ...utils import _pytree as pytree
from ..aten.lower import lowered
from .decomposing import Decomposing
from .trace import with_numbers
from .view import view_of

__all__ = ["as_called", "make_fx"]

_COPY = _ops.namespace("aten").copy_.default


def as_called(f: Callable) -> Callable[..., GraphModule]:
    """`make_fx` whose steps are calls of the functions that f called, and not of aten's ops."""
    return functools.wraps(f)(lambda *args: _traced(f, args, shown=view_of))


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

    What it shows are ops of aten, as PyTorch's does: modules, methods and operators are gone, derivatives that f takes
    are steps like others; what f captured is an attribute; a write to an argument is a `copy_` at the end.
    docs/graphs.md lists what else looks otherwise.

    tracing_mode: "real" or "fake", which are the same here: shapes are known, and of values what f reads itself.
    "symbolic" raises: Graphs are of the shapes that they see. The arguments after it say how PyTorch is to trace, and
    have nothing to choose here. decomposition_table: functions in the place of others, by the function that is called.

    >>> from functorch_lite.fx.experimental.proxy_tensor import make_fx
    >>> print(make_fx(lambda x: x.sin() + 1)(torch.ones(2)).code.strip())
    def forward(self, x_1):
        sin = torch.ops.aten.sin.default(x_1);  x_1 = None
        add = torch.ops.aten.add.Tensor(sin, 1);  sin = None
        return add
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"Expected tracing_mode to be 'real', 'fake', or 'symbolic', got {tracing_mode}")
    if tracing_mode == "symbolic":
        raise NotImplementedError(
            "make_fx: a Graph is of the shapes that it was recorded with; leave tracing_mode out, and trace again for others"
        )

    @functools.wraps(f)
    def wrapped(*args: Any) -> GraphModule:
        if not decomposition_table:
            return _traced(f, args)
        made = _traced(f, args, shown=view_of)  # whose calls are of the functions that f called
        return _again(_again(made, decomposition_table, f, args), decomposition_table, f, args)

    return wrapped


def _again(made: GraphModule, table: dict, f: Callable, args: tuple) -> GraphModule:
    """Traces a GraphModule once more, with other functions in the place of some (`table`)."""
    return _traced(lambda *given: Decomposing(made, table).run(*given), args, _names(f, args))


def _names(f: Callable, args: tuple) -> list[str]:
    """Returns the names that f gives its arguments."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return [f"arg_{i}" for i in range(len(args))]
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return [*names, *[f"arg_{i}" for i in range(len(names), len(args))]][: len(args)]


def _traced(
    f: Callable, args: tuple, names: list[str] | None = None, shown: Callable[..., GraphModule] = lowered
) -> GraphModule:
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
    gm = shown(graph, [labels[i] for i in at], drawn, held, getattr(f, "__name__", "GraphModule"))
    flat = _is_flat(args)
    _place(gm, recorded, found, [labels[i] for i in at], labels, out_structure if flat else None)
    if not flat:
        gm.graph._codegen = PyTreeCodeGen(
            PyTreeInfo(list(names), pytree.tree_flatten(args)[1], out_structure)
        )
    gm.recompile()
    return gm


def _captured(
    inputs: list, n_given: int, keys: list[tuple[Generator, Any]]
) -> tuple[dict[int, Generator], dict[int, tuple[str, Tensor]]]:
    """Returns the inputs of a Graph that are not arguments: keys of draws, and tensors under the names that PyTorch
    gives them."""
    take_back(keys)
    owners = {id(key): generator for generator, key in keys if key is not None}
    drawn: dict[int, Generator] = {}
    held: dict[int, tuple[str, Tensor]] = {}
    for i, x in enumerate(inputs[n_given:], n_given):
        key = owners.get(id(x._cell.value.array))
        if key is not None:
            drawn[i] = key
            continue
        is_leaf = x._edge is not None and x._edge[0].is_leaf
        kind = "_param_constant" if is_leaf else "_tensor_constant"
        held[i] = (
            f"{kind}{sum(n.startswith(kind) for n, _ in held.values())}",
            _as_parameter(x) if is_leaf else x,
        )
    return drawn, held


def _as_parameter(x: Tensor) -> Parameter:
    """Makes a module's Parameter that is the same leaf."""
    made = Parameter(x.detach())
    made._cell, made._edge = x._cell, x._edge
    return made


def _place(gm: GraphModule, recorded: Any, found: list, tensors: list[str], labels: list[str], structure: Any) -> None:  # fmt: skip
    """Gives the Graph the arguments that are not tensors, writes to arguments, and the function's own results, nested
    as `structure` says, or in a list."""
    graph = gm.graph
    (out,) = graph.find_nodes(op="output")
    values = list(out.args[0])
    results = iter(values)
    shown = [next(results) if isinstance(x, Tensor) else x for x in found]
    inputs = {n.target: n for n in graph.find_nodes(op="placeholder")}
    with graph.inserting_before(out):
        for (_, number, _), value in zip(recorded.written, results):
            graph.create_node("call_function", _COPY, (inputs[tensors[number]], value), {}, "copy_")
    first = next(iter(graph.nodes))
    for label in labels:
        if label in inputs:
            first = inputs[label].next
        else:
            with graph.inserting_before(first):
                graph.placeholder(label)
    out.args = (shown if structure is None else _plain(pytree.tree_unflatten(shown, structure)),)


def _plain(x: Any) -> Any:
    """Returns a function's result, with a plain tuple in the place of a named one of torch's."""
    if (
        isinstance(x, tuple)
        and type(x) is not tuple
        and type(x).__module__.partition(".")[0] in ("functorch_lite", "torch")
    ):
        return tuple(x)
    return x


def _is_flat(args: tuple) -> bool:
    return all(pytree.tree_is_leaf(a) for a in args)
