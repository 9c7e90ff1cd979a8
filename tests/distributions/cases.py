"""What a distribution says of itself, written once for both libraries: `facts(lib, case)` runs on functorch_lite and on
PyTorch.

The golden file tests/golden/distributions.json holds what PyTorch gives (tests/golden/make_distributions.py).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np


class Case:
    """A distribution: its class, parameters (lists become tensors that require grad), and values to ask about; skip:
    facts that are not compared."""

    def __init__(self, kind: str, values: Any = None, skip: tuple = (), dtype: str = "float64", **parameters):
        self.kind, self.values, self.parameters = kind, values, parameters
        self.skip, self.dtype = skip, dtype

    @property
    def name(self) -> str:
        return f"{self.kind}-{'-'.join(self.parameters)}"


SPD = [[2.0, 0.5, 0.1], [0.5, 1.5, 0.2], [0.1, 0.2, 1.0]]
TRIL = [[1.2, 0.0, 0.0], [0.4, 0.9, 0.0], [-0.3, 0.2, 1.1]]
SIMPLEX = [[0.2, 0.3, 0.5], [0.1, 0.7, 0.2]]
CORR = [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.48, 0.36, 0.8]]

CASES = [
    Case("Normal", [0.3, -1.2, 4.0], loc=[0.0, 1.0, -2.0], scale=[1.0, 0.5, 3.0]),
    Case("Normal", [0.3], loc=0.5, scale=[2.0]),
    Case("Laplace", [0.3, -1.2, 4.0], loc=[0.0, 1.0, -2.0], scale=[1.0, 0.5, 3.0]),
    Case("Cauchy", [0.3, -1.2, 4.0], loc=[0.0, 1.0, -2.0], scale=[1.0, 0.5, 3.0]),
    Case("StudentT", [0.3, -1.2, 4.0], df=[0.7, 1.5, 5.0], loc=[0.0, 1.0, -2.0], scale=[1.0, 0.5, 3.0]),
    Case("Uniform", [0.3, 1.0, 2.5], low=[0.0, 0.5, -2.0], high=[1.0, 1.5, 3.0]),
    Case("GeneralizedPareto", [0.3, 1.6, 2.0], loc=[0.0, 1.0, -2.0], scale=[1.0, 0.5, 9.0], concentration=[0.3, 0.0, -0.4],
         dtype="float32"),
    Case("Exponential", [0.3, 1.2, 4.0], rate=[1.0, 0.5, 3.0]),
    Case("Gamma", [0.3, 1.2, 4.0], skip=("d cdf",), concentration=[1.0, 0.5, 3.0], rate=[2.0, 0.7, 1.0]),
    Case("Chi2", [0.3, 1.2, 4.0], skip=("d cdf",), df=[1.0, 2.5, 3.0]),
    Case("Beta", [0.3, 0.6, 0.9], concentration1=[1.0, 0.5, 3.0], concentration0=[2.0, 0.7, 1.5]),
    Case("Dirichlet", SIMPLEX, concentration=[[1.0, 0.5, 3.0], [2.0, 2.5, 1.5]]),
    Case("FisherSnedecor", [0.3, 1.2, 4.0], df1=[1.0, 2.5, 3.0], df2=[1.5, 3.5, 6.0]),
    Case("VonMises", [0.3, -1.2, 3.0], loc=[0.0, 1.0, -2.0], concentration=[1.0, 0.05, 20.0]),
    Case("LogNormal", [0.3, 1.2, 4.0], loc=[0.0, 1.0, -2.0], scale=[1.0, 0.5, 1.3]),
    Case("LogisticNormal", SIMPLEX, loc=[[0.0, 1.0], [0.3, -0.5]], scale=[[1.0, 0.5], [0.7, 1.3]]),
    Case("HalfNormal", [0.3, 1.2, 4.0], scale=[1.0, 0.5, 3.0]),
    Case("HalfCauchy", [0.3, 1.2, 4.0], scale=[1.0, 0.5, 3.0]),
    Case("Gumbel", [0.3, -1.2, 4.0], loc=[0.0, 1.0, -2.0], scale=[1.0, 0.5, 3.0]),
    Case("Weibull", [0.3, 1.2, 4.0], scale=[1.0, 0.5, 3.0], concentration=[1.5, 0.7, 2.0]),
    Case("Pareto", [1.3, 1.2, 4.0], scale=[1.0, 0.5, 3.0], alpha=[0.8, 1.7, 2.5]),
    Case("InverseGamma", [0.3, 1.2, 4.0], skip=("d cdf",), concentration=[0.8, 1.7, 2.5], rate=[2.0, 0.7, 1.0]),
    Case("Kumaraswamy", [0.3, 0.6, 0.9], concentration1=[1.0, 0.5, 3.0], concentration0=[2.0, 0.7, 1.5], skip=("mode",)),
    Case("Bernoulli", [1.0, 0.0, 1.0], probs=[0.2, 0.5, 0.9]),
    Case("Bernoulli", [1.0, 0.0, 1.0], logits=[0.2, -1.5, 3.0]),
    Case("Binomial", [1.0, 0.0, 4.0], total_count=4, probs=[0.2, 0.5, 0.9]),
    Case("Binomial", [1.0, 0.0, 4.0], total_count=4, logits=[0.2, -1.5, 3.0]),
    Case("Geometric", [1.0, 0.0, 4.0], probs=[0.2, 0.5, 0.9]),
    Case("Geometric", [1.0, 0.0, 4.0], logits=[0.2, -1.5, 3.0]),
    Case("NegativeBinomial", [1.0, 0.0, 4.0], total_count=2.5, probs=[0.2, 0.5, 0.9]),
    Case("NegativeBinomial", [1.0, 0.0, 4.0], total_count=[2.5, 1.0, 3.0], logits=[0.2, -1.5, 3.0]),
    Case("Poisson", [1.0, 0.0, 4.0], rate=[0.2, 1.5, 3.0]),
    Case("ContinuousBernoulli", [0.3, 0.6, 0.9], skip=("d cdf",), probs=[0.2, 0.5, 0.9]),
    Case("ContinuousBernoulli", [0.3, 0.6, 0.9], skip=("d cdf",), logits=[0.2, -1.5, 1e-4]),
    Case("Categorical", [2, 0], probs=[[1.0, 0.5, 3.0], [2.0, 2.5, 1.5]]),
    Case("Categorical", [2, 0], logits=[[1.0, 0.5, 3.0], [2.0, -2.5, 1.5]]),
    Case("OneHotCategorical", [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], probs=[[1.0, 0.5, 3.0], [2.0, 2.5, 1.5]]),
    Case("OneHotCategorical", [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]], logits=[[1.0, 0.5, 3.0], [2.0, -2.5, 1.5]]),
    Case("Multinomial", [[1.0, 0.0, 3.0], [2.0, 1.0, 1.0]], total_count=4, probs=[[1.0, 0.5, 3.0], [2.0, 2.5, 1.5]]),
    Case("Multinomial", [[1.0, 0.0, 3.0], [2.0, 1.0, 1.0]], total_count=4, logits=[[1.0, 0.5, 3.0], [2.0, -2.5, 1.5]]),
    Case("RelaxedBernoulli", [0.3, 0.6], temperature=[0.7], probs=[0.2, 0.9]),
    Case("RelaxedBernoulli", [0.3, 0.6], temperature=[0.7], logits=[0.2, -0.9]),
    Case("RelaxedOneHotCategorical", SIMPLEX, temperature=[0.7], probs=[[1.0, 0.5, 3.0], [2.0, 2.5, 1.5]]),
    Case("MultivariateNormal", [[0.3, 1.0, -1.0], [0.0, 0.2, 0.5]], loc=[0.5, 0.0, -1.0], covariance_matrix=SPD),
    Case("MultivariateNormal", [0.3, 1.0, -1.0], loc=[[0.5, 0.0, -1.0], [0.1, 1.0, 0.0]], scale_tril=TRIL),
    Case("MultivariateNormal", [0.3, 1.0, -1.0], loc=[0.5, 0.0, -1.0], precision_matrix=[SPD, SPD]),
    Case("LowRankMultivariateNormal", [0.3, 1.0, -1.0], loc=[0.5, 0.0, -1.0], cov_factor=[[0.5, 0.1], [-0.2, 0.7], [0.3, 0.3]],
         cov_diag=[0.5, 0.9, 1.3]),
    Case("Wishart", SPD, df=[4.0, 5.5], scale_tril=TRIL),
    Case("Wishart", SPD, df=[4.0], covariance_matrix=[SPD]),
    Case("LKJCholesky", CORR, dim=3, concentration=[0.7, 1.0, 2.5]),
]  # fmt: skip

PROPERTIES = ("mean", "mode", "variance", "stddev")


def array(x) -> np.ndarray:
    return np.asarray(x.detach().numpy())


def _parameter(lib, x, dtype: str = "float64"):
    return lib.tensor(x, dtype=getattr(lib, dtype)).requires_grad_() if isinstance(x, list) else x


def _attempt(fn) -> Any:
    """A result, or the exception's name."""
    try:
        return fn()
    except NotImplementedError:
        return "NotImplementedError"


