"""vmap: a function of one example becomes a function of a batch. Inside, the batch dimension does not exist."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from .._core.api import (
    ANY,
    DerivedOp,
    Graph,
    Tensor,
    apply_op,
    aval,
    depends_on_inputs,
    from_array,
    read,
    refuse_pytorchs,
    state,
    transforms,
    wrap_dim,
)
from ._trees import NODES, Structure, flatten, name_of, spread, tensor_leaves, unflatten
from .aliases import aliases, shared
from .chunk_size import chunk_for
from .cuts import Notes, record_function
from .outermost import transform

__all__ = ["vmap"]


def vmap(
    func: Callable,
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | str | None = None,
) -> Callable:
    """A function that maps func over a dimension of its arguments.

    Args:
        func: the function of one example.
        in_dims: the mapped dim of each argument: an int or None (not mapped) for all, or a tree
            of them that fits the arguments. Default: 0.
        out_dims: where the mapped dim is put in each output; None for an output that is not
            mapped, or is not a tensor. Default: 0.
        randomness: "error" raises where random numbers are drawn, "same" draws once for all
            examples, "different" for each. Default: "error".
        chunk_size: how many examples are computed at a time. None (the default) computes all at
            once; "auto" as many as fit `memory_budget`.

    >>> vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
    tensor([2., 2., 2.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(
            f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}"
        )
    if not (chunk_size is None or chunk_size == "auto" or chunk_size > 0):
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @transform(func, "vmap", in_dims, out_dims, randomness, chunk_size)
    def wrapper(*args, **kwargs):
        _check_out_dims(func, out_dims)
        leaves, structure = flatten(args)
        dims = _input_dims(func, in_dims, args, leaves, structure)
        batch = _batch_size(leaves, dims)
        if _batching(len(NODES)):
            _check_own_batches(func, leaves, structure, dims)
        return _mapped(func, leaves, structure, dims, batch, out_dims, randomness, chunk_size, kwargs)

    return wrapper


def _mapped(
    func, leaves: list, structure, dims: list, batch: int, out_dims, randomness: str, chunk_size, kwargs: dict
):
    at = [i for i, d in enumerate(dims) if d is not None]
    tensors = [leaves[i] for i in at]
    avals = []
    for i in at:
        a, d = leaves[i]._aval, dims[i]
        avals.append(aval(a.shape[:d] + a.shape[d + 1 :], a.dtype, a.device))
    in_axes = [dims[i] for i in at]
    if randomness == "different":
        lanes = from_array(np.arange(batch, dtype=np.uint32), on=ANY)
        tensors, in_axes = [*tensors, lanes], [*in_axes, 0]
        avals.append(aval((), lanes._aval.dtype, lanes._aval.device))

    notes = Notes(axes=in_axes, size=batch, randomness=randomness)

    def run(fresh):
        rec = state.rec
        rec.randomness = (randomness, fresh[-1] if randomness == "different" else None)
        rec.axes = notes.axes
        full = list(leaves)
        for i, t in zip(at, fresh):
            full[i] = t
        out = func(*unflatten(structure, full), **kwargs)
        outs, out_structure = flatten(out)
        if _batching(len(NODES)):
            _check_own_batches(func, outs, out_structure, None)
        axes = _output_axes(func, out_dims, outs, out_structure)
        found = tensor_leaves(outs)
        rest = [None if isinstance(x, Tensor) else x for x in outs]
        results = [outs[i] for i in found]
        same = aliases(fresh, results)
        return results, (out_structure, [axes[i] for i in found], found, rest, same)

    recorded = record_function("vmap", avals, tensors, run, notes, writes=True)
    out_structure, result_axes, places, returned, same = recorded.result
    n_out = len(result_axes)
    out_axes = [*result_axes, *[None if i is None else in_axes[i] for _, i, _ in recorded.written]]
    graph = recorded.graph
    in_axes = [notes.axes.get(i) for i in range(len(graph.in_avals))]
    key = ("vmap", tuple(in_axes), tuple(out_axes), batch)

    def make(chunk: int | None) -> DerivedOp:
        return graph.transformed((*key, chunk))

    if chunk_size == "auto":
        chunk_size = chunk_for(graph, key, batch, make, [t._aval for t in recorded.inputs])
    elif chunk_size is not None and chunk_size >= batch:
        chunk_size = None
    results = apply_op(make(chunk_size), None, tuple(recorded.inputs))
    recorded.write_back(results[n_out:])
    if (
        chunk_size is not None
    ):  # then PyTorch joins the results of the chunks: only an argument that was returned is itself
        same = [
            a if a is not None and not a.lenses and a.argument is not None and not a.detached else None
            for a in same
        ]
    for place, t in zip(places, shared(same, results[:n_out], tensors, in_axes, result_axes, batch)):
        returned[place] = t
    return unflatten(out_structure, returned)


@transforms("vmap")
def _vmap_of(key: tuple, graph: Graph) -> DerivedOp:
    _, in_axes, out_axes, _, chunk = key
    return _vmap_op(graph, in_axes, out_axes, chunk)


def _vmap_op(graph: Graph, in_axes: Sequence, out_axes: Sequence, chunk: int | None) -> DerivedOp:
    axes = tuple(in_axes) + (None,) * (len(graph.in_avals) - len(in_axes))
    whole = jax.vmap(graph, in_axes=axes, out_axes=list(out_axes))

    def of_any_batch(*arrays):
        size = next(x.shape[a] for x, a in zip(arrays, axes) if a is not None)
        return (
            _of_no_examples(graph, arrays, axes, out_axes)
            if type(size) is int and not size
            else whole(*arrays)
        )

    if chunk is None:
        return DerivedOp(of_any_batch, "vmap")

    def fn(*arrays):
        """A loop over parts of the batch. Values that are not mapped are computed once."""
        mapped = [i for i, a in enumerate(axes) if a is not None]

        def one(examples):
            full = list(arrays)
            for i, x in zip(mapped, examples):
                full[i] = x
            return graph(*full)

        rows = [jnp.moveaxis(arrays[i], axes[i], 0) for i in mapped]
        outs = jax.lax.map(one, rows, batch_size=chunk)
        return [o[0] if a is None else jnp.moveaxis(o, 0, a) for o, a in zip(outs, out_axes)]

    return DerivedOp(fn, "vmap")


def _of_no_examples(graph: Graph, arrays: Sequence, axes: Sequence, out_axes: Sequence) -> list:
    """Returns the results for an empty batch: batching rules divide by its size. Results that do not depend on the
    examples are computed from zeros in place of an example, of which nothing is checked."""
    outs: Sequence = [jax.ShapeDtypeStruct(a.shape, a.struct.dtype) for a in graph.out_avals()]
    if None in out_axes:
        one = [
            x if a is None else jnp.zeros((*x.shape[:a], *x.shape[a + 1 :]), x.dtype)
            for x, a in zip(arrays, axes)
        ]
        outs = graph.unchecked(*one)
    return [
        o if a is None else jnp.zeros((*o.shape[:a], 0, *o.shape[a:]), o.dtype)
        for o, a in zip(outs, out_axes)
    ]


# -- in_dims and out_dims --------------------------------------------------------------------------------------------


def _input_dims(func, in_dims, args: tuple, leaves: list, structure: Structure) -> list:
    name = name_of(func)
    who = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>)"
    if not isinstance(in_dims, int | tuple):
        raise ValueError(
            f"{who}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a function with no "
            "inputs. The latter is unsupported."
        )
    many = spread(in_dims, structure)
    if many is None:
        raise ValueError(
            f"{who}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
            f"{flatten(in_dims)[1]} but inputs has structure {structure}."
        )
    dims: list = []
    for x, d in zip(leaves, many):
        if d is not None and not isinstance(d, int):
            raise ValueError(
                f"{who}: Got in_dim={d} for an input but in_dim must be either an integer dimension or None."
            )
        if d is not None and not isinstance(x, Tensor):
            refuse_pytorchs(x)
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


