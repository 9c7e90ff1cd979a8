"""A call of an autograd.Function in eager code: forward, the node that it puts on the tape, and its derivatives."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .._core.api import Aval, Leaf, Node, Tensor, make_tensor, onlookers, read, share_tensor, state, write
from .._core.api import functions as torch
from . import forward_ad
from .context import FunctionCtx, Rules, Saved, among
from .watch import anomaly, user_stack

__all__ = [
    "Call", "FunctionNode", "call_here", "finished", "needs_here", "run_backward", "run_forward", "run_jvp",
]  # fmt: skip


class Call:
    """A call that was made at some level: the context that forward filled, its arguments and outputs as forward saw
    them (`raw`), and the outputs as the caller gets them."""

    def __init__(self, cls, ctx: FunctionCtx, args: Sequence, outs: Sequence, single: bool):
        self.cls = cls
        self.ctx = ctx
        self.args = list(args)
        self.raw = list(outs)
        self.outs = list(outs)
        self.single = single
        self.saved = ctx.to_save
        self.saved_forward = ctx.saved_for_forward
        ctx.to_save = ctx.saved_for_forward = ()

    def result(self) -> Any:
        return self.outs[0] if self.single else tuple(self.outs)

    def is_differentiable(self, i: int) -> bool:
        raw = self.raw[i]
        return isinstance(raw, Tensor) and raw._aval.taped and not among(raw, self.ctx.non_differentiable)

    def intermediates(self) -> list[Tensor]:
        """The tensors left on ctx that are neither arguments nor outputs."""
        known = {id(t) for t in (*self.args, *self.raw)}
        found: dict[int, Tensor] = {}
        for part in (self.saved, self.saved_forward, vars(self.ctx)):
            for t in _tensors_in(part):
                if id(t) not in known:
                    found[id(t)] = t
        return list(found.values())

    def moved(self, args: Sequence, outs: Sequence, intermediates: Sequence[Tensor] | None = None) -> Call:
        """The same call at another level: what was saved of the arguments and outputs becomes the ones given here."""
        table = {id(a): b for a, b in zip(self.args, args) if isinstance(a, Tensor)}
        table |= {id(a): b for a, b in zip(self.raw, outs) if isinstance(a, Tensor)}
        if intermediates is not None:
            table |= {id(a): b for a, b in zip(self.intermediates(), intermediates)}
        ctx = FunctionCtx()
        for name, attribute in vars(self.ctx).items():
            if name not in ("_saved", "_node"):
                setattr(ctx, name, _replaced(attribute, table))
        ctx.to_save = _replaced(self.saved, table)
        ctx.saved_for_forward = _replaced(self.saved_forward, table)
        return Call(self.cls, ctx, args, outs, self.single)

    def context(self, forward: bool = False) -> FunctionCtx:
        """The context for backward or jvp where no node of the tape keeps it."""
        ctx = FunctionCtx()
        vars(ctx).update(vars(self.ctx))
        ctx._saved = self.saved_forward if forward else self.saved
        return ctx


def _tensors_in(x: Any) -> list[Tensor]:
    if isinstance(x, Tensor):
        return [x]
    parts = x.values() if isinstance(x, dict) else x if isinstance(x, list | tuple) else ()
    return [t for part in parts for t in _tensors_in(part)]


def _replaced(x: Any, table: dict[int, Any]) -> Any:
    """x, a tensor or lists, tuples and dicts of them, with the tensors of the table replaced."""
    if isinstance(x, Tensor):
        return table.get(id(x), x)
    if not _tensors_in(x):
        return x
    if isinstance(x, dict):
        return type(x)({k: _replaced(v, table) for k, v in x.items()})
    parts = [_replaced(part, table) for part in x]
    return type(x)(*parts) if hasattr(x, "_fields") else type(x)(parts)


def run_forward(cls, args: Sequence, needs: Sequence[bool]) -> Call:
    ctx = FunctionCtx()
    ctx.needs_input_grad = tuple(needs)
    here = state.here
    grad, here.grad = here.grad, False
    try:
        if cls.setup_context is not Rules.setup_context:
            output = cls.forward(*args)
            cls.setup_context(ctx, tuple(args), output)
        else:
            output = cls.forward(ctx, *args)
    finally:
        here.grad = grad
    single = not isinstance(output, tuple)
    call = Call(cls, ctx, args, (output,) if single else output, single)
    if any(not among(t, args) for t in ctx.dirty_tensors):
        warnings.warn(
            "ctx.mark_dirty() received a tensor that was not an input. Only input Tensors that have been mutated should be passed to "
            "ctx.mark_dirty().",
            stacklevel=2,
        )
    for t in ctx.dirty_tensors:
        if not among(t, call.raw):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
                "inplace must all be outputs of the Function."
            )
    return call


def call_here(cls, args: Sequence, needs: Sequence[bool]) -> Call:
    """The call itself: forward is run, and a node put on the tape."""
    own = needs_here(args)
    duals = forward_ad.tangents_of(args)
    with forward_ad.paused(duals is not None):
        call = run_forward(cls, args, [a or b for a, b in itertools.zip_longest(own, needs, fillvalue=False)])
        if duals is not None:
            call.outs = [forward_ad.without_tangent(o) if isinstance(o, Tensor) else o for o in call.outs]
    return finished(cls, call, args, own, [args[i]._edge for i, n in enumerate(own) if n], duals)


def finished(cls, call: Call, args: Sequence, own: list[bool], edges: list, duals: list | None) -> Call:
    """The call with its node on the tape. own: which arguments are on it, with these edges; duals: their tangents."""
    node = FunctionNode(cls, call, own, edges) if state.grad and edges else None
    outs = call.outs
    call.outs = [wrapped(call, node, i, t, outs[:i]) for i, t in enumerate(outs)]
    if node is not None:
        keep(call, node)
    if duals is not None:
        push_duals(call, args, duals)
    return call


def needs_here(args: Sequence) -> list[bool]:
    own = []
    for a in args:
        if isinstance(a, Tensor) and a._lenses:
            read(a)
        own.append(isinstance(a, Tensor) and a._edge is not None)
    return own


def wrapped(call: Call, node: FunctionNode | None, i: int, out: Any, before: Sequence) -> Any:
    """An output as the caller gets it: with its place on the tape.

    Where torch returns a view of an input that must not be written to, this is a tensor of its own."""
    if not isinstance(out, Tensor):
        return out
    raw = call.raw[i]
    dirty = among(raw, call.ctx.dirty_tensors)
    given = among(raw, call.args)
    if node is None:
        return share_tensor(Tensor, out) if given and not dirty else out
    edge = (node, i) if call.is_differentiable(i) else None
    if out._of_parts:
        return out._with(make_tensor(read(out._numbers), state.rec.level, edge))  # type: ignore[attr-defined]
    if dirty and given:
        if type(raw._edge) is tuple and type(raw._edge[0]) is Leaf:
            raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
        if raw._lenses and edge is not None:
            return write(raw, make_tensor(read(raw), raw._cell.level, edge))
        raw._edge = edge
        return raw
    cells = [a._cell for a in call.args if isinstance(a, Tensor) and not a._of_parts]
    if given or out._lenses or among(out._cell, cells) or among(out, before) or _is_leaf(out):
        return make_tensor(read(out), state.rec.level, edge)
    out._edge = edge
    return out


def _is_leaf(t: Tensor) -> bool:
    return t._edge is not None and type(t._edge[0]) is Leaf


def keep(call: Call, node: FunctionNode) -> None:
    """Gives the node's context what was saved, outputs without their history."""
    saved: list[Saved | None] = []
    for t in call.saved:
        if t is None:
            saved.append(None)
            continue
        output = next((i for i, raw in enumerate(call.raw) if raw is t), None)
        if output is not None and among(t, call.args) and not among(t, call.ctx.dirty_tensors):
            output = None
        saved.append(Saved(t if output is None else call.outs[output], output))
    call.ctx._saved = saved


