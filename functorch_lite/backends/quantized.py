"""torch.backends.quantized: the engine of quantized layers. The layers compute in float32 whichever it is."""

from __future__ import annotations

import sys
from types import ModuleType

from .._core.api import check

__all__ = ["supported_engines"]

supported_engines = ["qnnpack", "onednn", "x86", "fbgemm"]


class _Engines(ModuleType):
    """The module, which checks the name of an engine that is set."""

    _engine = "x86"

    @property
    def engine(self) -> str:
        """The name of the engine."""
        return self._engine

    @engine.setter
    def engine(self, name: str) -> None:
        check(name in supported_engines, RuntimeError, f"{name} is not a valid value for quantized engine")
        self._engine = name


sys.modules[__name__].__class__ = _Engines
