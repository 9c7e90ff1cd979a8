"""Layers whose weights are integers and scales: a quarter of the memory, or an eighth, of float32."""

from __future__ import annotations

from typing import Any

from ..._core.api import DTYPES, Tensor, float32, uint8
from ..._core.api import functions as torch
from ..._core.api import namespace as functions_of
from ...nn import Module
from .int8_linear import int8_linear

__all__ = [
    "DynamicQuantizedLinear",
    "QuantizedConv",
    "QuantizedEmbedding",
    "QuantizedLinear",
    "QuantizedLinear4",
    "bytes_of",
    "int8_rows",
]

F: Any = functions_of("nn.functional")


def bytes_of(model: Module) -> int:
    """The bytes of a model's parameters and buffers; what is tied counts once."""
    held = {id(t._cell): t for t in [*model.parameters(), *model.buffers()]}
    return sum([t.numel() * t.element_size() for t in held.values()])


def int8_rows(weight: Tensor, low: int = -128, high: int = 127) -> tuple[Tensor, Tensor]:
    """A weight as int8 and a scale for each index along its first dim, 0 standing for 0."""
    w = weight.detach().to(float32)
    scale = w.abs().amax(dim=list(range(1, w.ndim)), keepdim=True) / ((high - low) / 2)
    scale = torch.clamp(scale, min=float(torch.finfo(float32).eps))
    return torch.clamp(torch.round(w / scale), low, high).to(DTYPES["int8"]), scale.reshape(-1)


def _biased(out: Tensor, bias: Tensor | None) -> Tensor:
    return out if bias is None else out + bias.to(out.dtype)


class _Quantized(Module):
    """A layer with `int_weight` (int8) and `scale` as buffers, and a bias that is a parameter as it was."""

    def _hold(self, layer: Any, held: tuple[Tensor, Tensor]) -> None:
        self.register_buffer("int_weight", held[0])
        self.register_buffer("scale", held[1])
        self.bias = getattr(layer, "bias", None)
        self.training = layer.training

    def weight(self) -> Tensor:
        """The weight, as float32."""
        return self.int_weight.to(float32) * self.scale.reshape(-1, *[1] * (self.int_weight.ndim - 1))


class QuantizedLinear(_Quantized):
    """A linear layer of int8 weights with a scale for each output. The integers are read as they are by the product,
    which XLA makes with the conversion in it.

    rows: inputs become int8 too, with a scale for each row; no gradient passes then.
    """

    def __init__(self, layer: Any, held: tuple[Tensor, Tensor], rows: bool = False):
        super().__init__()
        self._hold(layer, held)
        self.in_features, self.out_features, self.rows = layer.in_features, layer.out_features, rows

    def forward(self, input: Tensor) -> Tensor:
        if self.rows:
            input = input.detach()
            scale = torch.clamp(input.abs().amax(dim=-1, keepdim=True) / 127.5, min=1e-5)
            integers = torch.clamp(torch.round(input / scale), -128, 127)
            return _biased(
                int8_linear(integers, self.int_weight) * scale * self.scale,
                None if self.bias is None else self.bias.detach(),
            ).to(input.dtype)
        return _biased(int8_linear(input, self.int_weight) * self.scale.to(input.dtype), self.bias)

    def extra_repr(self) -> str:
        how = ", dynamic int8 rows" if self.rows else ""
        return f"in_features={self.in_features}, out_features={self.out_features}, int8 weight{how}"


