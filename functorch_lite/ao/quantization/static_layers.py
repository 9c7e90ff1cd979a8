"""torch.ao.nn.quantized: layers from quantized tensors to quantized tensors.

Weights are stored as int8. There is no kernel for int8 here: the layers compute in float32 with the dequantized input
and weight, and round the result to the integers of the output.
"""

from __future__ import annotations

from typing import Any

from ... import nn
from ..._core.api import Tensor
from ..._core.api import functions as torch
from ..._core.api import namespace as functions_of
from ...nn.utils.fusion import fuse_conv_bn_weights
from . import fused_layers as intrinsic
from . import training_layers as qat
from .functions import quantized_tensor
from .schemes import QINT8, QUINT8

__all__ = ["Conv1d", "Conv2d", "Conv3d", "DeQuantize", "FloatFunctional", "Linear", "QFunctional", "Quantize"]

F: Any = functions_of("nn.functional")


class Quantize(nn.Module):
    """Layer from floats to a quantized tensor.

    Args:
        scale: The scale, a number or a tensor of one.
        zero_point: The integer that stands for 0.
        dtype: torch.quint8 or torch.qint8.

    Shape:
        Any shape, which the result has.

    >>> torch.ao.nn.quantized.Quantize(0.5, 0, torch.quint8)(torch.tensor([1.0])).int_repr()
    tensor([2], dtype=torch.uint8)
    """

    def __init__(self, scale: Any, zero_point: Any, dtype: Any):
        super().__init__()
        self.register_buffer("scale", torch.tensor([float(scale)]))
        self.register_buffer("zero_point", torch.tensor([int(zero_point)]))
        self.dtype = dtype

    def forward(self, X: Tensor) -> Tensor:
        return torch.quantize_per_tensor(X, float(self.scale), int(self.zero_point), self.dtype)

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Quantize:
        """Return the layer in the place of a QuantStub that was observed.

        Args:
            mod: The QuantStub.
            use_precomputed_fake_quant: Accepted as in PyTorch, where it is not used either.
        """
        scale, zero = mod.activation_post_process.calculate_qparams()
        return Quantize(scale.float(), zero, mod.activation_post_process.dtype)

    def extra_repr(self) -> str:
        return f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}"


class DeQuantize(nn.Module):
    """Layer from a quantized tensor to floats."""

    def forward(self, Xq: Tensor) -> Tensor:
        return Xq.dequantize()

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> DeQuantize:
        """Return the layer in the place of a DeQuantStub."""
        return DeQuantize()


def _quantized_weight(weight: Tensor, observer: Any) -> Tensor:
    """A weight as int8, with the scale or scales of an observer that has seen it."""
    scale, zero = observer.calculate_qparams()
    if scale.numel() == 1 and getattr(observer, "ch_axis", -1) == -1:
        return torch.quantize_per_tensor(weight.float(), float(scale), int(zero), QINT8)
    return torch.quantize_per_channel(weight.float(), scale.double(), zero.long(), 0, QINT8)


