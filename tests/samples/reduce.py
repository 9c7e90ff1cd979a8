"""Samples of the ops in functorch_lite/ops/reduce.py."""

from __future__ import annotations

import math

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(31)


def _floats(*shape, dtype=np.float32):
    """Distinct numbers at least 0.13 apart and as far from 0, so that no extreme is near a tie."""
    n = math.prod(shape)
    return (
        ((_rng.permutation(n) - n / 2 + 0.5) * 0.3 + _rng.uniform(-0.02, 0.02, n))
        .reshape(shape)
        .astype(dtype)
    )


def _complex(*shape):
    return (_floats(*shape) + 1j * _floats(*shape)).astype(np.complex64)


def _half(array):
    return T(array, dtype="bfloat16")


def _with_nan(*shape):
    array = _floats(*shape)
    array[..., 1] = np.nan
    return array


_integers = np.array([[3, -1, 2, 0], [2, 2, 0, 1], [1, 4, 1, 1]], np.int64)
_bytes = np.array([[3, 200, 100], [0, 2, 0]], np.uint8)
_bools = np.array([[True, False, True], [False, False, False]])
_ties = np.array([[1.0, 3.0, 3.0, 2.0], [2.0, 2.0, 2.0, 1.0], [0.5, 0.5, 5.0, 5.0]], np.float32)
_zeros = np.array([[0.0, 2.0, 3.0], [0.0, 0.0, 4.0], [1.0, 2.0, 3.0]])
_empty = np.zeros((0, 3), np.float32)
_OUT_OF_RANGE = (IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 5)")
_TWICE = (RuntimeError, "dim 0 appears multiple times in the list of dims")
_ROUNDED = {"gradgrad": False, "rtol": 3e-2, "atol": 3e-2, "why": "bfloat16: torch rounds at other places"}


def _over_dims():
    """Samples that any reduction over several dims takes."""
    return [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4, dtype=np.float64)), 0),
        Sample(T(_floats(2, 3, 4)), (0, -1), True),
        Sample(T(_floats()), 0),
        Sample(T(_floats(3, 4)), 5).raises(*_OUT_OF_RANGE),
        Sample(T(_floats(3, 4)), (0, 0)).raises(*_TWICE),
    ]


def _sums():
    return [
        *_over_dims(),
        Sample(T(_floats(3, 4)), ()),
        Sample(T(_complex(2, 3)), 1),
        Sample(_half(_floats(3, 4)), 1).options(**_ROUNDED),
        Sample(T(_empty), 0).options(gradgrad=False, why="the mean of nothing is 0 / 0"),
    ]


def _moments():
    """Samples that show all of what the four functions of moments share."""
    return [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(2, 3, 4, dtype=np.float64)), (0, -1), keepdim=True),
        Sample(T(_floats(3, 4)), 1, False),
        Sample(T(_complex(2, 3)), 1),
        Sample(T(_floats(3, 4)), False),
        Sample(T(_floats(3, 4)), (0, 1), correction=2),
        Sample(T(np.ones((2, 3), np.float32)), 1).options(
            gradgrad=False, why="0 / 0 in torch where std is 0"
        ),
        Sample(T(_floats(3, 4)), 5).raises(*_OUT_OF_RANGE),
    ]


def _no_integers(name):
    which = "std and var" if name in ("std", "var") else name
    return [
        Sample(T(_integers)).raises(RuntimeError, f"{which} only support floating point and complex dtypes")
    ]


def _extremes_over_dims(name, kernel):
    return [
        *_over_dims(),
        Sample(T(_ties), 1),
        Sample(T(_ties), (0, 1), True),
        Sample(T(_with_nan(3, 4), grad=False), 0),
        Sample(T(_integers), 1),
        Sample(T(_bools), 0),
        Sample(T(_empty), 1),
        Sample(T(_empty), 0).raises(IndexError, f"{name}(): Expected reduction dim 0 to have non-zero size."),
        Sample(T(_empty)).raises(
            RuntimeError, f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        ),
        Sample(T(_complex(3))).raises(
            NotImplementedError, f"\"{kernel}\" not implemented for 'ComplexFloat'"
        ),
    ]


