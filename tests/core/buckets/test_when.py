"""Which recordings are padded, which are not, and that it is said; and what programs may hold of memory."""

from __future__ import annotations

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite._core.lazy.apply import read
from functorch_lite._core.lazy.recorder import state
from functorch_lite._core.run import compiled, executor
from functorch_lite._core.run.buckets import choice
from functorch_lite._core.run.buckets.axes import bucket
from functorch_lite._core.run.buckets.padded_program import PaddedProgram
from functorch_lite._core.run.cold import tier

pytestmark = pytest.mark.programs


@pytest.fixture(autouse=True)
def forgotten():
    executor.flush()
    executor.forget_programs()


def padded() -> list:
    """The kept programs that are padded."""
    return [p for p in compiled.kept if type(p) is PaddedProgram]


def total(n: int) -> float:
    x = torch.tensor(np.ones((3, n), np.float32))
    return (x * 2).sum(0).exp().sum().item()


def test_buckets():
    assert [bucket(n) for n in (1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 24, 25, 32, 33, 49, 64)] == [
        1, 2, 3, 4, 6, 6, 8, 12, 12, 16, 24, 32, 32, 48, 64, 64
    ]  # fmt: skip


def test_from_the_third_length_on():
    for n in (9, 10):
        total(n)
    assert not padded()
    for n in (11, 12, 9, 10, 11):
        assert total(n) == pytest.approx(n * np.exp(6), 1e-5)
    assert [p.padded for p in padded()] == [(12,)]
    total(13)
    assert [p.padded for p in padded()] == [(12,), (16,)]


def test_a_loop_of_one_length_never_is():
    for _ in range(150):
        total(9)
    assert not padded() and len(compiled.kept) == 1


def test_few_lengths_that_come_often_end_with_programs_of_their_own(monkeypatch):
    monkeypatch.setattr(choice, "MOST_TIMES", 5)
    for _ in range(4):
        for n in (9, 10, 11):
            total(n)
    (program,) = padded()
    runs = executor.stats["runs"]
    made = executor.stats["programs"]
    for _ in range(4):
        for n in (9, 10, 11):
            total(n)
    assert executor.stats["programs"] == made + 1, "that of 11; 9 and 10 have theirs"
    assert executor.stats["runs"] == runs + 12
    assert padded() == [program]


def test_not_where_bits_are_to_be_the_same():
    torch.use_deterministic_algorithms(True)
    try:
        for n in (9, 10, 11, 12):
            total(n)
        assert not padded() and len(compiled.kept) == 4
    finally:
        torch.use_deterministic_algorithms(False)


def test_numpy_goes_on_while_it_compiles(monkeypatch):
    monkeypatch.setattr(tier, "SECONDS_TO_COMPILE", 0.01)

    def step(n):
        x = torch.tensor(np.ones((60, 50, n), np.float32))
        return (x.cumsum(2).sin().exp().tanh().softmax(2) @ x.transpose(1, 2)).sum().item()

    with torch.debug.tier("auto"):
        cold = executor.stats["cold"]
        for n in (33, 34, 35, 36):
            assert step(n) == pytest.approx(60 * 50 * 50, 1e-4)
        assert executor.stats["cold"] >= cold + 4
        for n in range(33, 49):
            for _ in range(3):
                step(n)
        assert [p.padded for p in padded()] == [(48,)]


def test_small_recordings_are_numpys():
    with torch.debug.tier("auto"):
        made = executor.stats["programs"]
        for n in (4, 5, 6, 7, 8, 9):
            total(n)
    assert executor.stats["programs"] == made


def test_explain_says_which():
    for n in (9, 10):
        total(n)
    with torch.debug.explain() as report:
        total(11)
    assert "Lengths differ: padded to 12." in str(report)


def test_explain_says_why_not():
    def sorted_(n):
        x = torch.tensor(np.ones(n))
        return x.sort().values.sum().item()

    for n in (9, 10):
        sorted_(n)
    with torch.debug.explain() as report:
        for n in (11, 12):
            sorted_(n)
    assert not padded()
    line = sorted_.__code__.co_firstlineno + 2
    assert (
        f"It is not padded to a few lengths for all: sort along a length (in sort, {__file__}:{line})"
        in str(report)
    )


def test_not_parameters_of_many_sizes():
    for n in (100, 110, 120, 130):
        model = torch.nn.Linear(n, 100)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            model(torch.ones(2, n)).sum().backward()
            optimizer.step()
        torch.synchronize()
    assert not [p for p in padded() if p.donated]


REFUSED = {
    "sort": (lambda x: x.sort(1).values, "sort along a length"),
    "flip": (lambda x: x.flip(1), "rev along a length"),
    "every other": (lambda x: x[:, ::2], "a size that is not a length times a number"),
    "fft": (lambda x: torch.fft.fft(x).real, "fft"),
    "convolution": (
        lambda x: torch.nn.functional.conv1d(x[:, None], torch.ones(1, 1, 3)),
        "along a length",
    ),
    "cholesky": (lambda x: torch.linalg.cholesky_ex(x.T @ x + torch.eye(x.shape[1]))[0], "cholesky"),
    "filled up": (
        lambda x: torch.cat([x, torch.zeros(2, 20 - x.shape[1])], 1),
        "a size that is the less, the longer a length is",
    ),
    "half": (lambda x: x[:, : x.shape[1] // 2], "a size that is not a length times a number"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    fn, reason = REFUSED[name]
    for n in (7, 8, 9, 12, 11):
        x = torch.tensor(np.cos(np.arange(2.0 * n, dtype=np.float32).reshape(2, n)))
        got = (fn(x * 2) * 1.5).numpy()
        with torch.debug.tier("cold"):
            np.testing.assert_allclose(got, (fn(x * 2) * 1.5).numpy(), 1e-4, 1e-4)
    assert not padded() or name == "cholesky", "which is a recording of its own"
    reasons = [f.reason or "" for family in choice._families.values() for f in family.forms.values()]
    assert any(reason in r for r in reasons), reasons


def test_programs_are_bounded_by_their_bytes(monkeypatch):
    monkeypatch.setattr(compiled, "MAX_BYTES", 2 << 20)
    monkeypatch.setattr(compiled, "LEAST_PROGRAMS", 2)
    monkeypatch.setattr(choice, "LENGTHS", 1 << 30)
    for n in range(9, 29):
        total(n)
        assert sum(p.bytes for p in compiled.kept) <= 2 << 20
    assert 2 <= len(compiled.kept) < 20
    homes = [home for home, _ in compiled.kept.values()]
    assert all(len(home) == 1 for home in homes)
    assert total(9) == pytest.approx(9 * np.exp(6), 1e-5)


def test_externals_that_no_op_reads():
    """An op that was admitted and then taken back may leave one."""

    def total_and_more(n: int, more: bool) -> float:
        y = (torch.tensor(np.ones((3, n), np.float32)) * 2).sum(0).exp().sum()
        if more:
            state.rec.ext[read(torch.tensor(np.ones(5)))] = -1 - len(state.rec.ext)
        return y.item()

    for n in (9, 10, 11, 12):
        total_and_more(n, False)
    assert padded()
    for n in (11, 12):
        assert total_and_more(n, True) == pytest.approx(n * np.exp(6), 1e-5)
