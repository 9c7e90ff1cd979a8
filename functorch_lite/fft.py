"""torch.fft: functions declared in `ops/`, bound at first use."""

from __future__ import annotations

from ._core import bind


def __getattr__(name: str):
    made = None if name.startswith("__") else bind.lookup("fft", name)
    if made is None:
        raise AttributeError(f"module 'functorch_lite.fft' has no attribute '{name}'")
    globals()[name] = made
    return made


def __dir__():
    return sorted(bind.names("fft"))
