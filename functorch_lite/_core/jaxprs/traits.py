"""Traits of ops, told from a jaxpr of the op at first use: that it treats each element by itself, is linear in its
tensors, or takes them in any order.

An op is traced at small arguments: tensors of one shape, of the dtypes that it takes, and else its defaults. What
cannot be traced so, and what the table of primitives does not tell, has no traits: `False` says that nothing is known.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import ClosedJaxpr

from ..declare.op import OPS, Op
from .primitives import Kind, row
from .walk import called, flows, opened

__all__ = ["commutes", "is_linear", "is_pointwise", "op_called", "takes", "traced"]

_SHAPE = (2, 1, 3)
"""With a dimension of size 1, which a squeeze takes away."""
_DTYPES = (jnp.float32, jnp.int32, jnp.bool_)
_ELEMENT, _SAME_EVERYWHERE = "element", "same everywhere"


def op_called(name: str) -> Op | None:
    """The op of a public function's name: "add", "relu6", "i0"; None where there is none, as of functions on tensors.

    >>> op_called("relu6").name
    'nn.functional.relu6'
    """
    return _names().get(name)


@functools.cache
def _names() -> dict[str, Op]:
    found: dict[str, Op] = {}
    for op in sorted(OPS.values(), key=lambda op: op.namespace not in ("torch", "Tensor")):
        for name in (op.name.rpartition(".")[2], *op.aliases):
            found.setdefault(name, op)
    return found


@functools.cache
def traced(op: Op) -> ClosedJaxpr | None:
    """A jaxpr of an op, from its tensors and numbers alone; None where it needs more."""
    if op.host or any(
        p.kind in ("static", "size", "arrays", "ints") and p.default is p.parameter.empty for p in op.params
    ):
        return None
    given = [p for p in op.params if p.default is p.parameter.empty]
    fixed = [None if p in given else p.default for p in op.params]
    for structs in _arguments([p.kind == "number" for p in given]):

        def run(*args: Any) -> Any:
            taken = iter(args)
            return op._run([next(taken) if p in given else value for p, value in zip(op.params, fixed)])

        try:
            with jax.enable_x64(True):
                return jax.make_jaxpr(run)(*structs)
        except Exception:  # of those that it does not take
            continue
    return None


def _arguments(numbers: Sequence[bool]) -> Iterator[list[jax.ShapeDtypeStruct]]:
    """Yields arguments that parameters may be given: tensors of one dtype, or all but one of them; numbers are
    scalars."""
    alike = [(d,) * len(numbers) for d in _DTYPES]
    others = [
        dtypes[:k] + (d,) + dtypes[k + 1 :]
        for dtypes in alike[:2]
        for k in range(len(numbers))
        for d in _DTYPES[1:]
    ]
    for dtypes in dict.fromkeys([*alike, *others]):
        yield [
            jax.ShapeDtypeStruct(() if n else _SHAPE, jnp.float32 if n else d)
            for n, d in zip(numbers, dtypes)
        ]


def is_pointwise(op: Op) -> bool:
    """Whether each element of an op's one result is told by the elements in the same place of its tensors, all of one
    shape.

    >>> [is_pointwise(op_called(name)) for name in ("logaddexp2", "cumsum", "sum")]
    [True, False, False]
    """
    jaxpr = traced(op)
    if jaxpr is None or len(opened(jaxpr).outvars) != 1:
        return False
    given = [_ELEMENT if v.aval.shape else _SAME_EVERYWHERE for v in opened(jaxpr).invars]
    return all(fact == _ELEMENT for fact in _elements(jaxpr, given))


@functools.cache
def takes(op: Op) -> int:
    """How many tensors an op must be given, where it needs nothing else; 0 where it does."""
    given = [p.kind for p in op.params if p.default is p.parameter.empty]
    return len(given) if all(kind in ("array", "mixed") for kind in given) else 0


@functools.cache
def commutes(op: Op) -> bool:
    """Returns whether a pointwise op of two tensors gives the same for them the other way round.

    >>> [commutes(op_called(name)) for name in ("mul", "logical_or", "sub", "logaddexp")]
    [True, True, False, False]
    """
    if takes(op) != 2 or not is_pointwise(op):
        return False
    return _sides(traced(op), [("a",), ("b",)]) == [("both",)]


def _sides(jaxpr: Any, given: Sequence[Any]) -> list[Any]:
    """Tells what each result is computed from: a, b, each by the same steps, or both, commuting. None where that is not
    known."""
    return flows(jaxpr, given, _of_sides, literal=lambda v: ("number", str(v.val)))


def _of_sides(eqn: Any, ins: list[Any]) -> Sequence[Any] | None:
    call = called(eqn)
    if call is not None:
        return _sides(call, ins)
    if None in ins or len(eqn.outvars) != 1 or eqn.effects:
        return None
    sides = [x for x in ins if x[0] != "number"]
    if len(sides) == 1:  # a step of one side alone
        side, *steps = sides[0]
        if side == "both":
            return [("both",)]
        others = tuple([x for x in ins if x[0] == "number"])
        return [(side, *steps, (eqn.primitive.name, ins.index(sides[0]), *others))]
    both = len(ins) == 2 and {x[0] for x in sides} == {"a", "b"} and ins[0][1:] == ins[1][1:]
    return [("both",)] if both and row(eqn).commutes else None


def _elements(jaxpr: Any, given: Sequence[Any]) -> list[Any]:
    """Tells which results are made of elements in the same place, and which are the same number everywhere."""
    constants = [_SAME_EVERYWHERE if not v.aval.shape else None for v in opened(jaxpr).constvars]
    return flows(jaxpr, given, _of_elements, literal=lambda v: _SAME_EVERYWHERE, constants=constants)


def _of_elements(eqn: Any, ins: list[Any]) -> Sequence[Any] | None:
    call = called(eqn)
    if call is not None:
        return _elements(call, ins)
    kind, shapes = row(eqn).kind, [v.aval.shape for v in (*eqn.invars, *eqn.outvars)]
    if eqn.effects or not ins or None in ins:
        return None
    if kind in (Kind.POINTWISE, Kind.SAME):
        return [_ELEMENT if _ELEMENT in ins else _SAME_EVERYWHERE] * len(eqn.outvars)
    same = kind == Kind.VIEW and all(x == _SAME_EVERYWHERE for x in ins)
    stays = eqn.primitive in (jax.lax.broadcast_in_dim_p, jax.lax.reshape_p) and shapes[0] == shapes[-1]
    return ins[:1] * len(eqn.outvars) if same or stays else None


def is_linear(op: Op) -> bool:
    """Returns whether f(a + b) = f(a) + f(b) of an op's tensors together, for all numbers but roundings.

    >>> [is_linear(op_called(name)) for name in ("neg", "sum", "abs")]
    [True, True, False]
    """
    jaxpr = traced(op)
    if jaxpr is None or not any(jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in opened(jaxpr).invars):
        return False
    given = [
        "linear" if jnp.issubdtype(v.aval.dtype, jnp.inexact) else "constant" for v in opened(jaxpr).invars
    ]
    return all(fact in ("linear", "zero") for fact in _linear(jaxpr, given))


def _linear(jaxpr: Any, given: Sequence[Any]) -> list[Any]:
    """Tells which results are linear in the arguments that are given as "linear", and which do not depend on these:
    "constant", or "zero"."""
    constants = ["constant"] * len(opened(jaxpr).constvars)
    return flows(
        jaxpr, given, _of_linear, literal=lambda v: "constant" if v.val else "zero", constants=constants
    )


def _of_linear(eqn: Any, ins: list[Any]) -> Sequence[Any] | None:
    call = called(eqn)
    if call is not None:
        return _linear(call, ins)
    if eqn.effects or None in ins:
        return None
    n, p = len(eqn.outvars), row(eqn)
    if all(x in ("constant", "zero") for x in ins):
        return ["zero" if ins and p.zero and "constant" not in ins else "constant"] * n
    inexact = all(jnp.issubdtype(v.aval.dtype, jnp.inexact) for v in eqn.outvars)
    if p.kind == Kind.SAME or (eqn.primitive is jax.lax.convert_element_type_p and inexact):
        return ins[:1] * n
    if p.linear is None:
        return ["linear"] * n if "constant" not in ins else None
    at = [k for k, x in enumerate(ins) if x == "linear"]
    return ["linear"] * n if len(at) == 1 and at[0] in p.linear else None
