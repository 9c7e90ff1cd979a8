"""Declarations of ops: an op's function, the kinds of its parameters, the name of its derivative."""