def push_duals(call: Call, args: Sequence, duals: list) -> None:
    """Tangents of the outputs of an eager call from the tangents of its arguments."""
    moved = call.moved(args, call.outs)
    tangents = run_jvp(call.cls, moved.context(forward=True), args, duals, call.outs)
    for out, t in zip(call.outs, tangents):
        if t is not None:
            forward_ad.set_tangent(out, t)


# -- derivatives -----------------------------------------------------------------------------------------------------


def _zeros(t: Tensor | Aval) -> Tensor:
    a = t._aval if isinstance(t, Tensor) else t
    return torch.zeros(a.shape, dtype=a.dtype, device=a.device)


def _backward_of(cls) -> Callable:
    if cls.vjp is not Rules.vjp:
        if cls.backward is not Rules.backward:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement one of them."
            )
        return cls.vjp
    return cls.backward


def run_backward(
    cls, ctx, args: Sequence[Any], outs: Sequence, cts: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """The user's backward. args: for each argument of forward its Aval, or None if it is not a tensor; outs: Avals
    likewise."""
    if ctx.materialize_grads:
        cts = [_zeros(a) if g is None and a is not None else g for a, g in zip(outs, cts)]
    grads = _backward_of(cls)(ctx, *cts)
    grads = list(grads) if isinstance(grads, tuple) else [grads]
    name = f"{cls.__name__}Backward"
    extra = grads[len(args) :]
    if len(grads) < len(args) or any(g is not None for g in extra):
        raise RuntimeError(
            f"function {name} returned an incorrect number of gradients (expected {len(args)}, got {len(grads)})"
        )
    number = 0
    for i, (a, g) in enumerate(zip(args, grads)):
        if a is None:
            if g is not None:
                raise RuntimeError(
                    f"function {name} returned a gradient different from None at position {i + 1}, but the corresponding forward "
                    "input was not a Variable"
                )
            continue
        if g is not None and not isinstance(g, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(g).__name__})")
        grads[i] = None if g is None or not a.taped else _fitted(name, number, a, g)
        number += 1
    return grads[: len(args)]


