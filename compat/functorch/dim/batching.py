"""Public functions with first-class dimensions: they are batched over them, or work along the ones that are given as
`dim`.

A function of single elements broadcasts: its tensors get their dimensions in one order. A function that works along
dimensions receives their positions in the underlying tensor. All others run under a `vmap` for each dimension.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from functorch_lite._core.api import Tensor as Plain
from functorch_lite._core.api import name_of
from functorch_lite.func import vmap
from functorch_lite.func._trees import flatten, unflatten
from functorch_lite.nested.base import is_pointwise, writes_in_place

from .base import (
    HANDLERS,
    Dim,
    DimensionMismatchError,
    FirstClass,
    dims_of,
    has,
    parts,
    place_of,
    without,
    wrapped,
)
from .lists import flat

__all__ = ["aligned", "batched", "call", "positive"]

_ON_DATA = frozenset(
    """
    is_floating_point is_complex is_signed is_conj is_neg is_inference is_pinned get_device element_size requires_grad_ retain_grad
    register_hook contiguous resolve_conj resolve_neg
    """.split()
)
"""Functions of a tensor as a whole, to which it makes no difference which dimensions are first-class."""


def call(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Calls a public function with arguments some of which have first-class dimensions."""
    name = (name_of(func) or func.__name__).rpartition(".")[2]
    if name in _ON_DATA:
        return _on_data(func, args, kwargs)
    found = _given_dims(func, name, args, kwargs)
    if found is not None:
        return _along(func, name, *found)
    if is_pointwise(name) and not (name == "where" and len(args) + len(kwargs) < 3):
        return _pointwise(func, name, args, kwargs)
    return batched(func, args, kwargs)


# -- functions of single elements ------------------------------------------------------------------------------------


def aligned(x: Any, order: Sequence[Dim], ndim: int) -> Any:
    """The plain tensor of x, with dimensions in this order, of size 1 where it lacks them, and so many positional ones;
    a plain tensor as it is."""
    data, dims = parts(x)
    if not dims:
        return data
    positional = data.ndim - len(dims)
    data = _in_order(x, order)
    if len(dims) == len(order) and positional == ndim:
        return data
    sizes = [d.size if has(dims, d) else 1 for d in order]
    return data.reshape((*sizes, *(1,) * (ndim - positional), *data.shape[len(dims) :]))


def _pointwise(func: Callable, name: str, args: tuple, kwargs: dict) -> Any:
    leaves, structure = flatten((args, kwargs))
    tensors = [x for x in leaves if isinstance(x, Plain)]
    if _depends_on_ranks(tensors):
        return batched(func, args, kwargs)
    ndim = max(x.ndim for x in tensors)
    order = dims_of(*tensors)
    target = None
    if writes_in_place(name):
        target = args[0]
        own = target.dims if isinstance(target, FirstClass) else ()
        if len(own) != len(order) or target.ndim < ndim:
            raise RuntimeError(
                f"vmap: inplace arithmetic(self, *extra_args) is not possible because an argument of {name} has dimensions, {order}, that "
                f"self lacks, which has {own}: use the function that does not write in place"
            )
        order = own
    elif "out" in kwargs:
        raise NotImplementedError(f"{name}(out=) with first-class dimensions: assign to out[i, j] instead")
    held = [aligned(x, order, ndim) if isinstance(x, Plain) else x for x in leaves]
    made_args, made_kwargs = unflatten(structure, held)
    result = func(*made_args, **made_kwargs)
    if target is not None:
        return target
    return _rewrapped(result, order)


def _depends_on_ranks(tensors: list) -> bool:
    """Returns whether the dtype of the result follows from which tensors have no positional dimension, which what they hold
    does not say."""
    if not any(isinstance(x, FirstClass) and not x.ndim for x in tensors):
        return False
    dtypes = {x.dtype for x in tensors}
    whole = {d for d in dtypes if d.category == 1}
    return len(whole) > 1 or len({d for d in dtypes if d.category > 1}) > 1


def _rewrapped(result: Any, dims: Sequence[Dim]) -> Any:
    leaves, structure = flatten(result)
    return unflatten(structure, [wrapped(x, dims) if isinstance(x, Plain) else x for x in leaves])


# -- functions that work along dimensions ----------------------------------------------------------------------------

_ALONG = frozenset(
    """
    sum mean amax amin max min argmax argmin prod std var std_mean var_mean all any logsumexp softmax log_softmax softmin cumsum cumprod
    logcumsumexp cummax cummin sort argsort median nanmedian mode norm nansum nanmean normalize aminmax count_nonzero flip topk kthvalue
    """.split()
)
"""Functions of one tensor that take each other dimension for a batch."""


@cache
def _parameter_of_dims(func: Callable, name: str) -> tuple[int, str, bool] | None:
    """Finds the parameter of a function that says in which dimensions it works: its place and name, and whether it
    takes all arguments from there."""
    if name in ("max", "min"):
        return 1, "dim", False
    try:
        params = inspect.signature(func).parameters
    except (TypeError, ValueError):
        return None
    for place, (key, p) in enumerate(params.items()):
        if key in ("dim", "dims", "dims_args"):
            return place, key.removesuffix("_args"), p.kind is p.VAR_POSITIONAL
    return None


