"""Samples of the ops in functorch_lite/ops/fft.py."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(31)


def _real(*shape, dtype=np.float32):
    return T(_rng.uniform(-1, 1, shape).astype(dtype))


def _complex(*shape, dtype=np.complex64):
    return T((_rng.uniform(-1, 1, shape) + 1j * _rng.uniform(-1, 1, shape)).astype(dtype))


_integers = T(np.arange(6).reshape(2, 3))
_bad_norm = 'Invalid normalization mode: "xx"'
_no_points = "Invalid number of data points (0) specified"

SAMPLES: dict[str, list[Sample]] = {}

for _name in ("fft", "ifft"):
    SAMPLES[f"fft.{_name}"] = [
        Sample(_complex(2, 5)),
        Sample(_real(3, 4), 3, 0, "ortho"),
        Sample(_real(4, dtype=np.float64), n=6, norm="forward"),
        Sample(_integers, norm="backward"),
        Sample(_real(2, 2), norm="xx").raises(RuntimeError, _bad_norm),
        Sample(_real(2, 2), 0).raises(RuntimeError, _no_points),
        Sample(_real(), 1).raises(IndexError, "Dimension specified as -1 but tensor has no dimensions"),
        Sample(_real(2), dim=1).raises(IndexError, "Dimension out of range"),
        Sample(T(np.ones(2, np.float16))).raises(RuntimeError, "Unsupported dtype Half"),
    ]
for _name in ("rfft", "ihfft"):
    SAMPLES[f"fft.{_name}"] = [
        Sample(_real(2, 5)),
        Sample(_real(4, 3), 3, 0, "ortho"),
        Sample(_real(4, dtype=np.float64), n=6, norm="forward"),
        Sample(_integers),
        Sample(_complex(2)).raises(
            RuntimeError, f"{_name} expects a real input tensor, but got ComplexFloat"
        ),
        Sample(_real(2), 0).raises(RuntimeError, _no_points),
    ]
for _name in ("irfft", "hfft"):
    SAMPLES[f"fft.{_name}"] = [
        Sample(_complex(2, 4)),
        Sample(_complex(4, 3), 3, 0, "ortho"),
        Sample(_complex(3, dtype=np.complex128), n=7, norm="forward"),
        Sample(_real(3)),
        Sample(_integers, 1),
        Sample(_complex(2, 1)).raises(RuntimeError, _no_points),
    ]
for _name in ("fft2", "ifft2", "fftn", "ifftn"):
    SAMPLES[f"fft.{_name}"] = [
        Sample(_complex(2, 3, 4)),
        Sample(_real(3, 4), (2, 5), (1, 0), "ortho"),
        Sample(_real(2, 3, dtype=np.float64), s=(-1, 2), norm="forward"),
        Sample(_integers),
        Sample(_real(2, 3), dim=(0, 0)).raises(RuntimeError, "FFT dims must be unique"),
        Sample(_real(2, 3), (0, 2)).raises(RuntimeError, _no_points),
        Sample(_real(2, 3), (2,), (0, 1)).raises(
            RuntimeError, "When given, dim and shape arguments must have the same length"
        ),
    ]
SAMPLES["fft.fftn"] += [
    Sample(_complex(2, 2, 2, 3)),
    Sample(_real(3, 2), dim=()),
    Sample(_real(3, 2), s=(3,)),
    Sample(_real(2), s=(1, 2)).raises(
        RuntimeError, "Got shape with 2 values but input tensor only has 1 dimensions."
    ),
]
for _name in ("rfft2", "ihfft2", "rfftn", "ihfftn"):
    SAMPLES[f"fft.{_name}"] = [
        Sample(_real(2, 3, 4)),
        Sample(_real(3, 4), (2, 5), (1, 0), "ortho"),
        Sample(_real(2, 3, dtype=np.float64), s=(-1, 2), norm="forward"),
        Sample(_integers),
        Sample(_complex(2, 3)).raises(
            RuntimeError, "found: ComplexFloat" if "h" in _name else "got ComplexFloat"
        ),
    ]
for _name in ("irfft2", "hfft2", "irfftn", "hfftn"):
    SAMPLES[f"fft.{_name}"] = [
        Sample(_complex(2, 3, 3)),
        Sample(_complex(3, 4), (2, 5), (1, 0), "ortho"),
        Sample(_complex(2, 3, dtype=np.complex128), s=(-1, 2), norm="forward"),
        Sample(_integers),
        Sample(_complex(2, 3), dim=()).raises(
            RuntimeError, f"{_name.replace('2', 'n')} must transform at least one axis"
        ),
    ]
# these share all but a few lines with their relatives above
for _name in (
    "ifft",
    "hfft",
    "ihfft",
    "ifftn",
    "fft2",
    "ifft2",
    "rfft2",
    "irfft2",
    "hfft2",
    "ihfft2",
    "hfftn",
    "ihfftn",
):
    _all = SAMPLES[f"fft.{_name}"]
    SAMPLES[f"fft.{_name}"] = [_all[1], *(s for s in _all if s.error)]
for _name in ("fftshift", "ifftshift"):
    SAMPLES[f"fft.{_name}"] = [
        Sample(_real(3, 4)),
        Sample(_real(5, 3), 0),
        Sample(_integers, (-1, 0)),
        Sample(_real()).raises(RuntimeError, "`shifts` required"),
    ]
SAMPLES["fft.fftfreq"] = [
    Sample(5),
    Sample(6, 0.1),
    Sample(0),
    Sample(-1).raises(RuntimeError, "Trying to create tensor with negative dimension -1: [-1]"),
]
SAMPLES["fft.rfftfreq"] = [Sample(5), Sample(6, d=0.25), Sample(0)]
