"""Tensors on another device."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax

from ..lazy.apply import from_array, read
from ..lazy.meta import meta_value, on_meta
from ..lazy.recorder import state
from ..lazy.tape import Node
from ..lazy.tensor import Tensor, make_tensor
from ..lazy.value import aval, make_value
from ..run.executor import flush, force
from ..words import device as devices

__all__ = ["linked", "moved", "to_device"]


def to_device(t: Tensor, where: devices.device) -> Tensor:
    """t on another device; itself when it is there.

    Inside a transform what is known moves, such as a constant of the function; what is not runs where the transform
    runs, and cannot.
    """
    if t._aval.device is where:
        return t
    if where.is_mesh:
        return where.place.receive(t)
    if t._aval.device.is_mesh:
        return t._aval.device.give(t, where)
    v = read(t)
    if t._aval.device is devices.ANY:
        return from_array(v.array, on=where)
    if where is devices.META:
        there = make_tensor(meta_value(t._aval.shape, t._aval.dtype), state.rec.level)
        return linked(t, there, partial(to_device, where=t._aval.device))
    if on_meta(v):
        raise NotImplementedError(devices.NO_DATA)
    if state.rec.level and (v.array is None or t.requires_grad):
        raise NotImplementedError(
            "moving a tensor between devices inside a transform (grad, vmap, …) is not supported: move it before the call"
        )
    with jax.enable_x64(True):
        array = jax.device_put(force(v), devices.jax_device(where))
    return moved(t, array, where)


def moved(t: Tensor, array: Any, where: devices.device) -> Tensor:
    """A tensor of `array`, which is what t holds on another device. Gradients go back there."""
    if not state.rec.level:
        flush()
    if where.is_mesh:  # the array may be padded
        there = make_tensor(
            make_value(aval(t._aval.shape, t._aval.dtype, where), array=array), state.rec.level
        )
    else:
        there = from_array(array, on=where)
    return linked(t, there, partial(to_device, where=t._aval.device))


def linked(t: Tensor, there: Tensor, back: Callable[[Tensor], Tensor]) -> Tensor:
    """`there`, which holds what is made of t elsewhere. back: takes a gradient to where t is."""
    if t._edge is not None and state.grad and t._aval.taped:
        there._edge = (_MoveNode(t._edge, there._aval, back), 0)
    return there


class _MoveNode(Node):
    """A move between devices on the tape: gradients are moved back."""

    class _Step:
        """Stand-in for the step of an op that a node refers to: a move has one input and one result."""

        op = None

        def __init__(self, aval):
            self.avals = self.inputs = (aval,)

        @property
        def applied(self):
            return self

    def __init__(self, edge, target, back):
        session = state.rec.session
        session.regular = (
            False  # a backward through it runs programs on two devices: it is walked, not replayed
        )
        super().__init__(self._Step(target), [edge], session)
        self.back = back

    def edge_of(self, i: int):
        return self.edges[i]

    def name(self) -> str:
        return "ToCopyBackward0"

    def backward_values(self, cts: dict) -> list:
        """The gradient, where the tensor came from."""
        return [self.back(cts[0])]
