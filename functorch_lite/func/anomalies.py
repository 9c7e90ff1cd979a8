"""Anomaly mode in reverse transforms: which op's derivative, in which line, gave a nan.

A transform is one op. So what its derivative computes between is computed again here, one op at a time, and looked at.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._core.api import DerivedOp, Graph, Tensor, apply_op, force_array, read, state
from .._core.api import functions as torch
from .._core.lazy.cutting import CUTS, KEEPS, cuts_here
from .._core.lazy.graph import replay
from .._core.lazy.trie import TrieNode
from .cuts import is_noted
from .functionalize import debug_unwrap

__all__ = ["check_gradients", "look_for_nan", "mode"]

mode = {"looks": False}
"""Whether anomaly mode is on and looks for nan; `autograd.anomaly` says so."""


class _Step:
    """A step of a graph whose derivative is taken: by which of its arguments, from which of its results."""

    def __init__(self, node: TrieNode, wanted: list[int], outs: list[int]):
        self.node, self.wanted, self.outs = node, wanted, outs

    def name(self) -> str:
        return self.node.applied.name_of_derivative


def _plan(graph: Graph, moving: set[int], given: Sequence[int]) -> list[_Step]:
    """The steps that a derivative goes through, the last first. moving: inputs that are differentiated; given: outputs
    with cotangents."""
    reached = {-1 - i for i in moving}
    on_the_way = []
    for node in graph.steps:
        avals = node.applied.in_avals
        wanted = [j for j, (ref, a) in enumerate(zip(node.refs, avals)) if a.taped and ref in reached]
        wanted = wanted if node.op not in KEEPS else [j for j in wanted if j == 0]
        if wanted and not cuts_here(node.stop) and node.op not in CUTS:
            reached |= {node.base + i for i, a in enumerate(node.avals) if a.taped}
            on_the_way.append((node, wanted))
    needed = {graph.outputs[k] for k in given}
    plan = []
    for node, wanted in reversed(on_the_way):
        outs = [i for i, a in enumerate(node.avals) if a.taped and node.base + i in needed]
        if outs:
            needed |= {node.refs[j] for j in wanted}
            plan.append(_Step(node, wanted, outs))
    return plan


def _conj(x: Any) -> Any:
    return jnp.conj(x) if jnp.iscomplexobj(x) else x


def _flags_op(graph: Graph, plan: list[_Step], given: Sequence[int], rows: bool) -> DerivedOp:
    """For each derivative in the plan's order whether it has a nan. rows: for any of many cotangents."""
    n = len(graph.in_avals)

    def flags(inputs: Sequence, slots: dict, cts: Sequence) -> Any:
        sums: dict[int, Any] = {}

        def add(ref: int, ct: Any) -> None:
            sums[ref] = sums[ref] + ct if ref in sums else ct

        for k, ct in zip(given, cts):
            add(graph.outputs[k], _conj(ct))
        found = []
        for step in plan:
            node = step.node
            args = [slots[r] if r >= 0 else inputs[-1 - r] for r in node.refs]

            def some(*chosen, node=node, args=args, step=step):
                full = list(args)
                for j, x in zip(step.wanted, chosen):
                    full[j] = x
                outs = node.applied.run(*full)
                return [outs[i] for i in step.outs]

            outs, pull = jax.vjp(some, *[args[j] for j in step.wanted])
            cotangents = [sums.get(node.base + i) for i in step.outs]
            grads = pull([jnp.zeros_like(o) if ct is None else ct for o, ct in zip(outs, cotangents)])
            for j, g in zip(step.wanted, grads):
                found.append(jnp.isnan(g).any())
                add(node.refs[j], g)
        return jnp.stack(found)

    def fn(*arrays):
        inputs, cts = arrays[:n], arrays[n:]
        slots: dict[int, Any] = {}
        replay(graph.steps, slots, inputs)
        if not rows:
            return [flags(inputs, slots, cts)]
        return [jax.vmap(lambda *cts: flags(inputs, slots, cts))(*cts).any(0)]

    return DerivedOp(fn, "look_for_nan")


def look_for_nan(
    graph: Graph, inputs: Sequence, moving: set[int], cotangents: dict[int, Tensor], rows: bool = False
) -> None:
    """RuntimeError, as PyTorch's anomaly mode raises it, if a derivative of the graph on the way from some of its
    outputs to the inputs `moving` has a nan. rows: the cotangents are stacked ones. In the body of a loop, where
    values are unknown, nothing is checked."""
    given = sorted(cotangents)
    plan = _plan(graph, moving, given)
    if not plan or not _values_are_known():
        return
    key = ("nan", tuple(sorted(moving)), tuple(given), rows)
    op = graph.derive(key, lambda: _flags_op(graph, plan, given, rows))
    here = state.here
    taped, here.grad = here.grad, False
    try:
        flags = _value(apply_op(op, None, (*inputs, *[cotangents[k] for k in given]))[0])
    finally:
        here.grad = taped
    flags = flags.reshape(-1, flags.shape[-1]).any(0)
    if not flags.any():
        return
    every = [(step, j) for step in plan for j in step.wanted]
    step, wanted = every[int(flags.argmax())]
    tensors = [j for j, a in enumerate(step.node.applied.in_avals) if a.taped and not a.weak]
    _stop(step.name(), tensors.index(wanted), step.node.source)


def check_gradients(name: str, grads: Sequence[Tensor | None]) -> None:
    """The same of what the backward of an autograd.Function gave."""
    if _values_are_known():
        for place, g in enumerate(grads):
            if g is not None and _value(torch.isnan(g)).any():
                _stop(name, place, None)


def _values_are_known() -> bool:
    rec = state.rec
    while rec.level:
        if not is_noted(rec):
            return False
        rec = rec.outer
    return True


def _value(t: Tensor) -> np.ndarray:
    return np.asarray(force_array(read(debug_unwrap(t))))


def _stop(name: str, place: int, source: tuple[str, int] | None) -> None:
    if source is None:
        text = "No forward pass information available. Enable detect anomaly during forward pass for more information."
    else:
        text = f'Traceback of forward call that caused the error:\n  File "{source[0]}", line {source[1]}\n'
    warnings.warn(f"Error detected in {name}. {text}", stacklevel=2)
    raise RuntimeError(f"Function '{name}' returned nan values in its {place}th output.")
