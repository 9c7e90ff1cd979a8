"""Helpers of distributions: broadcasting of parameters, probabilities and logits, cached properties, triangles."""

from __future__ import annotations

import math
import numbers
from typing import Any

from .._core.api import Tensor, broadcast_shapes, dtypes, namespace, state
from .._core.api import functions as torch

__all__ = [
    "broadcast_all", "clamp_probs", "lazy_property", "logits_to_probs", "probs_to_logits", "tril_matrix_to_vec", "vec_to_tril_matrix",
]  # fmt: skip

F = namespace("nn.functional")
linalg = namespace("linalg")
special = namespace("special")

euler_constant = 0.57721566490153286060


def broadcast_all(*values) -> tuple[Tensor, ...]:
    """Tensors and numbers as tensors of one shape; numbers take the dtype of the first tensor, or the default one.

    >>> broadcast_all(torch.zeros(2), 1.)
    (tensor([0., 0.]), tensor([1., 1.]))
    """
    if not all(isinstance(v, Tensor | numbers.Real) for v in values):
        raise ValueError(
            "Input arguments must all be instances of Number, torch.Tensor or objects implementing __torch_function__."
        )
    first = next((v for v in values if isinstance(v, Tensor)), None)
    kind = dtypes.default_dtype() if first is None else first.dtype
    where = None if first is None else first.device
    made = [v if isinstance(v, Tensor) else torch.tensor(v, dtype=kind, device=where) for v in values]
    shape = broadcast_shapes(*[v.shape for v in made])
    return tuple([v if v.shape == shape else v.expand(shape) for v in made])


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Draws of the normal distribution of mean 0 and deviation 1, which have no gradient.

    >>> _standard_normal((2, 3), torch.float32, "cpu").shape
    torch.Size([2, 3])
    """
    return torch.normal(
        torch.zeros(shape, dtype=dtype, device=device), torch.ones(shape, dtype=dtype, device=device)
    )


def readable() -> bool:
    """Returns whether values may be read here: not inside vmap, where there is one for each example, nor in a loop's body."""
    rec = state.rec
    while rec.level:
        if not rec.kind.one_value:
            return False
        rec = rec.outer
    return True


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """`value` summed over its last `dims` dimensions."""
    return value if dims == 0 else value.reshape(value.shape[: value.ndim - dims] + (-1,)).sum(-1)


_sum_rightmost = sum_rightmost


def standard_normal(shape, like: Tensor) -> Tensor:
    """Standard normal numbers with the dtype and device of `like`."""
    return torch.randn(shape, dtype=like.dtype, device=like.device)


def uniform_open(shape, like: Tensor) -> Tensor:
    """Uniform numbers in the open interval (0, 1): 0 is replaced by the smallest normal number."""
    u = torch.rand(shape, dtype=like.dtype, device=like.device)
    return u.clamp(min=dtypes.finfo(like.dtype).tiny)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """The probabilities of log odds (binary), or of unnormalised log probabilities along the last dim."""
    return torch.sigmoid(logits) if is_binary else torch.softmax(logits, -1)


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities kept a rounding error away from 0 and 1."""
    eps = dtypes.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Log odds (binary) or log probabilities of probabilities, finite also at 0 and 1."""
    p = clamp_probs(probs)
    return torch.log(p) - torch.log1p(-p) if is_binary else torch.log(p)


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """The lower triangles, up to diagonal `diag`, whose rows one after another are the vectors `vec`."""
    n = vec.shape[-1]
    dim = (-(1 + 2 * diag) + math.sqrt((1 + 2 * diag) ** 2 + 8 * n + 4 * abs(diag) * (diag + 1))) / 2
    if round(dim) - dim > dtypes.finfo(vec.dtype).eps or dim % 1:
        raise ValueError(
            f"The size of last dimension is {n} which cannot be expressed as the lower triangular part of a square D x D matrix."
        )
    size = int(dim)
    rows, columns = torch.tril_indices(size, size, diag)
    flat = torch.zeros(vec.shape[:-1] + (size * size,), dtype=vec.dtype, device=vec.device)
    index = (rows * size + columns).expand(vec.shape)
    return flat.scatter(-1, index, vec).reshape(vec.shape[:-1] + (size, size))


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """The entries of lower triangles, up to diagonal `diag`, row by row."""
    n = mat.shape[-1]
    if diag < -n or diag >= n:
        raise ValueError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    rows, columns = torch.tril_indices(n, n, diag)
    return mat.reshape(mat.shape[:-2] + (n * n,)).index_select(-1, rows * n + columns)


class lazy_property:
    """A property that is computed at first use and kept, such as `probs` of a distribution given by logits."""

    def __init__(self, wrapped) -> None:
        self.wrapped = wrapped
        self.__doc__ = wrapped.__doc__
        self.__name__ = wrapped.__name__

    def __get__(self, instance, owner=None) -> Any:
        if instance is None:
            return self
        here = state.here
        grad, here.grad = here.grad, True
        try:
            value = self.wrapped(instance)
        finally:
            here.grad = grad
        setattr(instance, self.__name__, value)
        return value
