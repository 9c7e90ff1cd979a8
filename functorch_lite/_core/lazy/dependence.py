"""Dependence in a level: which of its inputs a value is computed from, and whose derivative reaches it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .apply import read
from .cutting import ALL, CUTS, DETACH, KEEPS, cuts_here
from .pullback import used_inputs
from .recorder import Recorder, state
from .tensor import Tensor
from .value import Value

__all__ = [
    "check_storage", "depends_on_inputs", "differentiable_inputs", "differentiable_places", "differentiation_of",
    "is_differentiated", "is_of_transform", "reached_inputs", "requires_grad",
]  # fmt: skip


def reached_inputs(rec: Recorder, v: Value) -> set[int]:
    """The numbers of a level's inputs, explicit and captured, that a value of the level depends on."""
    if v.rec is not rec:
        return {-1 - rec.ext[v]} if v in rec.ext else set()
    wanted = {v.index}
    for node in reversed(rec.path):
        outs = [node.base + i in wanted for i in range(node.n_out)]
        if any(outs):
            read_by = used_inputs(node.applied.jaxpr.jaxpr, outs)
            wanted |= {ref for ref, r in zip(node.refs, read_by) if r}
    return {-1 - i for i in wanted if i < 0}


def depends_on_inputs(rec: Recorder, v: Value) -> bool:
    """Whether a value of a running level depends on its explicit inputs (in vmap: differs from example to example)."""
    return any(i < rec.n_inputs or i in rec.batched for i in reached_inputs(rec, v))  # type: ignore[attr-defined]


def is_differentiated(v: Value) -> bool:
    """Whether the running transform to which a value belongs differentiates by it, or by what it was computed from."""
    rec = v.rec
    return v.aval.taped and not rec.sources.isdisjoint(differentiable_inputs(rec.path, [v.index]))


def is_of_transform(t: Tensor) -> bool:
    """Returns whether a running reverse transform differentiates by t, or by what it was computed from."""
    if not state.rec.level or not t._cell.level:
        return False
    v = read(t)
    return v.rec is not None and v.rec.kind.reverse and is_differentiated(v)


def requires_grad(t: Tensor) -> bool:
    """Returns whether t has a gradient: in a backward, or in a running reverse transform."""
    return t._edge is not None or is_of_transform(t)


def differentiable_places(steps: Sequence, outputs: Sequence[int], around: bool = False) -> set[int]:
    """Slots, and inputs (negative), from which a derivative reaches `outputs`: not through integers, detach, or what
    no_grad cut.

    The derivative is that of the level, or (`around`) of any transform around it: then what is cut for all of them
    counts as cut."""
    reached = set(outputs)
    if max(outputs, default=-1) < 0:
        return reached
    cuts = {DETACH} if around else CUTS
    for step in reversed(steps):
        mine = [i for i, a in enumerate(step.avals) if a.taped and step.base + i in reached]
        if mine and step.op not in cuts and not (step.stop == ALL if around else cuts_here(step.stop)):
            kept = step.op in KEEPS and not (around and KEEPS[step.op] != ALL)
            reached.update(step.refs[:1] if kept else step.applied.reached_refs(mine, step.refs))
    return reached


def differentiable_inputs(steps: Sequence, outputs: Sequence[int]) -> set[int]:
    """Numbers of the inputs from which a derivative reaches `outputs`."""
    return {-1 - place for place in differentiable_places(steps, outputs) if place < 0}


def differentiation_of(t: Tensor, grad: bool, tangents: bool = False, tape: bool = True) -> str:
    """Names whose derivative is lost if t's numbers leave the recording, as the end of "Tensor that …"; "" if nobody's.

    grad: whether reverse mode counts: no_grad leaves it out, but not forward mode. tangents: whether those of
    `forward_ad` count. tape: whether the tape does, besides transforms. A transform around the running one may
    differentiate by t, through what that captured.
    """
    v = read(t)
    if grad and tape and t._edge is not None:
        return "requires grad"
    if not v.aval.taped:
        return ""
    rec = v.rec
    inside = v.array is None and rec is not None and rec.level > 0
    if tangents and any(r.session.has_tangent(v) for r in _recorders(rec if inside else state.rec)):
        return "has a tangent of forward_ad"
    if not inside or rec.kind.finished:
        return ""
    if rec.kind.forward or (grad and rec.kind.reverse):
        if not rec.sources.isdisjoint(differentiable_inputs(rec.path, [v.index])):
            return "requires grad" if rec.kind.reverse else f"{rec.kind} differentiates by"
    reached = differentiable_places(rec.path, [v.index], around=rec.kind.letters != "")
    outside = [rec.inputs[-1 - place] for place in sorted(reached) if place < 0]
    found = (differentiation_of(x, grad, tangents, tape) for x in outside if isinstance(x, Tensor))
    return next(filter(None, found), "")


def check_storage(t: Tensor) -> None:
    """Refuses to hand out the storage of what a running transform differentiates by, as torch does; that of a leaf may
    be read."""
    if state.rec.level and (whose := differentiation_of(t, True, tape=False)):
        raise NotImplementedError(
            f"Cannot access storage of a Tensor that {whose}. Use tensor.detach() first."
        )


def _recorders(rec: Recorder | None) -> Iterator[Recorder]:
    """A level, and those around it."""
    while rec is not None:
        yield rec
        rec = rec.outer
