"""while_loop, scan and associative_scan: loops that carry something from step to step, as one op each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._core.api import (
    ANY,
    Aval,
    DerivedOp,
    Graph,
    Tensor,
    apply_op,
    composite,
    from_array,
    tidied,
    transforms,
    wrap_dim,
)
from .._core.api import functions as torch
from .._core.lazy.loop.while_loop import while_loop as loop
from ._trees import flatten, unflatten
from .control_flow import check_tensors, record_body, slice_avals, step_numbers

__all__ = ["associative_scan", "scan", "while_loop"]


def _check_same(who: str, lhs: str, rhs: str, mine: list[Aval], other: list[Aval]) -> None:
    """torch's errors for a body whose results are not of the kind that it was given."""
    if len(mine) != len(other):
        raise RuntimeError(
            f"{who}: Expected {lhs} and {rhs} to have same number of outputs but got lhs:{mine} and rhs:{other}"
        )
    found = []
    for i, (a, b) in enumerate(zip(mine, other)):
        differ = []
        if a.shape != b.shape:
            differ.append(f"'shape: torch.Size({list(a.shape)}) vs torch.Size({list(b.shape)})'")
        if a.dtype is not b.dtype:
            differ.append(f"'dtype: {a.dtype} vs {b.dtype}'")
        if differ:
            found.append(f"pair[{i}] differ in {', '.join(differ)}, where lhs is {a} and rhs is {b}")
    if found:
        raise RuntimeError(
            f"{who}: Expected {lhs} and {rhs} to have same metadata but found:\n" + "\n".join(found)
        )


def _as_tensors(leaves: list) -> list[Tensor]:
    return [x if isinstance(x, Tensor) else torch.tensor(int(x), dtype=torch.int64) for x in leaves]


# -- while_loop ------------------------------------------------------------------------------------------------------


