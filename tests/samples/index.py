"""Samples of functorch_lite/ops/index.py.
`index` and `index_put` say by `dims` which dims the index tensors stand at."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T
from tests.samples.views import b, f, i


def at(values, dtype="int64"):
    """An index tensor."""
    return T(np.array(values, dtype=dtype))


_RANGE = "Dimension out of range (expected to be in range of"

SAMPLES: dict[str, list[Sample]] = {
    "index": [
        Sample(f(4, 3), [at([0, -1, 2])], (0,)),
        Sample(f(4, 3), [at([[0, 2], [1, 1]])], (1,)),
        Sample(f(4, 3), [at([0, 1]), at([2, -1])], (0, 1)),
        Sample(f(2, 3, 4), [at([0, 1]), at([2, 3])], (0, 2)),
        Sample(f(2, 3, 4), [at([[0], [1]]), at([2, 3])], (1, 2)),
        Sample(i(4), [at(2)], (0,)),
        Sample(f(0, 3), [at([])], (0,)),
        Sample(f(2, 3), [T(np.zeros(2), grad=False)], (0,)).raises(
            IndexError, "tensors used as indices must be long, int, byte or bool tensors"
        ),
        Sample(f(2, 3), [at([0, 1]), at([0, 1, 2])], (0, 1)).raises(
            IndexError,
            "shape mismatch: indexing tensors could not be broadcast together with shapes [2], [3]",
        ),
    ],
    "index_put": [
        Sample(f(4, 3), [at([0, -1])], f(2, 3, seed=1)),
        Sample(f(4, 3), [at([0, 2])], f(seed=1)),
        Sample(f(4, 3), [at([0, 0]), at([1, 1])], f(2, seed=1), True),
        Sample(f(2, 3, 4), [at([0, 1]), at([2, 3])], f(2, 3, seed=1), dims=(0, 2)),
        Sample(i(4), [at([1, 2])], i(2, seed=1)),
        Sample(f(2, 3), [at([0])], f(4)).raises(
            RuntimeError,
            "shape mismatch: value tensor of shape [4] cannot be broadcast to indexing result of shape [1, 3]",
        ),
        Sample(f(2, 3), [at([0])], f(3, dtype="float32")).raises(
            RuntimeError,
            "Index put requires the source and destination dtypes match, got Double for the destination",
        ),
    ],
    "gather": [
        Sample(f(3, 4), 1, at([[0, 3], [2, 2], [1, 0]])),
        Sample(f(3, 4), 0, at([[2, 0], [2, 1]])),
        Sample(f(3, 4), -1, at([[1], [2]], "int32")),
        Sample(i(3), 0, at(1)),
        Sample(f(), 0, at([0, 0])),
        Sample(f(3, 4), 1, at([])),
        Sample(f(2, 3), 1, at([0])).raises(
            RuntimeError, "Index tensor must have the same number of dimensions as input tensor"
        ),
        Sample(f(2, 3), 1, at([[0], [0], [0]])).raises(
            RuntimeError,
            "Size does not match at dimension 0 expected index [3, 1] to be no larger than self [2, 3] apart from dimension 1",
        ),
        Sample(f(2, 3), 1, at([[0]], "int16")).raises(
            RuntimeError, "gather(): Expected dtype int32/int64 for index"
        ),
    ],
    "index_select": [
        Sample(f(3, 4), 0, at([2, 0, 2])),
        Sample(f(3, 4), -1, at([1])),
        Sample(i(3), 0, at(1)),
        Sample(f(), 0, at([0])),
        Sample(f(3), 0, at([0, 1], "int32")),
        Sample(f(2, 3), 1, at([[0]])).raises(IndexError, "index_select(): Index is supposed to be a vector"),
        Sample(f(2, 3), 2, at([0])).raises(IndexError, _RANGE),
    ],
    "index_add": [
        Sample(f(3, 4), 0, at([2, 0, 2]), f(3, 4, seed=1)),
        Sample(f(3, 4), -1, at([1, 1]), f(3, 2, seed=1), alpha=0.5),
        Sample(i(3), 0, at([1]), i(1, seed=1), alpha=2),
        Sample(b(3), 0, at([1, 1]), b(2, seed=1)),
        Sample(f(2, 3), 1, at([0, 1]), f(2, 3)).raises(
            RuntimeError, "Number of indices (2) should be equal to source.size(dim): (3), for dim: 1"
        ),
        Sample(f(2, 3), 1, at([0, 1]), f(1, 2)).raises(
            RuntimeError,
            "source tensor shape must match self tensor shape, excluding the specified dimension.",
        ),
        Sample(f(2), 0, at([0]), f(1, dtype="float32")).raises(
            RuntimeError, "self (Double) and source (Float) must have the same scalar type"
        ),
    ],
    "index_copy": [
        Sample(f(3, 4), 0, at([2, 0]), f(2, 4, seed=1)),
        Sample(f(3, 4), -1, at([1]), f(3, 1, seed=1)),
        Sample(i(3), 0, at(1), i(seed=1)),
        Sample(f(2, 3), 1, at([0, 1]), f(2, 3)).raises(
            IndexError, "index_copy_(): Number of indices (2) should be equal to source.size(dim) (3)"
        ),
        Sample(f(2), 0, at([0], "int32"), f(1)).raises(
            RuntimeError, "index_copy_(): Expected a long tensor for index, but got Int"
        ),
    ],
    "index_fill": [
        Sample(f(3, 4), 0, at([2, 0]), 1.5),
        Sample(f(3, 4), 1, at([3]), f(seed=1)),
        Sample(f(3, 4), 1, at([-1]), 2),
        Sample(i(3), 0, at(1), 2.5),
        Sample(f(2, 3), 1, at([0]), f(1)).raises(
            RuntimeError, "index_fill_ only supports a 0-dimensional value tensor"
        ),
        Sample(f(2, 3), 1, at([0]), 1j).raises(
            RuntimeError, "index_fill_(): Converting complex Scalar to non-complex type is not supported"
        ),
    ],
    "take": [
        Sample(f(3, 4), at([[0, 11], [5, -1]])),
        Sample(i(3), at(1)),
        Sample(f(0), at([])),
        Sample(f(2, 3), at([0], "int32")).raises(
            RuntimeError, "take(): Expected a long tensor for index, but got Int"
        ),
    ],
    "put": [
        Sample(f(3, 4), at([0, -1]), f(2, seed=1)),
        Sample(f(3, 4), at([[0, 0]]), f(1, 2, seed=1), True),
        Sample(i(3), at(1), i(seed=1)),
        Sample(f(2, 3), at([0, 1]), f(1)).raises(
            IndexError, "put_(): Expected source and index to have the same number of elements"
        ),
    ],
    "take_along_dim": [
        Sample(f(3, 4), at([[0, 3, -1]]), 1),
        Sample(f(1, 4), at([[0], [0]]), 0),
        Sample(f(3, 4), at([0, 11])),
        Sample(i(3), at([2, 1]), 0),
        Sample(f(2, 3), at([0]), 1).raises(
            RuntimeError, "input and indices should have the same number of dimensions"
        ),
    ],
    "masked_scatter": [
        Sample(f(2, 3), T(np.array([[True, False, True], [False, True, True]])), f(5, seed=1)),
        Sample(f(2, 3), T(np.array([True, False, True])), f(2, 2, seed=1)),
        Sample(i(3), T(np.array([[True, False, True]] * 2)), i(4, seed=1)),
        Sample(f(3), f(3), f(3)).raises(RuntimeError, "masked_scatter_ only supports boolean masks"),
    ],
    "select_scatter": [
        Sample(f(3, 4), f(4, seed=1), 0, 1),
        Sample(f(3, 4), f(3, seed=1), -1, -2),
        Sample(i(3), i(seed=1), 0, 0),
        Sample(f(2, 3), f(2), 0, 1).raises(
            RuntimeError, "expected src to have a size equal to the slice of self."
        ),
        Sample(f(2, 3), f(3), 0, 7).raises(IndexError, "select(): index 7 out of range"),
    ],
    "slice_scatter": [
        Sample(f(4, 3), f(2, 3, seed=1), 0, 1, 3),
        Sample(f(2, 5), f(2, 3, seed=1), 1, None, None, 2),
        Sample(i(4), i(4, seed=1)),
        Sample(f(2, 3), f(2, 3), 0, 1).raises(
            RuntimeError, "expected src to have a size equal to the slice of self."
        ),
    ],
    "diagonal_scatter": [
        Sample(f(3, 4), f(3, seed=1)),
        Sample(f(2, 3, 4), f(2, 3, seed=1), 1, 1, 2),
        Sample(i(3, 3), i(2, seed=1), -1),
        Sample(f(2, 3), f(3)).raises(RuntimeError, "expected src to have a size equal to the slice of self."),
    ],
}
