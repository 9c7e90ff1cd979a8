"""torch.sparse: tensors of which only the elements that are not zero are kept, in coordinate (COO) or compressed (CSR, CSC, BSR, BSC) form.

What is there: construction, also of batches and with dense dims; conversion, coalescing, saving; functions that give 0 for 0; arithmetic
with numbers, dense tensors and each other; products, sums, softmax; selecting, joining, transposing; and gradients through all of it, by
way of the values. Everything else raises NotImplementedError: use `to_dense()`.
"""

from __future__ import annotations

from ..api_names import lookup_of
from . import dispatch
from . import pointwise as _pointwise  # noqa: F401  (notes what it handles)
from . import shapes as _shapes  # noqa: F401
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
from .functions import addmm, log_softmax, mm, sampled_addmm, softmax, spsolve, sum
from .gradchecks import as_sparse_gradcheck
from .tensors import SparseTensor

__all__ = [
    "SparseCompressed",
    "SparseTensor",
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "sampled_addmm",
    "softmax",
    "sparse_bsc_tensor",
    "sparse_bsr_tensor",
    "sparse_compressed_tensor",
    "sparse_coo_tensor",
    "sparse_csc_tensor",
    "sparse_csr_tensor",
    "spdiags",
    "spsolve",
    "sum",
]

dispatch.install()
__getattr__ = lookup_of(__name__)
