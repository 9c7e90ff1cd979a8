"""torch._higher_order_ops: control flow as ops. The work is done in `func/control_flow.py` and `func/loops.py`."""

# The modules come first and the functions of the same names after them: the package's attributes are the functions, as
# in PyTorch, and a later `import torch._higher_order_ops.scan` finds its module loaded and leaves them alone.
from . import associative_scan, cond, map, scan, while_loop  # isort: skip
from ..func.control_flow import cond, map  # noqa: F811  # isort: skip
from ..func.loops import associative_scan, scan, while_loop  # noqa: F811  # isort: skip

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]
