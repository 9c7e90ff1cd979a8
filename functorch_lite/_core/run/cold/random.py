"""Random bits: the library's threefry and JAX's, to the bit."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ...words.jax_private import key_functions
from ..threefry import BITS, THREEFRY, bits_by_numpy, words
from .interpreter import NoRule, elements, named, plan_of, rule, several

__all__: list[str] = []


@rule("threefry2x32")
def _threefry2x32(eqn: Any) -> Callable:
    return _costing(several(lambda *given: words(*given)), elements(eqn.outvars[0]))


@named(THREEFRY)
def _threefry(eqn: Any) -> Callable | None:
    """Under vmap the function may spread a key's words over counters in its own way: then it is what it consists of."""
    if any(v.aval.shape not in ((), eqn.outvars[0].aval.shape) for v in eqn.invars):
        return None
    return _costing(several(lambda *given: words(*given)), elements(eqn.outvars[0]))


@named(BITS)
def _bits(eqn: Any) -> Callable | None:
    """Under vmap there are several keys: then the function is what it consists of."""
    shape = eqn.outvars[0].aval.shape
    if eqn.invars[0].aval.shape != (2,):
        return None
    n = math.prod(shape)
    return _costing(lambda key: bits_by_numpy(key, n).reshape(shape), (n + 1) // 2)


def _costing(run: Callable, counters: int) -> Callable:
    """A rule's function that mixes so many counters, with what it costs."""
    run.cost = 1e-5 if counters == 1 else 1e-4 + 3e-8 * counters  # type: ignore[attr-defined]
    run.compiled = 8e-9 * counters  # type: ignore[attr-defined]
    return run


@rule("iota_2x32_shape")
def _iota_2x32_shape(eqn: Any) -> Callable:
    shape = eqn.params["shape"]
    numbers = np.arange(int(np.prod(shape)), dtype=np.uint64).reshape(shape)
    high, low = (numbers >> np.uint64(32)).astype(np.uint32), numbers.astype(np.uint32)
    return several(lambda: (high, low))


@rule("random_wrap", "random_unwrap")
def _bare(eqn: Any) -> Callable:
    """Keys are their data here."""
    return lambda data: data


def _by_implementation(name: str, call: Callable[[Any, Any], Callable]) -> None:
    """A primitive of one key: what the key's implementation does to its data, traced once."""

    @rule(name)
    def make(eqn: Any) -> Callable:
        key = eqn.invars[0].aval
        if key.shape:
            raise NoRule(f"{name} of several keys")
        impl = key_functions(key.dtype)
        others = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars[1:]]
        data = jax.ShapeDtypeStruct(impl.key_shape, np.uint32)
        return plan_of(jax.make_jaxpr(call(impl, eqn))(data, *others))


_by_implementation(
    "random_bits",
    lambda impl, eqn: lambda key: impl.random_bits(key, eqn.params["bit_width"], eqn.params["shape"]),
)
_by_implementation("random_fold_in", lambda impl, eqn: lambda key, data: impl.fold_in(key, data))
_by_implementation("random_split", lambda impl, eqn: lambda key: impl.split(key, eqn.params["shape"]))
