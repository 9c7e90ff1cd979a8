"""The strides that a view would have in PyTorch: they decide where `reshape` gives a copy, and what `view` refuses.

Arrays here have no strides (XLA chooses layouts), and a tensor that is no view counts as contiguous. For a view they
follow from its lenses. Sources: https://docs.pytorch.org/docs/stable/tensor_view.html,
https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..declare.op import OPS
from ..words.dtypes import float32
from ..words.memory_format import ORDERS, memory_format, preserve_format
from .applied import apply_once
from .tensor import Lens, Tensor
from .value import Aval, aval

__all__ = [
    "contiguous_strides", "distinct_elements", "geometry_of", "is_contiguous", "lies_in", "reshapes_to_view",
    "signs_of", "stays", "strides_of",
]  # fmt: skip

Strides = tuple[int, ...]


def contiguous_strides(shape: Sequence[int]) -> Strides:
    """Row-major strides, in elements."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))


def geometry_of(t: Tensor, placed: bool = True) -> tuple[Strides, int] | None:
    """(strides, storage offset) that PyTorch's tensor would have, in elements; None where they are not followed.

    Not `placed`: the offset is not asked for, which may wait for an index that is still to be computed.
    """
    if not t._lenses:
        return contiguous_strides(t._aval.shape), 0
    shape = t._cell.value.aval.shape
    strides: Strides | None = contiguous_strides(shape)
    offset = 0
    for lens in t._lenses:
        if strides is None:
            return None
        if lens.op.strides is not None:
            # numbers may still be to be computed: they say where a part begins
            numbers = lens.numbers if placed else [0] * len(lens.numbers)
            arguments = lens.op.arguments(lens.static, [None, *numbers])[1:]
            if getattr(lens.op.strides, "asks_size", False):
                arguments = [_size_before(t, lens), *arguments]
            shape, strides, offset = lens.op.strides(shape, strides, offset, *arguments)
        else:
            before, shape = shape, shape_after(lens, shape)
            strides = view_strides(before, strides, shape) if lens.op.reshapes else None
    return None if strides is None else (strides, offset)


def _size_before(t: Tensor, lens: Lens) -> int:
    """The size of an element of what a lens of t reads."""
    part = t._cell.value.aval
    for before in t._lenses[: t._lenses.index(lens)]:
        part = _part_of(before, part)
    return part.dtype.itemsize


class _Form:
    """Facts that follow from the shape and dtype of a root and the lenses of a view alone: its strides, whether it is
    contiguous, and which reshapings of it, by (op's name, static arguments), are views."""

    __slots__ = ("is_dense", "strides", "views")

    def __init__(self, t: Tensor):
        found = geometry_of(t, placed=False)
        self.strides = None if found is None else found[0]
        self.is_dense = self.strides is not None and _dense(t._aval.shape, self.strides)
        self.views: dict[tuple[str, tuple], bool] = {}


_forms: dict[tuple, _Form] = {}
MOST_FORMS = 4_096
"""Forms that are remembered."""


def _form_of(t: Tensor) -> _Form:  # hot path
    """The form of a view; remembered unless an index is a tensor."""
    key: list[Any] = [t._cell.value.aval]
    for lens in t._lenses:
        if lens.numbers:
            for number in lens.numbers:
                if number.__class__ is not int:
                    return _Form(t)
            key.append(lens.numbers)
        key.append(lens.op)
        key.append(lens.static)
    where = tuple(key)
    found = _forms.get(where)
    if found is None:
        found = _Form(t)
        if len(_forms) >= MOST_FORMS:
            _forms.clear()
        _forms[where] = found
    return found


def strides_of(t: Tensor) -> Strides | None:
    """The strides PyTorch's tensor would have, in elements; None where they are not followed (then it is not
    contiguous)."""
    return _form_of(t).strides if t._lenses else contiguous_strides(t._aval.shape)


def reshapes_to_view(t: Tensor, name: str, static: tuple) -> bool:  # hot path
    """Whether PyTorch gives what the op of this name makes of t, which is a view, as a view (else it is a copy)."""
    form = _form_of(t)
    found = form.views.get((name, static))
    if found is None:
        new = shape_after(Lens(OPS[name], static, ()), t._aval.shape)
        strides = form.strides
        found = strides is not None and view_strides(t._aval.shape, strides, new) is not None
        if len(form.views) < MOST_FORMS:
            form.views[name, static] = found
    return found


