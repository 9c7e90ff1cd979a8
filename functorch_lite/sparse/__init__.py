"""torch.sparse: tensors of which only the elements that are not zero are kept, in coordinate (COO) or compressed (CSR,
CSC, BSR, BSC) form.

Supported: construction, also of batches and with dense dims; conversion, coalescing, saving; functions that map 0 to
0; arithmetic with numbers, dense tensors and each other; products, sums, softmax; selecting, joining, transposing;
and gradients through all of it, by way of the values. Everything else raises NotImplementedError: use `to_dense()`.
"""

from __future__ import annotations

from ..api_names import close, listed, lookup_of
from . import dispatch
from . import pointwise as _pointwise  # noqa: F401  (notes what it handles)
from . import shapes as _shapes  # noqa: F401
from .compressed import SparseCompressed as SparseCompressed
from .construction import (
    check_sparse_tensor_invariants,
)
from .construction import (
    sparse_bsc_tensor as sparse_bsc_tensor,
)
from .construction import (
    sparse_bsr_tensor as sparse_bsr_tensor,
)
from .construction import (
    sparse_compressed_tensor as sparse_compressed_tensor,
)
from .construction import (
    sparse_coo_tensor as sparse_coo_tensor,
)
from .construction import (
    sparse_csc_tensor as sparse_csc_tensor,
)
from .construction import (
    sparse_csr_tensor as sparse_csr_tensor,
)
from .diagonals import spdiags as spdiags
from .functions import addmm, log_softmax, mm, softmax, sum
from .functions import sampled_addmm as sampled_addmm
from .functions import spsolve as spsolve
from .gradchecks import as_sparse_gradcheck
from .older_types import OLDER_TYPES as _OLDER_TYPES
from .tensors import SparseTensor as SparseTensor

__all__ = [
    "addmm",
    "as_sparse_gradcheck",
    "check_sparse_tensor_invariants",
    "log_softmax",
    "mm",
    "softmax",
    "sum",
]
__dir__ = listed(__name__, "sampled_addmm", "spdiags", "spsolve", *_OLDER_TYPES)
globals().update(_OLDER_TYPES)

dispatch.install()
__getattr__ = lookup_of(__name__)

close(__name__)
