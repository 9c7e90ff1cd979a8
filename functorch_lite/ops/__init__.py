"""The ops: pure functions on jax arrays, one file a family. Importing this package declares them."""

from . import (
    binary,
    cast,
    create,
    decompose,
    differences,
    eigenpairs,
    einsum,
    factors,
    fft,
    gamma,
    histogram,
    index,
    ldl,
    linalg,
    logic,
    lu,
    matmul,
    norm,
    polynomial,
    reduce,
    sample,
    scan,
    scatter,
    shape,
    sort,
    special,
    spectral,
    statistics,
    unary,
    views,
)

__all__ = [
    "binary", "cast", "create", "decompose", "differences", "eigenpairs", "einsum", "factors", "fft", "gamma", "histogram", "index", "ldl", "linalg", "logic", "lu", "matmul", "norm", "polynomial", "reduce", "sample", "scan",
    "scatter", "shape", "sort", "special", "spectral", "statistics", "unary", "views",
]  # fmt: skip
