"""The older types of sparse tensors: `torch.sparse.FloatTensor(indices, values, size)`,
`isinstance(x, torch.sparse.DoubleTensor)`."""

from __future__ import annotations

from typing import Any

from .._core.api import Tensor
from ..storage import TensorType, typed_tensors
from .construction import sparse_coo_tensor
from .tensors import SparseCoo

__all__ = ["OLDER_TYPES"]


class _SparseType(TensorType):
    is_sparse = True

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, SparseCoo) and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        """A tensor of (indices, values), of (indices, values, size), or of a size, without elements."""
        if args and isinstance(args[0], Tensor):
            return sparse_coo_tensor(*args, device=device)
        size = args[0] if len(args) == 1 and not isinstance(args[0], int) else args or (0,)
        return sparse_coo_tensor(tuple(size), dtype=cls.dtype, device=device)


OLDER_TYPES = typed_tensors("cpu", _SparseType, "torch.sparse")
"""They, by their names."""
del OLDER_TYPES["BoolTensor"]  # PyTorch has none
