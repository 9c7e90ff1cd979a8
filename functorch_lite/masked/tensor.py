"""MaskedTensor: a tensor with a mask that says which of its elements are there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._core.api import Tensor, op_called, overrides, tidied, traits
from .._core.api import functions as torch

__all__ = [
    "MaskedTensor",
    "as_masked_tensor",
    "data_and_mask",
    "is_masked_tensor",
    "masked_tensor",
    "wrapped",
]

_CASTS = frozenset("double float half bfloat16 int long bool to contiguous clone clamp clip".split())
"""Methods that treat each element by itself, and of which no jaxpr says so: they are none of ops, or need numbers
too."""
_OPERATORS = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__floordiv__": "floor_divide", "__mod__": "remainder",
    "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge", "__eq__": "eq", "__ne__": "ne", "__and__": "bitwise_and",
    "__or__": "bitwise_or", "__xor__": "bitwise_xor",
}  # fmt: skip


class MaskedTensor:
    """Data and a bool mask of the same shape: what is not in the mask takes no part in anything.

    It is accepted by its methods and operators, by the functions of torch.masked, and by the functions of the torch
    namespace with the names of its methods. Both operands of a binary operation must have the same mask.

    >>> masked_tensor(torch.tensor([1., 2.]), torch.tensor([True, False])) + 1
    MaskedTensor(
      [  2.0000,       --]
    )
    """

    __array_priority__ = 1000

    def __init__(self, data: Tensor, mask: Tensor, requires_grad: bool = False):
        for name, x in (("data", data), ("mask", mask)):
            if not isinstance(x, Tensor):
                raise TypeError(f"{name} must be a Tensor")
        if mask.dtype is not torch.bool:
            raise TypeError("mask must have dtype bool.")
        if data.ndim != mask.ndim:
            raise ValueError("data.dim() must equal mask.dim()")
        if data.shape != mask.shape:
            raise ValueError("data.size() must equal mask.size()")
        overrides.turn_on()  # for the functions of the torch namespace
        self._masked_data = data.requires_grad_() if requires_grad else data
        self._masked_mask = mask

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = (overrides.name_of(func) or func.__name__).rpartition(".")[2]
        kwargs = kwargs or {}
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](*args, **kwargs)
        if name in _OPERATORS or _kind(name) is _binary:
            return _of_two(_OPERATORS.get(name, name), *args, **kwargs)
        if (name in _ASKED or _kind(name)) and args and isinstance(args[0], MaskedTensor):
            return getattr(args[0], name)(*args[1:], **kwargs)
        raise NotImplementedError(
            f"{name}() is not supported for masked tensors: use get_data() and get_mask()"
        )

    def get_data(self) -> Tensor:
        """Returns all of the data."""
        return self._masked_data

    def get_mask(self) -> Tensor:
        """The mask."""
        return self._masked_mask

    def to_tensor(self, value) -> Tensor:
        """A tensor with `value` where the mask is False."""
        data = self._masked_data
        return torch.where(self._masked_mask, data, torch.full_like(data, value))

    shape = property(lambda self: self._masked_data.shape, doc="The shape.")
    dtype = property(lambda self: self._masked_data.dtype, doc="The data's dtype.")
    device = property(lambda self: self._masked_data.device, doc="The data's device.")
    ndim = property(lambda self: self._masked_data.ndim, doc="The number of dims.")
    layout = property(lambda self: self._masked_data.layout, doc="torch.strided.")
    is_sparse = property(lambda self: False, doc="False.")
    requires_grad = property(
        lambda self: self._masked_data.requires_grad, doc="Whether the data requires grad."
    )

    @property
    def grad(self) -> MaskedTensor | None:
        """The data's gradient, masked."""
        g = self._masked_data.grad
        return None if g is None else MaskedTensor(g, self._masked_mask)

    def size(self, dim: int | None = None):
        """The shape, or the size of one dim."""
        return self._masked_data.size() if dim is None else self._masked_data.size(dim)

    def dim(self) -> int:
        """The number of dims."""
        return self._masked_data.ndim

    def numel(self) -> int:
        """The number of elements, masked ones too."""
        return self._masked_data.numel()

    def __len__(self) -> int:
        return len(self._masked_data)

    def is_floating_point(self) -> bool:
        """Returns whether the dtype is a floating point dtype."""
        return self._masked_data.is_floating_point()

    def is_contiguous(self, *args, **kwargs) -> bool:
        """Tells whether the data is contiguous."""
        return self._masked_data.is_contiguous(*args, **kwargs)

    def stride(self, *args) -> Any:
        """Returns the strides of the data."""
        return self._masked_data.stride(*args)

    def item(self):
        """The only element."""
        return self._masked_data.item()

    def backward(self, gradient=None, **kwargs) -> None:
        """Backward from the data, as if what is not in the mask were not there."""
        if gradient is not None:
            gradient = data_and_mask(gradient, None)[0]
        torch.where(self._masked_mask, self._masked_data, 0).sum().backward(
            **kwargs
        ) if gradient is None else (
            self._masked_data.backward(torch.where(self._masked_mask, gradient, 0), **kwargs)
        )

    def __getattr__(self, name: str) -> Any:
        """The method with this name: of the data, of data and mask, or of torch.masked, as the op's traits say."""
        kind = _kind(name)
        if kind is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")
        _attach(name, kind(name), _OF.get(kind, "torch.masked.{}.").format(name))
        return getattr(self, name)

    def __repr__(self) -> str:
        data, mask = self._masked_data.detach(), self._masked_mask
        kind = data.dtype
        if data.ndim == 0:
            return f"MaskedTensor({_cells([data.item()], [mask.item()], kind, pad=True)[0]}, {mask.item()})"
        return "MaskedTensor(\n" + _nested(data.tolist(), mask.tolist(), kind, 1) + "\n)"

    __hash__ = object.__hash__


