"""torch.backends.opt_einsum: how the products of an einsum of several operands are ordered.

`enabled`: whether the package opt_einsum, which JAX needs too, finds an order; otherwise products are taken from left
to right. `strategy`: "auto", "greedy" or "optimal".
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .._core.api import flush, forget_programs
from ..ops.einsum import ORDER

__all__ = ["flags", "get_opt_einsum", "is_available", "set_flags"]

STRATEGIES = ("auto", "greedy", "optimal")
_strategy = ["auto"]


def is_available() -> bool:
    """True: JAX needs opt_einsum."""
    return True


def get_opt_einsum() -> Any:
    """Returns the package opt_einsum."""
    import opt_einsum  # loaded with jax.numpy: named here alone

    return opt_einsum


def set_flags(_enabled: bool | None = None, _strategy: str | None = None) -> tuple[bool, str | None]:
    """Sets what is not None; returns what was set before.

    >>> torch.backends.opt_einsum.set_flags(_strategy="greedy")
    (True, 'auto')
    >>> torch.backends.opt_einsum.set_flags(_strategy="auto")
    (True, 'greedy')
    """
    module = sys.modules[__name__]
    before = module.enabled, module.strategy  # type: ignore[attr-defined]
    if _enabled is not None:
        module.enabled = _enabled  # type: ignore[attr-defined]
    if _strategy is not None:
        module.strategy = _strategy  # type: ignore[attr-defined]
    return before


@contextlib.contextmanager
def flags(enabled: bool | None = None, strategy: str | None = None) -> Iterator[None]:
    """A context in which these are set."""
    before = set_flags(enabled, strategy)
    try:
        yield
    finally:
        set_flags(*before)


def _order(by: Any) -> None:
    if ORDER["by"] != by:
        flush()
        ORDER["by"] = by
        forget_programs()


class _Settings(ModuleType):
    """The module, whose settings are properties."""

    @property
    def enabled(self) -> bool:
        """Returns whether an order is looked for."""
        return ORDER["by"] is not False

    @enabled.setter
    def enabled(self, enabled: bool) -> None:
        _order(_strategy[0] if enabled else False)

    @property
    def strategy(self) -> str | None:
        """How it is looked for; None if it is not."""
        return _strategy[0] if self.enabled else None

    @strategy.setter
    def strategy(self, strategy: str) -> None:
        if not self.enabled:
            raise ValueError(
                f"opt_einsum is not enabled, so setting a strategy to {strategy} will not make a difference."
            )
        if strategy not in STRATEGIES:
            raise ValueError(
                f"`strategy` must be one of the following: [auto, greedy, optimal] but is {strategy}"
            )
        _strategy[0] = strategy
        _order(strategy)


sys.modules[__name__].__class__ = _Settings
