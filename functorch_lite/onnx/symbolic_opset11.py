"""torch.onnx.symbolic_opset11: its functions write ops for PyTorch's older exporter, which is not supported; looking
one up raises an error that says so."""

from __future__ import annotations

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise NotImplementedError(
        f"torch.onnx.symbolic_opset11.{name}: functions of PyTorch's older exporter are not supported; pass custom_translation_table to torch.onnx.export"
    )
