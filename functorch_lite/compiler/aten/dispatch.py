"""Hands ops, as they are called, to dispatch modes, as ops of aten.

While a thread has modes, `apply` hands each op to `seen` (`here.run_at_once`), which spells it by the rules of
`make_fx`: where those make nodes, the innermost mode is called. Ops that the mode calls go to the modes around it,
and are recorded when none is left. For an op that needs gradients, the derivative is spelled in the same way when it
is computed, by an `autograd.Function`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ... import _ops
from ..._core.api import (
    ADD,
    ONES,
    UNSET,
    ZEROS,
    Aval,
    Op,
    Tensor,
    apply_once,
    overrides,
    preserve_format,
    state,
)
from ..._ops import OpOverload, OpOverloadPacket
from ...autograd.function import Function
from ...autograd.grad_mode import no_grad
from ...func import vjp
from ...func._trees import flatten
from ...utils._op_modes import here, of_ops, without
from ..graphs.calls import op_call
from ..graphs.view import example
from .emit import RULES, Emit, Pulled
from .lower import by_place, by_rule, is_derivative, wanted

__all__ = ["by_class", "seen"]


def by_class() -> Any:
    """A context in which each op is handed to the `__torch_dispatch__` of its arguments' classes, after the modes that
    there are."""
    return of_ops(here.modes if _BY_CLASS in here.modes else (_BY_CLASS, *here.modes))


class _ByClass:
    """Outermost mode, which hands ops to classes."""

    def __torch_dispatch__(
        self, func: OpOverload, types: tuple, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        found = [
            x
            for x in flatten((args, kwargs))[0]
            if isinstance(x, Tensor) and hasattr(x, "__torch_dispatch__")
        ]
        if not found:
            return func(*args, **(kwargs or {}))
        types = tuple(dict.fromkeys(map(type, found)))
        before, overrides.here.no_subclasses = overrides.here.no_subclasses, False
        try:
            for cls in sorted(types, key=lambda c: -len(c.__mro__)):
                result = cls.__torch_dispatch__(func, types, args, kwargs)
                if result is not NotImplemented:
                    return result
        finally:
            overrides.here.no_subclasses = before
        raise TypeError(
            f"Multiple dispatch failed for {func}; all __torch_dispatch__ handlers returned NotImplemented: {list(types)}"
        )


_BY_CLASS = _ByClass()


def called(func: OpOverload, args: tuple, kwargs: dict) -> Any:
    """Hands a call to the innermost mode; makes it if there is none."""
    if not here.modes:
        return func(*args, **kwargs)
    mode = here.modes[-1]
    with without(1):
        return mode.__torch_dispatch__(func, (), args, kwargs)


def _aten(name: str) -> OpOverload:
    packet, _, overload = name.partition(".")
    return getattr(getattr(_ops.namespace("aten"), packet), overload)


class _Calling(Emit):
    """Calls in the place of nodes, which are handed to these modes; other actions of a rule are seen by none."""

    def __init__(self, modes: tuple):
        self.modes = modes
        self.trace = None

    def __call__(self, name: str, *args: Any, val: Any = UNSET, **kwargs: Any) -> Any:
        """Calls `torch.ops.aten.<name>`."""
        func = _aten(name)
        given = tuple([list(a) if type(a) is tuple else a for a in args])
        with of_ops(self.modes):
            return called(func, given, kwargs)

    def parts(self, made: Any) -> list[Any]:
        """The results of an op that has several."""
        return list(made)


# -- forward ---------------------------------------------------------------------------------------------------------


def seen(op: Any, static: Any, inputs: Sequence[Any]) -> Any:
    """Calls an op under the modes of this thread."""
    if isinstance(op, Op):
        avals = tuple([x._aval if isinstance(x, Tensor) else x for x in inputs])
        results = _spelled_as(op, static, avals, tuple(map(type, inputs)))
        if results is not None:
            with without():  # reading a view may record
                taped = state.here.grad and any(isinstance(x, Tensor) and x.requires_grad for x in inputs)  # type: ignore[attr-defined]
            if taped and not op.is_view:
                return _Seen.apply(op, static, results, *inputs)
            emit = _Calling(here.modes)
            with without():
                return _results(by_rule(emit, RULES, op, static, inputs, results)[0])
    elif op is ADD:
        return (called(_aten("add.Tensor"), tuple(inputs), {}),)
    elif op in (ONES, ZEROS):
        name = "ones_like.default" if op is ONES else "zeros_like.default"
        return (called(_aten(name), tuple(inputs), {"pin_memory": False, "memory_format": preserve_format}),)
    elif is_derivative(op) and op.made_of[0].op.is_view:
        found = _of_view(op, inputs)
        if found is not None:
            return found
    return called(_unnamed(op, static), tuple(inputs), {})


def _results(found: Any) -> Any:
    out = found.out if isinstance(found, Pulled) else found
    return tuple(out) if type(out) in (tuple, list) else out


def _unnamed(op: Any, static: Any) -> OpOverload:
    """An op that is none of aten's, as an overload of this library's."""
    fn = op_call(op, static)
    return OpOverload(OpOverloadPacket("functorch_lite", fn.__name__, fn), "default")


@lru_cache(4096)
def _spelled_as(op: Op, static: Any, avals: tuple, kinds: tuple) -> tuple[Aval, ...] | None:
    """The avals of the op's results, if ops of aten give such; found out with tensors that have no numbers."""
    with without(), no_grad():
        specs = tuple([a if isinstance(a, Aval) or a is None else (type(a), a) for a in avals])
        expected = apply_once(op, static, specs).avals
        metas = [example(a) if isinstance(a, Aval) else a for a in avals]
        try:
            found = by_rule(_Calling(()), RULES, op, static, metas, expected)[0]
        except (TypeError, RuntimeError, ValueError, IndexError):
            return None
    out = _results(found)
    out = out if type(out) is tuple else (out,)
    same = len(out) == len(expected) and all(
        isinstance(t, Tensor) and t._aval.shape == a.shape and t._aval.dtype is a.dtype
        for t, a in zip(out, expected)
    )
    return tuple(expected) if found is not None and same else None


