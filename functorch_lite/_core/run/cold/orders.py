"""Sorting, the place of the largest, and what accumulates along a dim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .elementwise import is_narrow
from .interpreter import COSTS, NoRule, elements, rule, several

__all__: list[str] = []


def _key(x: np.ndarray) -> np.ndarray:
    """What NumPy orders as XLA orders x: nan comes last, and both zeros are equal."""
    return x.astype(np.float32) if is_narrow(x.dtype) else x


@rule("sort")
def _sort(eqn: Any) -> Callable:
    dim, n_keys = eqn.params["dimension"], eqn.params["num_keys"]
    if any(v.aval.dtype.kind == "c" for v in eqn.invars[:n_keys]):
        raise NoRule("sort of complex numbers")

    @several
    def run(*xs: np.ndarray) -> list:
        if n_keys == 1:
            order = np.argsort(_key(xs[0]), dim, kind="stable")
        else:
            order = np.lexsort([_key(x) for x in xs[n_keys - 1 :: -1]], dim)
        return [np.take_along_axis(x, order, dim) for x in xs]

    return run


COSTS["sort"] = lambda eqn: elements(eqn.invars[0]) * 2000


@rule("top_k")
def _top_k(eqn: Any) -> Callable:
    k, dim = eqn.params["k"], eqn.params.get("axis", -1)

    @several
    def run(x: np.ndarray) -> tuple:
        # backwards, so that of equal ones the first comes first in descending order
        order = np.argsort(np.flip(_key(x), dim), dim, kind="stable")
        order = x.shape[dim] - 1 - np.flip(order, dim)
        at = np.take(order, np.arange(k), dim)
        return np.take_along_axis(x, at, dim), at.astype(eqn.outvars[1].aval.dtype)

    return run


COSTS["top_k"] = COSTS["sort"]


@rule("argmax", "argmin")
def _argmax(eqn: Any) -> Callable:
    (axis,) = eqn.params["axes"]
    d = eqn.outvars[0].aval.dtype
    if not eqn.invars[0].aval.shape[axis]:
        raise NoRule("the place of the largest of nothing")
    find = np.argmax if eqn.primitive.name == "argmax" else np.argmin
    return lambda x: find(_key(x), axis).astype(d)


def _cumulative(name: str, ufunc: np.ufunc) -> None:
    @rule(name)
    def make(eqn: Any) -> Callable:
        axis, back = eqn.params["axis"], eqn.params["reverse"]
        d = eqn.outvars[0].aval.dtype
        if d == np.bool_:
            raise NoRule(f"{name} of bools")

        def run(x: np.ndarray) -> np.ndarray:
            x = _key(np.flip(x, axis) if back else x)
            made = ufunc.accumulate(x, axis, dtype=x.dtype)
            return (np.flip(made, axis) if back else made).astype(d)

        return run

    COSTS[name] = lambda eqn: elements(eqn.outvars[0]) * 100


for _name, _ufunc in {
    "cumsum": np.add, "cumprod": np.multiply, "cummax": np.maximum, "cummin": np.minimum, "cumlogsumexp": np.logaddexp,
}.items():  # fmt: skip
    _cumulative(_name, _ufunc)
