"""Samples of functorch_lite/ops/scatter.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T
from tests.samples.index import at
from tests.samples.views import f, i

_MEET = at([[0, 1, 0], [2, 2, 3]])
_CUT = {
    "grad": False,
    "gradgrad": False,
    "why": "torch has no derivative for a src that is larger than the index",
}


def _reductions(reduce):
    """Elements that meet, with and without those of the input; int64; three that tie."""
    samples = []
    for include_self in (True, False):
        samples += [
            Sample(f(2, 4), 1, _MEET, f(2, 3, seed=1), reduce, include_self=include_self),
            Sample(
                f(3, 4), 0, at([[0, 2], [0, 2], [0, 1]]), f(3, 2, seed=1), reduce, include_self=include_self
            ),
            Sample(i(4), 0, at([0, 0, 2]), i(3, seed=1), reduce, include_self=include_self),
        ]
    return samples


SAMPLES: dict[str, list[Sample]] = {
    "scatter": [
        Sample(f(2, 4), 1, at([[0, 1], [3, 2]]), f(2, 2, seed=1)),
        Sample(f(3, 4), 0, at([[2, 0, 1]]), f(1, 3, seed=1)),
        Sample(f(2, 4), 1, at([[0, 1], [3, 2]]), f(2, 3, seed=1)).options(**_CUT),
        Sample(f(2, 4), 1, at([[0], [3]], "int32"), 2.5),
        Sample(i(2, 4), -1, at([[0], [3]]), value=2.5),
        Sample(f(2, 4), 1, _MEET, 2.0, reduce="add").options(
            grad=False, gradgrad=False, why="torch has no derivative with reduce="
        ),
        Sample(f(2, 4), 1, _MEET, f(2, 3, seed=1), reduce="multiply").options(
            grad=False, gradgrad=False, why="torch has no derivative with reduce="
        ),
        Sample(f(), 0, at(0), f(seed=1)),
        Sample(f(2, 3), 1, at([[0], [1]]), f(1, 1)).raises(
            RuntimeError,
            "Expected index [2, 1] to be no larger than self [2, 3] apart from dimension 1 and to be no larger size than src [1, 1]",
        ),
        Sample(f(2, 3), 1, at([[0]]), f(2, 2, dtype="float32")).raises(
            RuntimeError, "scatter(): Expected self.dtype to be equal to src.dtype"
        ),
        Sample(f(2, 3), 1, at([[0]]), f(2, 2), reduce="sub").raises(
            RuntimeError, "reduce argument must be either add or multiply."
        ),
    ],
    "scatter_add": [
        Sample(f(2, 4), 1, _MEET, f(2, 3, seed=1)),
        Sample(f(3, 4), 0, at([[2, 0, 1], [2, 2, 2]]), f(2, 3, seed=1)),
        Sample(f(3, 4), 0, at([[2, 0, 1]]), f(2, 4, seed=1)).options(**_CUT),
        Sample(i(4), 0, at([0, 0]), i(2, seed=1)),
        Sample(f(2, 3), 1, at([[0]], "int16"), f(2, 2)).raises(
            RuntimeError, "scatter(): Expected dtype int32/int64 for index"
        ),
    ],
    "scatter_reduce": [
        *[s for how in ("sum", "prod", "mean", "amax", "amin") for s in _reductions(how)],
        Sample(T(np.array([[1.0, 2.0]])), 1, at([[0, 0, 0, 1]]), T(np.array([[2.0, 0.0, 3.0, 0.0]])), "prod"),
        Sample(
            T(np.array([[5.0, 2.0]])), 1, at([[0, 0, 1, 1]]), T(np.array([[5.0, 5.0, 3.0, 3.0]])), "amax"
        ).options(gradgrad=False, why="second derivatives at a tie are torch's own affair"),
        Sample(f(2, 3), 1, at([[0]]), f(2, 2), "foo").raises(
            RuntimeError, "reduce argument must be either sum, prod, mean, amax or amin, got foo"
        ),
    ],
    "index_reduce": [
        *[
            Sample(f(3, 4), d, at([2, 0, 2]), f(*shape, seed=1), how, include_self=own)
            for how in ("prod", "mean", "amax", "amin")
            for own in (True, False)
            for d, shape in ((0, (3, 4)), (1, (3, 3)))
        ],
        Sample(i(3), 0, at([1, 1]), i(2, seed=1), "mean"),
        Sample(f(2, 3), 1, at([0, 1]), f(2, 2), "sum").raises(
            RuntimeError, "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got sum."
        ),
    ],
}
