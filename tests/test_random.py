"""Random numbers: torch's own with the engine "mt19937" (recorded facts), what both engines have in common,
generators."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.api import OPS, apply
from functorch_lite.ops import sample
from tests.random_draws import DRAWS, run

GOLDEN = json.loads((Path(__file__).parent / "golden" / "random.json").read_text())


@pytest.fixture
def mersenne():
    """The default generator has PyTorch's engine."""
    torch.random.set_default_engine("mt19937")
    yield
    torch.random.set_default_engine("threefry")


@pytest.fixture(params=["threefry", "mt19937"])
def engine(request):
    """Either engine."""
    torch.random.set_default_engine(request.param)
    torch.manual_seed(11)
    yield request.param
    torch.random.set_default_engine("threefry")


def check(name: str, got: list, want: list) -> None:
    """Numbers are equal to the bit, or to a unit in the last place; what is drawn afterwards is equal."""
    (made, after), (expected, then) = got, want
    assert made.dtype == expected.dtype
    assert made.shape == expected.shape
    if DRAWS[name][1]:
        np.testing.assert_array_equal(made, expected)
    else:
        single = expected.real.dtype == np.float32
        np.testing.assert_allclose(
            made, expected, rtol=3e-7 if single else 2e-15, atol=1e-7 if single else 1e-15
        )
    np.testing.assert_array_equal(after, then)


def unpacked(fact: list) -> np.ndarray:
    name, shape, numbers = fact
    if name.startswith("complex"):
        return np.array(numbers, f"float{int(name[7:]) // 2}").view(name).reshape(shape)
    return np.array(numbers, name).reshape(shape)


@pytest.mark.parametrize("name", sorted(DRAWS))
def test_draws_are_those_of_torch(name, mersenne):
    check(name, run(torch, name), [unpacked(f) for f in GOLDEN["draws"][name]])


def test_a_state_of_torch_is_taken(mersenne):
    raw = np.frombuffer(bytes.fromhex(GOLDEN["state"]), np.uint8)
    torch.set_rng_state(torch.tensor(raw))
    assert torch.get_rng_state().numpy().tobytes() == raw.tobytes()
    np.testing.assert_allclose(torch.randn(3).numpy(), np.array(GOLDEN["after"], np.float32), rtol=3e-7)


def test_a_state_comes_back(engine):
    torch.randn(3)
    before = torch.get_rng_state()
    first = torch.randn(7), torch.rand(3), torch.randperm(9)
    torch.set_rng_state(before)
    again = torch.randn(7), torch.rand(3), torch.randperm(9)
    assert all(torch.equal(a, b) for a, b in zip(first, again))


def test_a_state_of_the_other_engine_is_refused(engine):
    other = torch.Generator(engine="mt19937" if engine == "threefry" else "threefry")
    with pytest.raises(RuntimeError, match="Expected a state of size"):
        torch.set_rng_state(other.get_state())
    with pytest.raises(TypeError, match=r"must be a torch\.ByteTensor"):
        torch.set_rng_state(torch.zeros(16))


def test_generators_are_independent_and_copied(engine):
    g = torch.Generator().manual_seed(3)
    assert g.engine == engine
    assert g.initial_seed() == 3
    copies = [g.clone_state(), copy.deepcopy(g), pickle.loads(pickle.dumps(g))]
    torch.rand(5)
    first = torch.randn(5, generator=g)
    assert all(torch.equal(torch.randn(5, generator=c), first) for c in copies)
    assert not torch.equal(torch.randn(5, generator=g), first)
    with pytest.raises(TypeError, match=r"must be torch\.Generator, not int"):
        torch.rand(2, generator=3)


def test_engines_are_told_by_name():
    assert torch.random.default_engine() == "threefry"
    with pytest.raises(ValueError, match="engine must be one of"):
        torch.random.set_default_engine("philox")
    g = torch.Generator(engine="mt19937").manual_seed(0)
    np.testing.assert_array_equal(torch.rand(2, generator=g).numpy(), np.float32([0.49625659, 0.76822180]))
    assert g.use_engine("threefry").engine == "threefry"


def test_fork_rng(engine):
    before = torch.get_rng_state()
    with torch.random.fork_rng():
        torch.rand(3)
        torch.random.set_default_engine("threefry")
        torch.rand(3)
    assert torch.random.default_engine() == engine
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.random.thread_safe_generator() is None


