"""Families of vectors and matrices: MultivariateNormal, LowRankMultivariateNormal, Wishart, LKJCholesky.

Sources: Petersen & Pedersen, "The matrix cookbook" (Gaussians; Woodbury); Muirhead, "Aspects of multivariate
statistical theory", 3.2 (Wishart, Bartlett's decomposition); Lewandowski, Kurowicka & Joe 2009 (LKJ, the onion method).
"""

from __future__ import annotations

import math
import numbers
import warnings
from operator import attrgetter
from typing import Any

from .._core.api import Size, Tensor, dtypes, no_kernel
from .._core.api import functions as torch
from ..autograd.grad_mode import no_grad
from . import constraints
from .distribution import Distribution, ExponentialFamily
from .gammas import Beta, Chi2
from .utils import broadcast_all, lazy_property, linalg, readable, standard_normal

__all__ = ["LKJCholesky", "LowRankMultivariateNormal", "MultivariateNormal", "Wishart"]


def solve_lower(lower: Tensor, vectors: Tensor) -> Tensor:
    """L^-1 v for vectors (…, n) and lower triangular matrices (…, n, n) whose batch dims broadcast."""
    if lower.ndim == 2:
        columns = vectors.reshape(-1, vectors.shape[-1]).mT
        return linalg.solve_triangular(lower, columns, upper=False).mT.reshape(vectors.shape)
    shape = torch.broadcast_shapes(lower.shape[:-2], vectors.shape[:-1])
    columns = vectors.expand(shape + vectors.shape[-1:]).unsqueeze(-1)
    matrices = lower.expand(shape + lower.shape[-2:])
    return linalg.solve_triangular(matrices, columns, upper=False).squeeze(-1)


def mahalanobis(lower: Tensor, vectors: Tensor) -> Tensor:
    """v^T (L L^T)^-1 v."""
    return solve_lower(lower, vectors).pow(2).sum(-1)


def half_log_det(lower: Tensor) -> Tensor:
    """log det of L: half of log det of L L^T."""
    return lower.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def invert_factor(lower: Tensor) -> Tensor:
    """(L L^T)^-1."""
    eye = torch.eye(lower.shape[-1], dtype=lower.dtype, device=lower.device).expand(lower.shape)
    inverse = linalg.solve_triangular(lower, eye, upper=False)
    return inverse.mT @ inverse


def factor_of_inverse(precision: Tensor) -> Tensor:
    """The Cholesky factor of P^-1: computed from the factor of P with rows and columns in reverse order, whose
    inverse is then lower triangular."""
    flipped = linalg.cholesky(torch.flip(precision, (-2, -1)))
    upper = torch.flip(flipped, (-2, -1)).mT
    eye = torch.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device).expand(
        precision.shape
    )
    return linalg.solve_triangular(upper, eye, upper=False)


def _given(covariance_matrix, precision_matrix, scale_tril) -> int:
    return sum(x is not None for x in (covariance_matrix, precision_matrix, scale_tril))


class _Covariance(Distribution):
    """Base of the families of a covariance: it is given as itself, its inverse or its factor, and gives the others."""

    _unbroadcasted_scale_tril: Tensor
    _kept = ("_unbroadcasted_scale_tril",)

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance."""
        return self._unbroadcasted_scale_tril.expand(self._batch_shape + self._matrix_shape)

    @lazy_property
    def covariance_matrix(self):
        """The covariance."""
        lower = self._unbroadcasted_scale_tril
        return (lower @ lower.mT).expand(self._batch_shape + self._matrix_shape)

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance."""
        return invert_factor(self._unbroadcasted_scale_tril).expand(self._batch_shape + self._matrix_shape)

    @property
    def _matrix_shape(self):
        return self._unbroadcasted_scale_tril.shape[-2:]

    def _factor(self, covariance_matrix, scale_tril) -> Tensor:
        if scale_tril is not None:
            return scale_tril
        if covariance_matrix is not None:
            return linalg.cholesky(covariance_matrix)
        return factor_of_inverse(self.precision_matrix)

    def _expand_into(self, new, batch_shape) -> None:
        event = self._event_shape[-1:]  # the size of loc, which nobody compared with that of the matrix
        matrices = {"covariance_matrix", "precision_matrix", "scale_tril"} & self.__dict__.keys()
        expanded = {name: self.__dict__[name].expand(batch_shape + event + event) for name in matrices}
        super()._expand_into(new, batch_shape)
        new.__dict__.update(expanded)