def _extremes(name):
    return [
        Sample(T(_floats(3, 4))),
        Sample(T(_ties)),
        Sample(T(_with_nan(2, 3))),
        Sample(T(_floats(3, 4)), 1),
        Sample(T(_floats(3, 4, dtype=np.float64)), dim=0, keepdim=True),
        Sample(T(_ties), 1),
        Sample(T(_floats()), 0),
        Sample(T(_integers), -1, True),
        Sample(T(_bools)),
        Sample(T(_empty), 1),
        Sample(T(_floats(3, 4)), T(_floats(4))),
        Sample(T(_ties), T(_ties[:, ::-1].copy())),
        Sample(T(_integers), T(np.float32(0.5))),
        Sample(T(_floats(2)), other=T(_floats(3, 1))),
        Sample(_half(_floats(3, 4)), _half(_floats(4))),
        Sample(T(_floats(2, 3)), T(_floats(4))).raises(
            RuntimeError, "The size of tensor a (3) must match the size"
        ),
        Sample(T(_floats(3, 4)), 5).raises(*_OUT_OF_RANGE),
        Sample(T(_empty), 0).raises(IndexError, f"{name}(): Expected reduction dim 0 to have non-zero size."),
        Sample(T(_complex(3)), 0).raises(RuntimeError, f"{name}(): does not support complex input"),
    ]


def _indices(name):
    return [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4)), None, True),
        Sample(T(_floats(3, 4)), 0),
        Sample(T(_ties), 1, keepdim=True),
        Sample(T(_with_nan(3, 4)), 1),
        Sample(T(_integers), -1),
        Sample(T(_floats())),
        Sample(T(_empty), 1),
        Sample(T(_empty)).raises(
            IndexError, f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
        ),
        Sample(T(_bools)).raises(RuntimeError, f"{name}(): does not support bool input"),
    ]


def _truths():
    return [
        Sample(T(_bools)),
        Sample(T(_bools), 1),
        Sample(T(_integers), (0, 1), keepdim=True),
        Sample(T(_bytes), 0),
        Sample(T(_floats(2, 3)), ()),
        Sample(T(_complex(2))),
        Sample(T(_empty), 0),
        Sample(T(np.array(0.0, np.float32))),
        Sample(T(_bools), (0, 0)).raises(*_TWICE),
    ]


_NO_MEAN = (
    "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype."
)
_NOT_TYPE = "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"

