"""Refusals of quantiles, and of searches in sorted numbers."""

from __future__ import annotations

import numpy as np

from ..._core.api import (
    at_hand,
    check,
    dtype_of,
    dtypes,
    is_number,
    is_python_number,
    no_kernel,
    require,
    requirement,
)

NO_SHARE = requirement("RuntimeError", "quantile() q values must be in the range [0, 1]")
NO_PLACE = requirement("RuntimeError", "torch.searchsorted(): sorter index out of range")


def check_share(q) -> None:
    # torch prints numbers as C++ does: six digits
    check(0 <= q <= 1, RuntimeError, f"quantile() q must be in the range [0, 1] but got {q:g}")


def check_quantile(input, q, interpolation: str) -> None:
    check(not isinstance(q, complex), TypeError, "quantile() received an invalid combination of arguments")
    check(input.size > 0, RuntimeError, "quantile() input tensor must be non-empty")
    check(np.ndim(q) < 2, RuntimeError, "quantile() q must be a scalar or 1D tensor")
    message = "quantile() input tensor must be either float or double dtype"
    check(dtype_of(input) in (dtypes.float32, dtypes.float64), RuntimeError, message)
    if not is_number(q):
        check(
            q.dtype == input.dtype, RuntimeError, "quantile() q tensor must be same dtype as the input tensor"
        )
    elif is_python_number(q):
        check_share(q)
    known = interpolation in ("linear", "lower", "higher", "midpoint", "nearest")
    message = "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got "
    check(known, RuntimeError, message + interpolation)


def check_within_sequence(sorter):
    """Looks at the indices of a sorter whose values are at hand."""
    known = at_hand(sorter)
    if known is not None and known.ndim and known.size and known.dtype == np.int64:
        require(known.min() >= 0 and known.max() < known.shape[-1], NO_PLACE)
    return sorter


def _shape(x) -> str:
    return str(list(x.shape))


def check_searchsorted(b, x, right: bool, side: str | None, sorter) -> None:
    """`b` are the boundaries, `x` the values that are looked for."""
    here = "torch.searchsorted():"
    message = f"{here} side can only be 'left' or 'right' but got {side}"
    check(side in (None, "left", "right"), RuntimeError, message)
    check(
        not (side == "left" and right),
        RuntimeError,
        f"{here} side and right can't be set to opposites, got side of {side} while right was True",
    )
    if sorter is not None:
        check(
            sorter.shape == b.shape,
            RuntimeError,
            f"{here} boundary and sorter must have the same size, but got boundary tensor {_shape(b)}"
            f"and got sorter tensor {_shape(sorter)}",
        )
        d = dtype_of(sorter)
        message = f"{here} sorter must be a tensor of long dtype but got dtype {d.scalar_name}"
        check(d is dtypes.int64, RuntimeError, message)
    check(
        x.ndim > 0 or b.ndim == 1,
        RuntimeError,
        f"{here} input value can be a scalar only when boundaries tensor dimension is 1, but we got boundaries "
        f"tensor dim({b.ndim}) and input value's dim({x.ndim}) numel({x.size})",
    )
    check(
        b.ndim > 0,
        RuntimeError,
        f"{here} boundaries tensor should have positive dimension, but got 0 dimension",
    )
    check(
        b.ndim == 1 or b.shape[:-1] == x.shape[:-1],
        RuntimeError,
        f"{here} boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and "
        f"input value tensor must match, but we got boundaries tensor {_shape(b)} and input value tensor {_shape(x)}",
    )
    if b.dtype == np.bool_:
        raise no_kernel("searchsorted_out_cpu", dtypes.bool_)
