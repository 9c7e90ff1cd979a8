"""Where PyTorch gives no answer, or ours is another on purpose: every exclusion of the fuzzer, with its reason.

Three kinds: ops whose values cannot be compared (`compares_values`), failures of PyTorch itself (`torch_failed`), and
`RULES`, each of which looks at one call and what both did, as narrowly as it can. A rule that no longer matches
anything should go.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from tests.arguments import flat, replace
from tests.support.exclusions import Exclusion, Exclusions
from tests.torch_side import recorded

RANDOM = frozenset(
    "bernoulli rand randn randint randperm normal rand_like randn_like randint_like multinomial poisson uniform exponential "
    "cauchy log_normal geometric random dropout alpha_dropout feature_dropout feature_alpha_dropout native_dropout binomial rrelu "
    "dropout1d dropout2d dropout3d gumbel_softmax".split()
)
"""Random numbers: ours are other numbers than PyTorch's (docs/differences.md). Shapes and dtypes are compared."""

UNINITIALISED = frozenset(
    "empty empty_like new_empty empty_strided new_empty_strided empty_permuted resize resize_as".split()
)
"""What these hold is whatever the memory held."""


def compares_values(call: Any) -> bool:
    """Whether the values of a call's results are defined."""
    return call.name not in RANDOM and call.name not in UNINITIALISED and not getattr(call, "shapes", False)


def torch_failed(error: BaseException) -> bool:
    """Whether PyTorch fell over its own feet: there is nothing to agree with."""
    inside = (
        "INTERNAL ASSERT FAILED", "called on an undefined Tensor", "dtype nullptr (uninitialized)", "returned an invalid gradient at index",
        "expected to contain only concrete integers",
    )  # fmt: skip
    return any(s in str(error) for s in inside)


Rule = Callable[[Any, str, Any, Any], bool]
RULES = Exclusions()
"""Each by a function of (call, kind, theirs, mine), which says whether the difference is that one."""


def rule(reason: str) -> Callable[[Rule], Rule]:
    """Adds a rule; `kind` is one of outcome.DIFFERENCES, `theirs` and `mine` have `.result`, `.error`, `.inputs`."""

    def add(fn: Rule) -> Rule:
        RULES.rules.append(Exclusion(reason, when=fn))
        return fn

    return add


def _says(error: BaseException | None, *sentences: str) -> bool:
    return error is not None and any(s in str(error) for s in sentences)


def _tensors(side: Any) -> list[np.ndarray]:
    return [recorded(t).array for t in side.inputs if isinstance(t, torch.Tensor)]


