"""Nested tensors beside PyTorch's: values, dtypes, shapes and gradients."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("torch")
import torch as reference

import functorch_lite as torch

from .cases import ERRORS, JAGGED, STRIDED, WHOLE, dense, inputs

pytestmark = pytest.mark.parity
warnings.filterwarnings("ignore", "The PyTorch API of nested tensors is in prototype stage")


def run(library, fn, layout, differentiate):
    """What fn gives, as arrays, and the gradients of the parts."""
    leaves, x, y = inputs(library, getattr(library, layout))
    results = dense(library, fn(library, x, y))
    found = [(str(r.dtype), r.detach().numpy()) for r in results]
    if not differentiate:
        return found, []
    total = sum((r.to(library.float32).sin() * 1.5).sum() for r in results)
    return found, [
        g.numpy() for g in library.autograd.grad(total, leaves, allow_unused=True, materialize_grads=True)
    ]


def compare(fn, layout, differentiate):
    mine, my_gradients = run(torch, fn, layout, differentiate)
    theirs, their_gradients = run(reference, fn, layout, differentiate)
    assert [d for d, _ in mine] == [d for d, _ in theirs]
    for (_, a), (_, b) in zip(mine, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)
    for a, b in zip(my_gradients, their_gradients, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)


DIFFERENTIATED = ("sin", "add", "linear", "matmul 2-d", "softmax", "transpose", "padded", "values")
"""Those whose backward PyTorch has; it lacks that of many others, and crashes in some."""


@pytest.mark.parametrize("name", JAGGED)
def test_jagged(name):
    compare(JAGGED[name], "jagged", name in DIFFERENTIATED)


@pytest.mark.parametrize("name", WHOLE)
def test_jagged_without_gradient(name):
    compare(WHOLE[name], "jagged", False)


@pytest.mark.parametrize("name", STRIDED)
def test_strided(name):
    compare(STRIDED[name], "strided", False)


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    error, _, fn = ERRORS[name]
    for library in (torch, reference):
        x = inputs(library, library.jagged)[1]
        with pytest.raises(error):
            fn(library, x)