def facts(lib, case: Case) -> dict[str, Any]:
    """Everything that a distribution of `lib` tells, as arrays and strings."""
    D = lib.distributions
    given = {k: _parameter(lib, v, case.dtype) for k, v in case.parameters.items()}
    values = lib.tensor(
        case.values, dtype=lib.long if case.kind == "Categorical" else getattr(lib, case.dtype)
    )
    discrete = case.kind in DISCRETE
    if not discrete:
        values = values.requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        d = getattr(D, case.kind)(**given)
        found: dict[str, Any] = {
            "repr": repr(d), "shapes": str((d.batch_shape, d.event_shape)), "support": _attempt(lambda: type(d.support).__name__),
            "has_rsample": d.has_rsample, "enumerable": d.has_enumerate_support,
        }  # fmt: skip
        for name in PROPERTIES:
            if name not in case.skip:
                found[name] = _attempt(lambda n=name: getattr(d, n))
        found["log_prob"] = log_prob = d.log_prob(values)
        found["entropy"] = entropy = _attempt(d.entropy)
        found["cdf"] = cdf = _attempt(lambda: d.cdf(values))
        p = lib.tensor([0.1, 0.5, 0.8], dtype=getattr(lib, case.dtype))
        found["icdf"] = icdf = _attempt(lambda: d.icdf(p))
        found["support values"] = _attempt(lambda: d.enumerate_support())
        wide = d.expand((2, *d.batch_shape))
        found["expanded"], found["expanded repr"] = wide.log_prob(values), repr(wide)
        leaves = [t for t in [*given.values(), values] if getattr(t, "requires_grad", False)]
        for name, out in (("log_prob", log_prob), ("entropy", entropy), ("cdf", cdf), ("icdf", icdf)):
            if not isinstance(out, str) and out.requires_grad and f"d {name}" not in case.skip:
                grads = lib.autograd.grad(_weighted(lib, out), leaves, allow_unused=True, retain_graph=True)
                for i, g in enumerate(grads):
                    if g is not None:
                        found[f"d {name} / d {i}"] = g
    return {k: array(v) if hasattr(v, "detach") else v for k, v in found.items()}


