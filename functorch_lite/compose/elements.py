"""Python functions applied to every element, on the host; the diagonal filled, and powers taken, in place."""

from __future__ import annotations

import numpy as np

from .._core.api import (
    VMAP_LEAVES,
    Tensor,
    check_writable,
    composite,
    differentiation_of,
    from_array,
    to_number_argument,
    values_of,
    write_inplace,
)


def _apply(name: str, self: Tensor, others: tuple, fn) -> Tensor:
    if whose := next(filter(None, [differentiation_of(t, True) for t in (self, *others)]), ""):
        raise RuntimeError(
            f"Can't call {name}() on Variable that {whose}. Use var.detach().{name}() instead."
        )
    check_writable(self)
    message = VMAP_LEAVES.format(f"{name}()")
    columns = [
        np.broadcast_to(values_of(t, message), self.shape).reshape(-1).tolist() for t in (self, *others)
    ]
    made = np.array([fn(*numbers) for numbers in zip(*columns)], dtype=self.dtype.np).reshape(self.shape)
    return self.copy_(from_array(made))


@composite(namespace="Tensor", method=True)
def apply_(self: Tensor, callable) -> Tensor:
    """Replaces every element x by callable(x), a Python function; slow, and only for tensors without grad.

    >>> torch.tensor([1.0, 2.0]).apply_(lambda x: x + 1)
    tensor([2., 3.])
    """
    return _apply("apply_", self, (), callable)


@composite(namespace="Tensor", method=True)
def map_(self: Tensor, tensor: Tensor, callable) -> Tensor:
    """Replaces every element x by callable(x, y), with y of another tensor; a Python function, slow.

    >>> torch.tensor([1., 2.]).map_(torch.tensor([3., 4.]), lambda x, y: x * y)
    tensor([3., 8.])
    """
    return _apply("map_", self, (tensor,), callable)


@composite(namespace="Tensor", method=True)
def map2_(self: Tensor, x: Tensor, y: Tensor, callable) -> Tensor:
    """Replaces every element by callable(it, x, y), with elements of two other tensors; a Python function, slow.

    >>> torch.tensor([1., 2.]).map2_(torch.ones(2), torch.ones(2), lambda it, x, y: it + x + y)
    tensor([3., 4.])
    """
    return _apply("map2_", self, (x, y), callable)


@composite(namespace="Tensor", method=True)
def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Fills the main diagonal in place; with wrap=True that of a tall matrix begins anew after n columns and a gap of one.

    RuntimeError for less than two dims, and for more than two that differ in length.

    >>> torch.zeros(2, 3).fill_diagonal_(1)
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    value = to_number_argument(fill_value, "fill_diagonal_", "fill_value", 1, False)
    if self.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if self.ndim > 2 and len(set(self.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    rows, columns = self.shape[0], self.shape[1]
    check_writable(self)
    step = sum(int(np.prod(self.shape[d + 1 :])) for d in range(self.ndim))
    count = min(self.shape)
    if wrap and self.ndim == 2 and rows > columns + 1:
        count = -(-rows * columns // (columns + 1))
    mask = np.zeros(self.numel(), bool)
    mask[: step * count : step] = True
    if not isinstance(value, Tensor):
        self.new_full((count,), value)  # refuses what does not fit
        value = value != 0 if self.dtype.category == 0 else value if self.is_complex() else value.real
        if self.is_floating_point():
            with np.errstate(over="ignore"):
                value = float(np.asarray(value, self.dtype.np))
    return self.masked_fill_(from_array(mask.reshape(self.shape), on=self.device), value)


@composite(namespace="Tensor", method=True)
def float_power_(self: Tensor, exponent) -> Tensor:
    """self ** exponent, in place: of a float64 or complex128 tensor, as these are the dtypes that `float_power` gives.

    RuntimeError for other dtypes.

    >>> torch.tensor([2., 3.], dtype=torch.float64).float_power_(2)
    tensor([4., 9.], dtype=torch.float64)
    """
    made = self.float_power(exponent)
    if made.dtype is not self.dtype:
        raise RuntimeError(
            f"the base given to float_power_ has dtype {self.dtype.scalar_name} but the operation's result requires dtype "
            f"{made.dtype.scalar_name}"
        )
    return write_inplace(self, made)
