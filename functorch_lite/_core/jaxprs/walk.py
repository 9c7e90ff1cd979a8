"""Jaxprs walked: the loops over equations, and what JAX calls its parts from version to version.

A *jaxpr* is a function as JAX has traced it: a list of equations, each a primitive on variables and literals. There are
two kinds, open ones (`Jaxpr`) and closed ones, which hold the values of their constants (`ClosedJaxpr`); since JAX 0.11
one class is both. All functions here take either kind.

`inner`, `called`, `equations`, `calls` look; `evaluated` and `bind` compute; `rewritten`, `inlined`, `live` make
another jaxpr of the same function; `flows` and `needed` tell something of results from inputs, and of inputs from
results.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import jax
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Var
from jax.extend.core.primitives import closed_call_p

from .primitives import PRIMITIVES

__all__ = [
    "Writing", "bind", "called", "calling", "calls", "closed", "equations", "evaluated", "flows", "inlined", "inner", "live", "mapped_inside", "needed", "opened", "rewritten",
    "rewritten_inside", "scan_counts", "steps", "structs", "turns",
]  # fmt: skip

AnyJaxpr = Any
"""A jaxpr of either kind."""
_KINDS = (ClosedJaxpr, Jaxpr)


def opened(jaxpr: AnyJaxpr) -> Jaxpr:
    """The list of equations, whose constants are variables."""
    return getattr(jaxpr, "jaxpr", jaxpr)


def closed(jaxpr: AnyJaxpr) -> ClosedJaxpr:
    """With the values of its constants. Raises ValueError for an open one that has constants."""
    if isinstance(jaxpr, ClosedJaxpr):
        return jaxpr
    if jaxpr.constvars:
        raise ValueError("an open jaxpr does not have the values of its constants")
    return ClosedJaxpr(jaxpr, ())


def structs(variables: Iterable[Any]) -> list[jax.ShapeDtypeStruct]:
    """Shapes and dtypes of variables of a jaxpr, to trace functions with."""
    avals = [v.aval for v in variables]
    return [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=getattr(a, "weak_type", False)) for a in avals]


# -- looking -----------------------------------------------------------------------------------------------------------


def inner(eqn: Any, computed: bool = False) -> Iterator[Jaxpr]:
    """The jaxprs among the parameters of an equation, open ones. computed: those alone that the equation may compute;
    the `of_inputs` of `coefficients`, for one, says what others are equal to."""
    told = PRIMITIVES[eqn.primitive.name].told if computed and eqn.primitive.name in PRIMITIVES else ()
    for name, p in eqn.params.items():
        if name in told:
            continue
        for x in p if isinstance(p, (tuple, list)) else (p,):
            if isinstance(x, _KINDS):
                yield opened(x)


def called(eqn: Any, ruled: bool = True, again: bool = True) -> AnyJaxpr | None:
    """The jaxpr that an equation is a call of: computed of its operands as they are, its results are the equation's.

    None if it is no call.

    ruled: also if it has a rule of differentiation of its own; again: also if it is a checkpoint (`jax.checkpoint`)."""
    p = PRIMITIVES.get(eqn.primitive.name)
    if p is None or p.call is None or (p.ruled and not ruled) or (p.again and not again):
        return None
    return (
        eqn.params[p.call] if p.call in eqn.params else eqn.params.get("jaxpr")
    )  # of `eval_jaxpr`, before JAX 0.12


def steps(jaxpr: AnyJaxpr) -> list[Any]:
    """The equations of a jaxpr, in order, without those inside them."""
    return opened(jaxpr).eqns


def equations(jaxpr: AnyJaxpr, inside: Callable[[Any], bool] = lambda eqn: True) -> Iterator[Any]:
    """All equations, each before those inside it. inside: into which equations one looks."""
    for eqn in opened(jaxpr).eqns:
        yield eqn
        if eqn.params and inside(eqn):
            for j in inner(eqn):
                yield from equations(j, inside)


def scan_counts(params: Mapping[str, Any]) -> tuple[int, int]:
    """How many of a scan's arguments are constants, and how many are carried: those come first, in this order."""
    if "ft_in" in params:  # since JAX 0.11
        consts, carried, _ = params["ft_in"].unpack()
        return len(list(consts)), len(list(carried))
    return params["num_consts"], params["num_carry"]


