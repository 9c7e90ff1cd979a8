"""Cutting joint Graphs in two, where PyTorch has it: `functorch_lite.compiler.partition.of_modules` and
`compiler.aot`."""

from __future__ import annotations

from ..compiler.aot import default_partition
from ..compiler.partition.of_modules import (
    NodeInfo,
    choose_saved_values_set,
    classify_nodes,
    min_cut_rematerialization_partition,
)

__all__ = [
    "NodeInfo", "choose_saved_values_set", "classify_nodes", "default_partition", "min_cut_rematerialization_partition",
]  # fmt: skip
