"""export: a module's forward, run once, as a Graph that has everything it reads among its inputs, and everything it
writes among its outputs."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .._core.api import Graph, NotOneOp, Tensor, from_array
from ..compiler.aten.lower import lowered
from ..compiler.errors import Unsupported
from ..compiler.graphs.trace import Traced, trace
from ..compiler.noting import Reads, noting
from ..compiler.through_backend import apart
from ..fx import GraphModule, Node
from ..nn.modules.module import Module
from ..utils import _pytree as pytree
from .exported_program import ExportedProgram, leaves_of
from .graph_signature import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)

__all__ = ["Calls", "export", "exported_again", "exported_once"]


def export(
    mod: Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: Sequence[str] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """The module's forward for arguments like these, as an ExportedProgram: `ep.module()` is called as the module,
    `torch.export.save(ep, file)` keeps it.

    The forward is run once; what Python does in it (a branch on a size, a loop) is decided then. It must not read
    values of tensors: that raises at the line which does. Writes to buffers and arguments become outputs of the
    Graph, which `ep.module()` writes.

    Args:
        args, kwargs: examples: tensors, of which shapes and dtypes count, in any nesting; other values, which are fixed
        dynamic_shapes: which sizes are open: for each argument, by name or position, a dict from dimension to `Dim`, or
            a sequence of them; what is nested as the arguments are; a ShapesCollection or AdditionalInputs. All others
            are those of the example
        strict, prefer_deferred_runtime_asserts_over_guards: how PyTorch analyses, with nothing to choose here
        preserve_module_call_signature: raises, if it names a module: calls of modules are no part of the Graph

    >>> ep = torch.export.export(torch.nn.Linear(2, 3), (torch.ones(1, 2),))
    >>> ep.graph_signature.parameters
    ('weight', 'bias')
    >>> ep.module()(torch.ones(1, 2)).shape
    torch.Size([1, 3])
    >>> batch = torch.export.Dim("batch")
    >>> ep = torch.export.export(torch.nn.Linear(2, 3), (torch.ones(4, 2),), dynamic_shapes={"input": {0: batch}})
    >>> ep.module()(torch.ones(7, 2)).shape
    torch.Size([7, 3])

    Raises UserError where the program fixes a size that is to be open, with the line that does and what to say instead.
    """
    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise TypeError(f"Expecting `args` to be a tuple of example positional inputs, got {type(args)}")
    if preserve_module_call_signature:
        raise NotImplementedError(
            "torch.export.export: preserve_module_call_signature is not supported, because calls of modules are not part of the Graph; leave it out"
        )
    kwargs = dict(kwargs or {})
    if dynamic_shapes is not None:
        from .opening import export_open  # which calls `exported_once`

        return export_open(mod, args, kwargs, dynamic_shapes)
    return exported_once(mod, args, kwargs)[0]


def exported_once(mod: Module, args: tuple, kwargs: dict[str, Any], watched: Callable = contextlib.nullcontext) -> tuple[ExportedProgram, Graph]:  # fmt: skip
    """The program of a module at the sizes of these arguments, and the Graph that it was made of. watched: a context in
    which the forward is run."""
    found: list[Any] = []

    def forward(*a: Any, **k: Any) -> list[Tensor]:
        with _exporting(), watched():
            leaves, spec = pytree.tree_flatten(mod(*a, **k))
        found[:] = [leaves, spec]
        return [apart(x) for x in leaves if isinstance(x, Tensor)]

    forward.__wrapped__ = mod.forward  # type: ignore[attr-defined]  # by which its buffers are found
    reads = Reads(fullgraph=True)
    try:
        with reads:
            traced = trace(forward, (*args,), kwargs)
        if reads.error is not None:  # which the forward caught
            raise reads.error
    except Unsupported:
        raise NotImplementedError(
            f"torch.export.export: {reads.why}, and a Graph is the same whatever the values are: choose with torch.where or torch.cond"
        ) from None
    except NotOneOp as refused:
        raise NotImplementedError(
            f"torch.export.export: the forward cannot be expressed as one Graph: {refused}"
        ) from None
    leaves, out_spec = found
    names = _names(mod, args, kwargs)
    return _program(_Members(mod), traced, args, kwargs, names, leaves, out_spec), traced.graph


@contextlib.contextmanager
def _exporting() -> Iterator[None]:
    """A context in which programs see that they are being exported."""
    before = noting.compiling, noting.exporting
    noting.compiling = noting.exporting = True
    try:
        yield
    finally:
        noting.compiling, noting.exporting = before


def _names(mod: Module, args: tuple, kwargs: dict[str, Any]) -> list[str]:
    """Names that forward gives its arguments."""
    given = [
        p
        for p in inspect.signature(mod.forward).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    names = [p.name for p in given][: len(args)]
    rest = next(
        (p.name for p in inspect.signature(mod.forward).parameters.values() if p.kind is p.VAR_POSITIONAL),
        "args",
    )
    return [*names, *[f"{rest}_{i}" for i in range(len(args) - len(names))], *kwargs]


class Calls(Module):
    """A function as a module."""

    def __init__(self, fn: Callable):
        super().__init__()
        self.forward = fn


class _Members:
    """A module's parameters and buffers, by name, and which are in the state dict."""

    def __init__(self, mod: Module):
        state = mod.state_dict(keep_vars=True)
        self.parameters = dict(mod.named_parameters())
        self.buffers = dict(mod.named_buffers())
        self.persistent = {n for n in self.buffers if n in state}
        self.others = {
            f"{prefix}.{name}" if prefix else name: x
            for prefix, m in mod.named_modules()
            for name, x in vars(m).items()
            if isinstance(x, Tensor)
        }


