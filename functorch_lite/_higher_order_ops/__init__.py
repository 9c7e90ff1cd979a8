"""torch._higher_order_ops: control flow as ops. The work is done in `func/control_flow.py` and `func/loops.py`."""

from ..func.control_flow import cond, map
from ..func.loops import associative_scan, scan, while_loop

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]
