"""Jaxprs evaluated by NumPy, equation by equation: nothing is traced, lowered or compiled for it.

A rule is made once for each equation: `@rule("mul")` registers a function of the equation that gives a function of
arrays. A Plan is a jaxpr's rules in order. Where some primitive has no rule, or a rule says by NoRule that it has none
for these parameters, there is no Plan, and what the jaxpr is part of is compiled.

Arrays are NumPy's; results may be views of arguments, which nobody writes to.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal
from jax.lax import broadcast_in_dim_p
from ml_dtypes import bfloat16

from ...jaxprs import walk
from ...jaxprs.primitives import Kind, Rules, row

__all__ = [
    "COSTS", "IDIOMS", "KNOWN", "NAMED", "NARROW", "RULES", "SECONDS_PER_PRODUCT", "NoRule", "Plan", "broadcasts_by_itself", "elements", "equations", "idiom", "known", "named", "plan_of", "rule",
    "same", "several",
]  # fmt: skip

NARROW = (np.dtype(np.float16), np.dtype(bfloat16))
"""Floats that are computed in float32 and rounded once."""

KNOWN = frozenset([*map(np.dtype, "?bhilqBHILQfdFD"), *NARROW])
"""The dtypes that NumPy computes with."""

CONVOLUTIONS = ("conv_general_dilated", "convolution_form")

Rule = Callable[[Any], Callable]

RULES = Rules("NumPy", "what it computes, by NumPy", lambda p: "refused: compiled instead")
"""By the name of a primitive: a function of an equation, which gives a function of NumPy arrays, its operands.

That gives one array, or a sequence of them where it is marked by `@several`."""
rule = RULES.rule

NAMED: dict[str, Callable[[Any], Callable | None]] = {}
"""By the name of a function of the library's own (`jax.jit`): the same for calls of it, or None of those that are run
as what it consists of."""


IDIOMS: dict[str, Callable[[Any, Sequence[int], Plan], tuple[Any, Sequence[int]] | None]] = {}
"""By the name of a primitive: a function of an equation, of the places of its operands and of the Plan that it is added
to. It gives what there is less to do for, and the places of its operands: an equation, or what a rule gives; None where
the equation is computed as it stands."""


class NoRule(Exception):
    """There is no rule for an equation; says which primitive, and why."""


def named(name: str) -> Callable:
    """Registers a rule for calls of the library's function of this name."""
    return functools.partial(NAMED.__setitem__, name)


def idiom(*names: str) -> Callable:
    """Registers an idiom that ends with an equation of one of these primitives."""
    return lambda fn: IDIOMS.update(dict.fromkeys(names, fn)) or fn


def several(run: Callable, cost: float | None = None) -> Callable:
    """Marks what a rule gives as a function of several results. cost: seconds that it takes, if that is known better
    than guessed."""
    run.several, run.cost = True, cost  # type: ignore[attr-defined]
    return run


def elements(v: Any) -> int:
    """How many elements a variable of a jaxpr has."""
    return math.prod(v.aval.shape)


def known(eqn: Any) -> None:
    """Raises NoRule where an operand or a result of an equation has a dtype that NumPy does not compute with."""
    for v in (*eqn.invars, *eqn.outvars):
        if v.aval.dtype not in KNOWN:
            raise NoRule(f"{eqn.primitive.name} of {v.aval.dtype}")


COSTS: dict[str, Callable[[Any], float]] = {}
"""By primitive: what an equation costs beyond moving its operands and results, in multiply-adds of a matrix product."""
SECONDS_PER_STEP, SECONDS_PER_PRODUCT = 2e-6, 4e-11
"""Seconds of a step of a Plan on a few elements (about half of a jaxpr's equations are steps), and of a multiply-add of
a matrix product."""
SECONDS_PER_ELEMENT = (1 << 15, 7e-11), (1 << 18, 1.5e-10), (1 << 62, 5e-10)
"""(elements, seconds): the time for each element that a step reads or writes, in arrays of up to so many elements.
Those that the processor's caches hold take less."""
FUSED = 0.15
"""Fraction of NumPy's time for elements, step after step, that a program takes, which goes through them once."""
AS_LONG = frozenset(
    {Kind.PRODUCT, Kind.WINDOW, Kind.ORDER, Kind.ALONG, Kind.GATHER, Kind.SCATTER, Kind.LIBRARY, Kind.OTHER}
)
"""Kinds that take a program as long as NumPy, as far as they are more than moving elements."""
STILL = frozenset({Kind.VIEW, Kind.CALL, Kind.LOOP, Kind.BRANCH})
"""Kinds that move nothing by themselves."""


