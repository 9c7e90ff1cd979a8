"""Passes over Graphs: shapes, drawings, splitting, and the machinery for one's own."""

from __future__ import annotations

from ...api_names import listed
from . import graph_drawer as graph_drawer
from . import graph_manipulation as graph_manipulation
from . import infra as infra
from . import operator_support as operator_support
from . import shape_prop as shape_prop
from . import split_module as split_module
from . import utils as utils

__all__: list[str] = []
__dir__ = listed(
    __name__, "graph_drawer", "graph_manipulation", "infra", "operator_support", "shape_prop", "split_module", "utils",
)  # fmt: skip