class MultivariateNormal(_Covariance):
    """Normal vectors with mean `loc`, and a covariance, its inverse (precision), or its Cholesky factor.

    Args:
        loc: the mean, of shape (..., n).
        covariance_matrix: the covariance, of shape (..., n, n). Give one of the three; None is
            the default.
        precision_matrix: the inverse of the covariance. Give one of the three; None is the
            default.
        scale_tril: the lower Cholesky factor of the covariance. Give one of the three; None is
            the default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> MultivariateNormal(torch.zeros(2), torch.eye(2)).log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {  # type: ignore[assignment]
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector  # type: ignore[assignment]
    has_rsample = True
    _parameters = {"loc": 1, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2}

    def __init__(
        self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None
    ) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        if _given(covariance_matrix, precision_matrix, scale_tril) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        name, what, given = (
            ("scale_tril", "scale_tril matrix", scale_tril) if scale_tril is not None
            else ("covariance_matrix", "covariance_matrix", covariance_matrix) if covariance_matrix is not None
            else ("precision_matrix", "precision_matrix", precision_matrix)
        )  # fmt: skip
        if given.ndim < 2:
            raise ValueError(
                f"{what} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch_shape = torch.broadcast_shapes(given.shape[:-2], loc.shape[:-1])
        setattr(self, name, given.expand(batch_shape + given.shape[-2:]))
        self.loc = loc.expand(batch_shape + loc.shape[-1:])
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = (
            factor_of_inverse(given)
            if name == "precision_matrix"
            else self._factor(covariance_matrix, scale_tril)
        )

    mean = property(attrgetter("loc"), doc="loc.")
    mode = property(attrgetter("loc"), doc="loc.")

    @property
    def variance(self):
        """The diagonal of the covariance."""
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """loc + L times standard normal draws."""
        eps = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + (self._unbroadcasted_scale_tril @ eps.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """-(n log(2 pi) + d^T C^-1 d + log det C) / 2."""
        value = self._check(value)
        lower = self._unbroadcasted_scale_tril
        distance = mahalanobis(lower, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half_log_det(lower)

    def entropy(self) -> Tensor:
        """n (1 + log(2 pi)) / 2 + log det C / 2."""
        h = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half_log_det(
            self._unbroadcasted_scale_tril
        )
        return h.expand(self._batch_shape) if self._batch_shape else h


class LowRankMultivariateNormal(Distribution):
    """Normal vectors with mean `loc` and covariance W W^T + diag(d), W = cov_factor of few columns, d = cov_diag.

    loc (…, n), cov_factor (…, n, r), cov_diag (…, n) > 0: events of shape (n,). ValueError for other shapes.

    Args:
        loc: the mean, of shape (..., n).
        cov_factor: the factor W of the covariance, of shape (..., n, r).
        cov_diag: the diagonal of the covariance, of shape (..., n), positive.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> d = LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(2))
    >>> d.covariance_matrix
    tensor([[2., 1.],
            [1., 2.]])
    """

    arg_constraints = {  # type: ignore[assignment]
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector  # type: ignore[assignment]
    has_rsample = True
    _parameters = {"loc": 1, "cov_factor": 2, "cov_diag": 1}
    _kept = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(
        self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None
    ) -> None:
        if loc.ndim < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.ndim < 2:
            raise ValueError(
                "cov_factor must be at least two-dimensional, with optional leading batch dimensions"
            )
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            batch_shape = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as e:
            raise ValueError(
                f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}"
            ) from e
        if not cov_factor.shape[-1]:
            raise IndexError(
                "index 0 is out of bounds for dimension 1 with size 0: cov_factor has no columns"
            )
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        self.loc = loc.expand(batch_shape + event_shape)
        self.cov_factor = cov_factor.expand(batch_shape + cov_factor.shape[-2:])
        self.cov_diag = cov_diag.expand(batch_shape + event_shape)
        self._capacitance_tril = _capacitance(cov_factor, cov_diag)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    def _full(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    mean = property(attrgetter("loc"), doc="loc.")
    mode = property(attrgetter("loc"), doc="loc.")

    @lazy_property
    def variance(self):  # type: ignore[override]
        """The diagonal of the covariance."""
        squares = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return squares.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self):
        """W W^T + diag(d)."""
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        return self._full(w @ w.mT + torch.diag_embed(d))

    @lazy_property
    def scale_tril(self):
        """The Cholesky factor of the covariance."""
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        scaled = w / d.sqrt().unsqueeze(-1)
        eye = torch.eye(w.shape[-2], dtype=w.dtype, device=w.device)
        return self._full(d.sqrt().unsqueeze(-1) * linalg.cholesky(scaled @ scaled.mT + eye))

    @lazy_property
    def precision_matrix(self):
        """The inverse of the covariance, by Woodbury's identity."""
        w, d = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag
        scaled = w.mT / d.unsqueeze(-2)
        a = linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._full(torch.diag_embed(d.reciprocal()) - a.mT @ a)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """loc + W e + sqrt(d) f, e and f standard normal draws."""
        shape = self._extended_shape(sample_shape)
        w = self._unbroadcasted_cov_factor
        small = standard_normal(shape[:-1] + w.shape[-1:], self.loc)
        large = standard_normal(shape, self.loc)
        return self.loc + (w @ small.unsqueeze(-1)).squeeze(-1) + self._unbroadcasted_cov_diag.sqrt() * large

    def log_prob(self, value: Tensor) -> Tensor:
        """-(n log(2 pi) + d^T C^-1 d + log det C) / 2, by Woodbury's identity."""
        value = self._check(value)
        w, d, c = self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag, self._capacitance_tril
        distance = low_rank_mahalanobis(w, d, value - self.loc, c)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + low_rank_log_det(d, c) + distance)

    def entropy(self) -> Tensor:
        """n (1 + log(2 pi)) / 2 + log det C / 2."""
        log_det = low_rank_log_det(self._unbroadcasted_cov_diag, self._capacitance_tril)
        h = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)
        return h.expand(self._batch_shape) if self._batch_shape else h


