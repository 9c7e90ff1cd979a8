"""The engine: a recorded Graph as a function whose backward keeps the values that a plan chose, and computes the others again.

The function has a rule of its own for derivatives (`jax.custom_jvp`): the forward and its derivative, in which the chosen values are named.
`jax.checkpoint` around it keeps what has such a name, and nothing else. Both compose with every transform of JAX, so the function does: with vmap,
with forward mode, with derivatives of derivatives. The rule, not the function, is where values are named, because JAX's own rules read an op's
result before a name could be given to it: `exp` would run again though its result is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun

from ..._core.api import Graph
from ..._core.lazy.applied import tracing
from ..._core.lazy.reach import CLAIMS
from .flat import NAME, flattened, live, named_only
from .forward import Forward, Origin, differentiable
from .kinds import bytes_of, cost_of, flops_of, kind_of
from .program import INPUT, VIEW, Plan, Program, Step

__all__ = ["Partitioned", "joint_program"]

SAVED = "saved "
"""What names of kept values begin with."""


def is_saved(primitive: Any, *_: Any, **params: Any) -> bool:
    """The policy: what is named as saved is."""
    return primitive is NAME and str(params["name"]).startswith(SAVED)


class Partitioned:
    """A Graph whose backward keeps what `planner` chose: `planner(program, forward, the equation of each step)` gives the Plan.

    It is called as the Graph is. `parameters`: numbers of inputs that are there anyway. One plan is made for each set of inputs that a
    derivative is taken by; `last`: that of the derivative that was taken last.
    """

    def __init__(
        self,
        graph: Graph,
        planner: Callable[[Program, Forward, list], Plan],
        parameters: frozenset[int] = frozenset(),
    ):
        self.forward = Forward(graph)
        self.planner, self.parameters = planner, parameters
        self._plain = jaxpr_as_fun(named_only(self.forward.jaxpr, {}))
        self._all: dict[tuple[bool, ...], ClosedJaxpr] = {}
        self._plans: dict[tuple[bool, ...], Plan] = {}
        self._rules: dict[tuple[bool, ...], Callable] = {}
        self._smooth = differentiable(self.forward.jaxpr)
        self.last: Plan | None = None
        self.function = jax.checkpoint(self._with(self._rule_of), policy=is_saved)

    def __call__(self, *arrays: Any) -> list:
        return self.function(*arrays)

    def plan(self, perturbed: Sequence[bool] | None = None) -> Plan:
        """The plan for derivatives by these inputs; by all that have derivatives, if none are given."""
        if perturbed is None:
            perturbed = [
                jax.numpy.issubdtype(a.dtype, jax.numpy.inexact) for a in self.forward.jaxpr.in_avals
            ]
        which = tuple(perturbed)
        found = self._plans.get(which)
        if found is None:
            program, equations = joint_program(self, which)
            found = self._plans[which] = self.planner(program, self.forward, equations)
        return found

    def _all_named(self, which: tuple[bool, ...]) -> ClosedJaxpr:
        found = self._all.get(which)
        if found is None:
            found = self._all[which] = self.forward.jvp(which)
        return found

    def _rule_of(self, which: tuple[bool, ...]) -> Callable:
        """The forward and its derivative, in which the plan's values are named."""
        found = self._rules.get(which)
        self.last = plan = self.plan(which)
        if found is None:
            chosen = [plan.program.steps[i] for i in plan.saved]
            names = {s.name: f"{SAVED}{s.name}|{s.op}|{s.line}" for s in chosen}
            kept = named_only(self._all_named(which), names)
            found = self._rules[which] = jaxpr_as_fun(kept)
        return found

    def all_named(self, *arrays: Any) -> list:
        """The function, every value of whose derivative has a name. Nothing is kept by it."""
        return self._with(lambda which: jaxpr_as_fun(self._all_named(which)))(*arrays)

    def _with(self, rule_of: Callable[[tuple[bool, ...]], Callable]) -> Callable:
        @jax.custom_jvp
        def function(*arrays):
            return self._plain(*arrays)

        def rule(primals, tangents):
            which = tuple([not isinstance(t, SymbolicZero) for t in tangents])
            made = rule_of(which)(*primals, *[t for t, w in zip(tangents, which) if w])
            outs, smooth = made[: len(made) - len(self._smooth)], made[len(made) - len(self._smooth) :]
            by_number = dict(zip(self._smooth, smooth))
            zeros = [by_number.get(o, np.zeros(np.shape(x), jax.dtypes.float0)) for o, x in enumerate(outs)]
            return outs, zeros

        function.defjvp(rule, symbolic_zeros=True)
        return function