def _weighted(lib, out):
    weights = np.linspace(0.5, 1.5, max(math.prod(out.shape), 1)).reshape(tuple(out.shape))
    return (out * lib.tensor(weights, dtype=out.dtype)).sum()


DISCRETE = (
    "Bernoulli", "Binomial", "Geometric", "NegativeBinomial", "Poisson", "Categorical", "OneHotCategorical", "Multinomial",
)  # fmt: skip


# -- divergences -------------------------------------------------------------------------------------------------------

MAKERS = {
    "Bernoulli": [{"probs": [0.2, 0.5]}, {"probs": [0.7, 1.0]}],
    "Beta": [{"concentration1": [1.5, 2.5], "concentration0": [0.7, 1.5]}, {"concentration1": [0.5, 3.5], "concentration0": [1.7, 0.5]}],
    "Binomial": [{"total_count": 4, "probs": [0.2, 0.5]}, {"total_count": 4, "probs": [0.6, 0.3]}],
    "Categorical": [{"probs": SIMPLEX}, {"probs": [[0.5, 0.2, 0.3], [0.3, 0.3, 0.4]]}],
    "Cauchy": [{"loc": [0.5, 1.0], "scale": [1.0, 2.0]}, {"loc": [-0.5, 2.0], "scale": [0.3, 1.0]}],
    "ContinuousBernoulli": [{"probs": [0.2, 0.5]}, {"probs": [0.7, 0.4]}],
    "Dirichlet": [{"concentration": [[1.0, 0.5, 3.0]]}, {"concentration": [[2.0, 2.5, 1.5]]}],
    "Exponential": [{"rate": [0.5, 2.0]}, {"rate": [1.5, 0.7]}],
    "Gamma": [{"concentration": [1.5, 3.0], "rate": [0.5, 2.0]}, {"concentration": [0.7, 2.0], "rate": [1.5, 0.7]}],
    "Geometric": [{"probs": [0.2, 0.5]}, {"probs": [0.7, 0.4]}],
    "Gumbel": [{"loc": [0.5, 1.0], "scale": [1.0, 2.0]}, {"loc": [-0.5, 2.0], "scale": [0.3, 1.0]}],
    "HalfNormal": [{"scale": [0.5, 2.0]}, {"scale": [1.5, 0.7]}],
    "Laplace": [{"loc": [0.5, 1.0], "scale": [1.0, 2.0]}, {"loc": [-0.5, 2.0], "scale": [0.3, 1.0]}],
    "LogNormal": [{"loc": [0.5, 1.0], "scale": [1.0, 2.0]}, {"loc": [-0.5, 2.0], "scale": [0.3, 1.0]}],
    "LowRankMultivariateNormal": [
        {"loc": [0.5, 0.0, -1.0], "cov_factor": [[0.5], [-0.2], [0.3]], "cov_diag": [0.5, 0.9, 1.3]},
        {"loc": [0.0, 1.0, -1.0], "cov_factor": [[0.1, 0.2], [0.7, 0.0], [0.3, -0.5]], "cov_diag": [0.8, 0.4, 1.0]},
    ],
    "MultivariateNormal": [
        {"loc": [[0.5, 0.0, -1.0], [0.1, 0.2, 0.3]], "covariance_matrix": SPD}, {"loc": [0.0, 1.0, -1.0], "scale_tril": TRIL},
    ],
    "Normal": [{"loc": [0.5, 1.0], "scale": [1.0, 2.0]}, {"loc": [-0.5, 2.0], "scale": [0.3, 1.0]}],
    "OneHotCategorical": [{"probs": SIMPLEX}, {"probs": [[0.5, 0.2, 0.3], [0.3, 0.3, 0.4]]}],
    "Pareto": [{"scale": [0.5, 1.5], "alpha": [2.5, 3.0]}, {"scale": [0.3, 2.0], "alpha": [1.5, 3.5]}],
    "Poisson": [{"rate": [0.5, 2.0]}, {"rate": [1.5, 0.7]}],
    "Uniform": [{"low": [0.2, 0.5], "high": [0.7, 0.9]}, {"low": [0.1, 0.6], "high": [0.8, 1.2]}],
    "Wishart": [{"df": [4.0], "covariance_matrix": SPD}, {"df": [5.5], "scale_tril": TRIL}],
}  # fmt: skip