def _capacitance(w: Tensor, d: Tensor) -> Tensor:
    """The Cholesky factor of I + W^T diag(d)^-1 W."""
    eye = torch.eye(w.shape[-1], dtype=w.dtype, device=w.device)
    return linalg.cholesky((w.mT / d.unsqueeze(-2)) @ w + eye)


def low_rank_log_det(d: Tensor, capacitance: Tensor) -> Tensor:
    """log det of W W^T + diag(d), by the matrix determinant lemma."""
    return 2 * half_log_det(capacitance) + d.log().sum(-1)


def low_rank_mahalanobis(w: Tensor, d: Tensor, x: Tensor, capacitance: Tensor) -> Tensor:
    """x^T (W W^T + diag(d))^-1 x."""
    inner = ((w.mT / d.unsqueeze(-2)) @ x.unsqueeze(-1)).squeeze(-1)
    return (x.pow(2) / d).sum(-1) - mahalanobis(capacitance, inner)


def _mvdigamma(x: Tensor, p: int) -> Tensor:
    """The derivative of log of the multivariate gamma function."""
    steps = torch.arange(p, dtype=x.dtype, device=x.device) / 2
    return torch.digamma(x.unsqueeze(-1) - steps).sum(-1)


class Wishart(_Covariance, ExponentialFamily):
    """The distribution of X^T X, X of df rows that are normal with the covariance given.

    df > n - 1 and one of covariance_matrix, precision_matrix, scale_tril (…, n, n): events of shape (n, n). ValueError
    for a smaller df.

    Args:
        df: the degrees of freedom, above n - 1.
        covariance_matrix: the covariance, of shape (..., n, n). Give one of the three; None is
            the default.
        precision_matrix: the inverse of the covariance. Give one of the three; None is the
            default.
        scale_tril: the lower Cholesky factor of the covariance. Give one of the three; None is
            the default.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> Wishart(torch.tensor(3.), torch.eye(2)).mean
    tensor([[3., 0.],
            [0., 3.]])
    """

    support = constraints.positive_definite  # type: ignore[assignment]
    has_rsample = True
    _mean_carrier_measure = 0  # type: ignore[assignment]
    _parameters = {"df": 0, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2}

    def _expand_into(self, new, batch_shape) -> None:
        for d, n in enumerate(batch_shape):
            if n == -1:
                raise RuntimeError(
                    f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {d}"
                )
        super()._expand_into(new, batch_shape)

    @property
    def arg_constraints(self):  # type: ignore[override]
        """df is above n - 1."""
        return {
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
            "df": constraints.greater_than(self.event_shape[-1] - 1),
        }

    def __init__(
        self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None
    ) -> None:
        if _given(covariance_matrix, precision_matrix, scale_tril) != 1:
            raise AssertionError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        name, given = (
            ("scale_tril", scale_tril) if scale_tril is not None
            else ("covariance_matrix", covariance_matrix) if covariance_matrix is not None
            else ("precision_matrix", precision_matrix)
        )  # fmt: skip
        if given.ndim < 2:
            raise ValueError(
                "scale_tril must be at least two-dimensional, with optional leading batch dimensions"
            )
        if isinstance(df, numbers.Number):
            df = torch.tensor(df, dtype=given.dtype, device=given.device)
        batch_shape = torch.broadcast_shapes(given.shape[:-2], df.shape)
        event_shape = given.shape[-2:]
        self.df = df.expand(batch_shape)
        setattr(self, name, given.expand(batch_shape + event_shape))
        n = event_shape[-1]
        if readable():
            if bool((self.df <= n - 1).any()):
                raise ValueError(
                    f"Value of df={_written(df)} expected to be greater than ndim - 1 = {n - 1}."
                )
            if bool((self.df < n).any()):
                warnings.warn(
                    "Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.",
                    stacklevel=2,
                )
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_scale_tril = (
            factor_of_inverse(given)
            if name == "precision_matrix"
            else self._factor(covariance_matrix, scale_tril)
        )
        if self._unbroadcasted_scale_tril.dtype.is_complex:
            raise no_kernel("arange_cpu", self._unbroadcasted_scale_tril.dtype)

    @property
    def mean(self):
        """df C."""
        return self.df.reshape(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self):
        """(df - n - 1) C where that is positive, else nan."""
        factor = self.df - self.covariance_matrix.shape[-1] - 1
        factor = torch.where(factor > 0, factor, math.nan)
        return factor.reshape(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self):
        """df (C_ij^2 + C_ii C_jj)."""
        c = self.covariance_matrix
        diagonal = c.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self.df.reshape(self._batch_shape + (1, 1)) * (c.pow(2) + outer)

    def rsample(self, sample_shape: Any = Size(())) -> Tensor:
        """By Bartlett's decomposition."""
        n = self._event_shape[-1]
        steps = torch.arange(n, dtype=self._unbroadcasted_scale_tril.dtype, device=self.df.device)
        squares = Chi2(self.df.unsqueeze(-1) - steps, validate_args=False).rsample(sample_shape)
        noise = standard_normal(self._extended_shape(sample_shape), squares).tril(-1)
        chol = self._unbroadcasted_scale_tril @ (
            squares.clamp(min=dtypes.finfo(squares.dtype).tiny).sqrt().diag_embed() + noise
        )
        return chol @ chol.mT

    def log_prob(self, value: Tensor) -> Tensor:
        """((df - n - 1) log det X - tr(C^-1 X) - df n log(2) - df log det C) / 2 - log Gamma_n(df / 2)."""
        value = self._check(value)
        nu, n = self.df, self._event_shape[-1]
        lower, volume = self._unbroadcasted_scale_tril, linalg.slogdet(value)[1]
        if value.dtype is not lower.dtype:
            raise RuntimeError(
                f"Expected b and A to have the same dtype, but found b of type {value.dtype.scalar_name} and A of type "
                f"{lower.dtype.scalar_name} instead."
            )
        trace = (invert_factor(lower) * value).sum((-2, -1))
        return (
            -nu * (n * math.log(2) / 2 + half_log_det(lower)) - torch.mvlgamma(nu / 2, n)
            + (nu - n - 1) / 2 * volume - trace / 2
        )  # fmt: skip

    def entropy(self) -> Tensor:
        """(n + 1) (n log(2) + log det C) / 2 + log Gamma_n(df/2) - (df - n - 1)/2 psi_n(df/2) + df n / 2."""
        nu, n = self.df, self._event_shape[-1]
        lower = self._unbroadcasted_scale_tril
        return (
            (n + 1) * (n * math.log(2) / 2 + half_log_det(lower)) + torch.mvlgamma(nu / 2, n)
            - (nu - n - 1) / 2 * _mvdigamma(nu / 2, n) + nu * n / 2
        )  # fmt: skip

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        n = self._event_shape[-1]
        a = y + (n + 1) / 2
        return a * (-linalg.slogdet(-2 * x)[1] + math.log(2) * n) + torch.mvlgamma(a, n)


