"""Signatures: recordings taken apart into what is equal whatever the lengths are, the ints, and the constants in
them."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from ...jaxprs.primitives import row
from ...jaxprs.sizes import AtSizes, passes
from ...lazy.applied import Applied, at_numbers
from ...lazy.sized import Sized
from ...lazy.trie import TrieNode
from ...lazy.value import Value
from ...words.numbers import is_int
from ..threefry import BITS

__all__ = [
    "Constant", "Equation", "Inner", "Other", "Shaped", "Signature", "Sizes", "Variable", "signature",
    "symbolic",
]  # fmt: skip

_LEFT_OUT = frozenset(["update_jaxpr", "update_consts"])
"""Parameters that are determined by the others."""


class Shaped(NamedTuple):
    """Shape, dtype and weak type of an array: its sizes may differ from recording to recording."""

    shape: tuple
    dtype: Any
    weak: bool


class Variable(NamedTuple):
    """A variable of a jaxpr, by number: first the arguments, then the constants, then the results of equations."""

    number: str  # str, so that it is no int that differs


class Constant(NamedTuple):
    """A constant in a jaxpr: its value, or in a signature's key nothing."""

    value: Any
    aval: Shaped


class Other(NamedTuple):
    """A parameter of a kind that is not looked into."""

    kind: str
    value: Any


class Equation(NamedTuple):
    """An equation. `raw` is JAX's, None in a signature's key."""

    name: str
    params: tuple[tuple[str, Any], ...]
    ins: tuple[Any, ...]
    outs: tuple[Shaped, ...]
    raw: Any

    def param(self, name: str) -> Any:
        """A parameter."""
        return next(v for k, v in self.params if k == name)


class Inner(NamedTuple):
    """A jaxpr. What it reads: arguments, then constants."""

    arguments: tuple[Shaped, ...]
    constants: tuple[Constant, ...]
    equations: tuple[Equation, ...]
    results: tuple[Any, ...]


class Sizes:
    """Collects the ints and constants on a walk through a jaxpr, in its order."""

    raw = False

    def __init__(self) -> None:
        self.ints: list[int] = []
        self.values: list[Any] = []

    def int_(self, number: int) -> Any:
        """An int."""
        self.ints.append(int(number))
        return None

    def value(self, value: Any) -> Any:
        """A constant, or an object that is compared by itself."""
        self.values.append(value)
        return None


_SIMPLE = (bool, str, bytes, type(None), np.dtype, type)


def _param(p: Any, to: Sizes) -> Any:
    if type(p) is int:
        return to.int_(p)
    if isinstance(p, _SIMPLE):
        return p
    if is_int(p) and not isinstance(p, Enum):
        return to.int_(p)
    if isinstance(p, float | complex):
        return repr(p)
    if isinstance(p, tuple):
        parts = [_param(x, to) for x in p]
        return type(p)(*parts) if hasattr(p, "_fields") else tuple(parts)
    if isinstance(p, list):
        return tuple([_param(x, to) for x in p])
    if isinstance(p, dict) or type(p).__name__ == "FrozenDict":
        return tuple([(str(k), _param(p[k], to)) for k in sorted(p, key=str)])
    if isinstance(p, ClosedJaxpr):
        return _jaxpr(p.jaxpr, p.consts, to)
    if isinstance(p, Jaxpr):
        return _jaxpr(p, (), to)
    if jax.export.is_symbolic_dim(p):
        return to.int_(p)
    return Other(type(p).__name__, to.value(p))


def _shaped(aval: Any, to: Sizes) -> Shaped:
    dtype = getattr(aval, "dtype", None)
    return Shaped(
        tuple([to.int_(d) for d in getattr(aval, "shape", ())]),
        dtype if to.raw or dtype != np.int32 else np.dtype(np.int64),
        getattr(aval, "weak_type", False),
    )


def _jaxpr(jaxpr: Jaxpr, constants: Sequence[Any], to: Sizes) -> Inner:
    numbers: dict[Any, Variable] = {}
    shapes: dict[Any, Shaped] = {}

    def note(v: Any, like: Shaped | None = None) -> Shaped:
        numbers[v] = Variable(str(len(shapes)))
        shapes[v] = _shaped(v.aval, to) if like is None else like
        return shapes[v]

    def read(v: Any) -> Variable | Constant:
        if not isinstance(v, Literal):
            return numbers[v]
        shaped = _shaped(v.aval, to)
        return Constant(to.value(v.val), shaped if to.raw else shaped._replace(weak=False))

    arguments = tuple([note(v) for v in jaxpr.invars])
    held = tuple([Constant(to.value(c), note(v)) for v, c in zip(jaxpr.constvars, constants)])
    equations = []
    for eqn in jaxpr.eqns:
        name = eqn.primitive.name
        if passes(eqn) and not any(isinstance(v, Literal) for v in eqn.invars):
            if to.raw:
                ins = tuple([numbers[v] for v in eqn.invars])
                outs = tuple(
                    [note(v, shapes[u]._replace(dtype=v.aval.dtype)) for u, v in zip(eqn.invars, eqn.outvars)]
                )
                params = tuple(eqn.params.items())
                equations.append(Equation(name, params, ins, outs, eqn))
            else:  # ops have some at some sizes
                numbers.update({v: numbers[u] for u, v in zip(eqn.invars, eqn.outvars)})
            continue
        ins = tuple([read(v) for v in eqn.invars])
        params = eqn.params
        inner = row(name).call
        if inner is not None and inner in params:
            if params.get("name") == BITS:
                params = {"name": BITS}
            else:
                params = {inner: params[inner]}
        told = tuple([(k, _param(params[k], to)) for k in sorted(params) if k not in _LEFT_OUT])
        equations.append(
            Equation(name, told, ins, tuple([note(v) for v in eqn.outvars]), eqn if to.raw else None)
        )
    return Inner(arguments, held, tuple(equations), tuple([read(v) for v in jaxpr.outvars]))


