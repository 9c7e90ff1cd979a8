"""The engine: a recorded Graph as two functions, of which the first gives what is kept, and the second has the
derivatives.

`first(*inputs)` gives the Graph's results and the values that the plan keeps. `second(*inputs, *results, *kept)` gives
the results again, and has a rule for its derivative (`jax.custom_jvp`), which reads the inputs and what is kept, and
computes all else once more; `jax.checkpoint` around it keeps a compiler from taking what is computed again for what was
computed before. So the forward runs once whatever a compiler merges, and what a backward in a later program holds on to
is what the plan says. Both compose with every transform of JAX: with vmap, with forward mode, with derivatives of
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

from ..._core.api import Graph
from .coefficients import coefficients
from .flat import first_half, mixed, named_only, second_half
from .forward import Forward, differentiable
from .joint import joint_program
from .program import Plan, Program

__all__ = ["Partitioned"]

SAVED = "saved "
"""Prefix of the names of kept values."""


class Partitioned:
    """A Graph whose backward keeps what `planner` chose: `planner(program, forward, the equation of each step)` gives
    the Plan.

    It is called as the Graph is: it is the second function after the first. `parameters`: numbers of inputs that are
    there anyway; `which`: whether a derivative is taken by an input, by default by all that have one. A derivative by
    others is right, and keeps the same.
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
        both = self._all_named(self.which)
        program, equations = joint_program(self.forward, both, self.which, parameters, self.all_named)
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
