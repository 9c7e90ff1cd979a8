"""Graphs in ops of aten, as `make_fx` shows them: `lower.py` walks a Graph, `emit.py` makes nodes, the other files
define op by op its ops of aten, and its derivative."""