def make(lib, kind: str, parameters: dict):
    """A distribution, and its parameters that require grad."""
    given = {k: _parameter(lib, v) for k, v in parameters.items()}
    return getattr(lib.distributions, kind)(**given), [v for v in given.values() if hasattr(v, "detach")]


def divergence(lib, p_kind: str, q_kind: str) -> dict[str, Any]:
    """KL(p || q) and its gradients."""
    p, leaves = make(lib, p_kind, MAKERS[p_kind][0])
    q, more = make(lib, q_kind, MAKERS[q_kind][1])
    kl = lib.distributions.kl_divergence(p, q)
    found = {"kl": kl}
    if kl.requires_grad:
        grads = lib.autograd.grad(_weighted(lib, kl), [*leaves, *more], allow_unused=True)
        found |= {f"d {i}": g for i, g in enumerate(grads) if g is not None}
    return {k: array(v) for k, v in found.items()}


def pairs(registry: dict) -> list[tuple[str, str]]:
    """The pairs that a registry of divergences has, by name, that can be made here."""
    names = [(p.__name__, q.__name__) for p, q in registry]
    return sorted((p, q) for p, q in names if p in MAKERS and q in MAKERS)


MORE_PAIRS = [("LogNormal", "LogNormal"), ("Wishart", "Wishart")]
"""Pairs whose divergence comes from a base class's."""


# -- comparing ---------------------------------------------------------------------------------------------------------

LOWER = ("scale_tril",)
"""Parameters of which only the lower triangle matters: PyTorch gives gradients above the diagonal as well."""

TOLERANCE = {"float64": 2e-8, "float32": 1e-5}
"""PyTorch's trigamma is good to 1e-9; with float32 parameters, rounding of intermediate results."""
LOOSER = {"VonMises": 2e-5, "Multinomial": 1e-7}
"""PyTorch's Bessel functions are polynomials good to 1e-7 (and cancel in the variance); its lgamma(n + 1) is in
float32."""


def assert_same(mine: dict, theirs: dict, parameters: dict, tolerance: float) -> None:
    """Compares facts with recorded ones. We may tell more gradients than PyTorch."""
    missing = set(theirs) - set(mine)
    assert not missing, f"not told: {missing}"
    for key, expected in theirs.items():
        got = mine[key]
        if not isinstance(got, np.ndarray):
            assert got == expected, key
            continue
        assert isinstance(expected, list | int | float) or expected in ("nan", "inf", "-inf"), (key, expected)
        expected = np.array(expected, dtype=np.float64)
        assert got.shape == expected.shape, (key, got.shape, expected.shape)
        if key.startswith("d ") and _is_lower(key, parameters):
            got, expected = np.tril(got), np.tril(expected)
        np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance, err_msg=key)


def _is_lower(key: str, parameters: dict) -> bool:
    names = [k for k, v in parameters.items() if isinstance(v, list)]
    i = int(key.rsplit(" ", 1)[1])
    return i < len(names) and names[i] in LOWER
