"""Programs: what is compiled, what is reused, what is donated, what stays in memory."""

from __future__ import annotations

import gc
import random
import threading

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import nn, optim
from functorch_lite._core.lazy import recorder, trie
from functorch_lite._core.run import compiled, executor
from functorch_lite._core.run.program import Program
from tests.core.counting import counted


def make_step(model, lr=0.1):
    opt = optim.Adam(model.parameters(), lr=lr)

    def step(x, y):
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        return loss

    return opt, step


def mlp():
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))


def data(n, seed=0):
    rng = np.random.default_rng(seed)
    return torch.tensor(rng.standard_normal((n, 8)).astype(np.float32)), torch.tensor(rng.integers(0, 4, n))


def test_training_loop_compiles_nothing_after_warm_up():
    opt, step = make_step(mlp())
    full, last = data(16), data(5, 1)
    losses = []

    def epoch(start):
        for i in range(10):
            opt.param_groups[0]["lr"] = 0.1 / (1 + start + i)
            losses.append(step(*(last if i == 9 else full)))

    for warm in range(3):
        epoch(10 * warm)
    with counted() as compiles:
        for e in range(100):
            epoch(30 + 10 * e)
    assert compiles.n == 0
    assert losses[-1].item() < losses[0].item()


@pytest.mark.programs
def test_parameters_and_state_are_donated():
    model = nn.Sequential(
        nn.Linear(8, 1100), nn.ReLU(), nn.Linear(1100, 100), nn.ReLU(), nn.Linear(100, 100), nn.Linear(100, 4)
    )
    _, step = make_step(model)
    x, y = data(16)
    for _ in range(3):
        step(x, y)
    old = executor.force(model[2].weight._cell.value)
    step(x, y)
    torch.synchronize()
    assert not old.is_deleted()  # `old` is a reference of ours: not donated
    del old
    donated = [p.donated for p in _programs() if p.donated]
    assert (
        donated and max(len(d) for d in donated) >= 9
    )  # of 3 parameters, and 6 moments; the biases are small


def _programs():
    found, stack = [], [trie.eager_root(torch.device("cpu"))]
    while stack:
        node = stack.pop()
        found += [p for p in (node.programs or {}).values() if isinstance(p, Program)]
        stack += node.children.values()
    return found


def test_values_that_numpy_still_sees_are_not_overwritten():
    p = torch.nn.Parameter(torch.ones(10_000))  # 40 KB: large enough to be donated
    opt = optim.SGD([p], lr=1.0)
    for _ in range(4):
        (p * 2).sum().backward()
        seen = p.detach().numpy()
        copy = seen.copy()
        opt.step()
        opt.zero_grad()
        p.sum().item()
        assert (seen == copy).all()


@pytest.mark.programs
def test_only_live_slots_are_computed():
    x = torch.ones(4)
    torch.synchronize()
    with torch.debug.explain() as report:
        y = ((x + 1) * 2).sin()
        torch.synchronize()
    assert y.shape == (4,)
    assert "1 results" in report.compiled[0]


def test_a_lingering_reference_costs_at_most_one_program():
    x = torch.ones(4)

    def run(keep):
        a = x * 3.5
        b = a - 0.25
        torch.synchronize()
        return (a, b) if keep else b

    for _ in range(3):
        run(True)
    with counted() as compiles:
        for _ in range(1):
            run(False)
    assert compiles.n == 0  # the program that yields both is used


def test_changing_numbers_become_inputs():
    x = torch.ones(4)
    results = []
    for k in range(3):
        results.append(float((x * (k + 0.5)).sum()))
    with counted() as compiles:
        for k in range(3, 50):
            results.append(float((x * (k + 0.5)).sum()))
    assert compiles.n == 0
    assert results == [4 * (k + 0.5) for k in range(50)]


def test_zero_and_negative_zero_are_different_numbers():
    x = torch.ones(1)
    for number in (0.0, -0.0, 0.0, -0.0):
        assert np.signbit((x * number).item()) == np.signbit(number)


def test_lists_picked_at_random_are_joined_at_once():
    """Which of them are one tensor is part of a program's identity, and differs from sample to sample."""
    rng = random.Random(0)
    memory = [torch.tensor([[float(i), 1.0]]) + 1 for i in range(12)]
    model = nn.Linear(2, 1)
    optimizer = optim.SGD(model.parameters(), lr=0.1)

    def step():
        newest = torch.randn(1, 2)  # pending, and among the sample
        picked = [*rng.sample(memory, 7), newest]
        rng.shuffle(picked)
        following = [rng.choice(picked) for _ in picked]
        found = model(torch.cat(picked)) - model(torch.stack(following).squeeze(1))
        optimizer.zero_grad()
        found.square().mean().backward()
        optimizer.step()

    for _ in range(3):
        step()
    torch.ones(1).item()
    made = executor.stats["programs"]
    for _ in range(20):
        step()
    torch.ones(1).item()
    assert executor.stats["programs"] == made


