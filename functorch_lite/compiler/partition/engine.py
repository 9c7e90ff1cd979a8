"""The engine: a recorded Graph as two functions, of which the first gives what is kept, and the second has the derivatives.

`first(*inputs)` gives the Graph's results and the values that the plan keeps. `second(*inputs, *results, *kept)` gives the results again, and has a
rule for its derivative (`jax.custom_jvp`), which reads the inputs and what is kept, and computes all else once more; `jax.checkpoint` around it keeps
a compiler from taking what is computed again for what was computed before. So the forward runs once whatever a compiler merges, and what a backward
in a later program holds on to is what the plan says. Both compose with every transform of JAX: with vmap, with forward mode, with derivatives of
derivatives, which take nothing from what is kept: what is computed again is, to them, a function of the inputs alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.custom_derivatives import SymbolicZero
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun

from ..._core.api import Graph, flops_of
from ..._core.lazy.applied import tracing
from ..._core.lazy.reach import CLAIMS
from .coefficients import coefficients
from .flat import NAME, first_half, flattened, live, mixed, named_only, second_half
from .forward import Forward, Origin, differentiable
from .kinds import bytes_of, cost_of, kind_of
from .program import INPUT, VIEW, Plan, Program, Step

__all__ = ["Partitioned", "joint_program"]

SAVED = "saved "
"""What names of kept values begin with."""


class Partitioned:
    """A Graph whose backward keeps what `planner` chose: `planner(program, forward, the equation of each step)` gives the Plan.

    It is called as the Graph is: it is the second function after the first. `parameters`: numbers of inputs that are there anyway; `which`: whether
    a derivative is taken by an input, by default by all that have one. A derivative by others is right, and keeps the same.
    """

    def __init__(
        self,
        graph: Graph,
        planner: Callable[[Program, Forward, list], Plan],
        parameters: frozenset[int] = frozenset(),
        which: Sequence[bool] | None = None,
    ):
        self.forward = Forward(graph)
        avals = self.forward.jaxpr.in_avals
        smooth = [jax.numpy.issubdtype(a.dtype, jax.numpy.inexact) for a in avals]
        self.which = tuple([s and (which is None or w) for s, w in zip(smooth, which or smooth)])
        self.parameters = parameters
        self.n_inputs, self.n_results = len(avals), len(self.forward.jaxpr.out_avals)
        self._plain = jaxpr_as_fun(named_only(self.forward.jaxpr, {}))
        self._smooth = differentiable(self.forward.jaxpr)
        self._derivatives: dict[tuple[bool, ...], Callable] = {}
        self._all: dict[tuple[bool, ...], ClosedJaxpr] = {}
        program, equations = joint_program(self, self.which)
        self.plan = planner(program, self.forward, equations)
        kept = [self.plan.program.steps[i] for i in self.plan.saved]
        self._kept = {s.name: f"{SAVED}{s.name}|{s.op}|{s.line}" for s in kept}
        self._first = self._forward()
        self.second = jax.checkpoint(self._second())

    def __call__(self, *arrays: Any) -> list:
        return self.second(*arrays, *self.first(*arrays))

    def first(self, *arrays: Any) -> list:
        """The results, and what is kept. It has no derivative."""
        return [lax.stop_gradient(x) for x in self._first(*map(lax.stop_gradient, arrays))]

    def _forward(self) -> Callable:
        both = self._all_named(self.which)
        _, late = mixed(both, self.n_inputs)
        if late.isdisjoint([v for v in both.jaxpr.outvars[: self.n_results] if not isinstance(v, Literal)]):
            return jaxpr_as_fun(first_half(both, self._kept, self.n_inputs, self.n_results))
        kept = jaxpr_as_fun(first_half(both, self._kept, self.n_inputs, 0))
        return lambda *arrays: [*self._plain(*arrays), *kept(*arrays)]

    def _all_named(self, which: tuple[bool, ...]) -> ClosedJaxpr:
        found = self._all.get(which)
        if found is None:
            found = self._all[which] = self.forward.jvp(which)
        return found

    def _derivative(self, which: tuple[bool, ...]) -> Callable:
        """The tangents of the results from inputs, what is kept, and tangents of the inputs in `which`."""
        found = self._derivatives.get(which)
        if found is None:
            of_inputs, of_kept, present, linear = second_half(
                self._all_named(which), tuple(self._kept), self.n_inputs, self.n_results
            )
            run = jaxpr_as_fun(linear)

            def made(inputs, kept, tangents):
                values = coefficients(inputs, [kept[k] for k in present], of_kept, of_inputs)
                return run(*inputs, *values, *tangents)

            found = self._derivatives[which] = made
        return found

    def _second(self) -> Callable:
        n, m = self.n_inputs, self.n_results

        @jax.custom_jvp
        def second(*arrays):
            return list(arrays[n : n + m])

        def rule(primals, tangents):
            which = tuple([not isinstance(t, SymbolicZero) for t in tangents[:n]])
            outs = second(*primals)  # whose derivative is the next one's to take
            made = []
            if any(which):
                given = [t for t, w in zip(tangents, which) if w]
                made = self._derivative(which)(primals[:n], primals[n + m :], given)
            by_number = dict(zip(self._smooth, made))
            return outs, [
                by_number[o] if o in by_number else np.zeros(np.shape(x), _tangent_dtype(x))
                for o, x in enumerate(outs)
            ]

        second.defjvp(rule, symbolic_zeros=True)
        return second

    def all_named(self, *arrays: Any) -> list:
        """The function, every value of whose derivative has a name. Nothing is kept by it."""

        @jax.custom_jvp
        def function(*arrays):
            return self._plain(*arrays)

        def rule(primals, tangents):
            which = tuple([not isinstance(t, SymbolicZero) for t in tangents])
            named = jaxpr_as_fun(self._all_named(which))
            made = named(*primals, *[t for t, w in zip(tangents, which) if w])
            outs = made[: self.n_results]
            by_number = dict(zip(self._smooth, made[self.n_results :]))
            return outs, [
                by_number[o] if o in by_number else np.zeros(np.shape(x), _tangent_dtype(x))
                for o, x in enumerate(outs)
            ]

        function.defjvp(rule, symbolic_zeros=True)
        return function(*arrays)


def _tangent_dtype(x: Any) -> Any:
    dtype = jax.numpy.result_type(x)
    return dtype if jax.numpy.issubdtype(dtype, jax.numpy.inexact) else jax.dtypes.float0


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
    together, _ = mixed(of._all_named(which), of.n_inputs)
    return _program(traced, len(structs), len(outs), of.parameters, forward.origins, together)


def _program(
    joint: ClosedJaxpr,
    n_inputs: int,
    n_results: int,
    parameters: frozenset[int],
    origins: dict[str, Origin],
    together: set[str],
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
                called or f"e{len(steps)}", kind, size, cost, reads, backward, called is not None and not backward and called not in together,
                op=origin.op, line=origin.line, flops=flops,
            ),
            *variables, eqn=eqn,
        )  # fmt: skip
    results = [at[v] for v in jaxpr.outvars[:n_results] if not isinstance(v, Literal)]
    gradients = [at[v] for v in jaxpr.outvars[n_results:] if not isinstance(v, Literal)]
    return Program(tuple(steps), tuple(dict.fromkeys(results)), tuple(dict.fromkeys(gradients))), equations
