"""Samples of functorch_lite/ops/norm.py."""

from __future__ import annotations

import math

import numpy as np

from tests.samples.base import Sample, T
from tests.samples.views import f, i

_ZERO = T(np.array([[0.0, 0.0, 0.0], [3.0, 0.0, -4.0]]))
_NO_SECOND = {"gradgrad": False, "why": "the second derivative at 0 is not defined"}
_TWICE = {"gradgrad": False, "why": "torch differentiates cdist twice only where it goes through matmul"}
_LOW = T(np.ones((2, 2)), dtype="bfloat16")

SAMPLES: dict[str, list[Sample]] = {
    "linalg.vector_norm": [
        *[Sample(f(3, 4), order, 1) for order in (2, 1, 0, 3.5, 0.5, -1, math.inf, -math.inf)],
        Sample(f(3, 4)),
        Sample(f(2, 3, 4), 2, (0, -1), True),
        Sample(f(3, dtype="complex128"), 3),
        Sample(f(), 2),
        Sample(f(0, 3), 2, 0),
        Sample(_ZERO, 2, 1).options(**_NO_SECOND),
        Sample(_ZERO, 1, 1).options(**_NO_SECOND),
        Sample(_ZERO, 3, 1).options(**_NO_SECOND),
        Sample(T(np.array([2.0, -2.0, 1.0])), math.inf).options(**_NO_SECOND),
        Sample(_ZERO, 2, 1, True),  # its second derivative at 0 is nan
        Sample(_ZERO, 0.5, 1, True),
        Sample(i(3)).raises(
            RuntimeError, "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"
        ),
        Sample(f(0), -1).raises(
            RuntimeError, "linalg.vector_norm cannot compute the -1 norm on an empty tensor"
        ),
        Sample(f(2, 3), 2, (0, 0)).raises(RuntimeError, "dim 0 appears multiple times in the list of dims"),
    ],
    "linalg.matrix_norm": [
        *[Sample(f(3, 4), order) for order in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)],
        Sample(f(2, 3, 4), 1, (0, 2), True),
        Sample(f(2, 3, 4), "nuc", (2, 0), True),
        Sample(f(3, 3, dtype="complex128"), 2),
        Sample(f(0, 3), 1),
        Sample(f(3, 3), 3).raises(RuntimeError, "linalg.matrix_norm: Order 3 not supported."),
        Sample(f(3, 3), "foo").raises(RuntimeError, "linalg.matrix_norm: Order foo not supported."),
        Sample(f(3)).raises(
            RuntimeError, "linalg.matrix_norm: The input tensor A must have at least 2 dimensions."
        ),
        Sample(f(3, 3), 2, (0, 0)).raises(
            RuntimeError, "linalg.matrix_norm: dims must be different. Got (0, 0)"
        ),
        Sample(_LOW, 2).raises(
            RuntimeError, "linalg.matrix_norm: Low precision dtypes not supported. Got BFloat16"
        ),
    ],
    "linalg.norm": [
        Sample(f(3, 4)),
        Sample(f(2, 3, 4), None, None, True),
        Sample(f(3), 3),
        Sample(f(3, 4), 2),
        Sample(f(3, 4), "nuc"),
        Sample(f(3, 4), 1, 0),
        Sample(f(2, 3, 4), 1, (1, 2)),
        Sample(f(2, 3, 4), 2).raises(
            RuntimeError,
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got 3D.",
        ),
        Sample(f(3, 3), 2, (0, 1, 0)).raises(
            RuntimeError, "linalg.norm: If dim is specified, it must be of length 1 or 2. Got [0, 1, 0]"
        ),
    ],
    "dist": [
        *[Sample(f(2, 3), f(3, seed=1), p) for p in (2, 1, 3, math.inf)],
        Sample(f(2, 3), f(3, seed=1), 0).options(
            grad=False, gradgrad=False, why="torch's own derivative of order 0 fails"
        ),
        Sample(f(2, 3), f(2, 3, seed=1, dtype="float32")),
        Sample(f(3, dtype="complex128"), f(3, seed=1)).options(
            grad=False, gradgrad=False, why="torch's own derivative fails for complex with real"
        ),
        Sample(i(3), i(3)).raises(
            RuntimeError, "norm(): input dtype should be either floating point or complex. Got Long instead."
        ),
    ],
    "cdist": [
        Sample(f(2, 2, 3), f(3, 3, seed=1)).options(**_TWICE),
        *[Sample(f(2, 3), f(4, 3, seed=1), p).options(**_TWICE) for p in (2.0, 1.0, 0.0, 3.0, math.inf)],
        Sample(f(2, 3), f(2, 3)).options(gradgrad=False, why="the second derivative at 0 is not defined"),
        Sample(f(4, 3), f(2, 3, seed=1), 2.0, "use_mm_for_euclid_dist"),
        Sample(f(2, 0), f(4, 0)).options(**_TWICE),
        Sample(f(2, 3), f(4, 5)).raises(
            RuntimeError, "X1 and X2 must have the same number of columns. X1: 3 X2: 5"
        ),
        Sample(i(2, 3), i(4, 3)).raises(
            RuntimeError, "cdist only supports floating-point dtypes, X1 got: Long"
        ),
        Sample(f(2, 3), f(4, 3), -1).raises(RuntimeError, "cdist only supports non-negative p values"),
    ],
}
