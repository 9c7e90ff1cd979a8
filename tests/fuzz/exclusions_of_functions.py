"""Exclusions, with their reasons, for calls of functional.py, modules.py and constructed.py; those of exclusions.py hold for them too."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.arguments import replace
from tests.fuzz.exclusions import call_arrays, rule
from tests.fuzz.functional import Call

_SUMS = tuple(
    "conv norm fft kaiser linear attention interpolate upsample sample cov corr cdist rnn gru lstm transformer pool".split()
)
"""Functions that add products: one nan or inf spreads to what shares a sum, or a block of a sum, with it."""


def _mine(call: Any) -> bool:
    return isinstance(call, Call)


def _finite(call: Any) -> bool:
    return all(np.isfinite(a).all() for a in call_arrays(call) if a.dtype.kind in "fc")


@rule(
    "torch's Python functions take what is no tensor for one, and fail at its first attribute or operator; ours say what is expected"
)
def no_tensor(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    fell = type(theirs.error) in (AttributeError, UnboundLocalError, AssertionError)
    return (
        _mine(call)
        and kind == "error type"
        and fell
        and isinstance(mine.error, TypeError | RuntimeError | ValueError)
    )


@rule("a call that is wrong in several ways: both raise, and which fault is named first is not specified")
def several_faults(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    known = (TypeError, ValueError, RuntimeError, IndexError, NotImplementedError, AttributeError)
    return _mine(call) and kind == "error type" and call.several and isinstance(mine.error, known)


@rule("torch's CPU kernels lack this floating point or complex dtype; ours compute it")
def missing_kernel(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    lacks = (
        "for 'Half'",
        "for 'BFloat16'",
        "for 'ComplexFloat'",
        "for 'ComplexDouble'",
        "Low precision dtypes not supported",
    )
    return _mine(call) and kind == "only torch raises" and any(w in str(theirs.error) for w in lacks)


@rule(
    "a function without a derivative: ours says so when it is recorded, torch when its gradient is asked for"
)
def no_derivative(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    error = mine.error if kind == "only ours raises" else theirs.error
    return (
        _mine(call) and kind in ("only ours raises", "only torch raises") and "derivative for" in str(error)
    )


@rule("a matrix with nan or inf: what LAPACK makes of it (nan, inf, an error) depends on the algorithm")
def matrix_not_finite(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    matrices = "linalg." in call.name or any(
        w in call.name for w in ("cholesky", "det", "inverse", "matrix_exp", "solve", "svd", "qr")
    )
    return _mine(call) and matrices and kind != "hang" and not _finite(call)


@rule("torch's vecdot of two vectors does not look at dim")
def vecdot_dim(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        _mine(call)
        and call.name.startswith("linalg.vecdot")
        and kind == "only ours raises"
        and "Dimension out of" in str(mine.error)
    )


@rule(
    "ctc_loss reads beyond the classes for a target out of range: torch returns whatever is there, ours nan"
)
def ctc_targets(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return _mine(call) and "ctc" in call.name.lower() and kind == "differ"


@rule("None for a number that has a default: ours takes the default, torch wants it left out")
def default_by_none(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    def nones(x: Any) -> Any:
        found.append(x is None)
        return x

    found: list[bool] = []
    replace([list(call.args), call.kwargs], nones)
    said = "NoneType" in str(theirs.error)
    return _mine(call) and kind == "only torch raises" and said and any(found)


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
        _mine(call)
        and kind == "differ"
        and "with gradients" in call.name
        and any(w in call.name for w in unread)
    )


@rule(
    "torch refuses a gradient with respect to this argument, or has no derivative of the function; ours has one"
)
def more_derivatives(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    graded = _mine(call) and "with gradients" in call.name
    if kind == "only torch raises":
        return graded and any(w in str(theirs.error) for w in ("not differentiable", "is not implemented"))
    return (
        graded
        and kind == "differ"
        and isinstance(mine.result, tuple)
        and not isinstance(theirs.result, tuple)
    )


@rule("XLA without its optimisations, as the fuzzer runs it, has no lowering of a barrier")
def barrier(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "only ours raises" and "opt-barrier" in str(mine.error)


@rule(
    "numbers so large, or not finite, that the formula overflows on the way: torch's kernels and ours overflow at other places"
)
def overflow(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    large = any(
        np.abs(a[np.isfinite(a)]).max(initial=0) >= 1e4 for a in call_arrays(call) if a.dtype.kind in "fc"
    )
    sums = any(w in call.name.lower() for w in _SUMS)
    return _mine(call) and kind == "differ" and (large or (sums and not _finite(call)))


@rule("lstsq drops what is below rcond by another factorization than torch's pivoted QR")
def lstsq_rank(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        _mine(call) and call.name.startswith("linalg.lstsq") and kind == "differ" and "rcond" in call.kwargs
    )


@rule(
    "a sequence of ints given as a tensor or a single int: refused by both, torch's exception depends on the overload"
)
def sequence_of_ints(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    said = ("must be tuple of ints, not int", "cannot be converted to Scalar")
    return _mine(call) and kind == "error type" and any(w in str(mine.error) for w in said)


@rule("trunc_normal_ of a spread that is none: torch draws from something, ours refuses")
def truncated(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        _mine(call)
        and call.name == "nn.init.trunc_normal_"
        and kind == "only ours raises"
        and "std > 0" in str(mine.error)
    )


@rule(
    "float16 or bfloat16 beside wider arguments: what is computed of the narrow one alone is rounded at another step"
)
def narrow_beside_wide(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    found: set[str] = set()

    def note(x: Any) -> Any:
        if hasattr(x, "array"):
            found.add(x.dtype or str(x.array.dtype))
        return x

    replace([list(call.args), call.kwargs], note)
    narrow = found & {"float16", "bfloat16"}
    return (
        _mine(call)
        and kind == "differ"
        and bool(narrow)
        and len(found) > 1
        and "elements differ" in _words(theirs, mine)
    )


def _words(theirs: Any, mine: Any) -> str:
    """What differs, when results have the same structure; results of other shapes or dtypes are no matter of rounding."""
    from tests.fuzz.outcome import _differ

    return _differ(mine.result, theirs.result, theirs, mine, True) or ""