@rule("tensors of ours have no memory in which elements could overlap")
def overlap(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind in ("only torch raises", "error type") and _says(
        theirs.error, "refer to a single memory location"
    )


@rule("nan, inf and what is out of range have no integer: C leaves the conversion undefined")
def undefined_conversion(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if call.name == "distributions.NegativeBinomial" and kind in ("differ", "only torch raises"):
        arrays = call_arrays(call)  # its total_count takes the dtype of logits
        return any(a.ndim and a.dtype.kind in "iu" for a in arrays) and any(
            _outside(a, False) for a in arrays
        )
    if kind != "differ":
        return False
    results = [recorded(r) for r in [*flat(theirs.result), *theirs.inputs] if isinstance(r, torch.Tensor)]
    kinds = {r.array.dtype.kind for r in results if r.dtype != "bool"}
    return bool(kinds & set("iu")) and any(_outside(a, "u" in kinds) for a in call_arrays(call))


def _outside(a: np.ndarray, unsigned: bool) -> bool:
    """Whether floats or complex numbers have no integer; numbers below 0 have no unsigned one."""
    if a.dtype.kind not in "fc" or not a.size:
        return False
    real = np.abs(a.astype(np.complex128))
    return not bool((real < 2**31).all()) or (unsigned and bool((a.real < 0).any()))


def call_arrays(call: Any) -> list[np.ndarray]:
    """The values of a call's tensors, narrow floats as float32; its numbers as arrays without dims."""
    found: list[np.ndarray] = []

    def note(x: Any) -> Any:
        if hasattr(x, "array"):
            found.append(x.array.astype(np.float32) if x.dtype in ("bfloat16", "float16") else x.array)
        elif isinstance(x, int | float | complex) and not isinstance(x, bool):
            found.append(np.asarray(x if abs(x) < 1e300 else np.inf))
        return x

    replace([list(call.args), call.kwargs], note)
    return found


@rule(
    "torch refuses ints of more than 64 bits while it reads the arguments, with one of four exceptions; ours when they are used"
)
def huge_int(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "error type" and _says(
        theirs.error, "Overflow when unpacking", "int too big", "too large to convert"
    )


@rule("not implemented, and said so by name")
def said_plainly(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    said = kind == "only ours raises" and isinstance(mine.error, NotImplementedError)
    return said and not _says(mine.error, "not implemented for")


@rule(
    "torch's kernels, which check dtypes and numbers, are not reached for a tensor without elements; ours are checked when traced"
)
def nothing_to_do(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    empty = any(not a.size and a.ndim for a in call_arrays(call))
    made = any(isinstance(r, torch.Tensor) and r.numel() for r in flat(theirs.result))
    kernel = _says(mine.error, "not implemented for", "without overflow")
    return kind == "only ours raises" and ((empty and (not made or kernel)) or (kernel and _nothing(theirs)))


def _nothing(side: Any) -> bool:
    """Whether the results are tensors, all without elements."""
    results = [r for r in flat(side.result) if isinstance(r, torch.Tensor)]
    return bool(results) and not any(r.numel() for r in results)


_MOST = float(np.finfo(np.float32).max)


@rule("complex functions at nan and inf: which part is nan is left open by C, whose libraries differ")
def complex_nan(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    arrays = [a for a in call_arrays(call) if a.dtype.kind in "fc"]
    return (
        kind == "differ"
        and (any(a.dtype.kind == "c" for a in arrays) or "stft" in call.name)
        and not all((np.abs(a) < _MOST).all() for a in arrays)
    )


@rule("functions of several tensors take them as one list as well")
def one_list(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    many = call.name in ("block_diag", "chain_matmul", "broadcast_tensors", "cartesian_prod", "meshgrid")
    return (
        many
        and kind in ("only torch raises", "error type")
        and _says(
            theirs.error,
            *(f"expected Tensor as element 0 in argument 0, but got {k}" for k in ("list", "tuple")),
        )
    )


@rule("alpha without its name, before or after `other`, is deprecated in torch")
def positional_alpha(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        kind in ("only ours raises", "error type")
        and call.name in ("add", "sub", "subtract", "rsub")
        and _says(
            mine.error,
            "takes 2 positional arguments but 3 were given",
            "got multiple values for argument 'other'",
        )
    )


@rule("beta before the tensor that it multiplies is deprecated in torch")
def positional_beta(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        kind in ("only ours raises", "error type")
        and call.name in ("addbmm", "addmm", "addmv", "addr", "baddbmm")
        and isinstance(call.args[0] if call.args else None, int | float | complex)
        and _says(mine.error, "got multiple values for argument 'input'")
    )


@rule(
    "torch's addbmm_ changes the shape of a tensor that would have to be broadcast; all others of the kind refuse it, as ours do"
)
def grown_in_place(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    grown = call.target.endswith("addbmm_") and kind == "only ours raises"
    return grown and _says(mine.error, "doesn't match the broadcast shape")


@rule("dims of a tensor without elements are not looked at by torch's cummin, cummax and a few others")
def dims_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        kind == "only ours raises"
        and call.name in ("cummin", "cummax")
        and _says(mine.error, "Dimension out of range")
    )


@rule(
    "an index out of range and another fault in one call: torch reads indices last, ours looks at those at hand first"
)
def index_first(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        kind == "error type"
        and isinstance(mine.error, IndexError | RuntimeError)
        and _says(
            mine.error, "is out of bounds for dimension", "index out of range in self", "out of DATA bounds"
        )
    )


@rule(
    "torch's trigamma at a pole is large and finite, as the sine of a rounded multiple of pi is not 0; ours is inf"
)
def trigamma_pole(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if (
        kind != "differ"
        or call.name.rpartition(".")[2] != "polygamma"
        or not isinstance(theirs.result, torch.Tensor)
    ):
        return False
    from tests.fuzz.outcome import recorded as ours_recorded

    points = next((a for a in call_arrays(call) if a.shape == tuple(theirs.result.shape)), None)
    got, want = ours_recorded(mine.result).array, recorded(theirs.result).array
    if points is None or got.shape != want.shape:
        return False
    pole = (points <= 0) & (points == np.floor(points))
    return bool(np.isinf(got[pole]).all()) and np.allclose(got[~pole], want[~pole], 1e-3, equal_nan=True)


@rule("out_dtype= of matrix products is for CUDA: torch's CPU refuses it as not implemented, ours as unknown")
def out_dtype(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        kind == "error type"
        and _says(
            theirs.error,
            *(f".dtype{form}' with arguments from the 'CPU' backend" for form in ("", "_out")),
        )
        and _says(mine.error, "unexpected keyword argument 'out_dtype'", "positional arguments but")
    )


@rule(
    "torch's overload for a number in the first place calls it `self`: ours takes it by the name `input` too"
)
def number_called_input(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        kind in ("error type", "only torch raises")
        and isinstance(call.kwargs.get("input"), int | float | complex)
        and _says(theirs.error, "received an invalid combination of arguments")
    )


@rule(
    "which of equal elements kthvalue, median and topk give the index of is left open: torch's is that of its quickselect"
)
def index_of_equals(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix(" with gradients") in ("kthvalue", "median", "nanmedian", "topk")
    if kind != "differ" or not named:
        return False
    from tests.fuzz.outcome import recorded as ours_recorded

    source = next((t for t in theirs.inputs if isinstance(t, torch.Tensor)), None)
    if source is None or not isinstance(mine.result, tuple) or not isinstance(theirs.result, tuple):
        return False
    (values, indices), (want, theirs_at) = (  # which gradients may follow, that go to the chosen elements
        [f(r).array for r in flat(s.result)[:2]] for f, s in ((ours_recorded, mine), (recorded, theirs))
    )
    if values.shape != want.shape or not np.array_equal(values, want, equal_nan=True):
        return False
    data, off = recorded(source).array, indices != theirs_at
    many = call.name.startswith("topk")
    along = [d for d in range(data.ndim) if many or np.delete(data.shape, d).prod() == values.size]
    found = (_at(data, indices, d) for d in along)
    return any(f is not None and np.array_equal(f, values, equal_nan=True) for f in found) and bool(off.any())


def _at(data: np.ndarray, indices: np.ndarray, dim: int) -> np.ndarray | None:
    """What `indices`, one or several for each of the rows along dim, select; None where they do not fit."""
    if indices.ndim == data.ndim and indices.shape[dim] != 1:
        rows = np.sort(indices, dim)
        fits = np.delete(indices.shape, dim).tolist() == np.delete(data.shape, dim).tolist()
        distinct = bool((np.diff(rows, axis=dim) > 0).all()) and bool((rows < data.shape[dim]).all())
        return np.take_along_axis(data, indices, dim) if fits and distinct else None
    kept = (*data.shape[:dim], 1, *data.shape[dim + 1 :])
    if indices.size != int(np.prod(kept)) or (indices.size and int(indices.max()) >= data.shape[dim]):
        return None
    return np.take_along_axis(data, indices.reshape(kept), dim).reshape(indices.shape)


@rule("implicit= of expand is for PyTorch's own use, and not documented")
def implicit_expand(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        call.name in ("expand", "expand_copy")
        and "implicit" in call.kwargs
        and _says(mine.error, "unexpected keyword argument 'implicit'")
    )


@rule("more pivots than rows: torch's lu_unpack swaps rows beyond the matrix; ours refuses")
def beyond_the_matrix(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        call.name == "lu_unpack"
        and kind in ("only ours raises", "error type")
        and _says(mine.error, "Output permutation size")
    )


@rule(
    "pivots beyond the rows of a matrix without columns: torch does not look at them, and swaps what is not there"
)
def pivots_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    arrays = call_arrays(call)
    if call.name.removesuffix(" with gradients") != "lu_unpack" or kind != "differ" or len(arrays) < 2:
        return False
    factors, pivots = arrays[:2]
    return not factors.size and bool(((pivots < 1) | (pivots > factors.shape[-2])).any())


@rule("singular vectors are determined up to a sign, or a phase")
def sign_of_vectors(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if kind != "differ" or call.name != "svd" or not isinstance(theirs.result, tuple):
        return False
    from tests.fuzz.outcome import recorded as ours_recorded

    got, want = ([r.array for r in map(f, s.result)] for f, s in ((ours_recorded, mine), (recorded, theirs)))
    near = 1e-4 * max(1.0, float(np.max(want[1], initial=0)))
    if any(g.shape != w.shape for g, w in zip(got, want)) or not np.allclose(got[1], want[1], 1e-4, near):
        return False
    products = [(u * s[..., None, :] @ v.conj().swapaxes(-1, -2)) for u, s, v in (got, want)]
    return bool(np.allclose(*products, 1e-4, near))


@rule("a mask that is a list counts as one dim in torch, which so overlooks that there is one index too many")
def list_as_mask(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    raised = kind in ("only ours raises", "error type")
    return raised and _says(mine.error, "too many indices") and "[[" in repr(call.args)


@rule("polygamma of high order: torch's float32 has inf times 0, ours, in float64, the number")
def polygamma_overflows(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name.rpartition(".")[2] == "polygamma"
    orders = [a for a in (*call.args, call.kwargs.get("n")) if isinstance(a, int | np.integer)]
    if not named or not orders or orders[0] < 33 or not isinstance(theirs.result, torch.Tensor):
        return False
    from tests.fuzz.outcome import recorded as ours_recorded

    got, want = ours_recorded(mine.result).array, recorded(theirs.result).array
    return got.shape == want.shape and np.allclose(
        got[~np.isnan(want)], want[~np.isnan(want)], 1e-4, equal_nan=True
    )


@rule(
    "polygamma of even order at negative numbers: terms that cancel, of which torch's sum leaves the rounding of the largest"
)
def polygamma_cancels(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "differ" and call.name.rpartition(".")[2] == "polygamma"
    orders = [a for a in (*call.args, call.kwargs.get("n")) if isinstance(a, int | np.integer)]
    if not named or not orders or orders[0] % 2 or not isinstance(theirs.result, torch.Tensor):
        return False
    from tests.fuzz.outcome import recorded as ours_recorded

    got, want = ours_recorded(mine.result).array, recorded(theirs.result).array
    points = next((a for a in call_arrays(call) if a.ndim and a.shape == want.shape), None)
    if points is None or got.shape != want.shape:
        return False
    off = ~np.isclose(got, want, 1e-6, 1e-6, equal_nan=True)
    near = np.abs(points - np.round(points)).astype(np.float64)
    with np.errstate(all="ignore"):
        largest = math.factorial(min(orders[0], 170)) * near ** -(orders[0] + 1.0)
        return bool((points[off] < 0).all() and (np.abs(got - want) <= 1e-7 * largest)[off].all())


@rule(
    "the factors and inverses of a matrix that is not finite: which elements are nan and which inf goes by the order of the sums"
)
def factors_of_infinity(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix(" with gradients") in ("geqrf", "cholesky_inverse", "linalg.qr", "qr")
    if (
        not named
        or kind != "differ"
        or all(np.isfinite(a).all() for a in call_arrays(call) if a.dtype.kind in "fc")
    ):
        return False
    from tests.fuzz.outcome import recorded as ours_recorded

    pairs = [
        (ours_recorded(m).array, recorded(t).array) for m, t in zip(flat(mine.result), flat(theirs.result))
    ]
    return all(
        g.shape == w.shape
        and bool((np.isclose(g, w, 1e-4, 1e-5) | (~np.isfinite(g) & ~np.isfinite(w))).all())
        for g, w in pairs
    )


@rule("a product of sizes that do not fit, into an `out=` without dims: torch looks at the latter first")
def out_without_dims(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    twice = kind == "error type" and call.name == "mv" and "out" in call.kwargs
    return (
        twice
        and _says(mine.error, "size mismatch")
        and _says(theirs.error, "Dimension specified as 0 but tensor has no dimensions")
    )


@rule("addr of float16: torch rounds the products too, so a sum is off by one step of the largest")
def narrow_addr(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if call.name != "addr" or kind != "differ" or not isinstance(theirs.result, torch.Tensor):
        return False
    from tests.fuzz.outcome import recorded as ours_recorded

    dtypes = [t.dtype for t in theirs.inputs if isinstance(t, torch.Tensor)]
    got, want = ours_recorded(mine.result).array, recorded(theirs.result).array
    if torch.float16 not in dtypes or got.shape != want.shape:
        return False
    finite = np.isfinite(got) & np.isfinite(want)
    most = np.abs(want[finite]).max(initial=0)
    return bool(
        (np.isnan(got) == np.isnan(want)).all() and (np.abs(got - want)[finite] <= 2**-10 * most).all()
    )


def reason(call: Any, kind: str, theirs: Any, mine: Any) -> str | None:
    """The reason for which this difference is no fault; None when there is none."""
    found = RULES.first(call.name, kind, call, kind, theirs, mine)
    return found and found.reason
