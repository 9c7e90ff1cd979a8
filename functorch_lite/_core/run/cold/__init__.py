"""What was never seen is run by NumPy, without waiting for XLA: rules for primitives, by family."""
