"""A JAX function as JAX runs it by default: without 64-bit types, unless it is given 64-bit floats."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

__all__ = ["in_default_types"]


def in_default_types(fn: Callable) -> Callable:
    """`fn`, traced with 64-bit types off.

    Integers of 64 bits, which are torch's usual ones, are narrowed as JAX narrows them; with floats of 64 bits among
    the arguments the types stay on, and nothing is changed.

    Functions traced for this library have 64-bit types enabled, where `jnp.arange(3)` is int64 and `count / 10`
    float64.
    """

    @functools.wraps(fn)
    def narrowed(*args, **kwargs):
        leaves, structure = jax.tree.flatten((args, kwargs))
        if any(_is_wide_float(x) for x in leaves):
            return fn(*args, **kwargs)
        with jax.enable_x64(False):
            args, kwargs = structure.unflatten([_narrow(x) for x in leaves])
            return fn(*args, **kwargs)

    return narrowed


def _is_array(x: Any) -> bool:
    return isinstance(x, jax.Array | np.ndarray) and not jnp.issubdtype(x.dtype, jax.dtypes.extended)


def _is_number(x: Any) -> bool:
    """Returns whether an array stands for a Python number."""
    return isinstance(x, jax.Array) and jax.typeof(x).weak_type


def _is_wide_float(x: Any) -> bool:
    return _is_array(x) and x.dtype in (np.float64, np.complex128) and not _is_number(x)


def _narrow(x: Any) -> Any:
    if not _is_array(x) or np.dtype(x.dtype).itemsize < 8:
        return x
    if _is_number(x):
        kind = complex if x.dtype == np.complex128 else float if x.dtype == np.float64 else int
        return jax.lax.convert_element_type(x, kind)  # weakly typed
    return jax.lax.convert_element_type(x, jax.dtypes.canonicalize_dtype(x.dtype))
