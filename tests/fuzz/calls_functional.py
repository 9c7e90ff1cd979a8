"""Calls of nn.functional: see functional.py."""

from __future__ import annotations

from tests.fuzz.functional import FAMILIES, drawn


def calls():
    """A mutated sample of a function of nn.functional."""
    return drawn({"functional": FAMILIES["functional"]}, ("functional",))
