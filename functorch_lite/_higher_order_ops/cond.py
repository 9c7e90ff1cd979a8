"""torch._higher_order_ops.cond, a module of its own as in PyTorch."""

from ..func.control_flow import cond

__all__ = ["cond"]
