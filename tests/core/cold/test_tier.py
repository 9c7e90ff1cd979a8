"""Which recordings NumPy runs, how often, and what is the same whoever runs them."""

import sys
import tracemalloc

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.lazy import trie
from functorch_lite._core.lazy.recorder import state
from functorch_lite._core.run import schedule
from functorch_lite._core.run.cold import tier as tiers
from functorch_lite._core.run.cold.interpreter import plan_of
from functorch_lite._core.run.executor import flush, forget_programs, stats
from functorch_lite.nn import functional as F


@pytest.fixture(autouse=True)
def auto():
    flush()
    forget_programs()
    with torch.debug.tier("auto"):
        yield
    flush()
    forget_programs()


def counts():
    return {k: stats[k] for k in ("programs", "runs", "cold")}


def since(before):
    return {k: stats[k] - before[k] for k in before}


def test_what_is_new_is_run_by_numpy():
    x = torch.arange(6.0)
    before = counts()
    assert (x.reshape(2, 3) @ x[:3]).sin().sum().item() == pytest.approx(np.sin([5.0, 14.0]).sum(), rel=1e-6)
    assert since(before) == {"programs": 0, "runs": 0, "cold": 1}


def test_what_takes_microseconds_is_never_compiled():
    x = torch.ones(3)
    before = counts()
    for _ in range(50):
        (x + 1).sum().item()
    assert since(before) == {"programs": 0, "runs": 0, "cold": 50}


def long_chain(x, ops=400):
    for _ in range(ops):
        x = x.sin().add(1)
    return x.sum().item()


def test_a_long_recording_is_planned_once(monkeypatch):
    planned, joined = [], tiers.joined
    monkeypatch.setattr(
        tiers, "joined", lambda *args, **how: planned.append(how["inline"]) or joined(*args, **how)
    )
    monkeypatch.setattr(tiers, "MOST_INLINED", 100)
    found = {long_chain(torch.ones(3)) for _ in range(4)}
    assert len(found) == 1 and planned == [False, False]


def test_a_long_recording_lets_go_of_what_is_dead():
    x = torch.from_numpy(np.ones(1 << 18, np.float32))  # 1 MB
    with torch.debug.tier("cold"):
        long_chain(x, 8)
        tracemalloc.start()
        try:
            long_chain(x, 60)
            assert tracemalloc.get_traced_memory()[1] < 12 << 20
        finally:
            tracemalloc.stop()


def test_convolutions_take_longer_to_compile():
    x, w = torch.ones(2, 3, 8, 8), torch.ones(4, 3, 3, 3)
    flush()
    y = F.conv2d(x, w).exp()
    convolution, exp = [plan_of(node.applied.to_run) for node in state.rec.path[-2:]]
    assert (convolution.convolutions, exp.convolutions, tuple(y.shape)) == (1, 0, (2, 4, 6, 6))
    assert tiers.seconds_to_compile([convolution]) > tiers.seconds_to_compile([exp]) + 0.04


