"""Samples of nn/functional/linear.py and nn/functional/distance.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(102)


def _f(*shape, dtype=np.float32):
    return _rng.normal(size=shape).astype(dtype)


SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.linear": [
        Sample(T(_f(2, 3)), T(_f(4, 3)), T(_f(4))),
        Sample(T(_f(2, 3)), T(_f(4, 3))),
        Sample(T(_f(3, dtype=np.float64)), T(_f(4, 3, dtype=np.float64)), bias=T(_f(4, dtype=np.float64))),
        Sample(T(_f(2, 2, 3)), T(_f(4, 3)), T(_f(4))),
        Sample(T(_f(2, 3)), T(_f(3))),
        Sample(T(_f(0, 3)), T(_f(4, 3)), T(_f(4))),
        Sample(T(np.arange(6).reshape(2, 3)), T(np.arange(3).reshape(1, 3))),
        Sample(T(_f(2, 3), dtype="bfloat16", grad=False), T(_f(4, 3), dtype="bfloat16", grad=False)),
        Sample(T(_f(2, 3)), T(_f(4, 5))).raises(
            RuntimeError, "mat1 and mat2 shapes cannot be multiplied (2x3 and 5x4)"
        ),
        Sample(T(_f(2, 3)), T(_f(4, 3, dtype=np.float64))).raises(
            RuntimeError, "to have the same dtype, but got"
        ),
        Sample(T(_f(2, 3)), T(_f(4, 3)), T(_f(5))).raises(
            RuntimeError, "The expanded size of the tensor (4) must match the existing size (5)"
        ),
    ],
    "nn.functional.bilinear": [
        Sample(T(_f(2, 3)), T(_f(2, 4)), T(_f(5, 3, 4)), T(_f(5))),
        Sample(T(_f(2, 3)), T(_f(2, 4)), T(_f(5, 3, 4))),
        Sample(T(_f(3)), T(_f(4)), T(_f(2, 3, 4)), T(_f(2))),
        Sample(T(_f(2, 2, 3)), T(_f(2, 2, 4)), T(_f(2, 3, 4))),
        Sample(T(_f(2, 3)), T(_f(2, 4)), T(_f(5, 3, 3))).raises(
            RuntimeError, "bilinear(): input2 size does not match weight size: got 4 but expected 3"
        ),
        Sample(T(_f(2, 3)), T(_f(3, 4)), T(_f(5, 3, 4))).raises(
            RuntimeError, "bilinear(): input batch dimensions do not match at dim 0: got 2 and 3"
        ),
    ],
    "nn.functional.cosine_similarity": [
        Sample(T(_f(3, 4)), T(_f(3, 4))),
        Sample(T(_f(3, 4)), T(_f(4)), dim=-1),
        Sample(T(_f(3, 1, 4)), T(_f(2, 4)), 2),
        Sample(T(_f(4)), T(_f(4)), dim=0, eps=1e-3),
        Sample(T(_f(3, 4)), T(_f(3, 4, dtype=np.float64))),
        Sample(T(np.array([[1e-4, 2e-4]], np.float32)), T(_f(1, 2)), 1, 0.1).options(
            gradgrad=False, differences=False, why="torch clamps the norm outside of the derivative"
        ),
        Sample(T(_f(3, 4)), T(_f(3, 5))).raises(RuntimeError, "The size of tensor a (4) must match"),
        Sample(T(np.ones((2, 2), int)), T(np.ones((2, 2), int))).raises(
            RuntimeError, "expected common dtype to be floating point, yet common dtype is Long"
        ),
    ],
    "nn.functional.pairwise_distance": [
        Sample(T(_f(3, 4)), T(_f(3, 4))),
        Sample(T(_f(3, 4)), T(_f(4)), 1.0),
        Sample(T(_f(3, 4)), T(_f(3, 4)), p=3.0, keepdim=True),
        Sample(T(_f(3, 4)), T(_f(3, 4)), p=float("inf")),
        Sample(T(_f(4)), T(_f(4)), eps=0.1),
        Sample(T(_f(3, 4)), T(_f(2, 4))).raises(RuntimeError, "The size of tensor a (3) must match"),
    ],
    "nn.functional.pdist": [
        Sample(T(_f(4, 3))).options(gradgrad=False, why="torch has no second derivative of pdist"),
        Sample(T(_f(4, 3)), 1.0).options(gradgrad=False, why="torch has no second derivative of pdist"),
        Sample(T(_f(3, 2)), p=3.0).options(gradgrad=False, why="torch has no second derivative of pdist"),
        Sample(T(_f(3, 2)), p=float("inf")).options(
            gradgrad=False, why="torch has no second derivative of pdist"
        ),
        Sample(T(_f(1, 2))).options(gradgrad=False, why="torch has no second derivative of pdist"),
        Sample(T(_f(3))).raises(RuntimeError, "pdist only supports 2D tensors, got: 1D"),
        Sample(T(_f(3, 2)), -1.0).raises(RuntimeError, "pdist only supports non-negative p values"),
    ],
}
