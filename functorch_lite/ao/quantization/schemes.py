"""Schemes of quantization, and rounding in floats as integers would be (`torch.fake_quantize_per_tensor_affine`)."""

from __future__ import annotations

from typing import Any

from ..._core.api import CONSTANTS, DTYPES, Tensor, check, composite, int32, uint8
from ..._core.api import functions as torch

__all__ = [
    "HELD",
    "QINT8",
    "QUINT8",
    "along",
    "bounds",
    "fake_quantize_per_channel_affine",
    "fake_quantize_per_tensor_affine",
    "per_channel_affine",
    "per_channel_affine_float_qparams",
    "per_channel_symmetric",
    "per_tensor_affine",
    "per_tensor_symmetric",
    "qscheme",
]


class qscheme:
    """How numbers become integers: `torch.per_tensor_affine` and its like."""

    def __init__(self, name: str):
        self._name = name

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name


per_tensor_affine = qscheme("per_tensor_affine")
per_channel_affine = qscheme("per_channel_affine")
per_tensor_symmetric = qscheme("per_tensor_symmetric")
per_channel_symmetric = qscheme("per_channel_symmetric")
per_channel_affine_float_qparams = qscheme("per_channel_affine_float_qparams")

QINT8, QUINT8 = CONSTANTS["qint8"], CONSTANTS["quint8"]
HELD = {"qint8": DTYPES["int8"], "quint8": uint8, "qint32": int32}
_BOUNDS = {"qint8": (-128, 127), "quint8": (0, 255), "qint32": (-(2**31), 2**31 - 1)}


def bounds(dtype: Any) -> tuple[int, int]:
    """The least and the largest integer of a quantized dtype, or of the one that it is held in."""
    name = dtype.name if dtype.name in _BOUNDS else f"q{dtype.name}"
    if name not in _BOUNDS:
        raise NotImplementedError(
            f"quantized tensors are of torch.qint8, quint8 and qint32 here, not {dtype}"
        )
    return _BOUNDS[name]


def along(x: Any, like: Any, axis: int | None) -> Any:
    """A number, or a vector along an axis, that broadcasts to a tensor."""
    return x if axis is None else x.reshape([-1 if d == axis else 1 for d in range(like.ndim)])


def _fake(x: Tensor, scale: Any, zero_point: Any, low: int, high: int) -> Tensor:
    check(low <= high, RuntimeError, "`quant_min` should be less than or equal to `quant_max`.")
    still = x.detach()
    found = torch.round(still * (1.0 / scale) + zero_point)
    numbers = (found.clamp(low, high) - zero_point) * scale
    inside = (found >= low) & (found <= high)
    return torch.where(inside, x - still, torch.zeros_like(still)) + numbers.to(
        x.dtype
    )  # x - still is 0, and has x's derivative


@composite
def fake_quantize_per_tensor_affine(
    input: Tensor, scale: Any, zero_point: Any, quant_min: int, quant_max: int
) -> Tensor:
    """Rounds floats as quantizing and dequantizing would. The gradient passes where the integer is
    from quant_min to quant_max, and is 0 elsewhere.

    >>> torch.fake_quantize_per_tensor_affine(torch.tensor([0.26, 9.0]), 0.1, 0, 0, 15)
    tensor([0.3000, 1.5000])
    """
    if isinstance(scale, Tensor):
        scale, zero_point = scale.detach(), zero_point.detach()
    else:
        check(
            quant_min <= zero_point <= quant_max,
            RuntimeError,
            "`zero_point` must be between `quant_min` and `quant_max`.",
        )
    return _fake(input, scale, zero_point, quant_min, quant_max)


@composite
def fake_quantize_per_channel_affine(
    input: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int
) -> Tensor:
    """The same with a scale and a zero point for each index along an axis.

    >>> scales, zeros = torch.tensor([0.3, 0.4]), torch.zeros(2, dtype=torch.int32)
    >>> torch.fake_quantize_per_channel_affine(torch.ones(2, 2), scales, zeros, 0, 0, 2)
    tensor([[0.6000, 0.6000],
            [0.8000, 0.8000]])
    """
    check(scale.ndim == 1, RuntimeError, "scale should be a 1-D tensor")
    check(zero_point.ndim == 1, RuntimeError, "zero point should be a 1-D tensor")
    check(
        scale.numel() == input.shape[axis],
        RuntimeError,
        "dimensions of scale and zero-point are not consistent with input tensor",
    )
    at = axis % input.ndim
    return _fake(
        input, along(scale.detach(), input, at), along(zero_point.detach(), input, at), quant_min, quant_max
    )