def _costs(eqn: Any) -> tuple[float, float]:
    """Seconds that NumPy takes for an equation beyond `SECONDS_PER_STEP`, and those that a program takes: rough, fixed
    guesses."""
    kind, extra = row(eqn).kind, COSTS.get(eqn.primitive.name)
    moved = [
        elements(v) for v in (*eqn.invars, *eqn.outvars) if kind not in STILL and hasattr(v.aval, "shape")
    ]
    largest = max(moved, default=0)
    moving = sum(moved) * next(seconds for most, seconds in SECONDS_PER_ELEMENT if largest <= most)
    more = SECONDS_PER_PRODUCT * extra(eqn) if extra else 0.0
    return moving + more, FUSED * moving + (more if kind in AS_LONG else FUSED * more)


def equations(jaxpr: Any) -> int:
    """How many equations a jaxpr has, with those inside of them."""
    return sum(1 for _ in walk.equations(jaxpr))


MOST_INLINED, MOST_FOLDED = 16, 256
FEW_CALLS = 16
"""Calls of a Plan after which it is made code, which takes six to forty times as long as a call of it saves."""


def same(x: Any, *others: Any) -> Any:
    """Returns the first operand. A rule gives this function for an equation whose result is its first operand: it takes
    no step."""
    return x


class Plan:
    """Steps on numbered places: first those of the arguments, then constants and results.

    Calling it runs them on NumPy arrays; `cost` guesses how many seconds that takes (`beyond`: but for the number of
    steps; `compiled`: how many of these a program takes). `size`: how many equations it was made of. It may stand as
    what a rule gives. What runs often is made Python code of one line for each step."""

    __slots__ = (
        "_calls",
        "_code",
        "_inputs",
        "_makers",
        "_rest",
        "_steps",
        "beyond",
        "compiled",
        "convolutions",
        "cost",
        "outputs",
        "size",
    )
    several = True

    def __init__(self, inputs: int, size: int = 0, convolutions: int = 0):
        self.beyond, self.compiled, self.cost, self.size = 0.0, 0.0, 0.0, size
        self.convolutions = convolutions
        self._calls, self._code = 0, None
        self._inputs = inputs
        self._rest: list[Any] = []  # what is at the further places in the beginning
        self._makers: dict[int, tuple[Any, Sequence[int], Sequence[int]]] = {}
        self.outputs: list[int] = []
        self._steps: list[tuple[Callable, tuple[int, ...], Any, tuple[int, ...]]] = []

    def place(self, value: np.ndarray | None = None) -> int:
        """A further place: of a constant, or of a result."""
        self._rest.append(value)
        return self._inputs + len(self._rest) - 1

    def add(
        self, run: Callable, ins: Sequence[int], results: int, costs: tuple[float, float] = (0.0, 0.0)
    ) -> Sequence[int]:
        """Adds what a rule gave, on these places; the places of its results.

        The steps of a short Plan become steps of this one. costs: what it costs beyond being a step, and what it costs
        a program, where it does not say so."""
        if run is same:
            return ins[:results]
        if type(run) is Plan and len(run._steps) <= MOST_INLINED:
            self.beyond += run.beyond
            self.compiled += run.compiled
            return self.inline(run, ins)
        told = getattr(run, "cost", None)
        beyond, compiled = (told, getattr(run, "compiled", FUSED * told)) if told else costs
        self.beyond += beyond
        self.compiled += compiled
        outs = tuple([self.place() for _ in range(results)])
        self._step(run, tuple(ins), outs if getattr(run, "several", False) else outs[0])
        return outs

    def inline(self, of: Plan, ins: Sequence[int]) -> list[int]:
        """Adds the steps of another Plan, on these places; the places of its results."""
        at = [*ins, *map(self.place, of._rest)]
        for run, places, outs, _ in of._steps:
            outs = at[outs] if type(outs) is int else tuple([at[o] for o in outs])
            self._step(run, tuple([at[i] for i in places]), outs)
        return [at[o] for o in of.outputs]

    def add_whole(self, run: Plan, ins: Sequence[int], results: int) -> Sequence[int]:
        """Adds another Plan as one step; the places of its results."""
        outs = tuple([self.place() for _ in range(results)])
        self._steps.append((run, tuple(ins), outs, ()))
        return outs

    def _step(self, run: Callable, ins: tuple[int, ...], outs: Any) -> None:
        """One more step; or a constant, where it makes a small one of constants.

        (Tuples of ints are nothing to Python's garbage collector.)"""
        if type(outs) is int and all(i >= self._inputs for i in ins):
            made = _constant(run, [self._rest[i - self._inputs] for i in ins])
            if made is not None:
                self._rest[outs - self._inputs] = made
                return
        self._steps.append((run, ins, outs, ()))

    def walk(self, jaxpr: Jaxpr, at: dict[Any, int]) -> list[int]:
        """Adds the steps of a jaxpr, whose variables are at these places; the places of its results. Raises NoRule."""

        def place(v: Any) -> int:
            return self.place(np.asarray(v.val, v.aval.dtype)) if isinstance(v, Literal) else at[v]

        for eqn in walk.steps(jaxpr):
            at.update(zip(eqn.outvars, self.equation(eqn, [place(v) for v in eqn.invars])))
        return [place(v) for v in jaxpr.outvars]

    def equation(self, eqn: Any, ins: Sequence[int]) -> Sequence[int]:
        """Adds the steps of an equation; the places of its results."""
        inner = self.opened(eqn)
        if inner is not None:
            return self._inside(inner, ins)
        given, what, tell = ins, None, IDIOMS.get(eqn.primitive.name)
        found = None if tell is None else tell(eqn, ins, self)
        if found is not None:
            what, ins = found
        if isinstance(what, ClosedJaxpr | Jaxpr):
            return self._inside(what, ins)
        if callable(what):
            outs = self.add(what, ins, 1, self.costs(eqn))
        else:
            if what is not None and what is not eqn:
                eqn, given = what, ins
            outs = self.computed(eqn, self._without_broadcasts(eqn, ins) if row(eqn).broadcasts else ins)
        if len(outs) == 1 and outs[0] not in ins:
            self._makers[outs[0]] = eqn, ins, given
        return outs

    def _inside(self, of: Any, ins: Sequence[int]) -> list[int]:
        """Adds the steps of a jaxpr, of these places; the places of its results."""
        jaxpr = walk.opened(of)
        at = dict(zip(jaxpr.invars, ins))
        at |= {v: self.place(np.asarray(c)) for v, c in zip(jaxpr.constvars, getattr(of, "consts", ()))}
        return self.walk(jaxpr, at)

    def opened(self, eqn: Any) -> Any:
        """The jaxpr that an equation is a short call of, whose steps become those of the Plan."""
        inner = walk.called(eqn) if eqn.params and eqn.params.get("name") not in NAMED else None
        return inner if inner is not None and len(walk.steps(inner)) <= MOST_INLINED else None

    def computed(self, eqn: Any, ins: Sequence[int]) -> Sequence[int]:
        """Adds the step that the rule of an equation gives; the places of its results. Raises NoRule."""
        if eqn.primitive.name not in RULES:
            raise NoRule(eqn.primitive.name)
        return self.add(RULES[eqn.primitive.name](eqn), ins, len(eqn.outvars), self.costs(eqn))

    def costs(self, eqn: Any) -> tuple[float, float]:
        """Returns what the step of an equation costs beyond being one, and what it costs a program."""
        return _costs(eqn)

    def maker(self, place: int, name: str) -> tuple[Any, Sequence[int], Sequence[int]] | None:
        """The equation that made what is at a place, if it is of this primitive: with the places that it read, and those
        of its operands, from which an idiom may have told it."""
        found = self._makers.get(place)
        return found if found is not None and found[0].primitive.name == name else None

    def constant(self, place: int) -> np.ndarray | None:
        """Returns what is known to be at a place; None of what is computed."""
        return self._rest[place - self._inputs] if place >= self._inputs else None

    def _without_broadcasts(self, eqn: Any, ins: Sequence[int]) -> Sequence[int]:
        """The operands of an equation, of which what is broadcast for NumPy alone stays as it was."""
        makers = [self.maker(i, broadcast_in_dim_p.name) for i in ins]
        narrow = [m if m is not None and broadcasts_by_itself(m[0]) else None for m in makers]
        if not any(narrow):
            return ins
        shape = eqn.outvars[0].aval.shape
        given = [v.aval.shape if n is None else n[0].invars[0].aval.shape for n, v in zip(narrow, eqn.invars)]
        for d in range(-len(shape), 0):
            if not any(len(g) >= -d and g[d] == shape[d] for g in given):
                return ins
        return [i if n is None else n[2][0] for n, i in zip(narrow, ins)]

    def finish(self, outputs: Sequence[int]) -> Plan:
        """Says where the results are. What nothing reads is left out, and what nothing reads any more is let go of."""
        self.outputs = list(outputs)
        needed, steps = set(outputs), []
        for run, ins, outs, _ in reversed(self._steps):
            made = (outs,) if type(outs) is int else outs
            if not needed.isdisjoint(made):
                gone = {*ins, *made}.difference(needed)
                needed.update(ins)
                steps.append((run, ins, outs, tuple(gone)))
        self._steps = steps[::-1]
        self._rest = [x if at in needed else None for at, x in enumerate(self._rest, self._inputs)]
        self._makers = {}
        self.cost = self.beyond + SECONDS_PER_STEP * sum(type(run) is not Plan for run, *_ in steps)
        return self

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:  # hot path
        if self._code is not None:
            return self._code(*arrays)
        self._calls += 1
        if self._calls > FEW_CALLS:
            self._code = self.code()[0]()
        at = [*arrays, *self._rest]
        for run, ins, outs, gone in self._steps:
            result = run(*[at[i] for i in ins])
            if type(outs) is int:
                at[outs] = result
            else:
                for o, r in zip(outs, result):
                    at[o] = r
            for i in gone:
                at[i] = None
        return [at[o] for o in self.outputs]

    def code(self, later: type | None = None) -> tuple[Callable[..., Callable[..., list[np.ndarray]]], list]:
        """The steps as one function, whose variables are the places: a function that gives it of what stands in the
        place of the steps of the class `later`, and these steps."""
        lines, rest = [], enumerate(self._rest, self._inputs)
        constants = {f"s{at}": value for at, value in rest if value is not None}
        fixed, bound = {}, {}
        for k, (run, ins, outs, gone) in enumerate(self._steps):
            (bound if type(run) is later else fixed)[f"f{k}"] = run
            to = f"s{outs}" if type(outs) is int else "".join([f"s{o}, " for o in outs])
            lines.append(f"{to} = f{k}({', '.join([f's{i}' for i in ins])})")
            if ended := [f"s{i}" for i in gone if f"s{i}" not in constants]:
                lines.append(f"del {', '.join(ended)}")
        lines.append(f"return [{', '.join([f's{o}' for o in self.outputs])}]")
        inputs, body = ", ".join([f"s{i}" for i in range(self._inputs)]), "\n   ".join(lines)
        text = (
            f"def made({', '.join([*fixed, *constants])}):\n def bind({', '.join(bound)}):\n"
            f"  def run({inputs}):\n   {body}\n  return run\n return bind"
        )
        made = _defined(text) if len(lines) <= MOST_INLINED else _defined.__wrapped__(text)
        return made(*fixed.values(), *constants.values()), list(bound.values())


