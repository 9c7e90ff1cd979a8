"""Quantized tensors: integers with a scale and a zero point. They are made, looked at and dequantized; functions that
keep the scale, such as relu and max_pool2d, are computed in floats and rounded."""

from __future__ import annotations

from typing import Any, NoReturn

from ..._core.api import DisableTorchFunctionSubclass, Tensor, check, name_of, with_suffixes
from .functions import dequantize, quantize_per_tensor
from .schemes import (
    along,
    per_channel_affine,
    per_channel_affine_float_qparams,
    per_tensor_affine,
)
from .schemes import qscheme as QScheme

__all__ = ["QuantizedTensor"]


class QuantizedTensor(Tensor):
    """Integers that stand for `(int_repr - zero_point) * scale`. Functions that keep the scale (relu, views, pooling) are
    computed in float32; others raise: `dequantize()` gives floats to compute with."""

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
        if handler is None and name in _OF_EACH_ELEMENT and args and args[0]._axis is None:
            x = args[0]
            with DisableTorchFunctionSubclass():
                found = func(x.dequantize(), *args[1:], **(kwargs or {}))
                return quantize_per_tensor(found, x._scale, x._zero_point, x._dtype)
        if handler is None:
            _refused(name)
        with DisableTorchFunctionSubclass():  # the handler is a public function too, which would ask again
            return handler(*args, **(kwargs or {}))

    shape = property(lambda self: self._integers.shape)  # type: ignore[assignment]
    dtype = property(lambda self: self._dtype)  # type: ignore[assignment]
    device = property(lambda self: self._integers.device)  # type: ignore[assignment]
    ndim = property(lambda self: self._integers.ndim)  # type: ignore[assignment]
    requires_grad = property(lambda self: False)  # type: ignore[assignment]
    grad = property(lambda self: None)  # type: ignore[assignment]

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
        x = self._integers.long() - along(self._zero_point, self, self._axis)
        return (x.float() * along(self._scale, self, self._axis)).float()

    def qscheme(self) -> QScheme:
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
        """The integers that stand for 0, along the axis."""
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
        f"{name}: not supported for quantized tensors; compute with x.dequantize(), or use a layer of torch.ao.nn.quantized, or quantize "
        "a model's weights (torch.ao.quantization.quantize_dynamic, quantize_)"
    )


_METHODS = (
    "int_repr qscheme dim size numel detach element_size q_scale q_zero_point q_per_channel_scales "
    "q_per_channel_zero_points q_per_channel_axis "
    "__len__ __repr__ __reduce_ex__ __hash__"
).split()
_OF_EACH_ELEMENT = frozenset(
    "adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d avg_pool1d avg_pool2d avg_pool3d clamp clone contiguous flatten hardtanh "
    "max_pool1d max_pool2d max_pool3d mean permute relu relu6 reshape squeeze transpose unsqueeze view".split()
)
"""Functions of one tensor whose result PyTorch quantizes with the same scale and zero point. They are computed in
float32 and rounded."""
_HANDLERS = {n: getattr(QuantizedTensor, n) for n in _METHODS} | {"dequantize": dequantize}
"""What quantized tensors do, by the name of the public function that is called."""
