"""Base of both kinds of nested tensors: they have no storage of their own, and take over every public function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from .._core.api import DisableTorchFunctionSubclass, Tensor, name_of, op_called, traits
from ..autograd import backward

__all__ = ["NestedBase", "is_pointwise", "unsupported"]

_CASTS = frozenset("float double half bfloat16 int long short bool to".split())
_MOVES = frozenset("cpu cuda type_as copy".split())
_FILLS = frozenset("fill zero uniform normal masked_fill clamp clip dropout alpha_dropout".split())
"""Functions that treat each element by itself, and of which no jaxpr says so: they are none of ops, or need further
arguments."""

_DUNDERS = frozenset(
    f"__{side}{name}__"
    for side in ("", "r", "i")
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
) | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__neg__", "__abs__", "__invert__", "__pos__"}  # fmt: skip


@functools.cache
def is_pointwise(name: str) -> bool:
    """Returns whether a public function of this name treats each element by itself; with a `_` at the end it writes in
    place."""
    if name in _DUNDERS or name.endswith("_like"):
        return True
    plain = name[:-1] if name.endswith("_") else name
    if plain in _CASTS or plain in _MOVES or plain in _FILLS:
        return True
    op = op_called(plain)
    return op is not None and traits.is_pointwise(op)


def writes_in_place(name: str) -> bool:
    """Returns whether a pointwise function of this name writes to its first argument."""
    return (name.endswith("_") and not name.endswith("__")) or (
        name.startswith("__i") and name != "__invert__"
    )


def unsupported(name: str) -> NoReturn:
    """Raises NotImplementedError for a function that nested tensors do not have."""
    raise NotImplementedError(
        f"{name}() is not supported for nested tensors: use unbind() for its parts, to_padded_tensor(), or, with the jagged layout, "
        "values()"
    )


class NestedBase(Tensor):
    """A batch of tensors of different sizes."""

    is_nested = True
    is_sparse = is_sparse_csr = is_quantized = is_mkldnn = is_meta = False
    _HANDLERS: dict[str, Callable]

    @property
    def _cell(self) -> NoReturn:  # type: ignore[override]
        unsupported("this operation")

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = (name_of(func) or func.__name__).rpartition(".")[2]
        if name == "__getattr__":  # no such attribute, which hasattr is to hear
            with DisableTorchFunctionSubclass():
                return func(*args, **(kwargs or {}))
        if name in ("__get__", "__set__"):
            accessor = getattr(func.__self__, "fget", None)
            unsupported(getattr(accessor, "__name__", "this attribute"))
        handler = next(
            (
                found
                for t in types
                if issubclass(t, NestedBase) and (found := t._handler(name, func)) is not None
            ),
            None,
        )
        if handler is None:
            unsupported(name)
        return handler(*args, **(kwargs or {}))

    @classmethod
    def _handler(cls, name: str, func: Callable) -> Callable | None:
        raise NotImplementedError

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __bool__(self) -> bool:
        raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")

    def dim(self) -> int:
        """The number of dims, the batch included."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:  # type: ignore[override]
        """The number of dims, the batch included."""
        return self.dim()

    ndimension = dim

    def __len__(self) -> int:
        return self.size(0)  # type: ignore[attr-defined]

    def __iter__(self):
        return iter(self.unbind())  # type: ignore[attr-defined]

    def _positive(self, dim: int) -> int:
        n = self.dim()
        if not -n <= dim < n:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
            )
        return dim % n

    def __setitem__(self, index: Any, value: Any) -> None:
        part, *inner = index if isinstance(index, tuple) else (index,)
        if not isinstance(part, int):
            raise NotImplementedError("writing to a nested tensor: give the number of a part first")
        target = self.unbind()[part]  # type: ignore[attr-defined]
        target[tuple(inner) if inner else ...] = value

    @property
    def is_cuda(self) -> bool:  # type: ignore[override]
        """Returns whether the elements are on a GPU."""
        return self.device.type == "cuda"  # type: ignore[attr-defined]

    @property
    def is_cpu(self) -> bool:  # type: ignore[override]
        """Returns whether the elements are on the CPU."""
        return self.device.type == "cpu"  # type: ignore[attr-defined]

    @property
    def data(self) -> Any:  # type: ignore[override]
        """The same tensor without history."""
        return self.detach()  # type: ignore[attr-defined]

    @property
    def mT(self) -> Any:  # type: ignore[override]
        """The tensor with the last two dims exchanged."""
        return self.transpose(-2, -1)  # type: ignore[attr-defined]

    @property
    def itemsize(self) -> int:  # type: ignore[override]
        """The bytes of an element."""
        return self.dtype.itemsize  # type: ignore[attr-defined]

    @property
    def nbytes(self) -> int:  # type: ignore[override]
        """The bytes of all elements."""
        return self.itemsize * self.numel()  # type: ignore[attr-defined]

    def element_size(self) -> int:
        """The bytes of an element."""
        return self.itemsize

    def is_pinned(self, device: Any = None) -> bool:
        """False: XLA manages memory."""
        return False

    def is_floating_point(self) -> bool:
        """Returns whether the dtype is a floating point dtype."""
        return self.dtype.is_floating_point  # type: ignore[attr-defined]

    def is_complex(self) -> bool:
        """Returns whether the dtype is a complex dtype."""
        return self.dtype.is_complex  # type: ignore[attr-defined]

    def numpy(self, *, force: bool = False) -> NoReturn:
        """Not of nested tensors."""
        raise RuntimeError(
            ".numpy() is not supported for nested tensors: use to_padded_tensor(), or unbind()"
        )

    def tolist(self) -> NoReturn:
        """Not of nested tensors."""
        raise RuntimeError(
            ".tolist() is not supported for nested tensors: use to_padded_tensor(), or unbind()"
        )

    def _pieces(self) -> tuple[Tensor, ...]:
        """The tensors that it is made of."""
        raise NotImplementedError

    def _sizes(self) -> tuple:
        """Returns the sizes that two must have alike to be added."""
        raise NotImplementedError

    def backward(  # type: ignore[override]
        self,
        gradient: NestedBase | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Any = None,
    ) -> None:
        """Tensor.backward; `gradient` is a nested tensor of the same sizes."""
        if gradient is None:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        if type(gradient) is not type(self) or gradient._sizes() != self._sizes():
            raise RuntimeError("the gradient of a nested tensor must be a nested tensor of the same sizes")
        own, given = self._pieces(), gradient._pieces()
        pairs = [(p, g) for p, g in zip(own, given) if p.requires_grad]
        backward([p for p, _ in pairs], [g for _, g in pairs], retain_graph, create_graph, inputs=inputs)
