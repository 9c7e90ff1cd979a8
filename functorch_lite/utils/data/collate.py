"""Collation: default_collate puts the samples of a batch together, default_convert turns numpy arrays into Tensors."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy as np

from ..._core.api import Tensor, dtypes, from_array, functions, refuse_pytorchs, tidied, values_of
from . import blocks
from .dataset import Rows

__all__ = ["collate", "default_collate", "default_collate_fn_map", "default_convert"]

_CANNOT = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def _is_text(array: np.ndarray | np.generic) -> bool:
    return array.dtype.kind in "SUOV"


@tidied
def default_convert(data: Any) -> Any:
    """`data` with every numpy array and scalar in it as a Tensor; containers keep their type, others are left alone.

    Args:
        data: a sample.
    """
    if isinstance(data, Tensor):
        return data
    if isinstance(data, np.ndarray | np.generic) and not isinstance(data, str | bytes):
        return data if _is_text(data) else functions.as_tensor(data)
    if isinstance(data, Mapping):
        return _mapping_like(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(x) for x in data))
    if isinstance(data, tuple):
        return [default_convert(x) for x in data]
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        return _sequence_like(data, [default_convert(x) for x in data])
    return data


def _mapping_like(old: Mapping, new: dict) -> Mapping:
    """`new` in a mapping of the type of `old`, or a dict where that type cannot be made."""
    try:
        if isinstance(old, MutableMapping):
            made = copy.copy(old)
            made.update(new)
            return made
        return type(old)(new)  # type: ignore[call-arg]
    except TypeError:
        return new


def _sequence_like(old: Sequence, new: list) -> Sequence:
    """`new` in a sequence of the type of `old`, or a list where that type cannot be made."""
    try:
        if isinstance(old, MutableSequence):
            made = copy.copy(old)
            for i, x in enumerate(new):
                made[i] = x
            return made
        return type(old)(new)  # type: ignore[call-arg]
    except TypeError:
        return new


def _tensors(batch, *, collate_fn_map=None):
    if blocks.pool is not None and (arrays := _plain(batch)) is not None:
        return from_array(_stacked(arrays))
    return functions.stack(list(batch), 0)


def _plain(batch: Sequence[Tensor]) -> list[np.ndarray] | None:
    """The arrays of tensors that NumPy stacks as torch would; None if there is more to them."""
    first = batch[0]
    for t in batch:
        if type(t) is not Tensor or t.requires_grad or t.device.type != "cpu":
            return None
        if t.shape != first.shape or t.dtype is not first.dtype:
            return None
    return [values_of(t) for t in batch]


def _stacked(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays of one shape and dtype, stacked: in a worker, where its loader can read them."""
    first = arrays[0]
    out = blocks.empty((len(arrays), *first.shape), first.dtype)
    for i, array in enumerate(arrays):
        out[i] = array
    return out


def _arrays(batch, *, collate_fn_map=None):
    if _is_text(batch[0]):
        raise TypeError(_CANNOT.format(batch[0].dtype))
    if all(
        isinstance(a, np.ndarray) and a.shape == batch[0].shape and a.dtype == batch[0].dtype for a in batch
    ):
        return from_array(_stacked(batch))
    return collate([functions.as_tensor(a) for a in batch], collate_fn_map=collate_fn_map)


def _numpy_scalars(batch, *, collate_fn_map=None):
    return functions.as_tensor(np.asarray(batch))


def _floats(batch, *, collate_fn_map=None):
    return functions.tensor(list(batch), dtype=dtypes.float64)


def _ints(batch, *, collate_fn_map=None):
    return functions.tensor(list(batch))


def _texts(batch, *, collate_fn_map=None):
    return batch


default_collate_fn_map: dict[Any, Callable] = {
    Tensor: _tensors,
    np.ndarray: _arrays,
    (np.bool_, np.number, np.object_): _numpy_scalars,
    float: _floats,
    int: _ints,
    str: _texts,
    bytes: _texts,
}
"""Functions that collate samples, by the samples' type; `collate` takes this dict, or another of the same form."""


def collate(batch: Any, *, collate_fn_map: dict[Any, Callable] | None = None) -> Any:
    """Collates samples by their type, containers element by element, others by `collate_fn_map`."""
    first = batch[0]
    kind = type(first)
    if collate_fn_map is not None:
        if kind in collate_fn_map:
            return collate_fn_map[kind](batch, collate_fn_map=collate_fn_map)
        for known, fn in collate_fn_map.items():
            if isinstance(first, known):
                return fn(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        columns = {key: collate([d[key] for d in batch], collate_fn_map=collate_fn_map) for key in first}
        return _mapping_like(first, columns)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)]
        return columns if isinstance(first, tuple) else _sequence_like(first, columns)
    refuse_pytorchs(batch[0])
    raise TypeError(_CANNOT.format(kind))


@tidied
def default_collate(batch: Any) -> Any:
    """Stacks the samples of a batch: Tensors, arrays and numbers into Tensors with a new first dimension, containers
    element by element; strings stay a list.

    Args:
        batch: the samples: a list.

    >>> default_collate([(1, "a"), (2, "b")])
    [tensor([1, 2]), ('a', 'b')]
    """
    if type(batch) is Rows:
        return batch.collated()
    return collate(batch, collate_fn_map=default_collate_fn_map)
