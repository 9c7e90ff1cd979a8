"""Samples of functorch_lite/ops/cast.py."""

from __future__ import annotations

import numpy as np

from functorch_lite._core.words.dtypes import DTYPES
from tests.samples.base import Sample, T
from tests.samples.views import b, f, i

_SPECIAL = T(np.array([np.nan, np.inf, -0.0, 300.7, -1.5]), grad=False)

SAMPLES: dict[str, list[Sample]] = {
    "_cast": [
        Sample(f(2, 3), DTYPES["float32"]),
        Sample(f(3, dtype="float32"), DTYPES["float64"]),
        Sample(f(3), DTYPES["bfloat16"]).options(differences=False, why="the result is rounded"),
        Sample(f(3), DTYPES["float16"]).options(differences=False, why="the result is rounded"),
        Sample(f(3), DTYPES["complex128"]),
        Sample(f(3, dtype="complex128"), DTYPES["float64"]),
        Sample(f(3, dtype="complex128"), DTYPES["bool"]),
        Sample(f(), DTYPES["int64"]),
        Sample(T(np.array([2.7, -2.7, 100.0]), grad=False), DTYPES["int8"]),
        Sample(_SPECIAL, DTYPES["bool"]),
        Sample(i(2, 3), DTYPES["float32"]),
        Sample(T(np.array([300, -1, 128])), DTYPES["uint8"]),
        Sample(b(4), DTYPES["int32"]),
        Sample(T(np.array([0.1, 2.5], np.float32), dtype="bfloat16"), DTYPES["float32"]),
        Sample(f(0, 2), DTYPES["int64"]),
    ],
    "_copy": [
        Sample(f(2, 3), f(2, 3, seed=1)),
        Sample(f(2, 3), f(3, seed=1)),
        Sample(f(2, dtype="float32"), i(2)),
        Sample(i(2), T(np.array([1.7, -1.7]), grad=False)),
        Sample(f(2, dtype="complex128"), f(seed=1)),
        Sample(f(2, 3), f(4)).raises(
            RuntimeError, "The size of tensor a (3) must match the size of tensor b (4)"
        ),
    ],
    "fill": [
        Sample(f(2, 3), 1.5),
        Sample(f(2, 3), f(seed=1)),
        Sample(i(2, 3), 2),
        Sample(b(3), True),
        Sample(f(2, dtype="complex128"), 1j),
        Sample(f(), 2),
        Sample(f(2), f(2)).raises(RuntimeError, "fill_ only supports 0-dimension value tensor"),
    ],
    "zero": [Sample(f(2, 3)), Sample(i(3)), Sample(b(2)), Sample(f(0, 2))],
}
