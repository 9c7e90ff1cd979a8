"""Plans at sizes that were never traced: made once of a jaxpr at symbolic sizes, with what depends on sizes put in for
each.

A rule is given an equation whose symbolic sizes cannot be read. If it does not try to, what it gives serves all sizes
(most of arithmetic); otherwise it is asked again at each sizes, of this equation alone.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from ...jaxprs.primitives import SIZE
from ...jaxprs.sizes import AtSizes
from ...jaxprs.walk import called, steps
from ...lazy.applied import Applied
from ...lazy.sized import Sized
from ...lazy.value import Aval
from .interpreter import (
    NAMED,
    RULES,
    SECONDS_PER_STEP,
    NoRule,
    Plan,
    plan_of,
)

__all__ = ["Later", "frame_of", "plan_at"]

MOST_MADE = 512
"""Sizes at which a step is kept."""


class _NeedsSizes(Exception):
    """A rule looks at a size."""


class _Hidden:
    """An aval, or parameters, of which symbolic sizes cannot be read."""

    def __init__(self, aval: Any):
        self._aval = aval
        self.dtype, self.ndim, self.weak_type = aval.dtype, len(aval.shape), aval.weak_type

    @property
    def shape(self) -> tuple:
        """Its sizes, if they are known."""
        if _has_symbols(self._aval.shape):
            raise _NeedsSizes
        return self._aval.shape

    @property
    def size(self) -> int:
        """How many elements it has, if that is known."""
        return math.prod(self.shape)


class _HiddenParams(Mapping):
    """Parameters of which what has symbolic sizes in it cannot be read.

    (A dict's subclass would be read past its methods by `**`.)"""

    def __init__(self, params: dict):
        self._params = params

    def __getitem__(self, name: str) -> Any:
        found = self._params[name]
        if _has_symbols(found):
            raise _NeedsSizes
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._params)

    def __len__(self) -> int:
        return len(self._params)