@composite
@tidied
def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: tuple | list) -> Any:
    """carried = body_fn(*carried) while cond_fn(*carried): a loop whose length depends on values, as one op.

    carried_inputs: a tuple of (nested) tensors or ints. body_fn returns as many, of the same shapes and dtypes; cond_fn
    a bool tensor of no dimensions. body_fn may write in place to the tensors that it is given; carried_inputs stay as
    they are. Under vmap each example has its own number of steps. Derivatives of every order and
    mode are taken through it: a reverse pass runs steps again from 32 states that it keeps, instead of keeping all.

    >>> torch._higher_order_ops.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (torch.tensor(0), torch.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, tuple | list):
        raise RuntimeError(f"carried_inputs must be a tuple or list, got {type(carried_inputs)}")
    leaves, structure = flatten(carried_inputs)
    if not all(isinstance(x, Tensor | int) for x in leaves):
        raise RuntimeError(
            "Expect carried_inputs to be a tuple of possibly nested dict/list/tuple that only"
            f"consists of tensor or int leaves, but got {carried_inputs}."
        )
    carried = _as_tensors(leaves)
    start = from_array(np.zeros((), np.uint32), on=ANY)
    given = [*carried, start]
    avals = [t._aval for t in given]

    def at_fresh(fn: Callable) -> Callable:
        return lambda fresh: fn(*unflatten(structure, fresh))

    test = record_body("while_loop", at_fresh(cond_fn), avals, given, steps=True, owns=False)
    goes_on = test.leaves[0] if len(test.leaves) == 1 else test.leaves
    if isinstance(goes_on, bool):
        if goes_on:
            raise RuntimeError(
                "while_loop: cond_fn returned True, whatever the carried values: the loop would never end"
            )
        return unflatten(structure, leaves)
    if not isinstance(goes_on, Tensor) or goes_on._aval.shape or goes_on._aval.dtype.name != "bool":
        what = goes_on._aval if isinstance(goes_on, Tensor) else goes_on
        raise RuntimeError(f"cond_fn must return a boolean scalar tensor or a boolean but got {what}")
    body = record_body("while_loop", _tensors_only(at_fresh(body_fn)), avals, given, steps=True)
    _check_same("while_loop", "body_fn_output", "carried_inputs", body.graph.out_avals(), avals[:-1])
    n = len(carried)
    inputs = (*carried, start, *test.captured, *body.captured)
    op = body.graph.transformed(("while_loop", n), test.graph)
    results = apply_op(op, None, inputs)
    out = [r if isinstance(x, Tensor) else r.item() for x, r in zip(leaves, results)]  # type: ignore[attr-defined]
    return unflatten(body.structure, out)


def _tensors_only(call: Callable) -> Callable:
    """The same function with Python ints among its results made tensors."""

    def wrapped(fresh):
        leaves, structure = flatten(call(fresh))
        return unflatten(structure, [torch.tensor(x) if type(x) is int else x for x in leaves])

    return wrapped


@transforms("while_loop")
def _while_of(key: tuple, body: Graph, test: Graph) -> DerivedOp:
    return _while_op(test, body, key[1])


def _while_op(test: Graph, body: Graph, n: int) -> DerivedOp:
    """n: how many arrays are carried; they are followed by the number of the first step, then by what the two graphs
    captured."""
    first = len(test.in_avals) - n - 1

    def goes_on(state, captured):
        return test.unchecked(*state, *captured[:first])[0]

    def step(state, captured):
        return (*body.unchecked(*state, *captured[first:]), state[n] + jnp.uint32(1))

    def fn(*arrays):
        return loop(goes_on, step, arrays[: n + 1], arrays[n + 1 :])[:n]

    return DerivedOp(fn, "while_loop", saves="inputs")


# -- scan ------------------------------------------------------------------------------------------------------------


@tidied
def scan(combine_fn: Callable, init: Any, xs: Any, *, dim: int = 0, reverse: bool = False) -> tuple[Any, Any]:
    """(last carry, stacked y) of `carry, y = combine_fn(carry, x)` over the slices x of xs along dim.

    init and xs are tensors or trees of them; the carry keeps the structure, shapes and dtypes of init. reverse: from
    the last slice to the first. y is stacked along dim. The first leaf of xs says how many steps there are. combine_fn
    may write in place to carry and x, which belong to the step; init and xs stay as they are.

    >>> torch._higher_order_ops.scan(lambda c, x: (c + x, c * x), torch.tensor(0.), torch.tensor([1., 2., 3.]))
    (tensor(6.), tensor([0., 2., 9.]))
    """
    carry, carry_structure = flatten(init)
    leaves, structure = flatten(xs)
    if not leaves:
        return init, []
    if not callable(combine_fn):
        raise RuntimeError(f"Combine_fn must be a callable, but got {combine_fn}")
    leaves, dim = _moved_to_front(leaves, dim, reverse, RuntimeError)
    if not carry:
        raise RuntimeError("scan() operator requires init leaves.")
    for x in carry:
        if not isinstance(x, Tensor):
            raise RuntimeError(f"All init leaves must be a Tensor but got {x}")
    leaves = _as_long_as_the_first(leaves, reverse)
    length = leaves[0]._aval.shape[0]
    n, m = len(carry), len(leaves) + 1
    slices = [*leaves, step_numbers(length)]
    seen: list[Any] = []

    def call(fresh):
        out = combine_fn(unflatten(carry_structure, fresh[:n]), unflatten(structure, fresh[n:]))
        if not (isinstance(out, tuple | list) and len(out) == 2):
            raise RuntimeError(f"Expect combine_fn to return a tuple (next_carry, y) but got {out}.")
        seen.append(flatten(out[0])[1])
        return tuple(out)

    avals = [*[x._aval for x in carry], *slice_avals(slices)]
    body = record_body("scan", call, avals, [*carry, *slices], steps=True)
    check_tensors("scan", body.leaves)
    if seen[-1] != carry_structure:
        raise RuntimeError(
            f"scan: Expected init and carry to have the same tree structure, but got {carry_structure} and {seen[-1]}"
        )
    graph = body.graph
    _check_same("scan", "init", "carry", avals[:n], graph.out_avals()[:n])
    op = graph.transformed(("scan", n, m, reverse))
    results = apply_op(op, None, (*carry, *slices, *body.captured))
    ys = [_moved_back(y, dim) for y in results[n:]]
    return tuple(unflatten(body.structure, [*results[:n], *ys]))


def _moved_to_front(leaves: list, dim: int, reverse: bool, error: type[Exception]) -> tuple[list, int]:
    """The leaves with dim moved to the front, and dim counted from the front; torch's errors for what does not fit."""
    if not isinstance(dim, int):
        raise error(f"Dim must be an int, but got {type(dim)}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    for x in leaves:
        if not isinstance(x, Tensor):
            raise error(f"All xs leaves must be a Tensor but got {x}")
    dim = wrap_dim(dim, len(leaves[0]._aval.shape))
    if any(len(x._aval.shape) <= dim or x._aval.shape[dim] == 0 for x in leaves):
        raise error("All xs leaves must at least have 'dim' number of dimensions and scan dimension > 0")
    return [torch.movedim(x, dim, 0) if dim else x for x in leaves], dim


def _as_long_as_the_first(leaves: list, reverse: bool) -> list:
    """The first leaf says how many steps there are; of longer ones the slices are used that come first in the loop's
    direction."""
    length = leaves[0]._aval.shape[0]
    for x in leaves:
        n = x._aval.shape[0]
        if n < length:
            raise IndexError(
                f"select(): index {n} out of range for tensor of size {list(x._aval.shape)} at dimension 0"
            )
    return [
        x
        if x._aval.shape[0] == length
        else torch.narrow(x, 0, x._aval.shape[0] - length if reverse else 0, length)
        for x in leaves
    ]


def _moved_back(y: Tensor, dim: int) -> Tensor:
    return torch.movedim(y, 0, dim) if 0 < dim < len(y._aval.shape) else y


@transforms("scan")
def _scan_of(key: tuple, graph: Graph) -> DerivedOp:
    return _scan_op(graph, *key[1:])


def _scan_op(graph: Graph, n: int, m: int, reverse: bool) -> DerivedOp:
    def fn(*arrays):
        captured = arrays[n + m :]

        def step(carry, x):
            out = graph(*carry, *x, *captured)
            return tuple(out[:n]), tuple(out[n:])

        carry, ys = jax.lax.scan(step, tuple(arrays[:n]), tuple(arrays[n : n + m]), reverse=reverse)
        return [*carry, *ys]

    return DerivedOp(fn, "scan", saves="inputs")


# -- associative_scan ------------------------------------------------------------------------------------------------


@tidied
def associative_scan(
    combine_fn: Callable, xs: Any, dim: int, reverse: bool = False, combine_mode: str = "pointwise"
) -> Any:
    """All partial results of combining the slices of xs along dim, in a number of rounds that grows as their logarithm.

    combine_fn(a, b) takes and returns slices (or trees of them, as xs is one), and must be associative. combine_mode:
    "generic"; as in PyTorch, "pointwise" (the default) is for tensors on an accelerator.

    >>> torch._higher_order_ops.associative_scan(torch.maximum, torch.tensor([1., 3., 2.]), 0, combine_mode="generic")
    tensor([1., 3., 3.])
    """
    leaves, structure = flatten(xs)
    if not callable(combine_fn):
        raise ValueError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    leaves, dim = _moved_to_front(leaves, dim, reverse, ValueError)
    if combine_mode not in ("pointwise", "generic"):
        raise ValueError(f"Combine_mode must either 'pointwise' or 'generic', but got {combine_mode}")
    if combine_mode == "pointwise" and any(x._aval.device.type == "cpu" for x in leaves):
        raise ValueError("For combine_mode='pointwise', all input tensors need to be on CUDA or XPU")
    lengths = [x._aval.shape[0] for x in leaves]
    if any(length != lengths[0] for length in lengths):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {lengths} for the mapped dimension"
        )
    n = len(leaves)
    avals = slice_avals(leaves)
    body = record_body(
        "associative_scan",
        lambda fresh: combine_fn(unflatten(structure, fresh[:n]), unflatten(structure, fresh[n:])),
        [*avals, *avals],
        [*leaves, *leaves],
    )
    check_tensors("associative_scan", body.leaves)
    if body.structure != structure:
        raise RuntimeError(
            f"associative_scan: combine_fn must return the structure of xs, but got {body.structure} for {structure}"
        )
    graph = body.graph
    _check_same("associative_scan", "combine_fn_output", "xs", graph.out_avals(), avals)
    op = graph.transformed(("associative_scan", n, reverse))
    results = apply_op(op, None, (*leaves, *body.captured))
    return unflatten(structure, [_moved_back(y, dim) for y in results])


@transforms("associative_scan")
def _associative_of(key: tuple, graph: Graph) -> DerivedOp:
    return _associative_op(graph, *key[1:])


def _associative_op(graph: Graph, n: int, reverse: bool) -> DerivedOp:
    def fn(*arrays):
        captured = arrays[n:]
        combine = jax.vmap(lambda a, b: graph(*a, *b, *captured))
        return jax.lax.associative_scan(combine, list(arrays[:n]), reverse=reverse)

    return DerivedOp(fn, "associative_scan", saves="inputs")
