"""Samples of functorch_lite/ops/decompose.py. Factors that are defined up to signs or phases have no gradient check
here."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T
from tests.samples.views import f, i


def spd(n, *batch, seed=0, dtype="float64"):
    """Symmetric (Hermitian) positive definite matrices with distinct eigenvalues; rounded, as what a product leaves on
    the diagonal for an imaginary part is the machine's."""
    x = f(*batch, n, n, seed=seed, dtype=dtype).array
    product = x @ np.swapaxes(x.conj(), -1, -2) + np.diag(np.arange(1.0, n + 1))
    return T((np.round(product, 12) + 0.0).astype(dtype))


_SIGNS = {
    "grad": False,
    "gradgrad": False,
    "why": "the factors are defined up to signs or phases, which LAPACK's versions choose differently",
}
_SQUARE = "A must be batches of square matrices, but they are 2 by 3 matrices"
_BATCH = "The input tensor A must have at least 2 dimensions."
_LOW = T(np.eye(2), dtype="bfloat16")

SAMPLES: dict[str, list[Sample]] = {
    "linalg.cholesky": [
        Sample(spd(3)),
        Sample(spd(2, 2), upper=True),
        Sample(spd(3, dtype="complex128")).options(
            grad=False,
            gradgrad=False,
            why="torch lets the imaginary part of a cotangent on the real diagonal through",
        ),
        Sample(T(np.array([[4.0, 9.0], [2.0, 3.0]]))),
        Sample(f(2, 3)).raises(RuntimeError, f"linalg.cholesky: {_SQUARE}"),
        Sample(i(2, 2)).raises(
            RuntimeError, "linalg.cholesky: Expected a floating point or complex tensor as input. Got Long"
        ),
    ],
    "cholesky": [
        Sample(spd(3)),
        Sample(spd(2, 2), True),
        Sample(f(2, 3)).raises(RuntimeError, f"cholesky: {_SQUARE}"),
        Sample(f(3)).raises(RuntimeError, f"cholesky: {_BATCH}"),
    ],
    "linalg.qr": [
        Sample(f(4, 3)),
        Sample(f(2, 3, 3)),
        Sample(f(2, 4)),
        Sample(f(4, 2), "complete").options(
            grad=False, gradgrad=False, why="torch has no derivative for n > m"
        ),
        Sample(f(4, 2), "r").options(grad=False, gradgrad=False, why="torch has no derivative for mode 'r'"),
        Sample(f(0, 3)),
        Sample(f(2, 2), "foo").raises(
            RuntimeError, "qr received unrecognized mode 'foo' but expected one of"
        ),
        Sample(f(3)).raises(RuntimeError, f"linalg.qr: {_BATCH}"),
        Sample(_LOW).raises(NotImplementedError, "\"geqrf_cpu\" not implemented for 'BFloat16'"),
    ],
    "linalg.svd": [
        Sample(f(3, 4)).options(**_SIGNS),
        Sample(f(4, 2), False).options(**_SIGNS),
        Sample(f(2, 3, 3)).options(**_SIGNS),
        Sample(f(3, 0)),
        Sample(f(3)).raises(RuntimeError, f"linalg.svd: {_BATCH}"),
        Sample(f(3, 2), driver="gesvd").raises(
            RuntimeError, "keyword argument `driver=` is only supported on CUDA"
        ),
    ],
    "linalg.svdvals": [
        Sample(f(3, 4)),
        Sample(f(2, 4, 2)),
        Sample(f(3, 3, dtype="complex128")),
        Sample(f(0, 3)),
        Sample(i(3, 3)).raises(
            RuntimeError, "linalg.svd: Expected a floating point or complex tensor as input. Got Long"
        ),
    ],
    "linalg.eigh": [
        Sample(spd(3)).options(**_SIGNS),
        Sample(f(3, 3)).options(**_SIGNS),
        Sample(f(2, 3, 3), "U").options(**_SIGNS),
        Sample(f(2, 3)).raises(RuntimeError, f"linalg.eigh: {_SQUARE}"),
        Sample(f(2, 2), "X").raises(RuntimeError, "Expected UPLO argument to be 'L' or 'U', but got X"),
    ],
    "linalg.eigvalsh": [
        Sample(spd(3)),
        Sample(f(3, 3)),
        Sample(f(2, 3, 3), "U"),
        Sample(spd(3, dtype="complex128")),
        Sample(f(0, 0)),
    ],
    "linalg.eig": [
        Sample(f(3, 3)).options(**_SIGNS),
        Sample(f(2, 2, 2, dtype="complex128")).options(**_SIGNS),
        Sample(f(2, 3)).raises(RuntimeError, f"linalg.eig: {_SQUARE}"),
    ],
    "linalg.eigvals": [
        Sample(f(3, 3)).options(gradgrad=False, why="the order of a conjugate pair is LAPACK's"),
        Sample(spd(3)),
        Sample(f(2, 2, 2, dtype="complex128")),
        Sample(f(2, 3)).raises(RuntimeError, f"linalg.eigvals: {_SQUARE}"),
    ],
}
