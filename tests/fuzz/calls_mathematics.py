"""Calls of linalg, fft, special, statistics and windows: see functional.py."""

from __future__ import annotations

from tests.fuzz.functional import FAMILIES, drawn

NAMES = ("linalg", "fft", "special", "statistics", "windows")


def calls():
    """A mutated sample of one of their functions."""
    return drawn({n: FAMILIES[n] for n in NAMES}, ("linalg", "fft", "special", "statistics"))
