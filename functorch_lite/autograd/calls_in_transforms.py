"""A call of an autograd.Function inside transforms: it is made one level below, and the level is cut there
(`func/cuts.py`)."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

from .._core.api import Tensor, make_tensor, read, state, write
from .._core.api import functions as torch
from ..func import anomalies, cuts
from ..func._trees import flatten, unflatten
from ..func.vmap import vmap
from . import forward_ad
from .calls import (
    Call,
    call_here,
    finished,
    needs_here,
    run_backward,
    run_forward,
    run_jvp,
)
from .calls_recorded import call_recorded, is_recorded_body
from .context import NO_JVP, FunctionCtx, Rules, among

__all__ = ["VmapInfo", "call_function"]

_DOCS = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


class VmapInfo(NamedTuple):
    """Arguments of a `vmap` rule: the size of the mapped dimension, and vmap's randomness."""

    batch_size: int
    randomness: str


def call_function(cls, args: Sequence, needs: Sequence[bool] = ()) -> Call:
    """Calls a Function at the level on top. needs: which arguments' gradients are wanted by levels above it."""
    return (_call_in_level if state.rec.level else call_here)(cls, args, needs)


def _call_in_level(cls, args: Sequence, needs: Sequence[bool]) -> Call:
    """A call at a level: made one level below.

    Its results become further inputs, and a cut stores how derivatives cross."""
    rec = state.rec
    if is_recorded_body(rec):
        call = call_recorded(cls, args)
        call.outs = _written(call, args, call.outs)
        return call
    notes = cuts.notes_of(rec)
    duals = forward_ad.tangents_of(args)
    leaves, structure = flatten(
        tuple(args)
    )  # tensors in containers are lowered too; gradients are of the others
    at = [i for i, a in enumerate(leaves) if isinstance(a, Tensor)]
    low = dict(zip(at, cuts.lowered(rec, notes, [leaves[i] for i in at])))
    low_args = list(unflatten(structure, [low[i][0] if i in low else a for i, a in enumerate(leaves)]))
    in_dims = unflatten(structure, [low[i][1] if i in low else None for i in range(len(leaves))])
    flows = [isinstance(a, Tensor) and not rec.kind.batches and cuts.depends(rec, a) for a in args]
    own = needs_here(args)
    edges = [args[i]._edge for i, n in enumerate(own) if n]
    wanted = [any(x) for x in itertools.zip_longest(flows, own, needs, fillvalue=False)]
    if any(flows) and rec.kind.forward and cls.jvp is Rules.jvp:
        raise NotImplementedError(NO_JVP)
    if any(d is not None for _, d in low.values()):
        rule = _generated_rule if cls.vmap is Rules.vmap else _user_rule
        call = rule(cls, rec, notes, args, low_args, in_dims, wanted)
    else:
        with cuts.below(rec, notes):
            below = call_function(cls, low_args, wanted)
        fresh = _brought_in(rec, notes, below.outs, [None] * len(below.outs))
        if any(flows):
            notes.add(rec, _cut(below, rec, args, fresh, low_args, flows))
        call = below.moved(args, _written(below, args, fresh))
    return finished(cls, call, args, own, edges, duals)


def _brought_in(rec, notes: cuts.Notes, outs: Sequence, dims: Sequence[int | None]) -> list:
    """The outputs of a call one level below, as the level's."""
    at = [i for i, o in enumerate(outs) if isinstance(o, Tensor)]
    fresh = dict(zip(at, cuts.bring_in(rec, notes, [outs[i] for i in at], [dims[i] for i in at])))
    return [fresh.get(i, o) for i, o in enumerate(outs)]


def _written(below: Call, args: Sequence, fresh: Sequence) -> list:
    """Writes to the level's tensors what the call below wrote to its inputs; such an output is the input itself."""
    outs = list(fresh)
    for i, raw in enumerate(below.raw):
        if isinstance(raw, Tensor) and among(raw, below.ctx.dirty_tensors):
            at = next((k for k, a in enumerate(below.args) if a is raw), None)
            if at is not None:
                outs[i] = write(args[at], fresh[i])
    return outs


