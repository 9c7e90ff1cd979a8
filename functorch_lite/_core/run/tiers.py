"""Tiers: what the user said is to run recordings, XLA or NumPy."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from ..lazy import engine

__all__ = ["always_compile", "is_cold", "is_compiled", "is_free", "tier"]

TIERS = ("auto", "compiled", "cold")

_setting = {"tier": os.environ.get("FUNCTORCH_LITE_TIER", "auto")}
if _setting["tier"] not in TIERS:
    raise ValueError(f"FUNCTORCH_LITE_TIER is {_setting['tier']!r}; it may be one of {', '.join(TIERS)}")


@contextlib.contextmanager
def tier(which: str) -> Iterator[None]:
    """A context that says what runs recordings: "compiled", always XLA; "cold", NumPy wherever it can; "auto", as
    without it, NumPy as long as a program would be waited for. On CPU; elsewhere XLA runs everything.

    Args:
        which: "compiled" for XLA, "cold" for NumPy wherever it can run, "auto" for the default.

    >>> with functorch_lite.debug.tier("compiled"):
    ...     torch.ones(2).add(1).tolist()
    [2.0, 2.0]
    """
    if which not in TIERS:
        raise ValueError(f"tier() must be one of {', '.join(TIERS)}, not {which!r}")
    engine.flush()
    before, _setting["tier"] = _setting["tier"], which
    try:
        yield
        engine.flush()
    finally:
        _setting["tier"] = before


def always_compile() -> None:
    """From here on XLA runs everything, if nobody said otherwise: where several processes must have the same bits, none
    chooses by the clock."""
    if is_free():
        _setting["tier"] = "compiled"


def is_free() -> bool:
    """Returns whether nobody said what is to run recordings."""
    return _setting["tier"] == "auto"


def is_cold() -> bool:
    """Returns whether NumPy is to run all that it can."""
    return _setting["tier"] == "cold"


def is_compiled() -> bool:
    """Returns whether XLA is to run everything."""
    return _setting["tier"] == "compiled"
