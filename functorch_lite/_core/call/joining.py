"""At once, on the host, and not recorded: `cat` and `stack` of several small tensors whose values are there, and what a
mask picks of one.

Where an input comes from is part of a program's identity. A list of tensors that was picked at random, such as a sample
of a replay buffer, has some of them twice, and in each sample others: every one would be a new program, and dispatching
many inputs costs more than copying them. What a mask picks has another size each time, and would be another program for
each.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..lazy.apply import from_array, read
from ..lazy.recorder import Session, state
from ..lazy.tensor import Tensor
from ..lazy.value import is_tracer
from ..run.executor import force_array
from ..words.device import CPU

__all__ = ["LEAST", "join", "pick"]

LEAST = 4
"""Fewer tensors are recorded: a cache that grows by a piece, or two halves."""
MOST_BYTES = 16 << 20


def join(joins: Callable, tensors: tuple[Tensor, ...], dim: int) -> Tensor | None:
    """The tensors joined by this function of NumPy's; None where it is to be recorded.

    At least half of them must be known, all on the CPU and of one dtype, and none taped. What is pending among them is
    run.
    """
    here = state.here
    rec, first = here.rec, tensors[0]._aval
    extra = joins is np.stack
    if rec.level or here.run_at_once or type(rec.session) is not Session or first.device is not CPU:
        return None
    if type(dim) is not int or not -len(first.shape) - extra <= dim < len(first.shape) + extra:
        return None
    known = nbytes = 0
    for t in tensors:
        aval = t._aval
        if (t._edge is not None and here.grad) or aval.dtype is not first.dtype or aval.device is not CPU:
            return None
        if not (aval.shape == first.shape if extra else _fit(aval.shape, first.shape, dim)):
            return None
        nbytes += aval.nbytes
        value = (t._value if t._seen is t._cell.value else None) if t._lenses else t._cell.value
        if value is not None and value.array is not None:
            if is_tracer(type(value.array)):
                return None
            known += 1
    if known < LEAST or 2 * known < len(tensors) or nbytes > MOST_BYTES:
        return None
    return from_array(joins([force_array(read(t)) for t in tensors], dim))


def pick(t: Tensor, dim: int, indices: list[np.ndarray]) -> Tensor | None:
    """t[:, …, *indices], the indices beginning at dim; None where it is to be recorded: the values of t are not there,
    or it is taped."""
    here = state.here
    rec, aval = here.rec, t._aval
    if rec.level or here.run_at_once or type(rec.session) is not Session or aval.device is not CPU:
        return None
    if (t._edge is not None and here.grad) or aval.nbytes > MOST_BYTES:
        return None
    v = read(t)
    if v.array is None or is_tracer(type(v.array)):
        return None
    return from_array(force_array(v)[(*[slice(None)] * dim, *indices)])


def _fit(a: tuple[int, ...], b: tuple[int, ...], dim: int) -> bool:
    """Returns whether shapes agree but for one dim, so that np.concatenate does what torch does."""
    if not b or len(a) != len(b):
        return False
    dim %= len(b)
    return a[:dim] == b[:dim] and a[dim + 1 :] == b[dim + 1 :]
