"""Compares two results: `torch._dynamo.utils.same`."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..._core.api import Tensor, device, dtypes, is_numpys, strided

__all__ = ["rmse", "same"]

log = logging.getLogger("torch._dynamo.utils")

_MODEL_OUTPUTS = ("MaskedLMOutput", "Seq2SeqLMOutput", "CausalLMOutputWithCrossAttentions")
"""Outputs of language models, of which the logits count."""
_HALVES = ("float16", "bfloat16")


def _numbers(t: Tensor) -> np.ndarray:
    """A tensor's numbers in double precision; whole numbers and bools as they are."""
    if t.layout is not strided:
        t = t.to_dense()
    dtype = t.dtype
    if dtype.is_complex:
        return t.detach().resolve_conj().cpu().numpy().astype(np.complex128)
    array = t.detach().cpu().numpy() if dtype.name != "bfloat16" else t.detach().cpu().float().numpy()
    return array.astype(np.float64) if dtype.is_floating_point else array


def rmse(ref: np.ndarray, res: np.ndarray) -> float:
    """The root of the mean of the squared differences; NaN of none."""
    if not ref.size:
        return math.nan
    with np.errstate(all="ignore"):
        return float(np.sqrt(np.mean(np.abs(ref - res) ** 2)))


def same(
    ref: Any,
    res: Any,
    fp64_ref: Any = None,
    cos_similarity: bool = False,
    tol: float = 1e-4,
    equal_nan: bool = False,
    exact_dtype: bool = True,
    relax_numpy_equality: bool = False,
    ignore_non_fp: bool = False,
    log_error: Callable[..., None] = log.error,
    use_larger_multiplier_for_smaller_tensor: bool = False,
) -> bool:
    """Returns whether `res` is `ref`, to rounding: lists, tuples, dicts and sets part by part, tensors by their numbers.

    Floating point tensors are the same if all numbers are within `tol`, absolute or relative. If not, and `fp64_ref`
    is given (the result in double precision), they are if the root mean square of `res - fp64_ref` is at most m times
    that in `ref - fp64_ref`, plus tol / 10; m is 2, or 3 for half precision, for fewer than 1,000 elements and for
    tol >= 0.02. Whole numbers and bools must be equal.

    Args:
        cos_similarity: float tensors are the same if their cosine is at least 0.99.
        equal_nan: whether NaN equals NaN.
        exact_dtype: whether dtypes must agree.
        ignore_non_fp: only floating point numbers are compared.
        use_larger_multiplier_for_smaller_tensor: m is 10 for up to 10 elements, 8 for up to 500.

    Dicts of other keys raise AssertionError, objects of a class that it does not know RuntimeError. Tensors of other
    shapes are not the same.

    >>> torch._dynamo.utils.same(torch.ones(2), torch.ones(2) + 1e-6)
    True
    """
    options = {
        "cos_similarity": cos_similarity, "tol": tol, "equal_nan": equal_nan, "exact_dtype": exact_dtype,
        "relax_numpy_equality": relax_numpy_equality, "ignore_non_fp": ignore_non_fp, "log_error": log_error,
        "use_larger_multiplier_for_smaller_tensor": use_larger_multiplier_for_smaller_tensor,
    }  # fmt: skip
    fp64_ref = ref if fp64_ref is None else fp64_ref
    kind = type(ref).__name__
    if isinstance(ref, list | tuple) or kind == "ParameterList":
        if not (isinstance(res, list | tuple) or type(res).__name__ == "ParameterList"):
            raise AssertionError(f"type mismatch {type(ref)} {type(res)}")
        if len(ref) != len(res):
            log_error("Length mismatch: %s and %s", len(ref), len(res))
            return False
        return all(same(a, b, f, **options) for a, b, f in zip(ref, res, fp64_ref))
    if kind in _MODEL_OUTPUTS:
        return same(ref.logits, res.logits, fp64_ref.logits, **options)
    if isinstance(ref, dict):
        if not isinstance(res, dict) or set(ref) != set(res):
            there = set(res) if isinstance(res, dict) else type(res)
            raise AssertionError(f"keys mismatch {set(ref)} == {there}")
        for key in sorted(ref, key=str):
            if not same(ref[key], res[key], fp64_ref[key], **options):
                log_error("Accuracy failed for key name %s", key)
                return False
        return True
    if isinstance(ref, set):
        if not isinstance(res, set) or ref != res:
            log_error("Accuracy failed: the sets differ: %s and %s", ref, res)
            return False
        return True
    if isinstance(ref, Tensor) or (isinstance(ref, float) and not is_numpys(ref)):
        return _same_tensors(ref, res, fp64_ref, **options)
    if isinstance(ref, np.ndarray):
        return type(ref) is type(res) and _same_arrays(ref, res, fp64_ref, **options)
    if is_numpys(ref):
        number = ref.item() if relax_numpy_equality and not is_numpys(res) else ref
        return _told(type(number) is type(res) and bool(number == res), ref, res, log_error)
    if ref is None or isinstance(ref, str | int | device | dtypes.dtype):
        return ignore_non_fp or _told(bool(ref == res), ref, res, log_error)
    raise RuntimeError(f"unsupported type: {kind}")


