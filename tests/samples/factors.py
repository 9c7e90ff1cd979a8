"""Samples of functorch_lite/ops/{lu,ldl,factors}.py and of the functions of torch.linalg that look at numbers."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T
from tests.samples.decompose import spd
from tests.samples.views import f, i


def packed(*shape, seed=0, dtype="float64"):
    """A packed LU factorization: any numbers, away from zero on the diagonal."""
    x = f(*shape, seed=seed, dtype=dtype).array
    n = min(shape[-2:])
    x[..., range(n), range(n)] += 3
    return T(x)


def pivots(*rows):
    """Row exchanges, from 1."""
    return T(np.array(rows, np.int32))


_SQUARE = "A must be batches of square matrices, but they are 2 by 3 matrices"
_NONE = {"grad": False, "gradgrad": False, "why": "torch has no derivative"}
_SINGULAR = T(np.ones((2, 2)))
_ONE_SINGULAR = T(np.stack([np.eye(2), np.ones((2, 2))]))
_SYMMETRIC = T(f(4, 4).array + f(4, 4).array.T)
_ZERO_DIAGONAL = T(np.array([[[0.0, 1, 2], [1, 0, 3], [2, 3, 0]], [[0, 2, 1], [2, 0, 4], [1, 4, 0]]]))
_HERMITIAN = T(f(3, 3, dtype="complex128").array + f(3, 3, dtype="complex128").array.conj().T)
_LOWER = T(np.tril(f(2, 3, 3).array) + 2 * np.eye(3))
_UPPER = T(np.triu(f(3, 3).array) + 2 * np.eye(3))
_COMPLEX_LOWER = T(np.tril(f(2, 2, dtype="complex128").array) + 2 * np.eye(2))
_BOTH = {"differences": False, "why": "torch's derivative counts both triangles, of which one is read"}
_SHARED = "another function shares the code, and is checked in full"
_HOUSEHOLDER = [
    Sample(f(4, 3), f(3, seed=1)),
    Sample(f(2, 4, 3), f(2, 2, seed=1)).options(gradgrad=False, why="costly, and as above"),
    Sample(f(3, 2, dtype="complex128"), f(2, seed=1, dtype="complex128")).options(
        gradgrad=False, why="costly, and as above"
    ),
    Sample(f(3, 0), f(0)),
    Sample(f(2, 3), f(2)).raises(
        RuntimeError, "input.shape[-2] must be greater than or equal to input.shape[-1]"
    ),
    Sample(f(3, 2), f(3)).raises(
        RuntimeError, "input.shape[-1] must be greater than or equal to tau.shape[-1]"
    ),
    Sample(f(3, 2), f(2, dtype="float32")).raises(
        RuntimeError, "tau dtype Float does not match input dtype Double"
    ),
    Sample(f(2, 3, 2), f(2)).raises(RuntimeError, "Expected tau to have one dimension less than input"),
]

SAMPLES: dict[str, list[Sample]] = {
    "linalg.lu_factor_ex": [
        Sample(f(3, 3)),
        Sample(f(2, 2, 4)),
        Sample(f(4, 2, dtype="complex128")),
        Sample(T(np.ones((2, 2)), grad=False)),
        Sample(f(0, 3)),
        Sample(_SINGULAR, check_errors=True).raises(
            RuntimeError, "torch.linalg.lu_factor_ex: U[2,2] is zero and using it on lu_solve"
        ),
        Sample(f(2, 2), pivot=False).raises(
            RuntimeError, "LU without pivoting is not implemented on the CPU"
        ),
        Sample(f(2)).raises(
            RuntimeError, "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: [2] instead"
        ),
        Sample(i(2, 2)).raises(NotImplementedError, "\"lu_cpu\" not implemented for 'Long'"),
    ],
    "linalg.lu_factor": [
        Sample(f(3, 3)),
        Sample(_ONE_SINGULAR).raises(
            RuntimeError, "torch.linalg.lu_factor: (Batch element 1): U[2,2] is zero"
        ),
    ],
    "lu": [Sample(f(3, 3)), Sample(_SINGULAR, get_infos=True).options(**_NONE)],
    "linalg.lu": [Sample(f(3, 3)), Sample(f(2, 4, 2)), Sample(f(2, 3)), Sample(f(0, 2))],
    "lu_unpack": [
        Sample(packed(3, 3), pivots(2, 3, 3)),
        Sample(packed(3, 2), pivots(3, 3)),
        Sample(packed(2, 3), pivots(1, 2)),
        Sample(packed(2, 2), pivots(2, 2), unpack_pivots=False),
        Sample(packed(2, 2), pivots(2, 2), unpack_data=False).options(
            **_NONE | {"why": "P has no derivative, and torch's backward fails at the empty factors"}
        ),
        Sample(packed(2, 2), i(2)).raises(RuntimeError, "LU_pivots is expected to be a contiguous tensor of"),
    ],
    "linalg.lu_solve": [
        Sample(packed(3, 3), pivots(2, 3, 3), f(3, 2, seed=1)),
        Sample(packed(3, 3), pivots(2, 3, 3), f(2, 3, seed=1), left=False),
        Sample(
            packed(2, 2, dtype="complex128"), pivots(2, 2), f(2, 1, seed=1, dtype="complex128"), adjoint=True
        ),
        Sample(
            packed(2, 2, dtype="complex128"),
            pivots(2, 2),
            f(1, 2, seed=1, dtype="complex128"),
            adjoint=True,
            left=False,
        ),
        Sample(packed(2, 2, 2), pivots([2, 2], [1, 2]), f(2, 1, seed=1)),
        Sample(packed(3, 3), pivots(1, 2, 3), f(3)).raises(
            RuntimeError, "linalg.lu_solve: The input tensor B must have at least 2 dimensions."
        ),
        Sample(packed(2, 2), pivots(1, 2), f(3, 1)).raises(
            RuntimeError, "Incompatible shapes of A and B for the equation AX = B (2x2 and 3x1)"
        ),
        Sample(packed(2, 2), i(2), f(2, 1)).raises(
            RuntimeError, "pivots should be a Tensor of scalar type torch.int32"
        ),
        Sample(packed(2, 2), pivots(1), f(2, 1)).raises(RuntimeError, "Number of pivots per batch"),
    ],
    "lu_solve": [Sample(f(3, 2, seed=1), packed(3, 3), pivots(2, 3, 3))],
    "linalg.inv_ex": [
        Sample(f(2, 2, 2)).options(gradgrad=False, why=_SHARED),
        Sample(f(2, 3)).raises(RuntimeError, f"linalg.inv: {_SQUARE}"),
    ],
    "linalg.solve_ex": [
        Sample(spd(3), f(2, 3, seed=1), left=False).options(gradgrad=False, why=_SHARED),
        Sample(f(2, 3), f(2)).raises(RuntimeError, f"linalg.solve: {_SQUARE}"),
    ],
    "linalg.cholesky_ex": [
        Sample(spd(2, 2), upper=True).options(gradgrad=False, why=_SHARED),
        Sample(f(2, 3)).raises(RuntimeError, f"linalg.cholesky: {_SQUARE}"),
    ],
    "_cholesky_ex": [Sample(spd(2), True).options(gradgrad=False, why=_SHARED)],
    "linalg.ldl_factor_ex": [
        Sample(_SYMMETRIC).options(**_NONE),
        Sample(_ZERO_DIAGONAL).options(**_NONE),
        Sample(_HERMITIAN, hermitian=True).options(**_NONE),
        Sample(_HERMITIAN).options(**_NONE),
        Sample(T(np.zeros((2, 2)))).options(**_NONE),
        Sample(T(np.ones((1, 1)))).options(**_NONE),
        Sample(f(2, 3)).raises(RuntimeError, f"torch.linalg.ldl_factor_ex: {_SQUARE}"),
    ],
    "linalg.ldl_factor": [Sample(_SYMMETRIC).options(**_NONE)],
    "linalg.ldl_solve": [
        Sample(packed(3, 3), pivots(2, 3, 3), f(3, 2, seed=1)).options(**_NONE),
        Sample(packed(3, 3), pivots(-2, -2, 3), f(3, 2, seed=1)).options(**_NONE),
        Sample(packed(3, 3), pivots(1, -3, -3), f(3, 2, seed=1)).options(**_NONE),
        Sample(
            T(packed(2, 2).array + 0j), pivots(-2, -2), f(2, 1, dtype="complex128"), hermitian=True
        ).options(**_NONE),
        Sample(packed(2, 2), pivots(1, 2), f(3, 1)).raises(
            RuntimeError, "Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is 2 by 2"
        ),
        Sample(packed(2, 2), f(2), f(2, 1)).raises(
            RuntimeError, "Expected pivots to be integers. Got Double"
        ),
    ],
    "triangular_solve": [
        Sample(f(3, 2, seed=1), _UPPER),
        Sample(f(3, 2, seed=1), _LOWER, False),
        Sample(f(3, 1, seed=1), _UPPER, transpose=True),
        Sample(f(3, 1, seed=1), _UPPER, unitriangular=True),
        Sample(f(2), f(2, 2)).raises(
            RuntimeError, "Expected b to have at least 2 dimensions, but it has 1 dimensions instead"
        ),
        Sample(f(2, 1), f(2, 3)).raises(RuntimeError, _SQUARE),
        Sample(f(3, 1), f(2, 2)).raises(RuntimeError, "Incompatible matrix sizes for triangular_solve"),
        Sample(i(2, 1), i(2, 2)).raises(
            NotImplementedError, "\"triangular_solve_cpu\" not implemented for 'Long'"
        ),
    ],
    "cholesky_solve": [
        Sample(f(3, 2, seed=1), _LOWER).options(**_BOTH),
        Sample(f(3, 1, seed=1), _UPPER, True).options(**_BOTH),
        Sample(f(2, 1, seed=1, dtype="complex128"), _COMPLEX_LOWER).options(**_BOTH),
        Sample(f(2), f(2, 2)).raises(
            RuntimeError, "b should have at least 2 dimensions, but has 1 dimensions instead"
        ),
        Sample(f(2, 1), f(2)).raises(
            RuntimeError, "u should have at least 2 dimensions, but has 1 dimensions instead"
        ),
    ],
    "cholesky_inverse": [
        Sample(_UPPER, True).options(**_BOTH),
        Sample(f(2, 3)).raises(RuntimeError, f"cholesky_inverse: {_SQUARE}"),
    ],
    "linalg.householder_product": _HOUSEHOLDER,
    "orgqr": [Sample(f(3, 2), f(2, seed=1)).options(gradgrad=False, why=_SHARED), *_HOUSEHOLDER[4:]],
    "ormqr": [
        Sample(f(3, 2), f(2, seed=1), f(3, 2, seed=2)),
        Sample(f(3, 3), f(3, seed=1), f(2, 3, seed=2), False),
        Sample(
            f(3, 2, dtype="complex128"),
            f(2, seed=1, dtype="complex128"),
            f(3, 1, seed=2, dtype="complex128"),
            True,
            True,
        ),
        Sample(f(3, 2), f(2), f(2, 2)).raises(
            RuntimeError, "torch.ormqr: other.shape[-2] must be equal to input.shape[-2]"
        ),
        Sample(f(3, 2), f(3), f(3, 2)).raises(
            RuntimeError, "tau.shape[-1] must be equal to min(other.shape[-2], input.shape[-1])"
        ),
    ],
    "geqrf": [
        Sample(f(4, 3)).options(**_NONE),
        Sample(f(2, 2, 3)).options(**_NONE),
        Sample(f(2)).raises(RuntimeError, "torch.geqrf: input must have at least 2 dimensions."),
    ],
    "linalg.tensorinv": [
        Sample(f(2, 3, 6)),
        Sample(f(4, 2, 2), ind=1),
        Sample(f(2, 3)).raises(
            RuntimeError, "Expected self to satisfy the requirement prod(self.shape[ind:])"
        ),
        Sample(f(2, 2), ind=0).raises(RuntimeError, "Expected a strictly positive integer for 'ind'"),
    ],
    "linalg.tensorsolve": [
        Sample(f(2, 3, 6), f(2, 3, seed=1)),
        Sample(f(3, 6, 2), f(3, 2, seed=1), dims=(1,)),
        Sample(f(2, 3), f(2)).raises(RuntimeError, "prod(self.shape[other.ndim:])"),
    ],
    "linalg.vander": [
        Sample(f(3)),
        Sample(f(2, 2), N=4),
        Sample(i(3)),
        Sample(f(3), N=0).raises(RuntimeError, "N must be greater than 1."),
    ],
    "linalg.matmul": [Sample(f(2, 3), f(3))],
    "qr": [Sample(f(3, 3)), Sample(f(4, 2), False).options(**_NONE)],
    "svd": [
        Sample(f(3, 2)).options(
            grad=False,
            gradgrad=False,
            why="the factors are defined up to signs, which LAPACK's versions choose",
        ),
        Sample(f(3, 2), compute_uv=False),
        Sample(i(2, 2)).raises(
            RuntimeError, "linalg.svd: Expected a floating point or complex tensor as input. Got Long"
        ),
    ],
}
