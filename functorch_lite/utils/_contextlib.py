"""torch.utils._contextlib: contexts that decorate functions too, of which no_grad is one, for packages that write their
own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..autograd.grad_mode import _DecoratorContextManager

__all__ = ["context_decorator"]


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """Base of context managers that take no arguments, so that a function may be decorated by the class itself."""

    def __new__(cls, orig_func: Callable | None = None) -> Any:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)


class _Made(_DecoratorContextManager):
    """The decorator of `context_decorator`."""

    def __init__(self, clone: Callable[[], Any]):
        self.clone = clone  # type: ignore[method-assign]


def context_decorator(ctx: Any, func: Callable) -> Any:
    """`func`, called within `ctx`: a context that can be entered many times, or a function without arguments that makes
    one.

    A generator is resumed within it, each time. AssertionError for a `ctx` that is both; RuntimeError for a class.

    >>> double = torch.utils._contextlib.context_decorator(lambda: torch.no_grad(), lambda x: x * 2)
    >>> double(torch.ones(2, requires_grad=True)).requires_grad
    False
    """
    if callable(ctx) and hasattr(ctx, "__enter__"):
        raise AssertionError(
            f"{ctx} is a context and can be called as well; pass `lambda: ctx()` or `lambda: ctx` to say which is meant"
        )
    if inspect.isclass(func):
        raise RuntimeError(
            "Cannot decorate classes: it is not clear whether its constructor or all its methods are meant. Decorate the methods."
        )
    return _Made(ctx if callable(ctx) else lambda: ctx)(func)