def loop(n):
    """Losses of a small training loop."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(16, 64), torch.nn.Tanh(), torch.nn.Linear(64, 4))
    opt = torch.optim.Adam(net.parameters(), lr=0.01)
    x, y = torch.randn(256, 16), torch.randint(0, 4, (256,))
    losses = []
    for _ in range(n):
        opt.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return losses


def test_a_loop_is_run_by_its_program_once_that_is_compiled(monkeypatch):
    monkeypatch.setattr(schedule, "available_cores", lambda: 2)
    monkeypatch.setattr(schedule, "MARGIN", 0.0)
    before = counts()
    loop(10)
    found = since(before)
    assert found["programs"] == 1
    assert found["cold"] == schedule.FIRST_RUNS
    assert found["runs"] == 10 - schedule.FIRST_RUNS


def test_with_one_core_numpy_runs_as_long_as_compiling_takes(monkeypatch):
    monkeypatch.setattr(schedule, "available_cores", lambda: 1)
    monkeypatch.setattr(schedule, "MARGIN", 0.0)
    monkeypatch.setattr(schedule, "MOST_RUNS", 6)
    before = counts()
    loop(10)
    found = since(before)
    assert (found["programs"], found["cold"], found["runs"]) == (1, 6, 4)


def test_a_program_run_twice_gives_the_same_bits(monkeypatch):
    monkeypatch.setattr(schedule, "available_cores", lambda: 2)
    monkeypatch.setattr(schedule, "MARGIN", 0.0)
    first = loop(10)
    forget_programs()
    assert loop(10) == first


def test_both_tiers_agree():
    cold = loop(5)
    with torch.debug.tier("compiled"):
        forget_programs()
        before = counts()
        compiled = loop(5)
        assert since(before)["cold"] == 0
    np.testing.assert_allclose(cold, compiled, rtol=1e-5)


def test_deterministic_algorithms_take_one_way_for_good():
    """NumPy where compiling would not pay, whatever lengths come; a program at once where it would."""
    torch.use_deterministic_algorithms(True)
    try:
        before = counts()
        for n in range(3, 40):
            torch.ones(n).sin().sum().item()
        assert since(before) == {"programs": 0, "runs": 0, "cold": 37}
        x = torch.full((1 << 20,), 0.5)
        torch.synchronize()
        before = counts()
        for _ in range(3):
            ((x.exp() * 2).sin() + x.tanh() * x).sum().item()
        assert since(before) == {"programs": 1, "runs": 3, "cold": 0}
    finally:
        torch.use_deterministic_algorithms(False)


def test_an_unknown_tier():
    with pytest.raises(ValueError, match="must be one of auto, compiled, cold"), torch.debug.tier("warm"):
        pass


def test_a_primitive_without_a_rule_is_compiled():
    a = torch.tensor([2.0, 3.0])
    before = counts()
    torch.special.zeta(a, a).sum().item()
    assert since(before)["programs"] == 1


def test_what_a_derivative_of_a_loop_begins_with_has_a_rule():
    x = (torch.eye(3) * 0.5).requires_grad_()
    before = counts()
    torch.linalg.matrix_exp(x).sum().backward()
    assert x.grad.diagonal().numpy() == pytest.approx(np.full(3, np.exp(0.5)), rel=1e-5)
    assert since(before) == {"programs": 0, "runs": 0, "cold": 1}


def test_what_numpy_alone_runs_is_forgotten_too(monkeypatch):
    monkeypatch.setattr(trie, "MAX_NODES", 500)
    for k in range(200):
        body = "\n".join(["x = x.sin()" if digit == "1" else "x = x.cos()" for digit in f"{k:08b}" * 3])
        given = {"x": torch.ones(3)}
        exec(compile(f"{body}\nx.sum().item()", f"program {k}", "exec"), given)
    root = trie.eager_root(torch.device("cpu"))
    assert sum(child.size for child in root.children.values()) < 3_000


def test_where_numpy_fails_a_program_runs():
    """A singular system is nan or infinite to XLA, and an error to LAPACK."""
    a = torch.tensor([[1.0, 2.0], [0.0, 0.0]])
    x = torch.linalg.solve_triangular(a, torch.ones(2, 1), upper=True)
    assert not torch.isfinite(x).all()


def test_a_long_while_loop_is_left_to_a_program():
    before = counts()
    i, s = torch._higher_order_ops.while_loop(
        lambda i, s: i < 1_000_000, lambda i, s: (i + 1, s + 2), (torch.tensor(0), torch.tensor(0))
    )
    assert (i.item(), s.item()) == (1_000_000, 2_000_000)
    assert since(before)["programs"] == 1


def test_what_numpy_computed_was_not_made_from_data():
    """Contracts that look at numbers look at those of data alone, whoever computed the others."""
    zero = torch.tensor([3, 1]) - torch.tensor([3, 0])
    zero.tolist()
    from functorch_lite._core.api import at_hand

    assert at_hand(torch.tensor([0, 1])) is not None
    assert at_hand(zero) is None
    assert at_hand(zero[:1]) is None
    (zero + 1).sum()
    flush()
    assert at_hand(zero) is None


def test_an_interrupted_run_is_run_again(monkeypatch):
    x = torch.ones(3)
    y = x.sin()
    run = tiers.run

    def interrupted(*args):
        monkeypatch.setattr(tiers, "run", run)
        raise KeyboardInterrupt

    monkeypatch.setattr(tiers, "run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        y.tolist()
    torch.testing.assert_close(y, x.sin())


def test_results_keep_no_larger_array_alive():
    big = torch.ones(1000, 1000)
    part = (big + 1)[3, :4].clone()
    flush()
    array = part._cell.value.array
    assert array.base is None or array.base.nbytes <= array.nbytes


def test_the_plan_of_a_jaxpr_is_made_once():
    import jax

    closed = jax.make_jaxpr(lambda x: x * 2)(1.0)
    assert plan_of(closed) is plan_of(closed)
    assert plan_of(closed)(np.float32(3.0)) == [6.0]


def test_a_program_on_disk_takes_over_earlier():
    """Loading takes less than compiling; of one that turns out to be another's, as often as if nothing were there."""
    x = torch.ones(300, 300)
    y = (x @ x).exp().sin() @ x
    path = list(state.rec.path)
    kept, new = tiers.Place(path, True), tiers.Place(path, False)
    assert 0 < kept.limit < new.limit and kept.ticket.first == 1 and kept.ticket.seconds < new.ticket.seconds
    kept.is_not_kept()
    assert not kept.is_kept and (kept.limit, kept.ticket.first) == (new.limit, new.ticket.first)
    small = tiers.Place([path[0]], True)
    limit = small.limit
    small.is_not_kept()
    assert small.is_small and small.limit == limit > new.limit
    assert y.shape == (300, 300)


