"""Singular value decompositions of matrices that are not finite end with an error, and spoil no other matrix."""

import math

import pytest

import functorch_lite as torch
from functorch_lite._core.api import check_bounds

# LAPACK's gesdd does not end for the first
BATCH = [[[-0.8, -2.1, -2.1], [2.2, 1.2, -1.8], [-math.inf, -1.0, 1.5]], [[0.4, -2.0, -0.2], [-2.6, -0.2, -1.3], [2.8, 2.8, -0.9]]]  # fmt: skip


@pytest.mark.parametrize("f", [torch.pinverse, lambda x: torch.linalg.matrix_norm(x, "nuc")])
def test_of_a_matrix_that_is_not_finite(f):
    sentence = r"linalg.svd: \(Batch element 0\): The algorithm failed to converge because the input matrix contained"
    with pytest.raises(torch.linalg.LinAlgError, match=sentence):
        f(torch.tensor(BATCH)).tolist()


@pytest.mark.parametrize("f", [torch.pinverse, lambda x: torch.linalg.matrix_norm(x, "nuc")])
def test_without_checks(f, monkeypatch):
    monkeypatch.setitem(check_bounds, "on", False)
    x = torch.tensor(BATCH, requires_grad=True)
    y = f(x)
    y.sum().backward()
    assert y[0].isnan().all() and x.grad[0].isnan().all()
    alone = x.detach()[1].requires_grad_()
    torch.testing.assert_close(y[1], f(alone))
    f(alone).sum().backward()
    torch.testing.assert_close(x.grad[1], alone.grad)
