"""Calls of nn modules: see modules.py."""

from __future__ import annotations

from tests.fuzz.functional import drawn
from tests.fuzz.modules import FAMILIES


def calls():
    """A module, constructed and called."""
    return drawn(FAMILIES)
