"""Ops that are functions of numpy arrays (`host`): run at once, or as a callback from a compiled program."""

from __future__ import annotations

import functools

import jax
import numpy as np

from ..declare.float8 import check_float8
from ..declare.op import OPS, Op
from ..lazy.applied import DerivedOp
from ..lazy.apply import apply, apply_op, from_array, read
from ..lazy.breaches import note_error
from ..lazy.kinds import VMAP_DYNAMIC
from ..lazy.recorder import state
from ..lazy.tensor import Tensor
from ..lazy.value import Noting, Value
from ..words.device import CPU
from ..words.errors import as_torchs
from .executor import force_array

__all__ = ["independent", "run_host"]


def run_host(op: Op, static: tuple, inputs: tuple):
    """Runs an op of numpy arrays at once; where its arguments are not known yet, as a callback, if its result's shape
    is."""
    values = [read(x) if isinstance(x, Tensor) else x for x in inputs]
    check_float8(op, static, [v.aval for v in values if isinstance(v, Value)])
    unknown = [
        x for x in values if isinstance(x, Value) and x.array is None and x.rec is not None and x.rec.level
    ]
    if unknown and op.host == "fixed shape":
        return apply_op(_called_back(op, static), None, inputs)[0]

    def known(v):
        if v in unknown:
            return np.asarray(v.rec.value_of(v, VMAP_DYNAMIC.format(op.name)))
        if Noting.reading is not None:
            Noting.reading(v)
        return force_array(v)

    try:
        result = op.call(static, [known(v) if isinstance(v, Value) else v for v in values])
    except MemoryError as e:
        raise as_torchs(e) from None
    several = isinstance(result, tuple)
    on = next((v.aval.device.home for v in values if isinstance(v, Value) and v.aval.device is not CPU), None)
    first, *others = [from_array(np.asarray(r), on=on) for r in (result if several else (result,))]
    if op.host is True and first._aval.dtype.category >= 2:
        name = "_unique2" if op.name == "unique" else op.name  # as torch calls it
        first = independent(first, inputs, f"the derivative for '{name}' is not implemented.")
    return (first, *others) if several else first


def independent(result: Tensor, inputs: tuple, refusal: str | None = None) -> Tensor:
    """`result`, which was made from these inputs outside the tape, on it: a gradient that comes to it raises `refusal`,
    or ends there as zeros."""
    for x in inputs:
        if isinstance(x, Tensor) and x._aval.dtype.category >= 2:
            if x._edge is not None if not state.rec.level else refusal is not None:
                result = apply(OPS["_independent"], (refusal,), (result, x))
    return result


@functools.cache
def _called_back(op: Op, static: tuple) -> DerivedOp:
    """The op as a function of jax arrays that calls back to the host. It has no derivative."""

    def on_host(*arrays):
        return op.call(static, [np.asarray(x) for x in arrays])

    def fn(*arrays):
        result = on_host(*[np.zeros(x.shape, x.dtype) for x in arrays])
        like = jax.ShapeDtypeStruct(result.shape, result.dtype)

        def called_back(*arrays):
            """XLA would wrap an error in one of its own: it is raised when a value is read, as those of indices are."""
            try:
                return on_host(*arrays)
            except Exception as error:
                note_error(error)
                return np.zeros(like.shape, like.dtype)

        arrays = [jax.lax.stop_gradient(x) for x in arrays]
        return (jax.pure_callback(called_back, like, *arrays, vmap_method="sequential"),)

    return DerivedOp(fn, op.name)
