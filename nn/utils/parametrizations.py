"""Ready parametrizations: orthogonal matrices, weight and spectral normalization."""

from __future__ import annotations

from typing import Any

import functorch_lite.nn.functional as F
from functorch_lite._core.api import Tensor, namespace
from functorch_lite._core.api import functions as torch
from functorch_lite.nn.modules import Module

from . import parametrize

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

linalg = namespace("linalg")

_MAPS = ("matrix_exp", "cayley", "householder")


def _orthonormal(matrix: Tensor) -> Tensor:
    """The nearest thing to `matrix` with orthonormal columns that a QR decomposition gives, its signs kept."""
    q, r = linalg.qr(matrix)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


def _is_orthogonal(q: Tensor) -> bool:
    n, k = q.shape[-2:]
    eye = torch.eye(k, dtype=q.dtype, device=q.device)
    eps = 10.0 * n * torch.finfo(q.dtype).eps
    return bool(torch.allclose(q.mH @ q, eye.expand(*q.shape[:-2], k, k), atol=eps))


class _Orthogonal(Module):
    """Matrices with orthonormal columns (or rows, when there are more columns) from all matrices of the same shape.

    `base` (a buffer, with use_trivialization) is the point of the group around which the map is taken (Lezcano-Casado
    2019, arXiv:1909.09501).
    """

    base: Tensor

    def __init__(self, weight: Tensor, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, x: Tensor) -> Tensor:
        n, k = x.size(-2), x.size(-1)
        wide = n < k
        if wide:
            x = x.mT
            n, k = k, n
        if self.orthogonal_map == "householder":
            below = x.tril(-1)
            scale = 2.0 / (1.0 + (below * below.conj()).sum(-2))
            q = linalg.householder_product(below, scale)
            q = q * x.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)  # the diagonal holds signs
        else:
            x = x.tril()
            if n != k:
                x = torch.cat([x, x.new_zeros(n, n - k).expand(*x.shape[:-2], -1, -1)], -1)
            skew = x - x.mH
            if self.orthogonal_map == "matrix_exp":
                q = linalg.matrix_exp(skew)
            else:
                eye = torch.eye(n, dtype=skew.dtype, device=skew.device)
                q = linalg.solve(eye - skew / 2, eye + skew / 2)
            if n != k:
                q = q[..., :k]
        if "base" in self._buffers:
            q = self.base @ q
        return q.mT if wide else q

    @torch.no_grad()
    def right_inverse(self, q: Tensor) -> Tensor:
        if q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got {q.shape}.")
        given = q
        wide = q.size(-2) < q.size(-1)
        if wide:
            q = q.mT
        n, k = q.shape[-2:]
        if "base" not in self._buffers:
            if self.orthogonal_map in ("cayley", "matrix_exp"):
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            a, tau = torch.geqrf(q)
            diagonal = a.diagonal(dim1=-2, dim2=-1)
            diagonal.sign_()
            diagonal.copy_(torch.where(tau == 0.0, -diagonal, diagonal))
            return a.mT if wide else a
        if n == k:
            q = q.clone() if _is_orthogonal(q) else _orthonormal(q)
        else:  # a whole orthogonal matrix that begins with q
            more = torch.randn(*q.shape[:-2], n, n - k, dtype=q.dtype, device=q.device)
            q = _orthonormal(torch.cat([q, more], -1))
        self.base = q
        # -1 on the diagonal: householder takes it for signs, and with it maps to the identity; to the others it is 0
        start = torch.zeros_like(given)
        start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start


def orthogonal(
    module: Module,
    name: str = "weight",
    orthogonal_map: str | None = None,
    *,
    use_trivialization: bool = True,
) -> Module:
    """Keeps a matrix (or batch of matrices) orthogonal, or unitary: Q^H Q = I, or Q Q^H = I if it is wide.

    orthogonal_map: "matrix_exp" (the default for square matrices), "cayley" or "householder" (the default otherwise).

    Raises ValueError for a tensor of fewer than two dims and an unknown orthogonal_map.

    >>> model = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
    >>> torch.allclose(model.weight @ model.weight.mT, torch.eye(3), atol=1e-5)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return parametrize.register_parametrization(module, name, parametrization, unsafe=True)


class _WeightNorm(Module):
    """g · v / ‖v‖, the norm over all dims but `dim` (Salimans and Kingma 2016, arXiv:1602.07868)."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Tensor, weight_v: Tensor) -> Tensor:
        return weight_v * (weight_g / torch.norm_except_dim(weight_v, 2, self.dim))

    def right_inverse(self, weight: Tensor) -> tuple[Tensor, Tensor]:
        return torch.norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """Splits a weight into magnitude (original0) and direction (original1); the norm is over all dims but `dim`, or
    all.

    >>> model = nn.utils.parametrizations.weight_norm(nn.Linear(3, 2))
    >>> {name: tuple(p.shape) for name, p in model.named_parameters()}
    {'bias': (2,), 'parametrizations.weight.original0': (2, 1), 'parametrizations.weight.original1': (2, 3)}
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def from_old(state_dict: dict, prefix: str, *rest: Any) -> None:
        for old, new in ((f"{name}_g", "original0"), (f"{name}_v", "original1")):
            if prefix + old in state_dict:
                state_dict[f"{prefix}parametrizations.{name}.{new}"] = state_dict.pop(prefix + old)

    module._register_load_state_dict_pre_hook(from_old)
    return module


class _SpectralNorm(Module):
    """A weight divided by its largest singular value, by power iteration (Miyato et al. 2018, arXiv:1802.05957)."""

    _u: Tensor
    _v: Tensor

    def __init__(self, weight: Tensor, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})"
            )
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:  # a vector is divided by its norm, which takes no iteration
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            height, width = matrix.size()
            u, v = matrix.new_empty(height).normal_(0, 1), matrix.new_empty(width).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=self.eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=self.eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight: Tensor) -> Tensor:
        if self.dim != 0:
            weight = weight.permute(self.dim, *(d for d in range(weight.dim()) if d != self.dim))
        return weight.flatten(1)

    @torch.no_grad()
    def _iterate(self, matrix: Tensor, n: int) -> None:
        for _ in range(n):
            self._u.copy_(F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(torch.mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight: Tensor) -> Tensor:
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value: Tensor) -> Tensor:
        return value  # a weight of spectral norm 1 is its own normalization; others are normalized


def spectral_norm(
    module: Module,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Module:
    """Divides a weight by its spectral norm, estimated by power iteration, one step a forward pass in training.

    dim: which dim of the weight is the output; 1 for transposed convolutions by default, else 0.

    >>> model = nn.utils.parametrizations.spectral_norm(nn.Linear(3, 2), n_power_iterations=50)
    >>> round(torch.linalg.matrix_norm(model.weight, 2).item(), 3)
    1.0
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        transposed = getattr(module, "transposed", False)
        dim = 1 if transposed else 0
    return parametrize.register_parametrization(
        module, name, _SpectralNorm(weight, n_power_iterations, dim, eps)
    )