def _fitted(name: str, number: int, a: Aval, g: Any) -> Tensor:
    """A gradient with the shape and dtype of the tensor to which it belongs."""
    if g._aval.shape != a.shape:
        given = g._aval.shape
        fits = len(given) >= len(a.shape) and all(
            n in (1, m) for n, m in zip(reversed(a.shape), reversed(given))
        )
        if not fits:
            raise RuntimeError(
                f"Function {name} returned an invalid gradient at index {number} - got {list(given)} but expected shape compatible "
                f"with {list(a.shape)}"
            )
        g = g.sum_to_size(a.shape)
    if g._aval.dtype is not a.dtype:
        if g._aval.dtype.is_complex and not a.dtype.is_complex:
            g = torch.real(g)
        g = g.to(a.dtype)
    return g


def run_jvp(cls, ctx, args: Sequence, tangents: Sequence, outs: Sequence) -> list[Tensor | None]:
    """The user's jvp. tangents: for each argument a tensor, or None for zero; returns one for each output."""
    if ctx.materialize_grads:
        tangents = [
            _zeros(a) if t is None and isinstance(a, Tensor) and a._aval.taped else t
            for a, t in zip(args, tangents)
        ]
    given = cls.jvp(ctx, *tangents)
    results = list(given) if isinstance(given, tuple) else [given]
    for i, t in enumerate(results):
        if t is not None and not isinstance(t, Tensor):
            raise RuntimeError(f"expected Variable or None (got {type(t).__name__}) for grad output {i}.")
    if len(results) != len(outs):
        raise RuntimeError(
            f"Function's jvp returned an invalid number of forward gradients (expected {len(outs)} but got {len(results)})"
        )
    for out, t in zip(outs, results):
        if t is None:
            continue
        if not isinstance(out, Tensor):
            raise RuntimeError("Function's jvp returned a tangent for an output that is not a tensor")
        if t._aval.shape != out._aval.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not supported. "
                f"Tensor is of size {list(out._aval.shape)} while the given forward gradient is of size {list(t._aval.shape)}."
            )
    return results


class _Step:
    """Stand-in for the step of the trie that a tape node refers to, as far as it is read."""

    class _Taped:
        result = False

        def __init__(self, edges: list[int]):
            self.edges = edges

    class _Applied:
        def __init__(self, inputs: tuple, all_cts: int):
            self.inputs = inputs
            self.all_cts = all_cts

    def __init__(self, op: Any, avals: tuple, inputs: tuple, at: list[int]):
        self.op = op
        self.avals = avals
        self.taped = self._Taped(at)
        self.applied = self._Applied(inputs, sum([1 << i for i, a in enumerate(avals) if a is not None]))


class FunctionNode(Node):
    """A call of a Function on the tape. Its derivative is the user's backward."""

    def __init__(self, cls, call: Call, own: Sequence[bool], edges: Sequence[Any]):
        taped = [t._numbers if isinstance(t, Tensor) and t._of_parts else t for t in call.raw]
        avals = tuple([t._aval if isinstance(t, Tensor) else None for t in taped])
        inputs = tuple([t._aval if isinstance(t, Tensor) else None for t in call.args])
        at = [i for i, n in enumerate(own) if n]
        session = state.rec.session
        session.regular = False  # a backward through it is Python, which no replay of recorded ops does
        onlookers.any = True
        super().__init__(_Step(cls, avals, inputs, at), edges, session)
        self.cls = cls
        self.ctx = call.ctx
        self.at = at
        self.outs_of_parts = _of_parts(call.raw)
        self.args_of_parts = _of_parts(call.args)
        self.trace = user_stack() if anomaly["enabled"] else None

    def name(self) -> str:
        return f"{self.cls.__name__}Backward"

    def check_usable(self) -> None:
        """Does nothing: saved tensors are checked when they are asked for."""

    def release(self) -> None:
        if self.ctx._saved:
            self.ctx._saved = None

    def backward_values(self, cts: dict[int, Tensor]) -> list[Tensor | None]:
        """The gradients of the taped inputs, in the order of the edges."""
        avals = self.step.avals
        cts = {i: self.outs_of_parts[i]._with(g) if i in self.outs_of_parts else g for i, g in cts.items()}
        self.ctx._node = self
        try:
            grads = run_backward(
                self.cls, self.ctx, self.step.applied.inputs, avals, [cts.get(i) for i in range(len(avals))]
            )
        finally:
            self.ctx._node = None
        for i, arg in self.args_of_parts.items():
            if grads[i] is not None:
                grads[i] = arg._values_of(grads[i])
        return [grads[i] for i in self.at]


def _of_parts(tensors: Sequence[Any]) -> dict[int, Any]:
    """The sparse ones, without history, by number."""
    return {i: t.detach() for i, t in enumerate(tensors) if isinstance(t, Tensor) and t._of_parts}
