"""torch.ao.nn.intrinsic: layers in a row that are quantized as one, as `fuse_modules` makes them."""

from __future__ import annotations

from typing import Any

from ...nn import (
    BatchNorm1d,
    BatchNorm2d,
    BatchNorm3d,
    Conv1d,
    Conv2d,
    Conv3d,
    Linear,
    ReLU,
    Sequential,
)

__all__ = [
    "BNReLU2d", "BNReLU3d", "ConvBn1d", "ConvBn2d", "ConvBn3d", "ConvBnReLU1d", "ConvBnReLU2d", "ConvBnReLU3d", "ConvReLU1d",
    "ConvReLU2d", "ConvReLU3d", "LinearBn1d", "LinearReLU",
]  # fmt: skip


class _FusedModule(Sequential):
    """Base of layers in a row that are quantized as one."""

    of: tuple[type, ...]

    def __init__(self, *layers: Any):
        if len(layers) != len(self.of) or not all(map(isinstance, layers, self.of)):
            raise AssertionError(f"Incorrect types for input modules{''.join(f' {type(m)}' for m in layers)}")
        super().__init__(*layers)


def _fused(name: str, *of: type) -> type:
    doc = f"""A {" and a ".join(kind.__name__ for kind in of)} that are quantized as one layer.

    Args:
        layers: The layers, in this order.
    """
    return type(name, (_FusedModule,), {"of": of, "__doc__": doc, "__module__": __name__})


ConvBn1d, ConvBn2d, ConvBn3d = (
    _fused(f"ConvBn{n}d", conv, bn)
    for n, conv, bn in ((1, Conv1d, BatchNorm1d), (2, Conv2d, BatchNorm2d), (3, Conv3d, BatchNorm3d))
)
ConvBnReLU1d, ConvBnReLU2d, ConvBnReLU3d = (
    _fused(f"ConvBnReLU{n}d", conv, bn, ReLU)
    for n, conv, bn in ((1, Conv1d, BatchNorm1d), (2, Conv2d, BatchNorm2d), (3, Conv3d, BatchNorm3d))
)
ConvReLU1d, ConvReLU2d, ConvReLU3d = (
    _fused(f"ConvReLU{n}d", conv, ReLU) for n, conv in ((1, Conv1d), (2, Conv2d), (3, Conv3d))
)
BNReLU2d, BNReLU3d = (_fused(f"BNReLU{n}d", bn, ReLU) for n, bn in ((2, BatchNorm2d), (3, BatchNorm3d)))
LinearReLU, LinearBn1d = _fused("LinearReLU", Linear, ReLU), _fused("LinearBn1d", Linear, BatchNorm1d)
