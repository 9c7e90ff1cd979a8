"""Samples of nn/functional/conv.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(103)


def _f(*shape, dtype=np.float32):
    return _rng.normal(size=shape).astype(dtype)


_D = np.float64

SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.conv1d": [
        Sample(T(_f(2, 3, 5)), T(_f(4, 3, 3)), T(_f(4))),
        Sample(T(_f(3, 5)), T(_f(4, 3, 2)), stride=2, padding=1),
        Sample(T(_f(2, 4, 5)), T(_f(4, 2, 2)), T(_f(4)), dilation=2, groups=2),
        Sample(T(_f(2, 2, 5)), T(_f(2, 2, 4)), padding="same"),
        Sample(T(_f(2, 2, 5)), T(_f(2, 2, 4)), padding="valid"),
        Sample(T(_f(1, 3, 5, 5)), T(_f(4, 3, 3))).raises(
            RuntimeError,
            "Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: [1, 3, 5, 5]",
        ),
    ],
    "nn.functional.conv2d": [
        Sample(T(_f(2, 3, 5, 5)), T(_f(4, 3, 3, 3)), T(_f(4))),
        Sample(T(_f(2, 3, 5, 4)), T(_f(4, 3, 3, 2)), stride=(2, 1), padding=(1, 0)),
        Sample(T(_f(3, 5, 5, dtype=_D)), T(_f(2, 3, 3, 3, dtype=_D)), T(_f(2, dtype=_D)), padding=1),
        Sample(T(_f(2, 4, 5, 5)), T(_f(4, 2, 2, 2)), dilation=2, groups=2),
        Sample(T(_f(2, 4, 4, 4)), T(_f(4, 1, 3, 3)), T(_f(4)), 1, 1, 1, 4),
        Sample(T(_f(1, 2, 5, 5)), T(_f(2, 2, 2, 3)), padding="same"),
        Sample(T(_f(2, 3, 4, 4)), T(_f(5, 3, 1, 1)), T(_f(5))),
        Sample(T(_f(0, 2, 4, 4)), T(_f(3, 2, 3, 3))),
        Sample(
            T(_f(1, 2, 4, 4), dtype="bfloat16", grad=False), T(_f(2, 2, 3, 3), dtype="bfloat16", grad=False)
        ),
        Sample(T(np.arange(32).reshape(1, 2, 4, 4)), T(np.arange(16).reshape(2, 2, 2, 2))),
        Sample(T(_f(1, 2, 5, 5)), T(_f(4, 3, 3, 3))).raises(
            RuntimeError,
            "Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 2, 5, 5] to have 3 channels, but got 2 "
            "channels instead",
        ),
        Sample(T(_f(1, 3, 2, 2)), T(_f(4, 3, 3, 3))).raises(
            RuntimeError, "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3)."
        ),
        Sample(T(_f(1, 3, 5, 5)), T(_f(4, 3, 3, 3)), T(_f(5))).raises(
            RuntimeError,
            "expected bias to be 1-dimensional with 4 elements, but got bias of size [5] instead",
        ),
        Sample(T(_f(1, 3, 5, 5)), T(_f(4, 3, 3, 3)), stride=2, padding="same").raises(
            RuntimeError, "padding='same' is not supported for strided convolutions"
        ),
        Sample(T(_f(1, 3, 5, 5)), T(_f(4, 3, 3, 3)), stride=0).raises(RuntimeError, "non-positive stride"),
        Sample(T(_f(1, 3, 5, 5)), T(_f(4, 3, 3, 3)), padding=(1, 1, 1)).raises(
            RuntimeError, "expected padding to be a single integer value or a list of 2 values"
        ),
        Sample(T(_f(1, 4, 5, 5)), T(_f(3, 2, 3, 3)), groups=2).raises(
            RuntimeError, "Given groups=2, expected weight to be divisible by 2 at dimension 0"
        ),
    ],
    "nn.functional.conv3d": [
        Sample(T(_f(1, 2, 3, 4, 3)), T(_f(2, 2, 2, 3, 2)), T(_f(2))),
        Sample(T(_f(2, 3, 4, 3)), T(_f(2, 2, 2, 2, 2)), stride=(1, 2, 1), padding=1),
        Sample(T(_f(1, 2, 3, 4, 3)), T(_f(2, 1, 2, 2, 2)), groups=2, padding="same"),
    ],
    "nn.functional.conv_transpose1d": [
        Sample(T(_f(2, 3, 4)), T(_f(3, 2, 3)), T(_f(2))),
        Sample(T(_f(3, 4)), T(_f(3, 2, 3)), stride=2, padding=1, output_padding=1),
        Sample(T(_f(2, 4, 4)), T(_f(4, 3, 2)), T(_f(6)), groups=2, dilation=2),
    ],
    "nn.functional.conv_transpose2d": [
        Sample(T(_f(2, 3, 3, 4)), T(_f(3, 2, 3, 2)), T(_f(2))),
        Sample(T(_f(3, 3, 3, dtype=_D)), T(_f(3, 2, 3, 3, dtype=_D)), None, 2, 1, 1),
        Sample(T(_f(2, 4, 3, 3)), T(_f(4, 3, 2, 2)), T(_f(6)), stride=(2, 1), groups=2, dilation=(1, 2)),
        Sample(T(_f(1, 2, 2, 2)), T(_f(2, 2, 2, 2)), padding=1),
        Sample(T(_f(1, 3, 5, 5)), T(_f(4, 3, 3, 3))).raises(
            RuntimeError,
            "Given transposed=1, weight of size [4, 3, 3, 3], expected input[1, 3, 5, 5] to have 4 channels",
        ),
        Sample(T(_f(1, 4, 5, 5)), T(_f(4, 3, 3, 3)), output_padding=1).raises(
            RuntimeError, "output padding must be smaller than either stride or dilation"
        ),
        Sample(T(_f(1, 4, 1, 1)), T(_f(4, 3, 3, 3)), padding=2).raises(
            RuntimeError, "Output size is too small"
        ),
    ],
    "nn.functional.conv_transpose3d": [
        Sample(T(_f(1, 2, 2, 3, 2)), T(_f(2, 2, 2, 2, 2)), T(_f(2))),
        Sample(T(_f(2, 2, 2, 2)), T(_f(2, 1, 2, 2, 2)), stride=2, padding=(1, 0, 0), groups=2),
    ],
}

SAMPLES["nn.functional.conv_tbc"] = [
    Sample(T(_f(5, 2, 3)), T(_f(2, 3, 4)), T(_f(4)), 1),
    Sample(T(_f(4, 1, 2)), T(_f(3, 2, 2)), T(_f(2))),
    Sample(T(_f(5, 2, 3)), T(_f(2, 2, 4)), T(_f(4))).raises(
        RuntimeError, "Input dim 2 (input channels) is not == dim 1 in the weight tensor"
    ),
]
