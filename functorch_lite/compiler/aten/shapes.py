"""Rules of what moves elements, adds them up, or makes tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from ... import _ops
from ..._core.api import UNSET, contiguous_format, device, float32, int64, reshapes_to_view
from ..graphs.view import example
from .emit import Emit, Pulled, rule, shape_of, val_of

ENDLESS = 2**63 - 1
"""End of a slice that goes to the end."""


def _moved(out: Any, back: Callable[[Any], Any]) -> Pulled:
    return Pulled(out, lambda g, wanted: {"input": back(g[0])})


@rule("t")
def t(e: Emit, input: Any) -> Any:
    """A matrix, transposed."""
    return _moved(e("t.default", input), lambda g: e("t.default", g))


@rule("transpose", "swapaxes", "swapdims")
def transpose(e: Emit, input: Any, dim0: int, dim1: int) -> Any:
    """Two axes exchanged."""
    return _moved(e("transpose.int", input, dim0, dim1), lambda g: e("transpose.int", g, dim0, dim1))


@rule("permute")
def permute(e: Emit, input: Any, dims: Sequence[int]) -> Any:
    """Axes in another order."""
    n = len(shape_of(input))
    at = [d % n for d in dims]
    back = [at.index(d) for d in range(n)]
    return _moved(e("permute.default", input, dims), lambda g: e("permute.default", g, back))


@rule("view", "reshape")
def view(e: Emit, input: Any, size: Any) -> Any:
    """Changes the shape. A tensor that cannot be viewed is copied first."""
    if not isinstance(size, tuple | list):
        return None
    shape = shape_of(input)
    if not _is_view(val_of(input), size):
        copy = e("clone.default", input, memory_format=contiguous_format)
        return _moved(e("_unsafe_view.default", copy, e.aval.shape), lambda g: e("view.default", g, shape))
    return _moved(e("view.default", input, size), lambda g: view_or_copy(e, g, shape))


def _is_view(t: Any, shape: Sequence[int]) -> bool:
    """Returns whether a tensor has another shape without a copy."""
    return not t._lenses or reshapes_to_view(t, "view", (tuple(shape),))


def view_or_copy(e: Emit, x: Any, shape: Sequence[int]) -> Any:
    """A reshape."""
    if not _is_view(val_of(x), shape):
        copy = e("clone.default", x, memory_format=contiguous_format)
        return e("_unsafe_view.default", copy, shape)
    return e("view.default", x, shape)


@rule("flatten")
def flatten(e: Emit, input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Axes joined."""
    return view(e, input, e.aval.shape)


@rule("unsqueeze")
def unsqueeze(e: Emit, input: Any, dim: int) -> Any:
    """Adds an axis of length 1."""
    n = len(shape_of(input)) + 1
    out = e("unsqueeze.default", input, dim % n)
    return _moved(out, lambda g: e("squeeze.dim", g, dim % n))


@rule("squeeze")
def squeeze(e: Emit, input: Any, dim: Any = UNSET) -> Any:
    """Removes axes of length 1."""
    if dim is UNSET:
        out = e("squeeze.default", input)
    else:
        out = e("squeeze.dims", input, dim) if isinstance(dim, tuple | list) else e("squeeze.dim", input, dim)
    shape = shape_of(input)
    return _moved(out, lambda g: e("view.default", g, shape))


@rule("expand", "broadcast_to")
def expand(e: Emit, input: Any, size: Sequence[int]) -> Any:
    """Axes of length 1 made longer."""
    return _moved(e("expand.default", input, size), lambda g: e.summed(g, input))


@rule("repeat")
def repeat(e: Emit, input: Any, repeats: Sequence[int]) -> Any:
    """Several times along each axis."""
    return e("repeat.default", input, repeats)


@rule("narrow")
def narrow(e: Emit, input: Any, dim: int, start: Any, length: int) -> Any:
    """A stretch of an axis."""
    if type(start) is not int:
        return None
    shape = shape_of(input)
    dim %= len(shape)
    return _slice(e, input, dim, start % max(shape[dim], 1) if start < 0 else start, start + length, 1)


