"""The engine "mt19937" side by side with real torch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import functorch_lite as ours  # noqa: E402
from tests.random_draws import DRAWS, run  # noqa: E402
from tests.test_random import check, mersenne  # noqa: E402, F401

pytestmark = pytest.mark.parity


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_draws_are_those_of_torch(name, mersenne):  # noqa: F811
    check(name, run(ours, name), run(torch, name))


@pytest.mark.parametrize("n", [1000, 100_003])
def test_many(n, mersenne):  # noqa: F811
    for draw in (lambda t: t.rand(n), lambda t: t.randperm(n)):
        torch.manual_seed(1)
        ours.manual_seed(1)
        np.testing.assert_array_equal(draw(ours).numpy(), draw(torch).numpy())
    for draw in (lambda t: t.randn(n), lambda t: t.empty(n).exponential_()):
        torch.manual_seed(1)
        ours.manual_seed(1)
        np.testing.assert_allclose(draw(ours).numpy(), draw(torch).numpy(), rtol=3e-7, atol=1e-10)


def test_states_are_exchanged(mersenne):  # noqa: F811
    torch.manual_seed(9)
    torch.rand(700), torch.randn(3)
    ours.set_rng_state(ours.tensor(torch.get_rng_state().numpy()))
    assert ours.get_rng_state().numpy().tobytes() == torch.get_rng_state().numpy().tobytes()
    np.testing.assert_allclose(ours.randn(5).numpy(), torch.randn(5).numpy(), rtol=1e-6)
    ours.rand(5)
    torch.set_rng_state(torch.tensor(ours.get_rng_state().numpy()))
    np.testing.assert_array_equal(torch.rand(5).numpy(), ours.rand(5).numpy())
    torch.manual_seed(3)
    ours.manual_seed(3)
    assert ours.get_rng_state().numpy().tobytes() == torch.get_rng_state().numpy().tobytes()


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.zeros(3).random_(5, 5),
        lambda t: t.zeros(3).random_(-1),
        lambda t: t.zeros(3).random_(0),
        lambda t: t.zeros(3, dtype=t.uint8).random_(0, 300),
        lambda t: t.zeros(3, dtype=t.uint8).random_(-1, 3),
        lambda t: t.zeros(3, dtype=t.complex64).random_(),
        lambda t: t.zeros(3, dtype=t.bool).random_(0, 3),
        lambda t: t.zeros(3).geometric_(1.5),
        lambda t: t.zeros(3, dtype=t.bool).geometric_(0.5),
        lambda t: t.zeros(3).cauchy_(0, 0),
        lambda t: t.zeros(3, dtype=t.int64).cauchy_(),
        lambda t: t.zeros(3).log_normal_(0, -1),
        lambda t: t.zeros(3, dtype=t.int64).log_normal_(),
        lambda t: t.zeros(3).bernoulli_(1.5),
        lambda t: t.bernoulli(t.tensor([2.0])),
        lambda t: t.bernoulli(t.tensor([1])),
        lambda t: t.zeros(3).exponential_(0),
        lambda t: t.zeros(3, dtype=t.int64).exponential_(),
        lambda t: t.zeros(3).normal_(0, -1),
        lambda t: t.zeros(3).uniform_(3, 2),
        lambda t: t.zeros(3, dtype=t.int64).uniform_(),
        lambda t: t.rand(2, dtype=t.int64),
        lambda t: t.randn(2, -1),
        lambda t: t.randint(5, 5, (2,)),
        lambda t: t.randint(0, 300, (2,), dtype=t.uint8),
        lambda t: t.randperm(-1) if t is ours else t.zeros(1).random_(3, 1),
        lambda t: t.normal(0.0, -1.0, (2,)),
        lambda t: t.normal(t.zeros(2), t.tensor([1.0, -1.0])),
        lambda t: t.normal(t.zeros(2, dtype=t.int64), t.ones(2)),
        lambda t: t.multinomial(t.tensor([0.5, -0.1]), 1),
        lambda t: t.multinomial(t.tensor([0.0, 0.0]), 1),
        lambda t: t.multinomial(t.tensor([0.5, 0.5]), 3),
        lambda t: t.multinomial(t.tensor([1, 1]), 1),
        lambda t: t.multinomial(t.ones(1, 1, 1), 1),
        lambda t: t.multinomial(t.ones(3), 0),
        lambda t: t.poisson(t.tensor([-1.0])),
        lambda t: t.poisson(t.tensor([1])),
        lambda t: t.binomial(t.tensor([10]), t.tensor([0.3])),
        lambda t: t.binomial(t.tensor([10.0]), t.tensor([0.3], dtype=t.float64)),
        lambda t: t.Generator().graphsafe_get_state(),
        lambda t: t.Generator().get_offset(),
        lambda t: t.Generator().set_state(t.zeros(3)),
    ],
)
def test_errors(call):
    with pytest.raises(Exception) as of_torch:
        call(torch)
    with pytest.raises(type(of_torch.value)) as raised:
        call(ours)
    sentence = str(of_torch.value).split("  (Could")[0]
    if "randperm" not in call.__code__.co_names:
        assert str(raised.value).startswith(sentence)
