"""Functions of the torch namespace that are written in terms of other functions, on Tensors: by the families of
`ops/`."""

from . import (
    binary,
    complex_parts,
    constructors,
    create,
    data,
    differences,
    einsum,
    elements,
    factors,
    fft,
    histogram,
    index,
    linalg,
    logic,
    lowrank,
    matmul,
    norm,
    older_pickles,
    operators,
    over_ops,
    reduce,
    scan,
    settings,
    shape,
    sort,
    strides,
    symbols,
    types,
    unary,
    view_copies,
    views,
    views_in_place,
)

__all__ = [
    "binary", "complex_parts", "constructors", "create", "data", "differences", "einsum", "elements", "factors", "fft", "histogram", "index", "linalg", "logic",
    "lowrank", "matmul", "norm", "older_pickles", "operators", "over_ops", "reduce", "scan", "settings", "shape", "sort", "strides", "symbols", "types", "unary",
    "view_copies", "views", "views_in_place",
]  # fmt: skip
