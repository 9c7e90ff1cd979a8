"""torch._higher_order_ops.map, a module of its own as in PyTorch."""

from ..func.control_flow import map

__all__ = ["map"]
