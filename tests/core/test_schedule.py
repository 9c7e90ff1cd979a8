"""The schedule of compilation depends on guessed seconds alone."""

import os
import subprocess
import sys

import pytest

from functorch_lite._core.run import cores, schedule
from functorch_lite._core.run.schedule import FIRST_RUNS, Clock, Next, Ticket


@pytest.fixture
def clock(monkeypatch):
    """A clock of a process with two cores that has run nothing yet."""
    fresh = Clock()
    monkeypatch.setattr(schedule, "clock", fresh)
    monkeypatch.setattr(schedule, "available_cores", lambda: 2)
    return fresh


def run(ticket: Ticket, most: int = 100_000) -> tuple[int, int]:
    """The runs, by number, at which compilation began and at which the program took over."""
    begun = 0
    for number in range(1, most):
        following = ticket.next()
        if following is Next.BEGIN:
            begun = number
        if following is Next.PROGRAM:
            return begun, number
    return begun, 0


def test_compilation_begins_after_a_few_runs_and_the_program_takes_over_at_a_fixed_one(clock):
    found = run(Ticket(turn=0.25, saved=0.125, seconds=10 / schedule.MARGIN))
    assert found == (FIRST_RUNS, FIRST_RUNS + 40)  # the run that begins it is one of the 40 that take 10 s


def test_one_program_is_compiled_at_a_time(clock):
    first, second = Ticket(0.01, 0.005, 1.0), Ticket(0.01, 0.005, 1.0)
    begun = {}
    for _ in range(1, 2000):
        for name, ticket in (("first", first), ("second", second)):
            if ticket.ready is None and ticket.next() is Next.BEGIN:
                begun[name] = clock.now - ticket.turn
            elif ticket.ready is not None:
                clock.now += ticket.turn
        if len(begun) == 2:
            break
    assert begun["second"] - begun["first"] >= schedule.MARGIN * first.seconds


def test_the_most_profitable_recording_is_compiled_first(clock):
    clock.free_at = 1.0  # something else is being compiled
    poor, rich = Ticket(0.01, 0.001, 1.0), Ticket(0.01, 0.008, 1.0)
    order = []
    while len(order) < 2:
        for name, ticket in (("poor", poor), ("rich", rich)):
            if ticket.ready is None:
                if ticket.next() is Next.BEGIN:
                    order.append(name)
            else:
                clock.now += ticket.turn
    assert order == ["rich", "poor"]


def test_a_recording_that_stopped_running_does_not_hold_up_the_others(clock):
    clock.free_at = 1.0
    stopped = Ticket(0.01, 0.009, 1.0)
    for _ in range(2 * FIRST_RUNS):
        assert stopped.next() is Next.NUMPY
    begun, _ = run(Ticket(0.01, 0.005, 1.0))
    assert 0 < begun <= 101


def test_a_program_that_would_not_pay_within_minutes_is_not_compiled(clock):
    rare, ticket = 60.0, Ticket(0.01, 0.005, 1.0)
    for _ in range(50):
        clock.now += rare
        assert ticket.next() is Next.NUMPY
    assert run(Ticket(0.01, 0.005, 1.0))[0] == FIRST_RUNS


def test_with_one_core_compiling_must_have_paid(clock, monkeypatch):
    monkeypatch.setattr(schedule, "available_cores", lambda: 1)
    begun, _ = run(Ticket(0.01, 0.005, 1.0))
    assert begun == pytest.approx(schedule.PAID_BEFORE * 1.0 / 0.005)


def test_earlier_processes_count(clock, monkeypatch):
    ticket = Ticket(0.01, 0.005, 1.0)
    ticket.credit(0.5)
    assert ticket.next() is Next.BEGIN
    monkeypatch.setattr(schedule, "available_cores", lambda: 1)
    ticket = Ticket(0.01, 0.005, 1.0)
    ticket.credit(2.0)
    assert run(ticket)[0] == pytest.approx(schedule.PAID_BEFORE * 1.0 / 0.005 - 200)


def test_what_numpy_spent_is_noted_once_it_matters(clock):
    ticket = Ticket(0.01, 0.005, 1.0)
    noted = []
    for number in range(1, 20):
        ticket.next()
        if ticket.is_worth_noting():
            noted.append(number)
    assert noted == [5] and ticket.spent == pytest.approx(0.19)


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    cores.available_cores.cache_clear()
    try:
        monkeypatch.setattr(cores, "_quota", lambda: 1.5)
        assert cores.available_cores() == 1
        cores.available_cores.cache_clear()
        monkeypatch.setattr(cores, "_quota", lambda: None)
        if hasattr(os, "sched_getaffinity"):
            assert cores.available_cores() == min(len(os.sched_getaffinity(0)), cores._NPROC or 1 << 20)
    finally:
        cores.available_cores.cache_clear()


SCRIPT = """
import functorch_lite as torch
from functorch_lite._core.run import schedule
schedule.available_cores = lambda: {cores}
schedule.PAYS_WITHIN = 1e9
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.Tanh(), torch.nn.Linear(128, 4))
opt = torch.optim.Adam(net.parameters(), lr=0.01)
x, y = torch.randn(256, 64), torch.randint(0, 4, (256,))
for _ in range({steps}):
    opt.zero_grad()
    loss = torch.nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
stats = torch.debug.stats()
print(loss.item().hex(), stats["programs"], stats["runs"])
"""


def script(cache: str, cores: int, steps: int) -> tuple[str, int, int]:
    """Runs the training script; returns the bits of its last loss, the programs made, and the program runs."""
    env = {**os.environ, "FUNCTORCH_LITE_CACHE": cache, "FUNCTORCH_LITE_TIER": "auto"}
    code = SCRIPT.format(cores=cores, steps=steps)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=300)
    assert not done.returncode, done.stderr
    loss, programs, runs = done.stdout.split()
    return loss, int(programs), int(runs)


def test_a_second_process_begins_where_the_first_left_off(tmp_path):
    """The first ends before its program is ready for use; the second finds it on disk."""
    _, programs, runs = script(str(tmp_path), cores=2, steps=8)
    assert (programs, runs) == (1, 0)
    warm = [script(str(tmp_path), cores=2, steps=200) for _ in range(2)]
    assert warm[0] == warm[1] and warm[0][2] > 100


def test_with_one_core_the_time_of_all_processes_counts(tmp_path):
    runs = [script(str(tmp_path), cores=1, steps=1000)[1:] for _ in range(3)]
    assert runs[0] == (0, 0) and any(programs for programs, _ in runs[1:]), runs
