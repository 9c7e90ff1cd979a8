"""Samples of nn/functional/ctc.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(132)


def _log_probs(*shape, dtype=np.float32):
    x = _rng.normal(size=shape)
    return (x - np.log(np.exp(x).sum(-1, keepdims=True))).astype(dtype)


def _sample(*args, **kwargs) -> Sample:
    return Sample(*args, **kwargs).options(
        gradgrad=False,
        differences=False,
        vmap=False,
        why="torch's derivative is meant to be taken on by log_softmax's, and it has no second; reversed lengths may be bad",
    )


_PADDED = np.array([[1, 2, 2], [1, 3, 0]])
_JOINED = np.array([1, 2, 2, 1, 3])
_LENGTHS = (T(np.array([5, 4])), T(np.array([3, 2])))

SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.ctc_loss": [
        _sample(T(_log_probs(5, 2, 4)), T(_PADDED), (5, 4), (3, 2)),
        _sample(T(_log_probs(5, 2, 4, dtype=np.float64)), T(_JOINED), *_LENGTHS, reduction="sum"),
        _sample(T(_log_probs(5, 2, 4)), T(_PADDED.astype(np.int32)), *_LENGTHS, 1, "none"),
        # no alignment, no target, no input
        _sample(T(_log_probs(5, 3, 4)), T(np.ones((3, 3), np.int64)), (2, 3, 0), (3, 0, 0), 0, "none"),
        _sample(T(_log_probs(5, 3, 4)), T(np.ones((3, 3), np.int64)), (2, 5, 0), (3, 3, 1), 0, "none", True),
        _sample(T(_log_probs(4, 3)), T(np.array([2, 1])), (4,), (2,), reduction="none"),
        Sample(T(_log_probs(5, 2, 4)), T(_PADDED), (5, 6), (3, 2)).raises(
            RuntimeError, "Expected input_lengths to have value at most 5, but got value 6"
        ),
        Sample(T(_log_probs(5, 2, 4)), T(_PADDED), (5, 5), (3, 4)).raises(
            RuntimeError, "Expected tensor to have size at least 4 at dimension 1, but got size 3"
        ),
        Sample(T(_log_probs(5, 2, 4)), T(_PADDED), (5, 5, 5), (3, 2)).raises(
            RuntimeError, "input_lengths must be of size batch_size"
        ),
        Sample(T(_log_probs(5, 2, 4)), T(_PADDED), (5, 5), (3, 2), 7).raises(
            RuntimeError, "blank must be in label range"
        ),
    ],
}
