"""torch._dynamo.backends: backends that are made of compilers of Graphs."""

from __future__ import annotations

from ...api_names import lookup_of
from . import common, registry

__all__ = ["common", "registry"]

__getattr__ = lookup_of(__name__)
