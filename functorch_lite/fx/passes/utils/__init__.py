"""What passes share."""

from __future__ import annotations

from . import common as common
from . import matcher_utils as matcher_utils
from .common import HolderModule, compare_graphs, lift_subgraph_as_module

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]
