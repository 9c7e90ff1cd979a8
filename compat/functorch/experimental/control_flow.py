"""functorch.experimental.control_flow: cond and map, which are torch.cond and torch._higher_order_ops.map."""

from functorch_lite.func.control_flow import cond, map

__all__ = ["cond", "map"]
