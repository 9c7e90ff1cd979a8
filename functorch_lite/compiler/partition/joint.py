"""Joint programs: a forward and its backward, equation by equation, as the planner sees them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun

from ..._core.api import flops_of, walk
from ..._core.lazy.applied import tracing
from ..._core.lazy.reach import CLAIMS
from .flat import NAME, flattened, halves, live, mixed, one_after_the_other
from .forward import Forward, Origin, differentiable, restricted
from .kinds import bytes_of, cost_of, kind_of
from .program import INPUT, VIEW, Program, Step

__all__ = ["joint_program"]


def joint_program(
    forward: Forward, both: ClosedJaxpr, which: tuple[bool, ...], parameters: frozenset[int], named: Callable
) -> tuple[Program, list]:
    """The joint program of a forward and its backward by the inputs in `which`, and the equation of each step.

    It is what `jax.vjp` makes, equation by equation: what the backward reads is read there. both: the forward with its
    derivative, all of whose values have names; parameters: numbers of inputs that are there anyway; named: the same as
    a function that has that derivative.
    """
    n, m = len(forward.jaxpr.in_avals), len(forward.jaxpr.out_avals)
    together, late = mixed(both, n)
    results = [v for v in both.jaxpr.outvars[:m] if not isinstance(v, Literal)]
    with tracing(forward.device):
        if not any(which) or together or not late.isdisjoint(results) or _holds_functions(both, late):
            joint = live(flattened(_differentiated(forward, which, named)))
        else:
            joint = live(_transposed(both, n, m))
    return _program(joint, n, m, parameters, forward.origins, together)


def _holds_functions(both: ClosedJaxpr, late: set[Any]) -> bool:
    """Returns whether something with a rule of its own for derivatives is computed of tangents: that has no transpose."""
    return any(
        e.primitive.name.startswith("custom_") for e in walk.steps(both) if not late.isdisjoint(e.outvars)
    )


def _transposed(both: ClosedJaxpr, n: int, m: int) -> ClosedJaxpr:
    """Joint: the equations of the forward as they are, and the transpose of what is computed of tangents, which alone
    is traced."""
    early, linear = halves(both, n, m)
    run = jaxpr_as_fun(linear)
    tangents = [_struct(v.aval) for v in both.jaxpr.invars[n:]]
    values = [_struct(a) for a in linear.in_avals[: len(linear.in_avals) - len(tangents)]]
    cotangents = [_struct(a) for a in linear.out_avals]

    def backward(values, cotangents):
        return jax.linear_transpose(lambda *tangents: run(*values, *tangents), *tangents)(cotangents)

    return one_after_the_other(early, flattened(jax.make_jaxpr(backward)(values, cotangents)), m)


def _struct(aval: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype)


def _differentiated(forward: Forward, which: tuple[bool, ...], named: Callable) -> ClosedJaxpr:
    """Joint, as `jax.vjp` makes it."""
    structs = [_struct(a) for a in forward.jaxpr.in_avals]
    outs = [_struct(a) for a in forward.jaxpr.out_avals]
    smooth = differentiable(forward.jaxpr)
    wanted = [i for i, w in enumerate(which) if w]

    def joint(primals, cotangents):
        of_wanted = restricted(named, primals, wanted, smooth)
        _, pull, made = jax.vjp(of_wanted, *[primals[i] for i in wanted], has_aux=True)
        return [*made, *pull(cotangents)]

    return jax.make_jaxpr(joint)(structs, [outs[o] for o in smooth])


def _program(
    joint: ClosedJaxpr,
    n_inputs: int,
    n_results: int,
    parameters: frozenset[int],
    origins: dict[str, Origin],
    together: set[str],
) -> tuple[Program, list]:
    """Equations as steps.

    An equation with one result and its name are one step; one with several is a step that cannot be kept, of which its
    named results are views."""
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
        e.invars[0]: e
        for e in walk.steps(jaxpr)
        if e.primitive is NAME and not isinstance(e.invars[0], Literal)
    }
    merged: set[Any] = set()
    for eqn in walk.steps(jaxpr):
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
