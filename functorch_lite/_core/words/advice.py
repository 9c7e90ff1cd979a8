"""Warnings of PyTorch's C++ code: at the user's line, some of them once in a process."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .dtypes import dtype
from .undisturbed import caller

__all__ = ["about_imaginary", "advise", "advising", "always", "set_always"]

# where generated code and wrappers lie, whose globals are their own
_OURS = ("<functorch_lite", f"{Path(__file__).parents[2]}{os.sep}")
_given: set[str] = set()
_always = False


def advise(text: str, once: bool = True) -> None:
    """A UserWarning at the line of the first caller outside this library; `once`: of each text only one in the
    process."""
    if once and not _always:
        if text in _given:
            return
        _given.add(text)
    frame = caller() or sys._getframe(1)
    while frame.f_back is not None and (
        frame.f_globals.get("__name__", "").startswith("functorch_lite.")
        or frame.f_code.co_filename.startswith(_OURS)
    ):
        frame = frame.f_back
    names = frame.f_globals
    warnings.warn_explicit(
        text,
        UserWarning,
        frame.f_code.co_filename,
        frame.f_lineno,
        names.get("__name__") or "<string>",
        names.setdefault("__warningregistry__", {}),
    )


def about_imaginary(have: dtype, to: dtype) -> None:
    """Advises where a cast leaves imaginary parts behind."""
    if have.category == 3 != to.category and to.name != "bool":
        advise("Casting complex values to real discards the imaginary part")


def advising(condition: str, name: str, text: str) -> tuple[str, str, Callable[[Any], Any]]:
    """For `asks=` of an op: gives this advice where the condition holds; `name` is any of the op's arguments."""

    def say(argument: Any) -> Any:
        advise(text)
        return argument

    return condition, name, say


def always() -> bool:
    """Returns whether what is said once in a process is said each time."""
    return _always


def set_always(value: bool) -> None:
    """Says each time what is otherwise said once, or no longer."""
    global _always
    _always = value
