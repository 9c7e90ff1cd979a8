"""For programs that pytest does not run: what must raise, does."""

from __future__ import annotations

from collections.abc import Callable


def raises(error: type[Exception], sentence: str, fn: Callable) -> None:
    """Calls fn, which must raise this error with this in its message."""
    try:
        fn()
    except error as caught:
        assert sentence in str(caught), caught
    else:
        raise AssertionError(f"raised nothing, expected {sentence}")