def test_what_a_mask_picks_of_known_values_makes_no_program():
    """Its size depends on the mask: recorded, each would be another program."""
    rows, order = torch.arange(40.0).reshape(20, 2) + 1, torch.arange(20) + 0
    order[rows[:, 0] > 0].tolist()
    made = executor.stats["programs"]
    for keep in ([1, 5], [0, 2, 3], [7], []):
        mask = torch.tensor([i in keep for i in range(20)])
        left = order[mask]
        assert left.tolist() == keep and [left[i].item() for i in range(len(keep))] == keep
        assert left[1:].tolist() == keep[1:] and rows[mask].shape == (len(keep), 2)
    assert executor.stats["programs"] == made
    left = order[torch.ones(20, dtype=torch.bool)]
    left[3] = 9
    assert left[3].item() == 9 and order[3].item() == 3
    leaf = rows.clone().requires_grad_()
    leaf[rows > 30].sum().backward()
    assert leaf.grad.sum() == 10


def test_joined_at_once_or_recorded_is_the_same():
    known = [torch.arange(6.0).reshape(2, 3) + i for i in range(5)]
    torch.stack(known).sum().item()
    for dim in (-1, 0, 1):
        expected = np.concatenate([k.numpy() for k in known], dim)
        assert np.array_equal(torch.cat(known, dim).numpy(), expected)
        assert np.array_equal(
            torch.stack(known, dim).numpy(), np.stack([k.numpy() for k in known], dim if dim >= 0 else 2)
        )
    views = [k[:, 1] for k in known]
    joined = torch.cat(views)
    known[0].zero_()
    assert joined[:2].tolist() == [1.0, 4.0] and torch.cat(views)[:2].tolist() == [0.0, 0.0]
    mixed = torch.stack([*known[1:], known[0].double()])
    assert mixed.dtype is torch.float64
    leaves = [k.clone().requires_grad_() for k in known]
    torch.cat(leaves).sum().backward()
    assert leaves[4].grad is not None
    into = torch.zeros(10, 3)
    assert torch.cat(known, out=into) is into and into[2].tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(RuntimeError, match="Sizes of tensors must match"):
        torch.cat([*known, torch.ones(2, 4)])
    with pytest.raises(IndexError):
        torch.stack(known, 4)
    assert torch.vmap(lambda x: torch.cat([*known, x]))(torch.ones(2, 1, 3)).shape == (2, 11, 3)


def test_a_loop_that_never_reads_is_flushed():
    x = torch.zeros(4)
    for _ in range(5000):
        x = x + 1
    assert len(recorder.state.rec.path) <= 2 * recorder.MAX_PENDING_OPS
    assert x.tolist() == [5000.0] * 4


def test_long_recordings_run_in_chunks_that_are_shared():
    before = executor.stats["programs"]
    x = torch.full((4,), 0.5)
    for _ in range(150):
        x = (x * 1.5).sin() + 0.25
    expected = np.full(4, 0.5, np.float32)
    for _ in range(150):
        expected = np.sin(expected * np.float32(1.5)) + np.float32(0.25)
    np.testing.assert_allclose(x.numpy(), expected, rtol=1e-5)
    assert executor.stats["programs"] - before <= 6


def test_no_reference_cycles():
    model = mlp()
    _, step = make_step(model)
    x, y = data(16)
    for _ in range(3):
        step(x, y)
    torch.synchronize()
    gc.collect()
    gc.disable()
    try:
        for _ in range(5):
            loss = step(x, y)
            (model(x).sum() * 2).item()  # taped, never walked
        del loss
        gc.set_debug(gc.DEBUG_SAVEALL)
        gc.collect()
        kinds = {type(o).__name__ for o in gc.garbage}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    assert not kinds & {"Tensor", "Parameter", "Cell", "Node", "Value", "Leaf", "Recorder", "Session"}


def test_a_value_pending_in_another_thread_can_be_read():
    made = {}
    ready, done = threading.Event(), threading.Event()

    def work():
        made["y"] = torch.ones(3) * 2 + 1
        ready.set()
        done.wait(30)
        made["z"] = made["y"] * 2
        made["list"] = made["z"].tolist()

    t = threading.Thread(target=work)
    t.start()
    assert ready.wait(30)
    assert made["y"].tolist() == [3.0] * 3
    done.set()
    t.join()
    assert made["list"] == [6.0] * 3
    assert (made["y"] + made["z"]).tolist() == [9.0] * 3


