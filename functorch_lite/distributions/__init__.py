"""torch.distributions: distributions with parameters as tensors, transforms between them, and their divergences."""

from __future__ import annotations

import sys
import types
from importlib.machinery import ModuleSpec

from ..api_names import close, listed
from . import constraint_registry as constraint_registry
from . import constraints as constraints
from . import kl as _kl
from . import kl_between as kl_between
from . import multivariate as _multivariate
from . import transforms as _transforms
from . import transforms_of_events
from . import utils as utils
from .categorical import (
    Categorical,
    ExpRelaxedCategorical,
    LogitRelaxedBernoulli,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from .constraint_registry import biject_to, transform_to
from .discrete import Bernoulli, Binomial, ContinuousBernoulli, Geometric, NegativeBinomial, Poisson
from .distribution import Distribution, ExponentialFamily, Independent
from .gammas import Beta, Chi2, Dirichlet, Exponential, FisherSnedecor, Gamma, VonMises
from .kl import kl_divergence, register_kl
from .location_scale import Cauchy, GeneralizedPareto, Laplace, Normal, StudentT, Uniform
from .mixture import MixtureSameFamily
from .multivariate import LKJCholesky, LowRankMultivariateNormal, MultivariateNormal, Wishart
from .transformed import (
    Gumbel,
    HalfCauchy,
    HalfNormal,
    InverseGamma,
    Kumaraswamy,
    LogisticNormal,
    LogNormal,
    Pareto,
    TransformedDistribution,
    Weibull,
)
from .transforms import *  # noqa: F403
from .transforms_of_events import *  # noqa: F403

__all__ = [  # noqa: F405
    "AbsTransform", "AffineTransform", "Bernoulli", "Beta", "Binomial", "CatTransform", "Categorical", "Cauchy", "Chi2",
    "ComposeTransform", "ContinuousBernoulli", "CorrCholeskyTransform", "CumulativeDistributionTransform", "Dirichlet", "Distribution",
    "ExpTransform", "Exponential", "ExponentialFamily", "FisherSnedecor", "Gamma", "GeneralizedPareto", "Geometric", "Gumbel",
    "HalfCauchy", "HalfNormal", "Independent", "IndependentTransform", "InverseGamma", "Kumaraswamy", "LKJCholesky", "Laplace",
    "LogNormal", "LogisticNormal", "LowRankMultivariateNormal", "LowerCholeskyTransform", "MixtureSameFamily", "Multinomial",
    "MultivariateNormal", "NegativeBinomial", "Normal", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Pareto", "Poisson",
    "PositiveDefiniteTransform", "PowerTransform", "RelaxedBernoulli", "RelaxedOneHotCategorical", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform", "StickBreakingTransform", "StudentT",
    "TanhTransform", "Transform", "TransformedDistribution", "Uniform", "VonMises", "Weibull", "Wishart", "biject_to",
    "identity_transform", "kl_divergence", "register_kl", "transform_to",
]  # fmt: skip

_MODULES = {
    "bernoulli": (Bernoulli,), "beta": (Beta,), "binomial": (Binomial,), "cauchy": (Cauchy,), "chi2": (Chi2,),
    "continuous_bernoulli": (ContinuousBernoulli,), "dirichlet": (Dirichlet,), "exp_family": (ExponentialFamily,),
    "exponential": (Exponential,), "fishersnedecor": (FisherSnedecor,), "gamma": (Gamma,), "generalized_pareto": (GeneralizedPareto,),
    "geometric": (Geometric,), "gumbel": (Gumbel,), "half_cauchy": (HalfCauchy,), "half_normal": (HalfNormal,),
    "independent": (Independent,), "inverse_gamma": (InverseGamma,), "kumaraswamy": (Kumaraswamy,), "laplace": (Laplace,),
    "lkj_cholesky": (LKJCholesky,), "log_normal": (LogNormal,), "logistic_normal": (LogisticNormal,),
    "lowrank_multivariate_normal": (LowRankMultivariateNormal,), "mixture_same_family": (MixtureSameFamily,),
    "multinomial": (Multinomial,), "multivariate_normal": (MultivariateNormal,), "negative_binomial": (NegativeBinomial,),
    "normal": (Normal,), "one_hot_categorical": (OneHotCategorical, OneHotCategoricalStraightThrough), "pareto": (Pareto,),
    "poisson": (Poisson,), "relaxed_bernoulli": (LogitRelaxedBernoulli, RelaxedBernoulli),
    "relaxed_categorical": (ExpRelaxedCategorical, RelaxedOneHotCategorical), "studentT": (StudentT,),
    "transformed_distribution": (TransformedDistribution,), "uniform": (Uniform,), "von_mises": (VonMises,), "weibull": (Weibull,),
    "wishart": (Wishart,),
}  # fmt: skip
"""PyTorch's module of each class, so that `from torch.distributions.normal import Normal` finds it."""

for _name, _classes in _MODULES.items():
    _module = types.ModuleType(f"{__name__}.{_name}", f"torch.distributions.{_name}")
    _module.__spec__ = ModuleSpec(_module.__name__, None)
    _module.__all__ = [_class.__name__ for _class in _classes]  # type: ignore[attr-defined]
    for _class in _classes:
        setattr(_module, _class.__name__, _class)
    sys.modules[_module.__name__] = globals()[_name] = _module
for _name, _helper in {
    "_batch_mahalanobis": _multivariate.mahalanobis,
    "_batch_mv": lambda bmat, bvec: (bmat @ bvec.unsqueeze(-1)).squeeze(-1),
    "_precision_to_scale_tril": _multivariate.factor_of_inverse,
    "_standard_normal": utils._standard_normal,
    "Distribution": Distribution,
    "constraints": constraints,
    "lazy_property": utils.lazy_property,
}.items():  # which libraries import from there
    setattr(sys.modules[f"{__name__}.multivariate_normal"], _name, _helper)
for _name in transforms_of_events.__all__:
    setattr(_transforms, _name, getattr(transforms_of_events, _name))
transforms, kl = _transforms, _kl

__dir__ = listed(
    __name__,
    *_MODULES,
    "categorical",
    "constraint_registry",
    "constraints",
    "distribution",
    "kl",
    "transforms",
    "utils",
)
close(__name__)
