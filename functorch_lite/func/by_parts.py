"""Derivatives of a function that is cut: part by part, with the rules of each cut between them, one level below.

They take the place of the one op that `derivatives.py` makes of a Graph without cuts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._core.api import (
    ADD,
    ONES,
    ZEROS,
    DerivedOp,
    Graph,
    Tensor,
    apply_op,
    differentiable_inputs,
    from_array,
)
from . import anomalies
from .cuts import CutRecorded
from .vmap import vmap

__all__ = ["gradients_and_values", "jacobian", "pull", "values", "values_and_tangents"]


def _part(graph: Graph, at: Sequence[int]) -> Graph:
    """The Graph of some of a Graph's outputs."""
    key = tuple(at)
    outputs = tuple([graph.outputs[i] for i in at])
    return graph.derive(("part", key), lambda: Graph(graph.steps, graph.in_avals, graph.n_inputs, outputs))


def _wanted(graph: Graph, part: Graph, n: int, late: set[int]) -> list[int]:
    reached = differentiable_inputs(part.steps, part.outputs)
    return [i for i in sorted(reached) if (i < n or i in late) and graph.in_avals[i].taped]


def _conj(x):
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def _pull_op(part: Graph, wanted: list[int]) -> DerivedOp:
    n = len(part.in_avals)

    def fn(*arrays):
        arrays, cts = arrays[:n], arrays[n:]

        def f(*chosen):
            full = list(arrays)
            for i, x in zip(wanted, chosen):
                full[i] = x
            return part(*full)

        _, pull_back = jax.vjp(f, *[arrays[i] for i in wanted])
        return [_conj(g) for g in pull_back([_conj(c) for c in cts])]

    return DerivedOp(fn, "vjp")


def _push_op(part: Graph, moved: list[int]) -> DerivedOp:
    n = len(part.in_avals)

    def fn(*arrays):
        arrays, tangents = arrays[:n], arrays[n:]

        def f(*chosen):
            full = list(arrays)
            for i, x in zip(moved, chosen):
                full[i] = x
            return part(*full)

        return list(jax.jvp(f, [arrays[i] for i in moved], list(tangents))[1])

    return DerivedOp(fn, "jvp")


def pull(recorded: CutRecorded, cotangents: dict[int, Tensor]) -> list[Tensor]:
    """Reverse mode: cotangents of the differentiated inputs from the cotangents of some outputs of the Graph, through
    every cut."""
    graph, inputs, notes = recorded.graph, tuple(recorded.inputs), recorded.notes
    n = notes.differentiated
    late = {number for cut in notes.cuts for number in cut.outs}
    sums: dict[int, Tensor] = {}

    def spread(cts: dict[int, Tensor]) -> None:
        at = [i for i in sorted(cts) if cts[i] is not None]
        part = _part(graph, at)
        wanted = _wanted(graph, part, n, late)
        if not wanted:
            return
        if anomalies.mode["looks"]:
            anomalies.look_for_nan(part, inputs, set(wanted), dict(enumerate([cts[k] for k in at])))
        op = part.derive(("pull", tuple(wanted)), lambda: _pull_op(part, wanted))
        for i, g in zip(wanted, apply_op(op, None, (*inputs, *[cts[k] for k in at]))):
            sums[i] = apply_op(ADD, None, (sums[i], g))[0] if i in sums else g

    spread(cotangents)
    for cut in reversed(notes.cuts):
        given = [sums.pop(number, None) for number in cut.outs]
        if cut.backward is not None and any(g is not None for g in given):
            spread({i: g for i, g in zip(cut.at, cut.backward(given)) if g is not None})
    return [sums[i] if i in sums else apply_op(ZEROS, None, (inputs[i],))[0] for i in range(n)]


def push(recorded: CutRecorded, tangents: Sequence[Tensor], n_out: int) -> list[Tensor]:
    """Forward mode: tangents of the first n_out outputs from the tangents of the differentiated inputs, through every
    cut."""
    graph, inputs, notes = recorded.graph, tuple(recorded.inputs), recorded.notes
    known: dict[int, Tensor] = {i: t for i, t in enumerate(tangents) if graph.in_avals[i].taped}

    def forward(at: Sequence[int]) -> list[Tensor | None]:
        part = _part(graph, at)
        moved = [i for i in sorted(differentiable_inputs(part.steps, part.outputs)) if i in known]
        if not moved:
            return [None] * len(at)
        flowing = [
            k for k in range(len(at)) if differentiable_inputs(part.steps, [part.outputs[k]]) & set(moved)
        ]
        inner = _part(part, flowing)
        op = inner.derive(("push", tuple(moved)), lambda: _push_op(inner, moved))
        results = dict(zip(flowing, apply_op(op, None, (*inputs, *[known[i] for i in moved]))))
        return [results.get(k) for k in range(len(at))]

    for cut in notes.cuts:
        given = forward(cut.at) if cut.at else []
        if cut.jvp is not None and any(t is not None for t in given):
            for number, t in zip(cut.outs, cut.jvp(given)):
                if t is not None:
                    known[number] = t
    out = forward(range(n_out))
    if any(t is None for t in out):
        return [apply_op(ZEROS, None, (v,))[0] if t is None else t for t, v in zip(out, values(recorded))]
    return out  # type: ignore[return-value]


# -- what the transforms return --------------------------------------------------------------------------------------


def values(recorded: CutRecorded) -> tuple[Tensor, ...]:
    """Values that the function returned, and values that it wrote."""
    graph = recorded.graph
    op = graph.derive("run", lambda: DerivedOp(lambda *arrays: graph(*arrays), "run"))
    return recorded.without_cuts(apply_op(op, None, tuple(recorded.inputs)))


def gradients_and_values(recorded: CutRecorded) -> tuple[Tensor, ...]:
    """The gradient of the first value, which is a scalar, then the values."""
    found = values(recorded)
    return (*pull(recorded, {0: apply_op(ONES, None, (found[0],))[0]}), *found)


def values_and_tangents(recorded: CutRecorded, n_out: int, tangents: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """The values, then the tangents of the first n_out."""
    return (*values(recorded), *push(recorded, tangents, n_out))


def jacobian(reverse: bool, recorded: CutRecorded, n_out: int, chunk_size: Any) -> tuple[Tensor, ...]:
    """The blocks of the Jacobian, for each output the blocks of all inputs, then the other values.

    The rules of the cuts run under vmap."""
    n_in = recorded.notes.differentiated
    inputs, found = recorded.inputs[:n_in], values(recorded)
    outs = found[:n_out]
    blocks: dict[tuple[int, int], Any] = {}
    for k, like in enumerate(outs if reverse else inputs):

        def row(one, k=k):
            if reverse:
                return tuple(pull(recorded, {k: one}))
            zeros = [apply_op(ZEROS, None, (x,))[0] for x in inputs]
            return tuple(push(recorded, [*zeros[:k], one, *zeros[k + 1 :]], n_out))

        a = like._aval
        size = a.nbytes // a.dtype.itemsize
        eye = from_array(np.eye(size, dtype=a.dtype.np).reshape(size, *a.shape), on=a.device)
        rows: Any = vmap(row, randomness="same", chunk_size=chunk_size)(eye)
        for i, j in enumerate(rows):
            if reverse:
                blocks[k, i] = j.reshape(a.shape + inputs[i]._aval.shape)
            else:
                blocks[i, k] = j.movedim(0, -1).reshape(outs[i]._aval.shape + a.shape)
    return (*[blocks[o, i] for o in range(n_out) for i in range(n_in)], *found[n_out:])
