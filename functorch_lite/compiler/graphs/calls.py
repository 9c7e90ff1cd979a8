"""Recorded steps as calls: the function that a user would call, and its arguments.

An op that a public function stands for is a call of that function. Any other, such as the write to a part of a tensor
or a derivative, is a call of an `OpCall`: the op, with its static arguments, as a function of Tensors.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

from ..._core.api import (
    DETACH,
    OPS,
    UNSET,
    Aval,
    Op,
    Tensor,
    apply,
    apply_view,
    lookup,
    lookup_method,
    put_op,
)
from ..._ops import OpOverload, OpOverloadPacket

__all__ = [
    "TWINS", "OpCall", "arguments", "call_of", "is_of_aten", "op_call", "op_called", "op_named", "op_of", "op_with", "shortened",
]  # fmt: skip


class OpCall:
    """An op with its static arguments, as a function of its inputs (Tensors, numbers, None).

    Equal ones are one object: see `op_call`."""

    __slots__ = ("__name__", "__qualname__", "op", "static")

    __module__ = "functorch_lite.compiler.graphs"

    def __init__(self, op: Any, static: Any):
        self.op, self.static = op, static
        self.__name__ = self.__qualname__ = op.name.rpartition(".")[2].lstrip("_").replace(" ", "_") or "op"

    def __call__(self, *inputs):
        if self.op.is_view and isinstance(inputs[0], Tensor):
            return apply_view(self.op, self.static, inputs[0], inputs[1:])
        return apply(self.op, self.static, inputs)

    def __repr__(self) -> str:
        return f"<{self.op.name}{list(self.static) if self.static else ''}>"


@functools.lru_cache(4096)
def op_call(op: Any, static: Any) -> OpCall:
    """The OpCall of an op and its static arguments."""
    return OpCall(op, static)


def op_named(name: str) -> Any:
    """The op of this name, declared, or the write to the part that a declared view shows; None if there is none."""
    found = OPS.get(name)
    if (
        found is None
        and name.endswith(_PUT)
        and (view := OPS.get(name[: -len(_PUT)])) is not None
        and view.is_view
    ):
        found = put_op(view)
    return found


_PUT = "_put"


def op_with(name: str, static: Any, *inputs: Any) -> Any:
    """Returns the result of an OpCall of the op of this name, whose static arguments are computed when it is called."""
    return op_call(op_named(name), _hashable(static))(*inputs)


def _hashable(static: Any) -> Any:
    return tuple([_hashable(s) for s in static]) if isinstance(static, list | tuple) else static


_METHODS = {"_cast": "to", "view": "view"}
"""Ops whose public form is a method."""

_IN_TORCH = {"create.zeros": "zeros", "create.ones": "ones", "create.full": "full"}
"""Ops of torch's functions that make tensors of sizes."""

_OPCALLS = frozenset(
    (
        "index_put",
        "linalg.lstsq",
        "linalg.lu",
        "linalg.matrix_rank",
        "linalg.pinv",
        "lu_unpack",
        "nanquantile",
        "quantile",
    )
)
"""Ops whose public function of the same name is called in another way, or applies other ops."""

_BY_NAME = frozenset(("argsort", "sort"))
"""Ops whose public function takes all but the first argument by name."""


@functools.cache
def _public(op: Op) -> tuple[str, Any] | None:
    """Returns the way in which users call an op: ("call_function", the function) or ("call_method", its name); None
    where they cannot."""
    short = op.name.rpartition(".")[2]
    if op.name in _METHODS:
        return "call_method", _METHODS[op.name]
    if op.name in _OPCALLS or short.startswith("_"):
        return None
    if op.namespace == "create":
        named = _IN_TORCH.get(op.name)
        return None if named is None else ("call_function", lookup("torch", named))
    if op.namespace == "Tensor":
        name = op.method if isinstance(op.method, str) else short
        return ("call_method", name) if op.method and lookup_method(name) is not None else None
    found = lookup(op.namespace, short)
    return None if found is None else ("call_function", found)


def call_of(step: Any, inputs: Sequence[Any]) -> tuple[str, Any, tuple, dict[str, Any]]:
    """A step as (kind of call, callee, arguments, keyword arguments). inputs: the replacements for its inputs that
    are not numbers of the step."""
    given = iter(inputs)
    full = [_input(spec, given) for spec in step.applied.inputs]
    op, static = step.op, step.static
    if op is DETACH:
        return "call_method", "detach", tuple(full), {}
    public = _public(op) if isinstance(op, Op) else None
    if public is None:
        return "call_function", op_call(op, static), tuple(full), {}
    kind, called = public
    values = op.arguments(static, full)
    return kind, called, *shortened(op, values)