def joint_program(of: Partitioned, which: tuple[bool, ...]) -> tuple[Program, list]:
    """The joint program of a forward and its backward by the inputs in `which`, as the planner sees it, and the equation of each step.

    It is what `jax.vjp` makes, equation by equation: what the backward reads is read there.
    """
    forward = of.forward
    structs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in forward.jaxpr.in_avals]
    outs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in forward.jaxpr.out_avals]
    smooth = differentiable(forward.jaxpr)
    wanted = [i for i, w in enumerate(which) if w]

    def joint(primals, cotangents):
        def restricted(*chosen):
            full = list(primals)
            for i, x in zip(wanted, chosen):
                full[i] = x
            made = of.all_named(*full)
            return [made[o] for o in smooth], made

        _, pull, made = jax.vjp(restricted, *[primals[i] for i in wanted], has_aux=True)
        return [*made, *pull(cotangents)]

    with tracing(forward.device):
        traced = live(flattened(jax.make_jaxpr(joint)(structs, [outs[o] for o in smooth])))
    return _program(traced, len(structs), len(outs), of.parameters, forward.origins)


def _program(
    joint: ClosedJaxpr, n_inputs: int, n_results: int, parameters: frozenset[int], origins: dict[str, Origin]
) -> tuple[Program, list]:
    """Equations as steps. An equation with one result and its name are one step; one with several is a step that cannot be kept, of which
    its named results are views."""
    jaxpr = joint.jaxpr
    steps: list[Step] = []
    equations: list[Any] = []
    at: dict[Any, int] = {}
    late: set[int] = set()

    def add(step: Step, *variables: Any, eqn: Any = None) -> int:
        steps.append(step)
        equations.append(eqn)
        at.update(dict.fromkeys(variables, len(steps) - 1))
        if step.backward:
            late.add(len(steps) - 1)
        return len(steps) - 1

    for k, v in enumerate(jaxpr.invars):
        given = k >= n_inputs
        add(
            Step(f"in{k}", INPUT, bytes_of(v.aval), backward=given, parameter=k in parameters, op="input"), v
        )  # fmt: skip
    for k, v in enumerate(jaxpr.constvars):
        add(Step(f"const{k}", INPUT, 0, parameter=True, op="constant"), v)
    named = {
        e.invars[0]: e for e in jaxpr.eqns if e.primitive is NAME and not isinstance(e.invars[0], Literal)
    }
    merged: set[Any] = set()
    for eqn in jaxpr.eqns:
        if eqn.outvars[0] in merged:
            continue
        claimed = CLAIMS.get(eqn.primitive, len(eqn.invars))
        reads = tuple(sorted({at[v] for v in eqn.invars[:claimed] if not isinstance(v, Literal)}))
        backward = not late.isdisjoint(reads)
        kind, cost, flops = kind_of(eqn), cost_of(eqn), flops_of(eqn)
        size = sum(bytes_of(v.aval) for v in eqn.outvars)
        called = eqn.params["name"] if eqn.primitive is NAME else None
        variables = list(eqn.outvars)
        if called is None and len(variables) == 1 and variables[0] in named:
            name_eqn = named[variables[0]]
            called = name_eqn.params["name"]
            merged.add(name_eqn.outvars[0])
            variables.append(name_eqn.outvars[0])
        elif called is not None and reads:
            kind = steps[reads[0]].kind if steps[reads[0]].kind != INPUT else VIEW
        origin = origins.get(called or "", Origin(0, eqn.primitive.name, ""))
        add(
            Step(
                called or f"e{len(steps)}", kind, size, cost, reads, backward, called is not None and not backward,
                op=origin.op, line=origin.line, flops=flops,
            ),
            *variables, eqn=eqn,
        )  # fmt: skip
    results = [at[v] for v in jaxpr.outvars[:n_results] if not isinstance(v, Literal)]
    gradients = [at[v] for v in jaxpr.outvars[n_results:] if not isinstance(v, Literal)]
    return Program(tuple(steps), tuple(dict.fromkeys(results)), tuple(dict.fromkeys(gradients))), equations