def distinct_elements(t: Tensor) -> Lens:
    """A view as one step from its root, for writes to part of what was expanded.

    Raises torch's error if its elements overlap."""
    found = geometry_of(t)
    if (
        found is None
        or not _apart(t._aval.shape, found[0])
        or signs_of(t) != (False, False)
        or t._aval.dtype is not t._cell.value.aval.dtype
    ):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )
    return Lens(OPS["as_strided"], (t._aval.shape, *found), ())


def _apart(shape: Sequence[int], strides: Strides) -> bool:
    """Whether each dim steps over all that the dims of smaller strides reach: then no two elements share a place."""
    reach = 0
    for step, n in sorted((s, n) for s, n in zip(strides, shape) if n > 1):
        if step <= reach:
            return False
        reach += step * (n - 1)
    return True


def is_contiguous(t: Tensor) -> bool:
    """Returns whether the elements lie in row-major order without gaps, as PyTorch would have them."""
    return not t._lenses or _form_of(t).is_dense


def _dense(shape: Sequence[int], strides: Strides) -> bool:
    if 0 in shape:
        return True
    return all(n == 1 or s == e for n, s, e in zip(shape, strides, contiguous_strides(shape)))


def signs_of(t: Tensor) -> tuple[bool, bool]:
    """Whether t shows its storage conjugated, and whether negated: what PyTorch keeps as the conjugate and the negative
    bit."""
    conjugated = negated = False
    is_complex = t._cell.value.aval.dtype.is_complex
    for lens in t._lenses:
        if lens.op.signs is not None:
            conjugated, negated, is_complex = lens.op.signs(conjugated, negated, is_complex)
    return conjugated, negated


def view_strides(shape: Sequence[int], strides: Strides, new: Sequence[int]) -> Strides | None:
    """Strides of a view of another shape, or None when no view of these elements has it.

    Dims that are adjacent in memory form a block; every new dim must lie within one block.
    """
    if 0 in shape or 0 in new:
        return contiguous_strides(new)
    result: list[int] = []
    at = len(new) - 1
    block, base = 1, strides[-1] if strides else 1
    for d in range(len(shape) - 1, -1, -1):
        block *= shape[d]
        if d == 0 or (shape[d - 1] != 1 and strides[d - 1] != block * base):
            taken = 1
            while at >= 0 and (taken < block or new[at] == 1):
                result.append(taken * base)
                taken *= new[at]
                at -= 1
            if taken != block:
                return None
            if d > 0:
                block, base = 1, strides[d - 1]
    while at >= 0 and new[at] == 1:
        result.append(base)
        at -= 1
    return tuple(reversed(result)) if at < 0 else None


def shape_after(lens: Lens, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the part that a lens shows of a base of this shape."""
    return _part_of(lens, aval(shape, float32)).shape


def _part_of(lens: Lens, base: Aval) -> Aval:
    """Returns the Aval of the part that a lens shows of such a base."""
    spec = tuple([x._aval if isinstance(x, Tensor) else (type(x), x) for x in lens.numbers])
    return apply_once(lens.op, lens.static, (base, *spec)).avals[0]


def lies_in(t: Tensor, given: memory_format) -> bool:
    """Whether t's elements would lie in this format in PyTorch, without gaps: is_contiguous(memory_format=given)."""
    order = ORDERS.get(given)
    if order is None:
        return is_contiguous(t)
    strides = strides_of(t)
    if strides is None or len(order) != len(strides):
        return False
    step = 1
    for d in reversed(order):
        n = t._aval.shape[d]
        if n != 1:
            if strides[d] != step:
                return False
            step *= n
    return True


def stays(t: Tensor, given: memory_format | None) -> bool:
    """Whether `t.to(memory_format=given)` is t itself: a tensor is in the format with channels last that its strides
    say, else in that of rows."""
    if given is None or given is preserve_format:
        return True
    order, strides = ORDERS.get(given), strides_of(t)
    if order is None:
        return not any(_says(t, strides, o) for o in ORDERS.values())
    return _says(t, strides, order)


def _says(t: Tensor, strides: tuple[int, ...] | None, order: tuple[int, ...]) -> bool:
    """Whether strides can only be those of dims in this order: with one channel, or one place, they are those of rows
    as well."""
    shape = t._aval.shape
    if strides is None or len(shape) != len(order) or strides[1] == 0 or 0 in shape:
        return False
    least = 0
    for d in reversed(order):
        if strides[d] < least or (d == 0 and least == strides[1]):
            return False
        least = strides[d] * shape[d]
    return True
