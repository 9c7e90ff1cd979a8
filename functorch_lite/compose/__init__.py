"""Functions of the torch namespace that are written in terms of other functions, on Tensors."""

from . import (
    aliases,
    at_hand,
    constructors,
    creation,
    elements,
    frequency,
    indexed,
    linalg,
    lowrank,
    overloads,
    pieces,
    reading,
    settings,
    statistics,
    unchanged,
)

__all__ = [
    "aliases",
    "at_hand",
    "constructors",
    "creation",
    "elements",
    "frequency",
    "indexed",
    "linalg",
    "lowrank",
    "overloads",
    "pieces",
    "reading",
    "settings",
    "statistics",
    "unchanged",
]