@functools.lru_cache(1024)
def _defined(text: str) -> Callable[..., Callable]:
    """The function `made` that a text defines. Many short plans are of one form."""
    found: dict[str, Any] = {}
    exec(compile(text, "<functorch_lite plan>", "exec"), found)
    return found["made"]


def _constant(run: Callable, given: Sequence[np.ndarray | None]) -> np.ndarray | None:
    """Returns what a step makes of these constants, if all is small; else None. An operand of None is not known
    before."""
    if any(x is None or x.size > MOST_FOLDED for x in given):
        return None
    try:
        with np.errstate(all="ignore"):
            made = np.asarray(run(*given))
    except Exception:  # as of a singular matrix: the program that runs instead says what comes of it
        return None
    return made if made.size <= MOST_FOLDED else None


def _made(jaxpr: Jaxpr, constants: Sequence[Any]) -> Plan:
    """The Plan of a jaxpr. Raises NoRule."""
    convolutions = sum(eqn.primitive.name in CONVOLUTIONS for eqn in walk.equations(jaxpr))
    plan = Plan(len(jaxpr.invars), equations(jaxpr), convolutions)
    places = {v: i for i, v in enumerate(jaxpr.invars)}
    for v, value in zip(jaxpr.constvars, constants):
        places[v] = plan.place(np.asarray(value))
    return plan.finish(plan.walk(jaxpr, places))


def broadcasts_by_itself(eqn: Any) -> bool:
    """Returns whether NumPy would broadcast an operand so without being asked."""
    dims, ndim = eqn.params["broadcast_dimensions"], len(eqn.params["shape"])
    return len(eqn.invars) == 1 and tuple(dims) == tuple(range(ndim - len(dims), ndim))


_plans: dict[int, tuple[Any, Any]] = {}


def plan_of(closed: ClosedJaxpr | Jaxpr) -> Plan:
    """The Plan of a jaxpr, made once. Raises NoRule."""
    if not isinstance(closed, ClosedJaxpr):  # which is every Jaxpr since JAX 0.11
        return _made(closed, ())
    kept = _plans.get(id(closed))
    if kept is not None and kept[0] is closed:
        found = kept[1]
    else:
        try:
            found = _made(closed.jaxpr, closed.consts)
        except NoRule as reason:
            found = str(reason)  # the exception itself would keep every frame, and what that holds
        if len(_plans) > 20_000:
            _plans.clear()
        _plans[id(closed)] = closed, found
    if isinstance(found, str):
        raise NoRule(found)
    return found
