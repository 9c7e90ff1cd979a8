"""Samples of nn/functional/pool.py and nn/functional/adaptive_pool.py."""

from __future__ import annotations

import math

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(104)


def _f(*shape, dtype=np.float32):
    """Distinct values, so that no window has two maxima."""
    return (_rng.permutation(math.prod(shape)).reshape(shape) * 0.1 - 1).astype(dtype)


_INDICES = {"return_indices": True}
_TIES = np.array([[[1, 2, 2, 1], [2, 2, 1, 1], [0, 0, 5, 5], [0, 0, 5, 5]]], np.float32)

SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.max_pool1d": [
        Sample(T(_f(2, 3, 6)), 2),
        Sample(T(_f(3, 7)), 3, 2, 1),
        Sample(T(_f(2, 7)), 3, stride=2, ceil_mode=True),
        Sample(T(_f(2, 2, 7)), 2, 1, dilation=3),
        Sample(T(_f(2, 6)), 2, **_INDICES),
        Sample(T(_f(4)), 2).raises(RuntimeError, "max_pool1d: Expected 2D or 3D (batch mode) tensor"),
        Sample(T(_f(1, 4)), 2, padding=2).raises(
            RuntimeError, "max_pool1d() padding should be at most half of kernel size"
        ),
        Sample(T(_f(1, 4)), 6).raises(RuntimeError, "max_pool1d() Invalid computed output size: 0"),
    ],
    "nn.functional.max_pool2d": [
        Sample(T(_f(2, 2, 4, 4)), 2),
        Sample(T(_f(2, 5, 4, dtype=np.float64)), (3, 2), (2, 1), 1),
        Sample(T(_f(1, 2, 5, 5)), 2, ceil_mode=True),
        Sample(T(_f(1, 2, 5, 5)), 2, 1, dilation=2),
        Sample(T(_f(2, 2, 5, 5)), 3, 2, 1, **_INDICES),
        Sample(T(_TIES), 2),
        Sample(T(_TIES), 2, **_INDICES),
        Sample(T(_TIES), 3, 1, 1),
        Sample(T(np.arange(16).reshape(1, 4, 4)), 2),
        Sample(T(_f(0, 2, 4, 4)), 2),
        Sample(T(_f(4, 4)), 2).raises(
            RuntimeError, "non-empty 3D or 4D (batch mode) tensor expected for input"
        ),
        Sample(T(_f(1, 4, 4)), (2, 2, 2)).raises(
            RuntimeError, "max_pool2d: kernel_size must either be a single int, or a tuple of two ints"
        ),
        Sample(T(_f(1, 4, 4)), 2, padding=2).raises(
            RuntimeError, "pad should be at most half of effective kernel size"
        ),
        Sample(T(_f(1, 4, 4)), 6).raises(
            RuntimeError, "Given input size: (1x4x4). Calculated output size: (1x0x0)."
        ),
    ],
    "nn.functional.max_pool3d": [
        Sample(T(_f(1, 2, 4, 4, 2)), 2),
        Sample(T(_f(2, 3, 4, 3)), (1, 2, 3), 1, (0, 1, 1)),
        Sample(T(_f(1, 3, 3, 3)), 2, 1, **_INDICES),
    ],
    "nn.functional.avg_pool1d": [
        Sample(T(_f(2, 3, 6)), 2),
        Sample(T(_f(3, 7)), 3, 2, 1),
        Sample(T(_f(3, 7)), 3, 2, 1, True, False),
        Sample(T(_f(4)), 2).raises(RuntimeError, "Expected 2 to 3 dimensions, but got 1-dimensional tensor"),
    ],
    "nn.functional.avg_pool2d": [
        Sample(T(_f(2, 2, 4, 4)), 2),
        Sample(T(_f(2, 5, 4, dtype=np.float64)), (3, 2), (2, 1), 1),
        Sample(T(_f(1, 2, 5, 5)), 3, 2, 1, True, False),
        Sample(T(_f(1, 2, 5, 5)), 2, ceil_mode=True),
        Sample(T(_f(1, 2, 5, 5)), 2, 1, divisor_override=3),
        Sample(T(np.arange(16).reshape(1, 4, 4) - 8), 2),
        Sample(T(_f(4, 4)), 2).raises(IndexError, "Dimension out of range"),
        Sample(T(_f(1, 4, 4)), 2, divisor_override=0).raises(RuntimeError, "divisor must be not zero"),
    ],
    "nn.functional.avg_pool3d": [
        Sample(T(_f(1, 2, 4, 4, 2)), 2),
        Sample(T(_f(2, 3, 4, 3)), (1, 2, 3), 1, (0, 1, 1), count_include_pad=False),
    ],
    "nn.functional.lp_pool1d": [
        Sample(T(_f(2, 3, 6) + 2), 2, 2),
        Sample(T(_f(3, 6) + 2), 3.0, 3, stride=2, ceil_mode=True),
        Sample(T(np.arange(12).reshape(2, 6)), 2, 3),
    ],
    "nn.functional.lp_pool2d": [
        Sample(T(_f(2, 2, 4, 4) + 2), 2, 2),
        Sample(T(_f(2, 4, 4) + 2), 1.5, (2, 1), stride=1),
        Sample(T(_f(2, 4, 4) + 2), float("inf"), 2),
        Sample(T(_f(2, 4, 4)), float("-inf"), 2),
        Sample(T(np.arange(16).reshape(1, 4, 4) % 3 == 0), 2, 2),
    ],
    "nn.functional.lp_pool3d": [Sample(T(_f(1, 2, 2, 4, 2) + 2), 2, 2)],
    "nn.functional.adaptive_avg_pool1d": [
        Sample(T(_f(2, 3, 6)), 2),
        Sample(T(_f(3, 7)), 3),
        Sample(T(_f(3, 3)), 5),
        Sample(T(_f(4)), 2).raises(RuntimeError, "Expected 2 to 3 dimensions, but got 1-dimensional tensor"),
    ],
    "nn.functional.adaptive_avg_pool2d": [
        Sample(T(_f(2, 2, 4, 4)), 2),
        Sample(T(_f(2, 5, 4, dtype=np.float64)), (3, 1)),
        Sample(T(_f(2, 5, 4)), (None, 3)),
        Sample(T(_f(2, 5, 4)), 1),
        Sample(T(np.arange(6.0, dtype=np.float32).reshape(2, 3)), 1),
        Sample(T(np.arange(3.0, dtype=np.float32)), 1).raises(IndexError, "Dimension out of range"),
        Sample(T(_f(4, 4)), 2).raises(
            RuntimeError, "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got [4, 4]"
        ),
    ],
    "nn.functional.adaptive_avg_pool3d": [Sample(T(_f(1, 2, 4, 3, 2)), (2, 2, 1))],
    "nn.functional.adaptive_max_pool1d": [
        Sample(T(_f(2, 3, 6)), 2),
        Sample(T(_f(3, 7)), 3),
        Sample(T(_f(3, 7)), 4, **_INDICES),
    ],
    "nn.functional.adaptive_max_pool2d": [
        Sample(T(_f(2, 2, 4, 4)), 2),
        Sample(T(_f(2, 5, 4)), (3, 3)),
        Sample(T(_f(1, 2, 5, 5)), (3, 2), **_INDICES),
        Sample(T(_TIES), 2, **_INDICES),
        Sample(T(_f(4, 4)), 2).raises(
            RuntimeError, "adaptive_max_pool2d(): Expected 3D or 4D tensor, but got: [4, 4]"
        ),
    ],
    "nn.functional.adaptive_max_pool3d": [Sample(T(_f(1, 2, 4, 3, 2)), (2, 2, 1), **_INDICES)],
}
