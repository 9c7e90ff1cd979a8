"""ExportedProgram: a module's forward as a Graph of its parameters, buffers and arguments, with their values."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax

from .._core.api import Tensor
from ..api_names import listed
from ..compiler.graphs.decomposing import Decomposing
from ..fx import Graph, GraphModule, Node
from ..fx._code import PyTreeCodeGen, PyTreeInfo
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from ..utils import _pytree as pytree
from .arguments import MOST
from .graph_signature import ConstantArgument, ExportGraphSignature, InputKind, OutputKind

__all__ = ["ExportedProgram"]
__dir__ = listed(__name__)


class ExportedProgram:
    """Result of `torch.export.export`.

    graph_module     the Graph: of parameters, buffers, constants and the user's tensors to new values of what is
                     written, and the results
    graph_signature  which input and output is what
    state_dict       parameters and persistent buffers; `constants`: other tensors that are read
    """

    def __init__(
        self,
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature,
        state_dict: dict[str, Tensor],
        constants: dict[str, Tensor],
        in_spec: Any,
        out_spec: Any,
        names: list[str],
        example_inputs: tuple[tuple, dict[str, Any]] | None = None,
    ):
        self.graph_module, self.graph_signature = graph_module, graph_signature
        self.state_dict, self.constants = state_dict, constants
        self._in_spec, self._out_spec, self._names = in_spec, out_spec, names
        self.example_inputs = example_inputs
        self.range_constraints: dict[Any, ValueRanges] = {}
        self.open: Open | None = None
        self._report: list[str] = []

    def _set_open(self, symbols: list[tuple], places: list[tuple]) -> None:
        """Says which sizes are open: the symbols (name, least, most), and the places (input's name, dimension, number
        of the symbol, factor, offset)."""
        self.open = Open(symbols, places)
        for expr, least, most in self.open.ranges():
            self.range_constraints[expr] = ValueRanges(least, most)

    @property
    def graph(self) -> Graph:
        """The Graph."""
        return self.graph_module.graph

    @property
    def tensor_constants(self) -> dict[str, Tensor]:
        """Other tensors that are read."""
        return self.constants

    def parameters(self) -> Iterator[Parameter]:
        """The parameters."""
        return iter([p for _, p in self.named_parameters()])

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """The parameters, by name."""
        return iter([(n, self.state_dict[n]) for n in self.graph_signature.parameters])

    def buffers(self) -> Iterator[Tensor]:
        """The buffers."""
        return iter([b for _, b in self.named_buffers()])

    def named_buffers(self) -> Iterator[tuple[str, Tensor]]:
        """The buffers, by name."""
        return iter([(n, self._value(n)) for n in self.graph_signature.buffers])

    def _value(self, target: str) -> Tensor:
        return self.state_dict[target] if target in self.state_dict else self.constants[target]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def __str__(self) -> str:
        code = textwrap.indent(self.graph_module.print_readable(print_output=False), "    ").strip()
        signature = textwrap.indent(str(self.graph_signature).strip(), "    ")
        return f"ExportedProgram:\n    {code}\n\nGraph signature:\n{signature}\n\nRange constraints: {self.range_constraints}\n"

    __repr__ = __str__

    def run_decompositions(self, decomp_table: Mapping[Any, Callable] | None = None) -> ExportedProgram:
        """The same program with functions of the table in the place of others.

        Without a table it is the program itself: new values of buffers and arguments are results already, and composite
        ops (`linear`, `layer_norm`, `silu`, …) stay whole, where PyTorch takes them apart to Core ATen."""
        from .exporting import exported_again  # which makes programs of this class

        if decomp_table and self.open is not None:
            raise NotImplementedError(
                "run_decompositions: a program with open sizes is taken apart by a table no more; call it without one, or export with the sizes of the examples"
            )
        return (
            self
            if not decomp_table
            else exported_again(self, Decomposing(self.graph_module, dict(decomp_table)).run)
        )

    def to_stablehlo(self, platforms: Sequence[str] = ("cpu", "cuda", "tpu"), parameters: str = "baked") -> jax.export.Exported:  # fmt: skip
        """The program for JAX alone, a `jax.export.Exported`: `serialize()` gives bytes that a process without this
        library runs, on any of these platforms, at all sizes of the ranges (0 is left out), and with
        `serialize(vjp_order=1)` its derivative.

        It is called as the module, with arrays. Where the program writes to buffers it gives (results, {name: new
        value}). Containers that JAX does not know are passed as tuples of arrays. int64 and float64 are unchanged:
        the caller turns on JAX's 64-bit types for them.

        Args:
            platforms: that it is lowered for; none of them has to be here
            parameters: "baked" into the program, or "arguments": then its first argument is a dict of parameters,
                buffers and constants, by name

        Raises NotImplementedError for a program that draws random numbers or writes to an argument, and NotOneGraph, a
        RuntimeError, for a step that JAX cannot say for all sizes of the ranges, with the line and what it cannot
        decide.

        >>> import jax
        >>> batch = torch.export.Dim("batch", min=1)
        >>> ep = torch.export.export(torch.nn.Linear(2, 3), (torch.ones(4, 2),), dynamic_shapes={"input": {0: batch}})
        >>> data = ep.to_stablehlo().serialize()
        >>> jax.export.deserialize(data).call(jax.numpy.ones((7, 2))).shape
        (7, 3)
        """
        from .stablehlo import to_stablehlo  # which makes programs of this class

        return to_stablehlo(self, platforms, parameters)

    def module(self, check_guards: bool = True) -> GraphModule:
        """The program as a module, called like the exported one: its parameters and buffers are taken from the state
        dict. Arguments have the shapes and dtypes of the examples; values that are not tensors equal the examples'
        values.

        check_guards: whether they are checked.
        """
        signature = self.graph_signature
        root: dict[str, Any] = {
            str(s.target): self._value(str(s.target)) for s in signature.input_specs if s.target is not None
        }
        graph = Graph()
        env: dict[Node, Any] = {}
        expected: list[tuple[str, Any]] = []
        nodes = list(self.graph.nodes)
        placeholders = [n for n in nodes if n.op == "placeholder"]
        by_name: dict[str, Node] = {}
        for node, spec in zip(placeholders, signature.input_specs, strict=True):
            if spec.kind is InputKind.USER_INPUT:
                env[node] = graph.placeholder(node.name)
                constant = isinstance(spec.arg, ConstantArgument)
                expected.append((node.name, spec.arg if constant else node.meta["val"]))
        if check_guards:
            root["_guards"] = _Guards(expected, self.open)
            graph.call_module("_guards", tuple(env.values()))
        for node, spec in zip(placeholders, signature.input_specs):
            if spec.kind is not InputKind.USER_INPUT:
                env[node] = graph.get_attr(str(spec.target))
            env[node].meta.update(node.meta)
            by_name[spec.target if spec.kind is InputKind.BUFFER else node.name] = env[node]  # type: ignore[index]
        for node in nodes:
            if node.op not in ("placeholder", "output"):
                env[node] = graph.node_copy(node, env.__getitem__)
                for path in _attributes(node):
                    root[path] = getattr(self.graph_module, path)
        (out,) = self.graph.find_nodes(op="output")
        results = []
        for value, spec in zip(out.args[0], signature.output_specs, strict=True):
            now = env[value] if isinstance(value, Node) else value
            if spec.kind is OutputKind.USER_OUTPUT:
                results.append(now)
            else:
                if spec.kind is OutputKind.BUFFER_MUTATION:
                    now = graph.call_method("detach", (now,))
                graph.call_method("copy_", (by_name[str(spec.target)], now))
        graph.output(tuple(results))
        graph._codegen = PyTreeCodeGen(PyTreeInfo(self._names, self._in_spec, self._out_spec))
        return GraphModule(root, graph)


def _attributes(node: Node) -> list[str]:
    return [str(node.target)] if node.op == "get_attr" else []


class ValueRanges:
    """The range of a size: from `lower` to `upper`, both of it."""

    def __init__(self, lower: int, upper: int):
        self.lower, self.upper = lower, upper

    def __repr__(self) -> str:
        return f"VR[{self.lower}, {'int_oo' if self.upper >= MOST else self.upper}]"


class Open:
    """The open sizes of a program: symbols (name, least, most), and places (input's name, dimension, number of the
    symbol, factor, offset)."""

    def __init__(self, symbols: list[tuple], places: list[tuple]):
        self.symbols, self.places = [tuple(s) for s in symbols], [tuple(p) for p in places]
        self.names = [name for name, _, _ in self.symbols]
        bounds = [f"{name} >= {max(least, 1)}" for name, least, _ in self.symbols]
        bounds += [f"{name} <= {most}" for name, _, most in self.symbols if most < MOST]
        self._scope = jax.export.SymbolicScope(bounds)

    def expr(self, text: str) -> Any:
        """A size of its text."""
        return jax.export.symbolic_shape(text, scope=self._scope)[0]

    def at(self, place: tuple) -> Any:
        """The size of a place."""
        _, _, number, factor, offset = place
        return factor * self.expr(self.names[number]) + offset

    def ranges(self) -> Iterator[tuple[Any, int, int]]:
        """Symbols, then sizes that follow from them, with the least and the most."""
        for name, least, most in self.symbols:
            yield self.expr(name), least, most
        for place in self.places:
            _, _, number, factor, offset = place
            if (factor, offset) != (1, 0):
                _, least, most = self.symbols[number]
                yield (
                    self.at(place),
                    factor * least + offset,
                    most if most >= MOST else factor * most + offset,
                )

    def check(self, shapes: dict[str, Any]) -> None:
        """Raises AssertionError for shapes of inputs, by name, that are outside the ranges, or of which one does not
        follow from the others."""
        seen: dict[int, tuple[int, str]] = {}
        for name, dim, number, factor, offset in self.places:
            n, text = shapes[name][dim], f"{name}.size()[{dim}]"
            root, rest = divmod(n - offset, factor)
            _guard(rest == 0, f"{text} == {factor}*{self.names[number]} + {offset}")
            if number in seen:
                value, first = seen[number]
                scaled = first if factor == 1 else f"{factor}*({first})"
                _guard(root == value, f"{text} == {scaled}{f' + {offset}' if offset else ''}")
            else:
                seen[number] = root, text if (factor, offset) == (1, 0) else f"({text} - {offset})/{factor}"
            _, least, most = self.symbols[number]
            _guard(root >= least, f"{text} >= {factor * least + offset}")
            _guard(root <= most, f"{text} <= {factor * most + offset}")


class _Guards(Module):
    """Raises where arguments are not like the examples."""

    def __init__(self, expected: list[tuple[str, Any]], open: Open | None):
        super().__init__()
        self.expected, self.open = expected, open

    def forward(self, *given: Any) -> None:
        """Looks at the user's inputs."""
        places = {(p[0], p[1]) for p in self.open.places} if self.open is not None else ()
        for (name, like), x in zip(self.expected, given, strict=True):
            if isinstance(like, ConstantArgument):
                _guard(type(x) is type(like.value) and x == like.value, f"{name} == {like.value!r}")
            elif not isinstance(x, Tensor):
                _guard(False, f"isinstance({name}, torch.Tensor)")
            else:
                _guard(x.ndim == like.ndim, f"{name}.ndim == {like.ndim}")
                for d, (n, m) in enumerate(zip(x.shape, like.shape)):
                    if (name, d) not in places:
                        _guard(n == m, f"{name}.size()[{d}] == {m}")
                _guard(x.dtype is like.dtype, f"{name}.dtype == {like.dtype}")
        if self.open is not None:
            self.open.check(
                {name: x.shape for (name, _), x in zip(self.expected, given) if isinstance(x, Tensor)}
            )


def _guard(holds: bool, text: str) -> None:
    if not holds:
        raise AssertionError(f"Guard failed: {text}")


def leaves_of(args: tuple, kwargs: dict[str, Any]) -> tuple[list[Any], Any]:
    """The user's inputs, one after the other, and how they are nested in the tuple of all arguments."""
    return pytree.tree_flatten((*args, *kwargs.values()))
