"""Samples of functorch_lite/ops/views.py."""

from __future__ import annotations

import numpy as np

from functorch_lite._core.words.dtypes import DTYPES
from tests.samples.base import Sample, T


def f(*shape, seed=0, dtype="float64"):
    """Random normal numbers."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=shape)
    return T((x + 1j * rng.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype))


def i(*shape, seed=0, dtype="int64"):
    """Random integers."""
    return T(np.random.default_rng(seed).integers(-5, 6, size=shape).astype(dtype))


def b(*shape, seed=0):
    """Random booleans."""
    return T(np.random.default_rng(seed).integers(0, 2, size=shape).astype(bool))


_RANGE = "Dimension out of range (expected to be in range of"
_SWAPS = [
    Sample(f(2, 3), 0, 1),
    Sample(f(2, 3, 4), -1, 0),
    Sample(i(2, 3, dtype="int32"), 0, -1),
    Sample(f(), 0, -1),
    Sample(f(2, 3), 0, 2).raises(IndexError, _RANGE),
]
_MOVES = [
    Sample(f(2, 3, 4), 0, 2),
    Sample(f(2, 3, 4), (0, 1), (-1, 0)),
    Sample(f(2, 3, 4), (2, 0), (0, 1)),
    Sample(b(2, 3), 1, 0),
    Sample(f(2, 3), (0, 1), (1,)).raises(RuntimeError, "movedim: Invalid source or destination dims"),
    Sample(f(2, 3), (0, 0), (0, 1)).raises(RuntimeError, "movedim: repeated dim in `source` ([0, 0])"),
    Sample(f(2, 3), (0, 1), (1, 1)).raises(RuntimeError, "movedim: repeated dim in `destination` ([1, 1])"),
]
_INVALID = "shape '[4, 2]' is invalid for input of size 6"
_RESHAPES = [
    Sample(f(2, 3), (3, 2)),
    Sample(f(2, 3), (-1,)),
    Sample(f(4, 3), (2, -1, 3)),
    Sample(f(), (1, 1)),
    Sample(i(0, 3), (3, -1)),
    Sample(f(2, 3, dtype="complex64"), (6, 1)),
    Sample(f(2, 3), (4, 2)).raises(RuntimeError, _INVALID),
    Sample(f(2, 3), (-1, -1)).raises(RuntimeError, "only one dimension can be inferred"),
    Sample(f(2, 3), (-2, 3)).raises(RuntimeError, "invalid shape dimension -2"),
    Sample(f(0, 3), (-1, 0)).raises(RuntimeError, "cannot reshape tensor of 0 elements into shape [-1, 0]"),
]
_EXPANDS = [
    Sample(f(1, 3), (2, 3)),
    Sample(f(3, 1), (2, -1, 4)),
    Sample(f(), (2, 2)),
    Sample(i(2, 1), (-1, 3)),
    Sample(f(1, 3), (0, 3)),
    Sample(T(np.random.default_rng(0).normal(size=(1, 3)), dtype="bfloat16"), (300, 3)),  # a sum of float32
    Sample(f(2, 3), (3,)).raises(RuntimeError, "the number of sizes provided (1) must be greater or equal"),
    Sample(f(2, 3), (2, 4)).raises(
        RuntimeError, "The expanded size of the tensor (4) must match the existing size (3)"
    ),
    Sample(f(2, 3), (-1, 2, 3)).raises(RuntimeError, "isn't allowed in a leading, non-existing dimension 0"),
]

_BITS = {"grad": False, "gradgrad": False, "why": "bits have no derivative"}

SAMPLES: dict[str, list[Sample]] = {
    "view": _RESHAPES,
    "reshape": _RESHAPES,
    "flatten": [
        Sample(f(2, 3, 4)),
        Sample(f(2, 3, 4), 1),
        Sample(f(2, 3, 4), 0, -2),
        Sample(f()),
        Sample(i(0, 3)),
        Sample(f(2, 3), 1, 0).raises(
            RuntimeError, "flatten() has invalid args: start_dim cannot come after end_dim"
        ),
        Sample(f(2, 3), 5).raises(IndexError, _RANGE),
    ],
    "unflatten": [
        Sample(f(2, 6), 1, (2, 3)),
        Sample(f(2, 6), -1, (-1, 2)),
        Sample(i(4, 3), 0, (2, 2, 1)),
        Sample(f(2, 6), 1, (4, 2)).raises(
            RuntimeError, "unflatten: Provided sizes [4, 2] don't multiply up to the size"
        ),
        Sample(f(2, 6), 1, ()).raises(RuntimeError, "unflatten: sizes must be non-empty"),
    ],
    "ravel": [Sample(f(2, 3)), Sample(f()), Sample(i(0, 3))],
    "permute": [
        Sample(f(2, 3, 4), (2, 0, 1)),
        Sample(f(2, 3), (-1, 0)),
        Sample(f(), ()),
        Sample(b(2, 3), (1, 0)),
        Sample(f(2, 3), (0,)).raises(RuntimeError, "number of dimensions in the tensor input does not match"),
        Sample(f(2, 3), (0, 0)).raises(RuntimeError, "permute(): duplicate dims are not allowed."),
        Sample(f(2, 3), (0, 5)).raises(IndexError, _RANGE),
    ],
    "transpose": _SWAPS,
    "swapaxes": _SWAPS,
    "swapdims": _SWAPS,
    "t": [
        Sample(f(2, 3)),
        Sample(f(3)),
        Sample(f()),
        Sample(i(0, 2)),
        Sample(f(2, 3, 4)).raises(RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is 3D"),
    ],
    "adjoint": [
        Sample(f(2, 3)),
        Sample(f(2, 2, 3, dtype="complex128")),
        Sample(i(2, 3)),
        Sample(f(3)).raises(
            RuntimeError, "tensor.adjoint() is only supported on matrices or batches of matrices"
        ),
    ],
    "movedim": _MOVES,
    "moveaxis": _MOVES,
    "squeeze": [
        Sample(f(2, 1, 3, 1)),
        Sample(f(2, 1, 3, 1), 1),
        Sample(f(2, 1, 3, 1), 0),
        Sample(f(2, 1, 3, 1), (1, -1)),
        Sample(f(), 0),
        Sample(f(2, 1), 5).raises(IndexError, _RANGE),
        Sample(f(2, 1), (1, 1)).raises(RuntimeError, "dim 1 appears multiple times in the list of dims"),
    ],
    "unsqueeze": [
        Sample(f(2, 3), 0),
        Sample(f(2, 3), -1),
        Sample(f(2, 3), 1),
        Sample(i(), 0),
        Sample(f(2, 3), 4).raises(IndexError, _RANGE),
    ],
    "expand": _EXPANDS,
    "broadcast_to": _EXPANDS,
    "select": [
        Sample(f(2, 3), 0, 1),
        Sample(f(2, 3, 4), -2, 2),
        Sample(i(3), 0, -1),
        Sample(f(2, 3), 0, 2).raises(
            IndexError, "select(): index 2 out of range for tensor of size [2, 3] at dimension 0"
        ),
        Sample(f(), 0, 0).raises(IndexError, "select() cannot be applied to a 0-dim tensor."),
    ],
    "slice": [
        Sample(f(5, 2), 0, 1, 4),
        Sample(f(5), 0, None, None, 2),
        Sample(f(2, 5), -1, -3, 100, 2),
        Sample(f(2, 5), 1, 3, 1),
        Sample(b(5), 0, 1),
        Sample(f(5), 0, 0, 2, 0).raises(RuntimeError, "slice step must be positive"),
        Sample(f(), 0, 0, 1).raises(IndexError, "slice() cannot be applied to a 0-dim tensor."),
    ],
    "narrow": [
        Sample(f(5, 2), 0, 1, 3),
        Sample(f(2, 5), -1, -2, 2),
        Sample(i(5), 0, 5, 0),
        Sample(f(5), 0, 3, 3).raises(RuntimeError, "start (3) + length (3) exceeds dimension size (5)."),
        Sample(f(5), 0, 6, 0).raises(
            IndexError, "start out of range (expected to be in range of [-5, 5], but got 6)"
        ),
        Sample(f(5), 0, 0, -1).raises(RuntimeError, "narrow(): length must be non-negative."),
    ],
    "diagonal": [
        Sample(f(3, 4)),
        Sample(f(3, 4), 1),
        Sample(f(3, 4), -1),
        Sample(f(2, 3, 4), 0, -2, -1),
        Sample(f(2, 3, 4), 1, 2, 0),
        Sample(i(3, 4), 9),
        Sample(f(3, 4), 0, 1, 1).raises(RuntimeError, "diagonal dimensions cannot be identical 1, 1"),
    ],
    "unfold": [
        Sample(f(5), 0, 2, 1),
        Sample(f(5, 3), 0, 2, 2),
        Sample(f(2, 5), -1, 3, 1),
        Sample(i(4, 2), 0, 4, 1),
        Sample(f(), 0, 1, 1),
        Sample(f(5), 0, 6, 1).raises(
            RuntimeError, "maximum size for tensor at dimension 0 is 5 but size is 6"
        ),
        Sample(f(5), 0, 2, 0).raises(RuntimeError, "step is 0 but must be > 0"),
    ],
    "as_strided": [
        Sample(f(3, 4), (2, 2), (1, 4)),
        Sample(f(3, 4), (3, 2), (2, 1), 1),
        Sample(f(4), (2, 3), (1, 1)),
        Sample(i(3, 4), (), (), 5),
        Sample(f(4), (3, 3), (1, 1)).raises(RuntimeError, "are out of bounds for storage of size 32"),
        Sample(f(4), (3, 3), (1,)).raises(RuntimeError, "mismatch in length of strides and shape"),
    ],
    "view_as_real": [
        Sample(f(2, 3, dtype="complex128")),
        Sample(f(dtype="complex64")),
        Sample(f(3)).raises(RuntimeError, "view_as_real is only supported for complex tensors"),
    ],
    "view_as_complex": [
        Sample(f(3, 2)),
        Sample(f(2, dtype="float32")),
        Sample(f(3)).raises(RuntimeError, "Tensor must have a last dimension of size 2"),
        Sample(i(3, 2)).raises(
            RuntimeError, "view_as_complex is only supported for half, float and double tensors"
        ),
    ],
    "detach": [Sample(f(2, 3)), Sample(i(3))],
    "alias": [Sample(f(2, 3)), Sample(i(3))],
    "_view_dtype": [
        Sample(f(2, 3, dtype="float32"), DTYPES["int32"]).options(**_BITS),
        Sample(f(2, dtype="complex64"), DTYPES["float32"]).options(**_BITS),
        Sample(f(2, 2), DTYPES["complex128"]).options(**_BITS),
        Sample(i(3), DTYPES["int16"]),
        Sample(b(4), DTYPES["uint8"]),
        Sample(i(), DTYPES["int16"]).raises(RuntimeError, "self.dim() cannot be 0 to view Long as Short"),
    ],
}
