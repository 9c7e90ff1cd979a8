"""Samples of functorch_lite/ops/matmul.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T
from tests.samples.views import b, f, i


def half(*shape, seed=0):
    """A bfloat16 tensor of quarters, whose products are exact."""
    return T(np.random.default_rng(seed).integers(-8, 9, size=shape) / 4, dtype="bfloat16")


_SHAPES = "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)"
_OUTER = [
    Sample(f(2), f(3, seed=1)),
    Sample(f(2), i(3)),
    Sample(b(2), b(3, seed=1)),
    Sample(f(2, dtype="complex64"), f(2, dtype="float32")),
    Sample(f(2, 2), f(3)).raises(RuntimeError, "outer: Expected 1-D argument self, but got 2-D"),
]

SAMPLES: dict[str, list[Sample]] = {
    "mm": [
        Sample(f(2, 3), f(3, 4, seed=1)),
        Sample(i(2, 3), i(3, 2, seed=1)),
        Sample(half(2, 3), half(3, 2, seed=1)).options(gradgrad=False, rtol=2e-2, why="bfloat16"),
        Sample(f(2, 3, dtype="complex128"), f(3, 2, dtype="complex128", seed=1)),
        Sample(f(2, 0), f(0, 3)),
        Sample(f(2, 3), f(4, 5)).raises(RuntimeError, _SHAPES),
        Sample(f(2, 3), f(3)).raises(RuntimeError, "mat2 must be a matrix"),
        Sample(f(2, 3, dtype="float32"), f(3, 2)).raises(
            RuntimeError, "expected m1 and m2 to have the same dtype, but got: float != double"
        ),
        Sample(b(2, 3), b(3, 2)).raises(
            NotImplementedError, "\"addmm_impl_cpu_\" not implemented for 'Bool'"
        ),
    ],
    "bmm": [
        Sample(f(2, 2, 3), f(2, 3, 2, seed=1)),
        Sample(i(2, 2, 3), i(2, 3, 1, seed=1)),
        Sample(f(2, 2, 3), f(2, 4, 5)).raises(
            RuntimeError,
            "Expected size for first two dimensions of batch2 tensor to be: [2, 3] but got: [2, 4].",
        ),
        Sample(f(2, 3), f(3, 3, 5)).raises(RuntimeError, "batch1 must be a 3D tensor"),
    ],
    "mv": [
        Sample(f(2, 3), f(3, seed=1)),
        Sample(i(2, 3), i(3, seed=1)),
        Sample(f(2, 3), f(4)).raises(RuntimeError, "size mismatch, got input (2), mat (2x3), vec (4)"),
        Sample(f(2), f(3)).raises(RuntimeError, "vector + matrix @ vector expected, got 1, 1, 1"),
    ],
    "dot": [
        Sample(f(3), f(3, seed=1)),
        Sample(f(3, dtype="complex128"), f(3, seed=1, dtype="complex128")),
        Sample(i(3), i(3, seed=1)),
        Sample(f(3), f(4)).raises(RuntimeError, "inconsistent tensor size, expected tensor [3] and src [4]"),
        Sample(f(3, 1), f(3)).raises(RuntimeError, "1D tensors expected, but got 2D and 1D tensors"),
    ],
    "vdot": [Sample(f(3), f(3, seed=1)), Sample(f(3, dtype="complex128"), f(3, seed=1, dtype="complex128"))],
    "inner": [
        Sample(f(3), f(3, seed=1)),
        Sample(f(2, 3), f(4, 3, seed=1)),
        Sample(f(2, 2, 3), f(3, seed=1)),
        Sample(f(2, 3), f(seed=1)),
        Sample(i(2, 3), i(3, seed=1)),
        Sample(f(2, 3), f(4)).raises(
            RuntimeError,
            "inner() the last dimension must match on both input tensors but got shapes [2, 3] and [4]",
        ),
    ],
    "outer": _OUTER,
    "ger": _OUTER,
    "matmul": [
        Sample(f(3), f(3, seed=1)),
        Sample(f(2, 3), f(3, seed=1)),
        Sample(f(3), f(3, 2, seed=1)),
        Sample(f(2, 3), f(3, 2, seed=1)),
        Sample(f(2, 2, 3), f(3, 2, seed=1)),
        Sample(f(2, 1, 2, 3), f(3, 3, 2, seed=1)),
        Sample(f(3), f(2, 3, 2, seed=1)),
        Sample(i(2, 3), i(3, seed=1)),
        Sample(f(2, 3, dtype="float32"), f(3, 2, seed=1, dtype="float32")),
        Sample(f(2, 3), f(4, 5)).raises(RuntimeError, _SHAPES),
        Sample(f(), f(3, 3)).raises(
            RuntimeError, "both arguments to matmul need to be at least 1D, but they are 0D and 2D"
        ),
        Sample(f(2, 2, 3), f(4)).raises(RuntimeError, "size mismatch, got input (4), mat (4x3), vec (4)"),
    ],
    "addmm": [
        Sample(f(4), f(2, 3, seed=1), f(3, 4, seed=2)),
        Sample(f(2, 4), f(2, 3, seed=1), f(3, 4, seed=2), beta=0.5, alpha=-2),
        Sample(i(2, 2), i(2, 3, seed=1), i(3, 2, seed=2), beta=2),
        Sample(T(np.full((2, 2), np.nan), grad=False), f(2, 3), f(3, 2), beta=0),
        Sample(f(5), f(2, 3), f(4, 5)).raises(RuntimeError, _SHAPES),
        Sample(f(4), f(2, 3), f(3, 5)).raises(
            RuntimeError,
            "The expanded size of the tensor (5) must match the existing size (4) at non-singleton dimension 1.",
        ),
        Sample(f(5), f(2, 3, dtype="float32"), f(3, 5)).raises(
            RuntimeError, "mat1 and mat2 must have the same dtype, but got Float and Double"
        ),
    ],
    "addmv": [
        Sample(f(2), f(2, 3, seed=1), f(3, seed=2)),
        Sample(f(), f(2, 3, seed=1), f(3, seed=2), beta=0.5, alpha=3),
        Sample(i(2), i(2, 3, seed=1), i(3, seed=2)),
        Sample(f(3), f(2, 3), f(3)).raises(RuntimeError, "size mismatch, got input (3), mat (2x3), vec (3)"),
    ],
    "addbmm": [
        Sample(f(2, 2), f(2, 2, 3, seed=1), f(2, 3, 2, seed=2)),
        Sample(f(2), f(2, 2, 3, seed=1), f(2, 3, 2, seed=2), beta=0.5, alpha=2),
        Sample(f(2, 5), f(4, 2, 3), f(5, 3, 5)).raises(
            RuntimeError, "batch1 and batch2 must have same number of batches, got 4 and 5"
        ),
    ],
    "baddbmm": [
        Sample(f(2, 2, 2), f(2, 2, 3, seed=1), f(2, 3, 2, seed=2)),
        Sample(f(2), f(2, 2, 3, seed=1), f(2, 3, 2, seed=2), beta=0.5, alpha=2),
        Sample(i(2), i(2, 2, 3, seed=1), i(2, 3, 2, seed=2)),
        Sample(f(5), f(4, 2, 3), f(4, 4, 5)).raises(
            RuntimeError,
            "Expected size for first two dimensions of batch2 tensor to be: [4, 3] but got: [4, 4].",
        ),
    ],
    "addr": [
        Sample(f(2, 3), f(2, seed=1), f(3, seed=2)),
        Sample(f(3), f(2, seed=1), f(3, seed=2), beta=0.5, alpha=2.0),
        Sample(i(2, 3), f(2, seed=1), i(3, seed=2)).options(
            grad=False, gradgrad=False, why="torch's own derivative fails for mixed dtypes"
        ),
        Sample(b(2, 3), b(2, seed=1), b(3, seed=2)),
        Sample(f(3), f(2, 2), f(3)).raises(RuntimeError, "addr: Expected 1-D argument vec1, but got 2-D"),
        Sample(i(3), i(2), i(3), alpha=0.5).raises(
            RuntimeError, "For integral input tensors, argument alpha must not be a floating point number."
        ),
    ],
    "cross": [
        Sample(f(3, 2), f(3, 2, seed=1)),
        Sample(f(2, 3), f(1, 3, seed=1), 1),
        Sample(i(3), i(3, seed=1)),
        Sample(f(2, 4), f(2, 4)).raises(RuntimeError, "no dimension of size 3 in input"),
        Sample(f(2, 3), f(2, 3), 0).raises(
            RuntimeError, "linalg.cross: inputs dimension 0 must have length 3. Got 2 and 2"
        ),
    ],
    "chain_matmul": [
        Sample([f(2, 3), f(3, 4, seed=1), f(4, 1, seed=2)]),
        Sample([f(2, 3)]),
        Sample([f(2, 3), f(3, 4), f(5, 5)]).raises(
            RuntimeError, "multi_dot(): tensors 1 and 2 with shapes [3, 4] and [5, 5] cannot be multiplied"
        ),
    ],
}