def _told(equal: bool, ref: Any, res: Any, log_error: Callable[..., None]) -> bool:
    if not equal:
        log_error("Accuracy failed (%s): %s != %s", type(ref).__name__, ref, res)
    return equal


def _same_tensors(ref: Any, res: Any, fp64_ref: Any, **options: Any) -> bool:
    log_error = options["log_error"]
    names = []
    for t in (ref, res):
        if not isinstance(t, Tensor | float | int):
            raise AssertionError(f"type mismatch {type(ref)} {type(res)}")
        names.append(t.dtype.name if isinstance(t, Tensor) else "float32")
    if options["exact_dtype"] and names[0] != names[1]:
        log_error("dtype mismatch %s, %s", *names)
        return False
    arrays = [_numbers(t) if isinstance(t, Tensor) else np.float64(t) for t in (ref, res, fp64_ref)]
    has_fp64 = isinstance(fp64_ref, Tensor) and fp64_ref.dtype.name == "float64"
    return _same_numbers(*arrays, names[1], has_fp64, **options)


def _same_arrays(ref: np.ndarray, res: np.ndarray, fp64_ref: Any, **options: Any) -> bool:
    if options["exact_dtype"] and ref.dtype != res.dtype:
        options["log_error"]("dtype mismatch %s, %s", ref.dtype, res.dtype)
        return False
    wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in (ref, res, np.asarray(fp64_ref))]
    return _same_numbers(*wide, str(res.dtype), np.asarray(fp64_ref).dtype == np.float64, **options)


def _same_numbers(
    ref: np.ndarray,
    res: np.ndarray,
    fp64: np.ndarray,
    name: str,
    has_fp64: bool,
    *,
    cos_similarity: bool,
    tol: float,
    equal_nan: bool,
    ignore_non_fp: bool,
    log_error: Callable[..., None],
    use_larger_multiplier_for_smaller_tensor: bool,
    **_: Any,
) -> bool:
    """name: of the dtype of `res`; has_fp64: whether `fp64` is what double precision gave."""
    if ref.shape != res.shape:
        log_error("Accuracy failed: the shapes differ: %s and %s", ref.shape, res.shape)
        return False
    if np.asarray(ref).dtype.kind not in "fc":
        if ignore_non_fp or np.array_equal(ref, res):
            return True
        log_error("Accuracy failed: %s of %s numbers differ (%s)", np.sum(ref != res), ref.size, name)
        return False
    if cos_similarity:
        return _cosine(ref, res, tol)
    if np.allclose(res, ref, rtol=tol, atol=tol, equal_nan=equal_nan):
        return True
    if not has_fp64:
        log_error("Accuracy failed: allclose not within tol=%s%s", tol, _largest(ref, res))
        return False
    fp64 = np.broadcast_to(fp64, ref.shape)
    size, shape = ref.size, ref.shape
    if equal_nan and np.array_equal(np.isnan(ref), np.isnan(res)):  # what is NaN in both is the same
        there = ~np.isnan(ref)
        ref, res, fp64 = ref[there], res[there], fp64[there]
    ref_error, res_error = rmse(fp64, ref), rmse(fp64, res)
    if not math.isfinite(ref_error):
        if np.isfinite(res).all() and np.allclose(res, fp64, rtol=0.04, atol=0.04, equal_nan=equal_nan):
            return True
        log.warning("Found nan in reference. Consider running in higher precision.")
    m = _multiplier(size, shape, name, tol, use_larger_multiplier_for_smaller_tensor)
    if res_error <= m * ref_error + tol / 10 and math.isfinite(res_error):
        return True
    log_error(
        "RMSE (res-fp64): %.5f, (ref-fp64): %.5f and shape=%s. res.dtype: %s, multiplier: %f, tol: %f",
        *(res_error, ref_error, shape, name, m, tol),
    )
    return False


def _multiplier(size: int, shape: tuple[int, ...], name: str, tol: float, larger: bool) -> float:
    """Returns the number of times as far from float64 as the reference that a result may be."""
    if larger and size <= 500:
        return 10.0 if size <= 10 else 8.0
    is_pointwise = len(shape) == 4 and shape[2:] == (1, 1)  # what a 1x1 convolution gives
    return 3.0 if name in _HALVES or size < 1000 or is_pointwise or tol >= 0.02 else 2.0


def _cosine(ref: np.ndarray, res: np.ndarray, tol: float) -> bool:
    a, b = ref.ravel(), res.ravel()
    if np.allclose(a, b, rtol=tol, atol=tol, equal_nan=True):
        return True
    score = abs(np.vdot(a, b)) if np.iscomplexobj(a) else a @ b
    score = float(score / max(np.linalg.norm(a) * np.linalg.norm(b), 1e-6))
    if not score >= 0.99:
        log.warning("Similarity score=%s", score)
    return score >= 0.99


def _largest(ref: np.ndarray, res: np.ndarray) -> str:
    """The largest difference, for the log."""
    with np.errstate(all="ignore"):
        off = np.abs(ref - res)
    return f", largest difference {np.nanmax(off):.3g}" if off.size and not np.isnan(off).all() else ""
