"""The ops: pure functions on jax arrays, one file a family. Importing this package declares them."""

from . import (
    binary,
    cast,
    create,
    decompose,
    einsum,
    index,
    linalg,
    logic,
    matmul,
    norm,
    reduce,
    sample,
    scan,
    scatter,
    shape,
    sort,
    unary,
    views,
)

__all__ = [
    "binary", "cast", "create", "decompose", "einsum", "index", "linalg", "logic", "matmul", "norm", "reduce", "sample", "scan",
    "scatter", "shape", "sort", "unary", "views",
]  # fmt: skip
