"""Graphs in ops of aten, as `make_fx` shows them: `lower.py` walks a Graph, `emit.py` makes nodes, the other files say
op by op what an op is there, and its derivative."""
