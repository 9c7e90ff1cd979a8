"""Runs by NumPy of what was never seen, without waiting for XLA: rules for primitives, by family."""
