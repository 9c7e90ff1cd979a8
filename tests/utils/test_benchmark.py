"""torch.utils.benchmark: that what is timed is really run, and what is said of the times."""

from __future__ import annotations

import pytest

import functorch_lite as torch
from functorch_lite import nn
from functorch_lite._core.run import executor
from functorch_lite.utils.benchmark import (
    Compare,
    FuzzedParameter,
    FuzzedTensor,
    Fuzzer,
    Measurement,
    ParameterAlias,
    TaskSpec,
    Timer,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)


def measurement(times, label="mm", sub="8x8", desc="v1", threads=1, n=10, env=None):
    return Measurement(
        n, [t * n for t in times], TaskSpec("x @ x", "pass", "", label, sub, desc, env, threads)
    )


@pytest.mark.parametrize(
    "stmt", ["x @ x", "y = x @ x\ny + 1", "x.mul_(1)", "(x @ x, x + 1)", "for _ in range(1):\n    z = x @ x"]
)
@pytest.mark.programs
def test_every_execution_is_run(stmt):
    x = torch.ones(4, 4)
    timer = Timer(stmt, globals={"x": x})
    timer.timeit(3)
    before = executor.stats["runs"]
    timer.timeit(50)
    assert executor.stats["runs"] - before == 52  # two to warm up


def test_the_clock_is_read_when_the_work_is_done():
    x = torch.ones(700, 700)
    large = Timer("x @ x @ x @ x", globals={"x": x}).timeit(2).mean
    assert large > min(Timer("x @ x", globals={"x": torch.ones(2, 2)}).timeit(2).mean for _ in range(5))


def test_statements_see_their_globals_and_setup():
    seen = []
    timer = Timer(
        "seen.append(a)", setup="a = 3", globals={"seen": seen}, label="l", sub_label="s", description="d"
    )
    m = timer.timeit(5)
    assert seen[-5:] == [3] * 5 and m.number_per_run == 5 and m.title == "l: s"
    model = nn.Linear(4, 4)
    m = Timer("model(x).sum().backward()", globals={"model": model, "x": torch.ones(2, 4)}).timeit(3)
    assert m.mean > 0 and model.weight.grad is not None


def test_ranges_of_runs():
    calls, now = [], [0.0]

    def work():  # takes a millisecond by the clock
        now[0] += 1e-3

    timer = Timer("work()", globals={"work": work}, timer=lambda: now[0])
    m = timer.blocked_autorange(callback=lambda n, t: calls.append(n), min_run_time=0.01)
    assert len(calls) == len(m.raw_times) in (10, 11) and set(calls) == {1}
    assert abs(m.median - 1e-3) < 1e-9
    m = timer.adaptive_autorange(min_run_time=0.02)
    assert len(m.raw_times) in (20, 21, 22)
    with pytest.raises(NotImplementedError, match="blocked_autorange"):
        Timer().repeat()
    with pytest.raises(ValueError, match="only a `str` stmt"):
        Timer(len)
    with pytest.raises(NotImplementedError, match="only Python"):
        Timer(language="cpp")
    with pytest.raises(ValueError, match="C\\+\\+ only"):
        Timer(global_setup="#include <x>")


def test_what_is_said_of_times():
    m = measurement([1e-5, 1.5e-5, 1e-5, 3e-5])
    assert [round(t * 1e8) for t in (m.median, m.mean, m.iqr)] == [1250, 1625, 875]
    assert m.has_warnings and m.meets_confidence(0.8) and m.significant_figures == 1
    assert m.num_threads == 1 and m.description == "v1" and m.as_row_name == "8x8"
    with pytest.raises(AttributeError):
        _ = m.color
    assert repr(m).split("\n")[1:] == [
        "mm: 8x8",
        "v1",
        "  Median: 12.50 us",
        "  IQR:    8.75 us (10.00 to 18.75)",
        "  4 measurements, 10 runs per measurement, 1 thread",
        "  WARNING: Interquartile range is 70.0% of the median measurement.",
        "           This suggests significant environmental influence.",
    ]
    assert "  1 measurement, 10 runs , 2 threads" in repr(measurement([1.0], threads=2))
    (merged,) = Measurement.merge([m, m])
    assert merged.number_per_run == 1 and len(merged.raw_times) == 8
    assert (
        select_unit(3e-5) == ("us", 1e-6) and select_unit(2.0) == ("s", 1.0) and select_unit(1e-12)[0] == "ns"
    )
    assert unit_to_english("ms") == "millisecond"
    assert (trim_sigfig(123456, 3), trim_sigfig(0.0012345, 2), trim_sigfig(0.0, 2)) == (123000, 0.0012, 0)
    assert ordered_unique([3, 1, 3, 2]) == [3, 1, 2]


RESULTS = [
    measurement([1e-5] * 5),
    measurement([2.345e-5] * 5, desc="v2"),
    measurement([1e-3] * 5, sub="16x16"),
    measurement([2e-3] * 5, sub="16x16", desc="v2"),
    measurement([5e-6] * 5, threads=2),
]


def test_compare():
    compare = Compare(RESULTS)
    lines = [line.rstrip() for line in str(compare).split("\n")]
    assert lines[1:9] == [
        "             |    v1    |    v2",
        "1 threads: ----------------------",
        "      8x8    |    10.0  |    23.5",
        "      16x16  |  1000.0  |  2000.0",
        "2 threads: ----------------------",
        "      8x8    |     5.0  |",
        "",
        "Times are in microseconds (us).",
    ]
    compare.trim_significant_figures()
    assert "      8x8    |    10  |    23" in str(compare)
    compare.colorize()
    assert "\033[92m" in str(compare) and "\033[31m" in str(compare)
    compare.extend_results([measurement([1.0, 2.0, 3.0], label="other")])
    compare.highlight_warnings()
    assert " other " in str(compare) and "(! " in str(compare)
    with pytest.raises(ValueError, match="instance of `Measurement`"):
        Compare([3])


def test_fuzzer():
    fuzzer = Fuzzer(
        [[FuzzedParameter("n", 16, 256, "loguniform"), FuzzedParameter("k", 2, 9, "uniform")]],
        [FuzzedTensor("x", ("n", "k", 2), steps=(1, 2), probability_contiguous=0.0, max_elements=2000)],
        constraints=[lambda params: params["k"] > 3],
        seed=0,
    )
    for tensors, facts, params in fuzzer.take(5):
        assert tuple(tensors["x"].shape) == (params["n"], params["k"], 2) and params["k"] > 3
        assert facts["x"]["numel"] == tensors["x"].numel() <= 2000 and not facts["x"]["is_contiguous"]
    assert 0 < fuzzer.rejection_rate < 1
    again = [params for _, _, params in fuzzer.take(2)]
    assert again == [params for _, _, params in fuzzer.take(2)]
    with pytest.raises(AssertionError, match="Unknown distribution"):
        FuzzedParameter("n", 1, 2, "normal")
    with pytest.raises(ValueError, match="cycle"):
        list(Fuzzer([FuzzedParameter("a", distribution={ParameterAlias("a"): 1.0})], []).take(1))
