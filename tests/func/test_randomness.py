"""vmap's randomness= for everything that draws: 'error' refuses, 'same' draws once, 'different' once for each example;
from the seed."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from tests.func.randomness import PROGRAMS, example, outcome, seen
from tests.support.full import FULL

QUICK = {
    "rand", "randint", "randperm", "normal of means", "bernoulli", "multinomial", "exponential_", "random_", "normal_ of a view",
    "dropout", "alpha_dropout", "dropout2d", "attention", "rrelu", "gumbel_softmax", "nn.LSTM with dropout", "Normal", "Categorical",
    "init.xavier_uniform_", "grad of dropout",
}  # fmt: skip
"""What is drawn in every run; the others, whose programs take long to compile, when FUNCTORCH_LITE_PARITY=full."""
EAGER = ("dropout", "attention", "multinomial")


@pytest.mark.parametrize("name", PROGRAMS)
def test_modes(name):
    error = outcome(torch, name, "error")
    assert isinstance(error, RuntimeError)
    assert str(error).startswith("vmap: called random operation while in randomness error mode.")
    if not FULL and name not in QUICK:
        return
    same, different = outcome(torch, name, "same"), outcome(torch, name, "different")
    assert seen(same) == "equal"
    assert seen(different) == "different"
    np.testing.assert_array_equal(outcome(torch, name, "different"), different)
    assert not np.array_equal(outcome(torch, name, "different", seed=1), different)
    if name in EAGER or (FULL and name not in QUICK):
        with torch.debug.eager():
            np.testing.assert_allclose(outcome(torch, name, "same"), same, rtol=1e-6)
            np.testing.assert_allclose(outcome(torch, name, "different"), different, rtol=1e-6)


def drawn(inner, outer, **options):
    torch.manual_seed(0)
    f = torch.vmap(lambda x: torch.rand(()) + 0 * x, randomness=inner)
    return torch.vmap(f, randomness=outer, **options)(torch.zeros(2, 3)).numpy()


def test_nested():
    """Each level has a say: what is the same for a level is so for all its examples."""
    assert len(np.unique(drawn("different", "different"))) == 6
    by_rows, by_columns = drawn("same", "different"), drawn("different", "same")
    assert len(np.unique(by_rows)) == 2 and (by_rows == by_rows[:, :1]).all()
    assert len(np.unique(by_columns)) == 3 and (by_columns == by_columns[:1]).all()
    assert len(np.unique(drawn("same", "same"))) == 1
    for inner, outer in (("error", "same"), ("different", "error")):
        with pytest.raises(RuntimeError, match="randomness error mode"):
            drawn(inner, outer)


@pytest.mark.parametrize("name", ["dropout", "normal of both", "multinomial"])
def test_chunks_draw_what_the_whole_draws(name):
    def run(**options):
        torch.manual_seed(3)
        f = torch.vmap(lambda x: PROGRAMS[name](torch, x), randomness="different", **options)
        return f(example(torch)).numpy()

    np.testing.assert_allclose(run(chunk_size=2), run(), rtol=1e-6)


def test_multinomial_draws_what_it_draws_outside():
    """One algorithm, on the host or recorded: equal draws from equal keys, in the right proportions."""
    p = torch.tensor([0.1, 0.2, 0.3, 0.4])
    for replacement, n in ((True, 20), (False, 3)):
        torch.manual_seed(0)
        outside = torch.multinomial(p, n, replacement)
        torch.manual_seed(0)
        f = torch.vmap(lambda q, n=n, r=replacement: torch.multinomial(q, n, r), randomness="same")
        assert (f(p.expand(2, 4)) == outside).all()
    f = torch.vmap(lambda q: torch.multinomial(q, 4000, True), randomness="different")
    share = torch.bincount(f(p.expand(2, 4)).reshape(-1)) / 8000
    np.testing.assert_allclose(share.numpy(), p.numpy(), atol=0.02)
