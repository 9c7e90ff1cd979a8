"""Packs: what an optimizer replaces travels as one array; nobody can tell but by the programs' arguments."""

from __future__ import annotations

import copy
import pickle
import random
import threading

import jax
import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import func, nn, optim
from functorch_lite._core.lazy.pack import Pack
from functorch_lite._core.run import compiled, executor, packing
from functorch_lite.compat import to_jax
from tests.core.counting import counted

pytestmark = pytest.mark.programs

OPTIMIZERS = {
    "sgd": lambda ps: optim.SGD(ps, lr=0.1),
    "momentum": lambda ps: optim.SGD(ps, lr=0.1, momentum=0.9),
    "adam": lambda ps: optim.Adam(ps, lr=0.01),
    "adamw": lambda ps: optim.AdamW(ps, lr=0.01, amsgrad=True),
    "rmsprop": lambda ps: optim.RMSprop(ps, lr=0.01, centered=True),
}


@pytest.fixture(autouse=True)
def programs_anew():
    executor.forget_programs()
    yield
    executor.forget_programs()


def network(seed=0, width=6):
    torch.manual_seed(seed)
    layers = [nn.Linear(width, width) for _ in range(5)]
    return nn.Sequential(*[m for layer in layers for m in (layer, nn.Tanh())])


def wide(seed=0):
    return network(seed).double()


def mixed(seed=0):
    """Some of its parameters are too large for a pack."""
    torch.manual_seed(seed)
    return nn.Sequential(
        nn.Linear(6, 100), nn.Linear(100, 100), nn.LayerNorm(100), nn.Linear(100, 6), nn.Linear(6, 6)
    )


X = np.random.default_rng(0).standard_normal((7, 6)).astype(np.float32)


def train(model, opt, x=X):
    opt.zero_grad()
    loss = (model(torch.tensor(x, dtype=model[0].weight.dtype)) ** 2).sum()
    loss.backward()
    opt.step()
    return loss


def packs_of(tensors):
    return {type(t._cell.value.rec) is Pack and t._cell.value.rec for t in tensors}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_takes_and_gives_one_array_for_all_small_parameters(name):
    model = network()
    opt = OPTIMIZERS[name](model.parameters())
    for _ in range(4):
        train(model, opt)
    opt.zero_grad()
    (pack,) = packs_of(model.parameters())
    assert pack and pack.flat.ndim == 1 and pack.parts is None
    program = next(reversed(compiled.kept))
    assert len(program.groups) == len(program.packed) == 1
    assert (
        len(program.groups[0].members) >= 10 and program.misfits <= 1
    )  # the first time they come one by one
    with counted() as compiles:
        for _ in range(20):
            train(model, opt)
        opt.zero_grad()
    assert compiles.n == 0


def test_large_parameters_stay_arrays_of_their_own():
    model = mixed()
    opt = optim.Adam(model.parameters(), lr=0.01)
    for _ in range(3):
        train(model, opt)
    opt.zero_grad()
    values = {n: p._cell.value for n, p in model.named_parameters()}
    assert values["1.weight"].array is not None and values["1.weight"].rec is None
    assert all(type(v.rec) is Pack for n, v in values.items() if n != "1.weight")


def test_a_pack_is_read_without_compiling():
    model = network()
    opt = optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        train(model, opt)
    opt.zero_grad()
    with counted() as compiles:
        read = [p.detach().numpy() for p in model.parameters()]
        text = repr(model[0].weight)
    assert compiles.n == 0
    assert [a.shape for a in read] == [tuple(p.shape) for p in model.parameters()]
    assert text == repr(nn.Parameter(torch.tensor(read[0])))


def test_a_part_that_is_asked_for_inside_jit_stays_known():
    model = network()
    opt = optim.SGD(model.parameters(), lr=0.1)
    train(model, opt)
    opt.zero_grad()

    @jax.jit
    def f(x):
        return x @ to_jax(model[0].weight.detach())

    expected = X @ np.asarray(executor.force_array(model[0].weight._cell.value))
    np.testing.assert_allclose(f(X), expected, rtol=1e-5, atol=1e-6)
    assert isinstance(model[0].weight._cell.value.array, jax.Array)
    assert not isinstance(model[0].weight._cell.value.array, jax.core.Tracer)
    train(model, opt)
    assert np.isfinite(model[0].weight.detach().numpy()).all()


