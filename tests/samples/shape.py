"""Samples of functorch_lite/ops/shape.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T
from tests.samples.views import b, f, i

_RANGE = "Dimension out of range (expected to be in range of"

SAMPLES: dict[str, list[Sample]] = {
    "cat": [
        Sample([f(2, 3), f(1, 3, seed=1)]),
        Sample([f(2, 3), f(2, 2, seed=1)], -1),
        Sample([f(2), i(3), b(1)]),
        Sample([i(2, dtype="int32"), i(3, dtype="uint8")]),
        Sample([f(0), f(2, 3, seed=1)], 1),
        Sample([f(2, dtype="complex64"), f(3)]),
        Sample([]).raises(ValueError, "torch.cat(): expected a non-empty list of Tensors"),
        Sample([f(2, 3), f()]).raises(
            RuntimeError, "zero-dimensional tensor (at position 1) cannot be concatenated"
        ),
        Sample([f(2, 3), f(2)]).raises(
            RuntimeError, "Tensors must have same number of dimensions: got 2 and 1"
        ),
        Sample([f(2, 3), f(2, 4)]).raises(
            RuntimeError, "Sizes of tensors must match except in dimension 0. Expected size 3 but got size 4"
        ),
    ],
    "stack": [
        Sample([f(2, 3), f(2, 3, seed=1)]),
        Sample([f(2, 3), f(2, 3, seed=1)], -1),
        Sample([f(), i()]),
        Sample([f(2), f(2, dtype="float32")], 1),
        Sample([]).raises(RuntimeError, "stack expects a non-empty TensorList"),
        Sample([f(2), f(3)]).raises(
            RuntimeError,
            "stack expects each tensor to be equal size, but got [2] at entry 0 and [3] at entry 1",
        ),
    ],
    "hstack": [
        Sample([f(2), f(3)]),
        Sample([f(2, 3), f(2, 1)]),
        Sample([f(), i(2)]),
        Sample([f(2), f(3, 2)]).raises(
            RuntimeError, "Tensors must have same number of dimensions: got 1 and 2"
        ),
    ],
    "vstack": [
        Sample([f(3), f(3, seed=1)]),
        Sample([f(2, 3), f(3, seed=1)]),
        Sample([f(), i()]),
        Sample([]).raises(RuntimeError, "vstack expects a non-empty TensorList"),
    ],
    "dstack": [
        Sample([f(3), f(3, seed=1)]),
        Sample([f(2, 3), f(2, 3, seed=1)]),
        Sample([f(2, 3, 1), i(2, 3, 2)]),
    ],
    "column_stack": [Sample([f(3), f(3, 2)]), Sample([f(), f(seed=1)]), Sample([f(2, 1), i(2)])],
    "repeat": [
        Sample(f(2, 3), (2, 1)),
        Sample(f(3), (2, 2)),
        Sample(f(), (3,)),
        Sample(i(2, 3), (1, 0)),
        Sample(f(2, 3), (2,)).raises(
            RuntimeError,
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
        ),
        Sample(f(2), (-1,)).raises(RuntimeError, "Trying to create tensor with negative dimension"),
    ],
    "tile": [Sample(f(2, 3), (2,)), Sample(f(2), (2, 2)), Sample(i(2, 3), (1, 2, 1)), Sample(f(), (2,))],
    "repeat_interleave": [
        Sample(f(2, 3), 2),
        Sample(f(2, 3), 2, 0),
        Sample(f(2, 3), 3, -1),
        Sample(i(3), 0),
        Sample(f(), 2),
        Sample(f(2, 3), 2, 1, output_size=6),
        Sample(f(2, 3), -1).raises(RuntimeError, "Repeats must be non-negative"),
        Sample(f(2, 3), 2, 1, output_size=5).raises(
            RuntimeError, "repeat_interleave: Invalid output_size, expected 6 but got 5"
        ),
    ],
    "flip": [
        Sample(f(2, 3), (0,)),
        Sample(f(2, 3), (0, -1)),
        Sample(i(3), (0,)),
        Sample(f(2, 3), ()),
        Sample(f(2, 3), (0, 0)).raises(RuntimeError, "dim 0 appears multiple times in the list of dims"),
    ],
    "fliplr": [Sample(f(2, 3)), Sample(b(2, 3)), Sample(f(3)).raises(RuntimeError, "Input must be >= 2-d.")],
    "flipud": [Sample(f(2, 3)), Sample(i(3)), Sample(f()).raises(RuntimeError, "Input must be >= 1-d.")],
    "roll": [
        Sample(f(2, 3), 1),
        Sample(f(2, 3), -1, 1),
        Sample(f(3, 4), (1, 2), (0, -1)),
        Sample(i(3), 7, 0),
        Sample(f(), 1),
        Sample(f(0, 2), 1, 0),
        Sample(f(2, 3), (1, 2), (0,)).raises(
            RuntimeError, "shifts and dimensions must align. shifts: 2, dims:1"
        ),
        Sample(f(2, 3), 1, 2).raises(IndexError, _RANGE),
    ],
    "rot90": [
        Sample(f(2, 3)),
        Sample(f(2, 3), -1),
        Sample(f(2, 3, 4), 2, (0, -1)),
        Sample(i(2, 3), 5, (1, 0)),
        Sample(f(2, 3), 1, (0, 0)).raises(RuntimeError, "expected rotation dims to be different"),
        Sample(f(2, 3), 1, (0,)).raises(RuntimeError, "expected total rotation dims == 2, but got dims = 1"),
    ],
    "kron": [
        Sample(f(2, 3), f(2, 2, seed=1)),
        Sample(f(2, 3), f(2, seed=1)),
        Sample(f(2), i()),
        Sample(b(2, 2), b(2, seed=1)),
        Sample(f(2, dtype="complex64"), f(3, dtype="float32")),
    ],
    "block_diag": [
        Sample([f(2, 3), f(1, 2, seed=1)]),
        Sample([f(2), f(), i(2, 2)]),
        Sample([f(2, 2, 2)]).raises(
            RuntimeError, "torch.block_diag: Input tensors must have 2 or fewer dimensions"
        ),
    ],
    "clone": [Sample(f(2, 3)), Sample(i()), Sample(b(3))],
    "trace": [
        Sample(f(3, 4)),
        Sample(i(3, 2, dtype="int32")),
        Sample(T(np.arange(4).reshape(2, 2) / 4, dtype="bfloat16")),
        Sample(f(0, 0)),
        Sample(f(2, 2, dtype="complex64")),
        Sample(f(3)).raises(RuntimeError, "trace: expected a matrix, but got tensor with dim 1"),
        Sample(b(2, 2)).raises(NotImplementedError, "\"trace\" not implemented for 'Bool'"),
    ],
    "constant_pad_nd": [
        Sample(f(2, 3), (1, 2)),
        Sample(f(2, 3), (1, 0, 0, 2), 2.5),
        Sample(f(2, 3), (-1, 1), 1),
        Sample(i(3), (1, 1), 2.7),
        Sample(b(2), (0, 1), 1),
        Sample(f(2, 3), (1,)).raises(RuntimeError, "Length of pad must be even but instead it equals 1"),
        Sample(f(2, 3), (-2, -2)).raises(RuntimeError, "narrow(): length must be non-negative."),
    ],
}
