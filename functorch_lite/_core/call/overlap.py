"""Refusals, as PyTorch's, of writes to memory that the same call reads elsewhere; here arrays do not change.

Without them nothing would go wrong. Which operands PyTorch looks at was observed, op by op: ops that go element by
element may be given their whole input (`add(x, y, out=x)`), ops that gather may not; products of matrices and most
reductions look at nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..lazy.strides import geometry_of
from ..lazy.tensor import Tensor

__all__ = ["check_apart", "refuse_overlap"]

_OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. Please clone() "
    "the tensor before performing the operation."
)


def check_apart(out, names: Sequence[str], inputs: Sequence, apart: Sequence[str] = ()) -> None:
    """Raises torch's error where `out`, the first of several, overlaps one of these inputs in part, or one of those
    `apart` at all."""
    out = out[0] if isinstance(out, tuple | list) and out else out
    if not isinstance(out, Tensor):
        return
    for parameter, given in zip(names, inputs):
        for x in given if isinstance(given, tuple | list) else (given,):
            if isinstance(x, Tensor) and x._cell is out._cell:
                refuse_overlap(x, out, parameter in apart)


def refuse_overlap(x: Tensor, out: Tensor, wholly: bool = False) -> None:
    """Raises torch's error where two tensors of one storage overlap in part, or `wholly` where they overlap at all."""
    if x is out:
        if wholly and x._aval.shape.count(0) == 0:
            raise RuntimeError(_OVERLAP)
        return
    first, second = _bytes(x), _bytes(out)
    if first is None or second is None or not (first[0] < second[1] and second[0] < first[1]):
        return
    if wholly or first != second:
        raise RuntimeError(_OVERLAP)


def _bytes(t: Tensor) -> tuple | None:
    """(first byte, end, strides) of a tensor whose elements fill a stretch of storage; None of others, at which torch
    does not look."""
    found = geometry_of(t)
    if found is None or 0 in t._aval.shape:
        return None
    filled = 1
    strides = [(s, n) for s, n in zip(found[0], t._aval.shape) if n != 1]
    for step, count in sorted(strides):
        if step != filled:
            return None
        filled *= count
    size = t._aval.dtype.itemsize
    return found[1] * size, (found[1] + filled) * size, [s for s, _ in strides]