class _Weighted(nn.Module):
    """A layer with an int8 weight, a bias of floats, and the scale and zero point of its output."""

    relu = False
    _shown: tuple[str, ...] = ()

    def _set(self, layer: Any, weight: Tensor, bias: Tensor | None, scale: Any, zero_point: Any) -> None:
        for name in self._shown:
            setattr(self, name, getattr(layer, name))
        self.register_buffer("int_weight", weight.int_repr())
        channels = "channel" in str(weight.qscheme())
        self.register_buffer(
            "weight_scale", weight.q_per_channel_scales() if channels else torch.tensor(weight.q_scale())
        )
        self.register_buffer(
            "weight_zero_point",
            weight.q_per_channel_zero_points() if channels else torch.tensor(weight.q_zero_point()),
        )
        self.register_buffer("_bias", None if bias is None else bias.detach())
        self.register_buffer("_scale", torch.tensor(float(scale)))
        self.register_buffer("_zero_point", torch.tensor(int(zero_point)))
        self.training = layer.training

    scale = property(lambda self: float(self._scale), doc="The scale of the output.")
    zero_point = property(
        lambda self: int(self._zero_point), doc="The integer that stands for 0 in the output."
    )

    def weight(self) -> Tensor:
        """Return the weight, a quantized tensor of torch.qint8."""
        axis = 0 if self.weight_scale.ndim else None
        scale = self.weight_scale if axis == 0 else float(self.weight_scale)
        zero = self.weight_zero_point if axis == 0 else int(self.weight_zero_point)
        return quantized_tensor(self.int_weight, scale, zero, QINT8, axis)

    def bias(self) -> Tensor | None:
        """Return the bias, as floats, or None."""
        return self._bias

    def forward(self, input: Tensor) -> Tensor:
        if not getattr(input, "is_quantized", False):
            raise NotImplementedError(
                f"torch.ao.nn.quantized.{type(self).__name__} takes a quantized tensor, got one of floats; put a QuantStub before it"
            )
        out = self._product(input.dequantize(), self.weight().dequantize())
        return torch.quantize_per_tensor(
            F.relu(out) if self.relu else out, self.scale, self.zero_point, QUINT8
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """Return the quantized layer in the place of one that was observed, or trained for it.

        Args:
            mod: The layer, with a `qconfig` and an `activation_post_process`.
            use_precomputed_fake_quant: Accepted as in PyTorch, where layers of this kind do not use it either.
        """
        after = mod.activation_post_process
        layer = mod[0] if isinstance(mod, nn.Sequential) else mod
        norm = (
            mod[1]
            if len(getattr(mod, "_modules", ())) > 1 and isinstance(mod, nn.Sequential)
            else getattr(mod, "bn", None)
        )
        weight, bias = layer.weight.detach(), layer.bias
        if norm is not None and hasattr(norm, "running_var"):
            weight, bias = fuse_conv_bn_weights(
                weight, bias, norm.running_mean, norm.running_var, norm.eps, norm.weight, norm.bias
            )
        observer = getattr(mod, "weight_fake_quant", None) or mod.qconfig.weight()
        observer(weight)
        found = cls.__new__(cls)
        nn.Module.__init__(found)
        found._set(layer, _quantized_weight(weight, observer), bias, *after.calculate_qparams())
        return found

    def _get_name(self) -> str:
        return f"Quantized{type(self).__name__}"


class Linear(_Weighted):
    """Quantized linear layer: int8 weight, computed in float32.

    It is made of an observed `nn.Linear` by `from_float`, which `torch.ao.quantization.convert` calls.

    Shape:
        Input: a quantized tensor (*, in_features). Output: a quantized tensor (*, out_features) of torch.quint8.
    """

    _shown = ("in_features", "out_features")

    def _product(self, x: Tensor, weight: Tensor) -> Tensor:
        return F.linear(x, weight, self._bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, scale={self.scale}, "
            f"zero_point={self.zero_point}, qscheme={self.weight().qscheme()}"
        )


class _Conv(_Weighted):
    _shown = (
        "in_channels",
        "out_channels",
        "kernel_size",
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
    )
    dims = 0

    def _product(self, x: Tensor, weight: Tensor) -> Tensor:
        if self.padding_mode != "zeros":
            raise NotImplementedError(f"a quantized convolution with padding_mode={self.padding_mode!r}")
        conv = getattr(F, f"conv{self.dims}d")
        return conv(x, weight, self._bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        shown = (
            f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}, "
        )
        shown += f"scale={self.scale}, zero_point={self.zero_point}"
        for name, usual in (("padding", (0,) * self.dims), ("dilation", (1,) * self.dims), ("groups", 1)):
            if getattr(self, name) != usual:
                shown += f", {name}={getattr(self, name)}"
        return shown + (", bias=False" if self._bias is None else "")


def _conv(dims: int, name: str = "Conv", base: type = _Conv, relu: bool = False) -> type:
    doc = f"""Quantized convolution over {dims} dims{" and a ReLU" if relu else ""}: int8 weight, computed in float32.

    It is made of an observed layer by `from_float`, which `torch.ao.quantization.convert` calls.
    """
    space = {"dims": dims, "relu": relu, "__doc__": doc, "__module__": __name__}
    return type(f"{name}{dims}d", (base,), space)


Conv1d, Conv2d, Conv3d = map(_conv, (1, 2, 3))
ConvReLU1d, ConvReLU2d, ConvReLU3d = (
    _conv(n, "ConvReLU", base, True) for n, base in ((1, Conv1d), (2, Conv2d), (3, Conv3d))
)


class LinearReLU(Linear):
    """Quantized linear layer and a ReLU: int8 weight, computed in float32."""

    relu = True


class FloatFunctional(nn.Module):
    """Arithmetic between layers, whose results are observed: `add`, `mul`, `cat`, `matmul`, `add_scalar`, `mul_scalar`,
    `add_relu`.

    >>> f = torch.ao.nn.quantized.FloatFunctional()
    >>> f.add(torch.tensor(1.0), torch.tensor(2.0))
    tensor(3.)
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process: nn.Module = nn.Identity()

    def forward(self, x: Any) -> Any:
        raise RuntimeError(
            f"{type(self).__name__} is not intended to use the forward. Please use the underlying operation"
        )

    def _seen(self, out: Tensor) -> Tensor:
        return self.activation_post_process(out)

    def add(self, x: Any, y: Any) -> Tensor:
        """Return x + y."""
        return self._seen(_floats(x) + _floats(y))

    def mul(self, x: Any, y: Any) -> Tensor:
        """Return x * y."""
        return self._seen(_floats(x) * _floats(y))

    def add_relu(self, x: Any, y: Any) -> Tensor:
        """Return relu(x + y)."""
        return self._seen(F.relu(_floats(x) + _floats(y)))

    def matmul(self, x: Any, y: Any) -> Tensor:
        """Return the product of matrices x and y."""
        return self._seen(torch.matmul(_floats(x), _floats(y)))

    def cat(self, x: Any, dim: int = 0) -> Tensor:
        """Return the tensors of a list joined along `dim`."""
        return self._seen(torch.cat([_floats(part) for part in x], dim))

    def add_scalar(self, x: Any, y: float) -> Tensor:
        """Return x + y of a number y."""
        return _floats(x) + y

    def mul_scalar(self, x: Any, y: float) -> Tensor:
        """Return x * y of a number y."""
        return _floats(x) * y


def _floats(x: Any) -> Any:
    return x.dequantize() if getattr(x, "is_quantized", False) else x


class QFunctional(FloatFunctional):
    """Arithmetic between quantized layers, computed in float32; its results are quantized with `scale` and
    `zero_point`."""

    def __init__(self) -> None:
        super().__init__()
        self.scale, self.zero_point = 1.0, 0

    def _seen(self, out: Tensor) -> Tensor:
        return torch.quantize_per_tensor(out, self.scale, self.zero_point, QUINT8)

    def add_scalar(self, x: Any, y: float) -> Tensor:
        return torch.quantize_per_tensor(_floats(x) + y, x.q_scale(), x.q_zero_point(), QUINT8)

    def mul_scalar(self, x: Any, y: float) -> Tensor:
        return torch.quantize_per_tensor(_floats(x) * y, x.q_scale() * abs(y), x.q_zero_point(), QUINT8)

    @classmethod
    def from_float(cls, mod: FloatFunctional, use_precomputed_fake_quant: bool = False) -> QFunctional:
        """Return the arithmetic in the place of a FloatFunctional that was observed."""
        found = cls()
        scale, zero = mod.activation_post_process.calculate_qparams()  # type: ignore[operator]
        found.scale, found.zero_point = float(scale), int(zero)
        return found


_CONVERTED = [
    (nn.Linear, Linear), (qat.Linear, Linear), (intrinsic.LinearReLU, LinearReLU), (qat.LinearReLU, LinearReLU),
    (FloatFunctional, QFunctional),
    *[
        (getattr(of, f"{name}{n}d"), globals()[f"Conv{'ReLU' if 'ReLU' in name else ''}{n}d"])
        for n in (1, 2, 3)
        for of, names in ((nn, ["Conv"]), (intrinsic, ["ConvReLU", "ConvBn", "ConvBnReLU"]), (qat, ["Conv", "ConvReLU", "ConvBn", "ConvBnReLU"]))
        for name in names
    ],
]  # fmt: skip
MAPPING: dict[type, type] = dict(_CONVERTED)
"""Layers of floats, or that train for it, and the quantized ones that take their places."""
