"""Samples of the ops in functorch_lite/ops/special.py and polynomial.py.

torch has no derivatives of Bessel and Airy functions and of polynomials: those of ours are in
tests/ops/test_special.py.
"""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, T

_rng = np.random.default_rng(41)


def _floats(*shape, low=-2.0, high=2.0, dtype=np.float32):
    return _rng.uniform(low, high, shape).astype(dtype)


_weird = np.array([0.0, -0.0, 1.0, -1.0, 30.0, -30.0, 1e4, np.inf, -np.inf, np.nan])
_integers = np.array([1, 2, 5], np.int64)
_inaccurate = "torch's is less accurate than ours"

SAMPLES: dict[str, list[Sample]] = {}


def _refuses(kernel: str, *more, half: bool = True) -> list[Sample]:
    """torch takes no complex numbers, and often no half precision."""
    found = [
        Sample(T(np.ones(2, np.complex64)), *more).raises(
            NotImplementedError, f"\"{kernel}\" not implemented for 'ComplexFloat'"
        )
    ]
    if half:
        found.append(
            Sample(T(np.ones(2, np.float32), dtype="bfloat16"), *more).raises(
                NotImplementedError, f"\"{kernel}\" not implemented for 'BFloat16'"
            )
        )
    return found


for _name, _low in {
    "airy_ai": -9.0,
    "bessel_j0": -15.0,
    "bessel_j1": -15.0,
    "bessel_y0": 0.1,
    "bessel_y1": 0.1,
    "spherical_bessel_j0": -15.0,
    "modified_bessel_i0": -5.0,
    "modified_bessel_i1": -5.0,
    "modified_bessel_k0": 0.1,
    "modified_bessel_k1": 0.1,
    "scaled_modified_bessel_k0": 0.1,
    "scaled_modified_bessel_k1": 0.1,
}.items():
    SAMPLES[f"special.{_name}"] = [
        Sample(T(_floats(3, 4, low=_low, high=15.0), grad=False)).options(atol=1e-4, why=_inaccurate)
        if "_j" in _name or "_y" in _name or _name == "airy_ai"
        else Sample(T(_floats(3, 4, low=_low, high=15.0), grad=False)),
        Sample(T(_floats(8, low=_low, high=4.0, dtype=np.float64), grad=False)).options(
            rtol=1e-6, atol=1e-6, why=_inaccurate
        ),
        Sample(T(_weird, grad=False)),
        Sample(T(_integers)),
        *_refuses(f"{_name}_cpu"),
    ]
for _name, (_low, _high, _half, _kernel) in {
    "entr": (0.2, 3.0, True, "entr_cpu"),
    "erfcx": (-2.0, 4.0, False, "erfcx_cpu"),
    "i0e": (-5.0, 9.0, True, "i0e_cpu"),
    "i1": (-5.0, 5.0, True, "i1_cpu"),
    "i1e": (-5.0, 9.0, True, "i1e_cpu"),
    "log_ndtr": (-5.0, 3.0, False, "log_ndtr_cpu"),
    "ndtr": (-3.0, 3.0, True, "erf_vml_cpu"),
    "ndtri": (0.05, 0.95, False, "ndtri_cpu"),
}.items():
    SAMPLES[f"special.{_name}"] = [
        Sample(T(_floats(3, 4, low=_low, high=_high))),
        Sample(T(_floats(4, low=_low, high=_high, dtype=np.float64))),
        Sample(T(_weird, grad=False)),
        Sample(T(_integers)),
        *_refuses(_kernel, half=not _half),
    ]
    if _half:
        SAMPLES[f"special.{_name}"].append(
            # torch has no derivative of i1 and i1e for bfloat16
            Sample(T(_floats(4, low=_low, high=_high), dtype="bfloat16", grad="i1" not in _name)).options(
                gradgrad=False, why="the second derivative of bfloat16 is mostly rounding"
            )
        )

_shape, _at = _floats(3, 4, low=0.3, high=5.0), _floats(3, 4, low=0.2, high=6.0)
_edges = np.array([0.0, 1.0, 2.5, -1.0, 40.0])
for _name in ("igamma", "igammac"):
    SAMPLES[_name] = [
        Sample(T(_shape, grad=False), T(_at)),
        Sample(T(_edges[:, None], grad=False), T(_edges[None], grad=False)),
        Sample(T(_shape[0], dtype="bfloat16", grad=False), T(_at[0], dtype="bfloat16", grad=False)).options(
            vmap=False, why="compiled often enough"
        ),
        Sample(T(_shape), 2.0).raises(TypeError, "argument 'other' (position 2) must be Tensor, not float"),
        *_refuses(f"{_name}_cpu", T(np.ones(2, np.complex64)), half=False),
    ]
SAMPLES["special.zeta"] = [
    Sample(T(_shape + 1.2, grad=False), T(_at)),
    Sample(3, T(_at[0].astype(np.float64))),
    Sample(T(_shape[0] + 1.2, grad=False), 1),
    Sample(
        T(np.array([2.0, 3.0, 2.5, 1.0, 0.5, np.inf])[:, None], grad=False),
        T(np.array([-1.5, -2.0, 1.0, 0.3]), grad=False),
    ),
    *_refuses("zeta_cpu", 2),
]
SAMPLES["special.xlog1py"] = [
    Sample(T(_shape), T(_at)),
    Sample(2.0, T(_at[0].astype(np.float64))),
    Sample(T(_shape[:, :1]), 0.5),
    Sample(T(np.array([0.0, 0.0, 1.0, 0.0])), T(np.array([-1.0, 0.0, -2.0, np.nan]), grad=False)),
    Sample(T(_integers), T(_integers)),
    *_refuses("xlog1py_cpu", 2, half=False),
]

_inside = _floats(2, 3, low=-0.95, high=0.95)
_degrees = np.array([0, 1, 5], np.int64)
for _kind in (
    "chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
    "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
    "legendre_polynomial_p",
):  # fmt: skip
    SAMPLES[f"special.{_kind}"] = [
        Sample(T(_inside, grad=False), T(_degrees)),
        Sample(T(_inside[0].astype(np.float64) * 2, grad=False), 2.7),
        Sample(T(np.array([-1.0, 0.0, 1.0, 1.5], np.float32), grad=False), T(np.array([[-1], [2], [40]]))),
        Sample(0.5, T(_degrees)),
        *_refuses(f"{_kind}_cpu", 2),
    ]
    if _kind[-2:] in ("_u", "_v", "_w") or _kind.startswith("shifted"):  # the same code with other numbers
        SAMPLES[f"special.{_kind}"] = [SAMPLES[f"special.{_kind}"][i] for i in (0, -1)]
