"""Curvature of a loss over data: Hessians, Gauss-Newton and Fisher matrices as operators, their properties, and
solvers.

Sources and conventions: docs/curvature.md. PyTorch has none of it."""

from ...api_names import listed
from .kronecker import EKFAC, KFAC
from .lanczos import eigsh
from .of_data import GGN, EmpiricalFisher, FisherMC, Hessian, Jacobian
from .operators import identity
from .products import ggnvp, hvp, vhp
from .solvers import inverse, solve
from .traces import diagonal, frobenius_norm_squared, logdet, spectral_density, trace

__all__ = [
    "EKFAC", "GGN", "KFAC", "EmpiricalFisher", "FisherMC", "Hessian", "Jacobian", "diagonal", "eigsh", "frobenius_norm_squared", "ggnvp", "hvp",
    "identity", "inverse", "logdet", "solve", "spectral_density", "trace", "vhp",
]  # fmt: skip
__dir__ = listed(__name__)
