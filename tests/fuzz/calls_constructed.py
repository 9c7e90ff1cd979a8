"""Calls of distributions, optimizers, schedules, random factories and nn.init: see constructed.py and functional.py."""

from __future__ import annotations

from tests.fuzz import (
    constructed,
    functional,
)
from tests.fuzz.functional import drawn


def calls():
    """Something constructed or drawn."""
    return drawn(constructed.FAMILIES | {n: functional.FAMILIES[n] for n in ("random", "init")})
