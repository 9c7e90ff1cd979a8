"""Python's collector of cycles, which goes through all objects of a process every so often.

What is kept of recordings, and JAX's own, are some hundred thousand objects, of which nothing is garbage: going through
them after each 100 collections of young objects took a fifth of a training loop with graphs of other sizes at each
step. So that is done a tenth as often; young objects are collected as before.
"""

from __future__ import annotations

import gc

__all__ = ["collect_old_objects_seldom"]

PYTHONS, SELDOM = 10, 100


def collect_old_objects_seldom() -> None:
    """Sets the third of `gc.get_threshold()`, if it is Python's own."""
    young, middle, old = gc.get_threshold()
    if old == PYTHONS:
        gc.set_threshold(young, middle, SELDOM)
