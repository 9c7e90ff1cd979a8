"""Samples of every op, one file a family; each gives SAMPLES: op name -> samples."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from tests.samples.base import Sample


@cache
def all_samples() -> dict[str, list[Sample]]:
    """The samples of all families, by op name."""
    found: dict[str, list[Sample]] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__) if m.name != "base"):
        samples = getattr(importlib.import_module(f"tests.samples.{module}"), "SAMPLES", {})
        twice = sorted(set(found) & set(samples))
        if twice:
            raise ValueError(f"tests/samples/{module}.py samples ops that another file samples too: {twice}")
        found |= samples
    return found
