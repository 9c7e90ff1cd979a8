"""torch._higher_order_ops.scan, a module of its own as in PyTorch."""

from ..func.loops import scan

__all__ = ["scan"]
