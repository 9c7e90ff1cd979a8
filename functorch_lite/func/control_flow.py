"""cond and map: Python's `if` and `for`, as one op each, so that they depend on values under every transform.

Each records its branches or body at a level of their own. Captured values (tensors, parameters) become inputs of the
op, so that gradients reach them. `_core/lazy/levels.py` has the recording, `loops.py` the loops that carry something.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from .._core.api import (
    ANY,
    Aval,
    DerivedOp,
    Graph,
    Tensor,
    apply_op,
    aval,
    composite,
    from_array,
    read,
    record_function,
    state,
    tidied,
    transforms,
)
from ._trees import Structure, flatten, unflatten

__all__ = ["cond", "map"]

MUTATES = (
    "{}: Encountered input mutation during higher order op tracing. Higher order ops do not support input mutation: the function "
    "wrote in place {}to a tensor from outside. Work on a clone() and return it."
)
OUTPUT = "{}: HigherOrderOperator body's output must consist of tensors or ints/bools only but got {}. Return tensors."


class Body:
    """A function recorded once: its Graph, the tensors it captured, the leaves that it returned, and their
    structure."""

    __slots__ = ("captured", "graph", "leaves", "structure")

    def __init__(self, graph: Graph, captured: list, leaves: list, structure: Structure):
        self.graph = graph
        self.captured = captured
        self.leaves = leaves
        self.structure = structure


def record_body(
    kind: str,
    call: Callable[[list[Tensor]], Any],
    avals: Sequence[Aval],
    tensors: Sequence[Tensor],
    steps: bool = False,
    owns: bool = True,
) -> Body:
    """Records `call(fresh tensors)`.

    Its outputs are the tensors among what it returned; the other leaves stay in `leaves`.

    steps: the last fresh tensor numbers the steps of a loop: each step draws random numbers of its own. owns: the
    function may write in place to its arguments, which are seen nowhere else.

    Raises RuntimeError for writes to other tensors from outside.
    """

    def run(fresh: list[Tensor]):
        rec = state.rec
        if kind == "associative_scan":
            rec.randomness = ("error", None)
        elif steps:
            rec.randomness = ("different", fresh[-1])
        leaves, structure = flatten(call(fresh[:-1] if steps else fresh))
        for x in leaves:
            if not isinstance(x, Tensor | int):
                raise RuntimeError(OUTPUT.format(kind, type(x)))
        return [x for x in leaves if isinstance(x, Tensor)], (leaves, structure)

    recorded = record_function(kind, avals, tensors, run, writes=True, owns=owns)
    if recorded.written:
        own = "" if owns else "to one of its arguments, or "
        raise RuntimeError(MUTATES.format(kind, own))
    leaves, structure = recorded.result
    return Body(recorded.graph, recorded.inputs[len(avals) :], leaves, structure)


# -- cond ------------------------------------------------------------------------------------------------------------


@composite
@tidied
def cond(
    pred: bool | int | float | Tensor,
    true_fn: Callable,
    false_fn: Callable,
    operands: tuple | list = (),
) -> Any:
    """true_fn(*operands) if pred, else false_fn(*operands): the choice is part of the program, so pred may be batched
    or traced.

    pred: a tensor with one element, or a Python number, which is decided at once. operands: a tuple of (nested)
    tensors. Both branches must return the same structure of tensors with the same shapes and dtypes, and may write
    only to tensors of their own. Captured values get gradients as the operands do.

    >>> torch.cond(torch.tensor(True), torch.sin, torch.cos, (torch.zeros(1),))
    tensor([0.])
    """
    if isinstance(pred, bool | int | float):
        return true_fn(*operands) if pred else false_fn(*operands)
    if not isinstance(pred, Tensor):
        raise RuntimeError(f"Expected pred to be bool or tensor, but got {pred}.")
    if pred.numel() != 1:  # type: ignore[attr-defined]
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    leaves, structure = flatten(operands)
    if not isinstance(operands, tuple | list) or not all(isinstance(x, Tensor) for x in leaves):
        raise RuntimeError(
            "Expect operands to be a tuple of possibly nested dict/list/tuple that only "
            f"consists of tensor leaves, but got {operands}."
        )
    avals = [x._aval for x in leaves]
    yes, no = (
        record_body(
            "torch.cond", lambda fresh, f=f: f(*unflatten(structure, fresh)), avals, leaves, owns=False
        )
        for f in (true_fn, false_fn)
    )
    _check_branches(yes, no)
    n = len(leaves)
    op = yes.graph.transformed(("cond", n), no.graph)
    results = iter(apply_op(op, None, (pred, *leaves, *yes.captured, *no.captured)))
    out = []
    for a, b in zip(yes.leaves, no.leaves):
        if isinstance(a, Tensor):
            out.append(next(results))
        else:
            out.append(a if a == b or bool(pred) else b)
    return unflatten(yes.structure, out)


@transforms("cond")
def _cond_of(key: tuple, yes: Graph, no: Graph) -> DerivedOp:
    return _cond_op(yes, no, key[1])


def _cond_op(yes: Graph, no: Graph, n: int) -> DerivedOp:
    first = len(yes.in_avals) - n

    def fn(pred, *arrays):
        operands, captured = arrays[:n], arrays[n:]
        return jax.lax.cond(
            pred.reshape(()).astype(bool),
            lambda: yes.unchecked(*operands, *captured[:first]),
            lambda: no.unchecked(*operands, *captured[first:]),
        )

    return DerivedOp(fn, "cond", saves="inputs")


def _check_branches(yes: Body, no: Body) -> None:
    """torch's errors for branches that do not return the same."""
    who = "When merging two branches' output in torch.cond, "
    if yes.structure != no.structure:
        raise RuntimeError(
            "torch.cond: differing branch outputs. Expected branches to return the same pytree structure. "
            f"true_fn returned {yes.structure} and false_fn returned {no.structure}"
        )
    for a, b in zip(yes.leaves, no.leaves):
        if isinstance(a, Tensor) is not isinstance(b, Tensor):
            raise RuntimeError(f"{who} expected two tensors or two ints but got {type(a)} and {type(b)}.")
        if not isinstance(a, Tensor):
            continue
        mine, other = a._aval, b._aval
        if len(mine.shape) != len(other.shape):
            raise RuntimeError(f"{who} expected same dim but got {len(mine.shape)} and {len(other.shape)}.")
        if mine.dtype is not other.dtype:
            raise RuntimeError(f"{who} expected same dtype but got {mine.dtype} and {other.dtype}.")
        if mine.shape != other.shape:
            raise RuntimeError(
                f"{who} expected same shape but got {list(mine.shape)} and {list(other.shape)}. If the predicate is known while the "
                "program is recorded, pass bool(pred): then only one branch is run."
            )


