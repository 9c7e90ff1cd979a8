"""Sorting, and places among what is sorted."""

from __future__ import annotations

import inspect

import numpy as np

from .._core.api import OPS, Tensor, at_hand, bind, check, composite, invalid_combination


def _stable(name: str) -> None:
    """sort or argsort, whose `dim` and `descending` have no place beside `stable`; argsort has `out=` only beside it."""
    plain = bind.make_function(OPS[name], name)

    def fn(input, *placed, **named):
        stable = "stable" in named
        if (placed and stable) or (name == "argsort" and named.get("out") is not None and not stable):
            raise invalid_combination(name, input, *placed, *named.values())
        return plain(input, *placed, **named)

    fn.__name__, fn.__doc__ = name, plain.__doc__
    fn.__signature__ = inspect.signature(plain)  # type: ignore[attr-defined]
    composite(fn, method=True)


_stable("sort")


_stable("argsort")


_bucketize = bind.make_function(OPS["bucketize"], "bucketize")


@composite
def bucketize(input, boundaries, *, out_int32: bool = False, right: bool = False, out=None) -> Tensor:
    """The index of the bucket between 1-D sorted `boundaries` that each value of `input` falls into; of a number not into `out=`.

    Shape of input, int64 or int32. RuntimeError for boundaries that are not 1-D.

    >>> torch.bucketize(torch.tensor([0., 2., 5.]), torch.tensor([1., 3.]))
    tensor([0, 1, 2])
    """
    if out is not None and not isinstance(input, Tensor):
        raise invalid_combination("bucketize", input, boundaries, out)
    return _bucketize(input, boundaries, out_int32=out_int32, right=right, out=out)


def _within_sequence(sorter: Tensor) -> Tensor:
    known = at_hand(sorter)
    if known is not None and known.ndim and known.size and known.dtype == np.int64:
        inside = known.min() >= 0 and known.max() < known.shape[-1]
        check(inside, RuntimeError, "torch.searchsorted(): sorter index out of range")
    return sorter


OPS["searchsorted"].asks += (("isinstance(sorter, Tensor)", "sorter", _within_sequence),)
