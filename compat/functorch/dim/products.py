"""Products that wait for their sum: a multiplication followed by a sum over dimensions is one contraction, and what
lies between is not made."""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_letters
from typing import Any

from functorch_lite._core.api import Tensor as Plain
from functorch_lite._core.api import bare, make_tensor, read, state
from functorch_lite._core.api import functions as torch

from .base import HANDLERS, Dim, Tensor, dims_of, has, parts, wrapped
from .batching import aligned, call, positive
from .lists import flat

__all__ = ["Product", "dot"]


class Product(Tensor):
    """The product of tensors, which is computed only if its value is needed for something that is not its sum."""

    _factors: tuple[tuple[Plain, tuple[Dim, ...]], ...]
    """What each holds, as it was when they were multiplied, and its first-class dimensions."""
    _made: Plain | None

    @property
    def _data(self) -> Plain:  # type: ignore[override]
        if self._made is None:
            held = [aligned(wrapped(*f), self.dims, self.ndim) for f in self._factors]
            made = held[0]
            for other in held[1:]:
                made = made * other  # type: ignore[operator]
            self._made = made
        return self._made  # type: ignore[return-value]

    @property
    def ndim(self) -> int:  # type: ignore[override]
        """The number of positional dimensions."""
        return max(data.ndim - len(dims) for data, dims in self._factors)

    @property
    def dtype(self) -> Any:  # type: ignore[override]
        """The dtype of all factors."""
        return self._factors[0][0].dtype


def _multiply(func: Callable, args: tuple, kwargs: dict) -> Any:
    if len(args) != 2 or kwargs or not _can_wait(*args):
        return call(func, args, kwargs)
    made = bare(Product)
    made.dims, made._made = dims_of(*args), None  # type: ignore[attr-defined]
    made._factors = tuple([f for x in args for f in _factors(x)])  # type: ignore[attr-defined]
    return made


def _can_wait(x: Any, y: Any) -> bool:
    """Returns whether the product of two tensors is larger than each, and of floats of one dtype, so that its sum is a
    contraction."""
    if not (isinstance(x, Plain) and isinstance(y, Plain)) or x.dtype is not y.dtype:
        return False
    a, b = dims_of(x), dims_of(y)
    same = len(a) == len(b) and all(has(b, d) for d in a)
    return x.dtype.category > 1 and not same and state.here.grad and not state.here.run_at_once


def _factors(x: Any) -> tuple:
    if isinstance(x, Product):
        return x._factors
    data, dims = parts(x)
    value = read(data)
    return (
        (make_tensor(value, data._cell.level, data._edge), dims),
    )  # writes to data do not reach the product


def _sum(func: Callable, args: tuple, kwargs: dict) -> Any:
    given = args[1] if len(args) == 2 else kwargs.get("dim")
    if given is None or len(args) + len(kwargs) != 2 or not isinstance(args[0], Product):
        return call(func, args, kwargs)
    found = _contracted(args[0], flat(given))
    return call(func, args, kwargs) if found is None else found


def _contracted(product: Product, summed: list) -> Any:
    """The product's sum over dimensions; None if it is not a contraction."""
    ndim = product.ndim
    if any(not has(product.dims, d) if isinstance(d, Dim) else not isinstance(d, int) for d in summed):
        return None
    axes = [d if isinstance(d, Dim) else positive(d, ndim) - ndim for d in summed]
    levels = [*product.dims, *range(-ndim, 0)]
    if len(levels) > len(ascii_letters) or len(set(map(id, axes))) != len(axes):
        return None
    letter = dict(zip(levels, ascii_letters))
    gone = {letter[d] for d in axes}
    sizes: dict[Any, int] = {}
    inputs = []
    for data, dims in product._factors:
        own = [*dims, *range(len(dims) - data.ndim, 0)]
        if any(sizes.setdefault(d, n) != n for d, n in zip(own, data.shape)):
            return None  # one is broadcast along a positional dimension
        inputs.append("".join([letter[d] for d in own]))
    left = [d for d in levels if letter[d] not in gone]
    equation = f"{','.join(inputs)}->{''.join([letter[d] for d in left])}"
    result = torch.einsum(equation, *[data for data, _ in product._factors])
    return wrapped(result, [d for d in left if isinstance(d, Dim)])


def dot(lhs: Any, rhs: Any, sum: Any) -> Any:
    """The product of two tensors, summed over dimensions: one contraction.

    >>> from functorch_lite.compat.functorch.dim import dims, dot
    >>> i, j, k = dims(3)
    >>> dot(torch.ones(2, 3)[i, k], torch.ones(3, 4)[k, j], k).order(i, j).shape
    torch.Size([2, 4])
    """
    return (lhs * rhs).sum(sum)


for _name in ("mul", "multiply", "__mul__", "__rmul__"):
    HANDLERS[_name] = _multiply
HANDLERS["sum"] = _sum