def test_steps_on_few_elements_stay_numpys():
    """A program takes as long for each equation: it saves what many elements cost."""
    limits = []
    for n, rows in ((4, 4), (256, 512)):
        cell, x, h = torch.nn.GRUCell(n, n), torch.ones(rows, n), torch.zeros(rows, n)
        torch.synchronize()
        with torch.no_grad():
            likely = torch.log_softmax(cell(x, cell(x, h)), -1).topk(2)
        place = tiers.Place(list(state.rec.path), False)
        limits.append(place.limit)
        assert not place.is_small and likely.values.shape == (rows, 2)
    assert limits[0] == sys.maxsize and 0 < limits[1] < 1000


def test_what_was_traced_before_does_not_wait_for_the_disk(monkeypatch):
    torch.synchronize()
    results = [torch.ones(n).exp() for n in range(3, 33)]
    path = list(state.rec.path)
    assert len(path) == 60 and tiers.is_ready(path)
    monkeypatch.setattr(type(path[0].applied), "is_traced", property(lambda self: False))
    assert tiers.is_ready(path[:2] * 30)  # each op is traced once
    assert [tiers.is_ready(path) for _ in range(4)] == [False, False, False, False]
    assert tiers.is_ready(path)  # tracing would have paid by now
    assert [r.shape[0] for r in results] == [*range(3, 33)]


def test_a_long_recording_pays_for_each_of_its_stretches():
    """They are programs that are called one after the other, and compiled as far as they differ."""
    limits = []
    for n in (4, 200):
        torch.synchronize()
        x = torch.ones(n, n)
        for _ in range(150):
            x = (x * 0.5).exp() + x.tanh()
        path = list(state.rec.path)
        place = tiers.Place(path, False)
        limits.append(place.limit)
    assert limits[0] == sys.maxsize and limits[1] < sys.maxsize and len(path) > 320
    distinct = [tiers._plan(node) for node in {node.applied: node for node in path}.values()]
    place.ticket.runs = place.ticket.first - 1
    place.next(path)
    assert place.ticket.seconds == place.seconds > tiers.seconds_to_compile(distinct)
    assert not place.is_long  # the stretches were counted