def _batch_size(leaves: list, dims: list) -> int:
    sizes = [x._aval.shape[d] for x, d in zip(leaves, dims) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(s != sizes[0] for s in sizes):
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension"
        )
    return sizes[0]


@cache
def _batching(n: int) -> frozenset[type]:
    """Containers of the n registered ones that take batches apart themselves, as TensorDict does: by functions of
    PyTorch's that are not here."""
    return frozenset(t for t in NODES if hasattr(t, "_add_batch_dim"))


def _check_own_batches(func, leaves: list, structure: Structure, dims: list | None) -> None:
    """NotImplementedError for such a container among the results (dims is None), or one that is mapped over a dim
    that is not 0."""
    at = 0
    left = [structure]
    while left:  # a function that calls itself would be kept, with the leaves, until a collection of garbage
        s = left.pop()
        if s.type in _batching(len(NODES)) and (
            dims is None or any(d not in (0, None) for d in dims[at : at + s.num_leaves])
        ):
            what = "the function returns" if dims is None else "in_dims other than 0 map over"
            raise NotImplementedError(
                f"vmap({name_of(func)}, ...): {what} a {s.type.__name__}, whose batch PyTorch obtains from methods that are not supported. Pass its tensors, for instance in a dict."
            )
        if s.type is None:
            if hasattr(type(leaves[at]), "_add_batch_dim"):
                raise NotImplementedError(
                    f"vmap({name_of(func)}, ...): a {type(leaves[at]).__name__} is not supported, whose batch PyTorch obtains from methods of its own; pass its tensors"
                )
            at += 1
        left += reversed(s.children)


def _check_out_dims(func, out_dims) -> None:
    if isinstance(out_dims, int):
        return
    if any(d is not None and not isinstance(d, int) for d in flatten(out_dims)[0]):
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints "
            "representing where in the outputs the vmapped dimension should appear."
        )


def _spread_out_dims(func, out_dims, outs: list, structure: Structure) -> list:
    """out_dims as one entry for each output; a tuple of one serves a single tensor."""
    many = spread(out_dims, structure)
    single = structure.type is None and isinstance(outs[0], Tensor)
    if many is None and single and isinstance(out_dims, tuple) and len(out_dims) == 1:
        many = list(out_dims)
    if many is None:
        raise ValueError(
            f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of `outputs`. "
            f"out_dims has structure {flatten(out_dims)[1]} but outputs has structure {structure}."
        )
    return many


def _output_axes(func, out_dims, outs: list, structure: Structure) -> list:
    """Where the mapped dimension goes in each output, from the front; called at the vmap's level."""
    axes: list = []
    for t, d in zip(outs, _spread_out_dims(func, out_dims, outs, structure)):
        if not isinstance(t, Tensor):
            if d is not None:
                raise ValueError(
                    f"vmap({name_of(func)}, ...): `{name_of(func)}` must only return Tensors, got type {type(t)}. "
                    "Did you mean to set out_dims= to None for output?"
                )
            axes.append(None)
            continue
        if d is None and depends_on_inputs(state.rec, read(t)):
            raise ValueError(
                f"vmap({name_of(func)}, ...): `{name_of(func)}` can not return a BatchedTensor when out_dim is None"
            )
        axes.append(d if d is None else wrap_dim(d, len(t._aval.shape) + 1))
    return axes
