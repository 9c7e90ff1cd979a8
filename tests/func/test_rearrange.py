"""rearrange: what it gives, beside PyTorch where that is there; that it is an op like others; what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as ours
from functorch_lite.func import grad, rearrange, vmap

from .rearrange_cases import GOOD, outcomes


def data(shape):
    return np.arange(float(np.prod(shape))).reshape(shape)


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:It is discouraged")
def test_beside_torch():
    torch = pytest.importorskip("torch")
    for pattern, lengths, shape in GOOD:
        mine = rearrange(ours.tensor(data(shape)), pattern, **lengths)
        theirs = torch.func.rearrange(torch.tensor(data(shape)), pattern, **lengths)
        assert tuple(mine.shape) == tuple(theirs.shape), pattern
        np.testing.assert_array_equal(mine.numpy(), theirs.numpy())
    assert outcomes(ours) == outcomes(torch)


def test_values():
    x = data((2, 4, 6, 3))
    found = rearrange(ours.tensor(x), "b (h h1) (w w1) c -> b h w (c h1 w1)", h1=2, w1=3)
    expected = x.reshape(2, 2, 2, 2, 3, 3).transpose(0, 1, 3, 5, 2, 4).reshape(2, 2, 2, 18)
    np.testing.assert_array_equal(found.numpy(), expected)
    stacked = rearrange([ours.tensor(x[0]), ours.tensor(x[1])], "n h w c -> h w (c n)")
    np.testing.assert_array_equal(stacked.numpy(), x.transpose(1, 2, 3, 0).reshape(4, 6, 6))


def test_under_transforms_and_as_a_view():
    x = ours.tensor(data((3, 4)))

    def f(t):
        return (rearrange(t, "(a b) -> b a", a=2) ** 2)[0].sum()

    np.testing.assert_array_equal(vmap(grad(f))(x).numpy()[:, 1::2], np.zeros((3, 2)))
    rearrange(x, "a b -> b a")[0].zero_()
    assert x[:, 0].abs().sum().item() == 0


@pytest.mark.filterwarnings("ignore:It is discouraged")
def test_refusals():
    found = outcomes(ours)
    assert [name for name, _ in found].count("ok") == 4
    with pytest.raises(ValueError, match="Pattern must contain a single '->' separator"):
        rearrange(ours.zeros(2), "a")
    with pytest.raises(
        Exception, match="Dimension sizes to do not match"
    ):  # where torch drops what does not fit
        rearrange(ours.zeros(6, 4), "a 1 -> a")
    with pytest.warns(RuntimeWarning, match="keywords: for"):
        rearrange(ours.zeros(3), "for -> for 1")
