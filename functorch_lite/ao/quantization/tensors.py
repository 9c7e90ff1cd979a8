"""Quantized tensors: integers with a scale and a zero point. They are made, looked at and dequantized; nothing is
computed in them."""

from __future__ import annotations

from typing import Any, NoReturn

from ..._core.api import (
    CONSTANTS,
    DTYPES,
    DisableTorchFunctionSubclass,
    Tensor,
    check,
    composite,
    int32,
    name_of,
    uint8,
    with_suffixes,
)
from ..._core.api import functions as torch

__all__ = [
    "QuantizedTensor",
    "bounds",
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
_HELD = {"qint8": DTYPES["int8"], "quint8": uint8, "qint32": int32}
_BOUNDS = {"qint8": (-128, 127), "quint8": (0, 255), "qint32": (-(2**31), 2**31 - 1)}


def bounds(dtype: Any) -> tuple[int, int]:
    """The least and the largest integer of a quantized dtype, or of the one that it is held in."""
    name = dtype.name if dtype.name in _BOUNDS else f"q{dtype.name}"
    if name not in _BOUNDS:
        raise NotImplementedError(
            f"quantized tensors are of torch.qint8, quint8 and qint32 here, not {dtype}"
        )
    return _BOUNDS[name]


class QuantizedTensor(Tensor):
    """Integers that stand for `(int_repr - zero_point) * scale`. Whatever computes with them raises: `dequantize()`
    gives floats to compute with."""

    is_quantized = True
    is_nested = is_sparse = is_sparse_csr = is_mkldnn = is_meta = False

    def __new__(cls, *args: Any, **kwargs: Any):
        return object.__new__(cls)

    def __init__(self, integers: Tensor, scale: Any, zero_point: Any, dtype: Any, axis: int | None = None):
        self._integers, self._scale, self._zero_point, self._dtype, self._axis = (
            integers,
            scale,
            zero_point,
            dtype,
            axis,
        )

    @property
    def _cell(self) -> NoReturn:  # type: ignore[override]
        _refused("this operation")

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = (name_of(func) or func.__name__).rpartition(".")[2]
        if name == "__getattr__":  # no such attribute, which hasattr is to hear
            with DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        handler = _HANDLERS.get(name)
        if handler is None:
            _refused(name)
        with DisableTorchFunctionSubclass():  # the handler is a public function too, which would ask again
            return handler(*args, **(kwargs or {}))

    shape = property(lambda self: self._integers.shape)
    dtype = property(lambda self: self._dtype)
    device = property(lambda self: self._integers.device)
    ndim = property(lambda self: self._integers.ndim)
    requires_grad = property(lambda self: False)
    grad = property(lambda self: None)

    def dim(self) -> int:
        """The number of dims."""
        return self._integers.ndim

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one size."""
        return self.shape if dim is None else self.shape[dim]

    def numel(self) -> int:
        """The number of elements."""
        return self._integers.numel()

    def element_size(self) -> int:
        """Bytes of an element."""
        return self._integers.element_size()

    def __len__(self) -> int:
        return len(self._integers)

    def __hash__(self) -> int:
        return object.__hash__(self)

    def detach(self) -> QuantizedTensor:
        """The tensor itself."""
        return self

    def int_repr(self) -> Tensor:
        """The integers."""
        return self._integers

    def dequantize(self) -> Tensor:
        """The numbers that the integers stand for, as float32."""
        x = self._integers.long() - _along(self._zero_point, self)
        return (x.float() * _along(self._scale, self)).float()

    def qscheme(self) -> qscheme:
        """How numbers became integers."""
        if self._axis is None:
            return per_tensor_affine
        return (
            per_channel_affine_float_qparams if self._zero_point.is_floating_point() else per_channel_affine
        )

    def _of_tensor(self, name: str, value: Any) -> Any:
        check(
            self._axis is None,
            RuntimeError,
            f"Expected quantizer->qscheme() == kPerTensorAffine to be true, but got false ({name})",
        )
        return value

    def _of_channel(self, name: str, value: Any) -> Any:
        check(
            self._axis is not None,
            RuntimeError,
            f"Expected quantizer->qscheme() == kPerChannelAffine to be true, but got false ({name})",
        )
        return value

    def q_scale(self) -> float:
        """The scale of all elements."""
        return float(self._of_tensor("q_scale", self._scale))

    def q_zero_point(self) -> int:
        """The integer that stands for 0."""
        return int(self._of_tensor("q_zero_point", self._zero_point))

    def q_per_channel_scales(self) -> Tensor:
        """The scales along the axis."""
        return self._of_channel("q_per_channel_scales", self._scale)

    def q_per_channel_zero_points(self) -> Tensor:
        """What stands for 0, along the axis."""
        return self._of_channel("q_per_channel_zero_points", self._zero_point)

    def q_per_channel_axis(self) -> int:
        """The axis that scales are along."""
        return self._of_channel("q_per_channel_axis", self._axis)

    def __repr__(self) -> str:  # type: ignore[override]
        if self._axis is None:
            how = [f"scale={self.q_scale()}", f"zero_point={self.q_zero_point()}"]
        else:
            how = [f"scale={self._scale!r}", f"zero_point={self._zero_point!r}", f"axis={self._axis}"]
        suffixes = [
            f"size={tuple(self.shape)}",
            f"dtype={self._dtype}",
            f"quantization_scheme={self.qscheme()}",
            *how,
        ]
        return with_suffixes(repr(self.dequantize())[:-1], suffixes, 7, False)

    __str__ = __repr__

    def __reduce_ex__(self, protocol: int):
        return QuantizedTensor, (self._integers, self._scale, self._zero_point, self._dtype, self._axis)


def _refused(name: str) -> NoReturn:
    raise NotImplementedError(
        f"{name}: nothing is computed in quantized tensors here; compute with x.dequantize(), or quantize a model's "
        f"weights "
        "(torch.ao.quantization.quantize_dynamic, quantize_)"
    )


def _along(x: Any, like: Any, axis: int | None = None) -> Any:
    """A number, or a vector along an axis, that broadcasts to a tensor."""
    axis = like._axis if axis is None else axis
    return x if axis is None else x.reshape([-1 if d == axis else 1 for d in range(like.ndim)])


def _integers(x: Tensor, scale: Any, zero_point: Any, dtype: Any) -> Tensor:
    check(
        isinstance(x, Tensor) and x.dtype.name == "float32",
        RuntimeError,
        f"Quantize only works on Float Tensor, got {getattr(x.dtype, 'scalar_name', x.dtype)}",
    )
    low, high = bounds(dtype)
    found = torch.round(x.detach() * (1.0 / scale)) + zero_point
    return found.clamp(low, high).to(_HELD[dtype.name])


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
    return QuantizedTensor(_integers(input, scale, zero_point, dtype), scale, zero_point, dtype)


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
    integers = _integers(input, _along(scales, input, at), _along(zero_points, input, at), dtype)
    return QuantizedTensor(
        integers,
        scales.double(),
        zero_points if zero_points.is_floating_point() else zero_points.long(),
        dtype,
        at,
    )


@composite
def quantize_per_tensor_dynamic(input: Tensor, dtype: Any, reduce_range: bool) -> QuantizedTensor:
    """A float32 tensor as integers, whose scale and zero point are those of its least and largest number.

    reduce_range: of one bit less.
    """
    low, high = bounds(dtype)
    if reduce_range:
        low, high = low // 2, high // 2
    least, most = min(float(input.min()), 0.0), max(float(input.max()), 0.0)
    scale = (most - least) / (high - low) or 0.1
    return quantize_per_tensor(input, scale, max(low, min(high, round(low - least / scale))), dtype)


@composite
def dequantize(input: Any) -> Any:
    """The numbers of a quantized tensor, or of each of a list, as float32. Of a tensor of floats, itself.

    >>> torch.dequantize(torch.quantize_per_tensor(torch.tensor([0.26]), 0.1, 0, torch.qint8))
    tensor([0.3000])
    """
    if isinstance(input, list | tuple):
        return tuple([dequantize(x) for x in input])
    return input.dequantize() if isinstance(input, QuantizedTensor) else input.float()


@composite
def int_repr(input: Any) -> Tensor:
    """The integers of a quantized tensor."""
    check(
        isinstance(input, QuantizedTensor),
        RuntimeError,
        "int_repr: the tensor is not quantized; torch.quantize_per_tensor makes one that is",
    )
    return input.int_repr()


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
    """What quantizing and dequantizing would make of a tensor, in floats. The gradient passes where the integer is
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
        input, _along(scale.detach(), input, at), _along(zero_point.detach(), input, at), quant_min, quant_max
    )


_METHODS = (
    "qscheme dim size numel detach element_size q_scale q_zero_point q_per_channel_scales q_per_channel_zero_points q_per_channel_axis "
    "__len__ __repr__ __reduce_ex__ __hash__"
).split()
_HANDLERS = {
    "dequantize": dequantize,
    "int_repr": int_repr,
    **{n: getattr(QuantizedTensor, n) for n in _METHODS},
}
"""What quantized tensors do, by the name of the public function that is called."""


@composite
def q_scale(input: Any) -> float:
    """The scale of a quantized tensor."""
    return input.q_scale()


@composite
def q_zero_point(input: Any) -> int:
    """The integer that stands for 0 in a quantized tensor."""
    return input.q_zero_point()


@composite
def q_per_channel_scales(input: Any) -> Tensor:
    """The scales of a tensor that was quantized by channel."""
    return input.q_per_channel_scales()


@composite
def q_per_channel_zero_points(input: Any) -> Tensor:
    """What stands for 0 in a tensor that was quantized by channel."""
    return input.q_per_channel_zero_points()


@composite
def q_per_channel_axis(input: Any) -> int:
    """The axis of a tensor that was quantized by channel."""
    return input.q_per_channel_axis()