SAMPLES = {
    "sum": [*_sums(), Sample(T(_integers), 1), Sample(T(_bools)), Sample(T(_bytes), 0)],
    "nansum": [
        *_over_dims(),
        Sample(T(_with_nan(3, 4)), 1),
        Sample(T(_with_nan(3, 4))),
        Sample(T(_integers), 0),
        Sample(T(_complex(2))).raises(RuntimeError, "nansum on CPU does not support complex inputs"),
    ],
    "mean": [*_sums(), Sample(T(_integers)).raises(RuntimeError, _NO_MEAN)],
    "nanmean": [
        *_over_dims(),
        Sample(T(_with_nan(3, 4)), 1, True),
        Sample(T(_integers)).raises(
            RuntimeError, "nanmean(): expected input to have floating point or complex dtype"
        ),
    ],
    "prod": [
        Sample(T(_floats(2, 3))),
        Sample(T(_floats(3, 4)), 1),
        Sample(T(_floats(2, 2, 3)), -2, keepdim=True),
        Sample(T(_zeros), 1),
        Sample(T(_zeros[0])),
        Sample(T(_complex(2, 3)), 0),
        Sample(T(_integers), 0),
        Sample(T(_bools)),
        Sample(T(_floats()), 0),
        Sample(T(_empty), 0),
        Sample(T(_floats(3, 4)), 5).raises(*_OUT_OF_RANGE),
    ],
    "amax": _extremes_over_dims("amax", "max_values_cpu"),
    "amin": _extremes_over_dims("amin", "min_values_cpu"),
    "aminmax": [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4)), dim=1),
        Sample(T(_ties), dim=0, keepdim=True),
        Sample(T(_ties), keepdim=True),
        Sample(T(_integers), dim=-1),
        Sample(T(_floats()), dim=0),
        Sample(T(_empty)).raises(RuntimeError, "aminmax(): cannot compute aminmax over an empty dimension"),
        Sample(T(_empty), dim=0).raises(
            IndexError, "aminmax: Expected reduction dim 0 to have non-zero size."
        ),
    ],
    "max": _extremes("max"),
    "min": _extremes("min"),
    "argmax": _indices("argmax"),
    "argmin": _indices("argmin"),
    "all": _truths(),
    "any": _truths(),
    "count_nonzero": [
        Sample(T(_integers)),
        Sample(T(_integers), 1),
        Sample(T(_with_nan(2, 3, 2)), (0, 2)),
        Sample(T(_complex(2, 2)), -1),
        Sample(T(_bools), (0, 0)).raises(*_TWICE),
    ],
    "var": [
        *_moments(),
        Sample(T(_floats(3, 4)), True),
        Sample(T(_floats(3, 4)), 0, unbiased=False, keepdim=True),
        Sample(T(_floats(3, 4)), correction=0.5),
        Sample(T(_floats(3, 4)), ()).options(
            grad=False,
            gradgrad=False,
            why="torch's derivatives are inf and nan for dim=(): it takes the count to be 1",
        ),
        Sample(T(_floats()), 0, correction=0),
        Sample(_half(_floats(3, 4)), 1).options(**_ROUNDED),
        Sample(T(_empty, grad=False), 0),
        Sample(T(_floats(3, 4)), (0, 0)).raises(*_TWICE),
        *_no_integers("var"),
    ],
    "std": [*_moments(), *_no_integers("std")],
    "var_mean": [*_moments(), *_no_integers("var_mean")],
    "std_mean": [*_moments(), *_no_integers("std_mean")],
    "logsumexp": [
        Sample(T(_floats(3, 4)), 0),
        Sample(T(_floats(3, 4) * 100), 1, True),
        Sample(T(_floats(2, 3, 4)), (0, 2)),
        Sample(T(_complex(2, 3)), 1),
        Sample(T(_integers), 1),
        Sample(T(_floats()), 0),
        Sample(T(np.array([-np.inf, 1.0, 0.5], np.float32)), 0),
        Sample(T(_empty, grad=False), 0),
        Sample(T(_floats(3, 4)), 5).raises(*_OUT_OF_RANGE),
    ],
    "norm": [
        Sample(T(_floats(3, 4))),
        Sample(T(_floats(3, 4)), 2, 1, True),
        Sample(T(_floats(3, 4)), 1, 0),
        Sample(T(_floats(3, 4)), math.inf, 1),
        Sample(T(_ties), math.inf, 1).options(
            gradgrad=False, why="torch's second derivative is an undefined tensor"
        ),
        Sample(T(_floats(3, 4)), 0, 1),
        Sample(T(_floats(3, 4)), 1.5),
        Sample(T(_floats(3, 4)), -1.5, 0),
        Sample(T(_floats(2, 3, 4)), "nuc", (0, 2), True),
        Sample(T(_complex(2, 3)), 2, 1),
        Sample(T(_complex(2, 3)), 1),
        Sample(T(np.zeros((2, 3), np.float32)), 2, 1).options(
            gradgrad=False, why="torch's is nan at 0, ours 0"
        ),
        Sample(T(np.zeros((2, 3), np.float32)), 1, 1).options(gradgrad=False, why="torch has none"),
        Sample(T(np.zeros((2, 3), np.float32)), math.inf, 1).options(gradgrad=False, why="torch has none"),
        Sample(_half(_floats(3, 4)), 2, 1).options(**_ROUNDED),
        Sample(T(_empty), 2, 0),
        Sample(T(_integers)).raises(RuntimeError, _NOT_TYPE),
        Sample(T(_floats(2, 3)), "abc").raises(RuntimeError, "linalg.matrix_norm: Order abc not supported."),
        Sample(T(_floats(2, 3)), "nuc", 0).raises(
            RuntimeError, "linalg.matrix_norm: dim must be a 2-tuple. Got 0"
        ),
        Sample(T(_empty), math.inf).raises(
            RuntimeError, "linalg.vector_norm cannot compute the inf norm on an empty tensor"
        ),
    ],
}
