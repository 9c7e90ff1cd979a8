"""Older ways to make tensors: torch.Tensor(2, 3), torch.FloatTensor([1.0]), x.new(2, 3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import Size, Tensor, UntypedStorage, composite, dtypes, to_size
from .._core.api import functions as torch
from .data import tensor


def construct(kind: dtypes.dtype | None, device: Any, args: tuple) -> Tensor:
    """Makes the tensor of `torch.FloatTensor(*args)`: of sizes, of a sequence, of a tensor (which it aliases), or an
    empty one."""
    d = dtypes.default_dtype() if kind is None else kind
    if not args:
        return torch.empty(0, dtype=d, device=device)
    first = args[0]
    if isinstance(first, Tensor) and len(args) == 1 and not (first.ndim == 0 and first.dtype.category <= 1):
        if kind is not None and first.dtype is not kind:
            raise TypeError(f"expected a tensor of {kind} (got {first.dtype})")
        return first.detach()
    if isinstance(first, Size) and len(args) == 1:
        return torch.empty(first, dtype=d, device=device)
    if isinstance(first, float | complex):
        raise TypeError(f"new(): data must be a sequence (got {type(first).__name__})")
    if isinstance(first, list | tuple | np.ndarray | range) and len(args) == 1:
        return tensor(first, dtype=d, device=device)
    return torch.empty(to_size(args, "new", "size", 1), dtype=d, device=device)


def _new_tensor(cls, *args, device=None, **kwargs):
    if kwargs or (len(args) > 1 and isinstance(args[0], Tensor)):
        got = [type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()]
        raise TypeError(
            f"new() received an invalid combination of arguments - got ({', '.join(got)}), but expected a storage, a tensor, sizes, or "
            "data, and device"
        )
    if cls is not Tensor:
        data = args[0] if args and isinstance(args[0], Tensor) else construct(None, device, args)
        return Tensor._make_subclass(cls, data.detach())  # type: ignore[attr-defined]
    return construct(None, device, args)


Tensor.__new__ = staticmethod(_new_tensor)  # type: ignore[method-assign]


Tensor.__init__ = lambda self, *args, **kwargs: None  # type: ignore[method-assign]


@composite(namespace="Tensor", method=True)
def new(self: Tensor, *args, size=None, device=None) -> Tensor:
    """A tensor of this dtype and device, of sizes, of data or of a storage: `x.new(2, 3)`, `x.new([1, 2])`,
    `x.new(y.storage())`.

    >>> torch.ones(2).new([1, 2])
    tensor([1., 2.])
    """
    if size is not None:
        args = (*args, Size(size))
    if len(args) == 1 and isinstance(getattr(args[0], "_untyped", args[0]), UntypedStorage):
        return self.new_empty(0).set_(args[0])  # type: ignore[attr-defined]
    return construct(self.dtype, self.device if device is None else device, args)
