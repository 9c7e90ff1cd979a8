"""Checkpoints whose function is run a second time in backward, as PyTorch does it: where one op cannot stand for the
function.

This is necessary when it applies an `autograd.Function`, registers hooks on tensors that it computes, writes to
captured tensors, or must run under contexts of the user's. Every tensor that the tape would save is replaced by a
`_Place`; the first place that backward asks for runs the function again, which fills them all. The arguments go
through a barrier, so that XLA does not merge the two runs.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable
from typing import Any

import jax

from .._core.api import DerivedOp, Tensor, apply_op, autocast, make_tensor, read, state
from ..autograd import Function, backward, no_grad
from ..autograd.context import Saved
from ..autograd.graph import saved_tensors_hooks
from ..autograd.watch import modes
from ..random import fork_rng, get_rng_state, set_rng_state

__all__ = ["CheckpointError", "run_twice", "run_twice_reentrant"]

_FEWER = (
    "torch.utils.checkpoint: A different number of tensors was saved during the original forward and recomputation.\n"
    "Number of tensors saved during forward: {}\nNumber of tensors saved during recomputation: {}.\n"
)
_MORE = "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward pass.\n"
_DIFFERENT = "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the forward pass.\n{}"
_TARGETS = (
    "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter to .backward(). "
    "To resolve this error, you can either set use_reentrant=False, or call .backward() without passing the `inputs` argument."
)


class CheckpointError(RuntimeError):
    """The function saved other tensors for backward when it was run again than it had saved in forward."""


def _barrier(after, *arrays):
    return jax.lax.optimization_barrier((after, *arrays))[1:]


_BARRIER = DerivedOp(_barrier, "checkpoint_barrier")
"""(x, *arrays) -> the same arrays, to be used when x has been computed, and not before."""


def _apart(args: list) -> list:
    """Tensors of the same values, with the same histories, that no program takes for the same.

    They wait for what was recorded last, a gradient: computed earlier, the second run would only take room."""
    at = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
    rec = state.rec
    if not at or not rec.slots:
        return args
    last = make_tensor(rec.slots[-1], rec.level)
    here = state.here
    grad, here.grad = here.grad, False
    try:
        values = [read(t) for t in apply_op(_BARRIER, None, (last, *[args[i] for i in at]))]
    finally:
        here.grad = grad
    args = list(args)
    for i, v in zip(at, values):
        args[i] = make_tensor(v, state.rec.level, args[i]._edge)
    return args


class _World:
    """State that a function's result depends on besides its arguments: the random state, and autocast."""

    def __init__(self, preserve_rng_state: bool):
        self.rng = get_rng_state() if preserve_rng_state else None
        self.casts = _casts()

    @contextlib.contextmanager
    def entered(self):
        """Sets random state and autocast as they were; afterwards as they are."""
        casts = _casts()
        with fork_rng(enabled=self.rng is not None):
            if self.rng is not None:
                set_rng_state(self.rng)
            _set_casts(self.casts)
            try:
                yield
            finally:
                _set_casts(casts)


def _casts() -> list[tuple]:
    """Autocast, for each kind of device: (kind, whether it is on, its lower precision)."""
    return [(kind, autocast.is_enabled(kind), autocast.get_dtype(kind)) for kind in autocast.KINDS]


def _set_casts(casts: list[tuple]) -> None:
    for kind, enabled, dtype in casts:
        autocast.set_enabled(kind, enabled)
        autocast.set_dtype(kind, dtype)


# -- without a walk inside the walk ----------------------------------------------------------------------------------


class _Place:
    """Placeholder that the tape keeps instead of a tensor; after the second run, that run's tensor and the walk it was
    made for."""

    __slots__ = ("__weakref__", "aval", "frame", "kept", "walk")

    def __init__(self, frame: _Frame, aval: Any):
        self.frame = frame
        self.aval = aval
        self.kept: Tensor | None = None
        self.walk: Any = None


class _Enough(BaseException):
    """Everything that was saved has been computed again: the rest of the function need not run."""


class _Hooks(saved_tensors_hooks):
    """A checkpoint's own: what transforms inside of it save, they compute again with it."""

    refuses_transforms = False


