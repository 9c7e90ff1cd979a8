"""torch._foreach_…: functions of lists of tensors, one op for each member; all are in one program anyway."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ._core.api import Tensor, namespace
from ._core.api import functions as torch

__all__ = ["lookup_foreach"]

linalg = namespace("linalg")

_UNARY = frozenset(
    "abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 max neg reciprocal round rsqrt sigmoid sign sin "
    "sinh sqrt tan tanh trunc zero".split()
)
_BINARY = frozenset("add clamp_max clamp_min copy div maximum minimum mul pow sub".split())
_OTHERS = frozenset("addcdiv addcmul lerp norm".split())
_METHODS = {"maximum": "clamp_min", "minimum": "clamp_max"}
"""Ops that are called in place, or with a number, where torch's function takes tensors alone."""


def lookup_foreach(name: str) -> Callable | None:
    """The function `torch._foreach_<name>`; None if there is none.

    >>> lookup_foreach("add")([torch.ones(2)], 1.0)
    [tensor([2., 2.])]
    """
    in_place = name.endswith("_")
    op = name[:-1] if in_place else name
    if op in _UNARY and (in_place or op != "zero") and not (in_place and op == "max"):
        made = _unary(op, in_place)
    elif op in _BINARY:
        made = _binary(op, in_place)
    elif op in _OTHERS and not (in_place and op == "norm"):
        made = {"addcdiv": _addc, "addcmul": _addc, "lerp": _lerp, "norm": _norm}[op](op, in_place)
    else:
        return None
    made.__name__ = made.__qualname__ = f"_foreach_{name}"
    return made


def _check(tensors: Any, *lists: Any) -> None:
    if not isinstance(tensors, list | tuple) or not tensors:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for other in lists:
        if isinstance(other, list | tuple) and len(other) != len(tensors):
            raise RuntimeError(
                f"Tensor lists must have the same number of tensors, got {len(tensors)} and {len(other)}"
            )


def _each(x: Any, n: int) -> Sequence[Any]:
    """A list as it is; one number or tensor for each of n."""
    return x if isinstance(x, list | tuple) else [x] * n


def _called(op: str, in_place: bool, self: Tensor, *args: Any, **kwargs: Any) -> Any:
    if not in_place and op == "copy":
        return self.clone().copy_(*args, **kwargs)
    if op in _METHODS and (in_place or not isinstance(args[0], Tensor)):
        op = _METHODS[op]
    return getattr(self, op + "_" if in_place else op)(*args, **kwargs)


def _all(results: list, in_place: bool) -> list | None:
    return None if in_place else results


def _unary(op: str, in_place: bool) -> Callable:
    def foreach(self):
        _check(self)
        return _all([_called(op, in_place, t) for t in self], in_place)

    return foreach


def _binary(op: str, in_place: bool) -> Callable:
    def foreach(self, other, **kwargs):
        if op == "pow" and not in_place and not isinstance(self, list | tuple):
            return [torch.pow(self, exponent) for exponent in other]
        _check(self, other)
        return _all(
            [_called(op, in_place, t, x, **kwargs) for t, x in zip(self, _each(other, len(self)))], in_place
        )

    return foreach


def _addc(op: str, in_place: bool) -> Callable:
    def foreach(self, tensor1, tensor2, value=1):
        _check(self, tensor1, tensor2, value)
        if isinstance(value, Tensor):
            value = value.tolist() if value.ndim else value.item()
        values = _each(value, len(self))
        rows = zip(self, tensor1, tensor2, values)
        return _all([_called(op, in_place, t, a, b, value=v) for t, a, b, v in rows], in_place)

    return foreach


def _lerp(op: str, in_place: bool) -> Callable:
    def foreach(self, tensors1, weight):
        _check(self, tensors1, weight)
        rows = zip(self, tensors1, _each(weight, len(self)))
        return _all([_called(op, in_place, t, a, w) for t, a, w in rows], in_place)

    return foreach


def _norm(op: str, in_place: bool) -> Callable:
    def foreach(self, ord=2, dtype=None):
        _check(self)
        return [linalg.vector_norm(t, ord, dtype=dtype) for t in self]

    return foreach