def turns(eqn: Any) -> int:
    """How often what is inside an equation runs, as far as its parameters say."""
    p = PRIMITIVES.get(eqn.primitive.name)
    return 1 if p is None or p.turns is None else eqn.params.get(p.turns, 1)


def calls(jaxpr: AnyJaxpr, names: Collection[str]) -> bool:
    """Returns whether a primitive of one of these names is in a jaxpr, or inside an equation of it."""
    return any(eqn.primitive.name in names for eqn in equations(jaxpr))


# -- computing ---------------------------------------------------------------------------------------------------------


def bind(eqn: Any, args: Sequence[Any]) -> list[Any]:
    """The results of one equation at these arguments, computed or traced as JAX would in its place."""
    with eqn.ctx.manager:
        outs = eqn.primitive.bind(*args, **eqn.primitive.get_bind_params(eqn.params))
    return list(outs) if eqn.primitive.multiple_results else [outs]


def evaluated(
    jaxpr: AnyJaxpr, args: Sequence[Any], on_eqn: Callable[[Any, list[Any]], Sequence[Any] | None]
) -> list[Any]:
    """The results of a jaxpr at these arguments. on_eqn(equation, its arguments) gives the equation's results, or None:
    then it is bound.

    What is inside an equation is not looked into; an on_eqn that wants to calls `evaluated` of `called(eqn)`. An open
    jaxpr must have no constants.

    >>> traced = jax.make_jaxpr(lambda x: jax.numpy.sin(x) * 2)(1.0)
    >>> evaluated(traced, [0.0], lambda eqn, args: [args[0] + 1] if eqn.primitive.name == "sin" else None)
    [2.0]
    """
    whole, body = closed(jaxpr), opened(jaxpr)
    known: dict[Any, Any] = dict(zip(body.constvars, whole.consts))
    known.update(zip(body.invars, args, strict=True))

    def read(v: Any) -> Any:
        return v.val if isinstance(v, Literal) else known[v]

    for eqn in body.eqns:
        given = list(map(read, eqn.invars))
        outs = on_eqn(eqn, given)
        known.update(zip(eqn.outvars, bind(eqn, given) if outs is None else outs))
    return list(map(read, body.outvars))


# -- another jaxpr of the same function --------------------------------------------------------------------------------


def rewritten(jaxpr: AnyJaxpr, f: Callable[..., Any], makers: bool = False) -> AnyJaxpr:
    """A jaxpr with other things in place of some equations, of the same kind, arguments and results.

    f(equation) says what: None keeps it and looks inside it; a function of arrays is traced and called in its place,
    and gives one array for each result, of the same shapes and dtypes (TypeError otherwise), or the one array; an
    equation is taken as it is, and nothing looks inside, so that f stops at what it gives back unchanged. What a
    function is traced to is not looked into.

    makers: f is called with a second argument, a function that gives the equation of the same jaxpr that makes a
    variable, or None (of an argument, a constant, a literal); its `read_by(variable)` gives those that read it, and
    None for a result.

    Where nothing changes, the same object comes back, also in the parameters of equations; and what was one object
    inside is one afterwards, which JAX lowers once.

    >>> traced = jax.make_jaxpr(lambda x: jax.jit(jax.numpy.sin)(x))(1.0)
    >>> other = rewritten(traced, lambda eqn: jax.numpy.cos if eqn.primitive.name == "sin" else None)
    >>> jax.extend.core.jaxpr_as_fun(other)(0.0)
    [Array(1., dtype=float32, weak_type=True)]
    >>> rewritten(traced, lambda eqn: None) is traced
    True
    """
    return _Rewriting(f if makers else lambda eqn, made_by: f(eqn)).jaxpr(jaxpr)


def rewritten_inside(eqn: Any, f: Callable[[Any], Any]) -> Any:
    """An equation with the jaxprs inside it `rewritten`."""
    return _Rewriting(lambda eqn, made_by: f(eqn)).inside(eqn)