def test_what_is_joined_inside_jit_stays_known():
    model = network()
    opt = optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        train(model, opt)
    torch.synchronize()
    for p in model.parameters():  # arrays of their own, where the next step expects a pack
        p.data = torch.tensor(p.detach().numpy()) * 1
    torch.synchronize()
    expected = copy.deepcopy(model)
    train(model, opt)  # pending when the trace begins

    @jax.jit
    def f(x):
        return x @ to_jax(model[0].weight.detach())

    f(X)
    train(expected, optim.SGD(expected.parameters(), lr=0.1))
    for p, q in zip(model.parameters(), expected.parameters(), strict=True):
        np.testing.assert_allclose(p.detach().numpy(), q.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_another_thread_reads_parts():
    model = network()
    opt = optim.SGD(model.parameters(), lr=0.1)
    train(model, opt)
    expected = copy.deepcopy(model)
    opt.zero_grad()
    found = []
    thread = threading.Thread(target=lambda: found.extend(p.sum().item() for p in model.parameters()))
    thread.start()
    thread.join()
    assert found == pytest.approx([p.sum().item() for p in expected.parameters()], rel=1e-5, abs=1e-6)


def test_a_copy_of_one_parameter_does_not_keep_the_others():
    model = network()
    opt = optim.SGD(model.parameters(), lr=0.1)
    kept = []
    for _ in range(3):
        train(model, opt)
        kept.append(model[0].bias.detach().clone())
    opt.zero_grad()
    assert not any(packs_of(kept))
    assert len({tuple(k.tolist()) for k in kept}) == 3


def test_parameters_that_come_one_by_one_each_time_settle():
    """The program that expected a pack is compiled once more, to take them as they come."""
    model = network()
    opt = optim.RMSprop(model.parameters(), lr=0.05)

    def step():
        train(model, opt)
        for p in model.parameters():
            p.data = torch.tensor(p.detach().numpy().clip(-0.1, 0.1))

    for _ in range(5):
        step()
    with counted() as compiles:
        for _ in range(10):
            step()
    assert compiles.n == 0
    assert any(p.settled for p in compiled.kept)
    assert max(p.abs().max().item() for p in model.parameters()) <= np.float32(0.1)


def test_two_networks_that_train_in_turns_settle():
    first, second = network(0), network(1)
    one, two = (optim.Adam(m.parameters(), lr=0.01) for m in (first, second))

    def step():
        one.zero_grad()
        (first(second(torch.tensor(X))) ** 2).sum().backward()
        one.step()
        two.zero_grad()
        (1 - second(first(torch.tensor(X))) ** 2).sum().backward()
        two.step()

    for _ in range(6):
        step()
    with counted() as compiles:
        for _ in range(10):
            step()
        one.zero_grad()
    assert compiles.n == 0
    assert all(packs_of([*first.parameters(), *second.parameters()]))


# -- the same as without packs ---------------------------------------------------------------------------------------


class Story:
    """A model, what happens to it, and what was seen."""

    def __init__(self, build, optimizer):
        self.model = build()
        self.opt = OPTIMIZERS[optimizer](self.model.parameters())
        self.kept = []
        self.seen = []

    def train(self):
        self.seen.append(train(self.model, self.opt))

    def train_a_smaller_batch(self):
        self.seen.append(train(self.model, self.opt, X[:3]))

    def evaluate(self):
        with torch.no_grad():
            self.seen.append(self.model(torch.tensor(X[:2], dtype=self.model[0].weight.dtype)).sum())

    def read_one(self):
        self.seen.append(self.model[0].bias.tolist())

    def change_one(self):
        with torch.no_grad():
            self.model[0].weight[0] *= 0.5

    def replace_one(self):
        self.model[0].bias.data = torch.ones_like(self.model[0].bias) / 3

    def swap_two(self):
        a, b = list(self.model.parameters())[-2:], list(self.model.parameters())[:2]
        if a[0].shape == b[0].shape:
            a[0].data, b[0].data = b[0].data, a[0].data

    def keep(self):
        self.kept.append(copy.deepcopy(self.model.state_dict()))

    def alias(self):
        self.kept.append({n: p.detach() for n, p in self.model.named_parameters()})

    def restore(self):
        if self.kept:
            self.model.load_state_dict(self.kept[0])

    def pickle(self):
        self.kept.append(pickle.loads(pickle.dumps(self.model)).state_dict())

    def freeze(self):
        p = self.model[0].bias
        p.requires_grad_(not p.requires_grad)

    def per_sample(self):
        params = {n: p.detach() for n, p in self.model.named_parameters()}

        def loss(params, x):
            return (func.functional_call(self.model, params, (x,)) ** 2).sum()

        grads = func.vmap(func.grad(loss), in_dims=(None, 0))(
            params, torch.tensor(X, dtype=self.model[0].weight.dtype)
        )
        self.seen.append(grads["0.bias"].sum())

    def everything(self):
        kept = [t for state in self.kept for t in state.values()]
        return [
            np.asarray(x.detach() if isinstance(x, torch.Tensor) else x)
            for x in (*self.seen, *self.model.parameters(), *kept)
        ]


ACTIONS = [n for n in vars(Story) if not n.startswith("_") and n != "everything"]


def tell(build, optimizer, actions):
    story = Story(build, optimizer)
    for name in actions:
        getattr(story, name)()
    return story.everything()


@pytest.mark.parametrize("seed", range(8))
def test_random_stories_end_as_without_packs(seed, monkeypatch):
    rng = random.Random(seed)
    actions = [rng.choice([*ACTIONS, "train", "train", "train"]) for _ in range(25)]
    case = ((network, mixed, wide)[seed % 3], rng.choice(list(OPTIMIZERS)), actions)
    packed = tell(*case)
    assert any(p.packed for p in compiled.kept)
    executor.forget_programs()
    monkeypatch.setattr(packing, "LEAST_MEMBERS", 10**9)
    plain = tell(*case)
    assert not any(p.packed for p in compiled.kept)
    for a, b in zip(packed, plain, strict=True):
        assert a.dtype == b.dtype
        close = {"rtol": 1e-12, "atol": 1e-14} if a.dtype == np.float64 else {"rtol": 1e-4, "atol": 1e-6}
        np.testing.assert_allclose(a, b, **close)
