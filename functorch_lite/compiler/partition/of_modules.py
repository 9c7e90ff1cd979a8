"""Joint GraphModules split in two by the planner: `min_cut_rematerialization_partition`, and its parts.

A node of the joint Graph is a step of the program that the planner sees (`program.py`): its bytes are the bytes of
its result, its kind and cost come from the ops that it records.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

from ..._core.api import Tensor, from_array, state, walk
from ...fx import Graph, GraphModule, Interpreter, Node
from ...nn.parameter import Parameter
from ...random.generator import key_tensor
from ..aot import extracted
from ..graphs.trace import trace
from ..graphs.view import SWITCHES
from ..pass_reports import PassReport, tell
from .bans import rules
from .choose import check_budget, choose
from .estimators import costs_by
from .kinds import cost_of, flops_of, kind_of
from .knapsack import solver_named
from .program import INPUT, OTHER, POINTWISE, PRODUCT, RANDOM, REDUCTION, VIEW, Plan, Program, Step
from .settings import settings

__all__ = ["NodeInfo", "choose_saved_values_set", "classify_nodes", "min_cut_rematerialization_partition"]


@dataclass
class NodeInfo:
    """Roles of the nodes of a joint Graph.

    inputs                   placeholders that are no tangents
    required_fw_nodes        what the forward's results are computed from
    required_bw_nodes        what is computed from tangents
    tangents_closure         the same
    unclaimed_nodes          what neither needs: computed from no tangent, for gradients alone
    static_lifetime_input_nodes  parameters, which are kept in any case
    """

    inputs: list[Node]
    required_fw_nodes: list[Node]
    required_bw_nodes: set[Node]
    tangents_closure: set[Node]
    unclaimed_nodes: set[Node]
    static_lifetime_input_nodes: set[Node] = field(default_factory=set)
    num_fwd_outputs: int = 0

    def is_required_fw(self, n: Node) -> bool:
        """Returns whether the forward computes it."""
        return n in set(self.required_fw_nodes)

    def is_required_bw(self, n: Node) -> bool:
        """Returns whether it is computed from tangents."""
        return n in self.required_bw_nodes

    def is_unclaimed(self, n: Node) -> bool:
        """Returns whether neither needs it by itself."""
        return n in self.unclaimed_nodes


def classify_nodes(
    joint_module: GraphModule, static_lifetime_input_indices: Sequence[int], num_fwd_outputs: int
) -> NodeInfo:
    """Sorts the nodes of a joint Graph by their roles. static_lifetime_input_indices: the numbers of the inputs that
    are parameters."""
    nodes = list(joint_module.graph.nodes)
    placeholders = [n for n in nodes if n.op == "placeholder"]
    inputs = [n for n in placeholders if not n.name.startswith("tangents")]
    late = set(placeholders) - set(inputs)
    for n in nodes:
        if n.op != "output" and not late.isdisjoint(n.all_input_nodes):
            late.add(n)
    results, _ = _outputs(joint_module.graph, num_fwd_outputs)
    forward = _ancestors(results)
    return NodeInfo(
        inputs,
        [n for n in nodes if n in forward],
        late,
        late,
        {n for n in nodes if n.op != "output" and n not in forward and n not in late},
        {inputs[i] for i in static_lifetime_input_indices},
        num_fwd_outputs,
    )


def _outputs(graph: Graph, n: int) -> tuple[list, list]:
    (out,) = graph.find_nodes(op="output")
    return list(out.args[0][:n]), list(out.args[0][n:])


def _ancestors(of: Sequence[Any], up_to: Sequence[Node] | set[Node] = ()) -> set[Node]:
    """Finds these nodes and their ancestors, as far as `up_to`."""
    found: set[Node] = set()
    left = [n for n in of if isinstance(n, Node)]
    while left:
        n = left.pop()
        if n not in found:
            found.add(n)
            left += [] if n in up_to else n.all_input_nodes
    return found


class _Recording(Interpreter):
    """Runs a GraphModule and notes which equations each node records."""

    def __init__(self, gm: GraphModule):
        super().__init__(gm)
        self.equations: dict[Node, list[Any]] = {}

    def run_node(self, n: Node) -> Any:
        """Runs the node."""
        before = len(state.rec.path)
        out = super().run_node(n)
        self.equations[n] = [e for s in state.rec.path[before:] for e in walk.steps(s.applied.jaxpr)]
        return out


def _equations(gm: GraphModule) -> dict[Node, list[Any]]:
    """The equations that each node of a GraphModule records for inputs of the shapes that it knows."""

    def like(val: Any) -> Any:
        return (
            from_array(np.broadcast_to(np.zeros((), val.dtype.np), tuple(val.shape)))
            if isinstance(val, Tensor)
            else val
        )

    recording = _Recording(gm)
    trace(recording.run, tuple([like(n.meta["val"]) for n in gm.graph.find_nodes(op="placeholder")]), {})
    return recording.equations


def _bytes(n: Node) -> int:
    val = n.meta.get("val")
    return math.prod(val.shape) * val.dtype.itemsize if isinstance(val, Tensor) else 0


_COSTLIEST = (PRODUCT, OTHER, RANDOM, REDUCTION, POINTWISE, VIEW)


def _step(
    n: Node, number: dict[Node, int], equations: Sequence[Any], late: set[Node], free: set[Node]
) -> Step:
    val = n.meta.get("val")
    common: dict[str, Any] = {
        "name": n.name,
        "size": _bytes(n),
        "op": getattr(n.target, "__name__", str(n.target)),
    }
    if n.op == "placeholder":
        return Step(kind=INPUT, backward=n in late, parameter=n in free, **common)
    kinds = {kind_of(e) for e in equations}
    is_draw = n.target is key_tensor
    return Step(
        kind=RANDOM if is_draw else next((k for k in _COSTLIEST if k in kinds), VIEW),
        cost=0.0 if n.target is operator.getitem else sum(map(cost_of, equations)),
        reads=tuple(sorted({number[i] for i in n.all_input_nodes})),
        backward=n in late,
        savable=isinstance(val, Tensor) and n not in late,
        must="save" if is_draw else None,
        flops=sum(map(flops_of, equations)),
        **common,
    )


def _planned(gm: GraphModule, info: NodeInfo, budget: float) -> tuple[list[Node], Plan]:
    """The nodes that are steps of the program, and the plan of it."""
    estimator = settings.activation_memory_budget_runtime_estimator
    if estimator == "profile":
        raise NotImplementedError(
            "min_cut_rematerialization_partition: nodes are not measured; leave the estimator at 'flops'"
        )
    equations = _equations(gm)
    nodes = [n for n in gm.graph.nodes if n.op != "output" and n.target not in SWITCHES]
    number = {n: i for i, n in enumerate(nodes)}
    late, free = info.required_bw_nodes, info.static_lifetime_input_nodes
    steps = [_step(n, number, equations[n], late, free) for n in nodes]
    results, gradients = _outputs(gm.graph, info.num_fwd_outputs)
    program = Program(
        tuple(steps),
        tuple(dict.fromkeys([number[r] for r in results if isinstance(r, Node)])),
        tuple(dict.fromkeys([number[g] for g in gradients if isinstance(g, Node)])),
    )
    program = costs_by(estimator, program, (), None)
    solver = solver_named(settings.activation_memory_budget_solver)
    return nodes, choose(program, check_budget(budget), rules(), solver)


def choose_saved_values_set(joint_graph: Graph, node_info: NodeInfo, memory_budget: float = 1) -> list[Node]:
    """The nodes whose values the backward is given: inputs that it reads, and what a plan of this budget keeps.

    See docs/memory.md for what a budget is.

    node_info: of `classify_nodes`. The settings of `torch._functorch.config` hold, but for the budget.
    """
    gm = joint_graph.owning_module
    if gm is None:
        gm = GraphModule({}, joint_graph)
    nodes, plan = _planned(gm, node_info, memory_budget)
    return [nodes[i] for i in sorted({*plan.inputs, *plan.saved})]


def min_cut_rematerialization_partition(
    joint_module: GraphModule,
    _joint_inputs: Any = None,
    compiler: str = "inductor",
    *,
    num_fwd_outputs: int,
    static_lifetime_input_indices: Sequence[int] | None = None,
) -> tuple[GraphModule, GraphModule]:
    """A joint GraphModule in two: forward gives its results, then what is kept; backward takes what is kept, then the
    tangents, and gives the gradients. What is kept is what a plan of `torch._functorch.config.activation_memory_budget`
    keeps; the backward computes the rest once more.

    compiler: accepted; what runs again does not depend on it here. static_lifetime_input_indices: inputs that are there
    in any case; by default the Parameters among `_joint_inputs`. A draw of random numbers is kept, so that they are the
    same.

    >>> from functorch_lite.compat.functorch.compile import aot_function, min_cut_rematerialization_partition, nop
    >>> f = aot_function(lambda x: x.sin().cos().sum(), nop, partition_fn=min_cut_rematerialization_partition)
    >>> x = torch.zeros(2, requires_grad=True)
    >>> f(x).backward()
    >>> x.grad
    tensor([-0., -0.])
    """
    began = perf_counter()
    given = _joint_inputs[0] if isinstance(_joint_inputs, list | tuple) and _joint_inputs else ()
    if static_lifetime_input_indices is None:
        static_lifetime_input_indices = [i for i, x in enumerate(given) if isinstance(x, Parameter)]
    graph = joint_module.graph
    info = classify_nodes(joint_module, static_lifetime_input_indices, num_fwd_outputs)
    saved = choose_saved_values_set(graph, info, settings.activation_memory_budget)
    results, gradients = _outputs(graph, num_fwd_outputs)
    early = _ancestors([*results, *saved])
    forward = [n for n in graph.nodes if n.op == "placeholder" and n in set(info.inputs)]
    forward += [
        n
        for n in graph.nodes
        if n.op not in ("placeholder", "output") and (n in early or n.target in SWITCHES)
    ]
    late = _ancestors(gradients, set(saved))
    again = [n for n in graph.nodes if n in late and n not in saved and n.op != "placeholder"]
    tangents = [n for n in graph.nodes if n.op == "placeholder" and n not in set(info.inputs)]
    steps = sum(n.op not in ("placeholder", "output") for n in graph.nodes)
    twice = len(set(forward).intersection(again))
    tell(
        PassReport(
            "partition", "min_cut_rematerialization_partition", perf_counter() - began, steps, steps + twice,
            saved_bytes=sum(_bytes(n) for n in saved if n.op != "placeholder"),
        )
    )  # fmt: skip
    return (
        GraphModule(joint_module, extracted(graph, forward, [], [*results, *saved])),
        GraphModule(joint_module, extracted(graph, again, [*saved, *tangents], gradients)),
    )
