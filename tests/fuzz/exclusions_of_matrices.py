"""Exclusions: factorizations of matrices without full rank, and of shapes for which PyTorch's kernels read or return
something else."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.exclusions import call_arrays, rule
from tests.fuzz.exclusions_of_results import largest_of, pairs_of


def _name(call: Any) -> str:
    return call.name.removesuffix(" with gradients")


def _ranks(a: np.ndarray) -> bool:
    """Whether the matrices are all of full rank."""
    finite = a.size and np.isfinite(a).all()
    return bool(finite and (np.linalg.matrix_rank(a) == min(a.shape[-2:])).all())


@rule("lstsq by gels of a matrix without full rank: LAPACK's divisor is 0, or what rounding left of it")
def gels_of_a_lower_rank(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _name(call) == "linalg.lstsq" and kind in ("differ", "only torch raises")
    matrices = [a for a in call_arrays(call)[:1] if a.ndim > 1]
    return named and call.kwargs.get("driver") == "gels" and any(not _ranks(a) for a in matrices)


@rule(
    "lstsq of one matrix and an empty batch of right sides: torch returns uninitialised memory, or results of another shape"
)
def lstsq_of_an_empty_batch(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _name(call) == "linalg.lstsq" and kind == "differ"
    return named and any(0 in a.shape[:-2] for a in call_arrays(call)[:2])


@rule("ldl_solve by a singular block: infinite in one library, nan in the other")
def ldl_of_a_singular_block(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    pairs = pairs_of(theirs, mine) if _name(call) == "linalg.ldl_solve" and kind == "differ" else None
    return pairs is not None and all(not np.isfinite(want[off]).any() for _, want, off in pairs)


@rule(
    "cholesky of a matrix with an infinite pivot: LAPACK's float32 makes nan of what follows, its float64 divides; to ours it is not "
    "positive definite"
)
def infinite_pivot(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _name(call) in ("cholesky", "linalg.cholesky", "linalg.cholesky_ex") or (
        call.name.startswith("distributions.") and "PositiveDefinite" in str(mine.error)
    )
    infinite = any(a.ndim > 1 and np.isinf(a).any() for a in call_arrays(call) if a.dtype.kind in "fc")
    return named and infinite and kind in ("differ", "only ours raises")


@rule("qr of a matrix without full rank: columns of Q are quotients of rounding errors")
def qr_of_a_lower_rank(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _name(call) in ("qr", "linalg.qr") and kind == "differ"
    return named and any(a.ndim > 1 and not _ranks(a) for a in call_arrays(call)[:1])


@rule("addmv of a matrix without elements: torch returns beta * input, in input's shape")
def addmv_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix("_") == "addmv" and kind == "differ"
    return named and any(a.ndim == 2 and not a.size for a in call_arrays(call)[1:2])


@rule(
    "attention to more or fewer values than keys: torch's kernel counts one of them, and reads what lies there; ours refuses"
)
def values_without_keys(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = "scaled_dot_product_attention" in call.name and kind in ("differ", "only ours raises")
    keys, values = ([a for a in call_arrays(call) if a.ndim > 1][1:3] + [None, None])[:2]
    return named and keys is not None and values is not None and keys.shape[-2] != values.shape[-2]


@rule("causal attention with a negative scale: torch's kernel scales the -inf of its mask, to inf")
def scaled_mask(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = "scaled_dot_product_attention" in call.name and call.kwargs.get("is_causal") is True
    scale = call.kwargs.get("scale")
    return named and kind == "differ" and isinstance(scale, int | float) and scale < 0


@rule('conv with padding="same" that is not even on both sides: torch does not compare the dtype of the bias')
def bias_beside_padding(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    said = kind == "only ours raises" and "bias type" in str(mine.error)
    return said and ".conv" in call.name.lower() and "same" in (*call.args, *call.kwargs.values())


@rule("stft of an empty batch: torch's transforms fail; ours is empty")
def stft_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name == "stft" and kind == "only torch raises"
    return named and any(a.ndim == 2 and not len(a) for a in call_arrays(call)[:1])


@rule(
    "Kumaraswamy's variance is a difference of moments; where they are equal but for rounding, stddev is its root, or nan"
)
def equal_moments(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name == "distributions.Kumaraswamy" and kind == "differ" and call.args[1] == "stddev"
    pairs = pairs_of(theirs, mine) if named else None
    return pairs is not None and all(
        largest_of(x[off]) < 1e-7 for got, want, off in pairs for x in (got, want)
    )


@rule("pinv of a matrix without full rank, where no singular value counts as 0: quotients of rounding errors")
def pinv_without_tolerance(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    older = _name(call).endswith("pinverse")
    if kind != "differ" or not (older or _name(call).endswith("pinv")):
        return False
    given = [call.kwargs.get(n) for n in ("atol", "rtol", "rcond")] + list(call.args[1:2])
    given = [x.array.min(initial=0) if hasattr(x, "array") else x for x in given if x is not None]
    matrices = call_arrays(call)[:1]
    rounded = matrices[0].dtype.kind in "fc" and np.finfo(matrices[0].dtype).eps
    given = given or ([1e-15] if older else [])  # less than float32 is rounded by
    none = all(isinstance(x, int | float | np.number) and x <= (rounded if older else 0) for x in given)
    return bool(given) and none and any(a.ndim > 1 and not _ranks(a) for a in matrices)


@rule(
    "derivatives at a matrix with equal singular values, or svdvals' where one is 0: any vectors of their space will do, and each choice has its own"
)
def equal_singular_values(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    names = ("eigvalsh", "svdvals", "matrix_norm", "norm", "cond")
    named = kind == "differ" and "with gradients" in call.name and _name(call).rpartition(".")[2] in names
    first = call_arrays(call)[0] if named else np.zeros(())
    if first.ndim < 2 or not np.isfinite(first).all():
        return False
    values = np.linalg.svd(first.astype(np.complex128), compute_uv=False)
    if _name(call).endswith("svdvals"):
        values = np.concatenate([values, np.zeros_like(values[..., :1])], -1)
    return bool((values[..., :-1] - values[..., 1:] <= 1e-6 * values[..., :1]).any())


@rule(
    "determinants of singular matrices, and systems: by rounding errors or nothing, so infinite, nan, or torch's 0"
)
def singular(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    names = ("det", "slogdet", "logdet", "solve", "solve_ex")
    named = kind == "differ" and _name(call).rpartition(".")[2] in names
    if not named or not any(a.ndim > 1 and not _ranks(a) for a in call_arrays(call)[:1]):
        return False
    pairs = pairs_of(theirs, mine)
    if _name(call).rpartition(".")[2] == "det":  # whose derivative is that of the cofactors
        return pairs is not None and all(not want[off].any() for _, want, off in pairs)
    return pairs is not None and all(
        not np.isfinite(got[off]).any() and not np.isfinite(want[off]).any() for got, want, off in pairs
    )


@rule(
    "solve by a matrix without full rank: the one library's elimination meets a pivot of 0, the other's one of rounding errors"
)
def zero_pivot(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if kind not in ("only ours raises", "only torch raises") or _name(call) not in (
        "linalg.solve",
        "linalg.solve_ex",
        "linalg.inv",
    ):
        return False
    error = mine.error if kind == "only ours raises" else theirs.error
    return "singular" in str(error) and any(a.ndim > 1 and not _ranks(a) for a in call_arrays(call)[:1])


@rule(
    "the derivative of pinv(hermitian=True) of what is not Hermitian: torch's formula multiplies by both triangles"
)
def pinv_of_one_triangle(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name.endswith("pinv with gradients") and call.kwargs.get("hermitian")
    first = call_arrays(call)[0] if named else np.zeros((0, 0))
    return bool(named) and not np.array_equal(first, first.swapaxes(-1, -2).conj(), equal_nan=True)


@rule(
    "the mean of var_mean and std_mean where numbers cancel: torch adds in double precision, ours as torch.mean does in single"
)
def mean_of_what_cancels(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if kind != "differ" or _name(call) not in ("var_mean", "std_mean"):
        return False
    pairs = pairs_of(theirs, mine)
    largest = max([float(np.abs(a).max()) for a in call_arrays(call)[:1] if a.size], default=0.0)
    return (
        pairs is not None
        and not pairs[0][2].any()
        and all(bool((np.abs(got[off] - want[off]) <= 2**-23 * largest).all()) for got, want, off in pairs)
    )


@rule("the mean of var_mean and std_mean where numbers are infinite: Welford's is nan unless they come last")
def mean_of_infinities(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and _name(call) in ("var_mean", "std_mean")
    infinite = named and any(np.isinf(a).any() for a in call_arrays(call) if a.dtype.kind in "fc")
    pairs = pairs_of(theirs, mine) if infinite else None
    return pairs is not None and all(
        not np.isfinite(got[off]).any() and not np.isfinite(want[off]).any() for got, want, off in pairs
    )
