"""Exclusions, with their reasons, of results that differ, in calls of functional.py, modules.py and constructed.py, and
a few in all; those of exclusions.py hold for them too."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import torch

from tests.arguments import flat, replace
from tests.fuzz.exclusions import call_arrays, rule
from tests.fuzz.functional import Call
from tests.torch_side import recorded as torch_recorded

_SUMS = tuple(
    "conv norm fft kaiser linear attention interpolate upsample sample cov corr cdist rnn gru lstm transformer pool".split()
)
"""Functions that add products: one nan or inf spreads to what shares a sum, or a block of a sum, with it."""


def is_call(call: Any) -> bool:
    return isinstance(call, Call)


def _real(call: Any) -> list[np.ndarray]:
    return [a for a in call_arrays(call) if a.dtype.kind == "f"]


def _largest(call: Any) -> float:
    """The largest finite number in the tensors of a call."""
    return max([largest_of(a) for a in call_arrays(call) if a.dtype.kind in "fc"], default=0.0)


def largest_of(a: np.ndarray) -> float:
    return float(np.abs(a[np.isfinite(a)]).max(initial=0))


def is_near(got: np.ndarray, want: np.ndarray, by: float) -> bool:
    with np.errstate(invalid="ignore"):
        return bool(((got == want) | (np.abs(got - want) <= by)).all())


def pairs_of(theirs: Any, mine: Any) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]] | None:
    """(ours, torch's, where they are not close) of every floating point result; None where results differ in more than
    their elements, or in what is no floating point."""
    from tests.fuzz.outcome import _differ, _tolerance, recorded

    if _differ(mine.result, theirs.result, theirs, mine, False):
        return None
    found = []
    for m, t in zip(flat(mine.result), flat(theirs.result)):
        if not isinstance(t, torch.Tensor):
            continue
        want = torch_recorded(t)
        got, to = recorded(m).array, want.array
        rtol, atol = _tolerance(want.dtype)
        with np.errstate(invalid="ignore"):
            off = ~np.isclose(got, to, rtol, atol, equal_nan=True)
        if got.dtype.kind not in "fc" and off.any():
            return None
        found.append((got, to, off))
    return found


def _finite(call: Any) -> bool:
    return all(np.isfinite(a).all() for a in call_arrays(call) if a.dtype.kind in "fc")


@rule("cholesky_ex of a matrix without a factor: torch leaves what LAPACK had when it stopped, ours nan")
def no_factor(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if kind != "differ" or call.name != "linalg.cholesky_ex":
        return False
    from tests.fuzz.outcome import recorded

    (got, failed), (want, expected) = (
        [recorded(r).array for r in mine.result], [torch_recorded(r).array for r in theirs.result]
    )  # fmt: skip
    fine = failed == 0
    return (
        np.array_equal(failed, expected)
        and got.shape == want.shape
        and np.allclose(got[fine], want[fine], 1e-4, 1e-4)
        and np.isnan(got[~fine]).any((-1, -2)).all()
    )


@rule("a matrix with nan or inf: what LAPACK makes of it (nan, inf, an error) depends on the algorithm")
def matrix_not_finite(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    matrices = "linalg." in call.target or any(
        w in call.name
        for w in (
            "cholesky",
            "det",
            "inverse",
            "matrix_exp",
            "solve",
            "svd",
            "qr",
            "MultivariateNormal",
            "Wishart",
        )
    )
    if not matrices or _finite(call):
        return False
    if kind == "differ":
        return pairs_of(theirs, mine) is not None
    error = (
        theirs.error if kind == "only torch raises" else mine.error if kind == "only ours raises" else None
    )
    raised = type(error).__name__ in ("_LinAlgError", "LinAlgError") or "is zero: the matrix" in str(error)
    # of eig torch says so itself; of eigvals it gives nan, or LAPACK ends the process
    return raised or "input tensor should not contain infs or NaNs" in str(error)


@rule(
    "ctc_loss reads beyond the classes for a target out of range: torch returns whatever is there, ours raises"
)
def ctc_targets(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    raised = is_call(call) and "ctc" in call.name.lower() and kind == "only ours raises"
    return raised and isinstance(mine.error, IndexError) and "is out of bounds." in str(mine.error)


@rule(
    "numbers so large, or not finite, that the formula overflows on the way: torch's kernels and ours overflow at other places"
)
def overflow(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    sums = any(w in call.name.lower() for w in _SUMS)
    large = any(largest_of(a) >= 1e4 for a in call_arrays(call) if a.dtype.kind in "fciu")
    if not is_call(call) or kind != "differ" or not (large or (sums and not _finite(call))):
        return False
    pairs = pairs_of(theirs, mine)
    return pairs is not None and all(
        bool((~np.isfinite(got[off]) | ~np.isfinite(want[off])).all()) for got, want, off in pairs
    )


@rule("numbers of 10,000 and more beside small ones: a sum of both is rounded as the large ones are")
def rounded_as_the_largest(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    largest = _largest(call)
    sums = is_call(call) or call.name in ("inverse", "pinverse")
    pairs = pairs_of(theirs, mine) if sums and kind == "differ" and largest >= 1e4 else None
    return pairs is not None and all(
        is_near(got[off], want[off], 1e-5 * max(largest, largest_of(want))) for got, want, off in pairs
    )


@rule(
    "a variance that a negative eps makes 0: torch's batch norm adds up x * inf and -mean * inf; ours is (x - mean) * inf"
)
def without_variance(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search("(batch|instance)_?norm", call.name, re.IGNORECASE)
    pairs = pairs_of(theirs, mine) if named else None
    negative = "eps': -" in repr(call) or "eps=-" in repr(call)
    return (
        negative
        and pairs is not None
        and all(
            not np.isfinite(got[off]).any() and not np.isfinite(want[off]).any() for got, want, off in pairs
        )
    )


@rule("torch's sub adds what is scaled by -alpha, and -2**63 has no negative among its integers")
def subtracted(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name in ("sub", "subtract", "rsub")
    return kind == "differ" and named and call.kwargs.get("alpha") == -(2**63)


@rule("lstsq drops what is below rcond by another factorization than torch's pivoted QR")
def lstsq_rank(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        is_call(call) and call.name.startswith("linalg.lstsq") and kind == "differ" and "rcond" in call.kwargs
    )


@rule(
    "narrow floats beside wider arguments: what is computed of the narrow one alone is rounded at another step"
)
def narrow_beside_wide(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    found: set[str] = set()

    def note(x: Any) -> Any:
        name = (x.dtype or str(x.array.dtype)) if hasattr(x, "array") else ""
        if "float" in name or "complex" in name:
            found.add(name)
        elif (name or isinstance(x, int | float)) and call.name.startswith("distributions."):
            found.add("float32")  # which ints, bools and numbers become in formulas
        return x

    replace([list(call.args), call.kwargs], note)
    widths = (("bfloat16", 2**-8), ("float16", 2**-11), ("float32", 2**-23), ("complex64", 2**-23))
    steps = [step for name, step in widths if name in found]
    pairs = pairs_of(theirs, mine) if kind == "differ" and steps and len(found) > 1 else None
    return pairs is not None and all(
        is_near(got[off], want[off], 8 * steps[0] * max(1.0, largest_of(want))) for got, want, off in pairs
    )


@rule("below a pivot that is 0 but for rounding, L is a quotient of two roundings")
def lu_below_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if not is_call(call) or kind != "differ" or call.name != "linalg.lu":
        return False
    pairs = pairs_of(theirs, mine)
    if pairs is None or len(pairs) != 3:
        return False
    (p, _, moved), (lower, want, off), (upper, other, _) = pairs
    small = 1e-5 * max(_largest(call), 1e-30)
    pivots = np.abs(np.diagonal(other, axis1=-2, axis2=-1))
    by_pivot = np.broadcast_to(pivots[..., None, : off.shape[-1]], off.shape)
    return (
        not moved.any()
        and bool((by_pivot[off] <= small).all())
        and is_near(p @ lower @ upper, p @ want @ other, small)
    )


@rule(
    "Bessel functions in float64, and VonMises: torch's are polynomials of single precision near their zeros, and beyond"
)
def bessel_functions(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = is_call(call) and (
        call.name == "distributions.VonMises" or call.name.startswith("special.bessel_")
    )
    if named and isinstance(mine.result, tuple) and not isinstance(theirs.result, tuple):
        mine = dataclasses.replace(mine, result=mine.result[0])  # with a gradient, which torch does not have
    pairs = pairs_of(theirs, mine) if named and kind == "differ" else None
    return pairs is not None and all(is_near(got[off], want[off], 1e-6) for got, want, off in pairs)


@rule(
    "var_mean and std_mean go by Welford's recurrence in torch: inf - inf makes a mean nan that torch.mean gives as inf"
)
def mean_beside_variance(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix(" with gradients") in ("var_mean", "std_mean")
    if not named or kind != "differ" or _finite(call):
        return False
    pairs = pairs_of(theirs, mine)
    return pairs is not None and all(
        bool((np.isnan(want[off]) & np.isinf(got[off])).all()) for got, want, off in pairs
    )


@rule("torch's mode of Kumaraswamy is nan where its second concentration is above 1; ours is the mode")
def kumaraswamy(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = is_call(call) and call.name == "distributions.Kumaraswamy" and "mode" in call.args
    if named and kind == "only ours raises":  # of bools, which are not subtracted
        return "with a bool tensor" in str(mine.error)
    pairs = pairs_of(theirs, mine) if named and kind == "differ" else None
    return pairs is not None and all(bool(np.isnan(want[off]).all()) for got, want, off in pairs)


@rule("torch's matrix_exp of narrow floats is nan or of any size; ours is the exponential")
def narrow_matrix_exp(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix(" with gradients") in ("matrix_exp", "linalg.matrix_exp")
    source = next((t for t in theirs.inputs if isinstance(t, torch.Tensor)), None)
    if kind != "differ" or not named or source is None or source.dtype not in (torch.float16, torch.bfloat16):
        return False
    pairs = pairs_of(theirs, mine)
    if pairs is None:
        return False
    (got, _, _), *gradients = pairs
    exact = torch.matrix_exp(source.detach().double()).numpy()
    right = (
        is_near(got, exact, 2**-6 * largest_of(exact)) or largest_of(exact) > torch.finfo(source.dtype).max
    )
    garbage = all(not np.isfinite(want[off]).any() or largest_of(want) > 100 for _, want, off in gradients)
    return right and garbage


@rule(
    "lstsq by gelsy with an rcond of one's own: LAPACK estimates the rank from a pivoted QR; ours counts singular values"
)
def rank_of_a_pivoted_qr(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix(" with gradients") == "linalg.lstsq" and kind == "differ"
    rcond = [*call.args[2:3], call.kwargs.get("rcond")][0]
    return named and rcond is not None and call.kwargs.get("driver") in (None, "gelsy")


@rule(
    "mvlgamma of narrow floats: torch rounds each of its terms, which cancel; ours are added in single precision"
)
def cancelling_terms(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix("_").endswith("mvlgamma") and kind == "differ"
    narrow = [
        t for t in theirs.inputs if isinstance(t, torch.Tensor) and t.dtype in (torch.bfloat16, torch.float16)
    ]
    return named and bool(narrow)


@rule("cholesky_inverse of a factor whose diagonal is not real: LAPACK reads its real part alone")
def complex_diagonal(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if call.name.removesuffix(" with gradients") != "cholesky_inverse" or kind != "differ":
        return False
    return any(np.diagonal(a, axis1=-2, axis2=-1).imag.any() for a in call_arrays(call) if a.ndim > 1)


@rule("torch's Laguerre, Legendre and most Chebyshev polynomials of nan are what the memory held")
def polynomials_of_nan(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search(
        "(laguerre_polynomial_l|legendre_polynomial_p|chebyshev_polynomial_[tuw])( with gradients)?$",
        call.name,
    )
    if named and isinstance(mine.result, tuple):  # torch has no gradients of them
        mine = dataclasses.replace(mine, result=mine.result[0])
    pairs = pairs_of(theirs, mine) if named else None
    return pairs is not None and all(bool(np.isnan(got[off]).all()) for got, _, off in pairs)


@rule("airy_ai of numbers below -1000: the phase of a wave, of which their dtype holds few digits")
def airy_far_out(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name.removesuffix(" with gradients") == "special.airy_ai"
    if named and isinstance(mine.result, tuple):  # torch has no gradients of it
        mine = dataclasses.replace(mine, result=mine.result[0])
    pairs = pairs_of(theirs, mine) if named else None
    return pairs is not None and all((call_arrays(call)[0][off] < -1000).all() for _, _, off in pairs)


@rule("polynomials of a degree in the millions: as many steps, each rounded")
def polynomial_of_high_degree(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search("_polynomial_[a-z]+( with gradients)?$", call.name)
    degrees = [x for x in (*call.args, *call.kwargs.values()) if isinstance(x, int | float)]
    if not named or max(degrees, default=0) < 1e6:
        return False
    if isinstance(mine.result, tuple) and not isinstance(theirs.result, tuple):  # torch has no gradients
        mine = dataclasses.replace(mine, result=mine.result[0])
    pairs = pairs_of(theirs, mine)
    return pairs is not None and all(is_near(got[off], want[off], 1e-4) for got, want, off in pairs)


@rule("a column that is 0 but for rounding has a reflector of rounding errors")
def reflector_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name.removesuffix(" with gradients") == "geqrf"
    pairs = pairs_of(theirs, mine) if named else None
    if not pairs or pairs[0][1].ndim < 2:
        return False
    got, want, off = pairs[0]
    pivots = np.abs(np.diagonal(want, axis1=-2, axis2=-1))[..., None, :]
    small = np.zeros(off.shape, bool)
    small[..., :, : pivots.shape[-1]] = pivots <= 1e-6 * _largest(call)
    return bool(small[off].all()) and is_near(np.triu(got), np.triu(want), 1e-5 * _largest(call))


@rule("ELU and CELU with an alpha that is not finite: 0 times it is nan, where torch's vectors have 0")
def alpha_that_is_not_finite(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search("(elu|ELU)_?( with gradients)?$", call.name) is not None
    numbers = [a for a in call_arrays(call) if a.ndim == 0]
    return named and not all(np.isfinite(a) for a in numbers)


@rule("windows of infinite coefficients: inf times a cosine that is 0 but for rounding")
def infinite_coefficients(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    given = [*call.args[1:2], call.kwargs.get("a"), call.kwargs.get("alpha")]
    return (
        kind == "differ"
        and re.search("general_(cosine|hamming)$", call.name) is not None
        and "inf" in repr(given)
    )


@rule(
    "torch's unique_consecutive takes its second argument, return_inverse, for return_counts where it has no name"
)
def unnamed_inverse(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.target in ("torch.unique_consecutive", "unique_consecutive")
    return kind == "differ" and named and len(call.args) > 1


@rule("attention drops at random where it is asked to; multi_head_attention_forward not with training=False")
def random_attention(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if kind == "differ" and "scaled_dot_product_attention" in call.name:
        return bool([*call.args[4:5], call.kwargs.get("dropout_p", 0)][0])
    if kind != "differ" or "multi_head_attention_forward" not in call.name:
        return False
    drops = [*call.args[10:11], call.kwargs.get("dropout_p", 0)][0]
    return bool(drops) and [*call.args[13:14], call.kwargs.get("training", True)][0] is not False


@rule("torch's vectorised GELU is nan at inf, where that of a single number is inf; ours is inf")
def gelu_at_infinity(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix(" with gradients") in ("nn.functional.gelu", "nn.GELU", "gelu")
    pairs = pairs_of(theirs, mine) if named and kind == "differ" else None
    return pairs is not None and all(bool(np.isnan(want[off]).all()) for _, want, off in pairs)


@rule("segment_reduce with offsets beyond the data: torch reads what lies there")
def offsets_beyond(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if kind == "only ours raises" and call.name == "segment_reduce":
        return "whose dims before axis" in str(mine.error)
    offsets = call.kwargs.get("offsets")
    if (
        kind != "differ"
        or call.name != "segment_reduce"
        or not hasattr(offsets, "array")
        or not hasattr(call.args[0], "array")
    ):
        return False
    axis = call.kwargs.get("axis", 0)
    return bool((offsets.array > call.args[0].array.shape[axis]).any())


@rule("attention to values of an empty batch, or of no heads: torch reads what lies there")
def attention_to_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind in ("differ", "only ours raises") and "scaled_dot_product_attention" in call.name
    return named and any(a.ndim > 2 and 0 in a.shape[:-2] for a in call_arrays(call)[:3])


@rule("complex numbers of two float16: JAX has none, and ours are complex64")
def complex_halves(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    distance = call.name.endswith("dist") and any(a.dtype.kind == "c" for a in call_arrays(call))
    made = (torch.complex32, torch.float16) if distance else (torch.complex32,)
    halves = [isinstance(t, torch.Tensor) and t.dtype in made for t in flat(theirs.result)]
    refused = kind == "only torch raises" and "'ComplexHalf'" in str(theirs.error)
    return refused or (kind == "differ" and any(halves))


@rule("a resampling with antialias to a width of 1: every row of torch's is the first")
def antialias_to_one_column(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search("(interpolate|Upsample|upsample)", call.name)
    result = flat(theirs.result)[0] if named and "antialias" in call.kwargs else None
    return isinstance(result, torch.Tensor) and result.ndim == 4 and result.shape[3] == 1


@rule("an optimizer that diverges multiplies its rounding errors at every step")
def diverging_optimizer(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    pairs = pairs_of(theirs, mine) if kind == "differ" and call.name.startswith("optim.") else None
    return pairs is not None and all(
        bool((np.abs(want[off]) > 1e6).all()) and is_near(got[off], want[off], 1e-2 * largest_of(want))
        for got, want, off in pairs
    )


@rule("numbers below the least normal one: XLA takes them for 0")
def below_normal(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    parts = [
        p
        for a in call_arrays(call)
        if a.dtype.kind in "fc"
        for p in ((a.real, a.imag) if a.dtype.kind == "c" else (a,))
    ]
    return kind == "differ" and any(
        bool(((p != 0) & (np.abs(p) < np.finfo(p.dtype).tiny)).any()) for p in parts
    )


@rule("powers below the least normal number, of which a norm is made: XLA takes them for 0")
def powers_below_normal(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search("(LPPool|lp_pool)", call.name)
    pairs = pairs_of(theirs, mine) if named else None
    return pairs is not None and all(
        not got[off].any() and largest_of(want[off]) < 1 for got, want, off in pairs
    )


@rule("torch's cov of a number and its weight subtracts the mean in place")
def cov_in_place(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    from tests.fuzz.outcome import _differ

    named = kind == "differ" and call.name.removesuffix(" with gradients") == "cov"
    return named and not _differ(mine.result, theirs.result, theirs, mine, False)


@rule("edges of bins that are not in order: which bin a number falls in is what a search among them meets")
def edges_out_of_order(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name.removesuffix(" with gradients") in ("histogram", "histogramdd")
    return named and any(a.ndim == 1 and bool((np.diff(a) < 0).any()) for a in call_arrays(call)[1:])


@rule("the sign of a nan: torch's vectorised conversions to bfloat16 set it")
def sign_of_nan(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        kind == "differ"
        and call.name.removesuffix("_") in ("signbit", "copysign")
        and any(np.isnan(a.astype(np.float32)).any() for a in call_arrays(call))
    )


@rule("the condition number of a matrix that is singular but for rounding")
def condition_of_singular(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    pairs = pairs_of(theirs, mine) if kind == "differ" and call.name == "linalg.cond" else None
    return pairs is not None and all(
        bool((np.minimum(got[off], want[off]) > 0.01 / np.finfo(want.dtype).eps).all())
        for got, want, off in pairs
    )


@rule(
    "windows of halves, and points sampled from them: torch rounds every step of the formula; ours are rounded once"
)
def formulas_of_halves(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    sampled = call.name == "nn.functional.grid_sample"
    pairs = (
        pairs_of(theirs, mine) if kind == "differ" and (sampled or call.name.endswith("_window")) else None
    )
    step = {torch.bfloat16: 2**-7, torch.float16: 2**-10}.get(getattr(theirs.result, "dtype", None), 0.0)
    if pairs and sampled:  # sums of taps, which may cancel
        step *= 16 * largest_of(torch_recorded(theirs.inputs[0].float()).array)
    return pairs is not None and all(is_near(got, want, step) for got, want, _ in pairs)


@rule("powers of complex numbers beyond the largest: inf, nan or 0, as the products go")
def complex_powers(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    pairs = pairs_of(theirs, mine) if kind == "differ" and call.name == "logspace" else None
    return pairs is not None and all(
        got.dtype.kind == "c" and not np.isfinite(got[off]).any() for got, _, off in pairs
    )


@rule("attention scaled by 0: torch multiplies the -inf of its mask by it")
def attention_scaled_by_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and "scaled_dot_product_attention" in call.name
    return named and call.kwargs.get("scale") == 0


@rule(
    "lp_pool of an infinite order in a tensor: torch looks for the number alone, and takes the power 1 / inf"
)
def infinite_order_in_a_tensor(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    orders = [a for a in call_arrays(call) if a.ndim == 0 and a.dtype.kind == "f"]
    return kind == "differ" and "lp_pool" in call.name.lower() and any(np.isinf(a) for a in orders)


@rule(
    "functions of integers, which are computed in float32, written into a float64 `out=`: rounded as float32 is"
)
def integers_into_wide(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    into = kind == "differ" and getattr(call.kwargs.get("out"), "dtype", None) == "float64"
    given = flat([*call.args, *[x for n, x in call.kwargs.items() if n != "out"]])
    whole = all(x.array.dtype.kind in "iub" for x in given if hasattr(x, "array"))
    pairs = pairs_of(theirs, mine) if into and whole else None
    return pairs is not None and all(
        is_near(got[off], want[off], 1e-6 * largest_of(want[off])) for got, want, off in pairs
    )


@rule(
    "normalization of halves: torch's CPU kernel rounds the mean and the standard deviation to the half as well"
)
def statistics_in_halves(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    instance = re.fullmatch(r"(nn\.functional\.instance_norm|nn\.InstanceNorm\dd)", call.name)
    named = kind == "differ" and (
        instance or re.fullmatch(r"(nn\.functional\.|torch\.)?batch_norm|nn\.BatchNorm\dd", call.name)
    )
    pairs = pairs_of(theirs, mine) if named else None
    first = flat(theirs.result)[0]
    inputs = [a for a in call_arrays(call) if a.ndim > 1] if pairs else []
    if not inputs or getattr(first, "dtype", None) not in (torch.float16, torch.bfloat16):
        return False
    axes = tuple(i for i in range(inputs[0].ndim) if i > 1 or (i == 0 and not instance))
    spread = float(inputs[0].std(axes).min())
    by = 2 * torch.finfo(first.dtype).eps * largest_of(inputs[0]) / max(spread, 1e-6)
    return all(is_near(got, want, by) for got, want, _ in pairs)
