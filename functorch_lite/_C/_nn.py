"""torch._C._nn: what libraries ask of it that derive from nn.Module."""

from __future__ import annotations

from typing import Any

from .._core.api import Tensor, check_type, dtypes
from .._core.api import device as _device

__all__ = ["_parse_to"]


def _parse_to(*args: Any, **kwargs: Any) -> tuple:
    """Parses the arguments of `Module.to`: (device, dtype, non_blocking, memory_format), of which the first two and the
    last may be None.

    `(device, dtype, non_blocking)`, `(dtype, non_blocking)` or `(tensor, non_blocking)`; RuntimeError for `copy`.

    >>> torch._C._nn._parse_to("cpu", torch.float64)
    (device(type='cpu'), torch.float64, False, None)
    """
    first = args[0] if args else None
    if isinstance(first, Tensor) or "other" in kwargs:
        other = first if args else kwargs.pop("other")
        names, given = ("non_blocking", "copy"), args[1:]
        device, dtype = other.device, other.dtype
    elif isinstance(first, dtypes.dtype):
        names, given, device, dtype = ("dtype", "non_blocking", "copy"), args, None, None
    else:
        names, given, device, dtype = ("device", "dtype", "non_blocking", "copy"), args, None, None
    if (
        len(given) > len(names)
        or set(kwargs) - {*names, "device", "dtype", "memory_format"}
        or set(names[: len(given)]) & set(kwargs)
    ):
        raise TypeError(f"to() received an invalid combination of arguments - got {(*args, *kwargs)}")
    found = {"device": device, "dtype": dtype, **dict(zip(names, given)), **kwargs}
    if found.get("copy"):
        raise RuntimeError(".to() does not accept copy argument")
    where, kind = found["device"], found["dtype"]
    check_type(kind is None or isinstance(kind, dtypes.dtype), kind, "torch.dtype", "to", "dtype")
    return (
        None if where is None else _device(where), kind, bool(found.get("non_blocking", False)), found.get("memory_format"),
    )  # fmt: skip
