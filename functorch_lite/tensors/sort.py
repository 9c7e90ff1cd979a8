"""Sorting, and places among what is sorted: which overloads torch has."""

from __future__ import annotations

import inspect

from .._core.api import Tensor, composite, invalid_combination
from .over_ops import over, plain_op


@over("sort", "argsort", method=True)
def _stable(name, plain):
    """With `stable`, `dim` and `descending` must be keywords; argsort has `out=` only together with it."""

    def fn(input, *placed, **named):
        stable = "stable" in named
        if (placed and stable) or (name == "argsort" and named.get("out") is not None and not stable):
            raise invalid_combination(name, input, *placed, *named.values())
        return plain(input, *placed, **named)

    fn.__signature__ = inspect.signature(plain)  # type: ignore[attr-defined]
    return fn


_bucketize = plain_op("bucketize")


@composite
def bucketize(input, boundaries, *, out_int32: bool = False, right: bool = False, out=None) -> Tensor:
    """The index of the bucket between 1-D sorted `boundaries` that each value of `input` falls into; of a number not
    into `out=`.

    Shape of input, int64 or int32. RuntimeError for boundaries that are not 1-D.

    >>> torch.bucketize(torch.tensor([0., 2., 5.]), torch.tensor([1., 3.]))
    tensor([0, 1, 2])
    """
    if out is not None and not isinstance(input, Tensor):
        raise invalid_combination("bucketize", input, boundaries, out)
    return _bucketize(input, boundaries, out_int32=out_int32, right=right, out=out)
