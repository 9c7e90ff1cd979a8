"""torch.quantize_per_tensor and its like: functions that make quantized tensors, and look at them.

The class of quantized tensors is imported when there is to be one: from then on every call of a public function is
offered to the tensors that it is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..._core.api import Tensor, check, composite
from ..._core.api import functions as torch
from .schemes import HELD, along, bounds

if TYPE_CHECKING:
    from .tensors import QuantizedTensor

__all__ = [
    "dequantize",
    "int_repr",
    "quantize_per_channel",
    "quantize_per_tensor",
    "quantize_per_tensor_dynamic",
]


def quantized_tensor(*parts: Any) -> QuantizedTensor:
    """The quantized tensor of integers, scale, zero point, dtype, and the axis that scales are along if they are."""
    from .tensors import QuantizedTensor  # not imported before there is one

    return QuantizedTensor(*parts)


def _integers(x: Tensor, scale: Any, zero_point: Any, dtype: Any) -> Tensor:
    check(
        isinstance(x, Tensor) and x.dtype.name == "float32",
        RuntimeError,
        f"Quantize only works on Float Tensor, got {getattr(x.dtype, 'scalar_name', x.dtype)}",
    )
    low, high = bounds(dtype)
    found = torch.round(x.detach() * (1.0 / scale)) + zero_point
    return found.clamp(low, high).to(HELD[dtype.name])


@composite
def quantize_per_tensor(input: Tensor, scale: Any, zero_point: Any, dtype: Any) -> Any:
    """A float32 tensor as integers of torch.qint8, quint8 or qint32 that stand for `(integer - zero_point) * scale`;
    of a list, with a scale and a zero point each, a tuple.

    >>> q = torch.quantize_per_tensor(torch.tensor([-1.0, 0.0, 1.0]), 0.1, 10, torch.quint8)
    >>> q.int_repr()
    tensor([ 0, 10, 20], dtype=torch.uint8)
    """
    if isinstance(input, list | tuple):
        return tuple([quantize_per_tensor(x, s, z, dtype) for x, s, z in zip(input, scale, zero_point)])
    scale, zero_point = float(scale), int(zero_point)
    low, high = bounds(dtype)
    check(
        low <= zero_point <= high,
        RuntimeError,
        f"quantize_tensor_per_tensor_affine zero_point {zero_point} is "
        f"{'above upper' if zero_point > high else 'below lower'} bound.",
    )
    return quantized_tensor(_integers(input, scale, zero_point, dtype), scale, zero_point, dtype)


@composite
def quantize_per_channel(
    input: Tensor, scales: Tensor, zero_points: Tensor, axis: int, dtype: Any
) -> QuantizedTensor:
    """A float32 tensor as integers, with a scale and a zero point for each index along an axis.

    >>> q = torch.quantize_per_channel(torch.ones(2, 2), torch.tensor([0.1, 0.5]), torch.tensor([0, 0]), 0, torch.qint8)
    >>> q.int_repr()
    tensor([[10, 10],
            [ 2,  2]], dtype=torch.int8)
    """
    check(scales.ndim == 1 and zero_points.ndim == 1, RuntimeError, "scale tensor's dimension must be 1")
    check(scales.numel() == input.shape[axis], RuntimeError, "length of scales must equal to channel")
    at = axis % input.ndim
    integers = _integers(input, along(scales, input, at), along(zero_points, input, at), dtype)
    return quantized_tensor(
        integers,
        scales.double(),
        zero_points if zero_points.is_floating_point() else zero_points.long(),
        dtype,
        at,
    )


@composite
def quantize_per_tensor_dynamic(input: Tensor, dtype: Any, reduce_range: bool) -> QuantizedTensor:
    """A float32 tensor as integers, with scale and zero point from its least and largest number. reduce_range:

    whether one bit fewer is used.

    >>> torch.quantize_per_tensor_dynamic(torch.tensor([0.0, 2.55]), torch.quint8, False).int_repr()
    tensor([  0, 255], dtype=torch.uint8)
    """
    low, high = bounds(dtype)
    if reduce_range:
        low, high = low // 2, high // 2
    least, most = min(float(input.min()), 0.0), max(float(input.max()), 0.0)
    scale = (most - least) / (high - low) or 0.1
    return quantize_per_tensor(input, scale, max(low, min(high, round(low - least / scale))), dtype)


@composite
def dequantize(input: Any) -> Any:
    """The numbers of a quantized tensor, or of each of a list, as float32. A tensor of floats is returned unchanged.

    >>> torch.dequantize(torch.quantize_per_tensor(torch.tensor([0.26]), 0.1, 0, torch.qint8))
    tensor([0.3000])
    """
    if isinstance(input, list | tuple):
        return tuple([dequantize(x) for x in input])
    return input.dequantize() if input.is_quantized else input.float()


@composite
def int_repr(input: Any) -> Tensor:
    """The integers of a quantized tensor.

    >>> torch.int_repr(
    ...     torch.quantize_per_tensor(torch.tensor([0.26, -1.0]), 0.1, 2, torch.qint8)
    ... )
    tensor([ 5, -8], dtype=torch.int8)
    """
    check(
        input.is_quantized,
        RuntimeError,
        "int_repr: the tensor is not quantized; torch.quantize_per_tensor makes one that is",
    )
    return input.int_repr()


@composite
def q_scale(input: Any) -> float:
    """The scale of a quantized tensor.

    >>> torch.q_scale(
    ...     torch.quantize_per_tensor(torch.tensor([0.26, -1.0]), 0.1, 2, torch.qint8)
    ... )
    0.1
    """
    return input.q_scale()


@composite
def q_zero_point(input: Any) -> int:
    """The integer that stands for 0 in a quantized tensor.

    >>> torch.q_zero_point(
    ...     torch.quantize_per_tensor(torch.tensor([0.26, -1.0]), 0.1, 2, torch.qint8)
    ... )
    2
    """
    return input.q_zero_point()


@composite
def q_per_channel_scales(input: Any) -> Tensor:
    """The scales of a tensor that was quantized by channel.

    >>> torch.q_per_channel_scales(
    ...     torch.quantize_per_channel(torch.tensor([[0.5], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([0, 1]), 0, torch.qint8)
    ... )
    tensor([0.5000, 0.2500], dtype=torch.float64)
    """
    return input.q_per_channel_scales()


@composite
def q_per_channel_zero_points(input: Any) -> Tensor:
    """The integers that stand for 0 in a tensor that was quantized by channel.

    >>> torch.q_per_channel_zero_points(
    ...     torch.quantize_per_channel(torch.tensor([[0.5], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([0, 1]), 0, torch.qint8)
    ... )
    tensor([0, 1])
    """
    return input.q_per_channel_zero_points()


@composite
def q_per_channel_axis(input: Any) -> int:
    """The axis of a tensor that was quantized by channel.

    >>> torch.q_per_channel_axis(
    ...     torch.quantize_per_channel(torch.tensor([[0.5], [1.0]]), torch.tensor([0.5, 0.25]), torch.tensor([0, 1]), 0, torch.qint8)
    ... )
    0
    """
    return input.q_per_channel_axis()
