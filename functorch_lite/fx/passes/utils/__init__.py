"""Utilities that passes share."""

from __future__ import annotations

from ....api_names import listed
from . import common as common
from . import matcher_utils as matcher_utils
from .common import HolderModule, compare_graphs, lift_subgraph_as_module

__all__ = ["HolderModule", "compare_graphs", "lift_subgraph_as_module"]
__dir__ = listed(__name__, "common", "matcher_utils")
