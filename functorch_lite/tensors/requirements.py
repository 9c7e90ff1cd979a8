"""Results that are valid only for some values of tensors, which are looked at when the program runs."""

from __future__ import annotations

from typing import Any

from .._core.api import OPS, Tensor, apply, at_hand, overrides, require

__all__ = ["limited", "required"]


def _is_unlooked(t: Any) -> bool:
    """Whether nothing is to look at a tensor: it has no values, or a dispatch mode sees each op, of which PyTorch has
    none for this."""
    return t.is_meta or bool(overrides.here.modes)


def limited(input: Tensor, low: int, high: int | None, says: str) -> Tensor:
    """Returns `input`, which is valid only if all elements are at least `low`, and at most `high` if that is not None.

    Values on the host are looked at now, and others when the program runs."""
    known = at_hand(input)
    if known is None:
        return input if _is_unlooked(input) else apply(OPS["_limited"], (low, high, says), (input,))
    within = (known >= low) if high is None else (known >= low) & (known <= high)
    require(within.all(), says)
    return input


def required(result: Any, wrong: Tensor, says: str) -> Any:
    """Returns `result`, a tensor or a tuple of tensors, which is valid only if `wrong` is 0 everywhere.

    Otherwise an error is raised when a value computed from the result is read. says: the error, as `requirement` of
    `_core/lazy/bounds.py` gives it."""
    if _is_unlooked(wrong):
        return result
    if isinstance(result, tuple):
        parts = [required(r, wrong, says) for r in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return apply(OPS["_required"], (says,), (result, wrong))
