"""The strides that a view would have in PyTorch: they decide where `reshape` gives a copy, and what `view` refuses.

Arrays here have no strides (XLA chooses layouts), and a tensor that is no view counts as contiguous. For a view they follow
from its lenses. Sources: https://docs.pytorch.org/docs/stable/tensor_view.html, https://docs.pytorch.org/docs/stable/generated/torch.Tensor.view.html
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..declare.op import OPS, UNSET
from ..words.dtypes import float32
from ..words.errors import wrap_dim
from ..words.memory_format import ORDERS, memory_format, preserve_format
from .applied import apply_once
from .tensor import Lens, Tensor
from .value import aval

__all__ = [
    "contiguous_strides",
    "distinct_elements",
    "geometry_of",
    "is_contiguous",
    "lies_in",
    "reshapes_to_view",
    "signs_of",
    "stays",
    "strides_of",
]

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
        moved = _moved(lens, shape, strides, offset)
        if moved is not None:
            shape, strides, offset = moved
        else:
            offset += _skipped(lens, shape, strides) if placed else 0
            shape, strides = _through(lens, shape, strides)
    return None if strides is None else (strides, offset)


class _Form:
    """What follows from the shape of a root and the lenses of a view alone: its strides, whether it is contiguous, and which reshapings
    of it, by (op's name, static arguments), are views."""

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
    key: list[Any] = [t._cell.value.aval.shape]
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
    """The strides PyTorch's tensor would have, in elements; None where they are not followed (then it is not contiguous)."""
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
    """A view as one step from its root, for writes to part of what was expanded. Raises torch's error if its elements overlap."""
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
    """Whether the elements lie in row-major order without gaps, as PyTorch would have them."""
    return not t._lenses or _form_of(t).is_dense


def _dense(shape: Sequence[int], strides: Strides) -> bool:
    if 0 in shape:
        return True
    return all(n == 1 or s == e for n, s, e in zip(shape, strides, contiguous_strides(shape)))


def signs_of(t: Tensor) -> tuple[bool, bool]:
    """Whether t shows its storage conjugated, and whether negated: what PyTorch keeps as the conjugate and the negative bit."""
    conjugated = negated = False
    is_complex = t._cell.value.aval.dtype.is_complex
    for lens in t._lenses:
        name = lens.op.name
        if name in ("conj", "adjoint"):
            conjugated ^= is_complex
        elif name == "_neg_view":
            negated ^= True
        elif name == "imag":
            negated, conjugated, is_complex = negated ^ conjugated, False, False
        elif name in ("real", "view_as_real"):
            conjugated = is_complex = False
        elif name == "view_as_complex":
            is_complex = True
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
    base = aval(shape, float32)
    spec = tuple([x._aval if isinstance(x, Tensor) else (type(x), x) for x in lens.numbers])
    return apply_once(lens.op, lens.static, (base, *spec)).avals[0].shape


def _arguments(lens: Lens) -> list:
    """The arguments of a lens's view op, after its input."""
    return lens.op.arguments(lens.static, [None, *lens.numbers])[1:]


def _skipped(lens: Lens, shape: Sequence[int], strides: Strides) -> int:
    """How many elements of storage a selecting lens passes over before its first one."""
    args = _arguments(lens)
    if lens.op.name not in ("select", "_select_at", "narrow", "slice"):
        return 0
    d = wrap_dim(args[0], len(shape))
    if lens.op.name == "slice":
        return slice(*args[1:]).indices(shape[d])[0] * strides[d]
    first = int(args[1])
    return (first + shape[d] if first < 0 else first) * strides[d]


def _moved(lens: Lens, shape: Sequence[int], strides: Strides, offset: int):
    """(shape, strides, offset) after a lens that changes all of them in its own way; None for the others."""
    name, args, n = lens.op.name, _arguments(lens), len(shape)
    if name == "as_strided":
        size, stride, start = args
        return tuple(size), tuple(stride), start or 0
    if name in ("diagonal", "linalg.diagonal"):
        by, d1, d2 = args
        d1, d2 = wrap_dim(d1, n), wrap_dim(d2, n)
        length = max(min(shape[d1], shape[d2] - by) if by >= 0 else min(shape[d1] + by, shape[d2]), 0)
        skipped = by * strides[d2] if by >= 0 else -by * strides[d1]
        kept = [d for d in range(n) if d not in (d1, d2)]
        return (
            (*[shape[d] for d in kept], length),
            (*[strides[d] for d in kept], strides[d1] + strides[d2]),
            offset + (skipped if length else 0),
        )
    if name == "unfold":
        dim, size, step = args
        if not n:
            return (size,), (1,), offset
        d = wrap_dim(dim, n)
        count = (shape[d] - size) // step + 1
        return (
            (*shape[:d], count, *shape[d + 1 :], size),
            (*strides[:d], strides[d] * step, *strides[d + 1 :], strides[d]),
            offset,
        )
    if name == "view_as_real":
        return (*shape, 2), (*[2 * s for s in strides], 1), 2 * offset
    if name == "view_as_complex":
        return tuple(shape[:-1]), tuple([s // 2 for s in strides[:-1]]), offset // 2
    if name in ("real", "imag"):
        return tuple(shape), tuple([2 * s for s in strides]), 2 * offset + (name == "imag")
    return None


def _through(lens: Lens, shape: Sequence[int], strides: Strides) -> tuple[tuple[int, ...], Strides | None]:
    """Shape and strides after one lens."""
    name, args, n = lens.op.name, _arguments(lens), len(shape)
    order = _permutation(name, args, n)
    if order is not None:
        return tuple([shape[d] for d in order]), tuple([strides[d] for d in order])
    if name in ("alias", "detach", "conj", "_neg_view"):
        return tuple(shape), strides
    if name in ("select", "_select_at"):
        d = wrap_dim(args[0], n)
        return (*shape[:d], *shape[d + 1 :]), (*strides[:d], *strides[d + 1 :])
    if name == "narrow":
        d = wrap_dim(args[0], n)
        return (*shape[:d], args[2], *shape[d + 1 :]), strides
    if name == "slice":
        d = wrap_dim(args[0], n)
        start, end, step = slice(*args[1:]).indices(shape[d])
        size = len(range(start, end, step))
        return (*shape[:d], size, *shape[d + 1 :]), (*strides[:d], strides[d] * step, *strides[d + 1 :])
    if name == "unsqueeze":
        d = wrap_dim(args[0], n + 1)
        inner = strides[d] * shape[d] if d < n else 1
        return (*shape[:d], 1, *shape[d:]), (*strides[:d], inner, *strides[d:])
    if name == "squeeze":
        gone = (
            range(n)
            if args[0] is UNSET
            else [wrap_dim(d, n) for d in ([args[0]] if isinstance(args[0], int) else args[0])]
        )
        kept = [d for d in range(n) if d not in gone or shape[d] != 1]
        return tuple([shape[d] for d in kept]), tuple([strides[d] for d in kept])
    if name in ("expand", "broadcast_to"):
        size = args[0]
        extra = len(size) - n
        have = [1] * extra + list(shape)
        new = tuple([h if want == -1 else want for want, h in zip(size, have)])
        result = [s if h == want else 0 for want, h, s in zip(new[extra:], shape, strides)]
        for d in range(
            extra - 1, -1, -1
        ):  # a dim of size 1 that is put in front has a stride as if it were contiguous
            inner = new[d + 1] * result[0] if result else 1
            result.insert(0, inner if new[d] == 1 else 0)
        return new, tuple(result)
    new_shape = shape_after(lens, tuple(shape))
    return new_shape, view_strides(shape, strides, new_shape) if name in _RESHAPES else None


_RESHAPES = ("view", "reshape", "flatten", "unflatten", "ravel")


def _permutation(name: str, args: Sequence, n: int) -> list[int] | None:
    if name == "permute":
        return [wrap_dim(d, n) for d in args[0]]
    if name in ("transpose", "swapaxes", "swapdims", "t", "adjoint"):
        a, b = args if name not in ("t", "adjoint") else (-2, -1)
        order = list(range(n))
        if n >= 2 or name not in ("t", "adjoint"):
            a, b = wrap_dim(a, n), wrap_dim(b, n)
            if n:
                order[a], order[b] = order[b], order[a]
        return order
    if name in ("movedim", "moveaxis"):
        source, target = [[x] if isinstance(x, int) else list(x) for x in args]
        source, target = [wrap_dim(d, n) for d in source], [wrap_dim(d, n) for d in target]
        rest = iter([d for d in range(n) if d not in source])
        placed = dict(zip(target, source))
        return [placed[d] if d in placed else next(rest) for d in range(n)]
    return None


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
    """Whether `t.to(memory_format=given)` is t itself: a tensor is in the format with channels last that its strides say, else in that of rows."""
    if given is None or given is preserve_format:
        return True
    order, strides = ORDERS.get(given), strides_of(t)
    if order is None:
        return not any(_says(t, strides, o) for o in ORDERS.values())
    return _says(t, strides, order)


def _says(t: Tensor, strides: tuple[int, ...] | None, order: tuple[int, ...]) -> bool:
    """Whether strides can only be those of dims in this order: with one channel, or one place, they are those of rows as well."""
    shape = t._aval.shape
    if strides is None or len(shape) != len(order) or strides[1] == 0 or 0 in shape:
        return False
    least = 0
    for d in reversed(order):
        if strides[d] < least or (d == 0 and least == strides[1]):
            return False
        least = strides[d] * shape[d]
    return True
