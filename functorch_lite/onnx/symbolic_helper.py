"""torch.onnx.symbolic_helper: the decorator of functions that describe an op for an export, which packages write as
they are imported."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

__all__ = ["parse_args"]

F = TypeVar("F", bound=Callable)


def parse_args(*kinds: str) -> Callable[[F], F]:
    """The function as it is: no export calls it."""
    return lambda fn: fn
