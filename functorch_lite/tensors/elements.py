"""Python functions applied to every element, on the host."""

from __future__ import annotations

import numpy as np

from .._core.api import (
    VMAP_LEAVES,
    Tensor,
    check_writable,
    composite,
    differentiation_of,
    from_array,
    values_of,
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
