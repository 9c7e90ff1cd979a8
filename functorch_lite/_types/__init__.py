"""Stubs of torch's functions and Tensor's methods, for type checkers; written by `python -m tests.stubs --write`."""
