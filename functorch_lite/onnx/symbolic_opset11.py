"""torch.onnx.symbolic_opset11: its functions describe ops for an export, of which there is none; asking for one says so."""

from __future__ import annotations

from typing import NoReturn

from . import _NO_EXPORT


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(_NO_EXPORT.format(f"symbolic_opset11.{name}"))
