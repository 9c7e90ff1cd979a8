"""Samples of nn/functional/norm.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(105)


def _f(*shape, dtype=np.float32):
    return _rng.normal(size=shape).astype(dtype)


def _var(*shape):
    return T(_rng.uniform(0.5, 2, size=shape).astype(np.float32), grad=False)


def _mean(*shape):
    return T(_f(*shape), grad=False)


SAMPLES: dict[str, list[Sample]] = {
    "nn.functional._batch_norm_train": [
        Sample(T(_f(4, 3)), T(_f(3)), T(_f(3)), _mean(3), _var(3), 0.1, 1e-5),
        Sample(T(_f(2, 3, 4)), None, None, _mean(3), _var(3)),
        Sample(T(_f(2, 3, 2, 2)), T(_f(3)), T(_f(3)), None, None),
        Sample(T(_f(1, 3)), None, None, None, None).raises(
            ValueError,
            "Expected more than 1 value per channel when training, got input size torch.Size([1, 3])",
        ),
        Sample(T(_f(2, 3)), None, None, _mean(4), _var(4)).raises(
            RuntimeError, "running_mean should contain 3 elements not 4"
        ),
    ],
    "nn.functional._batch_norm_eval": [
        Sample(T(_f(4, 3)), T(_f(3)), T(_f(3)), _mean(3), _var(3), 1e-3),
        Sample(T(_f(2, 3, 2, 2)), None, None, _mean(3), _var(3)),
        Sample(T(_f(2, 3)), None, None, None, None).raises(
            RuntimeError, "running_mean must be defined in evaluation mode"
        ),
    ],
    "nn.functional._instance_norm_train": [
        Sample(T(_f(2, 3, 4)), T(_f(3)), T(_f(3)), _mean(3), _var(3), 0.2),
        Sample(T(_f(2, 3, 2, 2)), None, None, None, None),
    ],
    "nn.functional.instance_norm": [
        Sample(T(_f(2, 3, 4))),
        Sample(T(_f(2, 3, 2, 2)), weight=T(_f(3)), bias=T(_f(3)), eps=1e-3),
        Sample(T(_f(2, 3, 4)), _mean(3), _var(3), use_input_stats=False),
        Sample(T(_f(2, 3, 1))).raises(ValueError, "Expected more than 1 spatial element when training"),
        Sample(
            T(np.ones((2, 3, 4), np.float32)), T(np.ones(3, np.float32)), T(np.ones(3)), use_input_stats=False
        ).raises(RuntimeError, "expected scalar type Float but found Double"),
    ],
    "nn.functional.layer_norm": [
        Sample(T(_f(3, 4)), (4,)),
        Sample(T(_f(2, 3, 4)), (3, 4), T(_f(3, 4)), T(_f(3, 4))),
        Sample(T(_f(2, 4, dtype=np.float64)), (4,), T(_f(4, dtype=np.float64)), eps=1e-2),
        Sample(T(_f(0, 3)), (3,)),
        Sample(T(_f(3, 4), dtype="bfloat16", grad=False), (4,)),
        Sample(T(_f(2, 3)), (4,)).raises(
            RuntimeError,
            "Given normalized_shape=[4], expected input with shape [*, 4], but got input of size[2, 3]",
        ),
        Sample(T(_f(2, 3)), (3,), T(_f(4))).raises(
            RuntimeError, "Expected weight to be of same shape as normalized_shape"
        ),
    ],
    "nn.functional.rms_norm": [
        Sample(T(_f(3, 4)), (4,)),
        Sample(T(_f(2, 3, 4)), (3, 4), T(_f(3, 4)), 1e-3),
        Sample(T(_f(2, 4, dtype=np.float64)), (4,), T(_f(4, dtype=np.float64))),
        Sample(T(_f(2, 3)), (4,)).raises(
            RuntimeError, "Given normalized_shape=[4], expected input with shape [*4]"
        ),
    ],
    "nn.functional.group_norm": [
        Sample(T(_f(2, 4, 3)), 2),
        Sample(T(_f(2, 4, 2, 2)), 4, T(_f(4)), T(_f(4)), 1e-3),
        Sample(T(_f(3, 4, dtype=np.float64)), 2, T(_f(4, dtype=np.float64))),
        Sample(T(_f(2, 3)), 2).raises(
            RuntimeError, "Expected number of channels in input to be divisible by num_groups"
        ),
        Sample(T(_f(2, 4, 3)), 2, T(_f(3))).raises(
            RuntimeError, "Expected weight to be a vector of size equal to the number of channels in input"
        ),
    ],
    "nn.functional.local_response_norm": [
        Sample(T(_f(2, 4, 3)), 2),
        Sample(T(_f(2, 4, 2, 2)), 3, 0.5, 0.6, 2.0),
        Sample(T(_f(2, 3)), 2).raises(ValueError, "Expected 3D or higher dimensionality"),
    ],
}

_LEGACY = "torch's derivative is not that of its value: its window lies one channel off"
_CHANNELS = (np.arange(6) - 2 + 1j * np.arange(6)[::-1]).astype(np.complex64).reshape(1, 6, 1, 1)
SAMPLES["nn.functional._cross_map_lrn"] = [
    Sample(T(_f(2, 6, 2, 1)), size, 0.5, 0.75, 1.0).options(gradgrad=False, differences=False, why=_LEGACY)
    for size in (2, 3, 5)
]
SAMPLES["nn.functional._cross_map_lrn"] += [
    Sample(T(_CHANNELS, grad=False), 3.0, 0.5, 0.75, 1.0),
    Sample(T(np.ones((1, 2, 1, 1), np.float32)), 0, 1e-4, 0.75, 1.0).raises(
        ZeroDivisionError, "float division by zero"
    ),
    Sample(T(np.ones((1, 2, 1, 1), np.int64)), 3, 1e-4, 0.75, 1.0).raises(
        RuntimeError, "result type Float can't be cast to the desired output type Long"
    ),
]
