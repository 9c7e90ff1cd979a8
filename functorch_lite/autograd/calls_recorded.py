"""A call of an autograd.Function in the body of cond, while_loop, scan or map: its forward and its rules are recorded.

Such a body is recorded once for all its steps, so no level exists below it where the rules could run as Python. They
become Graphs instead, and the call one op that JAX differentiates by them. Rules that ask for values (NumPy,
`.item()`) cannot be recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._core.api import DerivedOp, Graph, Tensor, apply_op, make_tensor, make_value, record_function, state
from .._core.lazy.loop.while_loop import USERS_RULE
from .calls import Call, run_backward, run_forward, run_jvp
from .context import NO_JVP, Rules

__all__ = ["call_recorded", "is_recorded_body"]

KIND = "autograd.Function"
"""Levels that differentiate, first of all, in reverse mode."""


def is_recorded_body(rec) -> bool:
    """Returns whether a level is the body of a loop or a branch, or a rule that is being recorded for one."""
    return rec.kind.body


class _Rule:
    """A recorded forward, backward or jvp: its Graph, what it captured, which results it gave; or why it could not be
    recorded."""

    def __init__(self, inputs: Sequence[Tensor], run: Callable[[list[Tensor]], list]):
        self.graph: Graph | None = None
        self.failure: Exception | None = None
        self.captured: list = []
        self.at: list[int] = []

        def recorded(fresh):
            results = run(fresh)
            self.at = [i for i, r in enumerate(results) if isinstance(r, Tensor)]
            return [results[i] for i in self.at], None

        self._inputs, self._run = inputs, recorded

    def record(self) -> _Rule:
        """Records it; raises what it raises."""
        outer = state.rec

        def run(fresh):
            state.rec.randomness = outer.randomness
            return self._run(fresh)

        found = record_function(KIND, [t._aval for t in self._inputs], self._inputs, run)
        self.graph, self.captured = found.graph, list(found.inputs[len(self._inputs) :])
        return self

    def try_to_record(self) -> _Rule:
        """Records it, or stores the error, which differentiation raises."""
        try:
            return self.record()
        except Exception as error:
            self.failure = error
            return self

    def __call__(self, arrays: Sequence, n_results: int) -> list:
        """Its results on arrays, None where it gave none."""
        if self.failure is not None:
            raise self.failure
        out: list = [None] * n_results
        for i, x in zip(self.at, self.graph(*arrays)):  # type: ignore[misc]
            out[i] = x
        return out


def call_recorded(cls, args: Sequence) -> Call:
    """Calls a Function at the level on top, which is a body that is being recorded."""
    at = [i for i, a in enumerate(args) if isinstance(a, Tensor)]
    tensors = [args[i] for i in at]
    made: list[Call] = []
    needs = [isinstance(a, Tensor) and a._aval.taped for a in args]

    def forward(fresh):
        full = list(args)
        for i, t in zip(at, fresh):
            full[i] = t
        call = run_forward(cls, full, needs)
        made.append(call)
        return [*[t for t in call.raw if isinstance(t, Tensor)], *call.intermediates()]

    rule = _Rule(tensors, forward).record()
    call = made[0]
    avals = rule.graph.out_avals()  # type: ignore[union-attr]
    level = state.rec.level
    stand_ins = [_like(a, level) for a in avals]
    derivative = _derivative(cls, call, args, at, tensors, stand_ins)
    op = _op(rule, derivative, len(tensors), call)
    outs = apply_op(op, None, (*tensors, *rule.captured, *derivative.captured))
    n = sum(isinstance(t, Tensor) for t in call.raw)
    results = iter(outs[:n])
    fresh = [next(results) if isinstance(t, Tensor) else t for t in call.raw]
    for i, t in enumerate(fresh):
        if isinstance(t, Tensor) and not call.is_differentiable(i):
            t._edge = None
    return call.moved(args, fresh, outs[n:])


def _like(aval: Any, level: int) -> Tensor:
    """A tensor that stands for one of this aval while a rule is recorded: its value is an input there."""
    return make_tensor(make_value(aval, None, 0), level)


def _derivative(
    cls, call: Call, args: Sequence, at: list[int], tensors: list[Tensor], stand_ins: list[Tensor]
) -> _Rule:
    """The rule that the transform around will ask for: backward, or jvp where a forward mode transform comes first."""
    forward_mode = _forward_comes_first()
    n_args, n_outs = len(tensors), len(call.raw)
    through = [i for i in range(n_outs) if call.is_differentiable(i)]

    def at_fresh(fresh: list[Tensor]) -> tuple[Call, list, list[Tensor]]:
        full = list(args)
        for i, t in zip(at, fresh):
            full[i] = t
        rest = list(fresh[n_args : n_args + len(stand_ins)])
        outs = [rest.pop(0) if isinstance(t, Tensor) else t for t in call.raw]
        return call.moved(full, outs, rest), full, fresh[n_args + len(stand_ins) :]

    def backward(fresh):
        moved, _, cts = at_fresh(fresh)
        given = dict(zip(through, cts))
        avals = [a._aval if isinstance(a, Tensor) else None for a in args]
        out_avals = [o._aval if isinstance(o, Tensor) else None for o in call.raw]
        grads = run_backward(cls, moved.context(), avals, out_avals, [given.get(i) for i in range(n_outs)])
        return [grads[i] for i in at]

    def jvp(fresh):
        moved, full, tangents = at_fresh(fresh)
        given = dict(zip([i for i in at if args[i]._aval.taped], tangents))
        results = run_jvp(
            cls, moved.context(forward=True), full, [given.get(i) for i in range(len(args))], moved.raw
        )
        return [results[i] for i in through]

    if forward_mode:
        rule = _Rule([*tensors, *stand_ins, *[t for t in tensors if t._aval.taped]], jvp)
        if cls.jvp is Rules.jvp:
            rule.failure = NotImplementedError(NO_JVP)
            return rule
        return rule.try_to_record()
    flat = [t for t in call.raw if isinstance(t, Tensor)]
    cts = [s for s, t in zip(stand_ins, flat) if any(t is call.raw[i] for i in through)]
    return _Rule([*tensors, *stand_ins, *cts], backward).try_to_record()


def _forward_comes_first() -> bool:
    """Returns whether the innermost transform that differentiates does so in forward mode."""
    rec = state.rec
    while rec.level:
        if rec.kind.letters:
            return rec.kind.forward
        rec = rec.outer
    return False


def _op(rule: _Rule, derivative: _Rule, n: int, call: Call) -> DerivedOp:
    """The call as an op of (tensor arguments, what forward captured, what the derivative captured)."""
    graph = rule.graph
    assert graph is not None
    key = (KIND, derivative.graph or object(), tuple(derivative.at), _forward_comes_first())
    k = len(rule.captured)
    flat = [t for t in call.raw if isinstance(t, Tensor)]
    through = [
        j
        for j, t in enumerate(flat)
        if any(t is call.raw[i] for i in range(len(call.raw)) if call.is_differentiable(i))
    ]
    reverse = not _forward_comes_first()
    key = (*key, tuple(through))

    def run(*arrays):
        return tuple(graph(*arrays[: n + k]))

    def make() -> DerivedOp:
        if reverse:
            f = jax.custom_vjp(run)

            def backward(saved, cts):
                arrays, outs = saved
                given = [_conj(cts[j]) for j in through]
                grads = derivative((*arrays[:n], *outs, *given, *arrays[n + k :]), n)
                return (*[None if g is None else _conj(g) for g in grads], *[None] * (len(arrays) - n))

            def forward(*arrays):
                outs = f(*arrays)  # not run: a saved result has the Function's derivative, too
                return outs, (arrays, outs)

            f.defvjp(forward, backward)
            return DerivedOp(lambda *arrays: list(f(*arrays)), cls_name, saves="inputs")
        f = jax.custom_jvp(run)

        def jvp(arrays, tangents):
            outs = f(*arrays)
            moved = [t for x, t in zip(arrays[:n], tangents) if jnp.issubdtype(x.dtype, jnp.inexact)]
            found = derivative((*arrays[:n], *outs, *moved, *arrays[n + k :]), len(through))
            full: list = [_zero_tangent(o) for o in outs]
            for j, t in zip(through, found):
                if t is not None:
                    full[j] = t
            return outs, tuple(full)

        f.defjvp(jvp)

        def call(*arrays):
            return f(*arrays)

        call.__name__ = USERS_RULE
        named = jax.jit(call)
        return DerivedOp(lambda *arrays: list(named(*arrays)), cls_name, saves="inputs")

    cls_name = call.cls.__name__
    return graph.derive(key, make)


def _zero_tangent(x: Any) -> Any:
    if jnp.issubdtype(x.dtype, jnp.inexact):
        return jnp.zeros_like(x)
    return np.zeros(x.shape, jax.dtypes.float0)


def _conj(x: Any) -> Any:
    return jnp.conj(x) if jnp.iscomplexobj(x) else x
