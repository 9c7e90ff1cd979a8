"""How many floating point operations the products in an equation take, from its shapes."""

from __future__ import annotations

import math
from typing import Any

from .primitives import Kind, P, Rules
from .walk import AnyJaxpr, inner, steps, turns

__all__ = ["flops_in", "flops_of"]


def _otherwise(p: P) -> str:
    return "refused: counts nothing" if p.kind == Kind.PRODUCT else "by kind: what is inside it"


RULES = Rules("flops", "how many multiplications and additions its products take", _otherwise)
rule = RULES.rule


def flops_of(eqn: Any) -> float:
    """Multiplications and additions in products: two for each pair of numbers multiplied."""
    counted = RULES.get(eqn.primitive.name)
    return turns(eqn) * sum(map(flops_in, inner(eqn, computed=True))) if counted is None else counted(eqn)


def flops_in(jaxpr: AnyJaxpr) -> float:
    """The same of all equations of a jaxpr."""
    return sum([flops_of(eqn) for eqn in steps(jaxpr)])


@rule("dot_general")
def _dot(eqn: Any) -> float:
    (contracted, _), _ = eqn.params["dimension_numbers"]
    left = eqn.invars[0].aval.shape
    return 2.0 * math.prod(eqn.outvars[0].aval.shape) * math.prod(left[d] for d in contracted)


@rule("conv_general_dilated")
def _convolution(eqn: Any) -> float:
    kernel = eqn.invars[1].aval.shape
    out_features = eqn.params["dimension_numbers"].rhs_spec[0]
    return 2.0 * math.prod(eqn.outvars[0].aval.shape) * math.prod(kernel) / kernel[out_features]


@rule("convolution_form")
def _form(eqn: Any) -> float:
    """x (b, n, c, …) times w (b, o, c, …) gives g (b, n, o, …): all three have two of n, c, o."""
    _, kernel, places = eqn.params["spatial"]
    dims = len(kernel)
    a, b, out = (v.aval.shape for v in (*eqn.invars, eqn.outvars[0]))
    leading = [math.prod(s[: len(s) - dims]) for s in (a, b, out)]
    groups = a[0]
    pairs = math.prod(leading) / groups**3  # (n c) (o c) (n o) in one group, in some order
    return 2.0 * groups * math.sqrt(pairs) * math.prod(kernel) * math.prod(places)