def _cells(values, mask, kind, pad: bool) -> list[str]:
    """Elements as PyTorch prints them: floats with four digits, eight wide."""
    shown = []
    for x, there in zip(values, mask):
        text = "--" if not there else f"{x:.4f}" if kind.is_floating_point else str(x)
        shown.append(text.rjust(8) if kind.is_floating_point and there else text)
    if pad:
        return shown
    return [s.rjust(8) if s == "--" else s for s in shown]


def _nested(values, mask, kind, level: int) -> str:
    indent = "  " * level
    if not isinstance(values[0] if values else 0, list):
        return indent + "[" + ", ".join(_cells(values, mask, kind, pad=False)) + "]"
    inner = ",\n".join(_nested(v, m, kind, level + 1) for v, m in zip(values, mask))
    return f"{indent}[\n{inner}\n{indent}]"


def data_and_mask(x: Any, mask: Tensor | None) -> tuple[Any, Tensor | None]:
    """A tensor, or a MaskedTensor's data; and the mask: the one given, else the MaskedTensor's."""
    if isinstance(x, MaskedTensor):
        return x._masked_data, x._masked_mask if mask is None else mask
    return x, mask


class _Kept(MaskedTensor):
    """A MaskedTensor whose reductions are MaskedTensors: as methods give them, and functions of torch.masked do not."""


def wrapped(given: Any, result: Tensor, mask: Callable[[], Tensor | None]) -> Any:
    """The result as a MaskedTensor where a method of one asked for it."""
    return MaskedTensor(result, mask()) if isinstance(given, _Kept) else result  # type: ignore[arg-type]


def masked_tensor(data: Tensor, mask: Tensor, requires_grad: bool = False) -> MaskedTensor:
    """A new MaskedTensor with copies of data and mask."""
    for name, x in (("data", data), ("mask", mask)):
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} must be a Tensor")
    return MaskedTensor(data.detach().clone(), mask.detach().clone(), requires_grad)


def as_masked_tensor(data: Tensor, mask: Tensor) -> MaskedTensor:
    """A MaskedTensor of these: gradients flow to data."""
    return MaskedTensor(data, mask)


def is_masked_tensor(obj: Any, /) -> bool:
    """Returns whether obj is a MaskedTensor."""
    return isinstance(obj, MaskedTensor)


# -- methods -----------------------------------------------------------------------------------------------------------


def _attach(name: str, fn: Callable, doc: str) -> None:
    fn.__name__, fn.__qualname__, fn.__doc__ = name, f"MaskedTensor.{name}", doc
    setattr(MaskedTensor, name, fn)


def _unary(name: str):
    def method(self, *args, **kwargs):
        return MaskedTensor(getattr(self._masked_data, name)(*args, **kwargs), self._masked_mask)

    return method


def _common_mask(a: MaskedTensor, b: Any) -> Tensor:
    if isinstance(b, MaskedTensor) and not torch.equal(a._masked_mask, b._masked_mask):
        raise ValueError(
            "Input masks must match. If you need support for this, please open an issue on Github."
        )
    return a._masked_mask


@tidied
def _of_two(name: str, a: Any, b: Any, **kwargs) -> MaskedTensor:
    """torch.name of the data; at least one of the two is masked."""
    mask = _common_mask(a, b) if isinstance(a, MaskedTensor) else b._masked_mask
    values = [data_and_mask(x, None)[0] for x in (a, b)]
    return MaskedTensor(getattr(torch, name)(*values, **kwargs), mask)