# -- map -------------------------------------------------------------------------------------------------------------


@tidied
def map(f: Callable, xs: Any, *args: Any) -> Any:
    """Stacks f(x, *args) for each slice x of xs (a tensor, or a tree of tensors) along their first dimension.

    The slices are computed one after the other, as a loop does: memory for one, time for all. vmap computes them at
    once. f may write in place to its slice; xs stays as it is.

    >>> torch._higher_order_ops.map(lambda x, y: x * y, torch.tensor([1., 2.]), torch.tensor(3.))
    tensor([3., 6.])
    """
    leaves, structure = flatten(xs)
    if not leaves or not all(isinstance(x, Tensor) for x in leaves):
        raise RuntimeError(f"Mapped xs can only consist of tensors. Got xs {leaves}.")
    if not callable(f):
        raise RuntimeError(f"Expect f to be callable, but got {f}.")
    shapes = [x.shape for x in leaves]
    length = shapes[0][0]
    if length == 0:
        raise RuntimeError("Leading dimensions of mapped xs cannot be 0.")
    if any(s[0] != length for s in shapes):
        raise RuntimeError(f"Leading dimensions of mapped xs must be consistent. Got shapes {shapes}.")
    numbers = step_numbers(length)
    given = [*leaves, numbers]
    body = record_body(
        "map", lambda fresh: f(unflatten(structure, fresh), *args), slice_avals(given), given, steps=True
    )
    check_tensors("map", body.leaves)
    graph, n = body.graph, len(given)
    op = graph.transformed(("map", n))
    return unflatten(body.structure, apply_op(op, None, (*given, *body.captured)))


@transforms("map")
def _map_of(key: tuple, graph: Graph) -> DerivedOp:
    return _map_op(graph, key[1])


def _map_op(graph: Graph, n: int) -> DerivedOp:
    def fn(*arrays):
        return jax.lax.map(lambda x: graph(*x, *arrays[n:]), arrays[:n])

    return DerivedOp(fn, "map", saves="inputs")


def step_numbers(length: int) -> Tensor:
    """0, 1, … as a tensor of this level: what a loop's random draws are keyed by."""
    return from_array(np.arange(length, dtype=np.uint32), on=ANY)


def slice_avals(tensors: Sequence[Tensor]) -> list[Aval]:
    """Avals of slices along the first dimension."""
    return [aval(v.aval.shape[1:], v.aval.dtype, v.aval.device) for v in [read(t) for t in tensors]]


def check_tensors(who: str, leaves: list) -> None:
    """Raises unless a body returned tensors only."""
    for x in leaves:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"{who}: Expected all leaves to be of torch.Tensor type, but got {type(x)}.")
