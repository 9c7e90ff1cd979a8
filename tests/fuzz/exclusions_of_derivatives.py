"""Exclusions, with their reasons, of derivatives that differ, in calls of functional.py, modules.py and
constructed.py."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import torch

from tests.arguments import flat
from tests.fuzz.exclusions import call_arrays, rule
from tests.fuzz.exclusions_of_results import is_call, is_near, largest_of, pairs_of


@rule(
    "the gradient of elements that a function does not read (the other triangle, an unused pivot) is torch's formula at garbage"
)
def unread_triangle(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    unread = (
        "cholesky",
        "eigh",
        "triangular",
        "ormqr",
        "orgqr",
        "householder",
        "lu_solve",
        "lu_unpack",
        "ldl",
    )
    return (
        is_call(call)
        and kind == "differ"
        and "with gradients" in call.name
        and any(w in call.name for w in unread)
    )


@rule(
    "torch's formula of the derivative subtracts a bool from a number or negates it, which it refuses; ours counts it as the number that it "
    "is, as both do in the function"
)
def bools_in_formulas(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = "gammainc|igamma|zeta|pow|atan2|arctan2|logaddexp|soft_margin_loss|SoftMarginLoss"
    if kind != "only torch raises" or not is_call(call) or not re.search(named, call.name):
        return False
    refused = re.search(r"(Subtraction|Negation), the `-` operator", str(theirs.error)) is not None
    return refused and any(a.dtype.kind == "b" for a in call_arrays(call))


@rule(
    "torch refuses a gradient with respect to this argument, or has no derivative of the function; ours has one"
)
def more_derivatives(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    graded = is_call(call) and "with gradients" in call.name
    if kind in ("only torch raises", "error type"):
        return graded and any(
            w in str(theirs.error)
            for w in (
                "not differentiable",
                "is not implemented",
                "for outputs with complex dtype",
                "Expected grad_output to have non-zero size",
                "size mismatch (got input: [",  # nll_loss's, of a target that it took
            )
        )
    if (
        not graded
        or kind != "differ"
        or not isinstance(mine.result, tuple)
        or isinstance(theirs.result, tuple)
    ):
        return False
    from tests.fuzz.outcome import _differ

    return not _differ(mine.result[0], theirs.result, theirs, mine, True)


@rule(
    "gradients of narrow floats: torch rounds every step of a backward to the narrow dtype, and adds what was rounded"
)
def narrow_sums(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    graded = is_call(call) and kind == "differ" and "with gradients" in call.name
    narrow = [t for t in flat(theirs.inputs) if getattr(t, "dtype", None) in (torch.bfloat16, torch.float16)]
    pairs = pairs_of(theirs, mine) if graded and narrow else None
    step = 2**-8 if any(t.dtype is torch.bfloat16 for t in narrow) else 2**-11
    most = max([largest_of(want) for _, want, _ in pairs or ()], default=0.0)
    return pairs is not None and all(
        is_near(got[off], want[off], 8 * step * most) for got, want, off in pairs
    )


@rule(
    "the derivative of an LU factorization divides by the pivots: of a singular matrix it is none, here nan or inf, as the products go"
)
def lu_of_singular(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    names = ("linalg.lu", "linalg.lu_factor", "linalg.lu_factor_ex", "lu")
    graded = is_call(call) and kind == "differ" and "with gradients" in call.name
    if not graded or call.name.removesuffix(" with gradients") not in names:
        return False
    pairs = pairs_of(theirs, mine)
    return pairs is not None and all(
        not np.isfinite(got[off]).any() and not np.isfinite(want[off]).any() for got, want, off in pairs
    )


@rule("a gradient that is a sum of thousands of terms: torch adds them one by one, and rounds each time")
def long_sums(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    spread = any(w in call.name for w in ("pool", "upsample", "interpolate"))
    pooled = is_call(call) and kind == "differ" and spread and "with gradients" in call.name
    pairs = pairs_of(theirs, mine) if pooled else None
    return pairs is not None and all(
        pairs[0][0].size >= 1000 * got.size and is_near(got[off], want[off], 1e-3 * largest_of(want))
        for got, want, off in pairs
        if off.any()
    )


@rule(
    "ctc_loss with its blank among the targets: torch's gradient then counts alignments twice; ours is that of finite differences"
)
def blank_in_targets(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if not (is_call(call) and call.name == "nn.functional.ctc_loss with gradients" and kind == "differ"):
        return False
    given = (
        dict(zip(("log_probs", "targets", "input_lengths", "target_lengths", "blank"), call.args))
        | call.kwargs
    )
    return bool((given["targets"].array == given.get("blank", 0)).any())


@rule(
    "the derivative of logdet at a singular matrix is infinite, with the sign of a rounding error, or of a zero"
)
def logdet_of_singular(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name == "logdet with gradients" and kind == "differ"
    pairs = pairs_of(theirs, mine) if named else None
    return pairs is not None and all(bool(np.isinf(want[off]).all()) for _, want, off in pairs)


@rule(
    "gradients of a resampling by a scale that leaves a size as it is: torch's are not those of what it computed, as the sum of "
    "gradient times input shows, which is that of cotangent times result"
)
def scaled_to_the_same_size(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search(r"(interpolate|upsample\w*) with gradients$", call.name)
    scales = call.kwargs.get("scale_factor")
    pairs = pairs_of(theirs, mine) if named and scales is not None else None
    if not pairs or pairs[0][2].any():
        return False
    sizes = call_arrays(call)[0].shape[2:]
    scales = scales if isinstance(scales, tuple | list) else [scales] * len(sizes)
    return any(s != 1 and int(n * s) == n for n, s in zip(sizes, scales))


@rule(
    "the derivative of a variance over dim=(), which is over all: torch divides by the count of one element"
)
def variance_over_no_dims(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    from tests.fuzz.outcome import Arr, _run

    if kind != "differ" or not re.search("(var|std)(_mean)? with gradients$", call.name):
        return False
    dims = tuple(range(call_arrays(call)[0].ndim))

    def spelled(x: Any) -> Any:
        return dims if isinstance(x, tuple | list) and not x else x

    args, kwargs = tuple(map(spelled, call.args)), {k: spelled(x) for k, x in call.kwargs.items()}
    whole = _run(dataclasses.replace(call, args=args, kwargs=kwargs), torch, torch.Tensor, Arr.torch)
    pairs = (
        pairs_of(whole, mine) if whole.error is None else None
    )  # torch's own, where the dims are spelled out
    return pairs is not None and not any(off.any() for _, _, off in pairs)


@rule("derivatives of norms that overflow: torch's and ours are inf or nan, as the products go")
def norm_by_infinity(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search("(norm|distance|Distance|dist) with gradients$", call.name)
    pairs = pairs_of(theirs, mine) if named else None
    orders = [x for x in (*call.args[1:3], call.kwargs.get("p", 2)) if isinstance(x, int | float)]
    overflows = call.name == "renorm with gradients" and orders and orders[0] > 64
    return pairs is not None and (
        overflows
        or all(
            not np.isfinite(got[off]).any() and not np.isfinite(want[off]).any() for got, want, off in pairs
        )
    )


@rule(
    "derivatives at the poles of digamma: torch's are as large as the rounding of sin(pi x) lets them be; ours are infinite"
)
def digamma_at_poles(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search(
        "(digamma|psi|polygamma|mvlgamma|multigammaln) with gradients$", call.name
    )
    pairs = pairs_of(theirs, mine) if named else None
    return pairs is not None and all(
        bool((~np.isfinite(got[off]) & (np.abs(want[off]) > 1e9)).all()) for got, want, off in pairs
    )


@rule("the derivative of channel_shuffle without channels: torch's asks for groups of none")
def shuffle_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "only torch raises" and "channel_shuffle with gradients" in call.name
    return named and "Value of groups:0" in str(theirs.error)


@rule("max_unpool's derivative of a result without elements: torch looks at the indices then, and not before")
def unpool_to_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "only torch raises" and re.search(r"max_unpool\dd with gradients$", call.name)
    return bool(named) and "with size 0" in str(theirs.error)


@rule(
    "derivatives where nan is compared, i1 and i1e at nan and logit of eps=nan: torch's is finite, ours nan; a bound of hardtanh that "
    "is nan: torch's vectors have 0, its single elements 1"
)
def branch_of_nan(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    bessel = re.search(r"\bi1e? with gradients$", call.name)
    numbers = [x for x in (*call.args, *call.kwargs.values()) if isinstance(x, float)]
    logit = call.name.endswith("logit with gradients") and np.isnan(numbers).any()
    bounds = (
        call.name.endswith(("hardtanh with gradients", "hardtanh_ with gradients"))
        and np.isnan(numbers).any()
    )
    pairs = pairs_of(theirs, mine) if kind == "differ" and (bessel or logit or bounds) else None
    if pairs is None or pairs[0][2].any():
        return False
    return all(bounds or np.isnan(got[off]).all() for got, _, off in pairs)


@rule("poisson_nll_loss's derivative by a target that is not positive: torch's is 0 times that of log, nan")
def stirling_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name.endswith("poisson_nll_loss with gradients")
    pairs = pairs_of(theirs, mine) if named else None
    return pairs is not None and all(
        np.isnan(want[off]).all() and np.isfinite(got[off]).all() for got, want, off in pairs
    )


@rule("log_ndtr's derivative below -40: torch's loses its digits, and is nan in the end; ours is -x")
def tail_of_log_ndtr(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name.endswith("log_ndtr with gradients")
    pairs = pairs_of(theirs, mine) if named else None
    return pairs is not None and all((call_arrays(call)[0][off] < -40).all() for _, _, off in pairs)


@rule(
    "which of equal elements a sort puts first is left open: torch's is not stable, and the derivative goes to one of them"
)
def derivative_of_equals(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and re.search(r"\b((nan)?quantile|m?sort) with gradients$", call.name)
    pairs = pairs_of(theirs, mine) if named else None
    if not pairs:
        return False
    data = call_arrays(call)[0]
    of_data = [k for k, (got, _, _) in enumerate(pairs) if k and got.shape == data.shape][:1]
    if not of_data or any(off.any() for k, (_, _, off) in enumerate(pairs) if k not in of_data):
        return False
    got, want, off = pairs[of_data[0]]
    _, which, count = np.unique(data, return_inverse=True, return_counts=True)
    sums = [np.bincount(which.ravel(), np.ravel(g)) for g in (got, want)]
    return bool((count[which].reshape(data.shape)[off] > 1).all()) and np.allclose(*sums, 1e-4, 1e-4)


@rule("lu_unpack's derivative without its data: torch's asks for parts of what is not there")
def unpacked_without_data(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "only torch raises" and call.name == "lu_unpack with gradients"
    return named and "exceeds dimension size (0)" in str(theirs.error)


@rule(
    "embedding_bag's derivative by rows behind the last of its offsets, in no bag: torch's is what lies there"
)
def behind_the_last_offset(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name in (
        "nn.functional.embedding_bag with gradients",
        "nn.EmbeddingBag with gradients",
    )
    counts = [a for a in call_arrays(call) if a.dtype.kind in "iu"] if named else []
    return len(counts) == 2 and counts[1].size > 0 and counts[1].flat[-1] < counts[0].size


@rule(
    "corrcoef of one variable, which is 1: its derivative is 0, and torch's what rounding to a narrow float leaves of it"
)
def correlation_of_one(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name == "corrcoef with gradients"
    pairs = pairs_of(theirs, mine) if named else None
    narrow = [t for t in flat(theirs.inputs) if getattr(t, "dtype", None) in (torch.bfloat16, torch.float16)]
    return (
        bool(pairs and narrow)
        and call_arrays(call)[0].ndim < 2
        and all(not got[off].any() for got, _, off in pairs)
    )


@rule("zeta of True: torch's formula of its derivative negates it; ours takes it for 1")
def zeta_of_true(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "only torch raises" and call.name == "special.zeta with gradients"
    return named and "torch boolean negative" in str(theirs.error)
