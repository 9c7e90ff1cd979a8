"""Views of arrays on the host: for `on_host=` of the views.

Each function takes NumPy's array, also one without dims, which NumPy refuses to name a dim of, and the view's static
arguments.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .._core.api import MOST_COPIED

_ALL = (slice(None),)


def same(array: np.ndarray) -> np.ndarray:
    return array


def read_as(array: np.ndarray, dtype: Any) -> np.ndarray | None:
    if dtype.np == np.bool_ or not array.flags.c_contiguous:  # any byte but 0 is True
        return None
    return array.view(dtype.np)


def sliced(array: np.ndarray, dim: int, start: int, stop: int, step: int) -> np.ndarray:
    return array[(*_ALL * (dim % array.ndim), slice(start, stop, step))]


def swapped(array: np.ndarray, dim0: int, dim1: int) -> np.ndarray:
    return np.swapaxes(array, dim0, dim1) if array.ndim else array


def moved(array: np.ndarray, source: Any, destination: Any) -> np.ndarray:
    return np.moveaxis(array, source, destination) if array.ndim else array


def squeezed(array: np.ndarray, dim: Any) -> np.ndarray:
    dims = (dim,) if isinstance(dim, int) else dim if isinstance(dim, tuple) else range(array.ndim)
    return array.squeeze(tuple({d % array.ndim for d in dims if array.ndim and array.shape[d] == 1}))


def diagonal(array: np.ndarray, offset: int, dim1: int, dim2: int) -> np.ndarray:
    return np.diagonal(array, min(max(offset, -array.shape[dim1]), array.shape[dim2]), dim1, dim2)


def windows(array: np.ndarray, dim: int, size: int, step: int) -> np.ndarray:
    if not array.ndim:
        return array.reshape(1)[:size]
    found = np.lib.stride_tricks.sliding_window_view(array, size, dim)
    return sliced(found, dim % array.ndim, 0, found.shape[dim % array.ndim], step)


def expanded(array: np.ndarray, sizes: tuple[int, ...]) -> np.ndarray | None:
    """None if it would be large."""
    kept = (*sizes[: len(sizes) - array.ndim], *array.shape)
    shape = [k if n == -1 else n for n, k in zip(sizes, kept, strict=True)]
    return np.broadcast_to(array, shape) if math.prod(shape) <= max(array.size, MOST_COPIED) else None


def reshaped(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray | None:
    """None if much would have to be copied."""
    return array.reshape(shape) if array.flags.c_contiguous or array.size <= MOST_COPIED else None


def flattened(array: np.ndarray, start: int = 0, end: int = -1) -> np.ndarray | None:
    shape = array.shape
    start, end = (d % max(len(shape), 1) for d in (start, end))
    return reshaped(array, (*shape[:start], math.prod(shape[start : end + 1]), *shape[end + 1 :]))


def unflattened(array: np.ndarray, dim: int, sizes: tuple[int, ...]) -> np.ndarray | None:
    shape = array.shape
    dim %= len(shape)
    of_other = abs(math.prod(sizes))
    given = [shape[dim] // of_other if n == -1 else n for n in sizes]
    return reshaped(array, (*shape[:dim], *given, *shape[dim + 1 :]))
