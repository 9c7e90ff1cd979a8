"""Random bits: JAX's threefry, to the bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from .interpreter import COSTS, NoRule, elements, plan_of, rule, several

__all__: list[str] = []

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = np.uint32(0x1BD11BDA)


@rule("threefry2x32")
def _threefry2x32(eqn: Any) -> Callable:
    """Salmon et al., Parallel random numbers: as easy as 1, 2, 3 (2011): 20 rounds of add, rotate and xor on two words."""

    @several
    def run(k0: np.ndarray, k1: np.ndarray, x0: np.ndarray, x1: np.ndarray) -> tuple:
        keys = (k0, k1, k0 ^ k1 ^ _PARITY)
        a, b = x0 + keys[0], x1 + keys[1]
        for turn in range(5):
            for by in _ROTATIONS[turn % 2]:
                a = a + b
                b = ((b << np.uint32(by)) | (b >> np.uint32(32 - by))) ^ a
            a = a + keys[(turn + 1) % 3]
            b = b + keys[(turn + 2) % 3] + np.uint32(turn + 1)
        return a, b

    return run


COSTS["threefry2x32"] = lambda eqn: elements(eqn.outvars[0]) * 1500


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
        impl = key.dtype._impl
        others = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype) for v in eqn.invars[1:]]
        data = jax.ShapeDtypeStruct(impl.key_shape, np.uint32)
        return plan_of(jax.make_jaxpr(call(impl, eqn))(data, *others))


_by_implementation(
    "random_bits",
    lambda impl, eqn: lambda key: impl.random_bits(key, eqn.params["bit_width"], eqn.params["shape"]),
)
_by_implementation("random_fold_in", lambda impl, eqn: lambda key, data: impl.fold_in(key, data))
_by_implementation("random_split", lambda impl, eqn: lambda key: impl.split(key, eqn.params["shape"]))