class _Rewriting:
    """One call of `rewritten`.

    Jaxprs that were seen are kept, so that none is rewritten twice (and no id is used again)."""

    def __init__(self, f: Callable[[Any, Callable[[Any], Any]], Any]):
        self._f = f
        self._seen: dict[int, tuple[AnyJaxpr, AnyJaxpr]] = {}

    def jaxpr(self, jaxpr: AnyJaxpr) -> AnyJaxpr:
        seen = self._seen.get(id(jaxpr))
        if seen is None:
            before = opened(jaxpr)
            made_by = _Makers(before)
            eqns = [self._equation(eqn, made_by) for eqn in before.eqns]
            made = jaxpr
            if any(new is not old for new, old in zip(eqns, before.eqns)):
                body = before.replace(eqns=eqns)
                made = body if before is jaxpr else jaxpr.replace(jaxpr=body)
            seen = self._seen[id(jaxpr)] = jaxpr, made
        return seen[1]

    def _equation(self, eqn: Any, made_by: Callable[[Any], Any]) -> Any:
        new = self._f(eqn, made_by)
        if new is None:
            return self.inside(eqn)
        return calling(eqn, new) if callable(new) else new

    def inside(self, eqn: Any) -> Any:
        return mapped_inside(eqn, self.jaxpr)


def mapped_inside(eqn: Any, f: Callable[[Any], AnyJaxpr]) -> Any:
    """An equation with f(jaxpr) in the place of each jaxpr inside it; the same object if they are all the same."""
    changed = {}
    for name, p in eqn.params.items():
        new = _mapped(p, f)
        if new is not p:
            changed[name] = new
    return eqn.replace(params={**eqn.params, **changed}) if changed else eqn


def _mapped(p: Any, f: Callable[[Any], AnyJaxpr]) -> Any:
    if isinstance(p, _KINDS):
        return f(p)
    if not isinstance(p, (tuple, list)):
        return p
    parts = [f(x) if isinstance(x, _KINDS) else x for x in p]
    if all(new is old for new, old in zip(parts, p)):
        return p
    return type(p)(*parts) if hasattr(p, "_fields") else type(p)(parts)


class _Makers:
    """Index of a jaxpr's variables: which equation makes one, and which read it; built when it is first asked."""

    def __init__(self, jaxpr: Jaxpr):
        self._jaxpr = jaxpr
        self._made: dict[Any, Any] | None = None
        self._read: dict[Any, list[Any]] | None = None

    def read_by(self, v: Any) -> list[Any]:
        """The equations that read a variable; None among them if it is a result."""
        if self._read is None:
            self._read = {}
            for eqn in (*self._jaxpr.eqns, None):
                for x in _variables(self._jaxpr.outvars if eqn is None else eqn.invars):
                    self._read.setdefault(x, []).append(eqn)
        return self._read.get(v, [])

    def __call__(self, v: Any) -> Any:
        if self._made is None:
            self._made = {v: eqn for eqn in self._jaxpr.eqns for v in eqn.outvars}
        return None if isinstance(v, Literal) else self._made.get(v)


def calling(eqn: Any, function: Callable, variables: Sequence[Any] | None = None) -> Any:
    """The call of a function in place of an equation. variables: its arguments, where they are others than the
    equation's operands."""
    reads = list(eqn.invars if variables is None else variables)

    def run(*args: Any) -> list[Any]:
        made = function(*args)
        return list(made) if isinstance(made, (tuple, list)) else [made]

    with jax.enable_x64(True):
        traced = jax.make_jaxpr(run)(*structs(reads))
    was, now = ([(v.aval.shape, v.aval.dtype) for v in vs] for vs in (eqn.outvars, opened(traced).outvars))
    if was != now:
        raise TypeError(f"in place of {eqn.primitive.name}, which gives {was}, stands what gives {now}")
    return eqn.replace(
        invars=reads, primitive=closed_call_p, params={"call_jaxpr": traced}, effects=traced.effects
    )


def inlined(jaxpr: AnyJaxpr, into: Callable[[Any], AnyJaxpr | None]) -> ClosedJaxpr:
    """A jaxpr with calls written out, all of whose variables are new ones. into(equation): the jaxpr that it is a call
    of, if it is to be written out (such as `called`), or None. Nothing is traced; constants of what is written out
    become its own."""
    writer = Writing(into)
    invars = [Var(v.aval) for v in opened(jaxpr).invars]
    return writer.closed(jaxpr, invars, writer.write(jaxpr, invars))


