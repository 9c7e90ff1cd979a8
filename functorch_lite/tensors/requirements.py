"""Results that are valid only for some values of tensors, which are looked at when the program runs."""

from __future__ import annotations

from typing import Any

from .._core.api import OPS, Tensor, apply, at_hand, require

__all__ = ["limited", "required"]


def limited(input: Tensor, low: int, high: int | None, says: str) -> Tensor:
    """Returns `input`, which is valid only if all elements are at least `low`, and at most `high` if that is not None.

    Values on the host are looked at now, and others when the program runs."""
    known = at_hand(input)
    if known is None:
        return input if input.is_meta else apply(OPS["_limited"], (low, high, says), (input,))  # type: ignore[attr-defined]
    within = (known >= low) if high is None else (known >= low) & (known <= high)
    require(within.all(), says)
    return input


def required(result: Any, wrong: Tensor, says: str) -> Any:
    """Returns `result`, a tensor or a tuple of tensors, which is valid only if `wrong` is 0 everywhere.

    Otherwise an error is raised when a value computed from the result is read. says: the error, as `requirement` of
    `_core/lazy/bounds.py` gives it."""
    if wrong.is_meta:  # type: ignore[attr-defined]
        return result
    if isinstance(result, tuple):
        parts = [required(r, wrong, says) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return apply(OPS["_required"], (says,), (result, wrong))
