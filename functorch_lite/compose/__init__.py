"""Functions of the torch namespace that are written in terms of other functions, on Tensors."""

from . import creation, indexed, pieces, reading

__all__ = ["creation", "indexed", "pieces", "reading"]
