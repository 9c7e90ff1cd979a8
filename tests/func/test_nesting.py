"""Random programs under random nestings (up to four deep) of transforms give what JAX gives, and compile once."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import functorch_lite as torch
from tests.func import nesting
from tests.support.full import FULL


def ours_of(seed: int):
    f, names = nesting.build(nesting.torch_like(torch), seed)
    x = torch.tensor(nesting.point(seed), dtype=torch.float64)
    return f, x, names


@pytest.mark.parametrize("seed", range(100 if FULL else 20))
def test_against_jax(seed):
    f, x, names = ours_of(seed)
    mine = f(x).numpy()
    with jax.enable_x64(True):
        expected = jax.jit(nesting.build(nesting.jax_like(), seed)[0])(np.array(nesting.point(seed)))
        np.testing.assert_allclose(
            mine, np.asarray(expected), rtol=1e-8, atol=1e-9, err_msg=" of ".join(names[::-1])
        )
    for other in range(6):
        if (
            other == 3
        ):  # a program that yields more than is needed is used a few times before an exact one is compiled
            before = torch.debug.stats()["programs"]
        f(torch.tensor(nesting.point(other), dtype=torch.float64)).numpy()
    assert torch.debug.stats()["programs"] == before


@pytest.mark.parametrize("seed", range(102, 142 if FULL else 108))
def test_backward_through_a_nesting(seed):
    """The tape's gradient through any nesting is JAX's gradient of it."""
    f, x, names = ours_of(seed)
    x.requires_grad_()
    f(x).sin().sum().backward()
    with jax.enable_x64(True):
        lib = nesting.jax_like()
        theirs = nesting.build(lib, seed)[0]
        expected = jax.jit(jax.grad(lambda a: lib.sum(lib.sin(theirs(a)))))(np.array(nesting.point(seed)))
        np.testing.assert_allclose(
            x.grad.numpy(), np.asarray(expected), rtol=1e-7, atol=1e-8, err_msg=" of ".join(names[::-1])
        )


@pytest.mark.parametrize("seed", range(140, 160 if FULL else 144))
def test_eager_mode_agrees(seed):
    f, x, names = ours_of(seed)
    recorded = f(x).numpy()
    with torch.debug.eager():
        np.testing.assert_allclose(
            f(x).numpy(), recorded, rtol=1e-8, atol=1e-9, err_msg=" of ".join(names[::-1])
        )