def _program(
    members: _Members,
    traced: Traced,
    args: tuple,
    kwargs: dict[str, Any],
    names: list[str],
    leaves: list[Any],
    out_spec: Any,
) -> ExportedProgram:
    region = traced.finish.__self__  # type: ignore[attr-defined]
    flat, in_spec = leaves_of(args, kwargs)
    labels = _labels(names, args, kwargs)
    user = iter(range(traced.given))
    of_user = {k: next(user) for k, x in enumerate(flat) if isinstance(x, Tensor)}
    lifted = [b.tensor for b in region.lifted.values()]
    there = {
        id(t._cell.value): n
        for n, t in [*members.others.items(), *members.buffers.items(), *members.parameters.items()]
    }
    owner: dict[int, str] = {}
    constants: dict[str, Tensor] = {}
    for i in range(traced.given, len(traced.inputs)):
        if i in traced.drawn:
            continue
        t = lifted[i - traced.given] if i - traced.given < len(lifted) else traced.inputs[i]
        name = there.get(id(t._cell.value))
        if name is None:
            name = f"lifted_tensor_{len(constants)}"
        if name not in members.parameters and name not in members.persistent:
            constants[name] = members.buffers.get(name, members.others.get(name, t))
        owner[i] = name
    inputs: list[tuple[str, InputSpec, int | None]] = []
    number = {n: i for i, n in reversed(owner.items())}
    for n in members.parameters:
        inputs.append(_input("p", InputKind.PARAMETER, n, number.get(n), None))
    for n in members.buffers:
        inputs.append(_input("b", InputKind.BUFFER, n, number.get(n), n in members.persistent))
        if n not in members.persistent:
            constants[n] = members.buffers[n]
    for n in constants:
        if n not in members.buffers:
            inputs.append(_input("c", InputKind.CONSTANT_TENSOR, n, number.get(n), None))
    for k, (label, x) in enumerate(zip(labels, flat)):
        arg: Any = TensorArgument(label) if k in of_user else ConstantArgument(label, x)
        inputs.append((label, InputSpec(InputKind.USER_INPUT, arg), of_user.get(k)))
    gm = _shown(traced, inputs, {i: owner[i] for i in owner})
    named = {
        id(b.tensor): n
        for n in members.buffers
        for b in region.effects.updates
        if members.buffers[n] is b.tensor
    }
    effects = [
        OutputSpec(OutputKind.USER_INPUT_MUTATION, None, labels[_place(flat, t)])
        for t, _ in region.effects.written
    ] + [OutputSpec(OutputKind.BUFFER_MUTATION, None, named[id(b.tensor)]) for b in region.effects.updates]
    outputs = _outputs(gm, effects, leaves)
    state = {
        **members.parameters,
        **{n: members.buffers[n] for n in members.buffers if n in members.persistent},
    }
    signature = ExportGraphSignature([s for _, s, _ in inputs], outputs)
    gm.recompile()
    return ExportedProgram(gm, signature, state, constants, in_spec, out_spec, names, (args, kwargs))


def _place(flat: list[Any], t: Tensor) -> int:
    return next(k for k, x in enumerate(flat) if x is t)


def _labels(names: list[str], args: tuple, kwargs: dict[str, Any]) -> list[str]:
    """A name for each of the user's inputs."""
    found = []
    for name, value in zip(names, [*args, *kwargs.values()]):
        leaves = pytree.tree_flatten_with_path(value)[0]
        found += [re.sub(r"\W+", "_", name + "".join(map(str, path))).strip("_") for path, _ in leaves]
    return found


