"""Reductions that ask more of `out=` and of their arguments than their ops do."""

from __future__ import annotations

from .._core.api import Tensor, at_hand, composite, no_kernel, require, wrap_dims, write_out
from .._core.api import dtype as DType
from ..ops.contracts.sort import NO_SHARE
from .over_ops import over, plain_op


def _check_nansum(input: Tensor, dtype: DType | None, into: DType) -> None:
    """Checks nansum's `dtype=`, and the dtype that the result is written in, as torch does."""
    if dtype is not None and dtype is not into:
        found, given = into.scalar_name, dtype.scalar_name
        raise RuntimeError(f"nansum: provided dtype must match dtype of result. Got {found} and {given}.")
    if input.is_floating_point() and not into.is_floating_point:
        raise no_kernel("nansum_cpu", into)


_nanmean, _nansum = plain_op("nanmean"), plain_op("nansum")


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


@composite
def nansum(
    input: Tensor,
    dim: int | tuple | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
    out=None,
) -> Tensor:
    """The sum over `dim` of what is not nan.

    It is computed in the dtype of `out=`, floating point of floating point numbers.

    >>> torch.nansum(torch.tensor([1., float("nan"), 2.]))
    tensor(3.)
    """
    if not isinstance(out, Tensor):
        return _nansum(input, dim, keepdim, dtype=dtype, out=out)
    wrap_dims(dim, input.ndim)
    _check_nansum(input, dtype, out.dtype)
    return write_out(out, _nansum(input, dim, keepdim, dtype=out.dtype))  # type: ignore[return-value]


def _logsumexp(name, plain):
    def fn(input, dim, keepdim=False, *, out=None):
        if not isinstance(out, Tensor):
            return plain(input, dim, keepdim, out=out)
        if not out.is_floating_point() and not out.is_complex():
            raise RuntimeError(
                f"logsumexp(): Expected floating point type for result tensor, but got: {out.dtype.scalar_name}"
            )
        if (
            isinstance(input, Tensor) and input.dtype.category < 2
        ):  # integers are computed as what they go into
            input = input.to(out.dtype)
        return write_out(out, plain(input, dim, keepdim))

    return fn


over("logsumexp")(_logsumexp)
over("special.logsumexp", alias_of="logsumexp")(_logsumexp)


@over("quantile", "nanquantile", method=True)
def _quantile(name, plain):
    """Cuts the derivative by q of interpolations that choose an element, and do not weigh two."""

    def fn(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
        if isinstance(q, Tensor):
            q = q.detach() if interpolation != "linear" else q
            known = at_hand(q)
            if known is not None and not ((known >= 0) & (known <= 1)).all():
                plain(input, q, dim, keepdim, interpolation=interpolation)  # which looks at everything else
                require(False, NO_SHARE)
        return plain(input, q, dim, keepdim, interpolation=interpolation, out=out)

    return fn
