"""Samples of nn/functional/activation.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(101)


def _f(*shape, dtype=np.float32):
    """Values between 0.1 and 3.5 in size, of both signs, away from the kinks at 0, 0.5, 1, 3 and 6."""
    x = _rng.choice([0.25, 0.75, 1.6, 2.6, 3.4], size=shape) + _rng.uniform(-0.1, 0.1, size=shape)
    return (x * _rng.choice([-1, 1], size=shape)).astype(dtype)


_INT = np.array([-2, 0, 3, 7])


def _once(samples: list[Sample]) -> list[Sample]:
    """Without second derivatives, which torch lacks."""
    for s in samples:
        if s.error is None:
            s.options(gradgrad=False, why="torch has no second derivative of it")
    return samples


def _pointwise(*more, integers: bool = False) -> list[Sample]:
    samples = [
        Sample(T(_f(3, 4))),
        Sample(T(_f(5, dtype=np.float64))),
        Sample(T(_f())),
        Sample(T(_f(0, 3))),
        Sample(T(_f(4), dtype="bfloat16", grad=False)),
    ]
    if integers:
        samples.append(Sample(T(_INT)))
    return samples + list(more)


def _no_long(kernel: str, *args, **kwargs) -> Sample:
    return Sample(T(_INT), *args, **kwargs).raises(
        NotImplementedError, f"\"{kernel}\" not implemented for 'Long'"
    )


_BOOL = np.array([True, False])

SAMPLES: dict[str, list[Sample]] = {
    "nn.functional.relu": _pointwise(
        Sample(T(_f(3)), inplace=False),
        Sample(T(np.array([0.0, -1.0, 2.0], np.float32))).options(
            gradgrad=False, why="the gradient at the kink is 0"
        ),
        Sample(T(_BOOL)).raises(RuntimeError, "Boolean inputs not supported for relu"),
        integers=True,
    ),
    "nn.functional.relu6": _pointwise(
        Sample(T(np.array([0.0, 6.0, 7.0, 3.0], np.float32))).options(
            gradgrad=False, why="the gradients at the kinks are 0"
        ),
        integers=True,
    ),
    "nn.functional.hardtanh": _pointwise(
        Sample(T(_f(3, 4)), -0.5, 2.0),
        Sample(T(np.array([-1.0, 1.0, 0.5], np.float32))).options(
            gradgrad=False, why="the gradients at the kinks are 0"
        ),
        Sample(T(_INT), -1, 4),
        Sample(T(_f(2)), 1.0, -1.0).raises(ValueError, "min_val cannot be greater than max_val"),
        Sample(T(np.array([1, 2], np.uint8))).raises(RuntimeError, "cannot do hardtanh on an unsigned type"),
    ),
    "nn.functional.leaky_relu": _pointwise(
        Sample(T(_f(3)), 0.2), Sample(T(_f(3)), negative_slope=-0.5), _no_long("leaky_relu_cpu")
    ),
    "nn.functional.rrelu": _pointwise(Sample(T(_f(3, 2)), 0.1, 0.5), _no_long("leaky_relu_cpu")),
    "nn.functional.prelu": [
        Sample(T(_f(2, 3, 4)), T(np.array([0.3], np.float32))),
        Sample(T(_f(2, 3, 4)), T(_f(3))),
        Sample(T(_f(4, 3)), T(_f(3))),
        Sample(T(_f(4)), T(np.float32(0.2))),
        Sample(T(_f(2, 3)), T(_f(2))).raises(
            RuntimeError, "Mismatch of parameter numbers and input channel size."
        ),
        Sample(T(_f(2, 3)), T(_f(3, dtype=np.float64))).raises(
            RuntimeError, "prelu: Type promoting not supported."
        ),
    ],
    "nn.functional.elu": _pointwise(Sample(T(_f(3)), 0.5), _no_long("elu_cpu")),
    "nn.functional.selu": _pointwise(_no_long("elu_cpu")),
    "nn.functional.celu": _pointwise(
        Sample(T(_f(3)), 0.5), Sample(T(_f(3)), alpha=0.0).raises(RuntimeError, "alpha cannot be 0 for CELU")
    ),
    "nn.functional.gelu": _pointwise(
        Sample(T(_f(3, 4)), approximate="tanh"),
        Sample(T(_f(3)), approximate="sigmoid").raises(
            RuntimeError, "approximate argument must be either none or tanh."
        ),
        _no_long("GeluKernelImpl"),
    ),
    "nn.functional.silu": _pointwise(_no_long("silu_cpu")),
    "nn.functional.mish": _pointwise(_no_long("mish_cpu")),
    "nn.functional.softplus": _pointwise(
        Sample(T(_f(3, 4)), 2.0, 4.0), Sample(T(_f(3)), beta=0.5), _no_long("softplus_cpu")
    ),
    "nn.functional.softsign": _pointwise(
        Sample(T(_BOOL)).raises(NotImplementedError, "\"abs_cpu\" not implemented for 'Bool'"), integers=True
    ),
    "nn.functional.tanhshrink": _pointwise(
        Sample(T(_BOOL)).raises(
            RuntimeError, "Subtraction, the `-` operator, with a bool tensor is not supported."
        ),
        integers=True,
    ),
    "nn.functional.sigmoid": _pointwise(Sample(T(_BOOL)), integers=True),
    "nn.functional.tanh": _pointwise(Sample(T(_BOOL)), integers=True),
    "nn.functional.logsigmoid": _pointwise(
        Sample(T(np.array([-200.0, 0.0, 200.0], np.float32))), _no_long("log_sigmoid_cpu")
    ),
    "nn.functional.hardsigmoid": _once(
        _pointwise(Sample(T(np.array([-3.0, 3.0, 1.0], np.float32))), _no_long("hardsigmoid_cpu"))
    ),
    "nn.functional.hardswish": _pointwise(
        Sample(T(np.array([-3.0, 3.0, 1.0], np.float32))).options(
            gradgrad=False, why="the gradients at the kinks"
        ),
        _no_long("hardswish_cpu"),
    ),
    "nn.functional.hardshrink": _pointwise(Sample(T(_f(3)), 1.1), _no_long("hardshrink_cpu")),
    "nn.functional.softshrink": _pointwise(
        Sample(T(_f(3)), 1.1),
        Sample(T(_f(3)), -1.0).raises(
            RuntimeError, "lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1"
        ),
    ),
    "nn.functional.threshold": [
        Sample(T(_f(3, 4)), 0.1, 20.0),
        Sample(T(_f(3)), threshold=-1.1, value=-1.0),
        Sample(T(_INT), 1, 9),
        Sample(T(_f()), 0.5, 0.0),
        Sample(T(_BOOL), 1, 0).raises(NotImplementedError, "\"threshold_cpu\" not implemented for 'Bool'"),
    ],
    "nn.functional.glu": [
        Sample(T(_f(3, 4))),
        Sample(T(_f(4, 3)), 0),
        Sample(T(_f(2, 2, 3)), dim=-2),
        Sample(T(_f(3, 3))).raises(RuntimeError, "Halving dimension must be even, but dimension 1 is size 3"),
        Sample(T(_f())).raises(
            RuntimeError, "glu does not support scalars because halving size must be even"
        ),
    ],
    "nn.functional.softmax": [
        Sample(T(_f(3, 4)), 1),
        Sample(T(_f(3, 4)), dim=0),
        Sample(T(_f(2, 3, 2)), -2),
        Sample(T(_f()), 0),
        Sample(T(_f(0, 3)), 1),
        Sample(T(_INT), 0, dtype=None).raises(
            NotImplementedError, "\"softmax_lastdim_kernel_impl\" not implemented for 'Long'"
        ),
        Sample(T(_f(4), dtype="bfloat16", grad=False), 0),
        Sample(T(_f(3)), 1).raises(IndexError, "Dimension out of range"),
    ],
    "nn.functional.log_softmax": [
        Sample(T(_f(3, 4)), 1),
        Sample(T(_f(3, 4, dtype=np.float64) * 100), dim=0),
        Sample(T(_f(2, 3, 2)), -2),
        Sample(T(_f()), 0),
        Sample(T(_f(3)), 1).raises(IndexError, "Dimension out of range"),
    ],
    "nn.functional.softmin": [
        Sample(T(_f(3, 4)), 1),
        Sample(T(_f(3, 4)), dim=0),
        Sample(T(_BOOL), 0).raises(
            RuntimeError, "Negation, the `-` operator, on a bool tensor is not supported."
        ),
    ],
    "nn.functional.normalize": [
        Sample(T(_f(3, 4))),
        Sample(T(_f(3, 4)), 1.0, 0),
        Sample(T(_f(3, 4)), p=3.0, dim=-1),
        Sample(T(_f(2, 3, 2)), dim=(1, 2)),
        Sample(T(_f(3, 4)), p=float("inf")),
        Sample(T(np.zeros((2, 3), np.float32))).options(gradgrad=False, why="the norm is not smooth at 0"),
        Sample(T(_INT)).raises(
            RuntimeError, "linalg.vector_norm: Expected a floating point or complex tensor"
        ),
    ],
}

SAMPLES["nn.functional._rrelu_train"] = [
    Sample(T(_f(3, 4)), T(np.array([7, 9], np.uint32)), 0.1, 0.5).options(
        vmap=False, why="the examples of a batch have one key here, and the reversed key is another"
    )
]

SAMPLES["nn.functional._rrelu_by"] = [
    Sample(T(_f(3, 4)), T(np.linspace(0.1, 0.5, 12, dtype=np.float32).reshape(3, 4), grad=False))
]
