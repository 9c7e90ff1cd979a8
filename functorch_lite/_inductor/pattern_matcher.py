"""`functorch_lite.compiler.patterns`, where PyTorch has it."""

from __future__ import annotations

from ..compiler.patterns import *  # noqa: F403
from ..compiler.patterns import __all__ as __all__
