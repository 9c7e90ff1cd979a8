"""What kind of step an equation is, and what it costs: from its primitive and its shapes."""

from __future__ import annotations

import math
from typing import Any

from jax.extend.core import Literal

from ..._core.api import flops_of, inner_of, turns_of
from .program import OTHER, POINTWISE, PRODUCT, RANDOM, REDUCTION, VIEW

__all__ = ["bytes_of", "cost_of", "kind_of"]

_VIEWS = frozenset(
    """
    bounded broadcast_in_dim copy copy_p expand_dims gradient_apart name nothing optimization_barrier reads reshape slice split squeeze stop_gradient
    transpose rev bitcast_convert_type forward_only reduce_precision
    """.split()
)
"""The same numbers in another shape, or nothing at all."""
_REDUCTIONS = frozenset(
    """
    argmax argmin reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum reduce_xor cumsum cumprod cummax cummin cumlogsumexp
    reduce_window reduce_window_sum reduce_window_max reduce_window_min
    """.split()
)
_PRODUCTS = frozenset(["dot_general", "conv_general_dilated", "convolution_form", "ragged_dot_general"])
_RANDOM = frozenset(["threefry2x32", "random_bits", "rng_bit_generator", "random_seed", "random_fold_in", "random_split"])  # fmt: skip
_POINTWISE = frozenset(
    """
    abs acos acosh add add_any and asin asinh atan atan2 atanh cbrt ceil clamp complex concatenate conj convert_element_type cos cosh digamma
    div empty eq eq_to erf erf_inv erfc exp exp2 expm1 floor ge gt igamma igammac imag integer_pow iota is_finite le le_to lgamma log log1p
    logistic lt lt_to max min mul ne neg nextafter not or pad polygamma population_count pow real regularized_incomplete_beta rem round rsqrt
    select_n shift_left shift_right_arithmetic shift_right_logical sign sin sinh sqrt square sub tan tanh tie_in whole_power xor zeta
    clz bessel_i0e bessel_i1e log2 one_minus_square polynomial
    """.split()
)
_COSTLY = frozenset("acos acosh asin asinh atan atan2 atanh cos cosh digamma erf erf_inv erfc exp exp2 expm1 lgamma log log1p logistic pow sin sinh tan tanh".split())  # fmt: skip
_OF_A_DRAW = 20.0
"""Operations for a random number (threefry, 20 rounds)."""


def bytes_of(aval: Any) -> int:
    """Of an array; of keys and other things without a plain dtype, what they are made of is not counted."""
    dtype, shape = getattr(aval, "dtype", None), getattr(aval, "shape", ())
    return math.prod(shape) * getattr(dtype, "itemsize", 0)


def kind_of(eqn: Any) -> str:
    """The kind of an equation. A call is of the kind of the costliest equation in it; a loop is OTHER, or PRODUCT if there is one inside."""
    name = eqn.primitive.name
    for kind, names in ((VIEW, _VIEWS), (POINTWISE, _POINTWISE), (REDUCTION, _REDUCTIONS), (PRODUCT, _PRODUCTS), (RANDOM, _RANDOM)):  # fmt: skip
        if name in names:
            return kind
    kinds = {kind_of(e) for inner in inner_of(eqn) for e in inner.eqns}
    if PRODUCT in kinds:
        return PRODUCT
    if not kinds or name in ("scan", "while", "cond") or "loop" in name or OTHER in kinds:
        return OTHER
    return next(k for k in (RANDOM, REDUCTION, POINTWISE, VIEW) if k in kinds)


def cost_of(eqn: Any) -> float:
    """Operations: those of products, and for anything else about one for each number, more for what takes longer."""
    found = flops_of(eqn)
    if found:
        return found
    kind = kind_of(eqn)
    if kind == VIEW:
        return 0.0
    made = sum(math.prod(getattr(v.aval, "shape", ())) for v in eqn.outvars)
    read = sum(math.prod(getattr(v.aval, "shape", ())) for v in eqn.invars if not isinstance(v, Literal))
    if kind == RANDOM:
        return _OF_A_DRAW * made
    if kind == REDUCTION:
        return float(max(made, read))
    inner = [e for j in inner_of(eqn) for e in j.eqns]
    if inner:
        return turns_of(eqn) * sum(map(cost_of, inner))
    if kind == OTHER:
        return 4.0 * max(made, read)
    return (4.0 if eqn.primitive.name in _COSTLY else 1.0) * made