class _Aval:
    """Shape and dtype, as rules read them."""

    __slots__ = ("dtype", "shape", "weak_type")

    def __init__(self, shape: tuple[int, ...], dtype: Any, weak_type: bool):
        self.shape, self.dtype, self.weak_type = shape, dtype, weak_type

    @property
    def ndim(self) -> int:
        """How many dims it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)


class _Variable:
    __slots__ = ("aval",)

    def __init__(self, aval: Any):
        self.aval = aval


class _Equation:
    """An equation, as rules read it."""

    __slots__ = ("invars", "outvars", "params", "primitive")

    def __init__(self, primitive: Any, params: dict, invars: Sequence, outvars: Sequence):
        self.primitive, self.params, self.invars, self.outvars = primitive, params, invars, outvars


def _has_symbols(x: Any) -> bool:
    if isinstance(x, tuple | list):
        return any(map(_has_symbols, x))
    if isinstance(x, ClosedJaxpr | Jaxpr):
        jaxpr = getattr(x, "jaxpr", x)
        return any(
            any(_has_symbols(getattr(v.aval, "shape", ())) for v in (*e.invars, *e.outvars))
            or any(map(_has_symbols, e.params.values()))
            for e in steps(jaxpr)
        ) or any(_has_symbols(getattr(v.aval, "shape", ())) for v in jaxpr.invars)
    return type(x) not in _PLAIN and jax.export.is_symbolic_dim(x)


_PLAIN = frozenset([int, str, bool, float, type(None)])


class Later:
    """A step that is made when sizes are known. dims: the symbolic ones that it is made of; made(values): what it is at
    these."""

    __slots__ = ("_made", "_make", "dims")

    def __init__(self, make: Callable[[tuple], Callable], dims: Sequence[Any]):
        self._make, self.dims = make, tuple(dims)
        self._made: dict[Any, Callable] = {}

    def made(self, values: Any) -> Callable:  # hot path
        """The step at these values of its dims (the value, if there is one)."""
        found = self._made.get(values)
        if found is None:
            if len(self._made) >= MOST_MADE:
                self._made.clear()
            found = self._made[values] = self._make(values if type(values) is tuple else (values,))
        return found


class _Frame(Plan):
    """The steps of a jaxpr at symbolic sizes, of which some are made later."""

    __slots__ = ("moved", "of", "part", "rate")

    def __init__(self, of: Sized, at_first: tuple[int, ...]):
        jaxpr = of.closed.jaxpr
        first = plan_of(of.jaxpr(at_first))
        super().__init__(len(jaxpr.invars), first.size, first.convolutions)
        self.of = of
        self.moved: Any = 0
        at = {v: i for i, v in enumerate(jaxpr.invars)}
        for v, value in zip(jaxpr.constvars, of.closed.consts):
            at[v] = self.place(np.asarray(value))
        self.finish(self.walk(jaxpr, at))
        of.note(self.moved)
        self.rate = first.beyond / max(of.numbers(at_first)(self.moved), 1)
        self.part = first.compiled / first.beyond if first.beyond else 0.0

    def equation(self, eqn: Any, ins: Sequence[int]) -> Sequence[int]:
        """Adds the steps of an equation; the places of its results."""
        if eqn.primitive.name == SIZE:
            (out,) = eqn.outvars
            places = self._later(_constant_of(out.aval.dtype), [eqn.params["dim"]], [], 1)
            self._makers[places[0]] = eqn, ins, ins
            return places
        if self.opened(eqn) is None:
            self.moved = self.moved + sum(math.prod(v.aval.shape) for v in (*eqn.invars, *eqn.outvars))
        return super().equation(eqn, ins)

    def opened(self, eqn: Any) -> Any:
        """The jaxpr that an equation is a call of: its steps become those of the Plan, however many."""
        return None if eqn.params.get("name") in NAMED else called(eqn)

    def costs(self, eqn: Any) -> tuple[float, float]:
        """Nothing: that is told from what all equations move."""
        return 0.0, 0.0

    def computed(self, eqn: Any, ins: Sequence[int]) -> Sequence[int]:
        """Adds the step that the rule of an equation gives; the places of its results. Raises NoRule."""
        if eqn.primitive.name not in RULES:
            raise NoRule(eqn.primitive.name)
        rule, n = RULES[eqn.primitive.name], len(eqn.outvars)
        if not eqn.primitive.name.startswith("random"):
            hidden = lambda v: v if isinstance(v, Literal) else _Variable(_Hidden(v.aval))  # noqa: E731
            try:
                run = rule(
                    _Equation(
                        eqn.primitive,
                        _HiddenParams(eqn.params),
                        list(map(hidden, eqn.invars)),
                        list(map(hidden, eqn.outvars)),
                    )
                )
                return self.add(run, ins, n)
            except _NeedsSizes:
                pass
        return self._later(*_recipe(eqn, rule), ins, n)

    def _later(self, make: Callable, dims: Sequence[Any], ins: Sequence[int], n: int) -> Sequence[int]:
        self.of.note(*dims)
        outs = tuple([self.place() for _ in range(n)])
        self._steps.append((Later(make, dims), tuple(ins), outs, ()))
        return outs

    def at(self, at: tuple[int, ...]) -> Plan:
        """The Plan at these sizes. Raises NoRule."""
        number = self.of.numbers(at)
        made = Plan(self._inputs, self.size, self.convolutions)
        made._rest, made.outputs = self._rest, self.outputs
        steps = made._steps
        for step in self._steps:
            run, ins, outs, gone = step
            if type(run) is Later:
                values = tuple(map(number, run.dims))
                run = run.made(values if len(values) != 1 else values[0])
                if len(outs) == 1 and not getattr(run, "several", False):
                    outs = outs[0]
                step = run, ins, outs, gone
            steps.append(step)
        made.beyond = self.rate * number(self.moved)
        made.compiled = self.part * made.beyond
        made.cost = made.beyond + SECONDS_PER_STEP * len(steps)
        return made


def _constant_of(dtype: Any) -> Callable:
    def make(values: tuple) -> Callable:
        constant = np.asarray(values[0], dtype)
        return lambda: constant

    return make


class _At:
    """Stands for a size in a template: the value of this number."""

    __slots__ = ("at",)

    def __init__(self, at: int):
        self.at = at


class _Dims:
    """The symbolic sizes that an equation has, and templates in which they stand as numbers of them."""

    def __init__(self) -> None:
        self.dims: list[Any] = []
        self._texts: dict[str, _At] = {}

    def template(self, x: Any) -> Any:
        """A shape, or a parameter, with what stands for its symbolic sizes."""
        if isinstance(x, tuple | list):
            parts = [self.template(y) for y in x]
            return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)
        if not _has_symbols(x):
            return x
        if isinstance(x, ClosedJaxpr | Jaxpr):
            AtSizes(self._noted).param(x)
            return _Inside(x, self._texts)
        self._noted(x)
        return self._texts[str(x)]

    def _noted(self, size: Any) -> Any:
        text = str(size)
        if type(size) is not int and text not in self._texts:
            self._texts[text] = _At(len(self.dims))
            self.dims.append(size)
        return size


class _Inside:
    """A jaxpr in a template."""

    __slots__ = ("jaxpr", "texts")

    def __init__(self, jaxpr: Any, texts: dict[str, _At]):
        self.jaxpr, self.texts = jaxpr, texts


def _filled(template: Any, values: tuple) -> Any:
    kind = type(template)
    if kind is _At:
        return values[template.at]
    if kind is tuple:
        return tuple([_filled(x, values) for x in template])
    if isinstance(template, tuple | list):
        parts = [_filled(x, values) for x in template]
        return kind(*parts) if hasattr(template, "_fields") else kind(parts)
    if kind is _Inside:
        texts = template.texts
        number = lambda d: d if type(d) is int else values[texts[str(d)].at]  # noqa: E731
        return AtSizes(number).param(template.jaxpr)
    return template


def _recipe(eqn: Any, rule: Callable) -> tuple[Callable[[tuple], Callable], list[Any]]:
    """Gives a function of sizes that gives what a rule makes of an equation; and which sizes."""
    dims = _Dims()
    plain = {k: p for k, p in eqn.params.items() if not _has_symbols(p)}
    others = {k: dims.template(p) for k, p in eqn.params.items() if k not in plain}

    def variable(v: Any) -> Any:
        if isinstance(v, Literal):
            return lambda values: v
        a, shape = v.aval, dims.template(tuple(v.aval.shape))
        if not _has_symbols(a.shape):
            fixed = _Variable(_Aval(a.shape, a.dtype, a.weak_type))
            return lambda values: fixed
        return lambda values: _Variable(_Aval(_filled(shape, values), a.dtype, a.weak_type))

    ins, outs = list(map(variable, eqn.invars)), list(map(variable, eqn.outvars))

    def make(values: tuple) -> Callable:
        params = {**plain, **{k: _filled(p, values) for k, p in others.items()}} if others else plain
        given, made = [v(values) for v in ins], [v(values) for v in outs]
        return rule(_Equation(eqn.primitive, params, given, made))

    return make, dims.dims


_plans: weakref.WeakKeyDictionary[Applied, Plan] = weakref.WeakKeyDictionary()


def plan_at(applied: Applied) -> Plan:
    """The Plan of an Applied that is told from symbolic sizes, made once. Raises NoRule."""
    found = _plans.get(applied)
    if found is None:
        general = applied.general
        found = _plans[applied] = (
            _made(*applied.sized)  # type: ignore[misc]  (who calls has looked)
            if general is None
            else _with_numbers(plan_at(general), applied.inputs)
        )
    return found


def _made(sized: Sized, at: tuple[int, ...]) -> Plan:
    return frame_of(sized, at).at(at)


def frame_of(sized: Sized, at: tuple[int, ...]) -> _Frame:
    """The steps of a jaxpr at symbolic sizes, made once; at: some sizes. Raises NoRule."""
    found: _Frame | str | None = sized.known.get("plan")
    if found is None:
        try:
            found = _Frame(sized, at)
        except NoRule as reason:
            found = str(reason)
        sized.known["plan"] = found
    if isinstance(found, str):
        raise NoRule(found)
    return found


def _with_numbers(of: Plan, inputs: tuple) -> Plan:
    """A Plan whose numbers are constants."""
    given = [i for i in inputs if i is not None]
    plan = Plan(sum(type(i) is Aval for i in given), of.size, of.convolutions)
    places = iter(range(len(given)))
    at = [next(places) if type(i) is Aval else plan.place(np.asarray(i[0](i[1]))) for i in given]
    return plan.finish(plan.add(of, at, len(of.outputs)))
