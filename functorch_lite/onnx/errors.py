"""Errors of an export to ONNX."""

from __future__ import annotations

__all__ = ["OnnxExporterError", "OnnxExporterWarning", "SymbolicValueError", "UnsupportedOperatorError"]


class OnnxExporterWarning(UserWarning):
    """Warnings of an export."""


class OnnxExporterError(RuntimeError):
    """Raised where a module cannot be written as ONNX."""


class UnsupportedOperatorError(OnnxExporterError):
    """Raised where an op has no counterpart in ONNX here: the message names the op and the line of the user's that
    calls it."""


class SymbolicValueError(OnnxExporterError):
    """Raised where a size that was left open decides what the Graph is."""