def _input(spec: Any, given: Any) -> Any:
    if type(spec) is Aval:
        return next(given)
    return None if spec is None else _number(*spec)


def _number(kind: type, number: Any) -> Any:
    return kind(number)


def shortened(op: Op, values: list) -> tuple[tuple, dict[str, Any]]:
    """The arguments without those at the end that are the defaults; keyword-only ones by name."""
    given = [(p, v) for p, v in zip(op.params, values) if v is not UNSET and not _is_default(p, v)]
    count = 0  # of arguments given by place: up to the last one that has to be, as long as none before it is left out
    if op.name not in _BY_NAME:
        last = max([p.position for p, _ in given if not p.keyword_only], default=-1)
        while count <= last and values[count] is not UNSET:
            count += 1
    else:
        count = 1
    return tuple(values[:count]), {p.name: v for p, v in given if p.keyword_only or p.position >= count}


def _is_default(p: Any, value: Any) -> bool:
    d = p.default
    return d is not inspect.Parameter.empty and type(value) is type(d) and repr(value) == repr(d)


def op_of(target: Any) -> Any:
    """The op that a called function represents; None if it is not a function of one op."""
    return target.op if isinstance(target, OpCall) else getattr(target, "__op__", None)


@functools.cache
def _ops_by_function() -> dict[Any, Op]:
    """The ops that public functions without an op of their own stand for."""
    found = {}
    for op in OPS.values():
        public = _public(op)
        if public is not None and public[0] == "call_function":
            found[public[1]] = op
    return found


TWINS = {f"nn.functional.{name}": name for name in ("relu", "sigmoid", "tanh")}
"""Ops that do what another does."""

_SPACES = ("", "nn.functional.", "special.", "linalg.", "fft.")


def _of_this_name(name: str) -> Op | None:
    """The op that a function or method stands for which hands its arguments on to it."""
    return next((OPS[space + name] for space in _SPACES if space + name in OPS), None)


@functools.cache
def _op_of_method(name: str) -> Any:
    if name == "detach":
        return DETACH
    named = next((op for op, method in _METHODS.items() if method == name), None)
    if named is not None:
        return OPS[named]
    method = lookup_method(name)
    if method is None:
        return None
    return getattr(method, "__op__", None) or _of_this_name(name)


def op_called(kind: str, target: Any) -> Any:
    """The op that a node of this kind and target applies, and None if it applies none.

    `torch.ops.aten.relu.default` is the function that it calls."""
    if kind == "call_method":
        return _op_of_method(target)
    if isinstance(target, OpOverload | OpOverloadPacket):
        target = target.op if isinstance(target, OpOverload) else target._fn
    found = op_of(target) or _ops_by_function().get(target)
    if found is None and is_torchs(target):
        found = _of_this_name(getattr(target, "__name__", ""))
    return OPS[TWINS[found.name]] if getattr(found, "name", "") in TWINS else found


_OF_ATEN = frozenset(
    "arange rand randn dropout zeros ones full zeros_like ones_like detach copy_ new_zeros scalar_tensor".split()
)
"""Ops of aten that apply no op by themselves, and that any Graph may call."""


def is_of_aten(target: Any) -> bool:
    """Returns whether it is an op of aten that computes: one that stands for an op, or is made of some; not one that reads a
    file, for one."""
    if not isinstance(target, OpOverload) or target.namespace != "aten":
        return False
    made = getattr(target.op, "__module__", "") == "functorch_lite._aten"
    return (
        made or target.overloadpacket.__name__ in _OF_ATEN or op_called("call_function", target) is not None
    )


def is_torchs(target: Any) -> bool:
    """Returns whether it is a function of torch's namespace."""
    name = getattr(target, "__name__", "")
    return bool(name) and any(
        lookup(space, name) is target for space in ("torch", "nn.functional", "special")
    )


def arguments(kind: str, target: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any] | None:
    """Lists all arguments of a call of an op, in the order of its signature and with defaults; None if that is
    impossible."""
    if isinstance(target, OpCall):
        return None if kwargs else [*(target.static or ()), *args]
    op = op_called(kind, target)
    if not isinstance(op, Op):
        return None if kwargs else list(args)
    params = op.params
    places = [p for p in params if not p.keyword_only]
    if len(args) > len(places) or any(k not in {p.name for p in params} for k in kwargs):
        return None
    given = {p.name: x for p, x in zip(places, args)} | dict(kwargs)
    return [given.get(p.name, None if p.default is inspect.Parameter.empty else p.default) for p in params]
