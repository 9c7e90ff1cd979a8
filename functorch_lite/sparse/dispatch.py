"""Dispatch of public functions given a sparse tensor: `HANDLERS`, by name; all others raise NotImplementedError."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._core.api import DisableTorchFunctionSubclass, Tensor, name_of
from .tensors import SparseTensor, unsupported

__all__ = ["HANDLERS", "IN_PLACE", "handles"]

HANDLERS: dict[str, Callable] = {}
"""Functions that handle sparse tensors, by the names of functions and methods, without underscores."""

IN_PLACE: set[str] = set()
"""Names in HANDLERS of functions that are also there with a `_` at the end."""

_OPERATORS = {
    "__add__": "add", "__radd__": "add", "__sub__": "sub", "__rsub__": "rsub", "__mul__": "mul", "__rmul__": "mul",
    "__truediv__": "div", "__rtruediv__": "rdiv", "__rdiv__": "rdiv", "__floordiv__": "floor_divide", "__pow__": "pow",
    "__matmul__": "matmul", "__rmatmul__": "rmatmul", "__neg__": "neg", "__abs__": "abs", "__pos__": "positive",
    "__iadd__": "add_", "__isub__": "sub_", "__imul__": "mul_", "__itruediv__": "div_", "__ifloordiv__": "floor_divide_",
    "__getitem__": "getitem", "__bool__": "bool_of", "__float__": "float_of", "__int__": "int_of", "__complex__": "complex_of",
}  # fmt: skip

_ALIASES = {
    "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "negative": "neg", "absolute": "abs",
    "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh", "fix": "trunc", "adjoint": "mH", "swapaxes": "transpose",
    "swapdims": "transpose", "concat": "cat", "concatenate": "cat", "select_copy": "select", "moveaxis": "movedim",
    "permute_copy": "permute", "transpose_copy": "transpose", "t_copy": "t", "unsqueeze_copy": "unsqueeze", "detach_copy": "detach",
    "row_stack": "vstack", "spmm": "mm", "dsmm": "mm",
}  # fmt: skip

_OF_THE_SHAPE = frozenset(
    """
    size dim ndimension numel nelement is_floating_point is_complex is_signed element_size is_same_size get_device is_tensor __len__
    is_cpu is_cuda is_meta is_quantized is_mkldnn is_nested is_sparse itemsize names name volatile is_inference is_pinned is_shared
    is_distributed is_conj is_neg is_xpu is_xla is_mps is_vulkan is_ipu is_maia is_mtia has_names result_type __getattr__ __dir__
    """.split()
)
"""Functions and attributes that ask for nothing but shape, dtype and device."""


def handles(*names: str, in_place: bool = False) -> Callable[[Any], Any]:
    """Notes a function as what the public functions of these names do with sparse tensors; in_place: also those with a
    `_`."""

    def note(fn: Any) -> Any:
        for name in names:
            HANDLERS[name] = fn
            if in_place:
                IN_PLACE.add(name)
        return fn

    return note


_further: list[Callable[[str], None]] = []


def further(fn: Callable[[str], None]) -> Callable[[str], None]:
    """Notes a function that is asked once for each name that is not in HANDLERS, and may put something there."""
    _further.append(fn)
    return fn


@functools.cache
def _look_further(name: str) -> None:
    for fn in _further:
        fn(name)


def _found(name: str) -> Callable | None:
    name = _OPERATORS.get(name, name)
    if name in HANDLERS:
        return HANDLERS[_ALIASES.get(name, name)]
    base = name.removesuffix("_")
    writes = base != name
    base = _ALIASES.get(base, base)
    if base not in HANDLERS:
        _look_further(base)
    if not writes:
        return HANDLERS.get(base)
    return _writing(base) if base in IN_PLACE else None


def _writing(name: str) -> Callable:
    """The function of this name in place: the first argument takes over the result."""

    def fn(self: Any, *args, **kwargs) -> Any:
        result = HANDLERS[name](self, *args, **kwargs)
        if isinstance(self, SparseTensor):
            if type(result) is not type(self) or (
                tuple(result.shape) != tuple(self.shape) and name not in ("t", "transpose")
            ):
                unsupported(f"{name}_() with these arguments")
            return self._become(result)
        return self.copy_(result.to_dense())

    return fn


def _call(cls: type, func: Callable, types: tuple, args: tuple = (), kwargs: Any = None) -> Any:
    """The `__torch_function__` of sparse tensors."""
    if not all(issubclass(t, SparseTensor) for t in types):
        return NotImplemented
    kwargs = kwargs or {}
    attribute = func.__name__ in ("__get__", "__set__", "__delete__")
    full = name_of(getattr(func.__self__, "fget", None) if attribute else func) or func.__name__
    name = full.removesuffix(".__get__").rpartition(".")[2]
    if name in _OF_THE_SHAPE and func.__name__ != "__set__":
        with DisableTorchFunctionSubclass():
            return func(*args, **kwargs)
    if attribute and name == "grad" and not isinstance(args[0], SparseTensor):
        with DisableTorchFunctionSubclass():  # a dense tensor's gradient may be sparse
            return func(*args, **kwargs)
    if attribute:
        unsupported(name)
    handler = _found(name)
    if handler is None:
        own = getattr(
            SparseTensor, name, None
        )  # a method that each kind has, called as torch.Tensor.method(t)
        if own is not None and own is not getattr(Tensor, name, None) and isinstance(args[0], SparseTensor):
            return getattr(args[0], name)(*args[1:], **kwargs)
        unsupported(f"{name}()")
    out = kwargs.pop("out", None)
    result = handler(*args, **kwargs)
    if out is None:
        return result
    if isinstance(out, SparseTensor) and type(out) is type(result):
        return out._become(result)
    if isinstance(out, SparseTensor) or isinstance(result, SparseTensor) or out.shape != result.shape:
        unsupported(f"{name}() with this out=")
    return out.copy_(result)


def install() -> None:
    """Makes sparse tensors answer the public functions.

    Runs only after all their classes are defined: a subclass that overrides makes every public function look for
    overrides, even before the first sparse tensor exists."""
    SparseTensor.__torch_function__ = classmethod(_call)  # type: ignore[assignment]
