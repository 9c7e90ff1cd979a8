"""Random bits: the library's threefry and JAX's, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from ...words.jax_private import key_functions
from ..threefry import THREEFRY, words
from .interpreter import NoRule, elements, named, plan_of, rule, several

__all__: list[str] = []


@rule("threefry2x32")
def _threefry2x32(eqn: Any) -> Callable:
    return several(lambda *given: words(*given), _cost(eqn))


@named(THREEFRY)
def _threefry(eqn: Any) -> Callable | None:
    """Under vmap the function may spread a key's words over counters in its own way: then it is what it consists of."""
    if any(v.aval.shape not in ((), eqn.outvars[0].aval.shape) for v in eqn.invars):
        return None
    return several(lambda *given: words(*given), _cost(eqn))


def _cost(eqn: Any) -> float:
    n = elements(eqn.outvars[0])
    return 1e-5 if n == 1 else 1e-4 + 8e-8 * n


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
