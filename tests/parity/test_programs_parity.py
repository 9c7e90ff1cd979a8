"""The programs of programs.py and programs_of_tensors.py, run by PyTorch and by us: equal results, equal errors,
recorded or (a third of them, all at full length) op by op."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

import functorch_lite as ours
from tests.checker import FULL

from . import programs_of_tensors  # noqa: F401
from .programs import ERRORS, PROGRAMS

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


def _flat(x):
    return list(x) if isinstance(x, tuple | list) else [x]


def _compare(mine, theirs):
    assert len(_flat(mine)) == len(_flat(theirs))
    for a, b in zip(_flat(mine), _flat(theirs)):
        a, b = a.detach().numpy(), b.detach().numpy()
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_program(name):
    theirs = PROGRAMS[name](torch)
    for _ in range(2):  # the second run replays what the first recorded
        _compare(PROGRAMS[name](ours), theirs)
    if FULL or zlib.crc32(name.encode()) % 3 == 0:
        with ours.debug.eager():
            _compare(PROGRAMS[name](ours), theirs)


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    with pytest.raises(Exception) as theirs:
        ERRORS[name](torch)
    with pytest.raises(type(theirs.value)) as mine:
        ERRORS[name](ours)
    words = 6
    assert str(mine.value).split()[:words] == str(theirs.value).split()[:words]
