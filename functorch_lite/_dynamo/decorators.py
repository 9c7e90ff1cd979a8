"""Names of torch._dynamo, where PyTorch keeps them."""

from __future__ import annotations

from . import (
    allow_in_graph,
    assume_constant_result,
    disable,
    disallow_in_graph,
    error_on_graph_break,
    forbid_in_graph,
    graph_break,
    mark_dynamic,
    mark_static,
    mark_static_address,
    mark_unbacked,
    maybe_mark_dynamic,
    nonstrict_trace,
    run,
    set_stance,
    skip_frame,
    substitute_in_graph,
)

__all__ = [
    "allow_in_graph", "assume_constant_result", "disable", "disallow_in_graph", "error_on_graph_break", "forbid_in_graph", "graph_break", "mark_dynamic",
    "mark_static", "mark_static_address", "mark_unbacked", "maybe_mark_dynamic", "nonstrict_trace", "run", "set_stance", "skip_frame", "substitute_in_graph",
]  # fmt: skip
