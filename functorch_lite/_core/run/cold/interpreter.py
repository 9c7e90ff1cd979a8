"""Jaxprs evaluated by NumPy, equation by equation: nothing is traced, lowered or compiled for it.

A rule is made once for each equation: `@rule("mul")` registers a function of the equation that gives a function of arrays. A Plan is a
jaxpr's rules in order. Where some primitive has no rule, or a rule says by NoRule that it has none for these parameters, there is no
Plan, and what the jaxpr is part of is compiled.

Arrays are NumPy's; results may be views of arguments, which nobody writes to.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal
from ml_dtypes import bfloat16

__all__ = ["CALLS", "COSTS", "KNOWN", "NARROW", "RULES", "NoRule", "Plan", "called", "elements", "known", "plan_of", "rule", "several"]

NARROW = (np.dtype(np.float16), np.dtype(bfloat16))
"""Floats that are computed in float32 and rounded once."""

KNOWN = frozenset([*map(np.dtype, "?bhilqBHILQfdFD"), *NARROW])
"""The dtypes that NumPy computes with."""

Rule = Callable[[Any], Callable]

RULES: dict[str, Rule] = {}
"""By the name of a primitive: a function of an equation, which gives a function of NumPy arrays, its operands. That gives one array,
or a sequence of them where it is marked by `@several`."""


class NoRule(Exception):
    """There is no rule for an equation; says which primitive, and why."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Registers a rule for the primitives of these names."""

    def register(make: Rule) -> Rule:
        for name in names:
            RULES[name] = make
        return make

    return register


def several(run: Callable, cost: float | None = None) -> Callable:
    """Marks what a rule gives as a function of several results. cost: seconds that it takes, if that is known better than guessed."""
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


def _cost(eqn: Any) -> float:
    """Seconds that NumPy takes for an equation: a rough, fixed guess."""
    moved = sum(elements(v) for v in (*eqn.invars, *eqn.outvars) if hasattr(v.aval, "shape"))
    extra = COSTS.get(eqn.primitive.name)
    return 2e-6 + 1e-9 * moved + (5e-11 * extra(eqn) if extra else 0.0)


def _equations(jaxpr: Any) -> int:
    """How many equations a jaxpr has, with those inside of them."""
    n = len(jaxpr.eqns)
    for eqn in jaxpr.eqns:
        for p in eqn.params.values():
            for inner in p if isinstance(p, tuple | list) else (p,):
                inner = getattr(inner, "jaxpr", inner)
                n += _equations(inner) if isinstance(inner, Jaxpr) else 0
    return n


CALLS = frozenset(["jit", "pjit", "closed_call", "remat2", "custom_jvp_call", "custom_vjp_call"])
"""Primitives that do what the jaxpr in them does."""
FIRST = frozenset(["copy", "stop_gradient", "reads", "forward_only", "gradient_apart"])
"""Primitives that are their first operand."""
MOST_KNOWN = 256
"""Elements up to which what depends on nothing is computed when a Plan is made, and kept."""


def called(eqn: Any) -> tuple[Jaxpr, Sequence[Any]]:
    """The jaxpr in an equation of CALLS, and its constants."""
    inner = next(eqn.params[k] for k in ("jaxpr", "call_jaxpr", "fun_jaxpr") if k in eqn.params)
    return (inner, ()) if isinstance(inner, Jaxpr) else (inner.jaxpr, inner.consts)


class _Flat:
    """The equations of a jaxpr, with those of what it calls in place of the calls, and the places of what they read and make: numbers.
    `constants`: what is known, by its place."""

    def __init__(self) -> None:
        self.constants: dict[int, Any] = {}
        self._equations: list[tuple[Any, list[int], list[int]]] = []
        self._count = 0

    def place(self) -> int:
        self._count += 1
        return self._count

    def add(self, jaxpr: Jaxpr, constants: Sequence[Any], inputs: list[int]) -> list[int]:
        """Adds a jaxpr whose inputs are at these places; the places of its results."""
        places: dict[Any, int] = dict(zip(jaxpr.invars, inputs))
        for v, value in zip(jaxpr.constvars, constants):
            places[v] = at = self.place()
            self.constants[at] = np.asarray(value)
        for eqn in jaxpr.eqns:
            ins, name = [self._place_of(v, places) for v in eqn.invars], eqn.primitive.name
            if name in CALLS:
                outs = self.add(*called(eqn), ins)
            elif name in FIRST:
                outs = ins[:1]
            else:
                outs = [self.place() for _ in eqn.outvars]
                self._equations.append((eqn, ins, outs))
            places.update(zip(eqn.outvars, outs))
        return [self._place_of(v, places) for v in jaxpr.outvars]

    def _place_of(self, v: Any, places: dict[Any, int]) -> int:
        if not isinstance(v, Literal):
            return places[v]
        at = self.place()
        self.constants[at] = np.asarray(v.val, v.aval.dtype)
        return at

    def needed(self, outputs: Sequence[int]) -> list[tuple[Any, list[int], list[int]]]:
        """The equations that results depend on: a derivative's jaxpr has much of what it is the derivative of, and reads little of it."""
        wanted, found = set(outputs), []
        for eqn, ins, outs in reversed(self._equations):
            if eqn.effects or not wanted.isdisjoint(outs):
                found.append((eqn, ins, outs))
                wanted.update(ins)
        return found[::-1]

    def is_known(self, eqn: Any, ins: list[int], run: Callable, outs: list[int], many: bool) -> bool:
        """Whether an equation's results depend on nothing but constants: then they are among them from now on."""
        if eqn.effects or sum(map(elements, eqn.outvars)) > MOST_KNOWN or not self.constants.keys() >= set(ins):
            return False
        try:
            with np.errstate(all="ignore"):
                found = run(*[self.constants[i] for i in ins])
        except Exception:  # it is raised when the Plan is run, if then
            return False
        self.constants.update(zip(outs, found if many else (found,)))
        return True


