"""Jaxprs taken apart: calls written out, values named, and names left out again. No equation is traced again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
from jax.ad_checkpoint import checkpoint_name
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Var

from ..._core.api import walk

__all__ = [
    "NAME", "depending", "first_half", "flattened", "halves", "live", "mixed", "named", "named_only", "one_after_the_other",
    "second_half",
]  # fmt: skip

(_NAMING,) = walk.equations(jax.make_jaxpr(lambda x: checkpoint_name(x, "name"))(0.0))
NAME = _NAMING.primitive
"""The primitive of `checkpoint_name`."""


def _like(v: Any) -> Var:
    return Var(v.aval)


def _closed(like: Jaxpr, invars: Sequence, outvars: Sequence, eqns: Sequence, constvars: Sequence, consts: Sequence) -> ClosedJaxpr:  # fmt: skip
    made = like.replace(
        invars=list(invars), outvars=list(outvars), eqns=list(eqns), constvars=list(constvars),
        debug_info=like.debug_info.with_unknown_names(),
    )  # fmt: skip
    return ClosedJaxpr(made, list(consts))


def flattened(closed: ClosedJaxpr, checkpoints: bool = False) -> ClosedJaxpr:
    """Writes out the calls of jitted functions in a jaxpr; checkpoints: whether calls of `jax.checkpoint` are written
    out too."""
    return walk.inlined(closed, lambda eqn: walk.called(eqn, ruled=False, again=checkpoints))


def live(closed: ClosedJaxpr) -> ClosedJaxpr:
    """Leaves out the equations that no result depends on."""
    return walk.live(closed)


def depending(jaxpr: Jaxpr, on: Iterable[Any]) -> set[Any]:
    """The variables that depend on these."""
    found = set(on)
    for eqn in jaxpr.eqns:
        if any(v in found for v in eqn.invars if not isinstance(v, Literal)):
            found.update(eqn.outvars)
    return found


def named(closed: ClosedJaxpr, name: Callable[[Any], str | None]) -> ClosedJaxpr:
    """Each result of an equation under a name, which all that read it read. name(its variable) gives it, None for no
    name; a variable that has a name keeps it."""
    jaxpr = closed.jaxpr
    given = {
        e.invars[0]: e for e in jaxpr.eqns if e.primitive is NAME and not isinstance(e.invars[0], Literal)
    }
    env: dict[Any, Any] = {}
    eqns: list[Any] = []

    def read(v: Any) -> Any:
        return v if isinstance(v, Literal) else env.get(v, v)

    def write(v: Any, called: str) -> None:
        env[v] = _like(v)
        eqns.append(_NAMING.replace(invars=[v], outvars=[env[v]], params={"name": called}))

    for v in (*jaxpr.invars, *jaxpr.constvars):
        if v in given:
            write(v, given[v].params["name"])
    for eqn in jaxpr.eqns:
        if eqn.primitive is NAME and not isinstance(eqn.invars[0], Literal):
            env[eqn.outvars[0]] = read(eqn.invars[0])
            continue
        eqns.append(eqn.replace(invars=[read(v) for v in eqn.invars]))
        for v in eqn.outvars:
            called = given[v].params["name"] if v in given else name(v)
            if called is not None:
                write(v, called)
    outvars = [read(v) for v in jaxpr.outvars]
    return _closed(jaxpr, jaxpr.invars, outvars, eqns, jaxpr.constvars, closed.consts)


def named_only(closed: ClosedJaxpr, kept: dict[str, str]) -> ClosedJaxpr:
    """Leaves out all names but these, which get others."""
    jaxpr = closed.jaxpr
    env: dict[Any, Any] = {}
    eqns: list[Any] = []

    def read(v: Any) -> Any:
        return v if isinstance(v, Literal) else env.get(v, v)

    for eqn in jaxpr.eqns:
        eqn = eqn.replace(invars=[read(v) for v in eqn.invars])
        if eqn.primitive is NAME:
            called = kept.get(eqn.params["name"])
            if called is None:
                env[eqn.outvars[0]] = eqn.invars[0]
                continue
            eqn = eqn.replace(params={"name": called})
        eqns.append(eqn)
    outvars = [read(v) for v in jaxpr.outvars]
    return _closed(jaxpr, jaxpr.invars, outvars, eqns, jaxpr.constvars, closed.consts)


def mixed(closed: ClosedJaxpr, n_inputs: int) -> tuple[set[str], set[Any]]:
    """Finds what a forward with its derivative computes together with tangents, as by a loop: returns the names there,
    and all variables."""
    late = depending(closed.jaxpr, closed.jaxpr.invars[n_inputs:])
    names = {e.params["name"] for e in closed.jaxpr.eqns if e.primitive is NAME and e.outvars[0] in late}
    return names, late


def first_half(closed: ClosedJaxpr, kept: dict[str, str], n_inputs: int, n_results: int) -> ClosedJaxpr:
    """Cuts the forward out of a jaxpr of a forward with its derivative, all of whose values are named: a jaxpr from
    inputs to results and the values named in `kept`, in that order, which get the names that it says."""
    jaxpr = named_only(closed, kept)
    again = {called: name for name, called in kept.items()}
    at = {again[e.params["name"]]: e.outvars[0] for e in jaxpr.jaxpr.eqns if e.primitive is NAME}
    outvars = [*jaxpr.jaxpr.outvars[:n_results], *[at[name] for name in kept]]
    made = jaxpr.jaxpr
    return live(_closed(made, made.invars[:n_inputs], outvars, made.eqns, made.constvars, jaxpr.consts))


def halves(closed: ClosedJaxpr, n_inputs: int, n_results: int) -> tuple[ClosedJaxpr, ClosedJaxpr]:
    """Splits a forward with its derivative into what does not depend on tangents and what does: a jaxpr from inputs
    to results and the values that tangents are multiplied by; and one from inputs, such values and tangents to the
    tangents of results. Results that depend on tangents, as a loop's may, are in neither: the first has their
    count nevertheless."""
    jaxpr = closed.jaxpr
    inputs, tangents = jaxpr.invars[:n_inputs], jaxpr.invars[n_inputs:]
    late = depending(jaxpr, tangents)
    early = [e for e in jaxpr.eqns if late.isdisjoint(e.outvars)]
    later = [e for e in jaxpr.eqns if not late.isdisjoint(e.outvars)]
    results, outvars = jaxpr.outvars[:n_results], jaxpr.outvars[n_results:]
    there = {*late, *jaxpr.constvars, *inputs}
    read = [v for e in later for v in e.invars] + list(outvars)
    needed = [v for v in dict.fromkeys(v for v in read if not isinstance(v, Literal)) if v not in there]
    first = _closed(jaxpr, inputs, [*results, *needed], early, jaxpr.constvars, closed.consts)
    linear = _closed(jaxpr, [*inputs, *needed, *tangents], outvars, later, jaxpr.constvars, closed.consts)
    return first, linear


def one_after_the_other(first: ClosedJaxpr, second: ClosedJaxpr, n_results: int) -> ClosedJaxpr:
    """Joins two jaxprs: from inputs and the last arguments of the second to the results of the first and of the
    second, which reads the inputs and further results of the first."""
    writer = walk.Writing()
    inputs = [_like(v) for v in first.jaxpr.invars]
    made = writer.write(first, inputs)
    values = [*inputs, *made[n_results:]]
    more = [_like(v) for v in second.jaxpr.invars[len(values) :]]
    outs = writer.write(second, [*values, *more])
    return writer.closed(first, [*inputs, *more], [*made[:n_results], *outs])


def second_half(
    closed: ClosedJaxpr, kept: Sequence[str], n_inputs: int, n_results: int
) -> tuple[ClosedJaxpr, ClosedJaxpr, list[int], ClosedJaxpr]:
    """Cuts the derivative out of such a jaxpr, in parts: the values that it multiplies tangents by, from inputs alone;
    the same from inputs and those of the values in `kept` that there are in this jaxpr, and which these are; and the
    tangents of results from inputs, such values and tangents."""
    jaxpr = closed.jaxpr
    inputs = jaxpr.invars[:n_inputs]
    first, linear = halves(closed, n_inputs, n_results)
    early, needed = first.jaxpr.eqns, first.jaxpr.outvars[n_results:]
    values = _closed(jaxpr, inputs, needed, early, jaxpr.constvars, closed.consts)
    values = live(named_only(values, {}))
    named_at = {e.params["name"]: e.outvars[0] for e in early if e.primitive is NAME}
    given = [named_at[k] if k in named_at else None for k in kept]
    without = [e for e in early if e.primitive is not NAME or e.params["name"] not in kept]
    slots = [g for g in given if g is not None]
    of_kept = _closed(jaxpr, [*inputs, *slots], needed, without, jaxpr.constvars, closed.consts)
    of_kept = live(named_only(of_kept, {}))
    return values, of_kept, [k for k, g in enumerate(given) if g is not None], linear
