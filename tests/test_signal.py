"""torch.signal.windows: values that torch gives, and its errors."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.signal import windows

# the symmetric window of 5 points, and the periodic one of 4; general_cosine with a=[0.4, 0.3, 0.2]
FACTS = {
    "bartlett": ([0.0, 0.5, 1.0, 0.5, 0.0], [0.0, 0.5, 1.0, 0.5]),
    "blackman": ([-0.0, 0.34, 1.0, 0.34, -0.0], [-0.0, 0.34, 1.0, 0.34]),
    "cosine": ([0.309017, 0.809017, 1.0, 0.809017, 0.309017], [0.309017, 0.809017, 1.0, 0.809017]),
    "exponential": ([0.135335, 0.367879, 1.0, 0.367879, 0.135335], [0.135335, 0.367879, 1.0, 0.367879]),
    "gaussian": ([0.135335, 0.606531, 1.0, 0.606531, 0.135335], [0.135335, 0.606531, 1.0, 0.606531]),
    "general_cosine": ([0.3, 0.2, 0.9, 0.2, 0.3], [0.3, 0.2, 0.9, 0.2]),
    "general_hamming": ([0.08, 0.54, 1.0, 0.54, 0.08], [0.08, 0.54, 1.0, 0.54]),
    "hamming": ([0.08, 0.54, 1.0, 0.54, 0.08], [0.08, 0.54, 1.0, 0.54]),
    "hann": ([0.0, 0.5, 1.0, 0.5, 0.0], [0.0, 0.5, 1.0, 0.5]),
    "kaiser": ([5.3e-05, 0.215673, 1.0, 0.215673, 5.3e-05], [5.3e-05, 0.215673, 1.0, 0.215673]),
    "nuttall": ([0.000363, 0.226982, 1.0, 0.226982, 0.000363], [0.000363, 0.226982, 1.0, 0.226982]),
}


@pytest.mark.parametrize("name", windows.__all__)
def test_values(name):
    make = getattr(torch.signal.windows, name)
    extra = {"a": [0.4, 0.3, 0.2]} if name == "general_cosine" else {}
    symmetric, periodic = FACTS[name]
    np.testing.assert_allclose(make(5, **extra).numpy(), symmetric, atol=2e-6)
    np.testing.assert_allclose(make(4, sym=False, **extra).numpy(), periodic, atol=2e-6)
    assert make(3, dtype=torch.float64, **extra).dtype is torch.float64
    assert make(0, **extra).shape == (0,)
    assert make(1, **extra).tolist() == [1.0]
    assert make(2, requires_grad=True, **extra).requires_grad


def test_errors():
    with pytest.raises(ValueError, match="general_cosine requires non-negative window length, got M=-1"):
        windows.hann(-1)
    with pytest.raises(ValueError, match="beta must be non-negative, got: -1 instead"):
        windows.kaiser(5, beta=-1)
    with pytest.raises(ValueError, match="Standard deviation must be positive, got: 0 instead"):
        windows.gaussian(5, std=0)
    with pytest.raises(ValueError, match="Tau must be positive, got: 0 instead"):
        windows.exponential(5, tau=0)
    with pytest.raises(ValueError, match="Center must be None for symmetric windows"):
        windows.exponential(5, center=2)
    with pytest.raises(ValueError, match="expects float32 or float64 dtypes, got"):
        windows.hann(5, dtype=torch.int64)
    with pytest.raises(ValueError, match="Coefficients cannot be empty"):
        windows.general_cosine(5, a=[])
    with pytest.raises(TypeError, match="Coefficients must be a list/tuple"):
        windows.general_cosine(5, a=3)
