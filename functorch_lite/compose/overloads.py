"""What is looked at before an op is recorded: which overloads torch has, and values that are at hand where torch reads them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .._core.api import (
    OPS,
    UNSET,
    Tensor,
    at_hand,
    bind,
    check,
    check_apart,
    composite,
    force_array,
    int64,
    is_scalar,
    no_kernel,
    read,
    state,
    wrap_dims,
    write_out,
)
from .._core.api import dtype as DType
from ..ops.spectral import check_gaps

# -- one argument, at least, is a tensor -------------------------------------------------------------------------------


def _invalid(name: str, *given: Any) -> TypeError:
    kinds = ", ".join(type(x).__name__ for x in given)
    return TypeError(f"{name}() received an invalid combination of arguments - got ({kinds})")


def _of_tensors(name: str) -> None:
    """A function of two arguments each of which, but not both, may be a number. As a method its first is a tensor anyway."""
    plain = bind.make_function(OPS[name], name)

    def fn(input, other, *, out=None):
        numbers = is_scalar(input) and is_scalar(other)
        into = out is not None and name != "xlogy"  # of a number first only xlogy has it
        if numbers or (into and not isinstance(input, Tensor)):
            raise _invalid(name, input, other)
        return plain(input, other, out=out)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    composite(fn)


for _name in (
    "remainder", "xlogy", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift",
):  # fmt: skip
    _of_tensors(_name)


def _clamp(name: str) -> None:
    """clamp as a function: into `out=`, which has the input's dtype beside bounds that are numbers."""
    plain = bind.make_function(OPS["clamp"], name)

    def fn(input, min=None, max=None, *, out=None):
        result = plain(input, min, max)
        if out is None:
            return result
        tensors = isinstance(min, Tensor) or isinstance(max, Tensor)
        if isinstance(out, Tensor) and not tensors and out.dtype is not result.dtype:
            found, expected = out.dtype.scalar_name, result.dtype.scalar_name
            raise RuntimeError(f"Found dtype {found} but expected {expected}")
        check_apart(out, ("input", "min", "max"), (input, min, max))
        return write_out(out, result)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    composite(fn)


_clamp("clamp")
_clamp("clip")


def _median(name: str) -> None:
    """torch.median and torch.nanmedian: `out=` is for medians along a dim."""
    plain = bind.make_function(OPS[name], name)

    def fn(input, dim=UNSET, keepdim=UNSET, *, out=None):
        if dim is UNSET and out is not None:
            raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
        return plain(input, dim, keepdim, out=out)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    composite(fn)


_median("median")
_median("nanmedian")


def _check_nansum(input: Tensor, dtype: DType | None, into: DType) -> None:
    """What torch's nansum asks of `dtype=` and of the dtype that the result is written in."""
    if dtype is not None and dtype is not into:
        found, given = into.scalar_name, dtype.scalar_name
        raise RuntimeError(f"nansum: provided dtype must match dtype of result. Got {found} and {given}.")
    if input.is_floating_point() and not into.is_floating_point:
        raise no_kernel("nansum_cpu", into)


_nanmean = bind.make_function(OPS["nanmean"], "nanmean")


@composite(method=True)
def nanmean(
    input: Tensor,
    dim: int | tuple | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out=None,
) -> Tensor:
    """The mean over `dim` of what is not nan: nansum's checks of dtypes hold.

    >>> torch.nanmean(torch.tensor([1., float("nan"), 2.]))
    tensor(1.5000)
    """
    result = _nanmean(input, dim, keepdim, dtype=dtype)
    _check_nansum(input, dtype, out.dtype if isinstance(out, Tensor) else result.dtype)
    return result if out is None else write_out(out, result)  # type: ignore[return-value]


def _running_extreme(name: str) -> None:
    """torch.cummax and torch.cummin: the dtypes of `out=` are looked at before anything else."""
    plain = bind.make_function(OPS[name], name)

    def fn(input: Tensor, dim: int, *, out=None):
        for t, expected in zip(out if isinstance(out, tuple | list) else (), (input.dtype, int64)):
            if isinstance(t, Tensor) and t.dtype is not expected:
                raise RuntimeError(
                    f"expected scalar_type {expected.scalar_name} but found {t.dtype.scalar_name}"
                )
        return plain(input, dim, out=out)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    composite(fn)


_running_extreme("cummax")
_running_extreme("cummin")

_nansum = bind.make_function(OPS["nansum"], "nansum")


@composite
def nansum(
    input: Tensor,
    dim: int | tuple | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out=None,
) -> Tensor:
    """The sum over `dim` of what is not nan. It is computed in the dtype of `out=`, floating point of floating point numbers.

    >>> torch.nansum(torch.tensor([1., float("nan"), 2.]))
    tensor(3.)
    """
    if not isinstance(out, Tensor):
        return _nansum(input, dim, keepdim, dtype=dtype, out=out)
    wrap_dims(dim, input.ndim)
    _check_nansum(input, dtype, out.dtype)
    return write_out(out, _nansum(input, dim, keepdim, dtype=out.dtype))  # type: ignore[return-value]


