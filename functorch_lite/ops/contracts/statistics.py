"""Weights of covariances, and lengths of segments, looked at where they are at hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..._core.api import at_hand, require, requirement

NEGATIVE = {
    name: requirement("RuntimeError", f"cov(): {name} cannot be negative")
    for name in ("fweights", "aweights")
}
NO_WEIGHT = requirement("RuntimeError", "cov(): weights sum to zero, can't be normalized")
NOT_ASCENDING = requirement("RuntimeError", "segment_reduce(): offsets must be in ascending order.")
NEGATIVE_LENGTH = requirement("RuntimeError", "lengths contains negative value!")
OTHER_SUM = requirement(
    "RuntimeError",
    "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when !unsafe.",
)


def look_at_weights(fweights, aweights) -> None:
    """Checks the weights of `cov`: none is negative, and their sum is not 0."""
    product: Any = 1
    for name, weights in (("fweights", at_hand(fweights)), ("aweights", at_hand(aweights))):
        if weights is not None:
            require((weights >= 0).all(), NEGATIVE[name])
            product = product * weights
    given = [w for w in (fweights, aweights) if w is not None]
    if given and all(at_hand(w) is not None or not w.numel() for w in given):
        zero = np.sum(product) == 0 or not given[0].numel()
        require(not zero, NO_WEIGHT)


def look_at_segments(data, lengths, offsets, unsafe) -> None:
    """Checks the segments of `segment_reduce`: offsets ascend, and lengths add up to the size of the dim."""
    limits = at_hand(offsets) if lengths is None else None
    if limits is not None:
        ascend = (np.diff(limits) >= 0).all()
        require(ascend, NOT_ASCENDING)
    rows = None if unsafe else at_hand(lengths)
    if rows is not None:
        require((rows >= 0).all(), NEGATIVE_LENGTH)
        require((rows.sum(-1) == data.shape[rows.ndim - 1]).all(), OTHER_SUM)
