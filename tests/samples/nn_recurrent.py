"""Samples of nn/functional/recurrence.py.
The whole networks are compared with PyTorch in tests/nn/test_rnn_parity.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(211)


def _f(*shape, dtype=np.float32):
    return (0.5 * _rng.normal(size=shape)).astype(dtype)


_D = np.float64
_LENGTHS = T(np.array([3, 1]))
_ONLY_VALUES = {"grad": False, "gradgrad": False, "why": "what is differentiated is _recall"}
_LOOKED_UP = {
    "differences": False,
    "why": "the results are given, and only looked up: they do not follow the inputs",
}


def _weights(gates: int, dtype=np.float32):
    return [T(_f(gates * 2, 3, dtype=dtype)), T(_f(gates * 2, 2, dtype=dtype)), T(_f(gates * 2, dtype=dtype))]


SAMPLES: dict[str, list[Sample]] = {
    "nn.functional._recur": [
        Sample(
            T(_f(2, 1, 12, dtype=_D)), T(_f(1, 2, dtype=_D)), T(_f(1, 3, dtype=_D)), T(_f(12, 2, dtype=_D)), None,
            T(_f(2, 3, dtype=_D)),
        ).options(**_ONLY_VALUES),
        Sample(
            T(_f(3, 2, 6)), T(_f(2, 2)), None, T(_f(6, 2)), T(_f(6)), None, _LENGTHS, mode="GRU", reverse=True
        ).options(**_ONLY_VALUES),
        Sample(T(_f(2, 2, 2)), T(_f(2, 2)), None, T(_f(2, 2)), mode="RNN_TANH").options(**_ONLY_VALUES),
    ],
    "nn.functional._recall": [
        Sample(
            T(_f(3, 2, 8)), T(_f(2, 2)), T(_f(2, 2)), T(_f(8, 2)), None, None, _LENGTHS, [T(_f(3, 2, 2)) for _ in range(6)]
        ).options(**_LOOKED_UP),
    ],
    "nn.functional._lstm_cell": [
        Sample(T(_f(2, 3, dtype=_D)), T(_f(2, 2, dtype=_D)), T(_f(2, 2, dtype=_D)), *_weights(4, _D), T(_f(8, dtype=_D))),
        Sample(T(_f(2, 3)), T(_f(2, 2)), T(_f(2, 2)), *_weights(4)[:2]),
    ],
    "nn.functional._state_cell": [
        Sample(T(_f(2, 3)), T(_f(2, 2)), *_weights(3), T(_f(6))),
        Sample(T(_f(2, 3)), T(_f(2, 2)), *_weights(1), T(_f(2)), mode="RNN_TANH"),
        Sample(T(_f(2, 3)), T(_f(2, 2)), *_weights(1)[:2], mode="RNN_RELU"),
    ],
}  # fmt: skip
