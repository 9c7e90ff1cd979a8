"""torch.sparse.mm and its kin; torch.mm, torch.matmul, torch.add … for sparse arguments."""

from __future__ import annotations

import builtins
import inspect
import sys
from typing import Any

from .._core import bind, overrides
from .._core.bind import composite
from .._core.bind import functions as torch
from ..ops._pointwise import SCALAR_NAMES
from .tensors import SparseCoo, SparseTensor, from_pattern, pattern, unsupported

__all__ = ["addmm", "log_softmax", "mm", "softmax", "sum"]


def mm(mat1: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a dense matrix or vector (dense), or of two sparse ones (sparse).

    >>> torch.sparse.mm(torch.eye(2).to_sparse(), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    if not isinstance(mat1, SparseTensor):
        return mat2.__rmatmul__(mat1) if isinstance(mat2, SparseTensor) else torch.mm(mat1, mat2)
    left = mat1.to_sparse()
    if len(left.shape) != 2 or left.dense_dim():
        unsupported("a product of more or fewer than 2 dims")
    if mat2.ndim not in (1, 2):
        raise RuntimeError(f"addmm: matrices expected, got {mat2.ndim}D tensor")
    if mat2.shape[0] != left.shape[1]:
        raise RuntimeError(_mismatch(mat1, mat2))
    if isinstance(mat2, SparseTensor):
        mask = (pattern(left).astype(int) @ pattern(mat2).astype(int)) > 0
        return from_pattern(left.to_dense() @ mat2.to_dense(), mask, mat1.layout)
    if mat2.dtype is not left.dtype:
        raise RuntimeError(
            f"expected scalar type {SCALAR_NAMES[left.dtype.name]} but found {SCALAR_NAMES[mat2.dtype.name]}"
        )
    rows, columns = left._indices().unbind(0)
    taken = mat2.index_select(0, columns)
    parts = left._values * taken if mat2.ndim == 1 else left._values.unsqueeze(1) * taken
    return torch.zeros((left.shape[0], *mat2.shape[1:]), dtype=left.dtype).index_add(0, rows, parts)


def _mismatch(mat1: Any, mat2: Any) -> str:
    """The sentence about two sizes that should be the same; each layout has its own."""
    (rows, columns), size = mat1.shape, mat2.shape[0]
    coordinates = isinstance(mat1, SparseCoo)
    if mat2.ndim == 1:
        return (
            "mv: expected self.size(-1) == vec.size(-1)"
            if coordinates
            else f"size mismatch, got input ({rows}), mat ({rows}x{columns}), vec ({size})"
        )
    if coordinates and not isinstance(mat2, SparseTensor):
        return f"addmm: Argument #3 (dense): Expected dim 0 size {columns}, got {size}"
    return f"mat1 and mat2 shapes cannot be multiplied ({rows}x{columns} and {size}x{mat2.shape[1]})"


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: float = 1, alpha: float = 1) -> Any:
    """beta * mat + alpha * (mat1 @ mat2) with a sparse mat1."""
    return mat * beta + mm(mat1, mat2) * alpha


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """The sum of all elements, or a sparse tensor of the sums along sparse dims."""
    if not isinstance(input, SparseTensor):
        return torch.sum(input, dim, dtype=dtype) if dim is not None else torch.sum(input, dtype=dtype)
    if dim is None:
        return input._values.sum(dtype=dtype)
    s = input.to_sparse()
    dims = {d % len(s.shape) for d in ([dim] if isinstance(dim, int) else dim)}
    if builtins.max(dims) >= s.sparse_dim():
        unsupported("sum() along dense dims")
    kept = [d for d in range(s.sparse_dim()) if d not in dims]
    values = s._values if dtype is None else s._values.to(dtype)
    if not kept:
        return values.sum(0)
    shape = tuple([n for d, n in enumerate(s.shape) if d not in dims])
    return SparseCoo.make(s._indices()[kept], values, shape).coalesce()


def _normalized(input: Any, dim: int, dtype: Any, log: bool) -> Any:
    if not isinstance(input, SparseTensor):
        return (torch.log_softmax if log else torch.softmax)(input, dim, dtype=dtype)
    s = input.to_sparse().coalesce()
    if s.dense_dim():
        unsupported("softmax of dense dims")
    s = s if dtype is None else s.to(dtype)
    mask = torch.tensor(pattern(s))
    dense = torch.where(mask, s.to_dense(), -float("inf"))
    made = (torch.log_softmax if log else torch.softmax)(dense, dim)
    return s._with(made[tuple(s._indices().unbind(0))])


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """softmax along dim of the elements that are kept; the others count as -inf."""
    return _normalized(input, dim, dtype, False)


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """log_softmax along dim of the elements that are kept; the others count as -inf."""
    return _normalized(input, dim, dtype, True)


# -- the functions of the torch namespace ----------------------------------------------------------------------------

_FUNCTIONS = {
    "mm": mm,
    "matmul": mm,
    "mv": mm,
    "smm": mm,
    "spmm": mm,
    "addmm": addmm,
    "add": lambda a, b, *, alpha=1: a + (b if alpha == 1 else b * alpha),
    "sub": lambda a, b, *, alpha=1: a - (b if alpha == 1 else b * alpha),
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda a: -a,
    "sum": sum,
    "t": lambda a: a.t(),
    "transpose": lambda a, dim0, dim1: a.transpose(dim0, dim1),
    "clone": lambda a: a.clone(),
}


def _route(name: str, sparse: Any) -> None:
    """Lets torch.name take sparse tensors. Done when this package is imported: nobody else pays for it."""
    dense = bind.lookup("torch", name)

    def fn(*args, **kwargs):
        if any(isinstance(a, SparseTensor) for a in args):
            return sparse(*args, **kwargs)
        if not overrides.is_on() and any(overrides.overriding(type(a)) for a in (*args, *kwargs.values())):
            overrides.turn_on()
            return fn(*args, **kwargs)  # whose code now looks for overrides
        if dense is None:
            return torch.mm(*args, **kwargs)
        return dense(*args, **kwargs)

    fn.__name__, fn.__doc__ = name, getattr(dense or sparse, "__doc__", None)
    if dense is not None:
        fn.__signature__ = inspect.signature(dense)  # type: ignore[attr-defined]
    composite(fn, name=name)
    overrides.publish("torch", name, fn)
    setattr(bind.functions, name, fn)
    facade = sys.modules.get(__name__.partition(".")[0])
    if facade is not None and name in vars(facade):
        setattr(facade, name, fn)


for _name, _sparse in _FUNCTIONS.items():
    _route(_name, _sparse)
