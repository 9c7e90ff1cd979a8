"""torch.linalg: functions declared in `ops/`, bound at first use."""

from __future__ import annotations

from ._core.api import bind
from .api_names import listed


def __getattr__(name: str):
    made = None if name.startswith("__") else bind.lookup("linalg", name)
    if made is None:
        raise AttributeError(f"module 'functorch_lite.linalg' has no attribute '{name}'")
    globals()[name] = made
    return made


__all__ = sorted(bind.names("linalg"))
__dir__ = listed(__name__)
