"""torch.fx's mark of how settled a name is: `@compatibility(is_backward_compatible=True)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..api_names import listed

__all__ = ["compatibility"]
__dir__ = listed(__name__)

_MARKED_WITH_COMPATIBILITY: dict[Any, Any] = {}


def compatibility(is_backward_compatible: bool) -> Callable[[Any], Any]:
    """Decorator that notes in the docstring whether later releases keep a function or class as it is.

    >>> @compatibility(is_backward_compatible=False)
    ... def f():
    ...     "Does it."
    >>> "not guaranteed" in f.__doc__
    True
    """
    note = (
        "Backwards-compatibility for this API is guaranteed."
        if is_backward_compatible
        else "This API is experimental and is not guaranteed to be backward-compatible."
    )

    def mark(thing: Any) -> Any:
        thing.__doc__ = f"{(thing.__doc__ or '').rstrip()}\n\n.. note::\n    {note}\n"
        _MARKED_WITH_COMPATIBILITY.setdefault(thing)
        return thing

    return mark
