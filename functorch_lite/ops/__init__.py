"""The ops: pure functions on jax arrays, one file a family. Importing this package declares them.

`torch.ops.aten` can also be reached from this module, as generated code names it; it is defined in `_ops.py`.
"""

import importlib
from typing import Any

from . import (
    binary,
    cast,
    complex_parts,
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
    limits,
    linalg,
    logic,
    lu,
    matmul,
    merged,
    moments,
    norm,
    polynomial,
    reduce,
    requirements,
    sample,
    scan,
    scatter,
    shape,
    sort,
    special,
    spectral,
    statistics,
    trigonometric,
    unary,
    views,
)

__all__ = [
    "binary", "cast", "complex_parts", "create", "decompose", "differences", "eigenpairs", "einsum", "factors", "fft", "gamma", "histogram", "index", "ldl", "limits", "linalg", "logic", "lu", "matmul", "merged", "moments", "norm", "polynomial", "reduce", "requirements", "sample", "scan",
    "scatter", "shape", "sort", "special", "spectral", "statistics", "trigonometric", "unary", "views",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The ops of a namespace, such as `aten`."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module("functorch_lite._ops"), name)