class Plan:
    """A jaxpr as a list of steps. Calling it runs them on NumPy arrays; `cost` guesses how many seconds that takes. `size`: its equations.
    It may stand as what a rule gives. Calls in it are part of it, and what no result depends on is not. From the third call on it runs as Python code of one line for each step."""

    __slots__ = ("_calls", "_code", "_constants", "_inputs", "_outputs", "_steps", "cost", "size")
    several = True

    def __init__(self, jaxpr: Jaxpr, constants: Sequence[Any]):
        flat = _Flat()
        self.size = _equations(jaxpr)
        self._code: Callable[..., list[np.ndarray]] | None = None
        self._calls = 0
        self._inputs = [flat.place() for _ in jaxpr.invars]
        self._outputs = flat.add(jaxpr, constants, self._inputs)
        self.cost = 0.0
        self._steps: list[tuple[Callable, list[int], list[int], bool, list[int]]] = []
        last: dict[int, int] = {}
        for eqn, ins, outs in flat.needed(self._outputs):
            if eqn.primitive.name not in RULES:
                raise NoRule(eqn.primitive.name)
            run = RULES[eqn.primitive.name](eqn)
            many = getattr(run, "several", False)
            if flat.is_known(eqn, ins, run, outs, many):
                continue
            last.update(dict.fromkeys((*ins, *outs), len(self._steps)))
            self._steps.append((run, ins, outs, many, []))
            self.cost += getattr(run, "cost", None) or _cost(eqn)
        used = {*self._outputs, *last}
        self._constants = [(at, value) for at, value in flat.constants.items() if at in used]
        kept = {*self._outputs, *(at for at, _ in self._constants)}
        for at, k in last.items():
            if at not in kept:
                self._steps[k][4].append(at)

    def __call__(self, *arrays: np.ndarray) -> list[np.ndarray]:
        if self._code is not None:
            return self._code(*arrays)
        self._calls += 1
        if self._calls > 2:
            self._code = self._as_code()
        slots: dict[int, Any] = dict(self._constants)
        slots.update(zip(self._inputs, arrays))
        for run, ins, outs, many, gone in self._steps:
            result = run(*[slots[i] for i in ins])
            if many:
                for o, r in zip(outs, result):
                    slots[o] = r
            else:
                slots[outs[0]] = result
            for i in gone:
                del slots[i]
        return [slots[o] for o in self._outputs]

    def _as_code(self) -> Callable[..., list[np.ndarray]]:
        lines = []
        for k, (_, ins, outs, many, gone) in enumerate(self._steps):
            to = "".join(f"s{o}, " for o in outs) if many else f"s{outs[0]}"
            lines.append(f"{to or '_'} = f{k}({', '.join(f's{i}' for i in ins)})")
            if gone:
                lines.append(f"del {', '.join(f's{i}' for i in gone)}")
        lines.append(f"return [{', '.join(f's{o}' for o in self._outputs)}]")
        inputs = ", ".join(f"s{i}" for i in self._inputs)
        names = [*(f"f{k}" for k in range(len(self._steps))), *(f"s{at}" for at, _ in self._constants)]
        body = "\n  ".join(lines)
        given = [run._code or run if isinstance(run, Plan) else run for run, *_ in self._steps]
        made = _code(f"def made({', '.join(names)}):\n def run({inputs}):\n  {body}\n return run")
        return made(*given, *(value for _, value in self._constants))


@functools.lru_cache(4096)
def _code(text: str) -> Callable[..., Callable]:
    """The function `made` that a text defines: many plans are of one form, at other functions."""
    found: dict[str, Any] = {}
    exec(text, found)
    return found["made"]


_plans: dict[int, tuple[Any, Any]] = {}


def plan_of(closed: ClosedJaxpr | Jaxpr) -> Plan:
    """The Plan of a jaxpr, made once. Raises NoRule."""
    if isinstance(closed, Jaxpr):
        return Plan(closed, ())
    kept = _plans.get(id(closed))
    if kept is not None and kept[0] is closed:
        found = kept[1]
    else:
        try:
            found = Plan(closed.jaxpr, closed.consts)
        except NoRule as reason:
            found = str(reason)  # the exception itself would keep every frame, and what that holds
        if len(_plans) > 20_000:
            _plans.clear()
        _plans[id(closed)] = closed, found
    if isinstance(found, str):
        raise NoRule(found)
    return found
