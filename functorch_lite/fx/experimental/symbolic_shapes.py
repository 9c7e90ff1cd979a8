"""Symbolic sizes: the error that PyTorch has in this module."""

from __future__ import annotations

from ...api_names import listed

__all__ = ["ConstraintViolationError"]
__dir__ = listed(__name__)


class ConstraintViolationError(RuntimeError):
    """An example does not have the size that was said to `torch.export.export`."""


ConstraintViolationError.__module__ = "torch.fx.experimental.symbolic_shapes"
