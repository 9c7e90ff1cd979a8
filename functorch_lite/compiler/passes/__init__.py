"""Passes: what is done to a Graph before it is run. Each takes a Graph and gives a Graph with the same results."""

from __future__ import annotations

from .attention import fuse_attention
from .canonical import canonical
from .common import merge_common
from .inside import changed_inside
from .simplify import simplify

__all__ = ["canonical", "changed_inside", "fuse_attention", "merge_common", "simplify"]
