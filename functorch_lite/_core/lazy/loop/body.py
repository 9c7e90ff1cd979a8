"""Loops of `while_loop.py`: their two functions, batched arguments, and which results depend on which arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Primitive

from ...jaxprs.walk import called, flows

__all__ = [
    "Axis", "Body", "batched_results", "bent_p", "carried_along", "in_front", "loop_p", "mapped", "pulled_p", "pushed_p", "replaced",
    "result_aval",
]  # fmt: skip

loop_p, pushed_p = Primitive("loop"), Primitive("pushed_loop")
pulled_p, bent_p = Primitive("pulled_loop"), Primitive("bent_loop")
for _primitive in (loop_p, pushed_p, pulled_p, bent_p):
    _primitive.multiple_results = True


class Axis(NamedTuple):
    """One vmap of a primitive: its size, and for each argument and each result 0 if it is batched (in front), else
    None.

    A result that is not batched is the same for all examples; of a pulled or bent loop it is the sum over them."""

    size: int
    ins: tuple
    outs: tuple


class Body(NamedTuple):
    """A loop: two functions of (*carried, *captured), and how many are carried."""

    test: ClosedJaxpr
    step: ClosedJaxpr
    n: int

    def structs(self, at: Sequence[int] | None = None) -> list:
        """Shapes and dtypes of the arguments in these places, or of all."""
        avals = self.step.in_avals
        return [
            jax.ShapeDtypeStruct(a.shape, a.dtype) for a in (avals if at is None else [avals[i] for i in at])
        ]


def replaced(arrays: Sequence, at: Sequence[int], new: Sequence) -> list:
    out = list(arrays)
    for i, x in zip(at, new, strict=True):
        out[i] = x
    return out


def _reached(jaxpr: Jaxpr | ClosedJaxpr, marked: Sequence[bool]) -> list[bool]:
    """Tells which results depend on the marked arguments, or may: only functions and loops that are called are looked
    into."""

    def rule(eqn: Any, args: list[bool]) -> list[bool] | None:
        if not any(args):
            return None
        if (call := called(eqn, ruled=False, again=False)) is not None:
            return _reached(call, args)
        if eqn.primitive is loop_p:
            body = Body(*[eqn.params[k] for k in Body._fields])
            return [b is not None for b in batched_results(body, [0 if m else None for m in args])]
        return [True] * len(eqn.outvars)

    return flows(jaxpr, marked, rule, unknown=False)


def carried_along(body: Body, marked: Sequence[bool]) -> list[bool]:
    """Tells which of the carried values depend on the marked arguments, after any number of steps."""
    marked = list(marked)
    while True:
        out = [a or b for a, b in zip(marked, _reached(body.step.jaxpr, marked))]
        if out == marked[: body.n]:
            return out
        marked[: body.n] = out


def batched_results(body: Body, ins: Sequence) -> tuple:
    """0 or None for each of the carried: whether it differs between examples if the arguments do as `ins` says."""
    marked = [i is not None for i in ins]
    carried = carried_along(body, marked)
    if _reached(body.test.jaxpr, [*carried, *marked[body.n :]])[0]:
        return (0,) * body.n
    return tuple([0 if c else None for c in carried])


def mapped(f: Callable, axes: Sequence[Axis]) -> Callable:
    """f of many examples. A result that is the same for all is taken from the first."""
    for a in axes:
        f = _mapped_once(f, a)
    return f


def _mapped_once(f: Callable, axis: Axis) -> Callable:
    many = jax.vmap(f, in_axes=axis.ins, axis_size=axis.size)
    return lambda *args: [x[0] if b is None else x for x, b in zip(many(*args), axis.outs, strict=True)]


def in_front(args: Sequence, dims: Sequence) -> tuple[list, tuple]:
    args = [jnp.moveaxis(x, d, 0) if d else x for x, d in zip(args, dims)]
    return args, tuple([None if d is None else 0 for d in dims])


def result_aval(aval: Any, batched: Sequence, axes: Sequence[Axis]) -> Any:
    front = [a.size for a, b in zip(axes, batched) if b is not None]
    return jax.core.ShapedArray((*reversed(front), *aval.shape), aval.dtype)
