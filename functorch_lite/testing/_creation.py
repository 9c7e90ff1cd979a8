"""make_tensor: tensors of random numbers for tests."""

from __future__ import annotations

import math
import warnings
from typing import Any

from .._core.api import Tensor, dtypes
from .._core.api import functions as torch

__all__ = ["make_tensor"]


def _limits(d: dtypes.dtype) -> tuple[float, float]:
    if d.name == "bool":
        return 0, 2
    if d.category == 1:
        info = dtypes.iinfo(d)
        return info.min, info.max + 1
    most = dtypes.finfo(d.to_real() if d.is_complex else d).max
    return -most, most


def make_tensor(
    *shape: Any,
    dtype: dtypes.dtype,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """A tensor of random numbers, evenly spread over [low, high): by default [-9, 9), [-9, 10) for integers, [0, 10)
    for uint8.

    noncontiguous makes every second element of a larger tensor; exclude_zero replaces zeros (by the smallest positive
    number, or by 1 for integers).

    >>> torch.testing.make_tensor(2, 3, dtype=torch.float32, device="cpu").shape
    torch.Size([2, 3])
    """
    if not isinstance(dtype, dtypes.dtype):
        raise TypeError(f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor().")
    size = tuple(shape[0]) if len(shape) == 1 and isinstance(shape[0], tuple | list) else tuple(shape)
    integral = dtype.category <= 1
    if requires_grad and integral:
        raise ValueError(
            f"`requires_grad=True` is not supported for boolean and integral dtypes, but got dtype={dtype}"
        )
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, but got noncontiguous=True and "
            f"memory_format={memory_format}"
        )
    first, last = _interval(dtype, low, high)
    doubled = noncontiguous and bool(size) and size[-1] > 1
    whole = (*size[:-1], 2 * size[-1]) if doubled else size
    if integral:
        made = torch.randint(math.ceil(first), math.ceil(last), whole, device=device).to(dtype)
    else:
        real = dtype.to_real() if dtype.is_complex else dtype
        wide = real if real.itemsize >= 4 else dtypes.float32

        def part() -> Any:
            return (
                (torch.rand(whole, dtype=wide, device=device) * (last - first) + first)
                .clamp(first, last)
                .to(real)
            )

        made = torch.complex(part(), part()) if dtype.is_complex else part()
    made = made[..., ::2] if doubled else made
    if exclude_zero:
        least = 1 if integral else dtypes.finfo(dtype.to_real() if dtype.is_complex else dtype).tiny
        made.masked_fill_(made == 0, least)
    return made.requires_grad_(requires_grad) if requires_grad else made


def _interval(d: dtypes.dtype, low: float | None, high: float | None) -> tuple[float, float]:
    default = {"bool": (0, 2), "uint8": (0, 10)}.get(d.name, (-9, 10) if d.category <= 1 else (-9, 9))
    first, last = default[0] if low is None else low, default[1] if high is None else high
    if first != first or last != last:
        raise ValueError(f"`low` and `high` cannot be NaN, but got low={first!r} and high={last!r}")
    if first == last and d.category > 1:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 and will be removed "
            "in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    elif first >= last:
        raise ValueError(f"`low` must be less than `high`, but got {first} >= {last}")
    lowest, highest = _limits(d)
    if last < lowest or first >= highest:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{first}, {last}), but {d} only supports [{lowest}, {highest})"
        )
    return max(first, lowest), min(last, highest)
