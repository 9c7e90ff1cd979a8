"""Sobol sequences: facts about them that need no other library, and PyTorch's very points."""

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite.quasirandom import SobolEngine


@pytest.mark.parametrize("scramble", [False, True])
@pytest.mark.parametrize("dimension", [1, 2, 7])
def test_every_dimension_has_one_point_in_each_part(dimension, scramble):
    points = SobolEngine(dimension, scramble, seed=3).draw_base2(6).numpy()
    assert points.shape == (64, dimension)
    for column in points.T:
        assert sorted(np.floor(column * 64)) == list(range(64))


def test_elementary_boxes_of_two_dimensions_hold_one_point_each():
    points = SobolEngine(2).draw(64).numpy()
    for wide in range(7):
        boxes = {(int(x * 2**wide), int(y * 2 ** (6 - wide))) for x, y in points}
        assert len(boxes) == 64


def test_draws_go_on_where_the_last_ended():
    whole = SobolEngine(3).draw(20)
    engine = SobolEngine(3)
    parts = [engine.draw(), engine.draw(4), engine.fast_forward(2).draw(13)]
    assert torch.equal(torch.cat(parts), whole[[0, 1, 2, 3, 4, *range(7, 20)]])
    assert torch.equal(engine.reset().draw(20), whole)


def test_dtypes_and_out():
    engine = SobolEngine(2)
    assert engine.draw(2, dtype=torch.float64).dtype is torch.float64
    out = torch.empty(0)
    assert engine.draw(2, out=out) is out
    assert out.shape == (2, 2)


def test_refusals():
    for dimension in (0, 21202):
        with pytest.raises(ValueError, match="Supported range of dimensionality"):
            SobolEngine(dimension)
    engine = SobolEngine(2)
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        engine.draw(0)
    engine.draw(3)
    with pytest.raises(ValueError, match="n=3"):
        engine.draw_base2(2)
    assert engine.num_generated == 3


@pytest.mark.parity
@pytest.mark.parametrize("scramble", [False, True])
def test_points_are_pytorchs(scramble):
    theirs = pytest.importorskip("torch")
    before = torch.random.default_engine()
    torch.random.set_default_engine("mt19937")
    try:
        for dimension in (1, 2, 50, 300):
            a = SobolEngine(dimension, scramble, seed=11)
            b = theirs.quasirandom.SobolEngine(dimension, scramble, seed=11)
            for n in (1, 1, 5, 30):
                np.testing.assert_array_equal(a.draw(n).numpy(), b.draw(n).numpy())
            np.testing.assert_array_equal(a.sobolstate.numpy(), b.sobolstate.numpy())
            assert repr(a) == repr(b)
    finally:
        torch.random.set_default_engine(before)
