"""torch._higher_order_ops.while_loop, a module of its own as in PyTorch."""

from ..func.loops import while_loop

__all__ = ["while_loop"]
