"""Exclusions, with their reasons, of what one library refuses and the other does not, or refuses otherwise, in calls of
functional.py, modules.py and constructed.py, and a few in all; those of exclusions.py hold for them too."""

from __future__ import annotations

import re
from typing import Any

from tests.arguments import flat, replace
from tests.fuzz.exclusions import call_arrays, rule
from tests.fuzz.functional import Call

_UNSAID = (
    "jaxpr",
    "aval",
    "Tracer",
    "broadcast_in_dim",
    "dot_general",
    "linear_transpose",
    "Incompatible types",
)
"""Words of jax's own errors: a check of ours is missing."""


def _mine(call: Any) -> bool:
    return isinstance(call, Call)


@rule(
    "torch's Python functions take what is no tensor for one, and fail at its first attribute or operator; ours say what is expected"
)
def no_tensor(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    fell = type(theirs.error) in (AttributeError, UnboundLocalError, AssertionError)
    fell = fell or "Boolean value of Tensor with more than one value" in str(theirs.error)
    return kind == "error type" and fell and isinstance(mine.error, TypeError | RuntimeError | ValueError)


@rule("a call that is wrong in several ways: both raise, and which fault is named first is not specified")
def several_faults(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if not _mine(call) or kind != "error type":
        return False
    known = type(mine.error) in (TypeError, ValueError, RuntimeError, IndexError, NotImplementedError)
    said = not any(w in str(mine.error) for w in _UNSAID)
    return (call.several or "not differentiable" in str(mine.error)) and known and said


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


@rule("validate_args=False: what torch's distributions are made of checks its own parameters nevertheless")
def inner_distribution(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    unchecked = call.kwargs.get("validate_args", True) is False
    return kind == "only torch raises" and unchecked and "Expected parameter" in str(theirs.error)


@rule("CrossMapLRN2d of a size below 1: torch's window runs backwards, ours is refused")
def window_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "only ours raises" and "CrossMapLRN2d: size must be at least 1" in str(mine.error)


@rule(
    "transposed convolutions without output: which kernels of torch refuse them goes by groups and the batch"
)
def no_output(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    refused = kind == "only ours raises" and "Output size is too small" in str(mine.error)
    named = refused and re.search("conv_?transpose", call.name.lower()) is not None
    return named and 0 in flat(theirs.result)[0].shape


@rule("torch's vecdot of two vectors does not look at dim")
def vecdot_dim(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        _mine(call)
        and call.name.startswith("linalg.vecdot")
        and kind == "only ours raises"
        and "Dimension out of" in str(mine.error)
    )


@rule("None for a number that has a default: ours takes the default, torch wants it left out")
def default_by_none(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    def nones(x: Any) -> Any:
        found.append(x is None)
        return x

    found: list[bool] = []
    replace([list(call.args), call.kwargs], nones)
    said = "NoneType" in str(theirs.error)
    return _mine(call) and kind == "only torch raises" and said and any(found)


@rule("XLA without its optimisations, as the fuzzer runs it, has no lowering of a barrier")
def barrier(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "only ours raises" and "opt-barrier" in str(mine.error)


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


@rule("torch's FFT library refuses a batch of no signals")
def fft_of_no_signals(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return _mine(call) and kind == "only torch raises" and "MKL FFT error" in str(theirs.error)


@rule(
    "a transposed convolution with a bias of another dtype: one of torch's two kernels adds it, the other refuses it"
)
def bias_of_another_dtype(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    said = "and bias type" in str(mine.error)
    return _mine(call) and kind == "only ours raises" and "transpose" in call.name.lower() and said


@rule(
    "Adafactor divides by the number of elements of a parameter, which may be none: ours leaves it as it is"
)
def parameter_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    nothing = _mine(call) and call.name == "optim.Adafactor" and kind == "only torch raises"
    return nothing and isinstance(theirs.error, ZeroDivisionError)


@rule(
    "ASGD's next rate is computed with Python floats in torch, which raise where a division is by 0 or a power overflows: for a "
    "large alpha or a negative lambd; ours is computed with the parameters, and infinite or 0"
)
def asgd_by_zero(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _mine(call) and call.name == "optim.ASGD"
    lambd, alpha = call.kwargs.get("lambd"), call.kwargs.get("alpha")
    large = isinstance(alpha, int | float) and abs(alpha) >= 1e8
    unfit = large or (isinstance(lambd, int | float) and lambd < 0)
    return named and unfit and kind == "only torch raises" and isinstance(theirs.error, ArithmeticError)


@rule(
    "a temperature that is a plain number: torch's relaxed distributions draw with it, and fail at their densities"
)
def plain_temperature(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _mine(call) and call.name.startswith("distributions.Relaxed") and kind == "only torch raises"
    return named and isinstance(call.kwargs.get("temperature"), int | float)


@rule(
    "torch's gradients of vander and cond fail, which change in place what the derivative reads, and that of lu_unpack without data"
)
def failing_gradients(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    names = ("vander with gradients", "linalg.cond with gradients", "lu_unpack with gradients")
    graded = _mine(call) and call.name in names and kind == "only torch raises"
    said = ("modified by an inplace operation", "triu: input tensor must have at least 2 dimensions")
    return graded and any(s in str(theirs.error) for s in said)


@rule(
    "lu_unpack with a gradient of what is no matrix: torch asks for its last sizes before it looks whether it has them"
)
def sizes_of_no_matrix(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _mine(call) and call.name == "lu_unpack with gradients" and kind == "error type"
    return (
        named
        and "Dimension out of range" in str(theirs.error)
        and "Expected tensor with 2 or more dimensions" in str(mine.error)
    )


@rule(
    "lstsq of one matrix and right sides of one dim less, which torch takes for a batch: its columns are all the same"
)
def lstsq_of_a_batch(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _mine(call) and call.name.startswith("linalg.lstsq") and kind == "only ours raises"
    return named and "input.size(-2) should match other.size" in str(mine.error)


@rule(
    "GeneralizedPareto compares its concentration with a float32 zero: torch's densities of every other dtype fail; ours are computed"
)
def pareto_of_float32(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = _mine(call) and call.name == "distributions.GeneralizedPareto" and kind == "only torch raises"
    return named and "did not match Float" in str(theirs.error)


@rule("negative strides of empty_strided, whose elements would lie before its memory: refused here")
def negative_strides(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.endswith("empty_strided") and kind in ("only ours raises", "error type")
    return named and "Negative strides" in str(mine.error)


@rule(
    "logsumexp of complex numbers into a real out= is computed from real parts by torch, and is no logsumexp; refused here"
)
def complex_into_real(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        call.name == "logsumexp" and kind == "only ours raises" and "result type Complex" in str(mine.error)
    )


@rule(
    "scaled_dot_product_attention with enable_gqa and more values than keys: torch's kernel looks at as many as there are keys; refused here"
)
def more_values_than_keys(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix(" with gradients") == "nn.functional.scaled_dot_product_attention"
    sizes = [a.shape[-2] for a in call_arrays(call)[1:3] if a.ndim > 1]
    return named and kind == "only ours raises" and len(set(sizes)) == 2 and "enable_gqa" in call.kwargs


@rule(
    "combinations of more elements than there are: torch makes all tuples first, which 64 bits do not count; ours have no rows"
)
def more_than_all(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return call.name == "combinations" and kind == "only torch raises" and "overflow" in str(theirs.error)


@rule(
    "a complex tensor as a real number: torch takes its real part where the imaginary one is 0; refused here"
)
def complex_as_real(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "only ours raises" and "must be float, not complex" in str(mine.error)


@rule(
    "circular padding of a cropped input by more than is left of it: torch copies from memory that nothing was written to; refused here"
)
def wrapped_around_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "only ours raises" and "Padding value causes wrapping around" in str(mine.error)


@rule(
    "view_copy of what is empty as a narrower dtype: torch looks at strides that are 0, where those of view are 1"
)
def empty_views(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        call.name == "view_copy"
        and kind == "only torch raises"
        and "different element sizes), but got 0" in str(theirs.error)
    )


@rule("attention without queries: torch does not look at its mask")
def mask_of_no_queries(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = call.name.removesuffix(" with gradients") == "nn.functional.scaled_dot_product_attention"
    return (
        named
        and kind == "only ours raises"
        and 0 in call_arrays(call)[0].shape
        and "must match the size" in str(mine.error)
    )


@rule("resize_ to a negative size is taken by torch, as if it counted; refused here")
def negative_sizes(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return (
        call.name.endswith("resize")
        and kind == "only ours raises"
        and re.search(r"overflowed with sizes=\[.*-", str(mine.error)) is not None
    )


@rule(
    "a tensor of one element is a size or a scale wherever a number is; torch's lp_pool and unfold iterate over it, its upsampling refuses it"
)
def tensors_as_sizes(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    said = str(theirs.error)
    pooled = re.search("LPPool|lp_pool|[Ff]old", call.name) and "0-d tensor" in said
    scaled = (
        "upsample_" in said and "scale_factor=T(" in repr(call) and "invalid combination of arguments" in said
    )
    return kind == "only torch raises" and bool(pooled or scaled)


@rule(
    "distributions of ints and bools: torch computes some statistics in the parameter's dtype, which has no nan and cannot be subtracted"
)
def statistics_of_ints(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    if kind not in ("only torch raises", "differ") or not call.name.startswith("distributions."):
        return False
    given = {a.dtype.kind for a in call_arrays(call)} & set("iub")
    if kind == "differ":  # True times K - 1, a bool where ours has nan, an unsigned number below 0
        return bool(given & set("bu"))
    words = "converted to type|Subtraction, the|Negation, the|Index put requires|did not match|not implemented for 'Bool'"
    return bool(given and re.search(words, str(theirs.error)))


@rule(
    "combinations: torch makes a grid of all tuples first, which is too large, or has more elements than are counted"
)
def grid_of_combinations(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    too_large = re.search("integer multiplication overflow|can't allocate memory", str(theirs.error))
    return kind == "only torch raises" and call.name.startswith("combinations") and bool(too_large)


@rule("distributions of no parameters: torch cannot reshape nothing into a shape with -1; ours gives nothing")
def distributions_of_nothing(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    unfit = "cannot reshape tensor of 0 elements" in str(theirs.error)
    return kind == "only torch raises" and call.name.startswith("distributions.") and unfit


@rule("lu_unpack reads pivots of any shape, and beyond them; ours asks for those of the factor's")
def pivots_of_another_shape(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    given = call_arrays(call)[:2]
    if kind != "only ours raises" or call.name != "lu_unpack" or len(given) < 2:
        return False
    factor, pivots = given
    return pivots.shape != (*factor.shape[:-2], min(factor.shape[-2:], default=0))


@rule(
    "a scale_tril that is not square: torch's Wishart draws by its first column; ours multiplies matrices, and refuses"
)
def scale_that_is_not_square(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    wide = [a for a in call_arrays(call) if a.ndim > 1 and a.shape[-1] != a.shape[-2]]
    return kind == "only ours raises" and call.name == "distributions.Wishart" and bool(wide)


@rule("NumPy's other names of `input` and `other` (x, a, x1, x2) are those of `dim` and `keepdim` alone here")
def numpys_other_names(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    given = {"x", "a", "x1", "x2"} & set(call.kwargs)
    return kind == "only ours raises" and any(
        f"unexpected keyword argument '{n}'" in str(mine.error) for n in given
    )


@rule("polygamma of an order beyond 2**31: torch takes it modulo 2**32")
def order_beyond_ints(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "only ours raises" and "takes an n below 2**31" in str(mine.error)


@rule("einsum of several dtypes: whether torch refuses them depends on the order in which it contracts")
def einsum_of_dtypes(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "only ours raises" and call.name == "einsum" and "expected scalar type" in str(mine.error)


@rule("integers that PyTorch's symbolic integers cannot hold")
def no_symbolic_integer(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind == "only torch raises" and "expected to contain only concrete integers" in str(theirs.error)


@rule("embedding_bag with offsets out of order: torch reads rows of other bags, or what lies there")
def offsets_out_of_order(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind in ("only ours raises", "error type") and "offsets has to be in order" in str(mine.error)


@rule("max_unpool by a NumPy integer or a tensor: torch's own check of its sizes wants a Python bool")
def unpool_by_other_ints(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    return kind in ("only torch raises", "error type") and "cond must be a bool, but got" in str(theirs.error)


@rule("a result of negative size: torch's broadcast_to takes -1 in a new dimension beside an empty one")
def negative_size(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    sizes = [n for r in flat(theirs.result) for n in getattr(r, "shape", ())]
    return kind == "only ours raises" and any(n < 0 for n in sizes)


@rule(
    "trunc_normal_ in an infinite tail: torch draws evenly between its bounds there, which it cannot; ours draws from the tail"
)
def infinite_tail(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    bounds = (
        [x for x in (*call.args, *call.kwargs.values()) if isinstance(x, float) and abs(x) == float("inf")]
        if "trunc_normal_" in call.name
        else []
    )
    return kind == "only torch raises" and bool(bounds) and "is out of bounds for" in str(theirs.error)


@rule("Wishart without members in its batch: torch looks for the largest of no matrices; ours draws none")
def wishart_of_none(call: Any, kind: str, theirs: Any, mine: Any) -> bool:
    named = kind == "only torch raises" and call.name == "distributions.Wishart"
    return named and "to have non-zero size" in str(theirs.error)
