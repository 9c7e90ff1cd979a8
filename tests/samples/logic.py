"""Samples of the ops in functorch_lite/ops/logic.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(13)


def _floats(*shape, dtype=np.float32):
    """Floating point numbers without gradients: many pairs of them are equal."""
    return T((_rng.integers(-3, 3, shape) / 2).astype(dtype), grad=False)


def _integers(*shape, dtype=np.int64):
    return T(_rng.integers(0 if np.dtype(dtype).kind == "u" else -4, 5, shape).astype(dtype))


def _bools(*shape):
    return T(_rng.integers(0, 2, shape).astype(bool))


def _complex(*shape):
    return T(
        (_rng.integers(-1, 2, shape) + 1j * _rng.integers(-1, 2, shape)).astype(np.complex64), grad=False
    )


def _smooth(*shape, dtype=np.float32):
    return T(_rng.normal(size=shape).astype(dtype))


_weird = T(np.array([np.nan, np.inf, -np.inf, -0.0, 1.0], np.float32), grad=False)
_weird_complex = T(np.array([complex(np.nan, 1), complex(1, -np.inf), 1j, 2.0], np.complex64), grad=False)
_MISFIT = (
    RuntimeError,
    "The size of tensor a (3) must match the size of tensor b (4) at non-singleton dimension 1",
)

SAMPLES: dict[str, list[Sample]] = {}

for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    SAMPLES[_name] = [
        Sample(_floats(3, 4), _floats(4)),
        Sample(_floats(3, 1), _integers(4)),
        Sample(_floats(4), 0.5),
        Sample(_integers(4), 0.5),
        Sample(_integers(4, dtype=np.uint8), -1),
        Sample(_bools(4), _bools(4)),
        Sample(T(np.float32(1), grad=False), _floats(0)),
        Sample(_weird, _weird),
        Sample(_complex(4), _complex(4))
        if _name in ("eq", "ne")
        else Sample(_complex(4), 1).raises(
            NotImplementedError, f"\"{_name}_cpu\" not implemented for 'ComplexFloat'"
        ),
        Sample(_floats(2, 3), _floats(2, 4)).raises(*_MISFIT),
    ]

for _name in ("logical_and", "logical_or", "logical_xor"):
    SAMPLES[_name] = [
        Sample(_bools(3, 4), _bools(4)),
        Sample(_floats(3, 1), _integers(4)),
        Sample(_complex(4), _bools()),
        Sample(_bools(0), _bools(1)),
        Sample(_floats(2, 3), _floats(2, 4)).raises(*_MISFIT),
    ]
SAMPLES["logical_not"] = [Sample(_bools(3)), Sample(_floats(3, 2)), Sample(_integers()), Sample(_complex(4))]

for _name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
    SAMPLES[_name] = [
        Sample(_integers(3, 4), _integers(4)),
        Sample(_integers(3, 1, dtype=np.uint8), _integers(4, dtype=np.int8)),
        Sample(_bools(4), _bools(4)),
        Sample(_integers(4), 6),
        Sample(5, _integers(4)),
        Sample(_bools(4), 2),
        Sample(_floats(2), _floats(2)).raises(
            NotImplementedError, f"\"{_name}_cpu\" not implemented for 'Float'"
        ),
    ]
SAMPLES["bitwise_not"] = [
    Sample(_integers(3, 2)),
    Sample(_bools(3)),
    Sample(_integers(3, dtype=np.uint8)),
    Sample(_floats(2)).raises(NotImplementedError, "\"bitwise_not_cpu\" not implemented for 'Float'"),
]
for _name, _kernel in (("bitwise_left_shift", "lshift_cpu"), ("bitwise_right_shift", "rshift_cpu")):
    SAMPLES[_name] = [
        Sample(_integers(6), T(np.array([0, 1, 3, 63, 64, -1]))),
        Sample(T(np.array([-5, 5, 7], np.int32)), T(np.array([31, 32, 100], np.int32))),
        Sample(T(np.array([200, 5], np.uint8)), 3),
        Sample(2, _integers(3, dtype=np.uint8)),
        Sample(_bools(2), _bools(2)).raises(NotImplementedError, f"\"{_kernel}\" not implemented for 'Bool'"),
    ]

for _name in ("isnan", "isinf", "isfinite", "isreal", "isposinf", "isneginf"):
    SAMPLES[_name] = [
        Sample(_weird),
        Sample(_floats()),
        Sample(_integers(3, 2)),
        Sample(_bools(0)),
        Sample(T(_weird.array, grad=False, dtype="bfloat16")),
        Sample(_weird_complex).raises(RuntimeError, f"{_name} does not support complex inputs.")
        if _name in ("isposinf", "isneginf")
        else Sample(_weird_complex),
    ]

_near = (
    np.array([1.0, 1.0, 0.0, np.inf, np.nan, np.inf], np.float32),
    np.array([1.000001, 1.1, 1e-9, np.inf, np.nan, 1.0], np.float32),
)
SAMPLES |= {
    "isclose": [
        Sample(T(_near[0], grad=False), T(_near[1], grad=False)),
        Sample(T(_near[0], grad=False), T(_near[1], grad=False), equal_nan=True),
        Sample(_floats(3, 1), _floats(4), rtol=0.5, atol=0.1),
        Sample(_floats(3, 1), _floats(4), rtol=0.0, atol=0.0),
        Sample(_integers(4), _integers(4), atol=1.0),
        Sample(_bools(4), _bools(4)),
        Sample(_complex(4), _complex(4), rtol=0.8),
        Sample(_floats(2), _floats(2, dtype=np.float64)).raises(RuntimeError, "Float did not match Double"),
        Sample(_floats(2), _floats(2), rtol=-1.0).raises(
            RuntimeError, "rtol must be greater than or equal to zero"
        ),
        Sample(_floats(2), _floats(2), atol=-1.0).raises(
            RuntimeError, "atol must be greater than or equal to zero"
        ),
    ],
    "isin": [
        Sample(_integers(3, 4), _integers(2, 2)),
        Sample(_floats(5), _integers(3), invert=True),
        Sample(_integers(40), _integers(100, dtype=np.int32)),
        Sample(_floats(6), 0.5),
        Sample(2, _integers(4)),
        Sample(_weird, _weird),
        Sample(_weird, T(np.full(70, np.nan, np.float32), grad=False)),
        Sample(_integers(3), _integers(0)),
        Sample(_bools(2), _bools(2)).raises(
            RuntimeError, "Unsupported input type encountered for isin(): Bool"
        ),
    ],
    "where": [
        Sample(_bools(3, 4), _smooth(3, 4), _smooth(3, 4)),
        Sample(_bools(3, 1), _smooth(4), _smooth()),
        Sample(_bools(4), _smooth(4), 0.5),
        Sample(_bools(4), 2, _smooth(4)),
        Sample(_bools(4), 1, 2.5),
        Sample(_bools(4), _integers(4), 2.5),
        Sample(_bools(4), _integers(4), _smooth(4, dtype=np.float64)),
        Sample(_bools(4), True, False),
        Sample(_integers(2), 1, 2).raises(
            RuntimeError, "where expected condition to be a boolean tensor, but got a tensor with dtype Long"
        ),
        Sample(_bools(4), _integers(4, dtype=np.int8), 300).raises(
            RuntimeError, "value cannot be converted to type int8_t without overflow"
        ),
        Sample(_bools(2, 3), _smooth(2, 4), 0).raises(*_MISFIT),
    ],
    "masked_fill": [
        Sample(_smooth(3, 4), _bools(4), 0.5),
        Sample(_smooth(4), _bools(3, 1), -np.inf),
        Sample(_smooth(3, 4), _bools(3, 4), _smooth()),
        Sample(_integers(4), _bools(4), 1.5),
        Sample(_bools(4), _bools(4), 2),
        Sample(T(np.ones(4, np.float32), dtype="bfloat16"), _bools(4), 3),
        Sample(_smooth(4), _bools(4), T(np.int64(2))),
        Sample(_smooth(2), _integers(2), 0).raises(
            RuntimeError, "masked_fill_ only supports boolean masks, but got mask with dtype long int"
        ),
        Sample(_smooth(2), _bools(2), _smooth(2)).raises(
            RuntimeError,
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with 1 dimension(s).",
        ),
        Sample(_smooth(2), _bools(2), 1j).raises(
            RuntimeError, "value cannot be converted to type float without overflow"
        ),
    ],
}
