"""Samples of the ops in functorch_lite/ops/unary.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(11)


def _floats(*shape, low=-2.0, high=2.0, dtype=np.float32):
    return _rng.uniform(low, high, shape).astype(dtype)


def _complex(*shape, dtype=np.complex64):
    return (_rng.uniform(-1.5, 1.5, shape) + 1j * _rng.uniform(-1.5, 1.5, shape)).astype(dtype)


def _off_kinks(*shape, dtype=np.float32):
    """Numbers at least 0.1 away from the multiples of one half."""
    return (_rng.integers(-6, 6, shape) / 2 + _rng.uniform(0.1, 0.4, shape)).astype(dtype)


def _smooth(low, high, complex_too):
    """Samples of a function that is smooth on (low, high)."""
    samples = [
        Sample(T(_floats(3, 4, low=low, high=high))),
        Sample(T(_floats(5, low=low, high=high, dtype=np.float64))),
        Sample(T(np.float32((low + 2 * high) / 3))),
        Sample(T(np.zeros((0, 3), np.float32))),
        Sample(T(_floats(4, low=low, high=high), dtype="bfloat16")).options(
            gradgrad=False, rtol=2e-2, atol=2e-2, why="the second derivative of bfloat16 is mostly rounding"
        ),
        Sample(T(np.array([max(1, int(np.ceil(low))) if high > 1 else 0], np.int64))),
    ]
    if complex_too:
        samples.append(Sample(T(_complex(3))))
    else:
        samples.append(
            Sample(T(_complex(3))).raises(NotImplementedError, "not implemented for 'ComplexFloat'")
        )
    return samples


SAMPLES: dict[str, list[Sample]] = {}

# name: (lower and upper end of where it is smooth and tame, whether it takes complex numbers)
_SMOOTH = {
    "exp": (-2, 2, True),
    "exp2": (-2, 2, True),
    "expm1": (-2, 2, True),
    "log": (0.2, 3, True),
    "log2": (0.2, 3, True),
    "log10": (0.2, 3, True),
    "log1p": (-0.7, 3, True),
    "sqrt": (0.2, 3, True),
    "rsqrt": (0.2, 3, True),
    "reciprocal": (0.3, 3, True),
    "sin": (-3, 3, True),
    "cos": (-3, 3, True),
    "tan": (-1.2, 1.2, True),
    "asin": (-0.9, 0.9, True),
    "acos": (-0.9, 0.9, True),
    "atan": (-3, 3, True),
    "sinh": (-2, 2, True),
    "cosh": (-2, 2, True),
    "tanh": (-2, 2, True),
    "asinh": (-3, 3, True),
    "acosh": (1.2, 4, True),
    "atanh": (-0.8, 0.8, True),
    "sigmoid": (-4, 4, True),
    "logit": (0.1, 0.9, False),
    "erf": (-2, 2, False),
    "erfc": (-2, 2, False),
    "erfinv": (-0.9, 0.9, False),
    "lgamma": (0.3, 4, False),
    "digamma": (0.3, 4, False),
    "i0": (-3, 3, False),
    "sinc": (-2, 2, True),
}
for _name, (_low, _high, _takes_complex) in _SMOOTH.items():
    SAMPLES[_name] = _smooth(_low, _high, _takes_complex)

_integers = np.array([-3, 0, 2, 5], np.int64)
_bools = np.array([True, False, True])
_weird = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.5, -1.5], np.float32)

SAMPLES["sinc"].append(
    Sample(T(np.array([0.0, 1.0], np.float32))).options(gradgrad=False, why="torch gives nan at 0")
)
SAMPLES["lgamma"].append(Sample(T(np.array([-0.5, -2.3, 7.5], np.float64))))
SAMPLES["digamma"][1].options(rtol=1e-8, why="torch's trigamma is good to 1e-9 only")
SAMPLES["digamma"].append(Sample(T(np.array([-0.5, -2.3, 7.5], np.float64))))
for _base in (2, 10):
    for _dtype in (np.float32, np.float64):
        _powers = T((float(_base) ** np.arange(-20, 21)).astype(_dtype), grad=False)
        SAMPLES[f"log{_base}"].append(Sample(_powers).options(rtol=0, atol=0, why="exact"))
    _subnormal = T(np.array([1e-40, 3e-45], np.float32), grad=False)
    SAMPLES[f"log{_base}"].append(Sample(_subnormal))
_CUTS = np.array(
    [complex(a, b) for a in (-2.0, -0.0, 0.0, 3.0) for b in (-2.0, -0.0, 0.0, 3.0) if a or b], np.complex128
)
for _name in ("sqrt", "rsqrt", "log", "asin", "acos", "atan", "asinh", "acosh", "atanh", "log1p"):
    SAMPLES[_name].append(Sample(T(_CUTS, grad=False)))
for _name in ("atan", "atanh", "log1p"):  # as near to a singularity as complex64 comes
    SAMPLES[_name].append(
        Sample(T(np.array([1e-20 + 1j, 1 - 1e-20j, -1 + 1e-20j], np.complex64), grad=False))
    )
SAMPLES["expm1"].append(
    Sample(T(np.array([1e3, -1e3, 1e-9 + 1e-9j, 3 - 2j, np.inf, -np.inf, np.nan], np.complex64), grad=False))
)
SAMPLES["exp2"].append(
    Sample(T(np.arange(-20, 20, dtype=np.float32), grad=False)).options(rtol=0, atol=0, why="exact")
)
SAMPLES["logit"] += [
    Sample(T(np.array([0.05, 0.3, 0.95], np.float32)), 0.1).options(
        gradgrad=False, why="torch gives nan outside"
    ),
    Sample(T(np.array([0.05, 0.3, 0.95], np.float64)), eps=1e-6),
]

SAMPLES |= {
    "abs": [
        Sample(T(_off_kinks(3, 4))),
        Sample(T(_off_kinks())),
        Sample(T(np.array([0.0, -0.0, 1.0], np.float32))),
        Sample(T(_integers)),
        Sample(T(np.array([0, 200], np.uint8))),
        Sample(T(_off_kinks(3), dtype="bfloat16")),
        Sample(T(_complex(4))),
        Sample(T(np.array([0j, 3 + 4j]))),
        Sample(T(_bools)).raises(NotImplementedError, "\"abs_cpu\" not implemented for 'Bool'"),
    ],
    "neg": [
        Sample(T(_floats(3, 4))),
        Sample(T(_integers)),
        Sample(T(np.array([0, 1, 200], np.uint8))),
        Sample(T(_complex(4))),
        Sample(T(_bools)).raises(
            RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported."
        ),
    ],
    "positive": [
        Sample(T(_floats(3, 4))),
        Sample(T(_integers)),
        Sample(T(_bools)).raises(RuntimeError, "The `+` operator, on a bool tensor is not supported."),
    ],
    "sign": [
        Sample(T(_off_kinks(3, 4))),
        Sample(T(_weird, grad=False)),
        Sample(T(_integers)),
        Sample(T(_bools)),
        Sample(T(_complex(2))).raises(
            NotImplementedError, "Unlike NumPy, torch.sign is not intended to support"
        ),
    ],
    "sgn": [
        Sample(T(_off_kinks(3, 4))),
        Sample(T(_integers)),
        Sample(T(_complex(4))),
        Sample(T(np.array([0, 3 + 4j], np.complex128), grad=False)),
    ],
    "signbit": [
        Sample(T(_weird, grad=False)),
        Sample(T(_integers)),
        Sample(T(_bools)),
        Sample(T(_floats(), grad=False)),
    ],
    "angle": [
        Sample(T(_complex(3, 2))),
        Sample(T(_weird)),
        Sample(T(_integers)),
        Sample(T(np.zeros(2, np.complex64))).options(gradgrad=False, why="torch gives nan at 0"),
    ],
    "conj_physical": [Sample(T(_complex(3))), Sample(T(_floats(3))), Sample(T(_integers))],
    "conj": [Sample(T(_complex(3))), Sample(T(_floats(3))), Sample(T(_integers))],
    "_neg_view": [Sample(T(_floats(3))), Sample(T(_complex(3)))],
    "real": [Sample(T(_complex(3))), Sample(T(_complex(2, dtype=np.complex128))), Sample(T(_floats(3)))],
    "imag": [
        Sample(T(_complex(3))),
        Sample(T(_complex(2, dtype=np.complex128))),
        Sample(T(_floats(3))).raises(
            RuntimeError, "imag is not implemented for tensors with non-complex dtypes."
        ),
    ],
    "round": [
        Sample(T(_off_kinks(3, 4))),
        Sample(T(np.array([0.5, 1.5, 2.5, -0.5, -1.5], np.float32), grad=False)),
        Sample(T(_off_kinks(4, dtype=np.float64)), decimals=1),
        Sample(T(_floats(4, low=-200, high=200)), decimals=-1),
        *(
            Sample(T(np.linspace(-123.456, 77.7, 301).astype(dtype), grad=False), decimals=digits).options(
                rtol=0, atol=0, why="divided as torch divides: 1.1 is not 1.1000000000000001"
            )
            for dtype in (np.float32, np.float64)
            for digits in (1, 2, -1, 7)
        ),
        Sample(T(np.array([0.0, 1.5, -3.0], np.float32), grad=False), decimals=400),
        Sample(T(_integers)),
        Sample(T(_integers), decimals=1).raises(
            NotImplementedError, "\"round_cpu\" not implemented for 'Long'"
        ),
    ],
    "frac": [
        Sample(T(_off_kinks(3, 4))),
        Sample(T(_off_kinks(3), dtype="bfloat16")),
        Sample(T(_integers)).raises(NotImplementedError, "\"frac_cpu\" not implemented for 'Long'"),
    ],
    "square": [
        Sample(T(_floats(3, 4))),
        Sample(T(_integers)),
        Sample(T(_bools)),
        Sample(T(_complex(3))),
        Sample(T(_floats(3), dtype="bfloat16")),
    ],
    "deg2rad": [
        Sample(T(_floats(3, 4, high=90.0))),
        Sample(T(_integers)),
        Sample(T(_complex(2))).raises(RuntimeError, "deg2rad is not supported for complex tensors."),
    ],
    "rad2deg": [
        Sample(T(_floats(3, 4))),
        Sample(T(_integers)),
        Sample(T(_complex(2))).raises(RuntimeError, "rad2deg is not supported for complex tensors."),
    ],
    "polygamma": [
        Sample(0, T(_floats(4, low=0.5, high=4.0))),
        Sample(1, T(_floats(2, 3, low=0.5, high=4.0))),
        Sample(2, T(np.array([-0.5, 1.5, 3.0], np.float64))),
        Sample(1, T(np.array([-50.5, -10.25, -0.7], np.float64))),
        Sample(4, T(np.array([-20.4, -3.5, 7.0]))),
        Sample(3, T(np.float64(2.5))),
        Sample(1, T(np.array([1, 2], np.int64))),
        Sample(101, T(np.array([-0.4, -3.6, 0.7]))),
        Sample(102, T(np.array([-0.4, -3.6, 0.7]))),
        Sample(-1, T(_floats(2))).raises(RuntimeError, "polygamma(n, x) does not support negative n."),
    ],
    "mvlgamma": [
        Sample(T(_floats(4, low=2.0, high=4.0)), 2),
        Sample(T(_floats(2, 2, low=2.0, high=4.0, dtype=np.float64)), p=3),
        Sample(T(_floats(2)), 0).raises(RuntimeError, "p has to be greater than or equal to 1"),
    ],
    "relu": [
        Sample(T(_off_kinks(3, 4))),
        Sample(T(np.array([0.0, -0.0, 1.0], np.float32))),
        Sample(T(_integers)),
        Sample(T(_off_kinks(3), dtype="bfloat16")),
        Sample(T(_bools)).raises(RuntimeError, "Boolean inputs not supported for relu"),
    ],
    "nan_to_num": [
        Sample(T(_weird)),
        Sample(T(_weird), 1.0, 2.0, -3.0),
        Sample(T(_weird, dtype="bfloat16", grad=False), nan=2.0),
        Sample(T(_integers)),
        Sample(T(np.array([complex(np.nan, np.inf), 1j], np.complex64), grad=False), neginf=2.0),
    ],
    "clamp": [
        Sample(T(_off_kinks(3, 4)), -1.0, 1.0),
        Sample(T(_off_kinks(3, 4)), min=0),
        Sample(T(np.array([0.0, 1.0, 0.5, -1.0, 2.0], np.float32)), 0, 1),
        Sample(T(_off_kinks(3, 4)), 1.0, 0.0),
        Sample(T(_off_kinks(3, 4)), T(_floats(4) - 1), T(_floats(3, 1) + 1)),
        Sample(T(_off_kinks(4)), max=T(_floats(3, 1))),
        Sample(T(_integers), -1, 3),
        Sample(T(_integers), 0.5),
        Sample(T(_off_kinks(3), dtype="bfloat16"), -1, 1),
        Sample(T(_off_kinks(3))).raises(
            RuntimeError, "torch.clamp: At least one of 'min' or 'max' must not be None"
        ),
        Sample(T(_complex(3)), 1).raises(NotImplementedError, "clamp is not supported for complex types"),
        Sample(T(np.array([5], np.uint8)), max=300).raises(
            RuntimeError, "value cannot be converted to type uint8_t without overflow"
        ),
    ],
    "clamp_min": [
        Sample(T(_off_kinks(3, 4)), 0.0),
        Sample(T(_off_kinks(3)), T(_floats(3))),
        Sample(T(_integers), 1),
    ],
    "clamp_max": [
        Sample(T(_off_kinks(3, 4)), 0.0),
        Sample(T(_off_kinks(3)), T(_floats(3))),
        Sample(T(_integers), 1),
    ],
    "frexp": [
        Sample(T(_floats(3, 4))),
        Sample(
            T(np.array([0.0, 8.0, -3.0, 1e-40], np.float32), grad=False)
        ),  # the exponent of inf and nan is anything
        Sample(T(_floats(4, dtype=np.float64))),
        Sample(T(_integers)).raises(RuntimeError, "torch.frexp() only supports floating-point dtypes"),
    ],
}
for _name in ("floor", "ceil", "trunc"):
    SAMPLES[_name] = [
        Sample(T(_off_kinks(3, 4))),
        Sample(T(_weird, grad=False)),
        Sample(T(_off_kinks(3), dtype="bfloat16")),
        Sample(T(_integers)),
        Sample(T(_bools)).raises(NotImplementedError, f"\"{_name}_vml_cpu\" not implemented for 'Bool'"),
        Sample(T(_complex(2))).raises(NotImplementedError, f"{_name} is not supported for complex inputs"),
    ]
