"""Special functions, by SciPy, which JAX needs too."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from .elementwise import widened
from .interpreter import COSTS, elements, rule

__all__: list[str] = []


def _of_scipy(name: str, function: str) -> None:
    """A primitive that is a function of scipy.special, which is imported when it is first run. Float32 is computed as float64."""

    @rule(name)
    def make(eqn: Any) -> Callable:
        d = eqn.outvars[0].aval.dtype

        def run(*xs: np.ndarray) -> np.ndarray:
            fn = getattr(importlib.import_module("scipy.special"), function)
            if d == np.float32:
                return fn(*[x.astype(np.float64) for x in xs]).astype(d)
            return fn(*xs)

        return widened(eqn, run)

    COSTS[name] = lambda eqn: elements(eqn.outvars[0]) * 1000


for _name, _function in {
    "erf": "erf", "erfc": "erfc", "erf_inv": "erfinv", "lgamma": "gammaln", "digamma": "psi", "igamma": "gammainc", "igammac": "gammaincc",
    "bessel_i0e": "i0e", "bessel_i1e": "i1e", "regularized_incomplete_beta": "betainc",
}.items():  # fmt: skip
    _of_scipy(_name, _function)