_logsumexp = bind.make_function(OPS["logsumexp"], "logsumexp")


def logsumexp(input, dim, keepdim=False, *, out=None):
    if not isinstance(out, Tensor):
        return _logsumexp(input, dim, keepdim, out=out)
    if not out.is_floating_point() and not out.is_complex():
        raise RuntimeError(
            f"logsumexp(): Expected floating point type for result tensor, but got: {out.dtype.scalar_name}"
        )
    if isinstance(input, Tensor) and input.dtype.category < 2:  # integers are computed as what they go into
        input = input.to(out.dtype)
    return write_out(out, _logsumexp(input, dim, keepdim))


logsumexp.__doc__ = _logsumexp.__doc__
composite(logsumexp)
composite(logsumexp, namespace="special")


_float_power = bind.make_function(OPS["float_power"], "float_power")


@composite
def float_power(input, exponent, *, out=None) -> Tensor:
    """input ** exponent in float64, or complex128 when either is complex; `out=` has that dtype.

    The two broadcast.

    >>> torch.float_power(torch.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=torch.float64)
    """
    result = _float_power(input, exponent)
    if out is None:
        return result
    if isinstance(out, Tensor) and out.dtype is not result.dtype:
        raise RuntimeError(
            f"the output given to float_power has dtype {out.dtype.scalar_name} but the operation's result requires dtype "
            f"{result.dtype.scalar_name}"
        )
    return write_out(out, result)  # type: ignore[return-value]


@composite(namespace="special", name="round")
def special_round(input: Tensor, *, decimals: int = 0, out=None) -> Tensor:
    """torch.round with its number of decimals given, which may be 0: not of integers.

    >>> torch.special.round(torch.tensor([1.234]), decimals=1)
    tensor([1.2000])
    """
    return _round(input, decimals=decimals, out=out)


_round = bind.make_function(OPS["round"], "round")
_isin = bind.make_function(OPS["isin"], "isin")


@composite
def isin(*args, assume_unique: bool = False, invert: bool = False, out=None, **named) -> Tensor:
    """isin(elements, test_elements): whether each of `elements` is among `test_elements` (or, with invert, is not).

    One of both may be a number, which is then called `element` or `test_element`.

    >>> torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 5]))
    tensor([False,  True, False])
    """
    given = list(args)
    for plural in ("elements", "test_elements")[len(args) :]:
        kind, name = (Tensor, plural) if plural in named else ((int, float, complex), plural[:-1])
        if name not in named or not isinstance(named[name], kind):
            raise _invalid("isin", *args, *named.values())
        given.append(named.pop(name))
    if named:
        raise TypeError(f"isin() got an unexpected keyword argument '{next(iter(named))}'")
    if len(given) != 2 or not any(isinstance(x, Tensor) for x in given):
        raise _invalid("isin", *given)
    return _isin(*given, assume_unique=assume_unique, invert=invert, out=out)


def _abs_in_place(name: str) -> None:
    plain = bind.make_inplace(OPS["abs"], name)

    def fn(input: Tensor) -> Tensor:
        if isinstance(input, Tensor) and input.dtype.is_complex:
            raise RuntimeError("In-place abs is not supported for complex tensors.")
        return plain(input)

    fn.__name__, fn.__doc__ = name, "abs in place; not of a complex tensor, whose modulus is real."
    composite(fn, method=True)


_abs_in_place("abs_")
_abs_in_place("absolute_")


def _quantile(name: str) -> None:
    """torch.quantile and torch.nanquantile: what chooses an element, and does not weigh two, has no derivative by q."""
    plain = bind.make_function(OPS[name], name)

    def fn(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
        if isinstance(q, Tensor):
            q = q.detach() if interpolation != "linear" else q
            known = at_hand(q)
            if known is not None and not ((known >= 0) & (known <= 1)).all():
                plain(input, q, dim, keepdim, interpolation=interpolation)  # which looks at everything else
                raise RuntimeError("quantile() q values must be in the range [0, 1]")
        return plain(input, q, dim, keepdim, interpolation=interpolation, out=out)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    composite(fn, method=True)


_quantile("quantile")
_quantile("nanquantile")

_diff = bind.make_function(OPS["diff"], "diff")


@composite(method=True)
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend=None, append=None, *, out=None) -> Tensor:
    """The n-th difference of neighbours along `dim`, after joining `prepend` and `append`; bool differs by exclusive or.

    Of a dim without elements it is the input itself, as torch's.

    >>> torch.diff(torch.tensor([1.0, 4.0, 9.0]))
    tensor([3., 5.])
    """
    if n == 0 and isinstance(out, Tensor) and out.dtype is not input.dtype:  # a copy, where others are casts
        names = (input.dtype.cpp_name, out.dtype.cpp_name)
        raise RuntimeError("expected scalar_type {} but found {}".format(*names))
    result = _diff(input, n, dim, prepend, append)
    nothing = n > 0 and not sum([t.shape[dim] for t in (prepend, input, append) if t is not None])
    if out is not None:
        if nothing:  # torch takes a part of it then
            raise IndexError("start out of range (expected to be in range of [0, 0], but got 1)")
        return write_out(out, result)  # type: ignore[return-value]
    return input if nothing and prepend is None and append is None else result


