"""torch._check and its kind: conditions that raise an error of one's choice, with a message that is made only then."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from ._core.api import Tensor

__all__ = [
    "_check", "_check_index", "_check_is_size", "_check_not_implemented", "_check_tensor_all", "_check_tensor_all_with", "_check_type",
    "_check_value", "_check_with",
]  # fmt: skip

_NO_MESSAGE = "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an enhancement request to PyTorch.)"


def _check_with(error_type: type[Exception], cond: bool, message: Callable[[], Any] | None) -> None:
    """Raises error_type(str(message())) unless cond is true, which must be a bool."""
    if not isinstance(cond, bool):
        if isinstance(cond, Tensor):
            raise TypeError(
                "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert that all elements are true."
            )
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if not issubclass(error_type, Exception) or issubclass(error_type, Warning):
        raise AssertionError(f"error_type must be a subclass of Exception but not Warning, got {error_type}")
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(_NO_MESSAGE if message is None else str(message()))


def _kind(name: str, error_type: type[Exception]) -> Callable[..., None]:
    def check(cond: bool, message: Callable[[], Any] | None = None) -> None:
        _check_with(error_type, cond, message)

    check.__name__ = check.__qualname__ = name
    check.__doc__ = f"Raises {error_type.__name__}(message()) unless cond is true, which must be a bool."
    return check


_check = _kind("_check", RuntimeError)
_check_index = _kind("_check_index", IndexError)
_check_value = _kind("_check_value", ValueError)
_check_type = _kind("_check_type", TypeError)
_check_not_implemented = _kind("_check_not_implemented", NotImplementedError)


def _check_is_size(i: int, message: Callable[[], Any] | None = None, *, max: int | None = None) -> None:
    """Raises RuntimeError unless i is not negative, and at most `max`. Deprecated, as in PyTorch."""
    warnings.warn("_check_is_size is deprecated; use _check(i >= 0)", FutureWarning, stacklevel=2)
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(
    error_type: type[Exception], cond: Tensor, message: Callable[[], Any] | None = None
) -> None:
    """Raises error_type unless every element of cond, a bool tensor, is true. Reads them."""
    if not isinstance(cond, Tensor):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if str(cond.dtype) != "torch.bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(cond.all()), message)  # type: ignore[attr-defined]


_check_tensor_all = functools.partial(_check_tensor_all_with, RuntimeError)