def _given_dims(func: Callable, name: str, args: tuple, kwargs: dict) -> tuple | None:
    """(tensor, dimensions, how the function is called with another tensor and numbers of dimensions), where a
    first-class one is given."""
    parameter = _parameter_of_dims(func, name)
    if parameter is None or not args:
        return None
    place, key, all_others = parameter
    if key not in kwargs and len(args) <= place:
        return None
    if all_others and len(args) > place + 1:
        args = (*args[:place], args[place:])
    given = kwargs[key] if key in kwargs else args[place]
    named = flat(given)
    if not any(isinstance(d, Dim) for d in named):
        return None
    if not isinstance(args[0], Plain):
        raise TypeError(
            f"{name}: {named} are dimensions of one tensor; several are joined by cat and stack of functorch.dim"
        )
    if kwargs.get("keepdim") or kwargs.get("keepdims"):
        raise ValueError("cannot preserve first-class dimensions with keepdim=True")

    def with_numbers(tensor: Any, numbers: list[int]) -> tuple[tuple, dict]:
        dim = numbers[0] if isinstance(given, Dim) else tuple(numbers)
        if key in kwargs:
            return (tensor, *args[1:]), {**kwargs, key: dim}
        return (tensor, *args[1:place], dim, *args[place + 1 :]), kwargs

    return args[0], named, with_numbers


def _along(func: Callable, name: str, x: Any, named: list, with_numbers: Callable) -> Any:
    data, dims = parts(x)
    chosen = [d for d in named if isinstance(d, Dim)]
    for d in chosen:
        if not has(dims, d):
            levels = [*map(str, dims), *map(str, range(-x.ndim, 0))]
            raise ValueError(f"Tensor with dimensions {levels} does not contain {d}")
    args, kwargs = with_numbers(None, [0] * len(named))
    direct = name in _ALONG and not any(isinstance(t, FirstClass) for t in flatten((args, kwargs))[0])
    if direct:
        n = len(dims)
        numbers = [place_of(d, dims) if isinstance(d, Dim) else n + positive(d, data.ndim - n) for d in named]
        args, kwargs = with_numbers(data, numbers)
        result, before, kept = func(*args, **kwargs), data.ndim, dims
    else:  # the others become a batch, and these the first positional ones
        moved = x.order(*chosen)
        numbers = [
            place_of(d, chosen) if isinstance(d, Dim) else len(chosen) + positive(d, x.ndim) for d in named
        ]
        args, kwargs = with_numbers(moved, numbers)
        result, before, kept = func(*args, **kwargs), moved.ndim, tuple(chosen)

    def bound(r: Any) -> Any:
        if r.ndim == before - len(named):
            return wrapped(r, without(dims, chosen)) if direct else r
        if r.ndim != before or any(has(chosen, d) for d in dims_of(r)):
            raise DimensionMismatchError(
                f"{name}: cannot locate the dimensions of the result, because it has {r.ndim} dimensions and the argument has {before}; make {chosen} positional with order() first"
            )
        for d, n in zip(kept, r.shape):
            if d.size != n:
                raise DimensionMismatchError(
                    f"{name}: its result has the size {n} along {d}, which is of size {d.size}: make {d} positional with order() first"
                )
        return wrapped(r, dims) if direct else r[kept]

    leaves, structure = flatten(result)
    return unflatten(structure, [bound(r) if isinstance(r, Plain) else r for r in leaves])


def positive(dim: int, ndim: int) -> int:
    """The number of a positional dimension, counted from the front; IndexError if there is none."""
    if not -ndim <= dim < ndim:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})"
        )
    return dim % ndim


# -- all others ------------------------------------------------------------------------------------------------------


def _on_data(func: Callable, args: tuple, kwargs: dict) -> Any:
    data, dims = parts(args[0])
    result = func(data, *args[1:], **kwargs)
    if result is data:
        return args[0]
    return wrapped(result, dims) if isinstance(result, Plain) else result


def batched(func: Callable, args: tuple, kwargs: dict) -> Any:
    """Calls a function under a vmap for each first-class dimension of its arguments; it draws other numbers for each
    place."""
    leaves, structure = flatten((args, kwargs))
    places = [k for k, x in enumerate(leaves) if isinstance(x, Plain)]
    order = dims_of(*[leaves[k] for k in places])
    held = [_in_order(leaves[k], order) for k in places]
    shape: list = []

    def run(*tensors: Any) -> tuple:
        full = list(leaves)
        for k, t in zip(places, tensors):
            full[k] = t
        run_args, run_kwargs = unflatten(structure, full)
        found, made = flatten(func(*run_args, **run_kwargs))
        shape[:] = [found, made]
        return tuple([x for x in found if isinstance(x, Plain)])

    mapped = run
    for d in reversed(order):
        in_dims = tuple([0 if has(dims_of(leaves[k]), d) else None for k in places])
        mapped = vmap(mapped, in_dims=in_dims, randomness="different")
    results = iter(mapped(*held))
    found, made = shape
    return unflatten(made, [wrapped(next(results), order) if isinstance(x, Plain) else x for x in found])


def _in_order(x: Any, order: Sequence[Dim]) -> Any:
    data, dims = parts(x)
    places = [place_of(d, dims) for d in order if has(dims, d)]
    if places == list(range(len(dims))):
        return data
    return data.permute(*places, *range(len(dims), data.ndim))


HANDLERS["*"] = call
HANDLERS["numel"] = lambda func, args, kwargs: args[0].numel()