def _stable(name: str) -> None:
    """sort or argsort, whose `dim` and `descending` have no place beside `stable`; argsort has `out=` only beside it."""
    plain = bind.make_function(OPS[name], name)

    def fn(input, *placed, **named):
        stable = "stable" in named
        if (placed and stable) or (name == "argsort" and named.get("out") is not None and not stable):
            raise _invalid(name, input, *placed, *named.values())
        return plain(input, *placed, **named)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    fn.__signature__ = inspect.signature(plain)  # type: ignore[attr-defined]
    composite(fn, method=True)


_stable("sort")
_stable("argsort")


_bucketize = bind.make_function(OPS["bucketize"], "bucketize")


@composite
def bucketize(input, boundaries, *, out_int32: bool = False, right: bool = False, out=None) -> Tensor:
    """The index of the bucket between 1-D sorted `boundaries` that each value of `input` falls into; of a number not into `out=`.

    Shape of input, int64 or int32. RuntimeError for boundaries that are not 1-D.

    >>> torch.bucketize(torch.tensor([0., 2., 5.]), torch.tensor([1., 3.]))
    tensor([0, 1, 2])
    """
    if out is not None and not isinstance(input, Tensor):
        raise _invalid("bucketize", input, boundaries, out)
    return _bucketize(input, boundaries, out_int32=out_int32, right=right, out=out)


# -- values at hand ----------------------------------------------------------------------------------------------------


_cov = bind.make_function(OPS["cov"], "cov")


@composite(method=True)
def cov(input: Tensor, *, correction: int = 1, fweights=None, aweights=None) -> Tensor:
    """The covariance matrix of variables (rows) from observations (columns); a vector is one variable.

    fweights: how often each observation is counted; aweights: how much it weighs. Where the weights are at hand, negative ones and a
    sum of 0 raise; otherwise the result is then nan or wrong.

    >>> torch.cov(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    result = _cov(input, correction=correction, fweights=fweights, aweights=aweights)
    product: Any = 1
    for name, weights in (("fweights", at_hand(fweights)), ("aweights", at_hand(aweights))):
        if weights is not None:
            check((weights >= 0).all(), RuntimeError, f"cov(): {name} cannot be negative")
            product = product * weights
    given = [w for w in (fweights, aweights) if w is not None]
    if given and all(at_hand(w) is not None or not w.numel() for w in given):
        zero = np.sum(product) == 0 or not given[0].numel()
        check(not zero, RuntimeError, "cov(): weights sum to zero, can't be normalized")
    return result


_segment_reduce = bind.make_function(OPS["segment_reduce"], "segment_reduce")


@composite
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths=None,
    indices=None,
    offsets=None,
    axis: int = 0,
    unsafe: bool = False,
    initial=None,
) -> Tensor:
    """Reduces consecutive pieces of `data` along `axis`, of the given lengths or between the given offsets.

    reduce: "sum", "mean", "prod", "max" or "min". `lengths` and `offsets` have the dims of data before `axis`, and one more. That
    lengths add up to the size of the dim is checked, unless `unsafe`, when they are at hand; otherwise what is beyond is left out.

    >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0]), "sum", lengths=torch.tensor([2, 1]))
    tensor([3., 3.])
    """
    result = _segment_reduce(
        data,
        reduce,
        lengths=lengths,
        indices=indices,
        offsets=offsets,
        axis=axis,
        unsafe=unsafe,
        initial=initial,
    )
    limits = at_hand(offsets) if lengths is None else None
    if limits is not None:
        check(
            (np.diff(limits) >= 0).all(),
            RuntimeError,
            "segment_reduce(): offsets must be in ascending order.",
        )
    rows = None if unsafe else at_hand(lengths)
    if rows is not None:
        check((rows >= 0).all(), RuntimeError, "lengths contains negative value!")
        check(
            (rows.sum(-1) == data.shape[rows.ndim - 1]).all(),
            RuntimeError,
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.",
        )
    return result


# -- windows that leave gaps -------------------------------------------------------------------------------------------

_istft = bind.make_function(OPS["istft"], "istft")


@composite(method=True)
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    framing = n_fft, hop_length, win_length
    flags = center, normalized, onesided, length, return_complex
    result = _istft(input, *framing, window, *flags)
    points = np.ones(win_length or n_fft, np.float32) if window is None else _window_values(window)
    if points is not None:
        check_gaps(input._aval.struct, *framing, points, *flags)
    return result


istft.__doc__ = OPS["istft"].__doc__


def _window_values(window: Tensor) -> np.ndarray | None:
    """The window's numbers, computed if they are pending; None inside a transform, off the host, and of a window that is being learned."""
    if state.rec.level or window.requires_grad or window.device.type != "cpu":
        return at_hand(window)
    return force_array(read(window))
