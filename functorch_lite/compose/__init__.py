"""Functions of the torch namespace that are written in terms of other functions, on Tensors."""

from . import (
    aliases,
    asserting,
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
    "asserting",
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