def _written(df: Tensor):
    return df.item() if df.ndim == 0 else df


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices M with density proportional to det(M)^(concentration - 1).

    dim >= 2, else ValueError; concentration > 0 of the batch's shape: events of shape (dim, dim).

    Args:
        dim: the number of rows of the matrices, at least 2.
        concentration: the concentration, positive. Default: 1.0.
        validate_args: whether parameters and values are checked. None (the default) follows
            `Distribution.set_default_validate_args`.

    >>> LKJCholesky(2, 1.).log_prob(torch.eye(2)).exp()
    tensor(0.5000)
    """

    arg_constraints = {"concentration": constraints.positive}  # type: ignore[assignment]
    support = constraints.corr_cholesky  # type: ignore[assignment]
    _parameters = {"concentration": 0}
    _kept = ("dim",)

    def __init__(
        self, dim: int, concentration: Tensor | float = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.shape, Size((dim, dim)), validate_args)
        self._beta = self._marginals(self.concentration)

    def _marginals(self, concentration: Tensor) -> Beta:
        """The distributions of the squared lengths of the rows below the diagonal."""
        offset = torch.arange(self.dim - 1, dtype=concentration.dtype, device=concentration.device)
        offset = torch.cat([offset.new_zeros((1,)), offset])
        b = (concentration + 0.5 * (self.dim - 2)).unsqueeze(-1) - 0.5 * offset
        return Beta(0.5 * offset + 0.5, b, validate_args=False)

    def _expand_into(self, new, batch_shape) -> None:
        super()._expand_into(new, batch_shape)
        new._beta = new._marginals(new.concentration)

    def sample(self, sample_shape: Any = Size(())) -> Tensor:
        """By the onion method: each row is a uniform direction times the square root of a beta draw."""
        with no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            noise = standard_normal(self._extended_shape(sample_shape), self.concentration).tril(-1)
            length = noise.norm(dim=-1, keepdim=True)
            below = y.sqrt() * noise / torch.where(length == 0, 1.0, length)
            left = (1 - (below * below).sum(-1)).clamp(min=dtypes.finfo(below.dtype).tiny)
            return below + left.sqrt().diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        """The sum of (2 (c - 1) + n - k) log(L_kk), k = 2…n, minus the logarithm of the normaliser."""
        value = self._check(value)
        c, n = self.concentration, self.dim
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        order = torch.arange(2, n + 1, dtype=c.dtype, device=c.device)
        order = 2 * (c - 1).unsqueeze(-1) + n - order
        alpha = c + 0.5 * (n - 1)
        norm = (
            0.5 * (n - 1) * math.log(math.pi)
            + torch.mvlgamma(alpha - 0.5, n - 1)
            - torch.lgamma(alpha) * (n - 1)
        )
        return (order * diagonal.log()).sum(-1) - norm
