"""torch.special: functions declared in `ops/`, bound at first use."""

from __future__ import annotations

from ._core import bind


def __getattr__(name: str):
    made = None if name.startswith("__") else bind.lookup("special", name)
    if made is None:
        raise AttributeError(f"module 'functorch_lite.special' has no attribute '{name}'")
    globals()[name] = made
    return made


def __dir__():
    return sorted(bind.names("special"))
