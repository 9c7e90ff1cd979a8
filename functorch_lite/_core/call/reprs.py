"""Printing of a Tensor: its numbers (`printing`), or, inside a transform, what stands behind it one level below."""

from __future__ import annotations

import textwrap
from typing import Any

import jax
import numpy as np

from ..lazy.applied import DerivedOp
from ..lazy.apply import apply_op, read
from ..lazy.dependence import depends_on_inputs
from ..lazy.graph import intern_graph
from ..lazy.recorder import Recorder, state
from ..lazy.tensor import Tensor, make_tensor
from ..lazy.value import Noting, Value
from ..run.executor import force_array
from ..words import device as devices
from ..words.printing import format_tensor
from ..words.tracebacks import tidied
from .methods import attach

__all__ = ["text_of"]


@attach()
@tidied
def __repr__(self, *, tensor_contents=None) -> str:
    return text_of(self)


@attach()
@tidied
def __format__(self, spec: str) -> str:
    if type(self) is not Tensor or self._aval.shape or self._aval.device is devices.META:
        return object.__format__(self, spec)
    if spec or not self._cell.level:
        return self.item().__format__(spec)
    try:
        return self.item().__format__(spec)
    except RuntimeError:  # inside vmap, where there is no one number, torch raises; here it is printed
        return text_of(self)


def text_of(t: Tensor) -> str:
    """Returns the `repr` of a tensor that is not sparse."""
    v = read(t)
    if v.array is None and v.rec is not None and v.rec.level:
        return _inside(v)
    if isinstance(v.array, jax.core.Tracer):
        return f"tensor({v.array})"
    if Noting.reading is not None:
        Noting.reading(v)
    meta = t._aval.device is devices.META
    plain = type(t) is Tensor or type(t).__name__ in ("Parameter", "Buffer")
    return format_tensor(
        np.broadcast_to(np.int8(0), t._aval.shape) if meta else force_array(v),
        t._aval.dtype,
        str(t._aval.device),
        t._edge is not None and t.is_leaf,  # type: ignore[attr-defined]
        None if t.is_leaf else t._edge[0].name().rpartition("::")[2],  # type: ignore[attr-defined, index]
        class_name="tensor" if plain else type(t).__name__,
    )


# -- inside transforms -----------------------------------------------------------------------------------------------


def _inside(v: Value) -> str:
    rec: Recorder = v.rec  # type: ignore[assignment]
    if rec.kind.batches:
        below, axis = _behind(rec, v, batched=depends_on_inputs(rec, v))
        if axis is None:
            return text_of(below)
        return _wrapped(f"BatchedTensor(lvl={_depth(rec)}, bdim={axis}", below)
    if rec.kind.letters:
        return _wrapped(f"GradTrackingTensor(lvl={_depth(rec)}", _behind(rec, v, batched=False)[0])
    return f"{rec.kind}Tensor(shape={list(v.aval.shape)}, dtype={v.aval.dtype})"


def _wrapped(head: str, below: Tensor) -> str:
    return f"{head}, value=\n{textwrap.indent(text_of(below), '    ')}\n)"


def _depth(rec: Recorder) -> int:
    """How many transforms are running from the outermost to this one."""
    depth = 0
    outer: Any = rec
    while outer is not None and outer.level:
        depth, outer = depth + 1, outer.outer
    return depth


def _behind(rec: Recorder, v: Value, batched: bool) -> tuple[Tensor, int | None]:
    """The tensor of the level below that a slot stands for, and the dimension in it of a vmap's examples."""
    axes = rec.axes or {}
    if v.index < 0:
        number = -1 - v.index
        return rec.inputs[number], axes.get(number)
    graph = intern_graph(rec.path, rec.node, tuple([a.aval for a in rec.ext]), len(rec.inputs), (v.index,))
    if batched:
        at = tuple([axes.get(i) for i in range(len(rec.inputs))])
        run = graph.derive(
            ("run batched", at),
            lambda: DerivedOp(jax.vmap(lambda *arrays: graph(*arrays), in_axes=at), "prefix"),
        )
    else:
        run = graph.derive("run", lambda: DerivedOp(lambda *arrays: graph(*arrays), "prefix"))
    here = state.here
    top, grad = here.rec, here.grad
    here.rec = rec.outer
    try:
        found = apply_op(run, None, tuple(rec.inputs))[0]
        return make_tensor(read(found), state.rec.level), 0 if batched else None
    finally:
        rec.outer = here.rec
        here.rec, here.grad = top, grad
