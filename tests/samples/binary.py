"""Samples of the ops in functorch_lite/ops/binary.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(12)


def _floats(*shape, low=-2.0, high=2.0, dtype=np.float32):
    return _rng.uniform(low, high, shape).astype(dtype)


def _complex(*shape):
    return (_rng.uniform(0.3, 1.5, shape) + 1j * _rng.uniform(-1.5, 1.5, shape)).astype(np.complex64)


def _far_from_0(*shape, dtype=np.float32):
    return (_rng.choice([-1, 1], shape) * _rng.uniform(0.4, 2.0, shape)).astype(dtype)


_integers = np.array([-7, 0, 2, 5], np.int64)
_divisors = np.array([2, -3, 5, -5], np.int64)
_small = np.array([1, 2, 3, 4], np.int32)
_bytes = np.array([1, 200, 3, 4], np.uint8)
_bools = np.array([True, False, True, False])
_cross = np.array([False, False, True, True])
_MISFIT = (
    RuntimeError,
    "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
)
_NO_BOOL_MINUS = "Subtraction, the `-` operator, with a bool tensor is not supported."


def _pairs(make_a=_floats, make_b=_floats):
    """Samples that any function of two floating point tensors takes."""
    return [
        Sample(T(make_a(3, 4)), T(make_b(3, 4))),
        Sample(T(make_a(3, 1)), T(make_b(4))),
        Sample(T(make_a()), T(make_b(2, dtype=np.float64))),
        Sample(T(make_a(4, dtype=np.float64)), T(make_b(dtype=np.float64))),
        Sample(T(np.zeros((0, 3), np.float32)), T(make_b(1, 3))),
        Sample(T(make_a(4), dtype="bfloat16"), T(make_b(4), dtype="bfloat16")).options(
            gradgrad=False, rtol=3e-2, atol=3e-2, why="the second derivative of bfloat16 is mostly rounding"
        ),
        Sample(T(make_a(2, 3)), T(make_b(2, 4))).raises(*_MISFIT),
    ]


def _no_kernel(name):
    return Sample(T(_bools), T(_bools)).raises(NotImplementedError, f"\"{name}\" not implemented for 'Bool'")


def _no_complex(name):
    return Sample(T(_complex(2)), T(_complex(2))).raises(
        NotImplementedError, f"\"{name}\" not implemented for 'ComplexFloat'"
    )


SAMPLES: dict[str, list[Sample]] = {
    "add": [
        *_pairs(),
        Sample(T(_floats(3)), 2),
        Sample(T(_floats(3)), T(_floats(3)), alpha=-0.5),
        Sample(T(_integers), 1.5),
        Sample(T(_integers), T(_small), alpha=3),
        Sample(T(_bytes), 300),
        Sample(T(_bools), T(_cross)),
        Sample(T(_bools), T(_integers)),
        Sample(T(_complex(3)), T(_floats(3)), alpha=1j),
        Sample(T(_integers), T(_integers), alpha=1.5).raises(
            RuntimeError, "For integral input tensors, argument alpha must not be a floating point number."
        ),
        Sample(T(_floats(2)), T(_floats(2)), alpha=True).raises(
            RuntimeError, "Boolean alpha only supported for Boolean results."
        ),
    ],
    "sub": [
        *_pairs(),
        Sample(T(_floats(3)), 2, alpha=3),
        Sample(T(_integers), T(_divisors)),
        Sample(T(_bytes), T(_integers)),
        Sample(T(_complex(3)), T(_complex(3)), alpha=2.0),
        Sample(T(_bools), T(_bools)).raises(
            RuntimeError, "Subtraction, the `-` operator, with two bool tensors is not supported."
        ),
        Sample(T(_bools), 1).raises(RuntimeError, _NO_BOOL_MINUS),
        Sample(T(_integers), T(_bools)).raises(RuntimeError, _NO_BOOL_MINUS),
    ],
    "rsub": [
        Sample(T(_floats(3, 4)), 1),
        Sample(T(_floats(3, 1)), T(_floats(4)), alpha=2),
        Sample(T(_integers), 2.5),
        Sample(T(_bools), 1).raises(RuntimeError, _NO_BOOL_MINUS),
    ],
    "mul": [
        *_pairs(),
        Sample(T(_floats(3)), 2),
        Sample(T(_integers), 1.5),
        Sample(T(_bytes), T(_small)),
        Sample(T(_bools), T(_cross)),
        Sample(T(_bools), 2.5),
        Sample(T(_complex(3)), T(_complex(3))),
        Sample(T(_complex(3)), 2j),
    ],
    "addcmul": [
        Sample(T(_floats(3, 4)), T(_floats(3, 1)), T(_floats(4))),
        Sample(T(_floats(3)), T(_floats(3)), T(_floats(3)), value=-0.5),
        Sample(T(_integers), T(_divisors), T(_small), value=2),
        Sample(T(_floats(3), dtype="bfloat16", grad=False), T(_floats(3)), T(_floats(3))),
        Sample(T(_complex(2)), T(_complex(2)), T(_complex(2)), value=0.5),
        Sample(T(_floats(2)), T(_floats(2)), T(_floats(2)), value=1j).raises(
            RuntimeError, "value cannot be converted to type float without overflow"
        ),
    ],
    "addcdiv": [
        Sample(T(_floats(3, 4)), T(_floats(3, 1)), T(_far_from_0(4))),
        Sample(T(_floats(3)), T(_floats(3)), T(_far_from_0(3)), value=-0.5),
        Sample(T(_integers), T(_floats(4)), T(_far_from_0(4))),
        Sample(T(_floats(2)), T(np.array([1, 2])), T(np.array([1, 2]))).raises(
            RuntimeError, "Integer division with addcdiv is no longer supported"
        ),
    ],
    "lerp": [
        Sample(T(_floats(3, 4)), T(_floats(4)), 0.3),
        Sample(T(_floats(3, 4)), T(_floats(4)), 0.8),
        Sample(T(_floats(3, 1)), T(_floats(4)), T(_floats(3, 4, low=0.0, high=1.0))),
        Sample(T(_complex(3)), T(_complex(3)), 0.25),
        Sample(T(_floats(2)), T(_floats(2, dtype=np.float64)), 0.5).raises(
            RuntimeError, "expected dtype float for `end` but got dtype double"
        ),
        Sample(T(_integers), T(_integers), 0.5).raises(
            NotImplementedError, "\"lerp_kernel_scalar\" not implemented for 'Long'"
        ),
    ],
    "div": [
        *_pairs(make_b=_far_from_0),
        Sample(T(_floats(3)), 2),
        Sample(T(_integers), T(_divisors)),
        Sample(T(_integers), 2),
        Sample(T(_complex(3)), T(_complex(3))),
        Sample(T(np.array([1e-30], np.float32)), T(np.array([1e-30], np.float32))).options(
            gradgrad=False,
            differences=False,
            why="the second derivative overflows, and 1e-30 is small next to any difference",
        ),
        Sample(T(_floats(3, 4)), T(_far_from_0(4)), rounding_mode="floor"),
        Sample(T(_floats(3, 4)), T(_far_from_0(4)), rounding_mode="trunc"),
        Sample(T(_integers), T(_divisors), rounding_mode="floor"),
        Sample(T(_integers), T(_divisors), rounding_mode="trunc"),
        Sample(T(_bytes), 7, rounding_mode="floor"),
        Sample(T(_floats(2)), 2.0, rounding_mode="up").raises(
            RuntimeError, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found 'up'"
        ),
    ],
    "true_divide": [*_pairs(make_b=_far_from_0), Sample(T(_integers), 2), Sample(T(_integers), T(_divisors))],
    "floor_divide": [
        Sample(T(_floats(3, 4), grad=False), T(_far_from_0(4), grad=False)),
        Sample(T(_floats(4), grad=False), 0.3),
        Sample(T(_integers), T(_divisors)),
        Sample(T(_integers), 1.5),
        Sample(
            T(np.array([1, 0, -1, 5, -5], np.float32), grad=False),
            T(np.array([0, 0, 0, np.inf, np.inf], np.float32), grad=False),
        ),
        _no_kernel("div_floor_cpu"),
    ],
    "remainder": [
        Sample(T(_floats(3, 4)), T(_far_from_0(4))),
        Sample(T(_floats(4)), 0.7),
        Sample(T(_integers), T(_divisors)),
        Sample(T(_integers), -3),
        Sample(-7, T(_divisors)),
        Sample(
            T(np.array([5, -5, 1], np.float32), grad=False),
            T(np.array([np.inf, np.inf, 0], np.float32), grad=False),
        ),
        _no_kernel("remainder_cpu"),
    ],
    "fmod": [
        Sample(T(_floats(3, 4)), T(_far_from_0(4))),
        Sample(T(_floats(4)), 0.7),
        Sample(T(_integers), T(_divisors)),
        Sample(T(_integers), -3),
        Sample(
            T(np.array([5, -5, 1], np.float32), grad=False),
            T(np.array([np.inf, np.inf, 0], np.float32), grad=False),
        ),
        _no_kernel("fmod_cpu"),
    ],
    "pow": [
        *_pairs(make_a=lambda *s, **k: np.abs(_far_from_0(*s, **k))),
        *(Sample(T(_far_from_0(2, 3)), e) for e in (0, 1, 2, 3, -1, -2, 4, 11, -3.0, 2.0)),
        *(Sample(T(np.abs(_far_from_0(4))), e) for e in (0.5, -0.5, 1.7, -2.3)),
        Sample(2, T(_floats(3))),
        Sample(1.0, T(_floats(3))),
        Sample(2.5, T(_integers)),
        Sample(2, T(np.array([0, 1, 5, -1], np.int64))),
        Sample(T(np.array([0.0, 2.0], np.float32)), T(np.array([0.0, 0.0], np.float32))).options(
            gradgrad=False, why="torch gives nan at 0"
        ),
        Sample(T(_integers), 2),
        Sample(T(_integers), 0.5),
        Sample(T(_bools), 2),
        Sample(T(np.array([2, -1, 1, 0, -2, 3], np.int64)), T(np.array([-1, -3, -2, -1, -2, 41], np.int64))),
        Sample(T(_complex(3)), 2),
        Sample(T(_complex(3)), T(_complex(3))),
        Sample(T(_complex(3)), 1j),
        Sample(T(np.abs(_floats(3)), dtype="bfloat16"), 2).options(gradgrad=False, rtol=2e-2, why="bfloat16"),
        Sample(T(_integers), -1).raises(RuntimeError, "Integers to negative integer powers are not allowed."),
        _no_kernel("pow"),
    ],
    "float_power": [
        Sample(T(np.abs(_far_from_0(3, 4))), T(_floats(4))),
        Sample(T(_far_from_0(3)), 2),
        Sample(T(_small), -1),
        Sample(2, T(_integers)),
        Sample(T(_complex(2)), 2),
    ],
    "ldexp": [
        Sample(T(np.array([1e-30, 1e30], np.float32), grad=False), T(np.array([150, -200], np.int64))),
        Sample(T(_floats(3).astype(np.float16), grad=False), T(np.array([2, 0, -3], np.int8))),
        Sample(T(_floats(3, 4)), T(np.array([2, 0, 1, 3], np.int32))),
        Sample(T(_floats(3)), T(_floats(3))),
        Sample(T(_integers), T(_small)),
    ],
    "xlogy": [
        *_pairs(make_b=lambda *s, **k: np.abs(_far_from_0(*s, **k))),
        Sample(T(_floats(3)), 2.5),
        Sample(2, T(np.abs(_far_from_0(3)))),
        Sample(
            T(np.array([0.0, 0.0, 1.0], np.float32), grad=False),
            T(np.array([0.0, np.nan, 2.0], np.float32), grad=False),
        ),
        Sample(T(_small), T(_small)),
        _no_complex("xlogy_cpu"),
    ],
    "atan2": [
        *_pairs(make_a=_far_from_0),
        Sample(T(np.zeros(1, np.float32)), T(np.zeros(1, np.float32))).options(
            gradgrad=False, why="torch gives nan"
        ),
        Sample(T(_integers), T(_divisors)),
        _no_complex("atan2_cpu"),
    ],
    "hypot": [
        *_pairs(make_a=_far_from_0),
        Sample(T(np.array([1.0, 3e30], np.float32)), T(np.array([1.0, 4e30], np.float32))).options(
            gradgrad=False, why="the second derivative at 4e30 vanishes"
        ),
        _no_kernel("hypot_cpu"),
    ],
    "logaddexp": [
        *_pairs(),
        Sample(T(np.array([-np.inf, 500.0], np.float32)), T(np.array([1.0, 501.0], np.float32))).options(
            gradgrad=False, why="torch gives nan at infinity"
        ),
        _no_kernel("logaddexp_cpu"),
    ],
    "logaddexp2": [*_pairs(), _no_kernel("logaddexp2_cpu")],
    "copysign": [
        *_pairs(make_a=_far_from_0, make_b=_far_from_0),
        Sample(T(_far_from_0(3)), -0.0),
        Sample(T(_integers), -2),
        Sample(T(np.array([1.0, -0.0, 0.0], np.float32)), T(np.array([-0.0, 1.0, -2.0], np.float32))).options(
            gradgrad=False, why="torch gives nan at 0"
        ),
    ],
    "heaviside": [
        Sample(
            T(np.array([-1.0, 0.0, 2.0, np.nan], np.float32), grad=False),
            T(np.array([0.5], np.float32), grad=False),
        ),
        Sample(T(_integers), T(_divisors)),
        Sample(T(_floats(2)), T(_floats(2, dtype=np.float64))).raises(
            RuntimeError, "heaviside is not yet implemented for tensors with different dtypes."
        ),
    ],
    "gcd": [
        Sample(T(_integers), T(_divisors)),
        Sample(T(np.array([[12], [-18], [0]])), T(np.array([8, 0], np.int32))),
        Sample(
            T(np.array([[-128], [-127], [6], [0]], np.int8)), T(np.array([-128, 12, 7, 0], np.int8))
        ),  # |-128| is -128
        Sample(T(np.array([0, -1, -3])), T(np.array(-(2**63)))),
        _no_kernel("gcd_cpu"),
    ],
    "lcm": [
        Sample(T(_integers), T(_divisors)),
        Sample(T(np.array([[12], [-18], [0]])), T(np.array([8, 0], np.int32))),
        Sample(
            T(np.array([[-128], [-127], [6], [0]], np.int8)), T(np.array([-128, 12, 7, 0], np.int8))
        ),  # |-128| is -128
        _no_kernel("lcm_cpu"),
    ],
    "nextafter": [
        Sample(T(_floats(3, 4)), T(_floats(4))),
        Sample(T(np.array([0.0, 1.0], np.float64)), T(np.array([1.0, 1.0], np.float64))).options(
            differences=False, why="the gradient at equality is torch's convention"
        ),
        Sample(T(_floats(3), dtype="bfloat16"), T(_floats(3), dtype="bfloat16")),
        _no_kernel("nextafter_cpu"),
    ],
}
_unequal = (
    np.array([0.0, 1.0, 2.0, -2.0, np.inf, -0.0], np.float32),
    np.array([0.5, 1.0, -1.0, 3.0, np.inf, -1.0], np.float32),
)
_nans = np.array([np.nan, 1.0, np.nan], np.float32), np.array([1.0, np.nan, np.nan], np.float32)
for _name in ("maximum", "minimum", "fmax", "fmin"):
    SAMPLES[_name] = [
        *_pairs(),
        Sample(T(_unequal[0]), T(_unequal[1])),
        Sample(T(_nans[0], grad="f" not in _name), T(_nans[1], grad="f" not in _name)),
        Sample(T(_integers), T(_small)),
        Sample(T(_bools), T(_cross)),
        Sample(T(_complex(2)), T(_complex(2))).raises(
            RuntimeError, f"{_name} not implemented for complex tensors."
        ),
    ]
SAMPLES["atan2"][2].options(rtol=1e-6, why="torch squares the 0-d float32 in float32")
