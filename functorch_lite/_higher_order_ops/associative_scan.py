"""torch._higher_order_ops.associative_scan, a module of its own as in PyTorch."""

from ..func.loops import associative_scan

__all__ = ["associative_scan"]
