"""Laplace's approximation: a normal posterior of parameters around a trained model, from the curvature of its loss.

P = (sum over the data of the GGN) / noise^2 + prior precision. Source: MacKay, 1992; Daxberger et al., arXiv
2106.14806; Immer et al., arXiv 2104.04975 (the marginal likelihood) and 2008.08400 (predictions of the linearized
model)."""

from __future__ import annotations

import inspect
import math
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from .._core.api import Tensor, namespace, tidied
from .._core.api import functions as torch
from ..api_names import listed
from ._estimates import same_draws
from ._layers import tapped
from ._models import Data, Parameters, model_function, refuse_batch_norm, refuse_dropout
from ._trees import flatten, unflatten
from .curvature import GGN, KFAC
from .curvature.operators import cholesky, differentiated
from .derivatives import grad
from .ntk import jacobian_factors
from .per_sample import ggn_diagonal

F, linalg = namespace("nn.functional"), namespace("linalg")

__all__ = ["Posterior", "laplace"]
__dir__ = listed(__name__)

STRUCTURES = ("full", "kron", "diag", "last_layer", "subnet")
LIKELIHOODS = ("classification", "regression")


def _half_squares(z: Tensor, y: Tensor) -> Tensor:
    return ((z - y) ** 2).sum() / 2


