"""How many floating point operations the products in an equation take, from its shapes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from jax.extend.core import ClosedJaxpr, Jaxpr

__all__ = ["flops_of", "inner_of", "turns_of"]


def inner_of(eqn: Any) -> Iterator[Jaxpr]:
    """The jaxprs inside an equation."""
    for name, p in eqn.params.items():
        if name == "of_inputs":  # of `coefficients`: what they are the same as, which is not computed
            continue
        for inner in p if isinstance(p, tuple | list) else (p,):
            if isinstance(inner, ClosedJaxpr):
                yield inner.jaxpr
            elif isinstance(inner, Jaxpr):
                yield inner


def turns_of(eqn: Any) -> int:
    """How often what is inside an equation runs, as far as its parameters say."""
    return eqn.params.get("length", 1) if eqn.primitive.name == "scan" else 1


def flops_of(eqn: Any) -> float:
    """Multiplications and additions in products: two for each pair of numbers multiplied."""
    name = eqn.primitive.name
    if name == "dot_general":
        (contracted, _), _ = eqn.params["dimension_numbers"]
        left = eqn.invars[0].aval.shape
        return 2.0 * math.prod(eqn.outvars[0].aval.shape) * math.prod(left[d] for d in contracted)
    if name == "conv_general_dilated":
        kernel = eqn.invars[1].aval.shape
        out_features = eqn.params["dimension_numbers"].rhs_spec[0]
        return 2.0 * math.prod(eqn.outvars[0].aval.shape) * math.prod(kernel) / kernel[out_features]
    if name == "convolution_form":
        return _flops_of_form(eqn)
    return turns_of(eqn) * sum(flops_of(e) for inner in inner_of(eqn) for e in inner.eqns)


def _flops_of_form(eqn: Any) -> float:
    """x (b, n, c, …) times w (b, o, c, …) gives g (b, n, o, …): all three have two of n, c, o."""
    _, kernel, places = eqn.params["spatial"]
    dims = len(kernel)
    a, b, out = (v.aval.shape for v in (*eqn.invars, eqn.outvars[0]))
    leading = [math.prod(s[: len(s) - dims]) for s in (a, b, out)]
    groups = a[0]
    pairs = math.prod(leading) / groups**3  # (n c) (o c) (n o) in one group, in some order
    return 2.0 * groups * math.sqrt(pairs) * math.prod(kernel) * math.prod(places)