class QuantizedLinear4(Module):
    """A linear layer of 4-bit weights, two in a byte, with a scale and a least value for each group of inputs.

    The first half of the inputs has the lower bits, so that nothing need be interleaved.
    """

    def __init__(self, layer: Any, group_size: int):
        super().__init__()
        n, k = layer.weight.shape
        if k % (2 * group_size):
            raise ValueError(
                f"Int4WeightOnlyConfig: the number of inputs must be a multiple of the group size, but got {k} inputs and groups of {group_size}"
            )
        w = layer.weight.detach().to(float32).reshape(n, k // group_size, group_size)
        least, most = w.amin(-1, keepdim=True), w.amax(-1, keepdim=True)
        scale = torch.clamp((most - least) / 15, min=1e-6)
        integers = torch.clamp(torch.round((w - least) / scale), 0, 15).to(uint8).reshape(n, k)
        self.register_buffer("packed", integers[:, : k // 2] | (integers[:, k // 2 :] << 4))
        self.register_buffer("scale", scale)
        self.register_buffer("least", least)
        self.bias, self.training = layer.bias, layer.training
        self.in_features, self.out_features, self.group_size = k, n, group_size

    def weight(self) -> Tensor:
        """The weight, as float32."""
        integers = torch.cat([self.packed & 15, self.packed >> 4], 1).to(float32)
        return (integers.reshape(self.out_features, -1, self.group_size) * self.scale + self.least).reshape(
            self.out_features, self.in_features
        )

    def forward(self, input: Tensor) -> Tensor:
        return _biased(F.linear(input, self.weight().to(input.dtype)), self.bias)

    def extra_repr(self) -> str:
        sizes = f"in_features={self.in_features}, out_features={self.out_features}"
        return f"{sizes}, int4 weight, group_size={self.group_size}"


class QuantizedEmbedding(_Quantized):
    """An embedding of int8 rows with a scale each; what is looked up alone becomes floats."""

    def __init__(self, layer: Any, held: tuple[Tensor, Tensor]):
        super().__init__()
        if layer.max_norm is not None:
            raise NotImplementedError("an Embedding with max_norm writes to its weight")
        self._hold(layer, held)
        self.num_embeddings, self.embedding_dim = layer.num_embeddings, layer.embedding_dim

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(input, self.int_weight).to(float32) * self.scale[input].unsqueeze(-1)

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}, int8 weight"


class QuantizedConv(_Quantized):
    """A convolution of int8 weights with a scale for each output channel."""

    def __init__(self, layer: Any, held: tuple[Tensor, Tensor]):
        super().__init__()
        if layer.padding_mode != "zeros":
            raise NotImplementedError(f"a convolution with padding_mode={layer.padding_mode!r}")
        self._hold(layer, held)
        self.dims = self.int_weight.ndim - 2
        self.stride, self.padding, self.dilation, self.groups = (
            layer.stride,
            layer.padding,
            layer.dilation,
            layer.groups,
        )

    def forward(self, input: Tensor) -> Tensor:
        conv = (F.conv1d, F.conv2d, F.conv3d)[self.dims - 1]
        return conv(
            input,
            self.weight().to(input.dtype),
            self.bias,
            self.stride,
            self.padding,
            self.dilation,
            self.groups,
        )

    def extra_repr(self) -> str:
        out, of_group, *kernel = self.int_weight.shape
        return f"{of_group * self.groups}, {out}, kernel_size={tuple(kernel)}, int8 weight"


class DynamicQuantizedLinear(Module):
    """A linear layer as `quantize_dynamic` makes it: int8 weights with one scale, and inputs that become integers
    of 7 bits, with the scale of their least and largest
    number, as they come. No gradient passes, as in PyTorch. dtype=torch.float16: weights of half precision."""

    def __init__(self, layer: Any, dtype: Any):
        super().__init__()
        self.in_features, self.out_features, self.dtype = layer.in_features, layer.out_features, dtype
        w = layer.weight.detach().to(float32)
        if dtype.name == "qint8":
            scale = torch.clamp(w.abs().amax() / 127.5, min=1.1920928955078125e-07)
            self.register_buffer(
                "int_weight", torch.clamp(torch.round(w * (1.0 / scale)), -128, 127).to(DTYPES["int8"])
            )
            self.register_buffer("scale", scale)
        else:
            self.register_buffer("half_weight", w.half())
        self.bias, self.training = layer.bias, layer.training

    def forward(self, input: Tensor) -> Tensor:
        input, bias = input.detach(), None if self.bias is None else self.bias.detach()
        if self.dtype.name != "qint8":
            return F.linear(input.detach(), self.half_weight.to(input.dtype), bias)
        least, most = torch.clamp(input.amin(), max=0.0), torch.clamp(input.amax(), min=0.0)
        scale = (most - least) / 127
        scale = torch.where(scale == 0, torch.ones_like(scale) * 0.1, scale)
        zero = torch.clamp(torch.round(-least / scale), 0, 127)
        integers = torch.clamp(torch.round(input * (1.0 / scale)) + zero, 0, 127) - zero
        return _biased(int8_linear(integers, self.int_weight) * (scale * self.scale), bias)

    def _get_name(self) -> str:
        return "DynamicQuantizedLinear"

    def extra_repr(self) -> str:
        more = ", qscheme=torch.per_tensor_affine" if self.dtype.name == "qint8" else ""
        return f"in_features={self.in_features}, out_features={self.out_features}, dtype={self.dtype}{more}"
