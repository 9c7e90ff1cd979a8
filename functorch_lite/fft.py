"""torch.fft: functions declared in `ops/`, bound at first use."""

from __future__ import annotations

from ._core.api import bind
from .api_names import listed


def __getattr__(name: str):
    made = None if name.startswith("__") else bind.lookup("fft", name)
    if made is None:
        raise AttributeError(f"module 'functorch_lite.fft' has no attribute '{name}'")
    globals()[name] = made
    return made


_ONLY_BY_NAME = ("hfft2", "hfftn", "ihfft2", "ihfftn")  # which PyTorch's `import *` does not bind

__all__ = sorted(bind.names("fft").difference(_ONLY_BY_NAME))
__dir__ = listed(__name__, *_ONLY_BY_NAME)
