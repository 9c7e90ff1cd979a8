"""Samples of the ops in functorch_lite/ops/sort.py."""

from __future__ import annotations

import math

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(33)


def _floats(*shape, dtype=np.float32):
    """Distinct numbers, so that the order is not near a change."""
    n = math.prod(shape)
    return (
        ((_rng.permutation(n) - n / 2 + 0.5) * 0.3 + _rng.uniform(-0.02, 0.02, n))
        .reshape(shape)
        .astype(dtype)
    )


def _with_nan(*shape):
    array = _floats(*shape)
    array[..., 1] = np.nan
    return array


_integers = np.array([[3, -1, 2, 0], [2, 5, 0, 1], [1, 4, 6, -2]], np.int64)
_repeated = np.array([[3, 1, 1, 3], [3, 1, 1, 3], [2, 2, 2, 0]], np.int64)
_bytes = np.array([3, 200, 100, 0], np.uint8)
_bools = np.array([[True, False, True], [False, False, False]])
_complex = np.array([1 + 2j, 3 - 1j], np.complex64)
_ties = np.array([[1.0, 3.0, 3.0, 2.0], [2.0, 2.0, 2.0, 1.0]], np.float32)
_empty = np.zeros((0, 3), np.float32)
_edges = np.array([-1.0, 0.1, 0.7, 1.3], np.float32)
_edge_rows = np.sort(_floats(3, 4), axis=1)
_OUT_OF_RANGE = (IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 5)")
_NO_COMPLEX_SORT = (RuntimeError, "Sort does not support complex dtypes on CPU")


def _sorts():
    return [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4, dtype=np.float64)), 0, True),
        Sample(T(_with_nan(3, 4)), dim=1, stable=True),
        Sample(T(_ties), dim=1, descending=True, stable=True),
        Sample(T(np.array([np.nan, 1.0, -0.0, 0.0, np.inf, np.nan], np.float32)), stable=True),
        Sample(T(_integers), -2),
        Sample(T(_bools), stable=True),
        Sample(T(_floats(3, 4), dtype="bfloat16")),
        Sample(T(_floats())),
        Sample(T(_empty)),
        Sample(T(_floats(3, 4)), 5).raises(*_OUT_OF_RANGE),
        Sample(T(_complex)).raises(*_NO_COMPLEX_SORT),
    ]


def _medians(name):
    return [
        Sample(T(_floats(3, 4))),
        Sample(T(_ties)),
        Sample(T(_floats(3, 4)), 1),
        Sample(T(_floats(3, 5, dtype=np.float64)), 0, True),
        Sample(T(_with_nan(3, 4))),
        Sample(T(_with_nan(3, 4)), 1),
        Sample(T(_integers), 1),
        Sample(T(_floats()), 0),
        Sample(T(_empty), 1),
        Sample(T(_empty), 0).raises(IndexError, "median(): Expected reduction dim 0 to have non-zero size."),
        Sample(T(_bools)).raises(NotImplementedError, "\"median_cpu\" not implemented for 'Bool'"),
    ]


def _quantiles(name):
    q = np.array([0.2, 0.55, 0.9], np.float32)
    return [
        Sample(T(_floats(3, 4)), 0.3),
        Sample(T(_floats(3, 4)), T(q), 1),
        Sample(T(_floats(3, 4, dtype=np.float64)), T(q.astype(np.float64)), 0, True),
        Sample(T(_floats(2, 3, 2)), T(np.float32(0.4)), None, True),
        Sample(T(_with_nan(4, 3)), 0.3, 1),
        *[
            Sample(T(_floats(2, 4)), T(q), -1, interpolation=i)
            for i in ("lower", "higher", "nearest", "midpoint")
        ],
        Sample(T(_floats()), 0.5),
        Sample(T(_floats(3)), 1.5).raises(
            RuntimeError, "quantile() q must be in the range [0, 1] but got 1.5"
        ),
        Sample(T(_integers), 0.5).raises(
            RuntimeError, "quantile() input tensor must be either float or double dtype"
        ),
        Sample(T(_floats(3)), 0.5, interpolation="cubic").raises(
            RuntimeError,
            "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got cubic",
        ),
        Sample(T(_empty), 0.5).raises(RuntimeError, "quantile() input tensor must be non-empty"),
    ]


def _uniques():
    everything = {"return_inverse": True, "return_counts": True}
    return [
        Sample(T(_repeated)),
        Sample(T(_repeated), **everything),
        Sample(T(_repeated), dim=0, **everything),
        Sample(T(_repeated), dim=1, **everything),
        Sample(T(np.array([np.nan, 1.0, 1.0, np.nan], np.float32), grad=False), **everything),
        Sample(T(_bools), return_counts=True),
        Sample(T(np.int64(3)), **everything),
        Sample(T(np.zeros((0, 3), np.int64)), dim=0),
        Sample(T(np.zeros((0, 3), np.int64)), dim=1).raises(
            RuntimeError,
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied",
        ),
        Sample(T(_complex, grad=False)).raises(
            NotImplementedError, "\"unique\" not implemented for 'ComplexFloat'"
        ),
    ]


