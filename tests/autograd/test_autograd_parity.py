"""autograd.Function, autograd.functional and forward_ad beside PyTorch: the same programs, the same errors."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours

from .dual_programs import PROGRAMS as DUALS
from .function_programs import BEYOND
from .function_programs import PROGRAMS as FUNCTIONS
from .functional_programs import ERRORS, RESULTS

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]


def flat(x):
    return [t for part in x for t in flat(part)] if isinstance(x, tuple | list) else [x]


def shape(x):
    return (type(x).__name__, [shape(part) for part in x]) if isinstance(x, tuple | list) else None


def compare(mine, theirs):
    assert shape(mine) == shape(theirs)
    for a, b in zip(flat(mine), flat(theirs)):
        if b is None or isinstance(b, bool):
            assert a is b
            continue
        a, b = a.detach().numpy(), b.detach().numpy()
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name):
    mine, _ = FUNCTIONS[name](ours)
    theirs, wanted = FUNCTIONS[name](torch)
    compare(mine, theirs)
    compare(theirs, wanted)  # the program's own answer is PyTorch's


@pytest.mark.parametrize("name", BEYOND)
def test_torch_refuses(name):
    f, limitation = BEYOND[name]
    with pytest.raises(RuntimeError, match=limitation):
        f(torch)


@pytest.mark.parametrize("name", DUALS)
def test_duals(name):
    compare(DUALS[name](ours), DUALS[name](torch))


@pytest.mark.parametrize("name", RESULTS)
def test_functional(name):
    compare(RESULTS[name](ours), RESULTS[name](torch))


@pytest.mark.parametrize("name", ERRORS)
def test_functional_error(name):
    with pytest.raises(Exception) as theirs:
        ERRORS[name](torch)
    with pytest.raises(type(theirs.value)) as mine:
        ERRORS[name](ours)
    assert str(mine.value).split()[:12] == str(theirs.value).replace("torch.Tensor", "Tensor").split()[:12]