class Writing:
    """Equations written one after the other, from one jaxpr or several. into: see `inlined`; by default nothing is
    written out."""

    def __init__(self, into: Callable[[Any], AnyJaxpr | None] = lambda eqn: None):
        self._into = into
        self._eqns: list[Any] = []
        self._constvars: list[Var] = []
        self._consts: list[Any] = []

    def closed(self, like: AnyJaxpr, invars: Sequence[Any], outvars: Sequence[Any]) -> ClosedJaxpr:
        """The jaxpr of what was written, with the effects of another."""
        body = opened(like)
        made = body.replace(
            invars=list(invars), outvars=list(outvars), eqns=self._eqns, constvars=self._constvars,
            debug_info=body.debug_info.with_unknown_names(),
        )  # fmt: skip
        return ClosedJaxpr(made, self._consts)

    def write(self, jaxpr: AnyJaxpr, args: Sequence[Any]) -> list[Any]:
        """Writes a jaxpr at these arguments; its results."""
        whole, body = closed(jaxpr), opened(jaxpr)
        at: dict[Any, Any] = dict(zip(body.invars, args, strict=True))
        for v, value in zip(body.constvars, whole.consts, strict=True):
            at[v] = Var(v.aval)
            self._constvars.append(at[v])
            self._consts.append(value)

        def read(v: Any) -> Any:
            return v if isinstance(v, Literal) else at[v]

        for eqn in body.eqns:
            ins = list(map(read, eqn.invars))
            call = self._into(eqn)
            if call is None:
                outs: list[Any] = [Var(v.aval) for v in eqn.outvars]
                self._eqns.append(eqn.replace(invars=ins, outvars=outs))
            else:
                outs = self.write(call, ins)
            at.update(zip(eqn.outvars, outs))
        return list(map(read, body.outvars))


def live(jaxpr: AnyJaxpr) -> AnyJaxpr:
    """A jaxpr without the equations that no result depends on; those with effects stay."""
    body = opened(jaxpr)
    wanted = _variables(body.outvars)
    eqns = []
    for eqn in reversed(body.eqns):
        if eqn.effects or not wanted.isdisjoint(eqn.outvars):
            eqns.append(eqn)
            wanted |= _variables(eqn.invars)
    made = body.replace(eqns=eqns[::-1])
    return made if body is jaxpr else jaxpr.replace(jaxpr=made)


# -- what follows ------------------------------------------------------------------------------------------------------


def flows(
    jaxpr: AnyJaxpr, given: Sequence[Any], rule: Callable[[Any, list[Any]], Sequence[Any] | None], unknown: Any = None,
    literal: Callable[[Any], Any] | None = None, constants: Sequence[Any] | None = None,
) -> list[Any]:  # fmt: skip
    """Returns what is known of a jaxpr's results, given what is known of its arguments. rule(equation, facts about its
    operands) returns the facts about its results; None: nothing is known, which is `unknown`.

    literal: what is known of a literal (`v.val`); constants: of the constants of the jaxpr. By default `unknown`.
    Nothing looks into equations; a rule that wants to calls `flows` of what is inside.

    >>> traced = jax.make_jaxpr(lambda x, y: (jax.numpy.sin(x), x + y))(1.0, 2.0)
    >>> flows(traced, [True, False], lambda eqn, ins: [any(ins)])
    [True, True]
    """
    body = opened(jaxpr)
    known: dict[Any, Any] = dict(zip(body.constvars, constants or ()))
    known.update(zip(body.invars, given, strict=True))

    def read(v: Any) -> Any:
        if isinstance(v, Literal):
            return unknown if literal is None else literal(v)
        return known.get(v, unknown)

    for eqn in body.eqns:
        outs = rule(eqn, list(map(read, eqn.invars)))
        if outs is not None:
            known.update(zip(eqn.outvars, outs))
    return list(map(read, body.outvars))


def needed(
    jaxpr: AnyJaxpr, wanted: Sequence[bool] | None = None, rule: Callable[[Any, list[bool]], Sequence[bool] | None] | None = None
) -> list[bool]:  # fmt: skip
    """Tells which arguments of a jaxpr the results marked in `wanted` (by default all) depend on. rule(equation, which
    of its results are needed) tells which operands these depend on; None: on all. Equations with effects are needed."""
    body = opened(jaxpr)
    alive = {
        v for k, v in enumerate(body.outvars) if not isinstance(v, Literal) and (wanted is None or wanted[k])
    }
    for eqn in reversed(body.eqns):
        if not eqn.effects and alive.isdisjoint(eqn.outvars):
            continue
        reads = rule(eqn, [v in alive for v in eqn.outvars]) if rule is not None else None
        alive |= _variables([v for k, v in enumerate(eqn.invars) if reads is None or reads[k]])
    return [v in alive for v in body.invars]


def _variables(atoms: Iterable[Any]) -> set[Any]:
    return {v for v in atoms if not isinstance(v, Literal)}