SAMPLES = {
    "sort": _sorts(),
    "argsort": _sorts(),
    "msort": [
        Sample(T(_floats(3, 4))),
        Sample(T(_integers)),
        Sample(T(_floats())),
        Sample(T(_complex)).raises(*_NO_COMPLEX_SORT),
    ],
    "topk": [
        Sample(T(_floats(3, 4)), 2),
        Sample(T(_floats(3, 4, dtype=np.float64)), 2, 0, False),
        Sample(T(_with_nan(3, 4)), 3, largest=True),
        Sample(T(_integers), 1, 1),
        Sample(T(_floats()), 1),
        Sample(T(_floats(3, 4)), 0),
        Sample(T(_floats(3, 4)), 5).raises(RuntimeError, "selected index k out of range"),
        Sample(T(_bools), 1).raises(RuntimeError, "topk does not support bool dtypes on CPU"),
    ],
    "kthvalue": [
        Sample(T(_floats(3, 4)), 2),
        Sample(T(_floats(3, 4, dtype=np.float64)), 3, 0, True),
        Sample(T(_with_nan(3, 4)), 4, 1),
        Sample(T(_integers), 1, keepdim=True),
        Sample(T(_floats()), 1),
        Sample(T(_floats(3, 4)), 5).raises(
            RuntimeError, "kthvalue(): selected number k out of range for dimension 1"
        ),
        Sample(T(_bools), 1).raises(NotImplementedError, "\"kthvalue_cpu\" not implemented for 'Bool'"),
    ],
    "median": _medians("median"),
    "nanmedian": _medians("nanmedian"),
    "mode": [
        Sample(T(_repeated)),
        Sample(T(_ties), 1),
        Sample(T(_ties), 0, True),
        Sample(T(np.array([np.nan, np.nan, 1.0, 1.0], np.float32))),
        Sample(T(_bools)),
        Sample(T(_floats())),
        Sample(T(_empty), 1),
        Sample(T(_empty), 0).raises(IndexError, "mode(): Expected reduction dim 0 to have non-zero size."),
        Sample(T(np.complex64(1 + 2j), grad=False)),
        Sample(T(_complex)).raises(NotImplementedError, "\"mode_cpu\" not implemented for 'ComplexFloat'"),
    ],
    "quantile": _quantiles("quantile"),
    "nanquantile": _quantiles("nanquantile"),
    "searchsorted": [
        Sample(T(_edges), T(_floats(2, 3))),
        Sample(T(_edges), T(_edges), right=True),
        Sample(T(_edges), T(_edges), side="left", out_int32=True),
        Sample(T(_edge_rows), T(_floats(3, 2))),
        Sample(T(_edges), 0.1),
        Sample(T(np.array([1, 3, 5])), 3.5),
        Sample(T(np.array([1, 3, 5])), T(_floats(2, 2))),
        Sample(T(np.array([0.0, 1.0, np.nan], np.float32)), T(np.array([np.nan, np.inf, 0.5], np.float32))),
        Sample(T(np.array([2.0, 0.5, 1.0], np.float32)), T(_floats(3)), sorter=T(np.array([1, 2, 0]))),
        Sample(T(_edges), T(_floats(3)), side="up").raises(
            RuntimeError, "torch.searchsorted(): side can only be 'left' or 'right' but got up"
        ),
        Sample(T(_edge_rows), T(_floats(4))).raises(
            RuntimeError,
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions",
        ),
        Sample(T(_complex), T(_complex)).raises(
            NotImplementedError, "\"searchsorted_out_cpu\" not implemented for 'ComplexFloat'"
        ),
    ],
    "bucketize": [
        Sample(T(_floats(2, 3)), T(_edges)),
        Sample(T(_edges), T(_edges), right=True),
        Sample(T(_integers), T(_edges), out_int32=True),
        Sample(0.5, T(_edges)),
        Sample(T(_floats(3)), T(_edge_rows)).raises(
            RuntimeError, "boundaries tensor must be 1 dimension, but got dim(2)"
        ),
    ],
    "unique": _uniques(),
    "unique_consecutive": _uniques(),
    "nonzero": [
        Sample(T(_integers)),
        Sample(T(_bools)),
        Sample(T(np.array([np.nan, 0.0, 1.0], np.float32))),
        Sample(T(np.int64(3))),
        Sample(T(_empty)),
    ],
    "bincount": [
        Sample(T(np.array([1, 1, 3]))),
        Sample(T(_bytes), minlength=300),
        Sample(T(np.array([1, 1, 3])), T(np.array([0.5, 1.0, 2.0], np.float32), grad=False)),
        Sample(T(np.array([1, 1, 3])), T(np.array([1, 2, 3])), 6),
        Sample(T(np.zeros(0, np.int64)), minlength=2),
        Sample(T(np.array([1, -1]))).raises(
            RuntimeError, "bincount only supports 1-d non-negative integral inputs."
        ),
        Sample(T(np.array([1, 2])), T(np.array([1.0]), grad=False)).raises(
            RuntimeError, "weights should be 1-d and have the same length as input"
        ),
        Sample(T(_edges, grad=False)).raises(
            NotImplementedError, "\"bincount_cpu\" not implemented for 'Float'"
        ),
    ],
    "histc": [
        Sample(T(_floats(3, 4), grad=False), 4),
        Sample(T(_floats(20, dtype=np.float64), grad=False), 5, -1, 1.5),
        Sample(T(np.array([2.0, 2.0], np.float32), grad=False), 4),
        Sample(T(np.array([1.0, np.nan], np.float32), grad=False), bins=3, min=0, max=2),
        Sample(T(_edges, grad=False), 0).raises(RuntimeError, "bins must be > 0, but got 0 for dimension 0"),
        Sample(T(_edges, grad=False), 4, 2, 1).raises(
            RuntimeError, "torch.histc: max must be larger than min"
        ),
        Sample(T(_integers), 4).raises(NotImplementedError, "\"histogram_cpu\" not implemented for 'Long'"),
    ],
}
