"""`functorch_lite.compiler.patterns`, where PyTorch has it."""

from __future__ import annotations

from ..compiler.patterns import *  # noqa: F403
from ..compiler.patterns import __all__ as __all__
from ..compiler.patterns.stored import serialize_pattern as _serialize_pattern  # noqa: F401
