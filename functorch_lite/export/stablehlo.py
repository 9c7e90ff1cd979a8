"""Exported programs as JAX's: StableHLO that JAX alone runs, on other platforms too, with open sizes, and with the
derivative if asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from .._core.api import Graph, OpenGraph, Rows, Tensor, lookup, to_jax_array, tracing
from ..compiler.graphs.trace import trace
from ..compiler.through_backend import apart
from ..fx import Node
from ..utils import _pytree as pytree
from .exported_program import ExportedProgram, Open
from .graph_signature import ConstantArgument, InputKind, OutputKind
from .open_sizes import OpenSizes
from .sym_int import SymInt

__all__ = ["PLATFORMS", "to_stablehlo"]

PLATFORMS = ("cpu", "cuda", "tpu")


def to_stablehlo(
    ep: ExportedProgram, platforms: Sequence[str] = PLATFORMS, parameters: str = "baked"
) -> jax.export.Exported:
    """See `ExportedProgram.to_stablehlo`."""
    if parameters not in ("baked", "arguments"):
        raise ValueError(f"to_stablehlo: parameters are 'baked' or 'arguments', not {parameters!r}")
    writes = [s for s in ep.graph_signature.output_specs if s.kind is OutputKind.USER_INPUT_MUTATION]
    if writes:
        raise NotImplementedError(f"to_stablehlo: the program writes to its argument {writes[0].target}, and JAX's arrays do not change")  # fmt: skip
    return _Leaving(ep, parameters).exported(tuple(platforms))


class _Leaving:
    """A program on its way. The Graph's inputs are parameters, buffers and constants, then the user's tensors."""

    def __init__(self, ep: ExportedProgram, parameters: str):
        self.ep, self.as_arguments = ep, parameters == "arguments"
        signature = ep.graph_signature
        placeholders = ep.graph.find_nodes(op="placeholder")
        pairs = list(zip(placeholders, signature.input_specs, strict=True))
        self.fixed = {n.name: s.arg.value for n, s in pairs if isinstance(s.arg, ConstantArgument)}
        self.inputs = [(n, s) for n, s in pairs if not isinstance(s.arg, ConstantArgument)]
        self.user = [n for n, s in self.inputs if s.kind is InputKind.USER_INPUT]
        self.held = {str(s.target): ep._value(str(s.target)) for _, s in self.inputs if s.kind is not InputKind.USER_INPUT}  # fmt: skip
        self.placeholders = placeholders
        self.open = ep.open or Open([], [])
        self.sizes = OpenSizes.of_program(self.open, self.user)
        self.graph = self._open_graph()

    def _at(self, values: Sequence[int]) -> Graph:
        """The program's steps where the symbols have these values."""
        shapes = iter(self.sizes.shapes([_Shaped(n) for n in self.user], values))  # type: ignore[misc]
        zeros: Any = lookup("torch", "zeros")
        given = [
            zeros(next(shapes), dtype=n.meta["val"].dtype) if s.kind is InputKind.USER_INPUT else self.held[str(s.target)].detach()
            for n, s in self.inputs
        ]  # fmt: skip

        def forward(*now: Tensor) -> list[Tensor]:
            tensors = iter(now)
            full = [self.fixed[n.name] if n.name in self.fixed else next(tensors) for n in self.placeholders]
            return [apart(o) for o in self.ep.graph_module(*full) if isinstance(o, Tensor)]

        traced = trace(forward, tuple(given), {})
        if traced.drawn:
            raise NotImplementedError('to_stablehlo: the program draws random numbers, which cannot be exported; export the module in eval() mode')  # fmt: skip
        if len(traced.inputs) != len(given):
            raise NotImplementedError("to_stablehlo: the program reads tensors that are none of its inputs")
        return traced.graph

    def _open_graph(self) -> OpenGraph:
        sizes = self.sizes
        if not sizes.symbols:
            graph = self._at(())
            return OpenGraph([graph], Rows([], [], [()]), [a.shape for a in graph.in_avals], [])
        *sets, last = sizes.sets(self._constants(), 4)
        graphs = [self._at(each) for each in sets]
        rows = Rows(sizes.names, sizes.exprs, sets)
        for expr in self._known():
            rows.note(expr)
        user = iter(sizes.shapes([_Shaped(n) for n in self.user], sizes.exprs))  # type: ignore[misc]
        shapes = [next(user) if s.kind is InputKind.USER_INPUT else a.shape for a, (_, s) in zip(graphs[0].in_avals, self.inputs)]  # fmt: skip
        made = OpenGraph(graphs, rows, shapes, sizes.bounds)
        if (differs := made.disagrees(self._at(last), graphs[0], last)) is not None:
            raise differs
        return made

    def _constants(self) -> set[int]:
        return {int(n) for node in self.ep.graph.nodes for v in _tensors(node.meta.get("val")) for n in v.shape if not isinstance(n, SymInt)}  # fmt: skip

    def _known(self) -> list[Any]:
        """The sizes that Nodes of the Graph have, and compute."""
        found: dict[str, Any] = {}
        for node in self.ep.graph.nodes:
            val = node.meta.get("val")
            sizes = [val] if isinstance(val, SymInt) else [n for v in _tensors(val) for n in v.shape]
            found.update({str(n.expr): n for n in sizes if isinstance(n, SymInt)})
        return [jax.export.symbolic_shape(text, scope=self.sizes.exprs[0].scope)[0] for text in found]

    def exported(self, platforms: tuple[str, ...]) -> jax.export.Exported:
        """JAX's program."""
        names = list(self.held)
        held = {name: np.asarray(to_jax_array(t.detach(), "")) for name, t in self.held.items()}
        n_user = len(self.user)

        def run(parameters: dict[str, Any], args: tuple, kwargs: dict[str, Any]) -> Any:
            given = jax.tree.leaves((args, kwargs))
            outs = self.graph(*[parameters[name] for name in names], *given[:n_user])
            return self._results(outs)

        def with_parameters(parameters: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
            return run(parameters, args, kwargs)

        def program(*args: Any, **kwargs: Any) -> Any:
            return run(held, args, kwargs)

        made = with_parameters if self.as_arguments else program
        args, kwargs = self._structs()
        first = ({name: jax.ShapeDtypeStruct(x.shape, x.dtype) for name, x in held.items()},) if self.as_arguments else ()  # fmt: skip
        with tracing():
            return jax.export.export(jax.jit(made), platforms=platforms)(*first, *args, **kwargs)

    def _structs(self) -> tuple[tuple, dict[str, Any]]:
        """The user's arguments as shapes and dtypes. Values that are not tensors are left out."""
        shapes = iter(self.sizes.shapes([_Shaped(n) for n in self.user], self.sizes.exprs))  # type: ignore[misc]
        leaves = [
            None if n.name in self.fixed else jax.ShapeDtypeStruct(next(shapes), n.meta["val"].dtype.np)
            for n, s in zip(self.placeholders, self.ep.graph_signature.input_specs)
            if s.kind is InputKind.USER_INPUT
        ]
        values = pytree.tree_unflatten(leaves, self.ep._in_spec)
        names = self.ep._names
        n_args = len(values) if self.ep.example_inputs is None else len(self.ep.example_inputs[0])
        return tuple(values[:n_args]), dict(zip(names[n_args:], values[n_args:]))

    def _results(self, outs: Sequence[Any]) -> Any:
        """Results of the module; with new values of buffers, if it writes to some: (results, {name: value})."""
        (out,) = self.ep.graph.find_nodes(op="output")
        computed = iter(outs)
        written, results = {}, []
        for value, spec in zip(out.args[0], self.ep.graph_signature.output_specs):
            now = next(computed) if isinstance(value, Node) else value
            if spec.kind is OutputKind.USER_OUTPUT:
                results.append(now)
            else:
                written[str(spec.target)] = now
        made = pytree.tree_unflatten(results, self.ep._out_spec)
        plain = all(isinstance(x, jax.Array | int | float | bool | complex | type(None)) for x in jax.tree.leaves(made))  # fmt: skip
        made = made if plain else tuple(results)
        return (made, written) if written else made


class _Shaped:
    """Stands for a tensor of a placeholder."""

    def __init__(self, node: Node):
        self.shape = tuple([int.__add__(n, 0) for n in node.meta["val"].shape])


def _tensors(val: Any) -> list[Tensor]:
    if isinstance(val, tuple | list):
        return [t for v in val for t in _tensors(v)]
    return [val] if isinstance(val, Tensor) else []