def _input(
    letter: str, kind: InputKind, name: str, number: int | None, persistent: bool | None
) -> tuple[str, InputSpec, int | None]:
    label = f"{letter}_{re.sub(r'[^0-9a-zA-Z_]', '_', name)}"
    return label, InputSpec(kind, TensorArgument(label), name, persistent), number


def _shown(
    traced: Traced, inputs: list[tuple[str, InputSpec, int | None]], owner: dict[int, str]
) -> GraphModule:
    """The Graph with placeholders in the order of `inputs`, whether it reads them or not."""
    labels = {number: label for label, _, number in inputs if number is not None}
    first = {name: i for i, name in reversed(owner.items())}
    names = [labels.get(i, f"unnamed_{i}") for i in range(len(traced.inputs))]
    gm = lowered(traced.graph, names, traced.drawn, whole=True)
    graph = gm.graph
    nodes = dict(
        zip(
            [i for i in range(len(traced.inputs)) if i not in traced.drawn],
            graph.find_nodes(op="placeholder"),
        )
    )
    for i, node in nodes.items():  # one tensor that was captured twice is one input
        if i in owner and first[owner[i]] != i:
            node.replace_all_uses_with(nodes[first[owner[i]]])
            graph.erase_node(node)
    start = next(n for n in graph.nodes if n.op != "placeholder")
    for label, spec, number in inputs:
        if number is not None:
            node = nodes[number]
            start.prepend(node)
        else:
            with graph.inserting_before(start):
                node = graph.placeholder(label)
        spec.arg.name = node.name
    return gm


def _outputs(gm: GraphModule, effects: list[OutputSpec], leaves: list[Any]) -> list[OutputSpec]:
    """Kinds of the Graph's outputs; values that are not tensors become outputs too."""
    (out,) = gm.graph.find_nodes(op="output")
    values = list(out.args[0])
    results = iter(values[len(effects) :])
    shown = [next(results) if isinstance(x, Tensor) else x for x in leaves]
    for spec, value in zip(effects, values):
        spec.arg = TensorArgument(value.name)
    specs = [
        OutputSpec(
            OutputKind.USER_OUTPUT, TensorArgument(x.name) if isinstance(x, Node) else ConstantArgument("", x)
        )
        for x in shown
    ]
    buffers = [k for k, s in enumerate(effects) if s.kind is OutputKind.BUFFER_MUTATION]
    order = [*buffers, *[k for k in range(len(effects)) if k not in buffers]]
    out.args = ((*[values[k] for k in order], *shown),)
    return [*[effects[k] for k in order], *specs]


def exported_again(ep: ExportedProgram, run: Callable) -> ExportedProgram:
    """The program of what `run` does with the inputs of the Graph."""
    signature = ep.graph_signature
    fixed = [s.arg.value if isinstance(s.arg, ConstantArgument) else None for s in signature.input_specs]
    tensors = [n.meta.get("val") for n in ep.graph.find_nodes(op="placeholder")]
    given = [
        from_array(np.broadcast_to(np.zeros((), v.dtype.np), tuple(v.shape))) if f is None else f
        for v, f in zip(tensors, fixed)
    ]
    at = [k for k, f in enumerate(fixed) if f is None]

    def forward(*now: Tensor) -> list[Tensor]:
        full = list(given)
        for k, t in zip(at, now):
            full[k] = t
        return [apart(o) for o in run(*full) if isinstance(o, Tensor)]

    traced = trace(forward, tuple([given[k] for k in at]), {})
    order = [(s.arg.name, s, at.index(k) if k in at else None) for k, s in enumerate(signature.input_specs)]
    gm = _shown(traced, order, {})
    (out,) = gm.graph.find_nodes(op="output")
    results = iter(out.args[0])
    values = [
        s.arg.value if isinstance(s.arg, ConstantArgument) else next(results) for s in signature.output_specs
    ]
    specs = [
        OutputSpec(s.kind, TensorArgument(v.name) if isinstance(v, Node) else s.arg, s.target)
        for s, v in zip(signature.output_specs, values)
    ]
    out.args = (tuple(values),)
    gm.recompile()
    return ExportedProgram(
        gm,
        ExportGraphSignature(signature.input_specs, specs),
        ep.state_dict,
        ep.constants,
        ep._in_spec,
        ep._out_spec,
        ep._names,
        ep.example_inputs,
    )
