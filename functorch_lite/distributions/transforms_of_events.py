"""Transforms of vectors and matrices, and of pieces of tensors: simplex, Cholesky factors, cat and stack.

Sources: Stan Reference Manual, chapter "Constraint transforms" (stick breaking, Cholesky factors of correlation
matrices).
"""

from __future__ import annotations

from .._core.api import Size, dtypes
from .._core.api import functions as torch
from . import constraints
from .transforms import Alike, Transform
from .utils import F, linalg, sum_rightmost, tril_matrix_to_vec, vec_to_tril_matrix

__all__ = [
    "CatTransform", "CorrCholeskyTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform", "SoftmaxTransform", "StackTransform",
    "StickBreakingTransform",
]  # fmt: skip


def _at_least(shape, n: int) -> None:
    if len(shape) < n:
        raise ValueError("Too few dimensions on input")


class SoftmaxTransform(Alike):
    """y = softmax(x) over the last dim; its inverse is log: not a bijection, since softmax(x + c) = softmax(x).

    (…, n) to (…, n), which sum to 1.

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> SoftmaxTransform()(torch.tensor([1., 1.]))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x):
        return torch.softmax(x, -1)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        """The same."""
        _at_least(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Alike):
    """Real vectors to the simplex with one more entry: each number breaks off a fraction of what is left of a stick.

    (…, n) to (…, n + 1).

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> StickBreakingTransform()(torch.zeros(2))
    tensor([0.3333, 0.3333, 0.3333])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    @staticmethod
    def _left(like):
        """log of the number of pieces that are still to come: K, K - 1, …, 1."""
        n = like.shape[-1]
        return torch.arange(n, 0, -1, dtype=like.dtype, device=like.device).log()

    def _call(self, x):
        info = dtypes.finfo(x.dtype)
        z = torch.sigmoid(x - self._left(x)).clamp(min=info.tiny, max=1.0 - info.eps)
        rest = (1 - z).cumprod(-1)
        return F.pad(z, (0, 1), value=1.0) * F.pad(rest, (1, 0), value=1.0)

    def _inverse(self, y):
        head = y[..., :-1]
        rest = (1 - head.cumsum(-1)).clamp(min=dtypes.finfo(y.dtype).tiny)
        return head.log() - rest.log() + self._left(head)

    def log_abs_det_jacobian(self, x, y):
        """The sum of the logarithms of the derivatives: the Jacobian is triangular."""
        x = x - self._left(x)
        return (-x + F.logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        """One more."""
        _at_least(shape, 1)
        return Size(shape[:-1]) + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        """One less."""
        _at_least(shape, 1)
        return Size(shape[:-1]) + (shape[-1] - 1,)


class CorrCholeskyTransform(Alike):
    """Vectors of D (D - 1) / 2 numbers to Cholesky factors of D x D correlation matrices.

    tanh of the numbers are canonical partial correlations; each breaks off a part of its row, which has length 1.
    Source: Lewandowski, Kurowicka & Joe 2009.

    ValueError for a length that does not equal D (D - 1) / 2 for any D.

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> CorrCholeskyTransform()(torch.tensor([0.5]))
    tensor([[1.0000, 0.0000],
            [0.4621, 0.8868]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        x = torch.tanh(x)
        eps = dtypes.finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r * r).sqrt().cumprod(-1)
        r = r + torch.eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * F.pad(left[..., :-1], (1, 0), value=1)

    def _inverse(self, y):
        left = 1 - torch.cumsum(y * y, -1)
        left = F.pad(left[..., :-1], (1, 0), value=1)
        parts = tril_matrix_to_vec(y, diag=-1)
        t = parts / tril_matrix_to_vec(left, diag=-1).sqrt()
        return (t.log1p() - (-t).log1p()) / 2

    def log_abs_det_jacobian(self, x, y):
        """The sum over what was left of the rows, and of log(1 - tanh(x)^2)."""
        left = (1 - (y * y).cumsum(-1)).clamp(min=dtypes.finfo(y.dtype).tiny)  # 0 at the end of a row
        parts = tril_matrix_to_vec(left, diag=-2)
        stick = (
            0.5 * parts.log().sum(-1)
            if y.shape[-1] > 2
            else torch.zeros(y.shape[:-2], dtype=y.dtype, device=y.device)
        )
        log_two = 0.6931471805599453
        return stick - 2 * (x + F.softplus(-2 * x) - log_two).sum(-1)

    def forward_shape(self, shape):
        """From N = D (D - 1) / 2 to (D, D)."""
        _at_least(shape, 1)
        n = shape[-1]
        d = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if d * (d - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return Size(shape[:-1]) + (d, d)

    def inverse_shape(self, shape):
        """From (D, D) to D (D - 1) / 2."""
        _at_least(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        d = shape[-1]
        return Size(shape[:-2]) + (d * (d - 1) // 2,)


class LowerCholeskyTransform(Alike):
    """Matrices to lower triangular ones with a positive diagonal: its exponential.

    (…, n, n) to (…, n, n).

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> LowerCholeskyTransform()(torch.tensor([[0., 5.], [2., 1.]]))
    tensor([[1.0000, 0.0000],
            [2.0000, 2.7183]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Alike):
    """Matrices to positive definite ones: L L^T of the LowerCholeskyTransform.

    (…, n, n) to (…, n, n).

    Args:
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> PositiveDefiniteTransform()(torch.tensor([[0., 5.], [2., 1.]]))
    tensor([[ 1.0000,  2.0000],
            [ 2.0000, 11.3891]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x):
        lower = LowerCholeskyTransform()(x)
        return lower @ lower.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(linalg.cholesky(y))


class _Pieces(Transform):
    """Several transforms for pieces along a dim."""

    transforms: list[Transform]
    dim: int

    def __init__(self, tseq, dim: int, cache_size: int) -> None:
        if not all(isinstance(t, Transform) for t in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [t.with_cache(cache_size) for t in tseq] if cache_size else list(tseq)
        self.dim = dim

    @property
    def bijective(self):  # type: ignore[override]
        """Returns whether all of them are."""
        return all(t.bijective for t in self.transforms)

    def _check_dim(self, x) -> None:
        if not -x.ndim <= self.dim < x.ndim:
            raise AssertionError(f"dim {self.dim} out of range for tensor with {x.ndim} dimensions")


class CatTransform(_Pieces):
    """Transforms of pieces of the sizes `lengths` along `dim`, as torch.cat joins them.

    Args:
        tseq: the transforms, a list.
        dim: the dim along which the pieces are joined. Default: 0.
        lengths: the sizes of the pieces. None (the default) means 1 each.
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> exp, same = torch.distributions.ExpTransform(), torch.distributions.AffineTransform(0., 1.)
    >>> CatTransform([exp, same], dim=0, lengths=[1, 2])(torch.zeros(3))
    tensor([1., 0., 0.])
    """

    def __init__(self, tseq, dim: int = 0, lengths=None, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = list(lengths) if lengths is not None else [1] * len(self.transforms)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError("lengths must have as many elements as tseq")

    @property
    def event_dim(self):
        """The largest of theirs."""
        return max(t.event_dim for t in self.transforms)

    @property
    def length(self) -> int:
        """The size along dim."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _split(self, x):
        self._check_dim(x)
        if x.shape[self.dim] != self.length:
            raise AssertionError(
                f"size {x.shape[self.dim]} along dim {self.dim} does not match length {self.length}"
            )
        return torch.split(x, self.lengths, self.dim)

    def _call(self, x):
        return torch.cat([t(p) for t, p in zip(self.transforms, self._split(x))], dim=self.dim)

    def _inverse(self, y):
        return torch.cat([t.inv(p) for t, p in zip(self.transforms, self._split(y))], dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        """Theirs side by side; summed over dim if that belongs to an event."""
        terms = []
        for t, px, py in zip(self.transforms, self._split(x), self._split(y)):
            term = t.log_abs_det_jacobian(px, py)
            terms.append(
                sum_rightmost(term, self.event_dim - t.event_dim) if t.event_dim < self.event_dim else term
            )
        dim = self.dim - x.ndim if self.dim >= 0 else self.dim
        dim += self.event_dim
        return torch.cat(terms, dim=dim) if dim < 0 else sum(terms[1:], terms[0])

    @constraints.dependent_property
    def domain(self):  # type: ignore[override]
        """Theirs side by side."""
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self):  # type: ignore[override]
        """Theirs side by side."""
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)


class StackTransform(_Pieces):
    """One transform for each slice along `dim`, as torch.stack joins them.

    Args:
        tseq: the transforms, a list.
        dim: the dim of the slices. Default: 0.
        cache_size: 0 or 1: whether the last pair of values is kept, so that the inverse of a
            result is exact. Default: 0.

    >>> exp, same = torch.distributions.ExpTransform(), torch.distributions.AffineTransform(0., 1.)
    >>> StackTransform([exp, same], dim=0)(torch.zeros(2))
    tensor([1., 0.])
    """

    def __init__(self, tseq, dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size: int = 1):
        """The same with another cache size."""
        return (
            self if self._cache_size == cache_size else StackTransform(self.transforms, self.dim, cache_size)
        )

    def _slices(self, x):
        self._check_dim(x)
        if x.shape[self.dim] != len(self.transforms):
            raise AssertionError(
                f"size {x.shape[self.dim]} along dim {self.dim} does not match {len(self.transforms)} transforms"
            )
        return x.unbind(self.dim)

    def _call(self, x):
        return torch.stack([t(p) for t, p in zip(self.transforms, self._slices(x))], dim=self.dim)

    def _inverse(self, y):
        return torch.stack([t.inv(p) for t, p in zip(self.transforms, self._slices(y))], dim=self.dim)

    def log_abs_det_jacobian(self, x, y):
        """Theirs side by side."""
        terms = [
            t.log_abs_det_jacobian(px, py)
            for t, px, py in zip(self.transforms, self._slices(x), self._slices(y))
        ]
        return torch.stack(terms, dim=self.dim)

    @constraints.dependent_property
    def domain(self):  # type: ignore[override]
        """Theirs side by side."""
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self):  # type: ignore[override]
        """Theirs side by side."""
        return constraints.stack([t.codomain for t in self.transforms], self.dim)
