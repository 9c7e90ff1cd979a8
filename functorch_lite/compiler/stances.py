"""Stances: what becomes of calls of marked functions, for the whole process; and `torch.compiler.disable`, for what is
called inside."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._core.api import tidied
from .backends import check_backend
from .errors import Unsupported
from .noting import noting
from .simple import Unwatched

__all__ = ["STANCES", "Disabled", "now", "set_stance"]

STANCES = (
    "default", "force_eager", "eager_on_recompile", "fail_on_recompile", "eager_then_compile", "aot_eager_then_compile",
)  # fmt: skip


class _Now:
    """stance: the one that holds. is_usual: calls are replayed and recorded under it."""

    stance = "default"
    is_usual = True


now = _Now()


def _hold(stance: str) -> None:
    if noting.compiling:
        raise Unsupported("torch.compiler.set_stance() is called inside of marked code: call it outside")
    now.stance = stance
    now.is_usual = stance in ("default", "eager_then_compile", "aot_eager_then_compile")


class set_stance:
    """Sets what becomes of calls of marked functions from here on: a function, context manager or decorator. Results
    are the same under each.

    default             the first call of a kind is run, the second recorded, and those that follow are replayed
    force_eager         each is run as it stands
    eager_on_recompile  what can be replayed is; all else is run as it stands, and nothing is learnt from it
    fail_on_recompile   RuntimeError for a call of a new kind, or if something that the function reads has changed
    eager_then_compile, aot_eager_then_compile   as "default", which does so

    skip_guard_eval_unsafe: whether anything has changed is looked at all the same. force_backend: with "default" alone;
    it is checked.

    >>> f = torch.compile(lambda x: x + 1)
    >>> with torch.compiler.set_stance("force_eager"):
    ...     f(torch.ones(2)).tolist()
    [2.0, 2.0]
    """

    @tidied
    def __init__(
        self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend: Any = None
    ):
        if force_backend is not None and stance != "default":
            raise RuntimeError("non-default stance cannot have force_backend set")
        if stance not in STANCES:
            raise RuntimeError(f"invalid torch.compile stance '{stance}'")
        if force_backend is not None:
            check_backend(force_backend)
        self.stance, self._before = stance, now.stance
        _hold(stance)

    def __enter__(self) -> None:
        _hold(self.stance)

    def __exit__(self, *exc: object) -> None:
        _hold(self._before)

    def __call__(self, fn: Callable) -> Callable:
        _hold(self._before)

        @functools.wraps(fn)
        def call(*args, **kwargs):
            before = now.stance
            _hold(self.stance)
            try:
                return fn(*args, **kwargs)
            finally:
                _hold(before)

        return call


class Disabled(Unwatched):
    """Wrapper that `torch.compiler.disable` makes of a function: it runs without recording, and so does a compiled
    function that calls it."""

    def __init__(self, fn: Callable, recursive: bool = True):
        self.fn, self.recursive = fn, recursive

    @property
    def settings(self) -> tuple:
        """The class, and its arguments after the function."""
        return (Disabled, self.recursive)

    def __call__(self, args: tuple, kwargs: dict) -> Any:
        compiling = noting.compiling
        reads = noting.reads
        if reads is not None and (compiling or reads.fullgraph):
            reads.calls(getattr(self.fn, "__name__", type(self.fn).__name__))
        noting.compiling = False
        noting.disabled += self.recursive
        try:
            return self.fn(*args, **kwargs)
        finally:
            noting.compiling = compiling
            noting.disabled -= self.recursive