def test_moments(engine):
    n = 20_000
    e = torch.empty(n, dtype=torch.float64)
    for made, mean, std in (
        (torch.rand(n), 0.5, 12**-0.5),
        (torch.randn(n), 0.0, 1.0),
        (e.clone().uniform_(-1, 3), 1.0, 4 * 12**-0.5),
        (e.clone().normal_(2, 3), 2.0, 3.0),
        (e.clone().exponential_(2), 0.5, 0.5),
        (e.clone().geometric_(0.25), 4.0, 12**0.5),
        (e.clone().log_normal_(0, 0.5), np.exp(0.125), 0.604),
        (e.clone().bernoulli_(0.3), 0.3, 0.21**0.5),
        (torch.bernoulli(torch.full((n,), 0.3)), 0.3, 0.21**0.5),
        (torch.poisson(torch.full((n,), 4.0)), 4.0, 2.0),
        (torch.binomial(torch.full((n,), 10.0), torch.full((n,), 0.3)), 3.0, 2.1**0.5),
        (torch.randint(0, 10, (n,)).double(), 4.5, 8.25**0.5),
        (torch.normal(torch.full((n,), 1.0), 2.0), 1.0, 2.0),
        (torch.multinomial(torch.tensor([1.0, 0.0, 3.0]), n, True).double(), 1.5, 0.75**0.5),
    ):
        values = made.double().numpy()
        assert abs(values.mean() - mean) < 5 * std / n**0.5
        assert abs(values.std() - std) < 0.04 * std + 0.01
    median = np.median(e.clone().cauchy_(2, 1).numpy())
    assert abs(median - 2) < 0.1


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    "count, p", [(4, 0.3), (100, 0.9), (1e9, 0.01), (1e12, 1e-5), (1e18, 1e-12), (1e30, 1e-30), (3e10, 0.5)]
)
def test_binomial_of_many_trials(dtype, count, p):
    """Numbers for which a rejection in float32 spreads up to twice as far, or never ends."""
    n = 20_000
    values = torch.binomial(torch.full((n,), count, dtype=dtype), torch.full((n,), p, dtype=dtype)).double()
    std = (count * p * (1 - p)) ** 0.5
    assert abs(values.mean().item() - count * p) < 6 * std / n**0.5 + 1e-7 * count * p
    assert abs(values.std().item() - std) < 0.04 * std


def test_complex(engine):
    u = torch.rand(1000, dtype=torch.complex64).numpy()
    assert (u.real >= 0).all() and (u.imag >= 0).all() and (u.real < 1).all() and (u.imag < 1).all()
    z = torch.randn(4000, dtype=torch.complex128).numpy()
    assert abs(np.abs(z).std() ** 2 + np.abs(z).mean() ** 2 - 1) < 0.1


def test_multinomial_without_replacement(engine):
    rows = torch.multinomial(torch.rand(20, 6) + 0.1, 6).numpy()
    assert (np.sort(rows, 1) == np.arange(6)).all()
    out = torch.empty(3, dtype=torch.int64)
    assert torch.multinomial(torch.ones(5), 3, out=out) is out


def test_out_and_dtypes(engine):
    out = torch.empty(4, dtype=torch.float64)
    assert torch.rand(4, dtype=torch.float64, out=out) is out
    assert torch.bernoulli(torch.full((4,), 0.5, dtype=torch.float64), out=out) is out
    assert torch.normal(torch.zeros(4, dtype=torch.float64), 1.0, out=out) is out
    assert torch.randint(5, (2,), dtype=torch.uint8).dtype is torch.uint8
    assert torch.randperm(5, dtype=torch.int32).dtype is torch.int32
    assert torch.empty(3, dtype=torch.bool).bernoulli_(0.5).dtype is torch.bool


def test_views_are_filled_in_place(engine):
    base = torch.zeros(4, 6)
    base[:, ::2].uniform_(1, 2)
    assert (base[:, ::2] >= 1).all() and (base[:, 1::2] == 0).all()
    base.t().normal_()
    assert (base != 0).all()


def test_in_transforms(engine):
    x = torch.ones(3)

    def f(x):
        return (x * torch.rand(3)).sum()

    torch.manual_seed(2)
    expected = torch.rand(3)
    torch.manual_seed(2)
    assert torch.allclose(torch.func.grad(f)(x), expected)
    same = torch.vmap(lambda x: x + torch.rand(()), randomness="same")(torch.zeros(4))
    assert (same == same[0]).all()
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        torch.vmap(lambda x: x + torch.rand(()))(torch.zeros(4))
    different = torch.vmap(lambda x: x + torch.rand(()), randomness="different")
    if engine == "mt19937":
        with pytest.raises(NotImplementedError, match="set_default_engine"):
            different(torch.zeros(4))
    else:
        assert len(set(different(torch.zeros(4)).tolist())) == 4


def test_dropout(engine):
    x = torch.ones(2000, requires_grad=True)
    y = torch.nn.functional.dropout(x, 0.25)
    y.sum().backward()
    kept = y.detach().numpy() != 0
    assert abs(kept.mean() - 0.75) < 0.05
    np.testing.assert_allclose(x.grad.numpy(), np.where(kept, 4 / 3, 0), rtol=1e-6)
    assert (torch.nn.functional.dropout(x, 1.0) == 0).all()


