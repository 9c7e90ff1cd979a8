"""Samples of nn/functional/sparse.py and nn/functional/dropout.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(107)


def _f(*shape, dtype=np.float32):
    return _rng.normal(size=shape).astype(dtype)


_KEY = T(np.array([1, 2], np.uint32))

_PADDED = {"differences": False, "why": "the row of padding_idx gets no gradient, by definition"}

SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.embedding": [
        Sample(T(np.array([[0, 2], [2, 1]])), T(_f(3, 4))),
        Sample(T(np.array([0, 2, 2], np.int32)), T(_f(3, 4, dtype=np.float64))),
        Sample(T(np.array([0, 2, 1])), T(_f(3, 4)), padding_idx=2).options(**_PADDED),
        Sample(T(np.array([0, 2, 1])), T(_f(3, 4)), -1).options(**_PADDED),
        Sample(T(np.array(1)), T(_f(3, 4))),
        Sample(T(np.array([0, 2, 2])), T(_f(3, 4)), None, None, 2.0, True).options(
            differences=False,
            gradgrad=False,
            why="gradients are scaled by definition; torch's second ones are not",
        ),
        Sample(T(_f(2)), T(_f(3, 4))).raises(RuntimeError, "Expected tensor for argument #1 'indices'"),
        Sample(T(np.array([1])), T(_f(3))).raises(RuntimeError, "'weight' must be 2-D"),
        Sample(T(np.array([1])), T(_f(3, 4)), padding_idx=3).raises(
            AssertionError, "Padding_idx must be within num_embeddings"
        ),
    ],
    "nn.functional.one_hot": [
        Sample(T(np.array([0, 2, 1])), 3),
        Sample(T(np.array([[0, 2], [1, 1]])), num_classes=4),
        Sample(T(np.array(1)), 2),
        Sample(T(np.array([0, 1], np.int32)), 3).raises(
            RuntimeError, "one_hot is only applicable to index tensor of type LongTensor."
        ),
    ],
    "nn.functional._one_hot_inferred": [Sample(T(np.array([0, 2, 1])))],
    "nn.functional._dropout": [
        Sample(T(_f(3, 4)), _KEY, 0.5),
        Sample(T(_f(3, 4)), _KEY, 0.0),
        Sample(T(_f(3, 4)), _KEY, 1.0),
    ],
    "nn.functional._feature_dropout": [Sample(T(_f(2, 3, 4)), _KEY, 0.5), Sample(T(_f(2, 3, 4)), _KEY, 1.0)],
    "nn.functional._alpha_dropout": [Sample(T(_f(3, 4)), _KEY, 0.5), Sample(T(_f(3, 4)), _KEY, 1.0)],
    "nn.functional._feature_alpha_dropout": [Sample(T(_f(2, 3, 4)), _KEY, 0.5)],
}