_of_applied: weakref.WeakKeyDictionary[Applied, tuple[Any, Sizes]] = weakref.WeakKeyDictionary()


def _taken_apart(applied: Applied) -> tuple[Any, Sizes]:
    found = _of_applied.get(applied)
    of = applied.general or applied
    if found is None and of.sized is not None and not of.sized[0].folds:
        found = _of_applied[applied] = _at_sizes(*of.sized, applied.inputs if of is not applied else ())
    if found is None:
        sizes = Sizes()
        closed = applied.to_run
        found = _of_applied[applied] = _jaxpr(closed.jaxpr, closed.consts, sizes), sizes
    return found


class _Symbols(Sizes):
    """The ints and constants of a jaxpr at symbolic sizes, as they are."""

    def int_(self, number: int) -> Any:
        self.ints.append(number)
        return None


def _at_sizes(sized: Sized, at: tuple[int, ...], inputs: tuple = ()) -> tuple[Any, Sizes]:
    """The same of a jaxpr at symbolic sizes: it is walked through once. inputs: its inputs, where some are numbers."""
    numbers = tuple([type(i) is tuple for i in inputs if i is not None])
    which = "signature", numbers
    if which not in sized.known:
        symbols = _Symbols()
        closed = AtSizes(lambda size: size).closed(sized.closed)
        if numbers:
            closed = at_numbers(closed, inputs)
        sized.known[which] = _jaxpr(closed.jaxpr, closed.consts, symbols), symbols
    key, symbols = sized.known[which]
    number, now = sized.numbers(at), Sizes()
    now.ints = [n if type(n) is int else number(n) for n in symbols.ints]
    now.values = [number(v) if jax.export.is_symbolic_dim(v) else v for v in symbols.values]
    first = len(sized.closed.consts)
    now.values[first : first + sum(numbers)] = [i[0](i[1]) for i in inputs if type(i) is tuple]
    return key, now


class Signature(NamedTuple):
    """A recording taken apart.

    key     what is equal in all recordings of a form
    ints    the others: first those of the externals' shapes (`n_external`), then those of each Applied
    values  constants in the jaxprs
    begins  where the ints and values of each step's Applied begin
    """

    key: Any
    ints: np.ndarray
    values: list[Any]
    n_external: int
    begins: list[tuple[int, int]]


def signature(path: Sequence[TrieNode], externals: Sequence[Value]) -> Signature:
    """The signature of a recording."""
    to = Sizes()
    given = tuple([(_shaped(v.aval, to), v.aval.dtype.name, v.aval.device, v.aval.weak) for v in externals])
    n_external = len(to.ints)
    ints, values = list(to.ints), []
    at: dict[Applied, int] = {}
    begin: list[tuple[int, int]] = []
    keys, steps, begins = [], [], []
    for node in path:
        applied = node.applied
        number = at.get(applied)
        if number is None:
            number = at[applied] = len(at)
            key, of_it = _taken_apart(applied)
            keys.append(key)
            begin.append((len(ints), len(values)))
            ints.extend(of_it.ints)
            values.extend(of_it.values)
        begins.append(begin[number])
        kinds = tuple([a.dtype for a in node.avals])
        steps.append((getattr(node.op, "name", ""), str(number), node.refs, kinds, node.stop))
    return Signature((given, tuple(steps), tuple(keys)), np.array(ints, np.int64), values, n_external, begins)


class _Instance(Sizes):
    """The walk that puts other things in the place of ints and constants."""

    raw = True

    def __init__(self, ints: Callable[[int], Any], values: Callable[[int], Any], begin: tuple[int, int]):
        super().__init__()
        self._ints, self._values = ints, values
        self._at, self._value_at = begin

    def int_(self, number: int) -> Any:
        self._at += 1
        return self._ints(self._at - 1)

    def value(self, value: Any) -> Any:
        self._value_at += 1
        return self._values(self._value_at - 1)


def symbolic(
    closed: ClosedJaxpr, ints: Callable[[int], Any], values: Callable[[int], Any], begin: tuple[int, int]
) -> Inner:
    """A jaxpr in which `ints(k)` and `values(k)` stand for its ints and constants, which are numbered from `begin`
    on."""
    return _jaxpr(closed.jaxpr, closed.consts, _Instance(ints, values, begin))
