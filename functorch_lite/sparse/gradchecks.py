"""gradcheck of functions of sparse tensors: by way of their values."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from .._core.api import functions as torch
from .compressed import SparseCompressed
from .tensors import SparseCoo, SparseTensor

__all__ = ["as_sparse_gradcheck"]


def as_sparse_gradcheck(gradcheck: Callable) -> Callable:
    """gradcheck that accepts functions that take or return sparse tensors. masked=True checks the stored elements
    only; otherwise all elements are checked.

    >>> check = torch.sparse.as_sparse_gradcheck(torch.autograd.gradcheck)
    >>> x = torch.eye(2, dtype=torch.float64).to_sparse().requires_grad_()
    >>> check(lambda x: x.to_sparse_csr(), x)
    True
    """

    @functools.wraps(gradcheck)
    def checked(func: Callable, inputs: Any, **options: Any) -> Any:
        masked = options.pop("masked", False)
        given = inputs if isinstance(inputs, list | tuple) else (inputs,)
        forms = [
            (x if masked else _filled(x)) if isinstance(x, SparseTensor) and x.requires_grad else None
            for x in given
        ]
        values = [
            x if form is None else form._numbers.detach().requires_grad_() for x, form in zip(given, forms)
        ]

        def of_values(*arguments: Any, **more: Any) -> Any:
            sparse = [x if form is None else form._with(x) for x, form in zip(arguments, forms)]
            found = func(*sparse, **more)
            if isinstance(found, list | tuple):
                return type(found)([_dense(x) for x in found])
            return _dense(found)

        return gradcheck(of_values, tuple(values), **options)

    return checked


def _dense(x: Any) -> Any:
    return x.to_dense() if isinstance(x, SparseTensor) else x


def _filled(x: Any) -> Any:
    """Returns the same tensor, holding all of its elements."""
    everywhere = torch.ones(tuple(x.shape), dtype=torch.bool)
    if isinstance(x, SparseCoo):
        full = everywhere.to_sparse(x.sparse_dim())
    else:
        assert isinstance(x, SparseCompressed)
        blocksize = x._block() if x._blocked() else None
        full = everywhere.to_sparse(layout=x.layout, blocksize=blocksize, dense_dim=x.dense_dim())
    return x.detach().to_dense().sparse_mask(full)