def _cut(
    below: Call, rec, args: Sequence, fresh: Sequence, low_args: Sequence, flows: Sequence[bool]
) -> cuts.Cut:
    inner = below.moved(low_args, below.outs)
    cls, n_args, n_outs = below.cls, len(args), len(fresh)
    at = [i for i, f in enumerate(flows) if f]
    through = [i for i in range(n_outs) if below.is_differentiable(i)]
    avals = [a._aval if isinstance(a, Tensor) else None for a in args]
    out_avals = [o._aval if isinstance(o, Tensor) else None for o in fresh]

    def backward(given):
        cts = dict(zip(through, given))
        ctx = inner.context()
        ctx.needs_input_grad = tuple(flows)
        grads = run_backward(cls, ctx, avals, out_avals, [cts.get(i) for i in range(n_outs)])
        if anomalies.mode["looks"]:
            anomalies.check_gradients(f"{cls.__name__}Backward", grads)
        return [grads[i] for i in at]

    def jvp(given):
        tangents = dict(zip(at, given))
        ctx = inner.context(forward=True)
        results = run_jvp(cls, ctx, low_args, [tangents.get(i) for i in range(n_args)], inner.outs)
        return [results[i] for i in through]

    entering = [make_tensor(read(args[i]), rec.level) for i in at]
    numbers = [cuts.number_of(fresh[i]) for i in through]
    forward = rec.kind.forward
    return cuts.Cut(entering, numbers, None if forward else backward, jvp if forward else None)


def _user_rule(cls, rec, notes: cuts.Notes, args, low_args, in_dims, wanted) -> Call:
    """A call under vmap by the Function's own vmap rule."""
    name = cls.__name__
    if cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {name}, but it has both generate_vmap_rule=True and an overridden vmap staticmethod. Please set "
            f"generate_vmap_rule=False or delete the overridden vmap staticmethod to avoid ambiguity. {_DOCS}"
        )
    if cls.setup_context is Rules.setup_context:
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must override the "
            f"setup_context staticmethod. {_DOCS}"
        )
    with cuts.below(rec, notes):
        given = cls.vmap(VmapInfo(notes.size, notes.randomness), in_dims, *low_args)
    if not (isinstance(given, tuple) and len(given) == 2):
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure compatible with the "
            + (
                f"output. Got {len(given)} returns instead"
                if isinstance(given, tuple)
                else f"output. Got a {type(given)} instead"
            )
        )
    output, out_dims = given
    single = not isinstance(output, tuple)
    outs = [output] if single else list(output)
    dims = [out_dims] * len(outs) if out_dims is None or isinstance(out_dims, int) else list(out_dims)
    if len(dims) != len(outs) or (single and isinstance(out_dims, tuple | list)):
        raise RuntimeError(
            f"The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected out_dims={out_dims} "
            f"to be compatible with the structure of `output`. out_dims has structure {flatten(out_dims)[1]} but output has structure "
            f"{flatten(output)[1]}. {_DOCS}"
        )
    dims = [
        d % len(o._aval.shape) if isinstance(d, int) and isinstance(o, Tensor) else None
        for d, o in zip(dims, outs)
    ]
    fresh = _brought_in(rec, notes, outs, dims)
    for i, o in enumerate(outs):
        at = next((k for k, a in enumerate(low_args) if isinstance(o, Tensor) and a is o), None)
        if at is not None:
            fresh[i] = write(args[at], fresh[i])
    ctx = FunctionCtx()
    ctx.needs_input_grad = tuple(wanted)
    here = state.here
    grad, here.grad = here.grad, False
    try:
        cls.setup_context(ctx, tuple(args), fresh[0] if single else tuple(fresh))
    finally:
        here.grad = grad
    return Call(cls, ctx, args, fresh, single)


