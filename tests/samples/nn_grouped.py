"""Samples of nn/functional/grouped.py, and of the tables of torch.embedding_bag."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(811)


def _f(*shape, dtype=np.float32):
    return _rng.normal(size=shape).astype(dtype)


def _ends(*ends: int) -> T:
    return T(np.array(ends, np.int32))


_I, _OFFSETS = T(np.array([0, 2, 2, 1, 3])), T(np.array([0, 3, 3]))
_NO_FORWARD = {
    "differences": False,
    "why": "float32 only: torch's kernel takes no float64",
}

SAMPLES: dict[str, list[Sample]] = {
    "nn.functional._grouped_product": [
        Sample(T(_f(5, 4)), T(_f(3, 4, 4)), _ends(2, 2, 5)).options(**_NO_FORWARD),
        Sample(T(_f(4, 8)), T(_f(8, 4)), _ends(3, 8)).options(**_NO_FORWARD),
        Sample(T(_f(2, 3, 4)), T(_f(4, 8)), _ends(0, 8)).options(**_NO_FORWARD),
        Sample(T(_f(2, 3, 4)), T(_f(2, 4, 4))).options(**_NO_FORWARD),
        Sample(T(_f(3, 8), dtype="bfloat16"), T(_f(2, 8, 8), dtype="bfloat16"), _ends(1, 3)).options(
            differences=False, grad=False, why="bfloat16"
        ),
    ],
    "nn.functional._bag_tables": [
        Sample(_I, T(_f(4, 3), grad=False), _OFFSETS),
        Sample(_I, T(_f(4, 3), grad=False), _OFFSETS, "max"),
        Sample(_I, T(np.ones((4, 2)), grad=False), T(np.array([0, 2, 4])), "max", True),
        Sample(_I, T(_f(4, 3), grad=False), T(np.array([0, 2], np.int32)), "max", False, 2),
        Sample(T(np.array([], np.int32)), T(_f(4, 3), grad=False), T(np.array([0, 0], np.int32)), "max"),
    ],
}