def test_threads_train_independently():
    results = {}

    def train(seed):
        w = torch.nn.Parameter(torch.full((4,), float(seed)))
        opt = optim.SGD([w], lr=0.1)
        for _ in range(20):
            ((w - 1) ** 2).sum().backward()
            opt.step()
            opt.zero_grad()
        results[seed] = w.tolist()

    threads = [threading.Thread(target=train, args=(s,)) for s in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for seed, got in results.items():
        expected = 1 + (seed - 1) * 0.8**20
        np.testing.assert_allclose(got, [expected] * 4, rtol=1e-4)


def test_bad_op_leaves_the_recording_as_it_was():
    a, b = torch.ones(3), torch.ones(4)
    c = a * 2
    with pytest.raises(RuntimeError, match="must match the size of tensor b"):
        a + b
    d = c + torch.ones(3)
    assert d.tolist() == [3.0] * 3
    with pytest.raises(RuntimeError, match="must match"):
        c.add_(torch.ones(5))
    assert c.tolist() == [2.0] * 3


@pytest.mark.programs
def test_debug_eager_runs_every_op():
    with torch.debug.eager():
        before = executor.stats["runs"]
        x = torch.ones(3) + 1
        y = x * x
        assert executor.stats["runs"] - before >= 2
    assert y.tolist() == [4.0] * 3


@pytest.mark.programs
def test_explain_names_the_change():
    def f(n):
        return (torch.ones(n) * 3 - 1).sum().item()

    f(41)
    with torch.debug.explain() as report:
        f(73)  # a size of no other test
    assert report.compiled
    assert "test_executor.py" in str(report)


def test_default_dtype_changes_what_is_recorded():
    try:
        assert torch.arange(3).sin().dtype is torch.float32
        torch.set_default_dtype(torch.float64)
        assert torch.arange(3).sin().dtype is torch.float64
        assert torch.tensor(1.5).dtype is torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.arange(3).sin().dtype is torch.float32


def test_replayed_backward_gives_each_leaf_its_own_gradient():
    for i in range(6):
        a, b = torch.full((3,), 1.0 + i, requires_grad=True), torch.full((3,), 7.0 - i, requires_grad=True)
        ((a * 2) * (b * 3)).sum().backward()
        assert a.grad.tolist() == [6 * (7.0 - i)] * 3
        assert b.grad.tolist() == [6 * (1.0 + i)] * 3


def test_replayed_backward_sees_which_tensors_are_the_same():
    def run(same):
        a = torch.full((2,), 3.0, requires_grad=True)
        b = a if same else torch.full((2,), 3.0, requires_grad=True)
        (a * a * b).sum().backward()
        return a.grad.tolist(), None if same else b.grad.tolist()

    for _ in range(3):
        assert run(True) == ([27.0, 27.0], None)
        assert run(False) == ([18.0, 18.0], [9.0, 9.0])


def test_replay_is_not_used_across_what_the_trie_does_not_tell():
    x = torch.arange(3.0)
    for i in range(6):
        w = torch.ones(3, requires_grad=True)
        y = w * x
        if i % 3 == 1:
            y.register_hook(lambda g: g * 10)
        if i % 3 == 2:
            w.grad = torch.full((3,), 100.0)
        y.sum().backward()
        expected = [[0.0, 1.0, 2.0], [0.0, 10.0, 20.0], [100.0, 101.0, 102.0]][i % 3]
        assert w.grad.tolist() == expected


def test_a_subset_of_results_comes_from_the_right_places():
    def run(keep):
        values = [torch.full((2,), 2.0) * k + 1 for k in (3.5, 4.5, 5.5)]
        held = [values[k] for k in keep]
        del values
        return [h.tolist()[0] for h in held]

    for keep in ([0, 1, 2], [2, 0], [1], [2, 1, 0], [0, 2]):
        assert run(keep) == [2.0 * (3.5 + k) + 1 for k in keep]


@pytest.mark.programs
def test_the_number_of_programs_is_bounded(monkeypatch):
    executor.forget_programs()
    monkeypatch.setattr(compiled, "MAX_PROGRAMS", 4)
    for n in range(2, 12):
        assert torch.ones(n).sum().item() == n
    assert len(compiled.kept) == 4
    assert torch.ones(3).sum().item() == 3
