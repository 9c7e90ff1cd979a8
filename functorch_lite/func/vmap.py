"""vmap: a function of one example becomes a function of a batch. Inside, the batch dimension does not exist."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax import tree_util

from .._core.applied import DerivedOp
from .._core.apply import apply_op, from_array
from .._core.bind import functions as torch
from .._core.levels import record_function
from .._core.recorder import state
from .._core.tensor import Tensor
from .._core.value import aval
from ._trees import flatten, name_of, unflatten

__all__ = ["vmap"]


def vmap(
    func: Callable,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable:
    """A function that maps func over a dimension of its arguments.

    in_dims: an int or None for every argument, or a tree of them that fits the arguments; None means not mapped.
    out_dims: where the mapped dimension is put in each output. randomness: 'error', 'same' or 'different' draws for the examples.
    chunk_size: how many examples are computed at a time (default: all).

    >>> vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
    tensor([2., 2., 2.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        leaves, structure = flatten(args)
        dims = _input_dims(func, in_dims, args, leaves, structure)
        batch = _batch_size(func, in_dims, leaves, dims)
        if chunk_size is not None and chunk_size < batch:
            return _in_chunks(func, leaves, structure, dims, batch, out_dims, randomness, chunk_size, kwargs)
        return _mapped(func, leaves, structure, dims, batch, out_dims, randomness, kwargs)

    return wrapper


def _mapped(func, leaves: list, structure, dims: list, batch: int, out_dims, randomness: str, kwargs: dict):
    at = [i for i, d in enumerate(dims) if d is not None]
    tensors = [leaves[i] for i in at]
    avals = []
    for i in at:
        a, d = leaves[i]._aval, dims[i]
        avals.append(aval(a.shape[:d] + a.shape[d + 1 :], a.dtype, a.device))
    in_axes = [dims[i] for i in at]
    if randomness == "different":
        lanes = from_array(np.arange(batch, dtype=np.uint32))
        tensors, in_axes = [*tensors, lanes], [*in_axes, 0]
        avals.append(aval((), lanes._aval.dtype, lanes._aval.device))

    def run(fresh):
        state.rec.randomness = (randomness, fresh[-1] if randomness == "different" else None)
        full = list(leaves)
        for i, t in zip(at, fresh):
            full[i] = t
        out = func(*unflatten(structure, full), **kwargs)
        outs, out_structure = flatten(out)
        for x in outs:
            if not isinstance(x, Tensor):
                raise ValueError(
                    f"vmap({name_of(func)}, ...): `{name_of(func)}` must only return Tensors, got type {type(x)}. "
                    "Did you mean to set out_dims= to None for output?"
                )
        return outs, (out_structure, out)

    recorded = record_function("vmap", avals, tensors, run)
    out_structure, out = recorded.result
    out_axes = _output_dims(func, out_dims, out, out_structure)
    graph = recorded.graph
    key = ("vmap", tuple(in_axes), tuple(out_axes), batch)
    op = graph.derive(key, lambda: _vmap_op(graph, in_axes, out_axes))
    return unflatten(out_structure, apply_op(op, None, tuple(recorded.inputs)))


def _vmap_op(graph, in_axes: list, out_axes: list) -> DerivedOp:
    axes = tuple(in_axes) + (None,) * (len(graph.in_avals) - len(in_axes))
    return DerivedOp(jax.vmap(graph, in_axes=axes, out_axes=list(out_axes)), "vmap")


def _in_chunks(func, leaves, structure, dims, batch, out_dims, randomness, chunk_size, kwargs):
    pieces = []
    for start in range(0, batch, chunk_size):
        size = min(chunk_size, batch - start)
        part = [x if d is None else x.narrow(d, start, size) for x, d in zip(leaves, dims)]
        pieces.append(_mapped(func, part, structure, dims, size, out_dims, randomness, kwargs))
    flat = [flatten(p)[0] for p in pieces]
    out_structure = flatten(pieces[0])[1]
    axes = _output_dims(func, out_dims, pieces[0], out_structure)
    joined = [p[0] if a is None else torch.cat(list(p), a) for p, a in zip(zip(*flat), axes)]
    return unflatten(out_structure, joined)


# -- in_dims and out_dims --------------------------------------------------------------------------------------------


def _spread(dims: Any, tree: Any, structure) -> list | None:
    """dims, a prefix of the tree, as one entry for each leaf; None when it is no prefix."""
    out: list = []
    try:
        tree_util.tree_map(
            lambda d, part: out.extend([d] * tree_util.tree_structure(part).num_leaves),
            dims,
            tree,
            is_leaf=lambda d: d is None or isinstance(d, int),
        )
    except (ValueError, TypeError):
        return None
    return out if len(out) == structure.num_leaves else None


def _input_dims(func, in_dims, args: tuple, leaves: list, structure) -> list:
    name = name_of(func)
    who = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, int | tuple):
        raise ValueError(
            f"{who}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"{who}: got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with no inputs. The latter is unsupported."
        )
    spread = [in_dims] * len(leaves) if isinstance(in_dims, int) else _spread(in_dims, args, structure)
    if spread is None:
        raise ValueError(
            f"{who}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{tree_util.tree_structure(in_dims)} but inputs has structure {structure}."
        )
    dims: list = []
    for x, d in zip(leaves, spread):
        if d is not None and not isinstance(d, int):
            raise ValueError(
                f"{who}: Got in_dim={d} for an input but in_dim must be either an integer dimension or None."
            )
        if d is not None and not isinstance(x, Tensor):
            raise ValueError(
                f"{who}: Got in_dim={d} for an input but the input is of type {type(x)}. We cannot vmap over non-Tensor arguments, "
                "please use None as the respective in_dim"
            )
        if d is not None:
            n = len(x._aval.shape)
            if not -n <= d < n:
                raise ValueError(
                    f"{who}: Got in_dim={d} for some input, but that input is a Tensor of dimensionality {n} so expected in_dim to "
                    f"satisfy -{n} <= in_dim < {n}."
                )
            d %= n
        dims.append(d)
    return dims


def _batch_size(func, in_dims, leaves: list, dims: list) -> int:
    sizes = [x._aval.shape[d] for x, d in zip(leaves, dims) if d is not None]
    if not sizes:
        raise ValueError(
            f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): at least one input must be mapped (its in_dim an int)"
        )
    if any(s != sizes[0] for s in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension"
        )
    return sizes[0]


def _output_dims(func, out_dims, out: Any, structure) -> list:
    spread = (
        [out_dims] * structure.num_leaves if isinstance(out_dims, int) else _spread(out_dims, out, structure)
    )
    if spread is None and isinstance(out_dims, tuple) and len(out_dims) == 1 and isinstance(out, Tensor):
        spread = [out_dims[0]]
    if spread is None:
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. "
            f"out_dims has structure {tree_util.tree_structure(out_dims)} but outputs has structure {structure}."
        )
    return spread
