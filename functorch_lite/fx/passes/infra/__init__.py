"""Building blocks of passes."""

from __future__ import annotations

from ....api_names import listed
from . import pass_base as pass_base
from . import pass_manager as pass_manager

__all__: list[str] = []
__dir__ = listed(__name__, "pass_base", "pass_manager")
