"""torch.norm, and norms by their older names."""

from __future__ import annotations

from typing import Any

from .._core.api import OPS, Tensor, check, composite, wrap_dim
from .._core.api import functions as torch
from .over_ops import plain_op

_norm = plain_op("norm")


@composite
def norm(
    input: Tensor, p: Any = "fro", dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None
):
    return _norm(input, p, dim, keepdim, dtype=dtype, out=out)


@composite(namespace="Tensor", method="norm", name="norm")
def _norm_method(self: Tensor, p: Any = "fro", dim: Any = None, keepdim: Any = False, dtype: Any = None):
    return _norm(self, p, dim, keepdim, dtype=dtype)


norm.__doc__ = _norm_method.__doc__ = OPS["norm"].__doc__


@composite
def frobenius_norm(input: Tensor, dim, keepdim: bool = False, *, out=None) -> Tensor:
    """The square root of the sum of squares over `dim` (one or two dims, or () for all).

    Float or complex.

    >>> torch.frobenius_norm(torch.tensor([[3., 4.]]), (0, 1))
    tensor(5.)
    """
    return torch.norm(input, 2, dim, keepdim, out=out)


@composite
def nuclear_norm(input: Tensor, dim=None, keepdim: bool = False, *, out=None) -> Tensor:
    """The sum of the singular values of a matrix, or of the matrices in two dims: nuclear_norm(input, keepdim) or
    (input, dim, keepdim).

    Float or complex; RuntimeError for less than two dims.

    >>> torch.nuclear_norm(torch.tensor([[3., 0.], [0., 2.]]))
    tensor(5.)
    """
    if isinstance(dim, bool):
        dim, keepdim = None, dim
    check(
        input.ndim >= 2,
        RuntimeError,
        "linalg.matrix_norm: The input tensor A must have at least 2 dimensions.",
    )
    return torch.norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, out=out)


@composite
def native_norm(input: Tensor, p=2, dim=None, keepdim: bool = False, dtype=None) -> Tensor:
    """The p-norm: `norm` under another name.

    >>> torch.native_norm(torch.tensor([3., 4.]))
    tensor(5.)
    """
    return torch.norm(input, p, dim, keepdim, dtype=dtype)


@composite
def norm_except_dim(v: Tensor, pow: int = 2, dim: int = 0) -> Tensor:
    """The norm over all dims but one, which stays; over all dims when dim is -1.

    Float or complex.

    >>> torch.norm_except_dim(torch.tensor([[3., 4.], [0., 1.]]))
    tensor([[5.],
            [1.]])
    """
    at = wrap_dim(dim, v.ndim)
    if not v.ndim and dim != -1:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if v.dtype.category < 2:
        raise RuntimeError(
            f"norm(): input dtype should be either floating point or complex. Got {v.dtype.scalar_name} instead."
        )
    if dim == -1:
        return torch.norm(v, pow)
    if not v.shape[at]:
        torch.reshape(v, (0, -1))  # raises, as in torch
    others = tuple(d for d in range(v.ndim) if d != at)
    return torch.norm(v, pow, others, True) if others else torch.norm(v.unsqueeze(-1), pow, (-1,))
