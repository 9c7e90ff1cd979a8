"""What passes are made of."""

from __future__ import annotations

from . import pass_base as pass_base
from . import pass_manager as pass_manager

__all__: list[str] = []
