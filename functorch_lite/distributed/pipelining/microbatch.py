"""Micro-batches: how the arguments of a step are cut, and how results are put together again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..._core.api import Tensor
from ..._core.api import functions as torch
from ...api_names import listed
from ...utils._pytree import tree_flatten, tree_map, tree_unflatten

__all__ = ["TensorChunkSpec", "merge_chunks", "split_args_kwargs_into_chunks"]
__dir__ = listed(__name__)


class TensorChunkSpec:
    """A tensor is cut along `split_dim`.

    >>> TensorChunkSpec.from_tuple((0, 1))
    (torch.distributed.pipelining.microbatch.TensorChunkSpec(0), torch.distributed.pipelining.microbatch.TensorChunkSpec(1))
    """

    def __init__(self, split_dim: int):
        self.split_dim = split_dim

    def __repr__(self) -> str:
        return f"torch.distributed.pipelining.microbatch.TensorChunkSpec({self.split_dim})"

    def __str__(self) -> str:
        return f"TensorChunkSpec({self.split_dim})"

    @staticmethod
    def from_tuple(chunk_dims: tuple[int, ...]) -> Any:
        """One for each number of a tuple, which may be nested."""
        return tree_map(TensorChunkSpec, chunk_dims)

    @staticmethod
    def from_dict(chunk_dims: dict[str, int]) -> Any:
        """One for each number of a dict, which may be nested."""
        return tree_map(TensorChunkSpec, chunk_dims)


class _Replicate:
    """Every micro-batch gets the same."""


class _CustomReducer:
    """In place of a spec: results are reduced by a function, from a first value on."""

    def __init__(self, init_value: Any, reduce_fn: Any):
        self.init_value, self.reduce_fn = init_value, reduce_fn


def split_tensor(tensor: Tensor, dim: int, chunks: int) -> Sequence[Tensor]:
    """The parts of a tensor for so many micro-batches, as `torch.tensor_split` cuts."""
    if tensor.shape[dim] < chunks:
        raise AssertionError(f"Tensor size {tensor.shape[dim]} is smaller than num_chunks")
    return torch.tensor_split(tensor, chunks, dim)


def _is_replicated(spec: Any) -> bool:
    return spec is _Replicate or isinstance(spec, _Replicate)


def _size(value: Any, spec: Any, chunks: int) -> int:
    """Into how many parts a value can be cut."""
    if _is_replicated(spec):
        return chunks
    if not isinstance(value, Tensor):
        raise ValueError(f"Unsupported chunk spec: {spec} and value: {value} combination.")
    if not isinstance(spec, TensorChunkSpec):
        raise AssertionError(f"Expected TensorChunkSpec, got {type(spec)}")
    return value.shape[spec.split_dim]


def _split(values: dict, specs: dict, chunks: int) -> list[dict]:
    if not values:
        return [{} for _ in range(chunks)]
    if len(values) != len(specs):
        raise AssertionError(
            f"args_dict.keys() = {list(values.keys())} args_chunk_spec.keys() = {list(specs.keys())}"
        )
    flat, tree = tree_flatten(values)
    flat_specs, _ = tree_flatten(specs)
    if len(flat) != len(flat_specs):
        raise ValueError(f"{len(flat)} arguments are to be cut by {len(flat_specs)} specs")
    count = min([chunks, *[_size(v, s, chunks) for v, s in zip(flat, flat_specs)]])
    rows = [
        [v] * count if _is_replicated(s) else split_tensor(v, s.split_dim, count)
        for v, s in zip(flat, flat_specs)
    ]
    return [tree_unflatten(list(parts), tree) for parts in zip(*rows)]


def split_args_kwargs_into_chunks(
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None,
    chunks: int,
    args_chunk_spec: tuple[TensorChunkSpec, ...] | None = None,
    kwargs_chunk_spec: dict[str, TensorChunkSpec] | None = None,
) -> tuple[list[tuple], list[dict]]:
    """The arguments of each micro-batch: tensors are cut along their first dimension, or as the specs say; of anything
    else each gets the same.

    There are fewer than `chunks` where a tensor is too short.

    >>> args, kwargs = split_args_kwargs_into_chunks((torch.arange(4),), {"scale": 2}, 2)
    >>> args[1], kwargs[1]
    ((tensor([2, 3]),), {'scale': 2})
    """
    kwargs = kwargs or {}

    def spec(v: Any) -> Any:
        return TensorChunkSpec(0) if isinstance(v, Tensor) else _Replicate()

    of_args = tree_map(spec, args) if args_chunk_spec is None else args_chunk_spec
    of_kwargs = tree_map(spec, kwargs) if kwargs_chunk_spec is None else kwargs_chunk_spec
    positions, specs = dict(enumerate(args)), dict(enumerate(of_args))
    args_split = _split(positions, specs, chunks)
    kwargs_split = _split(kwargs, of_kwargs, len(args_split))
    if len(kwargs_split) < len(args_split):
        args_split = _split(positions, specs, len(kwargs_split))
    return [tuple([part[i] for i in range(len(part))]) for part in args_split], kwargs_split


def merge_chunks(chunks: list[Any], chunk_spec: Any) -> Any:
    """Merges the results of all micro-batches: tensors are put together along their first dimension, or as the spec
    says.

    >>> merge_chunks([torch.zeros(1), torch.ones(2)], None)
    tensor([0., 1., 1.])
    """
    first, tree = tree_flatten(chunks[0])
    specs: list[Any] = [TensorChunkSpec(0)] * len(first)
    if chunk_spec is not None:
        specs, tree = tree_flatten(chunk_spec)
    rows = []
    for chunk in chunks:
        flat, _ = tree_flatten(chunk)
        if len(flat) != len(specs):
            raise ValueError(f"Chunk {chunk} did not match chunk spec {chunk_spec}")
        rows.append(flat)
    return tree_unflatten([_merged(list(parts), spec) for parts, spec in zip(zip(*rows), specs)], tree)


def _merged(parts: list[Any], spec: Any) -> Any:
    if isinstance(spec, TensorChunkSpec):
        return torch.cat(parts, spec.split_dim)
    if isinstance(spec, _CustomReducer):
        value = spec.init_value
        for part in parts:
            value = spec.reduce_fn(value, part)
        return value
    for part in parts[1:]:
        if part != parts[0]:
            raise AssertionError(f"Expected {parts[0]}, got {part}")
    return parts[0]
