"""What may be set of the compiler: `torch._dynamo.config`. All other names that are set there have no effect."""

recompile_limit = 8
"""Kinds of calls that are kept of a function whose `recompile_limit` is None; the oldest one goes for another."""