def _binary(name: str):
    def method(self, other, **kwargs):
        return _of_two(name, self, other, **kwargs)

    return method


def _in_place(name: str):
    def method(self, *args, **kwargs):
        getattr(self._masked_data, name)(*args, **kwargs)
        return self

    return method


def _shape(name: str):
    def method(self, *args, **kwargs):
        parts = [getattr(x, name)(*args, **kwargs) for x in (self._masked_data, self._masked_mask)]
        return MaskedTensor(*parts)

    return method


REDUCTIONS: dict[str, Callable] = {}
"""Functions of `reductions.py`, which puts them here."""


def _reduction(name: str):
    def method(self, *args, **kwargs):
        return REDUCTIONS[name](_Kept(self._masked_data, self._masked_mask), *args, **kwargs)

    return method


_OF = {
    _unary: "Tensor.{} of the data.", _in_place: "Tensor.{} of the data.", _binary: "torch.{} of the data; the masks must be the same.",
    _shape: "Tensor.{} of data and mask.",
}  # fmt: skip
"""Sentence that each kind of method has as its docstring."""


@functools.cache
def _kind(name: str) -> Callable[[str], Callable] | None:
    """Returns the maker of the method of this name; None if masked tensors have no such method."""
    if name == "__getitem__":
        return _shape
    if name.startswith("_") or not callable(getattr(Tensor, name, None)):
        return None
    if name in _CASTS:
        return _unary
    op = op_called(name.removesuffix("_"))
    if name.endswith("_"):
        return _in_place if op is not None and op.inplace and _unary is _kind(name[:-1]) else None
    if op is not None and op.is_view and op.signs is None and not getattr(op.strides, "asks_size", False):
        return _shape
    if op is not None and traits.is_pointwise(op):
        return {1: _unary, 2: _binary}.get(traits.takes(op))
    return _reduction if name in REDUCTIONS else None


_attach("__getitem__", _shape("__getitem__"), "Tensor.__getitem__ of data and mask.")
for _name, _function in _OPERATORS.items():
    _attach(_name, _binary(_function), f"torch.{_function} of the data; the masks must be the same.")
_attach("__radd__", lambda self, other: self + other, "other + self.")
_attach("__rmul__", lambda self, other: self * other, "other * self.")
_attach("__rsub__", lambda self, other: -self + other, "other - self.")
_attach("__rtruediv__", lambda self, other: self.reciprocal() * other, "other / self.")
_attach("__neg__", lambda self: self.neg(), "-self.")
_attach("__abs__", lambda self: self.abs(), "abs(self).")
_attach("__invert__", lambda self: self.bitwise_not(), "~self.")
_attach("__pow__", lambda self, exponent: self.pow(exponent), "self ** exponent.")


# -- functions that are no methods -------------------------------------------------------------------------------------


def _joined(name: str):
    def fn(tensors, dim: int = 0):
        if not all(isinstance(t, MaskedTensor) for t in tensors):
            raise TypeError(f"{name}(): all of the tensors must be masked ones")
        parts = [[t._masked_data for t in tensors], [t._masked_mask for t in tensors]]
        return MaskedTensor(*[getattr(torch, name)(p, dim) for p in parts])

    return fn


def _like(name: str):
    def fn(input, *args, **kwargs):
        return MaskedTensor(getattr(torch, name)(input._masked_data, *args, **kwargs), input._masked_mask)

    return fn


def _where(condition, input, other):
    """torch.where of data and of masks: both are masked tensors."""
    if not isinstance(input, MaskedTensor) or not isinstance(other, MaskedTensor):
        raise TypeError("where() of masked tensors: both choices must be masked")
    chosen = data_and_mask(condition, None)[0]
    pairs = ((input._masked_data, other._masked_data), (input._masked_mask, other._masked_mask))
    return MaskedTensor(*[torch.where(chosen, a, b) for a, b in pairs])


def _all(input, dim: Any = None, keepdim: bool = False):
    """Returns whether all elements that are there are true."""
    data = torch.where(input._masked_mask, input._masked_data.bool(), True)
    if dim is None:
        return MaskedTensor(data.all(), input._masked_mask.any())
    return MaskedTensor(data.all(dim, keepdim), input._masked_mask.any(dim, keepdim))


MaskedTensor.all = _all  # type: ignore[attr-defined]
_ASKED = frozenset(("numel", "dim", "size", "is_floating_point"))
_FUNCTIONS: dict[str, Callable] = {
    **{n: _joined(n) for n in ("cat", "stack")},
    **{n: _like(n) for n in ("ones_like", "zeros_like", "empty_like", "full_like", "rand_like", "randn_like")},
    "where": _where, "all": _all, "rsub": lambda a, b: b - a,
}  # fmt: skip
