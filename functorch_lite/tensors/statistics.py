"""Covariances, and reductions of segments, whose weights and lengths are looked at where they are at hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core.api import Tensor, at_hand, check, composite
from .over_ops import plain_op

_cov = plain_op("cov")


@composite(method=True)
def cov(input: Tensor, *, correction: int = 1, fweights=None, aweights=None) -> Tensor:
    """The covariance matrix of variables (rows) from observations (columns); a vector is one variable.

    fweights: how often each observation is counted; aweights: how much it weighs. Where the weights are at hand, negative ones and a
    sum of 0 raise; otherwise the result is then nan or wrong.

    >>> torch.cov(torch.tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    result = _cov(input, correction=correction, fweights=fweights, aweights=aweights)
    product: Any = 1
    for name, weights in (("fweights", at_hand(fweights)), ("aweights", at_hand(aweights))):
        if weights is not None:
            check((weights >= 0).all(), RuntimeError, f"cov(): {name} cannot be negative")
            product = product * weights
    given = [w for w in (fweights, aweights) if w is not None]
    if given and all(at_hand(w) is not None or not w.numel() for w in given):
        zero = np.sum(product) == 0 or not given[0].numel()
        check(not zero, RuntimeError, "cov(): weights sum to zero, can't be normalized")
    return result


_segment_reduce = plain_op("segment_reduce")


@composite
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths=None,
    indices=None,
    offsets=None,
    axis: int = 0,
    unsafe: bool = False,
    initial=None,
) -> Tensor:
    """Reduces consecutive pieces of `data` along `axis`, of the given lengths or between the given offsets.

    reduce: "sum", "mean", "prod", "max" or "min". `lengths` and `offsets` have the dims of data before `axis`, and one more. That
    lengths add up to the size of the dim is checked, unless `unsafe`, when they are at hand; otherwise what is beyond is left out.

    >>> torch.segment_reduce(torch.tensor([1.0, 2.0, 3.0]), "sum", lengths=torch.tensor([2, 1]))
    tensor([3., 3.])
    """
    result = _segment_reduce(
        data,
        reduce,
        lengths=lengths,
        indices=indices,
        offsets=offsets,
        axis=axis,
        unsafe=unsafe,
        initial=initial,
    )
    limits = at_hand(offsets) if lengths is None else None
    if limits is not None:
        check(
            (np.diff(limits) >= 0).all(),
            RuntimeError,
            "segment_reduce(): offsets must be in ascending order.",
        )
    rows = None if unsafe else at_hand(lengths)
    if rows is not None:
        check((rows >= 0).all(), RuntimeError, "lengths contains negative value!")
        check(
            (rows.sum(-1) == data.shape[rows.ndim - 1]).all(),
            RuntimeError,
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.",
        )
    return result
