"""Samples of the private ops of nn/functional/attention.py and of nn/functional/embedding_bag.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(223)


def _f(*shape, dtype=np.float32):
    return _rng.normal(size=shape).astype(dtype)


_KEY = T(np.array([1, 2], np.uint32))
_I, _OFFSETS = T(np.array([0, 2, 2, 1, 3])), T(np.array([0, 3, 3]))
_ONCE = {"gradgrad": False, "why": "PyTorch has no second derivative of embedding_bag"}

_SCORES = _f(2, 3, 4, dtype=np.float64)
_MASKED = np.where(np.arange(4) > 1, -np.inf, _f(2, 3, 4)).astype(np.float32)

SAMPLES: dict[str, list[Sample]] = {
    "nn.functional._weigh": [
        Sample(T(_SCORES), T(_f(2, 4, 2, dtype=np.float64))),
        Sample(T(_MASKED), T(_f(2, 4, 2))).options(differences=False, why="scores of -inf"),
    ],
    "nn.functional._dropped_attention": [
        Sample(T(_f(3, 4)), T(_f(3, 4)), T(_f(3, 2)), None, _KEY, 0.25, True, scale=0.5),
    ],
    "nn.functional._embedding_bag": [
        Sample(_I, T(_f(4, 3)), _OFFSETS).options(**_ONCE),
        Sample(_I, T(_f(4, 3, dtype=np.float64)), _OFFSETS, T(_f(5, dtype=np.float64)), "sum").options(
            **_ONCE
        ),
        Sample(_I, T(_f(4, 3)), _OFFSETS, None, "max").options(**_ONCE),
        Sample(_I, T(_f(4, 3)), T(np.array([0, 2, 5])), None, "mean", False, True, 2).options(**_ONCE),
        Sample(T(_f(2)), T(_f(4, 3)), T(np.array([0]))).raises(
            RuntimeError,
            "Expected tensor for argument #1 'indices' to have one of the following scalar types",
        ),
        Sample(_I, T(_f(4, 3)), _OFFSETS, padding_idx=4).raises(
            RuntimeError, "padding_idx must be within the number of embeddings, -4 through 3, but got 4"
        ),
    ],
    "nn.functional._renormed_rows": [
        Sample(T(_f(4, 3), grad=False), _I, 1.0, 2.0),
        Sample(T(_f(4, 3), grad=False), T(np.array([[0, 1]])), 0.5, 1.0),
        Sample(T(_f(4, 3), grad=False), T(np.array([1])), 0.5, float("inf")),
    ],
    "nn.functional._equal_parts": [
        Sample(T(_f(2, 6, dtype=np.float64)), 3),
        Sample(T(_f(3, 1, 4)), 2),
    ],
    "nn.functional._softmax_attention": [
        Sample(T(_f(3, 4)), T(_f(3, 4)), T(_f(3, 2)), [T(_f(3, 3))], "add", None, None, scale=0.5),
        Sample(
            T(_f(3, 4)),
            T(_f(3, 4)),
            T(_f(3, 2)),
            [
                T(_f(3, 3)),
                T(_f(1)),
                T(_f(3, 3) > 0),
                T(np.float32(-3e38), grad=False),
                T(_f(3, 1) + 3),
                T(np.float32(-1e38), grad=False),
            ],
            "times maximum keep over clamp",
            _KEY,
            0.25,
        ),
    ],
}
