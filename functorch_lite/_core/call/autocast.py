"""Autocast: while it is on, the functions of PyTorch's table take their tensors in lower precision, in float32, or in
the widest dtype.

`bind` sends functions that say so (`@op(autocast=)`) through `apply` here when `STATE.on` says that a thread has it on,
or has something else record them (`LOCAL.instead`); all others do not know of it. What is cast, and how, is PyTorch's
table: https://docs.pytorch.org/docs/stable/amp.html#autocast-op-reference
"""

from __future__ import annotations

import threading
from typing import Any

from ..declare.op import OPS
from ..lazy import apply as plain
from ..lazy.tensor import Tensor
from ..words import dtypes
from ..words.dtypes import dtype

__all__ = ["KINDS", "STATE", "apply", "get_dtype", "is_enabled", "set_dtype", "set_enabled"]


class _State:
    """`on`: for how many (thread, kind of device) autocast is enabled, and how many threads have something
    `instead`."""

    __slots__ = ("on",)

    def __init__(self):
        self.on = 0


STATE = _State()


class _Local(threading.local):
    """`instead`: what records the functions of the table in this thread, if that is not the library's `apply`."""

    def __init__(self):
        self.instead: Any = None
        self.enabled: set[str] = set()
        self.dtypes: dict[str, dtype] = {"cpu": dtypes.bfloat16, "cuda": dtypes.float16}
        self.cache = True
        self.nesting = 0


LOCAL = _Local()


def is_enabled(kind: str) -> bool:
    """Returns whether autocast is enabled in this thread for this kind of device."""
    return kind in LOCAL.enabled


def set_enabled(kind: str, enabled: bool) -> None:
    """Enables or disables autocast in this thread for this kind of device."""
    if enabled and kind not in LOCAL.enabled:
        LOCAL.enabled.add(kind)
        STATE.on += 1
    elif not enabled and kind in LOCAL.enabled:
        LOCAL.enabled.discard(kind)
        STATE.on -= 1


def get_dtype(kind: str) -> dtype:
    """The lower precision of this kind of device."""
    return LOCAL.dtypes[kind]


def set_dtype(kind: str, to: dtype) -> None:
    """Sets the lower precision of this kind of device."""
    LOCAL.dtypes[kind] = to


KINDS = {"cpu": 0, "cuda": 1}
"""The kinds of devices that have autocast, and the place of each in `@op(autocast=)`."""


_UNSAFE = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast."
)


def _eligible(x: Any, kind: str) -> bool:
    if not isinstance(x, Tensor):
        return False
    a = x._aval
    return a.dtype.category == 2 and a.dtype is not dtypes.float64 and a.device.type == kind


def _cast(x: Tensor, to: dtype) -> Tensor:
    return x if x._aval.dtype is to else plain.apply(OPS["_cast"], (to,), (x,))


def cast_inputs(op, static: tuple, inputs) -> tuple:
    """The inputs of an op as autocast has them in this thread."""
    if op.autocast is None:
        return inputs
    for kind in LOCAL.enabled:
        policy = op.autocast[KINDS[kind]]
        if policy is None or (op.autocast_if is not None and not op.autocast_if(static, inputs)):
            continue
        if policy == "unsafe":
            if any(_eligible(x, kind) for x in inputs):
                raise RuntimeError(_UNSAFE)
            continue
        to = LOCAL.dtypes[kind] if policy == "lower" else dtypes.float32
        if policy == "widest":
            given = [x._aval.dtype for x in inputs if _eligible(x, kind)]
            to = dtypes.float32 if dtypes.float32 in given else LOCAL.dtypes[kind]
        inputs = tuple([_cast(x, to) if _eligible(x, kind) else x for x in inputs])
    return inputs


def apply(op, static: tuple, inputs) -> Any:
    """`apply`, with the inputs cast where autocast is on."""
    if LOCAL.enabled:
        inputs = cast_inputs(op, static, inputs)
    return plain.apply(op, static, inputs) if LOCAL.instead is None else LOCAL.instead(op, static, inputs)
