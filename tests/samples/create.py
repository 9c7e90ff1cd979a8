"""Samples of the ops in functorch_lite/ops/create.py. Those of the namespace "create" call torch's own functions."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(34)


def _floats(*shape, dtype=np.float32):
    return _rng.uniform(-2.0, 2.0, shape).astype(dtype)


def _complex(*shape):
    return (_floats(*shape) + 1j * _floats(*shape)).astype(np.complex64)


_integers = np.array([[3, -1, 2, 0], [2, 2, 0, 1], [1, 4, 1, 1]], np.int64)
_bytes = np.array([3, 2, 0], np.uint8)
_bools = np.array([[True, False, True], [False, True, True]])
_ROUNDING = {"rtol": 2e-5, "atol": 2e-6, "why": "cos and the Bessel function differ in their last digits"}


def _no_overflow(name):
    return (RuntimeError, f"value cannot be converted to type {name} without overflow")


def _windows(name):
    return [
        Sample(6).options(**_ROUNDING),
        Sample(7, False).options(**_ROUNDING),
        Sample(1),
        Sample(0),
        Sample(-1).raises(RuntimeError, f"{name} requires non-negative window_length, got window_length=-1"),
    ]


def _triangles(name):
    return [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(2, 3, 3, dtype=np.float64)), 1),
        Sample(T(_complex(3, 2)), -1),
        Sample(T(_integers), diagonal=5),
        Sample(T(_bools)),
        Sample(T(np.zeros((0, 3), np.float32))),
        Sample(T(_floats(3))).raises(RuntimeError, f"{name}: input tensor must have at least 2 dimensions"),
    ]


def _triangle_indices():
    return [
        Sample(3, 4),
        Sample(4, 3, 1),
        Sample(4, 3, offset=-2),
        Sample(2, 5, 9),
        Sample(0, 3),
        Sample(-1, 3).raises(RuntimeError, "row must be non-negative, got-1"),
        Sample(3, -1).raises(RuntimeError, "col must be non-negative, got-1"),
    ]


def _like():
    return [Sample(T(_floats(2, 3))), Sample(T(_integers)), Sample(T(_bools)), Sample(T(_complex()))]


SAMPLES = {
    "create.full": [
        Sample((2, 3), 1.5),
        Sample((2,), 7),
        Sample([2], True),
        Sample((), 1j),
        Sample((0, 2), 1),
        Sample((-2,), 1).raises(RuntimeError, "Trying to create tensor with negative dimension -2: [-2]"),
        Sample((2,), 1e39).raises(*_no_overflow("float")),
    ],
    "create.zeros": [Sample(2, 3), Sample((2,)), Sample(()), Sample(0)],
    "create.ones": [
        Sample(2, 3),
        Sample((2,)),
        Sample(()),
        Sample(2, -3).raises(RuntimeError, "Trying to create tensor with negative dimension -3: [2, -3]"),
    ],
    "create.full_like": [
        Sample(T(_floats(2, 3)), 2),
        Sample(T(_integers), 1.5),
        Sample(T(_bools), 3),
        Sample(T(_bytes), -1),
        Sample(T(_bytes), 300).raises(*_no_overflow("uint8_t")),
        Sample(T(_floats(2)), 1j).raises(*_no_overflow("float")),
    ],
    "create.zeros_like": _like(),
    "create.ones_like": _like(),
    "create.eye": [
        Sample(3),
        Sample(2, 4),
        Sample(3, 0),
        Sample(-1).raises(RuntimeError, "n must be greater or equal to 0, got -1"),
        Sample(2, -1).raises(RuntimeError, "m must be greater or equal to 0, got -1"),
    ],
    "create.arange": [
        Sample(5),
        Sample(1, 8, 3),
        Sample(5, 0, -2),
        Sample(0, 1, 0.1),
        Sample(2.5),
        Sample(0),
        Sample(1, 5, 0).raises(RuntimeError, "step must be nonzero"),
        Sample(1, 5, -1).raises(RuntimeError, "upper bound and lower bound inconsistent with step sign"),
        Sample(0, float("inf")).raises(RuntimeError, "unsupported range: 0 -> inf"),
    ],
    "create.linspace": [
        Sample(0, 1, 5),
        Sample(3.5, -2.0, 4),
        Sample(0.0, 1.0, 1),
        Sample(0, 1, 0),
        Sample(0, 1j, 3),
        Sample(0, 1, -1).raises(RuntimeError, "number of steps must be non-negative"),
    ],
    "create.logspace": [
        Sample(0, 2, 3).options(**_ROUNDING),
        Sample(-1.0, 1.5, 4, 2).options(**_ROUNDING),
        Sample(0, 2, 1),
        Sample(0, 1, -1).raises(RuntimeError, "number of steps must be non-negative"),
    ],
    "create.tril_indices": _triangle_indices(),
    "create.triu_indices": _triangle_indices(),
    "create.hann_window": _windows("hann_window"),
    "create.hamming_window": [
        *_windows("hamming_window"),
        Sample(5, False, 0.3, 0.6).options(**_ROUNDING),
    ],
    "create.blackman_window": _windows("blackman_window"),
    "create.bartlett_window": _windows("bartlett_window"),
    "create.kaiser_window": [
        *_windows("kaiser_window"),
        Sample(5, True, 8.0).options(**_ROUNDING),
    ],
    "tril": _triangles("tril"),
    "triu": _triangles("triu"),
    "diag": [
        Sample(T(_floats(3))),
        Sample(T(_floats(3, dtype=np.float64)), -2),
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4)), 2),
        Sample(T(_complex(3, 4)), -1),
        Sample(T(_integers), 7),
        Sample(T(_floats())).raises(RuntimeError, "diag(): Supports 1D or 2D tensors. Got 0D"),
    ],
    "diag_embed": [
        Sample(T(_floats(3))),
        Sample(T(_floats(2, 3)), 1, 0, 2),
        Sample(T(_floats(2, 3)), -1, dim1=2, dim2=0),
        Sample(T(_bools)),
        Sample(T(_floats(2, 3)), 0, 1, 1).raises(
            RuntimeError, "diagonal dimensions cannot be identical 1, 1"
        ),
        Sample(T(_floats())).raises(IndexError, "Dimension out of range"),
    ],
    "diagflat": [
        Sample(T(_floats(2, 2))),
        Sample(T(_floats(3)), -2),
        Sample(T(_integers), 1),
        Sample(T(_floats())),
    ],
    "vander": [
        Sample(T(_floats(3), grad=False)),
        Sample(T(_floats(3, dtype=np.float64), grad=False), 4, True),
        Sample(T(_complex(2), grad=False), 3),
        Sample(T(_bytes), 3),
        Sample(T(_bytes), 0),
        Sample(T(_floats(2, 2), grad=False)).raises(RuntimeError, "x must be a one-dimensional tensor."),
        Sample(T(_floats(2), grad=False), -1).raises(RuntimeError, "N must be non-negative."),
    ],
    "complex": [
        Sample(T(_floats(2, 3)), T(_floats(3))),
        Sample(T(_floats(dtype=np.float64)), T(_floats(2, dtype=np.float64))),
        Sample(T(_floats(2)), T(_floats(2, dtype=np.float64))).raises(
            RuntimeError,
            "Expected object of scalar type Float but got scalar type Double for second argument",
        ),
        Sample(T(_integers), T(_integers)).raises(
            RuntimeError, "Expected both inputs to be Half, Float or Double tensors but got Long and Long"
        ),
    ],
    "polar": [
        Sample(T(np.abs(_floats(2, 3)) + 0.5), T(_floats(3))),
        Sample(T(_floats(2, dtype=np.float64)), T(_floats(2, dtype=np.float64))),
        Sample(T(_integers), T(_integers)).raises(
            RuntimeError, "Expected both inputs to be Half, Float or Double tensors but got Long and Long"
        ),
    ],
}
