"""Samples of nn/functional/unpool.py and nn/functional/fractional_pool.py."""

from __future__ import annotations

import math

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(131)


def _f(*shape, dtype=np.float32):
    return (_rng.permutation(math.prod(shape)).reshape(shape) * 0.1 - 1).astype(dtype)


def _i(values):
    return T(np.array(values, np.int64))


SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.max_unpool1d": [
        Sample(T(_f(2, 3)), _i([[0, 2, 4], [1, 3, 5]]), 2),
        Sample(T(_f(1, 1, 2)), _i([[[1, 4]]]), 2, 3, output_size=(1, 1, 6)).options(
            vmap=False, why="reversed indices are as good, but the size is given with the batch's"
        ),
        Sample(T(_f(3)), _i([0, 2, 4]), 2).raises(
            RuntimeError,
            "Input to max_unpooling2d should be a 3d or 4d Tensor, but got a tensor with 2 dimensions",
        ),
    ],
    "nn.functional.max_unpool2d": [
        Sample(T(_f(1, 2, 2, 2)), _i([[[[0, 3], [9, 14]], [[5, 6], [8, 11]]]]), 2),
        Sample(T(_f(1, 2, 2, dtype=np.float64)), _i([[[0, 3], [10, 17]]]), 2, output_size=(5, 5)),
        Sample(T(_f(0, 1, 2, 2)), T(np.zeros((0, 1, 2, 2), np.int64)), 2),
        Sample(T(_f(1, 2, 2)), _i([[0, 1], [2, 3]]), 2).raises(
            RuntimeError, "Expected shape of indices to be same as that of the input tensor ([1, 2, 2])"
        ),
        Sample(T(_f(1, 2, 2)), T(np.zeros((1, 2, 2), np.int32)), 2).raises(
            RuntimeError, "elements in indices should be type int64 but got: Int"
        ),
        Sample(T(_f(1, 2, 2)), _i([[[0, 1], [2, 3]]]), 2, output_size=(9, 9)).raises(
            ValueError, 'invalid output_size "(9, 9)" (dim 0 must be between 2 and 6)'
        ),
    ],
    "nn.functional.max_unpool3d": [
        Sample(T(_f(1, 1, 1, 2, 1)), _i([[[[[7], [9]]]]]), 2),
    ],
    "nn.functional.fractional_max_pool2d": [
        Sample(
            T(_f(2, 2, 6, 5)), 2, (3, 2), _random_samples=T(_rng.random((2, 2, 2), np.float32), grad=False)
        ),
        Sample(
            T(_f(2, 7, 7, dtype=np.float64)),
            (3, 2),
            output_ratio=(0.5, 0.6),
            _random_samples=T(_rng.random((1, 2, 2)), grad=False),
            return_indices=True,
        ),
        Sample(
            T(_f(1, 1, 4, 4)), 2, (1, 3), _random_samples=T(np.full((1, 1, 2), 0.9, np.float32), grad=False)
        ),
        Sample(T(_f(1, 1, 4, 4)), 2).raises(
            ValueError, "fractional_max_pool2d requires specifying either an output_size or an output_ratio"
        ),
        Sample(T(_f(1, 1, 4, 4)), 2, (3, 4)).raises(
            RuntimeError, "fractional_max_pool2d(): pool width 2 too large relative to input width 4"
        ),
        Sample(T(_f(1, 1, 4, 4)), 2, 2, _random_samples=T(np.zeros((1, 1, 3), np.float32))).raises(
            RuntimeError, "Expect _random_samples.size(2) equals to 2; got 3."
        ),
    ],
    "nn.functional.fractional_max_pool3d": [
        Sample(
            T(_f(1, 2, 4, 5, 4)),
            (2, 2, 1),
            (2, 3, 2),
            _random_samples=T(_rng.random((1, 2, 3), np.float32), grad=False),
            return_indices=True,
        ),
    ],
}