# -- derivatives -----------------------------------------------------------------------------------------------------


class _Seen(Function):
    """An op whose derivative is seen by the modes that there are when it is computed."""

    @staticmethod
    def forward(ctx: Any, op: Op, static: Any, avals: tuple, *inputs: Any) -> Any:
        ctx.emit = _Calling(here.modes)
        with without():
            found, places = by_rule(ctx.emit, RULES, op, static, inputs, avals)
        out = _results(found)
        ctx.op, ctx.static, ctx.inputs, ctx.places = op, static, inputs, places
        ctx.pull = found.pull if isinstance(found, Pulled) else None
        ctx.set_materialize_grads(False)
        several = out if type(out) is tuple else (out,)
        ctx.mark_non_differentiable(*[t for t in several if not (t.is_floating_point() or t.is_complex())])
        return out

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        asked = [k for k, needed in enumerate(ctx.needs_input_grad[3:]) if needed]
        results: dict[int, Any] = {}
        if grads[0] is not None and all(g is None for g in grads[1:]) and ctx.pull is not None:
            params = [p.name for p in ctx.op.params]
            names = wanted(asked, ctx.places, params)
            ctx.emit.modes = here.modes
            with without():
                results = by_place(ctx.pull(grads, names), ctx.places, params)
        if any(results.get(k) is None for k in asked):
            fn = _pulled(ctx.op, ctx.static, ctx.inputs, asked)
            name = ctx.op.name.rpartition(".")[2].lstrip("_") + "_backward"
            func = OpOverload(OpOverloadPacket("functorch_lite", name, fn), "default")
            results = dict(zip(asked, called(func, (list(grads), *ctx.inputs), {})))
        return (None, None, None, *[results.get(k) for k in range(len(ctx.inputs))])


def _pulled(op: Op, static: Any, inputs: Sequence[Any], asked: Sequence[int]) -> Callable:
    """(gradients of the results, the op's inputs) -> the gradients of some of these."""

    def backward(grads: Sequence[Any], *inputs: Any) -> tuple:
        def forward(*moved: Any) -> Any:
            full = list(inputs)
            for k, x in zip(asked, moved):
                full[k] = x
            out = op_call(op, static)(*full)
            return tuple([t for t, g in zip(out, grads) if g is not None]) if type(out) is tuple else out

        given = [g for g in grads if g is not None]
        pull = vjp(forward, *[inputs[k] for k in asked])[1]
        return pull(tuple(given) if len(grads) > 1 else given[0])

    return backward


def _of_view(op: Any, inputs: Sequence[Any]) -> tuple | None:
    """The derivative of a view, which reads shapes alone."""
    applied, mask, cts = op.made_of
    metas = [
        example(a) if isinstance(a, Aval) else a[0](a[1]) if a is not None else None for a in applied.inputs
    ]
    saved = applied.backward(mask, cts).saved
    for k, x in zip(saved, inputs):
        if isinstance(x, Tensor):
            return None
        metas[k] = x
    emit, modes = _Calling(()), here.modes
    with without():
        try:
            found, places = by_rule(emit, RULES, applied.op, applied.static, metas, applied.avals)
        except (TypeError, RuntimeError, ValueError, IndexError):
            return None
        if not isinstance(found, Pulled):
            return None
        emit.modes = modes
        asked = [k for k in range(len(applied.inputs)) if mask >> k & 1]
        params = [p.name for p in applied.op.params]
        results = by_place(found.pull(inputs[len(saved) :], wanted(asked, places, params)), places, params)
    return tuple([results[k] for k in asked])
