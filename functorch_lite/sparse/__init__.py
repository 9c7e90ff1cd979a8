"""torch.sparse: matrices of which only the elements that are not zero are kept, in coordinate (COO) or compressed (CSR, CSC, BSR, BSC) form.

What is there: construction, conversion, coalescing, products with dense matrices, sums, arithmetic between equal patterns, and
gradients through all of it. Everything else raises NotImplementedError: use `to_dense()`.
"""

from __future__ import annotations

from ..api_names import lookup_of
from .compressed import SparseCompressed
from .construction import (
    check_sparse_tensor_invariants,
    sparse_bsc_tensor,
    sparse_bsr_tensor,
    sparse_compressed_tensor,
    sparse_coo_tensor,
    sparse_csc_tensor,
    sparse_csr_tensor,
)
from .diagonals import spdiags
from .functions import addmm, log_softmax, mm, softmax, sum
from .tensors import SparseTensor

__all__ = [
    "SparseCompressed",
    "SparseTensor",
    "addmm",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "softmax",
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_coo_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "spdiags",
    "sum",
]

__getattr__ = lookup_of(__name__)