@rule("slice")
def slice(
    e: Emit, input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """Every `step`th place of a stretch of an axis."""
    n = shape_of(input)[dim]
    if step < 1:
        return None
    start = 0 if start is None else start
    return _slice(e, input, dim % len(shape_of(input)), start, n if end is None else end, step)


def _slice(e: Emit, input: Any, dim: int, start: int, end: int, step: int) -> Any:
    shape = shape_of(input)
    end = ENDLESS if end >= shape[dim] and start else end
    more = [step] if step != 1 else []
    out = e("slice.Tensor", input, dim, start, end, *more)
    return _moved(out, lambda g: e("slice_backward.default", g, shape, dim, start, end, step))


@rule("select")
def select(e: Emit, input: Any, dim: int, index: Any) -> Any:
    """Selects one place of an axis."""
    if type(index) is not int:
        return None
    shape = shape_of(input)
    out = e("select.int", input, dim % len(shape), index)
    return _moved(out, lambda g: e("select_backward.default", g, shape, dim % len(shape), index))


@rule("index")
def index(e: Emit, input: Any, indices: Sequence[Any], dims: Any = None) -> Any:
    """The elements at some places."""
    at = list(range(len(indices))) if dims is None else list(dims)
    full = [None] * (max(at) + 1)
    for d, i in zip(at, indices):
        full[d] = i
    out = e("index.Tensor", input, full)

    def back(g: Any) -> Any:
        zeros = e("new_zeros.default", g, shape_of(input))
        return e("index_put.default", zeros, full, g, True)

    return _moved(out, back)


@rule("cat")
def cat(e: Emit, tensors: Sequence[Any], dim: int = 0) -> Any:
    """Joins tensors one after the other."""
    out = e("cat.default", tensors, *([dim] if dim else []))
    lengths = [shape_of(x)[dim] if shape_of(x) != (0,) else 0 for x in tensors]

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        found, at = [], 0
        for n in lengths:
            found.append(e("slice.Tensor", g[0], dim % len(shape_of(out)), at, at + n))
            at += n
        return {"tensors": found}

    return Pulled(out, pull)


@rule("stack")
def stack(e: Emit, tensors: Sequence[Any], dim: int = 0) -> Any:
    """Joins tensors along a new axis."""
    out = e("stack.default", tensors, *([dim] if dim else []))

    def pull(g: Any, wanted: Any) -> dict[str, Any]:
        return {"tensors": e.parts(e("unbind.int", g[0], *([dim] if dim else [])))}

    return Pulled(out, pull)


# -- reductions


def _dims(dim: Any) -> list[int] | None:
    if dim is UNSET or dim is None:
        return None
    return list(dim) if isinstance(dim, tuple | list) else [dim]


def _grown(e: Emit, g: Any, input: Any, dims: Sequence[int] | None, keepdim: Any) -> Any:
    """Expands a tensor that was reduced along `dims` to the shape that the reduction's input had."""
    shape = shape_of(input)
    if dims and keepdim is not True:
        for d in sorted([d % len(shape) for d in dims]):
            g = e("unsqueeze.default", g, d)
    return e("expand.default", g, shape)


@rule("sum")
def sum(e: Emit, input: Any, dim: Any = UNSET, keepdim: Any = UNSET, dtype: Any = None) -> Any:
    """A sum."""
    out = _reduced(e, "sum", ("default", "dim_IntList"), input, dim, keepdim, dtype)
    if dtype is not None:
        return out
    return _moved(out, lambda g: _grown(e, g, input, _dims(dim), keepdim))


@rule("mean")
def mean(e: Emit, input: Any, dim: Any = UNSET, keepdim: Any = UNSET, dtype: Any = None) -> Any:
    """A mean."""
    out = _reduced(e, "mean", ("default", "dim"), input, dim, keepdim, dtype)
    if dtype is not None:
        return out
    count = prod(shape_of(input)) // max(prod(shape_of(out)), 1)
    return _moved(out, lambda g: e("div.Scalar", _grown(e, g, input, _dims(dim), keepdim), count))


def _reduced(e: Emit, name: str, overloads: tuple[str, str], input: Any, dim: Any, keepdim: Any, dtype: Any) -> Any:  # fmt: skip
    more = {} if dtype is None else {"dtype": dtype}
    if _dims(dim) is None and keepdim is not True:
        return e(f"{name}.{overloads[0]}", input, **more)
    return e(f"{name}.{overloads[1]}", input, _dims(dim), *([True] if keepdim is True else []), **more)


@rule("amax", "amin")
def amax(e: Emit, input: Any, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest along axes."""
    return e(f"{e.name}.default", input, *([_dims(dim)] if dim != () or keepdim else []), *([True] if keepdim else []))  # fmt: skip


@rule("logsumexp")
def logsumexp(e: Emit, input: Any, dim: Any, keepdim: bool = False) -> Any:
    """The logarithm of the sum of exponentials."""
    return e("logsumexp.default", input, _dims(dim), *([True] if keepdim else []))


@rule("max", "min")
def max_(e: Emit, input: Any, dim: Any = UNSET, keepdim: Any = UNSET, other: Any = UNSET) -> Any:
    """The largest, of all or along an axis."""
    if other is not UNSET:
        return e(f"{e.name}.other", input, other)
    if dim is UNSET:
        return e(f"{e.name}.default", input)
    return tuple(e.parts(e(f"{e.name}.dim", input, dim, *([True] if keepdim is True else []))))


@rule("var", "std")
def var(e: Emit, input: Any, dim: Any = UNSET, unbiased: Any = UNSET, keepdim: Any = UNSET, correction: Any = None) -> Any:  # fmt: skip
    """The variance, or its root."""
    how = {} if correction is None else {"correction": correction}
    if unbiased is not UNSET:
        how = {"correction": int(unbiased)}
    elif not how and dim is not UNSET:
        how = {"correction": 1}
    more = {"keepdim": True} if keepdim is True else {}
    return e(f"{e.name}.correction", input, *([_dims(dim)] if dim is not UNSET else []), **how, **more)


@rule("prod")
def prod_(e: Emit, input: Any, dim: Any = UNSET, keepdim: Any = UNSET, dtype: Any = None) -> Any:
    """A product of numbers."""
    more = {} if dtype is None else {"dtype": dtype}
    if dim is UNSET:
        return e("prod.default", input, **more)
    return e("prod.dim_int", input, dim, *([True] if keepdim is True else []), **more)


@rule("norm", "linalg.vector_norm")
def norm(e: Emit, input: Any, p: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    """The norm of a vector, along some axes or of all numbers."""
    if dtype is not None or p == "nuc" or not isinstance(p, int | float | str):
        return None
    order = [] if p in ("fro", 2) and dim is None else [2 if p == "fro" else p]
    axes = [] if dim is None else [_dims(dim)]
    if keepdim and not axes:
        return None
    return e("linalg_vector_norm.default", input, *order, *axes, *([True] if keepdim else []))


# -- tensors that are made

_MADE = {"pin_memory": False}


def _where(e: Emit, dtype: Any, usual: Any = float32) -> dict[str, Any]:
    kind = {} if dtype in (None, UNSET) or e.aval.dtype is usual else {"dtype": e.aval.dtype}
    return {**kind, "device": device(str(e.aval.device) if e.on_device else "cpu"), **_MADE}


@rule("create.zeros", "create.ones")
def zeros(e: Emit, size: Any, dtype: Any = None) -> Any:
    """Zeros or ones."""
    return e(f"{e.name}.default", size, val=example(e.aval), **_where(e, dtype))


@rule("create.empty")
def empty(e: Emit, size: Any, dtype: Any = None) -> Any:
    """A tensor of any numbers."""
    return e("empty.memory_format", size, val=example(e.aval), **_where(e, dtype))


@rule("create.full")
def full(e: Emit, size: Any, fill_value: Any, dtype: Any = None) -> Any:
    """A tensor of one number."""
    usual = float32 if isinstance(fill_value, float) else int64
    return e("full.default", size, fill_value, val=example(e.aval), **_where(e, dtype, usual))


@rule("create.arange")
def arange(e: Emit, start: Any, step: Any, length: int, dtype: Any) -> Any:
    """Numbers at equal distances."""
    if not all(type(x) is int for x in (start, step)):
        return None
    usual = {**_where(e, dtype, int64), "val": example(e.aval)}
    if step != 1:
        return e("arange.start_step", start, start + step * length, step, **usual)
    if start:
        return e("arange.start", start, start + length, **usual)
    return e("arange.default", length, **usual)


@rule("create.zeros_like", "create.ones_like")
def ones_like(e: Emit, input: Any, dtype: Any = None) -> Any:
    """Zeros or ones in a tensor's shape."""
    given = input
    if getattr(input, "target", None) is detached() and not input.users:
        given = input.args[0]
        e.graph.erase_node(input)
    kind = {} if e.aval.dtype is val_of(given).dtype else {"dtype": e.aval.dtype}
    return e(f"{e.name}.default", given, pin_memory=False, **kind)


def detached() -> Any:
    """The op `detach` of aten."""
    return _ops.namespace("aten").detach.default