class _Frame:
    """One checkpointed call: how to run it again, and the places of what it saved, which only the tape keeps alive."""

    def __init__(self, again: Callable[[], Any], early_stop: bool, compare: bool):
        self.again = again
        self.early_stop = early_stop
        self.compare = compare
        self.places: list[weakref.ref[_Place]] = []

    def pack(self, t: Tensor) -> _Place:
        """Keeps a place for a tensor of the first run."""
        place = _Place(self, t._aval)
        self.places.append(weakref.ref(place))
        return place

    def unpack(self, place: _Place) -> Tensor:
        """The tensor of a place; runs the function again at most once in a walk."""
        walk = modes.walk if modes.walk is not None else object()
        if place.kept is None or place.walk is not walk:
            self.run_again(walk)
        found, place.kept = place.kept, None
        assert found is not None
        return found

    def run_again(self, walk: Any) -> None:
        """Fills the places that are still wanted."""
        count = 0

        def pack(t: Tensor) -> Tensor:
            nonlocal count
            if count == len(self.places):
                raise CheckpointError(_MORE)
            place = self.places[count]()
            count += 1
            if place is not None:
                place.kept, place.walk = t.detach(), walk
            if self.early_stop and count == len(self.places):
                raise _Enough
            return t.detach()

        here = state.here
        grad, here.grad = here.grad, True
        try:
            with contextlib.suppress(_Enough), _Hooks(pack, lambda t: t):
                self.again()
        finally:
            here.grad = grad
        if count != len(self.places):
            raise CheckpointError(_FEWER.format(len(self.places), count))
        if self.compare:
            self._compare()

    def _compare(self) -> None:
        lines = []
        for i, reference in enumerate(self.places):
            place = reference()
            if place is not None and place.kept is not None and place.kept._aval is not place.aval:
                lines.append(
                    f"tensor at position {i}:\nsaved metadata: {_metadata(place.aval)}\n"
                    f"recomputed metadata: {_metadata(place.kept._aval)}\n"
                )
        if lines:
            raise CheckpointError(_DIFFERENT.format("".join(lines)))


def _metadata(aval: Any) -> dict:
    return {"shape": aval.shape, "dtype": aval.dtype, "device": aval.device}


def run_twice(
    function: Callable,
    args: tuple,
    kwargs: dict,
    contexts: tuple[Any, Any],
    early_stop: bool,
    preserve_rng_state: bool,
    compare: bool,
) -> Any:
    """function(*args, **kwargs) under contexts[0], and under contexts[1] when backward runs it again.

    compare: whether shapes and dtypes of the two runs are compared (determinism_check).
    """
    world = _World(preserve_rng_state)
    saved = [Saved(x, None) if isinstance(x, Tensor) else x for x in args]

    def again() -> None:
        given = _apart([x.tensor(None) if isinstance(x, Saved) else x for x in saved])
        with world.entered(), contexts[1]:
            function(*given, **kwargs)

    frame = _Frame(again, early_stop, compare)
    with _Hooks(frame.pack, frame.unpack), contexts[0]:
        return function(*args, **kwargs)


# -- with a walk inside the walk -------------------------------------------------------------------------------------


class _Reentrant(Function):
    """The function without a tape; its backward runs it with one, and walks that."""

    @staticmethod
    def forward(ctx, function: Callable, preserve_rng_state: bool, *args):
        ctx.function = function
        ctx.world = _World(preserve_rng_state)
        ctx.at = [i for i, x in enumerate(args) if isinstance(x, Tensor)]
        ctx.others = [None if isinstance(x, Tensor) else x for x in args]
        ctx.save_for_backward(*[args[i] for i in ctx.at])
        with no_grad():
            return function(*args)

    @staticmethod
    def backward(ctx, *cts):
        if modes.walk is not None and modes.walk.has_targets:
            raise RuntimeError(_TARGETS)
        full = list(ctx.others)
        for i, t in zip(ctx.at, ctx.saved_tensors):
            full[i] = t
        full = _apart(full)
        for i in ctx.at:
            fresh = full[i].detach()
            fresh.requires_grad = full[i].requires_grad
            full[i] = fresh
        here = state.here
        grad, here.grad = here.grad, True
        try:
            with ctx.world.entered():
                outs = ctx.function(*full)
        finally:
            here.grad = grad
        outs = outs if isinstance(outs, tuple) else (outs,)
        pairs = [(o, g) for o, g in zip(outs, cts) if isinstance(o, Tensor) and o.requires_grad]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([o for o, _ in pairs], [g for _, g in pairs])
        return (None, None, *[full[i].grad if i in ctx.at else None for i in range(len(full))])


def run_twice_reentrant(function: Callable, args: tuple, preserve_rng_state: bool) -> Any:
    """function(*args); its results require grad when an argument does."""
    return _Reentrant.apply(function, preserve_rng_state, *args)
