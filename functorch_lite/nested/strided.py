"""The strided layout: parts that may differ in any dim. It is a tuple of tensors, and each function is applied to
every part."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .._core.api import Tensor, bare, lookup, namespace
from .._core.api import functions as torch
from .._core.api import strided as strided_layout
from .base import NestedBase, is_pointwise, writes_in_place

__all__ = ["StridedNestedTensor", "bundle"]

_SHAPELESS = "a nested tensor of the strided layout has no {}: its parts may differ in every dim. Use size(dim), unbind(), or the jagged layout"


class StridedNestedTensor(NestedBase):
    """A nested tensor of the strided layout. See `torch.nested` for what works."""

    layout = strided_layout
    _parts: tuple[Any, ...]

    @classmethod
    def _handler(cls, name: str, func: Callable) -> Callable | None:
        if name in _HANDLERS:
            return _HANDLERS[name]
        if is_pointwise(name):
            return lambda *args, **kwargs: _pointwise(name, func, args, kwargs)
        return None

    @property
    def shape(self) -> NoReturn:  # type: ignore[override]
        """RuntimeError: see size(dim)."""
        raise RuntimeError(_SHAPELESS.format("shape"))

    def size(self, dim: int | None = None) -> int:
        """The size of a dim in which all parts are alike; RuntimeError for others."""
        if dim is None:
            raise RuntimeError(_SHAPELESS.format("shape"))
        d = self._positive(dim)
        if d == 0:
            return len(self._parts)
        found = {p.shape[d - 1] for p in self._parts}
        if len(found) != 1:
            raise RuntimeError(f"Given dimension {d} is irregular and does not have a size.")
        return found.pop()

    def dim(self) -> int:
        """The number of dims, the batch included."""
        return self._parts[0].ndim + 1 if self._parts else 1

    def numel(self) -> int:
        """The number of elements."""
        return sum(p.numel() for p in self._parts)

    nelement = numel

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        """The dtype of the elements."""
        return self._parts[0].dtype if self._parts else torch.get_default_dtype()

    @property
    def device(self) -> Any:  # type: ignore[override]
        """The device of the elements."""
        return (self._parts[0] if self._parts else torch.empty(0)).device

    def is_contiguous(self, memory_format=None) -> bool:
        """Returns whether every part is."""
        return all(p.is_contiguous() for p in self._parts)

    def __repr__(self) -> str:
        parts = ["\n".join("  " + line for line in repr(p).split("\n")) for p in self._parts]
        return "nested_tensor([\n" + ",\n".join(parts) + "\n])"

    def unbind(self, dim: int = 0) -> tuple:
        """The parts."""
        if self._positive(dim) != 0:
            raise RuntimeError(
                f"NestedTensor can only be unbound along dimension 0 got dimension {self._positive(dim)} instead."
            )
        return tuple([p.view(p.shape) for p in self._parts])

    def _pieces(self) -> tuple[Tensor, ...]:
        return self._parts

    def _sizes(self) -> tuple:
        return tuple([p.shape for p in self._parts])

    @property
    def requires_grad(self) -> bool:  # type: ignore[override]
        """Returns whether a part requires grad."""
        return any(p.requires_grad for p in self._parts)

    def requires_grad_(self, requires_grad: bool = True):
        """Makes the parts leaves that require grad."""
        for p in self._parts:
            p.requires_grad_(requires_grad)
        return self

    @property
    def is_leaf(self) -> bool:  # type: ignore[override]
        """Returns whether all parts are leaves."""
        return all(p.is_leaf for p in self._parts)

    @property
    def grad_fn(self) -> Any:  # type: ignore[override]
        """The grad_fn of the first part."""
        return self._parts[0].grad_fn if self._parts else None

    @property
    def grad(self) -> Any:  # type: ignore[override]
        """The gradients of the parts; None while one has none."""
        found = [p.grad for p in self._parts]
        return None if None in [g if g is None else 1 for g in found] else bundle(found)

    @grad.setter
    def grad(self, value: Any) -> None:
        for p, g in zip(self._parts, [None] * len(self._parts) if value is None else value.unbind()):
            p.grad = g

    def contiguous(self, memory_format=None):
        """Returns the tensor with contiguous parts."""
        return self if self.is_contiguous() else bundle([p.contiguous() for p in self._parts])

    def to_padded_tensor(self, padding: float, output_size: Any = None) -> Any:
        """A dense tensor of the largest sizes, or of `output_size`: the parts are filled up with `padding`."""
        if not self._parts:
            raise RuntimeError(
                "to_padded_tensor(): at least one constituent tensor should have non-zero numel"
            )
        sizes = [max(p.shape[d] for p in self._parts) for d in range(self._parts[0].ndim)]
        if output_size is not None:
            if len(output_size) != len(sizes) + 1 or output_size[0] < len(self._parts):
                raise RuntimeError(
                    "Length of output_size does not match NestedTensor dims. Broadcasting is not supported."
                )
            if any(n < m for n, m in zip(output_size[1:], sizes)):
                raise RuntimeError(
                    "Value in output_size is less than NestedTensor padded size. Truncation is not supported."
                )
            sizes = list(output_size[1:])
        rows = []
        for p in self._parts:
            pad = [x for n, m in zip(reversed(sizes), reversed(p.shape)) for x in (0, n - m)]
            rows.append(torch.constant_pad_nd(p, pad, padding))
        if output_size is not None:
            rows += [torch.full(sizes, padding, dtype=self.dtype, device=self.device)] * (
                output_size[0] - len(rows)
            )
        return torch.stack(rows)

    def __getitem__(self, index: Any) -> Any:
        index = index if isinstance(index, tuple) else (index,)
        if index and isinstance(index[0], int):
            if not -len(self._parts) <= index[0] < len(self._parts):
                raise IndexError(
                    f"index {index[0]} is out of bounds for dimension 0 with size {len(self._parts)}"
                )
            part = self.unbind()[index[0]]
            return part[index[1:]] if len(index) > 1 else part
        if index and index[0] is Ellipsis and len(index) <= self.dim():
            return bundle([p[index] for p in self._parts])
        raise NotImplementedError(
            "indexing: give the number of a part first, or ... and then indices of the parts' last dims"
        )

    def __reduce_ex__(self, protocol):
        return (bundle, (list(self._parts),))

    def __deepcopy__(self, memo):
        return bundle([p.detach().clone().requires_grad_(p.requires_grad) for p in self._parts])


def bundle(parts: Any) -> StridedNestedTensor:
    """The nested tensor of these parts."""
    made: Any = bare(StridedNestedTensor)
    made._parts = tuple(parts)
    return made


def _each(func: Callable, args: tuple, kwargs: dict, name: str) -> list:
    """The function of every part; nested arguments must have as many parts."""
    nested = [x for x in (*args, *kwargs.values()) if isinstance(x, NestedBase)]
    if any(not isinstance(x, StridedNestedTensor) for x in nested):
        raise RuntimeError(f"{name}(): expected nested tensors of one layout")
    if len({len(x._parts) for x in nested}) != 1:
        raise RuntimeError(f"{name} does not support broadcasting when given a NestedTensor")

    def part(x: Any, i: int) -> Any:
        return x._parts[i] if isinstance(x, StridedNestedTensor) else x

    count = len(nested[0]._parts)
    return [func(*[part(x, i) for x in args], **{k: part(x, i) for k, x in kwargs.items()}) for i in range(count)]  # fmt: skip


def _pointwise(name: str, func: Callable, args: tuple, kwargs: dict) -> Any:
    values = [*args, *kwargs.values()]
    nested = [x for x in values if isinstance(x, StridedNestedTensor)]
    if any(isinstance(x, Tensor) and not isinstance(x, NestedBase) and x.ndim for x in values):
        raise RuntimeError(
            f"{name.strip('_')}(): expected both self and other to be nested, but got a nested self and non-nested other"
        )
    if any([p.shape for p in x._parts] != [p.shape for p in nested[0]._parts] for x in nested):
        raise RuntimeError(f"{name.strip('_')} does not support broadcasting when given a NestedTensor")
    results = _each(func, args, kwargs, name)
    return args[0] if writes_in_place(name) else bundle(results)


_HANDLERS: dict[str, Callable] = {"is_tensor": lambda obj: True}
"""Functions by their names: public ones that do not treat each element by itself."""


def _handles(*names: str) -> Callable[[Callable], Callable]:
    """Notes a function as what the public functions of these names do with nested tensors."""

    def note(fn: Callable) -> Callable:
        _HANDLERS.update(dict.fromkeys(names, fn))
        return fn

    return note


def _per_part(name: str) -> Callable:
    def fn(*args, **kwargs):
        found = lookup("torch", name) or lookup("nn.functional", name)
        assert found is not None
        return bundle(_each(found, args, kwargs, name))

    return fn


def _inner(t: StridedNestedTensor, dim: int, name: str) -> int:
    """A dim of the parts; RuntimeError for the batch."""
    d = t._positive(dim)
    if d == 0:
        raise RuntimeError(f"{name}(): not supported for nested tensors across dimension 0")
    return d - 1


@_handles("softmax")
def _softmax(input, dim, dtype=None, _stacklevel=3):
    if input._positive(dim) == 0:
        raise RuntimeError("Cannot apply softmax across nested dimension 0")
    return bundle([torch.softmax(p, _inner(input, dim, "softmax"), dtype=dtype) for p in input._parts])


@_handles("transpose")
def _transpose(input, dim0, dim1):
    if 0 in (input._positive(dim0), input._positive(dim1)):
        raise RuntimeError("Nested tensor dimension 0 cannot be transposed")
    a, b = _inner(input, dim0, "transpose"), _inner(input, dim1, "transpose")
    return bundle([p.transpose(a, b) for p in input._parts])


@_handles("sum")
def _sum(input, dim=None, keepdim=False, dtype=None):
    if not isinstance(dim, int):
        raise RuntimeError("NestedTensor only allows reduction of a single dimension for now.")
    d = input._positive(dim)
    if d != input.dim() - 1:
        raise RuntimeError(
            f"NestedTensor can only be reduced across the last dimension for now got dimension {d} instead."
        )
    if not keepdim:
        raise RuntimeError("NestedTensor always requires keepdim=True for now.")
    return bundle([p.sum(d - 1, keepdim=True, dtype=dtype) for p in input._parts])


@_handles("layer_norm")
def _layer_norm(input, normalized_shape, *args, **kwargs):
    for d in range(len(normalized_shape)):
        if len({p.shape[-1 - d] for p in input._parts}) != 1:
            raise RuntimeError("normalized_shape extends into irregular dimensions for the nested tensor")
    return _per_part("layer_norm")(input, normalized_shape, *args, **kwargs)


@_handles("bmm")
def _bmm(input, mat2):
    """Part by part; a dense batch has a matrix for each."""
    if not isinstance(mat2, NestedBase) and mat2.ndim == 3:
        if len(mat2) != len(input._parts):
            raise RuntimeError(
                f"Expected size for the 1st dimension of batch2 tensor to be: {len(input._parts)} but got: {len(mat2)}."
            )
        return bundle([p @ m for p, m in zip(input._parts, mat2.unbind())])
    return _matmul(input, mat2)


@_handles("embedding")
def _embedding(input, weight, *args, **kwargs):
    function = namespace("nn.functional").embedding  # not torch.embedding, whose weight comes first
    return bundle(_each(function, (input, weight, *args), kwargs, "embedding"))


@_handles("matmul", "__matmul__")
def _matmul(input, other):
    for x, which, rest in ((input, "self", "nested other"), (other, "other", "nested self")):
        if not isinstance(x, StridedNestedTensor):
            raise RuntimeError(f"Expected both to be nested, but got a non-nested {which} and {rest}")
    return _per_part("matmul")(input, other)


@_handles("chunk")
def _chunk(input, chunks, dim=0):
    if input._positive(dim) != input.dim() - 1:
        raise RuntimeError("Chunk for nested tensors is currently only supported for the last dimension.")
    return tuple([bundle(parts) for parts in zip(*[p.chunk(chunks, -1) for p in input._parts])])


@_handles("view", "reshape")
def _view(input, *size):
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    if not size or size[0] not in (len(input._parts), -1):
        raise RuntimeError(
            f"view: For now nested view cannot change or infer the implicit batch dimension, got {size}"
        )
    return bundle([p.reshape(size[1:]) for p in input._parts])


@_handles("cat")
def _cat(tensors, dim=0):
    if not all(isinstance(t, StridedNestedTensor) for t in tensors):
        raise RuntimeError("cat(): expected each tensor in given list to be nested.")
    d = tensors[0]._positive(dim)
    if d == 0:
        return bundle([p for t in tensors for p in t._parts])
    return bundle([torch.cat(parts, d - 1) for parts in zip(*[t._parts for t in tensors], strict=True)])


@_handles("narrow")
def _narrow(input, dim, start, length):
    if input._positive(dim) != 0:
        raise RuntimeError(f"narrow(): only dim=0 supported for nested tensors, but got: {dim}")
    if not 0 <= start <= start + length <= len(input._parts):
        raise RuntimeError(
            f"start ({start}) + length ({length}) exceeds dimension size ({len(input._parts)})."
        )
    return bundle(input._parts[start : start + length])


@_handles("select")
def _select(input, dim, index):
    if input._positive(dim) == 0:
        return input[index]
    return bundle([p.select(_inner(input, dim, "select"), index) for p in input._parts])


@_handles("unsqueeze")
def _unsqueeze(input, dim):
    d = dim + input.dim() + 1 if dim < 0 else dim
    if d == 0:
        raise RuntimeError(
            "unsqueeze(): For nested tensors, unsqueezing dimension 0 is not supported at the moment"
        )
    return bundle([p.unsqueeze(d - 1) for p in input._parts])


@_handles("is_same_size")
def _is_same_size(self, other):
    return [p.shape for p in self._parts] == [p.shape for p in other._parts]


for _name in ("linear", "scaled_dot_product_attention"):
    _handles(_name)(_per_part(_name))
