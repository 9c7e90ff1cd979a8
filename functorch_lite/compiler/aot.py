"""Functions of which forward and backward are Graphs of their own, each handed to a compiler:
`functorch.compile.aot_function` and its like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Tensor, state
from ..autograd import Function
from ..fx import Graph as FxGraph
from ..fx import GraphModule, Node
from ..nn.modules.module import Module
from .graphs.joint import joint
from .graphs.trace import Traced, trace
from .graphs.view import view_of
from .hooks import watched
from .through_backend import apart, unboxed

__all__ = ["aot_function", "aot_module", "default_partition", "extracted", "nop", "trace_joint"]


def nop(fx_g: GraphModule, _: Any = None) -> GraphModule:
    """A compiler that does nothing."""
    return fx_g


def trace_joint(fn: Callable, args: Sequence[Any]) -> GraphModule:
    """Forward and backward of a function as one GraphModule: its inputs are the tensors among the arguments and what
    the function captured (`primals_1`, …), then the tangents of the results that have a gradient; it returns the
    results, then the gradients of the floating point inputs, None where there is none.

    >>> from functorch_lite.compiler.aot import trace_joint
    >>> gm = trace_joint(lambda x: x.sin().sum(), [torch.zeros(2)])
    >>> gm(torch.zeros(2), torch.tensor(1.0))
    (tensor(0.), tensor([1., 1.]))
    """
    traced = trace(fn, tuple(args), {})
    wanted = [i for i, a in enumerate(traced.graph.in_avals) if a.taped and i not in traced.drawn]
    return _Joint(traced, wanted).module


class _Joint:
    """The joint GraphModule of what was traced, and which results have tangents."""

    def __init__(self, traced: Traced, wanted: Sequence[int]):
        graph, self.tangents, places = joint(traced.graph, wanted)
        inputs = [i for i in range(len(traced.inputs)) if i not in traced.drawn]
        primals = {i: f"primals_{k + 1}" for k, i in enumerate(inputs)}
        names = [primals.get(i, "") for i in range(len(traced.inputs))]
        names += [f"tangents_{k + 1}" for k in range(len(self.tangents))]
        self.module = view_of(graph, names, traced.drawn, name="joint_helper")
        (out,) = self.module.graph.find_nodes(op="output")
        n = self.n_results = len(traced.graph.outputs)
        results = list(out.args[0])
        out.args = ((*results[:n], *[None if k is None else results[k] for k in places]),)
        self.module.recompile()


def default_partition(
    joint_module: GraphModule, _joint_inputs: Any = None, *, num_fwd_outputs: int
) -> tuple[GraphModule, GraphModule]:
    """A joint GraphModule in two. forward: inputs -> results, then all values that the backward reads; backward: these
    values and the tangents -> gradients. Nothing is computed twice."""
    graph = joint_module.graph
    late: set[Node] = {n for n in graph.nodes if n.op == "placeholder" and n.name.startswith("tangents")}
    for node in graph.nodes:
        if node.op != "output" and not late.isdisjoint(node.all_input_nodes):
            late.add(node)
    (out,) = graph.find_nodes(op="output")
    results, gradients = out.args[0][:num_fwd_outputs], out.args[0][num_fwd_outputs:]
    read = [i for n in graph.nodes if n in late for i in n.all_input_nodes]
    read += [g for g in gradients if g is not None]
    saved = [n for n in dict.fromkeys(read) if n not in late]
    forward = extracted(
        graph, [n for n in graph.nodes if n not in late and n.op != "output"], [], [*results, *saved]
    )
    tangents = [n for n in graph.nodes if n in late and n.op == "placeholder"]
    steps = [n for n in graph.nodes if n in late and n.op not in ("placeholder", "output")]
    backward = extracted(graph, steps, [*saved, *tangents], list(gradients))
    return GraphModule(joint_module, forward), GraphModule(joint_module, backward)


def extracted(graph: FxGraph, steps: Sequence[Node], inputs: Sequence[Node], outputs: list) -> FxGraph:
    """The Graph of some steps of another, of these inputs."""
    made, env = FxGraph(), {}
    for node in inputs:
        env[node] = made.placeholder(node.name)
        env[node].meta.update(node.meta)
    for node in steps:
        env[node] = made.node_copy(node, env.__getitem__)
    made.output(tuple([o if o is None else env[o] for o in outputs]))
    return made


def aot_function(
    fn: Callable,
    fw_compiler: Callable,
    bw_compiler: Callable | None = None,
    partition_fn: Callable = default_partition,
    decompositions: dict | None = None,
    *,
    inference_compiler: Callable | None = None,
) -> Callable:
    """A function of which the forward and the backward are Graphs, each called by what a compiler gives for it.

    fw_compiler(graph module, example inputs) and bw_compiler return callables of the Graph's inputs that give its
    results as a tuple or list; bw_compiler is fw_compiler if not given, and inference_compiler too, which is for calls
    of which no gradient is wanted. partition_fn(joint module, joint inputs, num_fwd_outputs=n) cuts the joint Graph in
    two.

    >>> from functorch_lite.compat.functorch.compile import aot_function, nop
    >>> f = aot_function(lambda x: x.sin().sum(), nop)
    >>> x = torch.zeros(2, requires_grad=True)
    >>> f(x).backward()
    >>> x.grad
    tensor([1., 1.])
    """
    if decompositions:
        raise NotImplementedError(
            "aot_function: recorded ops are not decomposed here; make_fx(f, decomposition_table) puts functions in the place of others"
        )
    made: dict[Any, Any] = {}
    fw_compiler = watched(fw_compiler, "aot")
    bw_compiler = None if bw_compiler is None else watched(bw_compiler, "aot")
    inference_compiler = None if inference_compiler is None else watched(inference_compiler, "aot")

    def compiled(*args: Any, **kwargs: Any) -> Any:
        traced = trace(fn, args, kwargs)
        inputs = [x for i, x in enumerate(traced.inputs) if i not in traced.drawn]
        wanted = (
            [i for i, x in enumerate(traced.inputs) if isinstance(x, Tensor) and x.requires_grad]
            if state.grad
            else []
        )
        key = (traced.graph, tuple(wanted))
        if key not in made:
            made[key] = (
                _Pair(traced, wanted, inputs, fw_compiler, bw_compiler or fw_compiler, partition_fn)
                if wanted
                else unboxed(
                    (inference_compiler or fw_compiler)(
                        view_of(traced.graph, _primals(traced), traced.drawn), inputs
                    )
                )
            )
        outs = made[key](*inputs)
        return traced.finish([apart(o) for o in outs])

    return compiled


def _primals(traced: Traced) -> list[str]:
    return [f"primals_{i + 1}" for i in range(len(traced.inputs))]


class _Pair:
    """A forward and a backward, as one function that the tape knows."""

    def __init__(
        self,
        traced: Traced,
        wanted: Sequence[int],
        inputs: list,
        fw: Callable,
        bw: Callable,
        partition_fn: Callable,
    ):
        both = _Joint(traced, wanted)
        tangents = [n.meta["val"] for n in both.module.graph.find_nodes(op="placeholder")][len(inputs) :]
        forward, backward = partition_fn(both.module, [inputs, tangents], num_fwd_outputs=both.n_results)
        self.n, self.tangents = both.n_results, both.tangents
        numbers = [i for i in range(len(traced.inputs)) if i not in traced.drawn]
        self.wanted = [numbers.index(i) for i in wanted]
        example = [n.meta.get("val") for n in backward.graph.find_nodes(op="placeholder")]
        self.forward, self.backward = unboxed(fw(forward, inputs)), unboxed(bw(backward, example))

    def __call__(self, *inputs: Any) -> tuple:
        pair = self

        class Compiled(Function):
            @staticmethod
            def forward(ctx, *given):
                outs = tuple(pair.forward(*given))
                results, saved = outs[: pair.n], outs[pair.n :]
                ctx.save_for_backward(*saved)
                ctx.mark_non_differentiable(*[r for k, r in enumerate(results) if k not in pair.tangents])
                return results

            @staticmethod
            def backward(ctx, *cotangents):
                found = pair.backward(*ctx.saved_tensors, *[cotangents[k] for k in pair.tangents])
                grads: list[Any] = [None] * len(inputs)
                for at, gradient in zip(pair.wanted, found):
                    grads[at] = gradient
                return tuple(grads)

        return Compiled.apply(*inputs)


def aot_module(mod: Module, *args: Any, **kwargs: Any) -> Module:
    """A module of which forward and backward are Graphs: see `aot_function`. Its parameters are the parameters of
    `mod`."""

    class AOTModule(Module):
        def __init__(self) -> None:
            super().__init__()
            self.orig_module = mod
            Module.__setattr__(self, "_compiled", aot_function(mod, *args, **kwargs))

        def forward(self, *given, **named):
            return self._compiled(*given, **named)

    return AOTModule()
