"""Results in the memory of what was there before: a function that is transformed may return an argument, a view of one
or of a tensor from outside, or two results of which one is a view of the other.

In PyTorch such a result is such a view outside of the transform too: what is written to one is seen in the other. Here
the results of the transform's op are arrays of their own; they are replaced by the same view, taken one level below of
what the function's tensor stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax

from .._core.api import OPS, DerivedOp, Lens, Tensor, apply_view, state, strides_of, view_strides
from .._core.api import functions as torch

__all__ = ["Alias", "aliases", "shared"]


class Alias(NamedTuple):
    """Origin of a result that is a view: an argument by its number, a tensor from outside, or another result by its
    number (of these one is given), and the steps that lead from there to it. `detached`: without its derivatives."""

    argument: int | None
    outside: Tensor | None
    result: int | None
    lenses: tuple[Lens, ...]
    detached: bool = False


def aliases(fresh: Sequence[Tensor], outs: Sequence[Tensor]) -> list[Alias | None]:
    """Tells of each result of the function what it is a view of; asked for at the function's level, once it has
    returned.

    None for what is a tensor of its own. Inside a further transform this holds also for all results of a function
    that has turned derivatives off: the recording alone shows where derivatives end.
    """
    rec = state.rec
    if rec.outer.level and any(step.stop for step in rec.path):
        return [None] * len(outs)
    arguments = {t._cell: k for k, t in enumerate(fresh)}
    whole: dict[Any, int] = {}
    for i, t in enumerate(outs):
        if not t._lenses:
            whole.setdefault(t._cell, i)
    return [_alias(rec, t, i, arguments, whole) for i, t in enumerate(outs)]


def _alias(rec: Any, t: Tensor, i: int, arguments: dict[Any, int], whole: dict[Any, int]) -> Alias | None:
    cell = t._cell
    if any(isinstance(n, Tensor) and n._cell.level == rec.level for lens in t._lenses for n in lens.numbers):
        return None  # it begins at a place that the function computed
    if cell in arguments:
        k = arguments[cell]
        passed = (
            rec.given[k][1].index != -1 - k
        )  # a hook stands between the argument and what the function saw of it
        return None if passed else Alias(k, None, None, t._lenses)
    if cell.level != rec.level:
        return Alias(None, t if t._root is None else t._root, None, t._lenses)
    k = next((arguments[c] for c in rec.aliases.get(cell, ()) if c in arguments), None)
    if k is not None:
        return Alias(k, None, None, t._lenses, detached=True)
    first = whole.get(cell, i)
    return None if first == i else Alias(None, None, first, t._lenses)


def shared(
    found: Sequence[Alias | None],
    results: Sequence[Tensor],
    arguments: Sequence[Tensor],
    in_axes: Sequence[int | None] | None = None,
    out_axes: Sequence[int | None] | None = None,
    size: int = 0,
) -> list[Tensor]:
    """The results, in which views stay views of the tensors they share memory with.

    in_axes, out_axes: for a vmap, the mapped dimension of each argument and result; `size` is the number of examples.
    """
    done = list(results)
    for i, a in enumerate(found):
        if a is not None:
            axis = None if out_axes is None else out_axes[i]
            view = _view(a, done, arguments, in_axes, out_axes, axis, size)
            done[i] = done[i] if view is None else _without_history_of(done[i], a, view)
    return done


def _view(
    a: Alias, done: list[Tensor], arguments, in_axes, out_axes, axis, size
) -> Callable[[], Tensor | None] | None:
    """Function that makes the view."""
    if a.outside is not None:
        base, had = a.outside, None
    elif a.argument is not None:
        base, had = arguments[a.argument], None if in_axes is None else in_axes[a.argument]
    else:
        base, had = done[a.result], None if out_axes is None else out_axes[a.result]  # type: ignore[index]

    def made() -> Tensor | None:
        t = torch.detach(base) if a.detached else base
        if not a.lenses:
            if had is None and axis is not None:
                return _repeated(t, axis, size)
            return t if had == axis else torch.movedim(t, had, axis)
        t = t if not had else torch.movedim(t, had, 0)
        for lens in a.lenses:
            op = lens.op
            if had is not None:
                if not _is_view_of_all(lens, t):
                    return None
                op = _batched(op)
            t = apply_view(op, lens.static, t, lens.numbers)
        if had is None:
            return t if axis is None else _repeated(t, axis, size)
        return t if axis == 0 else torch.movedim(t, 0, axis)

    return made


def _without_history_of(plain: Tensor, a: Alias, made: Callable[[], Tensor | None]) -> Tensor:
    """The view that is made; it is not taped where the result of the op is not: the function made it under
    `no_grad`."""
    here = state.here
    grad = here.grad
    here.grad = grad and (plain._edge is not None or bool(here.rec.level) or not a.lenses)
    try:
        view = made()
    finally:
        here.grad = grad
    return plain if view is None else view


def _repeated(t: Tensor, axis: int, size: int) -> Tensor:
    """Expands a tensor that is the same for all examples by a dimension for them."""
    t = torch.unsqueeze(t, axis)
    return t.expand([size if d == axis else -1 for d in range(len(t._aval.shape))])  # type: ignore[attr-defined]


# -- views of all examples -------------------------------------------------------------------------------------------


def _is_view_of_all(lens: Lens, t: Tensor) -> bool:
    """Returns whether PyTorch has as a view what a lens shows of each example; they are the rows of t.

    (A reshape that is none there copies.)"""
    strides = strides_of(t)
    if lens.op is OPS["as_strided"]:
        return t.is_contiguous()  # type: ignore[attr-defined]
    if not lens.op.reshapes:
        return True
    shape = jax.eval_shape(lambda x: _batched(lens.op).call(lens.static, [x]), _struct(t)).shape
    return strides is not None and view_strides(t._aval.shape, strides, shape) is not None


def _struct(t: Tensor) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(t._aval.shape, t._aval.dtype.np)


def _batched(op: Any) -> BatchedView:
    found = op.derived.get("batched")
    if found is None:
        found = op.derived["batched"] = BatchedView(op)
    return found


class BatchedView(DerivedOp):
    """A view op on each row of its base."""

    __slots__ = ("derived", "grad", "of_one", "put", "reshapes", "signs", "strides")
    is_view = True
    on_host = None
    window = False

    def __init__(self, op: Any):
        super().__init__(None, op.name, made_of=(op,))
        self.of_one = op
        self.grad = op.grad
        self.derived: dict[Any, Any] = {}
        self.reshapes, self.signs = op.reshapes, op.signs
        self.put = None if op.put is None else self._put
        self.strides = None if op.strides is None else self._strides
        if getattr(op.strides, "asks_size", False):
            self.strides = _asking_size(self._strides)

    def call(self, static: Any, inputs: Sequence) -> Any:
        base, *numbers = inputs
        return jax.vmap(lambda row: self.of_one.call(static, [row, *numbers]))(base)

    def arguments(self, static: Any, inputs: Sequence) -> list:
        """The function's arguments, in the order of the op's signature."""
        return self.of_one.arguments(static, inputs)

    def _put(self, base: Any, part: Any, *rest: Any) -> Any:
        return jax.vmap(lambda row, x: self.of_one.put(row, x, *rest))(base, part)

    def _strides(self, shape: Sequence[int], strides: Sequence[int], offset: int, *rest: Any) -> tuple:
        """Strides of a row, and the step from row to row: in elements, whose size may be another in the view."""
        of_row = self.of_one.strides
        new, steps, at = of_row(tuple(shape[1:]), tuple(strides[1:]), offset, *rest)
        far = of_row(tuple(shape[1:]), tuple(strides[1:]), offset + _FAR, *rest)[2]
        step = strides[0] * (far - at) // _FAR if far != at else strides[0]
        return (shape[0], *new), (step, *steps), at


_FAR = 64
"""Elements between two offsets, of which as many bytes are whole elements of any size."""


def _asking_size(strides: Callable) -> Callable:
    def asking(*args: Any) -> tuple:
        return strides(*args)

    asking.asks_size = True  # type: ignore[attr-defined]
    return asking
