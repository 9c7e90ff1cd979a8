"""Samples of functorch_lite/ops/linalg.py."""

from __future__ import annotations

import math

import numpy as np

from tests.samples.base import Sample, T
from tests.samples.decompose import spd
from tests.samples.views import b, f, i

_SQUARE = "A must be batches of square matrices, but they are 2 by 3 matrices"
_BATCH = "The input tensor A must have at least 2 dimensions."
_LOW = T(np.eye(2), dtype="bfloat16")
_DETS = [
    Sample(f(3, 3)),
    Sample(f(2, 2, 2)),
    Sample(f(4, 4)),
    Sample(f(3, 3, dtype="complex128")),
    Sample(f(0, 0)),
]
_INVERSES = [
    Sample(spd(3)),
    Sample(f(2, 2, 2)),
    Sample(f(3, 3, dtype="complex128")),
    Sample(f(0, 0)),
    Sample(f(2, 3)).raises(RuntimeError, f"linalg.inv: {_SQUARE}"),
    Sample(f(3)).raises(RuntimeError, f"linalg.inv: {_BATCH}"),
    Sample(i(2, 2)).raises(
        RuntimeError, "linalg.inv: Expected a floating point or complex tensor as input. Got Long"
    ),
    Sample(_LOW).raises(RuntimeError, "linalg.inv: Low precision dtypes not supported. Got BFloat16"),
]
_POWERS = [
    Sample(f(3, 3), 3),
    Sample(f(2, 2, 2), 5),
    Sample(f(3, 3), 0),
    Sample(spd(3), -2),
    Sample(i(2, 2), 4),
    Sample(f(2, 3), 2).raises(RuntimeError, f"linalg.matrix_power: {_SQUARE}"),
]
_EXPONENTIALS = [
    Sample(f(3, 3)),
    Sample(f(2, 2, 2)),
    Sample(T(10 * np.eye(2) + 1)),
    Sample(f(2, 2, dtype="complex128")),
    Sample(f(0, 0)),
    Sample(f(2, 3)).raises(RuntimeError, f"linalg.matrix_exp: {_SQUARE}"),
]
_UPPER = T(np.triu(f(3, 3).array) + 2 * np.eye(3))
_LOWER = T(np.tril(f(2, 3, 3).array) + 2 * np.eye(3))
_LOW_RANK = T(np.outer([1.0, 2.0, 3.0], [1.0, -1.0]))

