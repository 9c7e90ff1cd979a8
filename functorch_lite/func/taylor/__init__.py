"""Derivatives of high order in one pass forward: jets, Laplacians, and linear differential operators.

All are functions of functions, like the ones in torch.func: they nest with them and with each other, in any order.
PyTorch has none of them."""

from ...api_names import listed
from .jets import directional_derivatives, jet, linear_operator, mixed_partial
from .laplacians import biharmonic, divergence, hessian_diagonal, laplacian, value_grad_laplacian

__all__ = [
    "biharmonic", "directional_derivatives", "divergence", "hessian_diagonal", "jet", "laplacian", "linear_operator",
    "mixed_partial", "value_grad_laplacian",
]  # fmt: skip
__dir__ = listed(__name__)
