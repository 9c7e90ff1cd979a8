"""torch._assert: an assertion that overrides see, so that tracing records it."""

from __future__ import annotations

from .._core.api import composite

__all__: list[str] = []


@composite
def _assert(condition, message):
    """Raises AssertionError with the message unless the condition is true.

    >>> torch._assert(torch.ones(1).sum() > 2, "too small")
    Traceback (most recent call last):
    AssertionError: too small
    """
    if not condition:
        raise AssertionError(message)