SAMPLES: dict[str, list[Sample]] = {
    "linalg.det": [
        *_DETS,
        Sample(f(2, 3)).raises(RuntimeError, f"linalg.det: {_SQUARE}"),
        Sample(i(2, 2)).raises(
            RuntimeError, "linalg.det: Expected a floating point or complex tensor as input. Got Long"
        ),
    ],
    "det": [*_DETS, Sample(f(3)).raises(RuntimeError, f"linalg.det: {_BATCH}")],
    "linalg.slogdet": [
        *_DETS,
        Sample(_LOW).raises(RuntimeError, "linalg.slogdet: Low precision dtypes not supported. Got BFloat16"),
    ],
    "slogdet": [*_DETS, Sample(f(2, 3)).raises(RuntimeError, f"linalg.slogdet: {_SQUARE}")],
    "logdet": [
        Sample(spd(3)),
        Sample(spd(2, 2)),
        Sample(f(3, 3, dtype="complex128")),
        Sample(T(-np.eye(1), grad=False)),
        Sample(f(2, 3)).raises(RuntimeError, f"logdet: {_SQUARE}"),
    ],
    "linalg.inv": _INVERSES,
    "inverse": [_INVERSES[0], _INVERSES[-1]],
    "linalg.solve": [
        Sample(spd(3), f(3, seed=1)),
        Sample(spd(3), f(3, 2, seed=1)),
        Sample(spd(2, 3), f(3, 2, seed=1)),
        Sample(spd(2), f(3, 2, 1, seed=1)),
        Sample(spd(3), f(2, 3, seed=1), left=False),
        Sample(f(2, 2, dtype="complex128"), f(2, 1, seed=1, dtype="complex128")),
        Sample(f(2, 2), f(3)).raises(
            RuntimeError, "linalg.solve: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)"
        ),
        Sample(f(2, 2), f(2, dtype="float32")).raises(
            RuntimeError,
            "linalg.solve: Expected A and B to have the same dtype, but found A of type Double and B of type Float",
        ),
    ],
    "linalg.solve_triangular": [
        Sample(_UPPER, f(3, 2, seed=1), upper=True),
        Sample(_LOWER, f(3, 2, seed=1), upper=False),
        Sample(_UPPER, f(2, 3, seed=1), upper=True, left=False),
        Sample(f(3, 3), f(3, 1, seed=1), upper=False, unitriangular=True),
        Sample(f(3, 3, dtype="complex128"), f(3, 1, seed=1, dtype="complex128"), upper=True),
        Sample(f(2, 2), f(2), upper=True).raises(
            RuntimeError, "linalg.solve_triangular: The input tensor B must have at least 2 dimensions."
        ),
        Sample(f(2, 2), f(3, 1), upper=True).raises(
            RuntimeError,
            "linalg.solve_triangular: Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)",
        ),
    ],
    "linalg.pinv": [
        Sample(f(3, 2)),
        Sample(f(2, 2, 4)),
        Sample(_LOW_RANK).options(
            gradgrad=False, why="torch's second derivative at lost rank is its own affair"
        ),
        Sample(spd(3), hermitian=True),
        Sample(f(3, 2), rtol=1e-3),
        Sample(f(3, 2), atol=1e-3),
        Sample(f(3, 2, dtype="complex128")),
        Sample(f(0, 3)),
        Sample(f(3)).raises(
            RuntimeError,
            "expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types",
        ),
    ],
    "pinverse": [Sample(f(3, 2)), Sample(f(2, 2, 4), 1e-3)],
    "linalg.matrix_rank": [
        Sample(f(3, 2)),
        Sample(_LOW_RANK),
        Sample(T(np.diag([1.0, 0.1])), 0.5),
        Sample(T(np.diag([1.0, 0.1])), atol=0.01, rtol=0.5),
        Sample(spd(2, 2), hermitian=True),
        Sample(f(3)).raises(
            RuntimeError, "torch.linalg.matrix_rank: The input tensor input must have at least 2 dimensions."
        ),
    ],
    "linalg.lstsq": [
        Sample(f(4, 2), f(4, 3, seed=1)),
        Sample(f(4, 2), f(4, seed=1)),
        Sample(f(2, 4), f(2, 1, seed=1)),
        Sample(f(2, 4, 2), f(2, 4, 1, seed=1)),
        Sample(f(4, 2), f(4, 3, seed=1), driver="gels").options(
            grad=False, gradgrad=False, why="torch's residuals carry no derivative"
        ),
        *[
            Sample(f(1, 4, 2), f(2, 4, 3, seed=1), driver=driver).options(
                grad=False,
                gradgrad=False,
                vmap=False,
                why="residuals carry no derivative in torch; whether there are any is read",
            )
            for driver in ("gelsy", "gelsd")
        ],
        Sample(f(3, 2), f(2, 1)).raises(
            RuntimeError, "torch.linalg.lstsq: input.size(-2) should match other.size(-2)"
        ),
        Sample(f(3, 2), f(3, 1), driver="foo").raises(
            RuntimeError,
            "torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss)",
        ),
    ],
    "linalg.cond": [
        *[Sample(spd(3), p) for p in (None, 2, -2)],
        *[
            Sample(spd(3), p).options(grad=False, gradgrad=False, why="torch's own derivative of these fails")
            for p in ("fro", "nuc", 1, -1, math.inf)
        ],
        Sample(f(3, 2)),
        Sample(T(np.zeros((2, 2)), grad=False), 1),
        Sample(f(2, 3), "fro").raises(RuntimeError, f"linalg.cond(ord=fro): {_SQUARE}"),
        Sample(f(2, 2), 3).raises(RuntimeError, "linalg.cond got an invalid norm type: 3"),
    ],
    "linalg.matrix_power": _POWERS,
    "matrix_power": [_POWERS[0], _POWERS[-1]],
    "linalg.matrix_exp": _EXPONENTIALS,
    "matrix_exp": [_EXPONENTIALS[0], _EXPONENTIALS[-1]],
    "linalg.multi_dot": [
        Sample([f(2, 3), f(3, 4, seed=1), f(4, 1, seed=2)]),
        Sample([f(3), f(3, 4, seed=1), f(4, seed=2)]),
        Sample([f(3), f(3, seed=1)]),
        Sample([f(2, 3)]).raises(RuntimeError, "multi_dot(): expected at least 2 tensors but got 1"),
        Sample([f(3), f(3, 4), f(5, 6)]).raises(
            RuntimeError, "multi_dot(): tensors 1 and 2 with shapes [3, 4] and [5, 6] cannot be multiplied"
        ),
    ],
    "linalg.cross": [
        Sample(f(2, 3), f(1, 3, seed=1)),
        Sample(f(3, 2), f(3, 2, seed=1), dim=0),
        Sample(f(2, 3), f(3)).raises(
            RuntimeError, "linalg.cross: inputs must have the same number of dimensions."
        ),
        Sample(b(2, 3), b(2, 3)).raises(NotImplementedError, "\"cross\" not implemented for 'Bool'"),
    ],
    "linalg.vecdot": [
        Sample(f(2, 3), f(3, seed=1)),
        Sample(f(3, 2), f(3, 2, seed=1), dim=0),
        Sample(f(3, dtype="complex128"), f(3, seed=1, dtype="complex128")),
        Sample(i(3), i(3)).raises(
            RuntimeError, "linalg.vecdot: Expected a floating point or complex tensor as input. Got Long"
        ),
    ],
    "linalg.diagonal": [
        Sample(f(2, 3)),
        Sample(f(2, 3, 4), offset=1),
        Sample(f(2, 3, 4), offset=-1, dim1=0, dim2=2),
        Sample(i(3, 3)),
    ],
}
