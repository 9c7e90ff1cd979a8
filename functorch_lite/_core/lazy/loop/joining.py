"""A loop and its tangents as one loop, which carries the tangents too."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend.core import Jaxpr, Literal, jaxpr_as_fun

from ...jaxprs.primitives import row
from ...jaxprs.walk import AnyJaxpr, calls, mapped_inside, opened
from .body import Axis, Body, batched_results, bent_p, loop_p, pulled_p, pushed_p, replaced

__all__ = ["axes_with_tangents", "in_order", "join_loops", "with_tangents"]


@functools.lru_cache(256)
def with_tangents(body: Body, moved: tuple[int, ...], wanted: tuple[int, ...]) -> Body:
    """The loop that carries tangents too. Its arguments: (tangents moved, the loop's own, tangents wanted)."""
    k, m, at = len(moved), len(body.step.in_avals), (*moved, *wanted)
    test, step = jaxpr_as_fun(body.test), jaxpr_as_fun(body.step)

    def both(*args):
        primals = args[k : k + m]

        def some(*chosen):
            out = step(*replaced(primals, at, chosen))
            return [out[i] for i in moved], out

        chosen = [primals[i] for i in at]
        _, pushed, out = jax.jvp(some, chosen, [*args[:k], *args[k + m :]], has_aux=True)
        return [*pushed, *out]

    structs = [*body.structs(moved), *body.structs(), *body.structs(wanted)]
    with jax.enable_x64(True):
        stepped = join_loops(jax.make_jaxpr(both)(*structs))
        tested = jax.make_jaxpr(lambda *args: test(*args[k : k + m]))(*structs)
    return Body(tested, stepped, k + body.n)


def in_order(args: Sequence, k: int, m: int) -> tuple:
    """The arguments of pushed_loop in the order of `with_tangents`."""
    return (*args[1 + m : 1 + m + k], *args[1 : 1 + m], *args[1 + m + k :])


def axes_with_tangents(body: Body, k: int, axes: Sequence[Axis]) -> tuple:
    m = len(body.step.in_avals)
    return tuple(
        [
            Axis(a.size, in_order(a.ins, k, m), (*a.outs, *batched_results(body, a.ins[1 : 1 + m])))
            for a in axes
        ]
    )


def join_loops(jaxpr: AnyJaxpr) -> AnyJaxpr:
    """The same computation, where a loop and its tangents are one loop: forward mode that nothing transposes needs no
    second."""
    if not calls(jaxpr, {pushed_p.name}):
        return jaxpr
    joined = _joined(opened(jaxpr))
    return joined if opened(jaxpr) is jaxpr else jaxpr.replace(jaxpr=joined)


def _joined(jaxpr: Jaxpr) -> Jaxpr:
    eqns: list[Any] = []
    made: dict[Any, int] = {}  # by which equation each variable is made
    for eqn in jaxpr.eqns:
        if eqn.primitive is pushed_p:
            at = _loop_of(eqn, eqns, made)
            if at is not None:
                eqns[at] = _joint(eqns[at], eqn)
                made.update(dict.fromkeys(eqn.outvars, at))
                continue
        elif not row(eqn).ruled and eqn.primitive not in (loop_p, pulled_p, bent_p):
            eqn = mapped_inside(eqn, join_loops)
        made.update(dict.fromkeys(eqn.outvars, len(eqns)))
        eqns.append(eqn)
    return jaxpr.replace(eqns=eqns)


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is Literal and type(b) is Literal and a.aval == b.aval and a.val == b.val)


def _loop_of(pushed: Any, eqns: list, made: dict) -> int | None:
    """The equation of the loop whose tangents these are, if the tangents that are given are known there."""
    p = pushed.params
    m = len(p["step"].in_avals)
    end, primals, given = pushed.invars[0], pushed.invars[1 : 1 + m], pushed.invars[1 + m :]
    at = None if type(end) is Literal else made.get(end)
    if at is None or eqns[at].primitive is not loop_p:
        return None
    loop = eqns[at]
    if any(loop.params[k] is not p[k] for k in ("test", "step")) or not all(map(_same, loop.invars, primals)):
        return None
    if any(type(v) is not Literal and made.get(v, -1) >= at for v in given):
        return None
    own = [(a.size, a.ins[1 : 1 + m]) for a in p["axes"] if any(i is not None for i in a.ins[1 : 1 + m])]
    return at if own == [(a.size, a.ins) for a in loop.params["axes"]] else None


def _joint(loop: Any, pushed: Any) -> Any:
    p = dict(pushed.params)
    moved, wanted, axes = p.pop("moved"), p.pop("wanted"), p.pop("axes")
    body, k = Body(**p), len(moved)
    both = with_tangents(body, moved, wanted)
    invars = list(in_order(pushed.invars, k, len(body.step.in_avals)))
    params = {**both._asdict(), "axes": axes_with_tangents(body, k, axes)}
    return loop.replace(invars=invars, outvars=[*pushed.outvars, *loop.outvars], params=params)
