"""torch.sparse: matrices of which only the elements that are not zero are kept, in coordinate (COO) or row (CSR) form.

What is there: construction, conversion, coalescing, products with dense matrices, sums, arithmetic between equal patterns, and
gradients through all of it. Everything else raises NotImplementedError: use `to_dense()`.
"""

from __future__ import annotations

from .construction import sparse_coo_tensor, sparse_csr_tensor
from .functions import addmm, log_softmax, mm, softmax, sum
from .tensors import SparseTensor

__all__ = [
    "SparseTensor",
    "addmm",
    "log_softmax",
    "mm",
    "softmax",
    "sparse_coo_tensor",
    "sparse_csr_tensor",
    "sum",
]
