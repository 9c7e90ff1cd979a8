"""Samples of the ops in functorch_lite/ops/scan.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(32)


def _floats(*shape, dtype=np.float32):
    return _rng.uniform(-2.0, 2.0, shape).astype(dtype)


def _complex(*shape):
    return (_floats(*shape) + 1j * _floats(*shape)).astype(np.complex64)


_integers = np.array([[3, -1, 2, 0], [2, 2, 0, 1]], np.int64)
_bytes = np.array([[3, 200, 100], [0, 2, 0]], np.uint8)
_bools = np.array([[True, False, True], [False, False, False]])
_ties = np.array([[1.0, 3.0, 3.0, 2.0, 5.0], [3.0, 3.0, 1.0, 1.0, 5.0]], np.float32)
_with_nan = np.array([1.0, 3.0, np.nan, 5.0, np.nan, 0.0], np.float32)
_empty = np.zeros((0, 3), np.float32)
_places = np.array([0.0, 0.5, 2.0, 2.5], np.float32)
_OUT_OF_RANGE = (IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 5)")
_ROUNDED = {"gradgrad": False, "rtol": 3e-2, "atol": 3e-2, "why": "bfloat16: torch rounds at other places"}


def _scans():
    return [
        Sample(T(_floats(3, 4)), 0),
        Sample(T(_floats(3, 4, dtype=np.float64)), -1),
        Sample(T(_floats(2, 3, 2)), 1),
        Sample(T(_floats()), 0),
        Sample(T(_empty), 0),
        Sample(T(_floats(3, 4)), 5).raises(*_OUT_OF_RANGE),
    ]


def _sums():
    return [
        *_scans(),
        Sample(T(_complex(2, 3)), 1),
        Sample(T(_integers), 1),
        Sample(T(_bytes), 0),
        Sample(T(_bools), 1),
        Sample(T(_floats(3, 4), dtype="bfloat16"), 1).options(**_ROUNDED),
    ]


def _extremes(name):
    return [
        *_scans(),
        Sample(T(_ties), 1),
        Sample(T(_with_nan), 0),
        Sample(T(_integers), 1),
        Sample(T(_bools), 0),
        Sample(T(_complex(3)), 0).raises(
            NotImplementedError, f"\"{name}_cpu\" not implemented for 'ComplexFloat'"
        ),
    ]


def _trapezoids(name):
    return [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4)), dx=0.5, dim=0),
        Sample(T(_floats(3, 4)), T(_places)),
        Sample(T(_floats(4, 3, dtype=np.float64)), T(_places.astype(np.float64)), dim=0),
        Sample(T(_floats(2, 3, 4)), T(_floats(3, 4)), dim=1),
        Sample(T(_integers)),
        Sample(T(_integers), dx=2),
        Sample(T(_integers), T(np.array([0, 1, 3, 7]))),
        Sample(T(_complex(2, 3))),
        Sample(T(_floats(2, 1))),
        Sample(T(_empty, grad=False), dim=0),
        Sample(T(_floats(3, 4)), T(_places[:3])).raises(
            RuntimeError, f"{name}: There must be one `x` value for each sample point"
        ),
        Sample(T(_bools)).raises(
            RuntimeError, f"{name}: received a bool input for `y`, but bool is not supported"
        ),
        Sample(T(_floats(3, 4)), dim=5).raises(*_OUT_OF_RANGE),
    ]


SAMPLES = {
    "cumsum": _sums(),
    "cumprod": [
        *_sums(),
        Sample(T(np.array([[2.0, 0.0, 3.0, 0.0, 4.0], [0.0, 0.0, 1.0, 2.0, 3.0]])), 1),
    ],
    "cummax": _extremes("cummax"),
    "cummin": _extremes("cummin"),
    "logcumsumexp": [
        *_scans(),
        Sample(T(_floats(3, 4) * 100), 1),
        Sample(T(_complex(2, 3)), 1),
        Sample(T(np.array([-np.inf, -np.inf, 1.0, np.inf, 2.0], np.float32), grad=False), 0),
        Sample(T(_integers), 0).raises(
            NotImplementedError, "\"logcumsumexp_out_cpu\" not implemented for 'Long'"
        ),
    ],
    "diff": [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4)), 2, 0),
        Sample(T(_floats(3, 4)), 1, 0, T(_floats(1, 4)), T(_floats(2, 4))),
        Sample(T(_floats(2, 3)), prepend=T(_integers[:, :1])),
        Sample(T(_complex(2, 3))),
        Sample(T(_integers)),
        Sample(T(_bools)),
        Sample(T(_floats(2, 3)), 0),
        Sample(T(_floats(2, 3)), 5),
        Sample(T(_floats())).raises(RuntimeError, "diff expects input to be at least one-dimensional"),
        Sample(T(_floats(2, 3)), -1).raises(RuntimeError, "order must be non-negative but got -1"),
        Sample(T(_floats(2, 3)), prepend=T(_floats(3, 1))).raises(
            RuntimeError, "diff expects the shape of tensor to prepend or append to match that of input"
        ),
    ],
    "trapezoid": _trapezoids("trapezoid"),
    "cumulative_trapezoid": _trapezoids("cumulative_trapezoid"),
}
