"""Ops that compute one number of many, along dims."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.api import bool_, int64
from .builder import Builder, Value, dim_of, rule
from .errors import UnsupportedOperatorError
from .sizes import Size

__all__ = ["dims_of", "reduced"]


def dims_of(dim: Any, ndim: int) -> list[int]:
    """Dims, counted from the first; all of them for None and an empty list."""
    if dim is None or (isinstance(dim, list | tuple) and not dim):
        return list(range(ndim))
    return [dim_of(d, ndim) for d in (dim if isinstance(dim, list | tuple) else [dim])]


def reduced(b: Builder, op: str, x: Value, dim: Any, keepdim: bool = False) -> Value:
    """One of ONNX's reductions, along these dims."""
    dims = dims_of(dim, x.ndim)
    if not dims:
        return x
    shape = [1 if d in dims else n for d, n in enumerate(x.shape) if keepdim or d not in dims]  # type: ignore[arg-type]
    return b(op, x, b.ints(dims), keepdims=int(keepdim), shape=tuple(shape))


def _keep(given: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    return kwargs.get("keepdim", next((x for x in given if isinstance(x, bool)), False))


@rule("sum", "mean", "prod", "amax", "amin", "logsumexp")
def total(b: Builder, self: Any, dim: Any = None, *rest: Any, **kwargs: Any) -> Value:
    op = {
        "sum": "ReduceSum",
        "mean": "ReduceMean",
        "prod": "ReduceProd",
        "amax": "ReduceMax",
        "amin": "ReduceMin",
        "logsumexp": "ReduceLogSumExp",
    }[b.op]
    return reduced(b, op, b.cast(self, b.dtype), dim, _keep(rest, kwargs))


@rule("any", "all")
def any_(b: Builder, self: Any, dim: Any = None, keepdim: bool = False) -> Value:
    op = "ReduceMax" if b.op == "any" else "ReduceMin"
    return b.cast(reduced(b, op, b.cast(b.cast(self, bool_), int64), dim, keepdim), bool_)


@rule("max", "min")
def largest(b: Builder, self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    name = "Max" if b.op == "max" else "Min"
    if isinstance(dim, Value):
        return b(name, b.cast(self, b.dtype), b.cast(dim, b.dtype))
    values = reduced(b, f"Reduce{name}", self, dim, keepdim)
    if dim is None:
        return values
    return [values, b(f"Arg{name}", self, axis=dim_of(dim, self.ndim), keepdims=int(keepdim), dtype=int64)]


@rule("argmax", "argmin")
def argmax(b: Builder, self: Any, dim: Any = None, keepdim: bool = False) -> Value:
    x = self if dim is not None else b.reshape(self, (b.numel(self),))
    return b(
        "ArgMax" if b.op == "argmax" else "ArgMin",
        x,
        axis=dim_of(dim or 0, x.ndim),
        keepdims=int(keepdim),
        dtype=int64,
    )


@rule("var", "std", "var_mean", "std_mean")
def var(b: Builder, self: Any, dim: Any = None, *given: Any, **kwargs: Any) -> Any:
    others = list(given)
    first = others[0] if others and not (isinstance(others[0], bool) and len(others) > 1) else None
    if isinstance(dim, bool):
        dim, first = None, dim
    less = kwargs.get("correction", kwargs.get("unbiased", 1 if first is None else first))
    keepdim = kwargs.get("keepdim", given[1] if len(given) > 1 else False)
    mean = reduced(b, "ReduceMean", self, dim, True)
    off = b("Sub", self, mean, shape=self.shape)
    squares = reduced(b, "ReduceSum", b("Mul", off, off), dim, keepdim)
    n = b.numel(self, dims_of(dim, self.ndim)) - int(1 if less is None else less)
    out = b("Div", squares, b.cast(b.cast(n, int64) if isinstance(n, Size) else n, self.dtype))
    if b.op.startswith("std"):
        out = b("Sqrt", out)
    return [out, reduced(b, "ReduceMean", self, dim, keepdim)] if b.op.endswith("mean") else out


@rule("norm", "linalg_vector_norm")
def norm(b: Builder, self: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, **kwargs: Any) -> Value:
    ord = 2 if ord in (None, "fro") else ord
    if ord not in (1, 2):
        raise UnsupportedOperatorError(f"a norm of order {ord}")
    return reduced(b, f"ReduceL{int(ord)}", self, dim, keepdim)


@rule("softmax", "_softmax", "log_softmax", "_log_softmax")
def softmax(b: Builder, self: Any, dim: int, *rest: Any, **kwargs: Any) -> Value:
    return b("LogSoftmax" if "log" in b.op else "Softmax", b.cast(self, b.dtype), axis=dim_of(dim, self.ndim))


@rule("cumsum", "cumprod")
def cumsum(b: Builder, self: Any, dim: int, **kwargs: Any) -> Value:
    if b.op == "cumprod":
        raise UnsupportedOperatorError("a product that accumulates")
    return b("CumSum", b.cast(self, b.dtype), b.constant(dim_of(dim, self.ndim), int64))


@rule("topk")
def topk(b: Builder, self: Any, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    values, indices = b(
        "TopK",
        self,
        b.sizes([k]),
        axis=dim_of(dim, self.ndim),
        largest=int(largest),
        sorted=int(sorted),
        outputs=2,
    )
    return [values, indices._replace(dtype=int64)]


@rule("sort", "argsort")
def sort(b: Builder, self: Any, *given: Any, **kwargs: Any) -> Any:
    dim = kwargs.get("dim", next((x for x in given if type(x) is int), -1))
    down = kwargs.get("descending", next((x for x in given if isinstance(x, bool)), False))
    d = dim_of(dim, self.ndim)
    values, indices = b("TopK", self, b.sizes([self.shape[d]]), axis=d, largest=int(down), outputs=2)
    indices = indices._replace(dtype=int64)
    return indices if b.op == "argsort" else [values, indices]
