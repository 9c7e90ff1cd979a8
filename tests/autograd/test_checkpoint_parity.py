"""checkpoint side by side with PyTorch: results, gradients, effects on buffers, errors."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import functorch_lite as ours
from functorch_lite.utils import checkpoint as ours_checkpoint

from .checkpoint_programs import PROGRAMS
from .checkpoint_twice_programs import FAILURES
from .checkpoint_twice_programs import PROGRAMS as TWICE

torch = pytest.importorskip("torch")
torch_checkpoint = pytest.importorskip("torch.utils.checkpoint")
pytestmark = pytest.mark.parity


def _numbers(tensors):
    return [np.asarray(t.detach().numpy()) for t in tensors]


@pytest.mark.filterwarnings("ignore:None of the inputs")
@pytest.mark.parametrize("reentrant", [False, True])
@pytest.mark.parametrize("name", [*PROGRAMS, *TWICE])
def test_program(name, reentrant):
    program = PROGRAMS.get(name) or TWICE[name]
    theirs = _numbers(program(torch, torch_checkpoint.checkpoint, reentrant))
    mine = _numbers(program(ours, ours_checkpoint.checkpoint, reentrant))
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("reentrant", [False, True])
def test_sequential(reentrant):
    def run(lib, sequential):
        x = lib.tensor([0.1, 0.2], requires_grad=True)
        y = sequential([lib.sin, lib.cos, lib.exp, lib.tanh, lib.sin], 2, x, use_reentrant=reentrant)
        y.sum().backward()
        return _numbers([y, x.grad])

    for a, b in zip(
        run(ours, ours_checkpoint.checkpoint_sequential), run(torch, torch_checkpoint.checkpoint_sequential)
    ):
        np.testing.assert_allclose(a, b, rtol=1e-4)


CALLS = {
    "keywords": lambda c, x: c(lambda a: a.sin(), x, use_reentrant=True, foo=1),
    "debug": lambda c, x: c(lambda a: a.sin(), x, use_reentrant=True, debug=True),
    "determinism": lambda c, x: c(lambda a: a.sin(), x, use_reentrant=False, determinism_check="some"),
    "unknown": lambda c, x: c(lambda a: a.sin(), x, use_reentrant=False, foo=1),
    "written": lambda c, x: c(lambda a: a.mul_(2).sin(), x * 1, use_reentrant=False).sum().backward(),
    "leaf": lambda c, x: c(lambda a: a.mul_(2), x, use_reentrant=False),
    "unsaid": lambda c, x: c(lambda a: a.sin(), x),
    "no gradient": lambda c, x: c(lambda a: a.sin(), x.detach(), use_reentrant=True),
}


@pytest.mark.parametrize("name", CALLS)
def test_errors_and_warnings(name):
    def run(lib, checkpoint):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                CALLS[name](checkpoint, lib.ones(3, requires_grad=True))
            except Exception as e:
                return type(e), str(e).split()[:5]
        return None

    mine = run(ours, ours_checkpoint.checkpoint)
    assert mine is not None
    theirs = run(torch, torch_checkpoint.checkpoint)
    if name == "unknown":  # the name of the function is in it
        assert mine[0] is theirs[0]
    else:
        assert mine == theirs


@pytest.mark.parametrize("name", FAILURES)
def test_failures_of_functions_that_are_run_twice(name):
    def run(lib, module):
        try:
            FAILURES[name](lib, module.checkpoint, lib.ones(4, requires_grad=True))
        except Exception as e:
            return type(e).__name__, str(e).split()[:9]
        return None

    mine, theirs = run(ours, ours_checkpoint), run(torch, torch_checkpoint)
    assert mine is not None
    assert mine == theirs
