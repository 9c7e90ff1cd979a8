"""torch._utils, of which programs use how errors come from other threads."""

from __future__ import annotations

import importlib
import sys
import traceback
from typing import Any, NoReturn

from .api_names import listed
from .cuda import is_available

__all__ = ["ExceptionWrapper", "KeyErrorMessage"]
__dir__ = listed(__name__)


def _get_available_device_type() -> str | None:
    """The kind of accelerator that there is: "cuda", or None."""
    return "cuda" if is_available() else None


def _get_device_module(device_type: str) -> Any:
    """torch.cuda for "cuda", and so on. RuntimeError where there is none."""
    try:
        return importlib.import_module(f".{device_type}", __package__)
    except ModuleNotFoundError:
        raise RuntimeError(
            f"Device '{device_type}' does not have a corresponding module registered as 'torch.{device_type}'."
        ) from None


class KeyErrorMessage(str):
    """The message of a KeyError with line breaks, which it would print as an escaped string."""

    __slots__ = ()

    def __repr__(self) -> str:
        return self


_TRACEBACK = "Traceback (most recent call last):"


class ExceptionWrapper:
    """The type and the printed traceback of an exception, to be raised elsewhere; `exc_info` is by default the
    exception that is being handled.

    >>> try: 1 / 0
    ... except ZeroDivisionError: wrapped = ExceptionWrapper(where="in a thread")
    >>> wrapped.reraise()
    Traceback (most recent call last):
    ZeroDivisionError: Caught ZeroDivisionError in a thread.
    ...
    """

    def __init__(self, exc_info: Any = None, where: str = "in background"):
        if exc_info is None:
            exc_info = sys.exc_info()
        self.exc_type = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        if _TRACEBACK not in self.exc_msg:  # nothing but the library's own frames, which were left out
            self.exc_msg = f"{_TRACEBACK}\n{self.exc_msg}"
        self.where = where

    def reraise(self) -> NoReturn:
        """Raises an exception of that type whose message is the traceback; a RuntimeError where it cannot be made of a
        message."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            raise KeyError(KeyErrorMessage(message))
        if getattr(self.exc_type, "message", None):  # takes it by this name
            raise self.exc_type(message=message)
        try:
            made = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None
        raise made