def test_worker_threads_have_generators_of_their_own():
    class Draws(torch.utils.data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, i):
            generator = torch.random.thread_safe_generator()
            assert isinstance(generator, torch.Generator)
            return torch.rand(1, generator=generator)

    def one_pass():
        return [
            b.tolist()
            for b in torch.utils.data.DataLoader(Draws(), num_workers=1, multiprocessing_context="thread")
        ]

    torch.manual_seed(4)
    first, second = one_pass(), one_pass()
    torch.manual_seed(4)
    assert (
        first == one_pass() and first != second
    )  # another seed for each pass, which the global one determines
    assert torch.random.thread_safe_generator() is None


@pytest.mark.parametrize("gain", [(1,), "x", None, 1j])
def test_orthogonal_matrices_of_no_gain_leave_the_tensor_as_it_was(gain):
    t = torch.ones(3, 2)
    with pytest.raises((TypeError, RuntimeError)):
        torch.nn.init.orthogonal_(t, gain=gain)
    assert torch.equal(t, torch.ones(3, 2))


def test_orthogonal_matrices_take_a_gain_for_each_column():
    t = torch.nn.init.orthogonal_(torch.empty(3, 2), gain=torch.tensor([1.0, 2.0]))
    torch.testing.assert_close(t.norm(dim=0), torch.tensor([1.0, 2.0]))


def test_dirac_of_groups_that_are_no_int_leaves_the_tensor_as_it_was():
    t = torch.ones(4, 3, 2)
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        torch.nn.init.dirac_(t, 2.0)
    assert torch.equal(t, torch.ones(4, 3, 2))


def test_draws_that_distributions_of_others_are_made_of():
    torch.manual_seed(0)
    concentration = torch.full((4000,), 3.0, requires_grad=True)
    gamma = torch._standard_gamma(concentration)
    assert abs(gamma.mean().item() - 3) < 0.2
    (grad,) = torch.autograd.grad(gamma.sum(), concentration)
    assert abs(grad.mean().item() - 1) < 0.1  # the mean is the concentration
    assert torch._sample_dirichlet(torch.ones(5, 3)).sum(-1).allclose(torch.ones(5))


@pytest.mark.parametrize("low, span", [(0, 1), (-7, 100), (3, 3000), (-(2**40), 2**41 + 1), (0, 2**63 - 1)])
def test_whole_numbers_are_the_rests_of_bits(low, span):
    """Also of those that programs for CPU find by guessed quotients."""
    bits = np.random.default_rng(0).integers(0, 2**63, 5000, dtype=np.int64)
    bits[:3] = 0, 2**63 - 1, span
    made = apply(OPS["_within"], (), (torch.tensor(bits), low, span))
    assert made.tolist() == (bits % span + low).tolist()


def test_bits_made_ahead_are_those_of_each_key():
    from functorch_lite._core.run import threefry

    def each(k0, k1, n):
        low = np.arange(n, dtype=np.uint32)
        return np.stack(threefry.words(*np.array([[k0], [k1]], np.uint32), low, np.zeros_like(low)))

    draws = np.random.RandomState(0)
    for start, step in ((0, 1), (7, 3), (2**32 - 30, 2), (100, 1)):
        for k1 in range(start, min(start + 90 * step, 2**32), step):
            for n in (1, 5, 300, 4000)[: 1 + draws.randint(4)]:
                made = threefry.words_by_numpy(np.array([9, k1], np.uint32), n)
                np.testing.assert_array_equal(made, each(9, k1, n))
                made[:] = 0  # it is nobody else's


def test_draws_are_fixed_by_seed_and_count_however_many_came_before():
    generator = torch.Generator().manual_seed(3)
    first = [torch.randn(8, generator=generator) for _ in range(50)]
    generator.manual_seed(3)
    for k, x in enumerate(first):
        other = torch.Generator().manual_seed(3)
        other.set_state(generator.get_state())
        if k % 7 == 0:
            torch.rand(8, generator=torch.Generator().manual_seed(k))
        assert torch.equal(x, torch.randn(8, generator=other))
        assert torch.equal(x, torch.randn(8, generator=generator))


@pytest.mark.parametrize("n", [0, 1, 2, 5, 100, 65_537])
@pytest.mark.parametrize("most", [4, 2**20, 2**64 - 1])
def test_orders_of_numbers_on_the_host_are_stable(n, most):
    """Also where two are equal, or but for their last bits."""
    numbers = np.random.default_rng(n).integers(0, most, n, dtype=np.uint64)
    assert (sample._order(np, numbers) == np.argsort(numbers, kind="stable")).all()
