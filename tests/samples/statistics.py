"""Samples of functorch_lite/ops/statistics.py, ops/differences.py and tensors/statistics.py."""

from __future__ import annotations

import numpy as np

from functorch_lite._core.words.dtypes import DTYPES
from tests.samples.base import Sample, T

_rng = np.random.default_rng(51)


def _floats(*shape, dtype=np.float32):
    return _rng.uniform(-2.0, 2.0, shape).astype(dtype)


def _complex(*shape):
    return (_rng.uniform(-1, 1, shape) + 1j * _rng.uniform(-1, 1, shape)).astype(np.complex64)


_integers = np.array([[1, 5, 2], [4, 0, 3]], np.int64)
_counts = T(np.array([1, 2, 1, 3], np.int64))
_weights = T(np.array([0.1, 0.4, 0.2, 0.5], np.float32), grad=False)
_points = np.array([0.0, 1.0, 2.5, 3.0, 5.0], np.float32)
_matrix = np.array([[3.0, 1.0, -2.0], [0.5, 0.2, 0.1]], np.float32)


def _segments(*args, **kwargs) -> Sample:
    return Sample(*args, **kwargs).options(gradgrad=False, why="torch has no second derivative of it")


SAMPLES: dict[str, list[Sample]] = {
    "cov": [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(2, 4, dtype=np.float64)), correction=0, fweights=_counts),
        Sample(T(_floats(2, 4)), aweights=_weights),
        Sample(T(_floats(2, 4)), fweights=_counts, aweights=_weights, correction=2),
        Sample(T(_floats(5))),
        Sample(T(_integers)),
        Sample(T(_complex(2, 3))),
        Sample(T(_floats(2, 3)), correction=5).options(grad=False, gradgrad=False, why="infinite"),
        Sample(T(_floats(2, 2, 2))).raises(RuntimeError, "expected input to have two or fewer dimensions"),
        Sample(T(np.array([True, False]))).raises(RuntimeError, "bool dtype is not supported"),
        Sample(T(_floats(2, 4)), fweights=_weights).raises(
            RuntimeError, "cov(): expected fweights to have integral dtype but got fweights with Float dtype"
        ),
        Sample(T(_floats(2, 3)), aweights=_weights).raises(
            RuntimeError,
            "cov(): expected aweights to have the same numel as there are observations in the input but got 4 != 3",
        ),
    ],
    "corrcoef": [
        Sample(T(_floats(3, 4, dtype=np.float64))),
        Sample(T(_floats(2, 5))),
        Sample(T(_complex(2, 3))).options(
            gradgrad=False, why="torch's second gradient of a real part is nan"
        ),
        Sample(T(_integers)),
        Sample(T(_floats(2, 2, 2))).raises(RuntimeError, "corrcoef(): expected input to have two or fewer"),
    ],
    "renorm": [
        Sample(T(_matrix), 2, 0, 1.0),
        Sample(T(_matrix), 1, -1, 2.0),
        Sample(T(_floats(2, 3, 2, dtype=np.float64)), 2.5, 1, 1.0),
        Sample(T(_complex(2, 3)), 2, 0, 0.5),
        Sample(T(_matrix, dtype="bfloat16", grad=False), 2, 0, 1.0),
        Sample(T(_floats(3)), 2, 0, 1.0).raises(
            RuntimeError, "renorm: input needs at least 2 dimensions, got 1"
        ),
        Sample(T(_matrix), 0, 0, 1.0).raises(RuntimeError, "renorm: non-positive-norm not supported"),
        Sample(T(_matrix), 2, 0, -1.0).raises(RuntimeError, "renorm: expected maxnorm to be >= 0 but got -1"),
        Sample(T(_integers), 2, 0, 1.0).raises(
            RuntimeError, "Expected a floating point or complex tensor as input"
        ),
    ],
    "hash_tensor": [
        Sample(T(_floats(2, 3), grad=False)),
        Sample(T(_floats(2, 3, dtype=np.float64), grad=False), 1, keepdim=True),
        Sample(T(_integers), (0,)),
        Sample(T(_integers), None),
        Sample(T(np.array([-1, 2], np.int8))),
        Sample(T(_complex(2))).raises(
            NotImplementedError, "\"xor_sum_cpu\" not implemented for 'ComplexFloat'"
        ),
    ],
    "nonzero_static": [
        Sample(T(np.array([[1, 0, 3], [0, 2, 0]])), size=4),
        Sample(T(np.array([[1.0, 0.0], [0.0, 2.0]]), grad=False), size=1, fill_value=7),
        Sample(T(np.array(True)), size=2),
        Sample(T(_integers), size=-1).raises(RuntimeError, "'size' must be an non-negative integer"),
    ],
    "segment_reduce": [
        _segments(T(_floats(6)), reduce, lengths=T(np.array([2, 1, 3] if reduce == "mean" else [2, 0, 4])))
        for reduce in ("sum", "mean", "max", "min", "prod")
    ]
    + [
        _segments(T(_floats(2, 5)), "sum", lengths=T(np.array([[1, 4], [3, 2]])), axis=1),
        _segments(T(_floats(5, 2)), "mean", offsets=T(np.array([0, 2, 2, 5])), initial=2.0),
        _segments(T(np.array([1.0, 3.0, 3.0, 0.0, 2.0, 0.0])), "max", lengths=T(np.array([3, 3]))),
        _segments(
            T(np.array([1.0, 3.0, 3.0, 0.0, 2.0, 0.0])), "min", lengths=T(np.array([3, 3])), initial=5.0
        ),
        Sample(T(_floats(4)), "foo", lengths=T(np.array([4]))).raises(
            RuntimeError, "reduce argument must be either"
        ),
        Sample(T(_floats(4)), "sum").raises(RuntimeError, "Either lengths or offsets must be defined"),
        Sample(T(np.arange(4)), "sum", lengths=T(np.array([4]))).raises(
            NotImplementedError, "\"_segment_reduce_cpu\" not implemented for 'Long'"
        ),
    ],
    "_gradient": [Sample(T(_floats(3, 4)), None, 0.5, 1, 1), Sample(T(_floats(5)), T(_points), 1, 0, 2)],
    "gradient": [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4, dtype=np.float64)), spacing=(2.0, 0.5), edge_order=2),
        Sample(T(_floats(5, 3)), spacing=[T(_points)], dim=0),
        Sample(T(_floats(5)), spacing=[T(_points)], edge_order=2),
        Sample(T(_integers), spacing=2, dim=-1),
        Sample(T(_complex(4)), dim=(0,)),
        Sample(T(_floats(2)), edge_order=2).raises(
            RuntimeError, "expected each dimension size to be at least"
        ),
        Sample(T(_floats(3)), edge_order=3).raises(
            RuntimeError, "only supports edge_order=1 and edge_order=2"
        ),
        Sample(T(_floats(3, 3)), spacing=(1.0,)).raises(RuntimeError, "but got a list of length 1"),
        Sample(T(np.arange(4, dtype=np.uint8))).raises(RuntimeError, "does not support uint8 input"),
        Sample(T(np.array([True, False]))).raises(RuntimeError, "with two bool tensors is not supported"),
    ],
    "combinations": [
        Sample(T(_floats(4))),
        Sample(T(_floats(3)), 3),
        Sample(T(np.arange(3)), 2, True),
        Sample(T(_floats(2)), 3),
        Sample(T(_floats(2)), 0).options(grad=False, gradgrad=False, why="nothing of the input is in it"),
        Sample(T(_floats(2, 2))).raises(RuntimeError, "Expect a 1D vector, but got shape [2, 2]"),
        Sample(T(_floats(2)), -1).raises(RuntimeError, "Expect a non-negative number, but got -1"),
    ],
    "unravel_index": [
        Sample(T(np.array([5, 1, 7])), (2, 3)),
        Sample(T(np.array(-1)), (2, 3)),
        Sample(T(np.array([3])), 6),
        Sample(T(_floats(2)), (2, 3)).raises(
            TypeError, "expected 'indices' to be integer dtype, but got torch.float32"
        ),
        Sample(T(np.array([3])), (2, -3)).raises(
            ValueError, "'shape' cannot have negative values, but got (2, -3)"
        ),
    ],
    "frobenius_norm": [
        Sample(T(_floats(2, 3)), 1),
        Sample(T(_floats(2, 3)), (0, 1), True),
        Sample(T(_floats(2, 3)), ()),
    ],
    "nuclear_norm": [
        Sample(T(_matrix)).options(gradgrad=False, why="of singular values: see linalg.svd"),
        Sample(T(_matrix), True).options(gradgrad=False, why="of singular values: see linalg.svd"),
        Sample(T(_floats(2, 3, 2)), (0, 2)).options(gradgrad=False, why="of singular values: see linalg.svd"),
        Sample(T(_floats(3))).raises(RuntimeError, "The input tensor A must have at least 2 dimensions"),
    ],
    "norm_except_dim": [
        Sample(T(_floats(2, 3, 2))),
        Sample(T(_matrix), 2, 1),
        Sample(T(_matrix), 1, -1),
        Sample(T(np.zeros((0, 3)))).raises(
            RuntimeError, "cannot reshape tensor of 0 elements into shape [0, -1]"
        ),
    ],
    "range": [Sample(1, 4), Sample(0, 1, 0.25), Sample(3, 1, -1, dtype=DTYPES["int64"])],
}