def _cross_entropy(z: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(z, y, reduction="sum")


@tidied
def laplace(
    model: Any, likelihood: str, params: Any, data: Any, *, structure: str = "full", prior_precision: Any = 1.0, noise: Any = 1.0,
    names: Sequence[str] = (),
) -> Posterior:  # fmt: skip
    """The `Posterior` around params of a model trained on data.

    structure: `"full"`, `"kron"` (KFAC; its exact eigenvalues, no damping is split), `"diag"`, `"last_layer"`
    (full, of the last layer that has a weight), `"subnet"` (full, of the parameters in `names`).

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        likelihood: "classification" (cross entropy) or "regression" (normal).
        params: the parameters of the trained model: a dict of tensors by name.
        data: the data: a batch (x, y), a list of batches, or an iterable of batches that can be
            read again.
        structure: "full", "kron" (KFAC), "diag", "last_layer" (full, for the last layer that has
            a weight) or "subnet" (full, for the parameters in `names`). Default: "full".
        prior_precision: the precision of the prior, positive. Default: 1.0.
        noise: the standard deviation of the observations in "regression". Default: 1.0.
        names: the names of the parameters of "subnet". Default: ().

    Raises ValueError for unknown words and precisions that are not positive, RuntimeError for a BatchNorm in training
    mode.

    >>> x = torch.tensor([[1.], [2.]])
    >>> posterior = laplace.laplace(lambda w, x: x * w, "regression", torch.ones(1), (x, x), prior_precision=1.)
    >>> round(posterior.functional_variance(x)[1].item(), 4)
    0.6667
    """
    if likelihood not in LIKELIHOODS:
        raise ValueError(f"laplace: likelihood must be one of {', '.join(LIKELIHOODS)}, got {likelihood!r}")
    if structure not in STRUCTURES:
        raise ValueError(f"laplace: structure must be one of {', '.join(STRUCTURES)}, got {structure!r}")
    for what, value in (("prior_precision", prior_precision), ("noise", noise)):
        if not isinstance(value, Tensor) and not value > 0:
            raise ValueError(f"laplace: {what} must be positive, got {value}")
    refuse_batch_norm("laplace", model)
    refuse_dropout("laplace", model)
    return Posterior(model, likelihood, params, data, structure, prior_precision, noise, tuple(names))


class _Callable(ModuleType):
    """This module, which is also the function of its name: `from functorch_lite.func import laplace` gives both."""

    __signature__ = inspect.signature(laplace)

    def __call__(self, *args: Any, **kwargs: Any) -> Posterior:
        return laplace(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable


class Posterior:
    """A normal distribution of parameters: `mean` (params), and a precision that is known by its structure.

    Args:
        model: an nn.Module, or a function (params, x) -> outputs.
        likelihood: "classification" (cross entropy) or "regression" (normal).
        params: the parameters of the trained model: a dict of tensors by name.
        data: the data: a batch (x, y), a list of batches, or an iterable of batches that can be
            read again.
        structure: "full", "kron" (KFAC), "diag", "last_layer" (full, for the last layer that has
            a weight) or "subnet" (full, for the parameters in `names`).
        prior_precision: the precision of the prior, positive.
        noise: the standard deviation of the observations in "regression".
        names: the names of the parameters of "subnet".
    """

    def __init__(
        self, model: Any, likelihood: str, params: Any, data: Any, structure: str, prior_precision: Any, noise: Any, names: tuple[str, ...]
    ):  # fmt: skip
        self.model, self.likelihood, self.structure = model, likelihood, structure
        self.prior_precision, self.noise = prior_precision, noise
        self.call, self.data = model_function(model), Data("laplace", data)
        self._all = params
        if structure in ("last_layer", "subnet"):
            names = self._last_layer(params) if structure == "last_layer" else names
            unknown = [n for n in names if n not in params]
            if unknown or not names:
                raise ValueError(f"laplace: names must be parameters; {unknown or 'none'} of {list(params)}")
            params = {n: params[n] for n in names}
        self.mean = params
        self.parameters = Parameters("laplace", params)
        loss = _cross_entropy if likelihood == "classification" else _half_squares
        self._loss = loss
        given = (self._model, loss, params, data)
        self._dense: Any = None
        self._kron: Any = None
        if structure == "kron":
            self._kron = KFAC(model, loss, params, data, reduction="sum")
            self._values = torch.cat(self._kron._spectrum())
        elif structure == "diag":
            parts = [
                self.parameters.flat(flatten(ggn_diagonal(*given[:3], x, y, reduction="sum"))[0])
                for x, y in self.data
            ]
            self._values = sum(parts[1:], parts[0])
        else:
            dense = GGN(*given, reduction="sum").to_dense()
            self._dense = (dense + dense.mT) / 2
            # a GGN of few data has many eigenvalues of zero, whose vectors have no derivatives: the matrix has
            self._values = None if differentiated(dense) else linalg.eigvalsh(self._dense)
        # the fit does not depend on prior and noise
        self._fit = sum([loss(self.call(self._all, x), y) for x, y in self.data])
        self._outputs = sum([self.call(self._all, x).numel() for x, _ in self.data])

    def __repr__(self) -> str:
        count = sum(p.numel() for p in flatten(self.mean)[0])
        noise = f", noise={self.noise}" if self.likelihood == "regression" else ""
        return (
            f"Posterior({self.likelihood}, structure={self.structure!r}, {count} parameters, "
            f"prior_precision={self.prior_precision}{noise})"
        )

    def _model(self, params: Any, x: Any) -> Any:
        """The model, of the parameters that are uncertain."""
        full = (
            params
            if params is self._all or self.structure not in ("last_layer", "subnet")
            else {**self._all, **params}
        )
        return self.call(full, x)

    def _last_layer(self, params: Any) -> tuple[str, ...]:
        p = Parameters("laplace", params)
        x, _ = next(iter(self.data))
        leaves, structure = flatten(x)
        found = tapped(
            lambda leaves, others: (self.call(p.of(leaves), unflatten(structure, others)).sum(), ()),
            p.leaves,
            [t[:1] for t in leaves],
        )
        if not found.uses:
            raise ValueError("laplace: no layer with a weight was found; use structure='subnet' with names=")
        last = found.uses[-1]
        return tuple([p.names[i] for i in (last.param, last.bias) if i is not None])

    def _scale(self, noise: Any) -> Any:
        return 1.0 if self.likelihood == "classification" else noise**2

    def log_marginal_likelihood(self, prior_precision: Any = None, noise: Any = None) -> Tensor:
        """log p(data | mean) - (log det P - log det P0 + mean^T P0 mean) / 2; differentiable in both arguments (by
        default, the posterior's own values)."""
        prior = self.prior_precision if prior_precision is None else prior_precision
        noise = self.noise if noise is None else noise
        dtype = self.parameters.leaves[0].dtype
        prior, noise = (t if isinstance(t, Tensor) else torch.tensor(t, dtype=dtype) for t in (prior, noise))
        fit = -self._fit / self._scale(noise)
        if self.likelihood == "regression":
            fit = fit - self._outputs * (torch.log(noise) + math.log(2 * math.pi) / 2)
        mean = self.parameters.flat(self.parameters.leaves)
        if self._values is None:
            logs = 2 * torch.log(self._root(prior, noise).diagonal()).sum()
        else:
            logs = torch.log(self._values.clamp(min=0) / self._scale(noise) + prior).sum()
        return fit - (logs - self.parameters.size * torch.log(prior) + prior * (mean * mean).sum()) / 2

    def _solved(self, columns: Tensor) -> Tensor:
        """P^-1 times columns."""
        scale = self._scale(self.noise)
        damping = self.prior_precision * scale
        if self._kron is not None:
            return self._kron.solved(columns, damping) * scale
        if self._dense is None:
            return columns / (self._values[:, None] + damping) * scale
        return torch.cholesky_solve(columns, self._root(self.prior_precision, self.noise))

    def _root(self, prior: Any, noise: Any) -> Tensor:
        """L with L L^T = P, of a posterior that has its matrix."""
        eye = torch.eye(self.parameters.size, dtype=self._dense.dtype, device=self._dense.device)
        return cholesky(self._dense / self._scale(noise) + prior * eye)

    def functional_variance(self, x: Any) -> Tensor:
        """(n, C, C): the covariance of the linearized model's outputs, J P^-1 J^T, of each sample."""
        n = flatten(x)[0][0].shape[0]
        factors = jacobian_factors(self._model, self.mean, x)
        if self.structure == "last_layer" and isinstance(factors[0], tuple):
            return self._variance_of_layer(*factors[0], factors.get(1))
        rows = [factors[i] for i in range(len(self.parameters.leaves))]
        J = torch.cat(
            [(r[1][..., None] * r[0][:, :, None]).flatten(2) if isinstance(r, tuple) else r for r in rows], 2
        )
        C = J.shape[1]
        back = self._solved(J.reshape(n * C, -1).mT).reshape(-1, n, C)
        return torch.einsum("ncp,pnd->ncd", J, back)

    def _variance_of_layer(self, a: Tensor, g: Tensor, of_bias: Tensor | None) -> Tensor:
        """J P^-1 J^T where the rows of J are g_c a^T, and g_c of a bias: of one output of the layer at a time, so
        that no array of (n, C, parameters) is made.
        a (n, C, features), the same for all C; g (n, C, outputs of the layer)."""
        a, outputs, features = a[:, 0], g.shape[2], a.shape[2]
        size = outputs * features
        P = self._solved(torch.eye(self.parameters.size, dtype=a.dtype, device=a.device))
        rows = []
        for o in range(outputs):
            mine = slice(o * features, (o + 1) * features)
            along = (a @ P[mine, :size]).reshape(-1, outputs, features)
            row = (along * a[:, None]).sum(2)
            if of_bias is not None:
                row = (
                    row
                    + a @ P[mine, size:]
                    + (a @ P[size + o, :size].reshape(outputs, features).mT)
                    + P[size + o, size:]
                )
            rows.append(row)
        return torch.einsum("nco,nop,ndp->ncd", g, torch.stack(rows, 1), g)

    def predict(self, x: Any, link: str = "probit", *, samples: int = 100, generator: Any = None) -> Any:
        """Classification: probabilities (n, C), by `"probit"`, `"mc"` (so many draws of the outputs) or `"bridge"`
        (Laplace's bridge, Hobbhahn et al., arXiv 2003.01227). Regression: (mean, covariance with the noise). ValueError
        for another link."""
        if link not in ("probit", "mc", "bridge"):
            raise ValueError(f"predict: link must be 'probit', 'mc' or 'bridge', got {link!r}")
        z, S = self.call(self._all, x), self.functional_variance(x)
        if self.likelihood == "regression":
            return z, S + self.noise**2 * torch.eye(S.shape[-1], dtype=S.dtype, device=S.device)
        variance = torch.diagonal(S, dim1=1, dim2=2)
        if link == "probit":
            return torch.softmax(z / torch.sqrt(1 + math.pi / 8 * variance), -1)
        if link == "bridge":
            C = z.shape[-1]
            alpha = (1 - 2 / C + torch.exp(z) / C**2 * torch.exp(-z).sum(-1, keepdim=True)) / variance
            return alpha / alpha.sum(-1, keepdim=True)
        root_values, root = linalg.eigh((S + S.mT) / 2)
        with same_draws():
            e = torch.randn(samples, *z.shape, generator=generator, dtype=z.dtype, device=z.device)
        moved = torch.einsum("ncd,snd->snc", root * root_values.clamp(min=0).sqrt()[:, None, :], e)
        return torch.softmax(z + moved, -1).mean(0)

    def sample(self, k: int, *, generator: Any = None) -> Any:
        """k draws of the parameters: a tree like params, with a first dimension of k.

        Kronecker factors are sampled through their eigenvectors."""
        p = self.parameters
        with same_draws():
            e = torch.randn(
                p.size, k, generator=generator, dtype=p.leaves[0].dtype, device=p.leaves[0].device
            )
        scale = self._scale(self.noise)
        if self._kron is not None:
            moved = self._kron.rooted(e, self.prior_precision * scale) * scale**0.5
        elif self._dense is not None:
            moved = linalg.solve_triangular(self._root(self.prior_precision, self.noise).mT, e, upper=True)
        else:
            moved = e * (self._values.clamp(min=0)[:, None] / scale + self.prior_precision).rsqrt()
        draws = p.split((p.flat(p.leaves)[:, None] + moved).mT)
        return p.of(draws)

    def optimize_prior(self, steps: int = 100, lr: float = 0.1) -> Posterior:
        """Sets the prior precision, and of a regression the noise, to where so many steps of Adam on their logarithms
        lead the marginal likelihood; returns itself."""
        dtype = self.parameters.leaves[0].dtype
        logs = torch.tensor([math.log(float(self.prior_precision)), math.log(float(self.noise))], dtype=dtype)
        moving = torch.tensor([1.0, float(self.likelihood == "regression")], dtype=dtype)
        slope = grad(lambda t: -self.log_marginal_likelihood(torch.exp(t[0]), torch.exp(t[1])))
        m, v = torch.zeros_like(logs), torch.zeros_like(logs)
        for i in range(1, steps + 1):
            g = slope(logs) * moving
            m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
            logs = logs - lr * (m / (1 - 0.9**i)) / ((v / (1 - 0.999**i)).sqrt() + 1e-8)
        self.prior_precision, self.noise = (x.item() for x in torch.exp(logs))
        return self
