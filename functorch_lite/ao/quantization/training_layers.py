"""torch.ao.nn.qat and torch.ao.nn.intrinsic.qat: layers that train with weights rounded as int8 would be."""

from __future__ import annotations

from typing import Any

from ... import nn
from ..._core.api import Tensor
from ..._core.api import functions as torch
from ..._core.api import namespace as functions_of
from .fused_layers import ConvBn1d as FusedConvBn1d
from .fused_layers import ConvBn2d as FusedConvBn2d
from .fused_layers import ConvBn3d as FusedConvBn3d
from .fused_layers import ConvBnReLU1d as FusedConvBnReLU1d
from .fused_layers import ConvBnReLU2d as FusedConvBnReLU2d
from .fused_layers import ConvBnReLU3d as FusedConvBnReLU3d
from .fused_layers import ConvReLU1d as FusedConvReLU1d
from .fused_layers import ConvReLU2d as FusedConvReLU2d
from .fused_layers import ConvReLU3d as FusedConvReLU3d
from .fused_layers import LinearReLU as FusedLinearReLU

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvBn1d", "ConvBn2d", "ConvBn3d", "ConvBnReLU1d", "ConvBnReLU2d", "ConvBnReLU3d", "ConvReLU1d",
    "ConvReLU2d", "ConvReLU3d", "Linear", "LinearReLU",
]  # fmt: skip

F: Any = functions_of("nn.functional")


class _Trains:
    """Mixin of a layer whose weight passes through `weight_fake_quant`; from_float makes it of a layer of floats."""

    relu = False
    bn: Any

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the layer that trains in the place of `mod`, which has a `qconfig`, with its parameters.

        Args:
            mod: A layer of floats, or fused ones.
            use_precomputed_fake_quant: Accepted as in PyTorch, where layers of this kind do not use it either.
        """
        if not getattr(mod, "qconfig", None):
            raise AssertionError("Input float module must have a valid qconfig")
        parts = list(mod) if isinstance(mod, nn.Sequential) else [mod]
        layer, found = parts[0], cls.__new__(cls)
        nn.Module.__init__(found)
        own = {*vars(found), "qconfig"}
        found.__dict__.update({name: value for name, value in vars(layer).items() if name not in own})
        found._parameters.update(layer._parameters)
        found.qconfig = mod.qconfig
        found.weight_fake_quant = mod.qconfig.weight()
        found.bn = parts[1] if len(parts) > 1 and not isinstance(parts[1], nn.ReLU) else None
        found.train(mod.training)
        return found

    def forward(self, input: Tensor) -> Tensor:
        weight = self.weight
        if self.bn is None:
            out = self._product(input, self.weight_fake_quant(weight), self.bias)
        else:  # the weight that convert folds the normalization into is the one that is rounded
            factor = self.bn.weight / torch.sqrt(self.bn.running_var + self.bn.eps)
            along = factor.reshape(-1, *[1] * (weight.ndim - 1))
            out = self._product(input, self.weight_fake_quant(weight * along), None)
            out = out / factor.reshape(-1, *[1] * (weight.ndim - 2))
            if self.bias is not None:
                out = out + self.bias.reshape(-1, *[1] * (weight.ndim - 2))
            out = self.bn(out)
        return F.relu(out) if self.relu else out

    def _product(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        if isinstance(self, nn.Linear):
            return F.linear(input, weight, bias)
        return self._conv_forward(input, weight, bias)


def _trains(name: str, base: type, of: type, relu: bool = False) -> type:
    doc = f"""A {base.__name__} that trains with its weight rounded as int8 would be{", and a ReLU" if relu else ""}."""
    space = {"relu": relu, "_FLOAT_MODULE": of, "__doc__": doc, "__module__": __name__}
    return type(name, (_Trains, base), space)


Linear = _trains("Linear", nn.Linear, nn.Linear)
LinearReLU = _trains("LinearReLU", nn.Linear, FusedLinearReLU, relu=True)
Conv1d, Conv2d, Conv3d = (_trains(c.__name__, c, c) for c in (nn.Conv1d, nn.Conv2d, nn.Conv3d))
ConvReLU1d, ConvReLU2d, ConvReLU3d = (
    _trains(of.__name__, of.of[0], of, relu=True)
    for of in (FusedConvReLU1d, FusedConvReLU2d, FusedConvReLU3d)
)
ConvBn1d, ConvBn2d, ConvBn3d = (
    _trains(of.__name__, of.of[0], of) for of in (FusedConvBn1d, FusedConvBn2d, FusedConvBn3d)
)
ConvBnReLU1d, ConvBnReLU2d, ConvBnReLU3d = (
    _trains(of.__name__, of.of[0], of, relu=True)
    for of in (FusedConvBnReLU1d, FusedConvBnReLU2d, FusedConvBnReLU3d)
)