def _generated_rule(cls, rec, notes: cuts.Notes, args, low_args, in_dims, wanted) -> Call:
    """A call under vmap without a rule: forward, backward and jvp are mapped as they are, by a Function made for the
    call."""
    leaves, structure = flatten(tuple(low_args))
    places = [i for i, a in enumerate(leaves) if isinstance(a, Tensor)]
    tops: list[int | None] = []
    for k, child in enumerate(structure.children):
        tops += [k] if child.type is None else [None] * child.num_leaves
    at = [
        tops[i] for i in places
    ]  # the argument that a tensor is; None in a container, where it gets no gradient
    known = flatten(in_dims)[0]
    dims = tuple([known[i] for i in places])
    mapped = functools.partial(vmap, randomness=notes.randomness)
    made: list[Call] = []

    def with_tensors(tensors):
        full = list(leaves)
        for i, t in zip(places, tensors):
            full[i] = t
        return list(unflatten(structure, full))

    def example(*tensors):
        call = run_forward(cls, with_tensors(tensors), needs)
        made[:] = [call]
        return (*[t for t in call.raw if isinstance(t, Tensor)], *call.intermediates())

    def outputs_of(call, results):
        it = iter(results)
        return [next(it) if isinstance(t, Tensor) else t for t in call.raw], list(it)

    needs = [False] * len(args)

    def forward(ctx, *tensors):
        for i, n in zip(at, ctx.needs_input_grad):
            if i is not None:
                needs[i] = n
        results = mapped(example, in_dims=dims)(*tensors)
        call = made[0]
        outs, rest = outputs_of(call, results)
        fixed = [o for i, o in enumerate(outs) if isinstance(o, Tensor) and not call.is_differentiable(i)]
        ctx.mark_non_differentiable(*fixed, *rest)
        ctx.set_materialize_grads(call.ctx.materialize_grads)
        ctx.save_for_backward(*tensors, *results)
        ctx.save_for_forward(*tensors, *results)
        return tuple(results)

    def at_example(tensors, results) -> Call:
        outs, rest = outputs_of(made[0], results)
        return made[0].moved(with_tensors(tensors), outs, rest)

    def backward(ctx, *cts):
        saved = ctx.saved_tensors
        given = [k for k in range(len(cts)) if cts[k] is not None]
        kept: list[int] = []

        def pull(tensors, results, some):
            call = at_example(tensors, results)
            known = dict(zip(given, some))
            full, _ = outputs_of(call, [known.get(k) for k in range(len(results))])
            full = [g if isinstance(t, Tensor) else None for g, t in zip(full, call.raw)]
            avals = [a._aval if isinstance(a, Tensor) else None for a in call.args]
            out_avals = [o._aval if isinstance(o, Tensor) else None for o in call.raw]
            inner = call.context()
            inner.needs_input_grad = tuple(
                [i in at and ctx.needs_input_grad[at.index(i)] for i in range(len(args))]
            )
            grads = run_backward(cls, inner, avals, out_avals, full)
            kept[:] = [k for k, i in enumerate(at) if i is not None and grads[i] is not None]
            return tuple([grads[at[k]] for k in kept]) or (torch.zeros(()),)  # type: ignore[index]

        n = len(at)
        found = mapped(pull, in_dims=(dims, 0, 0))(saved[:n], saved[n:], tuple([cts[k] for k in given]))
        grads: list = [None] * n
        for k, g in zip(kept, found):
            grads[k] = g.sum(0) if dims[k] is None else g.movedim(0, dims[k])
        return tuple(grads)

    def jvp(ctx, *tangents):
        saved = ctx.saved_tensors
        given = [k for k in range(len(tangents)) if tangents[k] is not None]
        kept: list[int] = []

        def push(tensors, results, some):
            call = at_example(tensors, results)
            full: list = [None] * len(low_args)
            for k, t in zip(given, some):
                if at[k] is not None:
                    full[at[k]] = t  # type: ignore[index]
            found = run_jvp(cls, call.context(forward=True), call.args, full, call.raw)
            found = [t for t, o in zip(found, call.raw) if isinstance(o, Tensor)]
            kept[:] = [k for k, t in enumerate(found) if t is not None]
            return tuple([found[k] for k in kept]) or (torch.zeros(()),)

        n = len(at)
        in_dims = (dims, 0, tuple([dims[k] for k in given]))
        found = dict(
            zip(
                kept, mapped(push, in_dims=in_dims)(saved[:n], saved[n:], tuple([tangents[k] for k in given]))
            )
        )
        return tuple([found.get(k) for k in range(len(saved) - n)])

    rules: dict = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    if cls.jvp is not Rules.jvp:
        rules["jvp"] = staticmethod(jvp)
    batched: Any = type(cls.__name__, (Rules,), rules)
    with cuts.below(rec, notes):
        below = call_function(batched, [leaves[i] for i in places], [i is not None and wanted[i] for i in at])
    fresh = cuts.bring_in(rec, notes, below.outs, [0] * len(below.outs))
    outs, rest = outputs_of(made[0], fresh)
    return made[0].moved(args, _written(made[0], args, outs), rest)
