"""LBFGS, Adafactor, Muon and swa_utils beside PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours
from tests.optim import closures

pytestmark = pytest.mark.parity
torch = pytest.importorskip("torch")


@pytest.mark.parametrize("options", closures.LBFGS_OPTIONS, ids=str)
def test_lbfgs_takes_the_same_steps(options):
    expected, counts = closures.rosenbrock(torch, options)
    got, mine = closures.rosenbrock(ours, options)
    assert mine == counts
    np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("options", [{}, {"max_eval": 4}, {"tolerance_change": 0.1}], ids=str)
def test_a_line_search_that_finds_nothing(options):
    assert closures.uphill(ours, options) == closures.uphill(torch, options)


@pytest.mark.parametrize("name", ["straight", "overflow", "equal"])
def test_a_line_search_where_there_is_no_cubic(name):
    np.testing.assert_allclose(closures.along_lines(ours, name), closures.along_lines(torch, name), rtol=1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("options", closures.ADAFACTOR_OPTIONS, ids=str)
def test_adafactor(options, dtype):
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    _compare("Adafactor", options, dtype, False, tolerance, tolerance)


@pytest.mark.parametrize("options", closures.MUON_OPTIONS, ids=str)
def test_muon(options):
    """The orthogonalisation is in bfloat16 (8 bits), and so its matrix products differ by roundings."""
    _compare("Muon", options, "float32", True, 2e-2 * options.get("lr", 1e-3) * 6 + 1e-6, 1e-6)


def _compare(name, options, dtype, only_matrices, tolerance, state_tolerance):
    expected, expected_state, shown = closures.stepped(torch, name, options, dtype, only_matrices)
    got, state, mine = closures.stepped(ours, name, options, dtype, only_matrices)
    assert mine == shown
    for a, b in zip(got, expected):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
    assert list(state) == list(expected_state)
    for key, value in expected_state.items():
        assert (state[key].shape, state[key].dtype) == (value.shape, value.dtype), key
        np.testing.assert_allclose(state[key], value, rtol=state_tolerance, atol=state_tolerance, err_msg=key)


@pytest.mark.parametrize("how", ["swa", "ema", "buffers", "one by one"])
def test_averaged_models(how):
    expected, got = closures.averaged(torch, how), closures.averaged(ours, how)
    assert list(got) == list(expected)
    for key, value in expected.items():
        np.testing.assert_allclose(got[key], value, rtol=1e-9, atol=1e-12, err_msg=key)
