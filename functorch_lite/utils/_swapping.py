"""swap_tensors: two tensors exchange all that they are but their identity."""

from __future__ import annotations

import copyreg
import weakref
from typing import Any

from .._core.api import Tensor

__all__ = ["swap_tensors"]

_SLOTS = ("_aval", "_cell", "_edge", "_lenses", "_more", "_origin", "_root", "_seen", "_unseen", "_value")
_ABSENT = object()


def swap_tensors(t1: Tensor, t2: Tensor) -> None:
    """Exchanges the contents of two tensors: values, dtype, class, attributes, and gradients.

    Whoever refers to t1 then finds what t2 was. A tensor that a result was computed from may be swapped: the result's
    backward gives its gradient to the tensor that has the contents now.

    Args:
        t1: a tensor.
        t2: a tensor, whose class has the same slots.

    Raises:
        RuntimeError: a weak reference to one of them, which would be to the other's contents afterwards; different
            slots.

    >>> a, b = torch.zeros(2), torch.ones(3)
    >>> torch.utils.swap_tensors(a, b)
    >>> a, b
    (tensor([1., 1., 1.]), tensor([0., 0.]))
    """
    for name, t in (("t1", t1), ("t2", t2)):
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
    slots = [set(copyreg._slotnames(type(t))) for t in (t1, t2)]  # type: ignore[attr-defined]
    if slots[0] != slots[1]:
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    first, second = type(t1), type(t2)
    own = t1.__dict__, t2.__dict__
    t1.__class__, t2.__class__ = second, first
    t1.__dict__, t2.__dict__ = own[1], own[0]
    for slot in {*_SLOTS, *slots[0]}:
        a, b = _get(t1, slot), _get(t2, slot)
        _put(t1, slot, b)
        _put(t2, slot, a)


def _get(t: Tensor, slot: str) -> Any:
    try:
        return object.__getattribute__(t, slot)
    except AttributeError:
        return _ABSENT


def _put(t: Tensor, slot: str, value: Any) -> None:
    if value is not _ABSENT:
        object.__setattr__(t, slot, value)
    elif _get(t, slot) is not _ABSENT:
        object.__delattr__(t, slot)
