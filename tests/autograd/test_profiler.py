"""torch.profiler: steps and schedules, and that a profile tells of what really ran."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

import functorch_lite as torch
from functorch_lite import profiler
from functorch_lite.autograd import profiler as old
from functorch_lite.profiler import ProfilerActivity, record_function, schedule


def work(n=200):
    x = torch.tensor(np.ones((n, n), np.float32))
    return (x @ x).sin().sum()


@pytest.mark.programs
def test_ranges_and_ops_are_timed(tmp_path):
    work()
    outside = record_function("outside")
    with outside, profiler.profile(activities=[ProfilerActivity.CPU]) as prof:
        with record_function("range"):
            y = work()
        with record_function("empty"):
            pass

        @record_function("twice")
        def f():
            return work(100)

        f(), f()
    assert abs(y.item() - 200 * 200 * np.sin(200.0)) < 1
    averages = {e.key: e for e in prof.key_averages()}
    assert averages["range"].count == 1 and averages["twice"].count == 2 and "outside" not in averages
    ops = [e for e in prof.events() if not e.is_user_annotation]
    (within,) = [e for e in prof.events() if e.key == "range"]
    assert any(within.start <= e.start and e.end <= within.end for e in ops), "the work is within its range"
    (empty,) = [e for e in prof.events() if e.key == "empty"]
    assert not any(empty.start <= e.start and e.end <= empty.end for e in ops)
    assert 0 <= within.self_cpu_time_total < within.cpu_time_total
    assert averages["twice"].cpu_time == averages["twice"].cpu_time_total / 2
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=2)
    assert "# of Calls" in table and "range" in table and len(table.splitlines()) == 7
    with pytest.raises(ValueError, match="sort_by"):
        prof.key_averages().table(sort_by="color")
    prof.add_metadata("run", "first")
    prof.add_metadata_json("sizes", "[1, 2]")
    prof.export_chrome_trace(str(tmp_path / "trace.json.gz"))
    trace = json.loads(gzip.decompress((tmp_path / "trace.json.gz").read_bytes()))
    assert trace["run"] == "first" and trace["sizes"] == [1, 2]
    assert "range" in {e.get("name") for e in trace["traceEvents"]}


@pytest.mark.parametrize("tier", ["cold", "compiled"])
def test_calls_of_ops_are_counted_in_both_tiers(tier, tmp_path):
    with torch.debug.tier(tier), profiler.profile(record_shapes=True) as prof:
        x = torch.ones(3, 2)
        for _ in range(5):
            x = x + 1
        with record_function("product"):
            w = torch.ones(2, requires_grad=True)
            (x @ w).sum().backward()
        assert (x[0, 0] > 5).item()
    counts = {e.key: e for e in prof.key_averages()}
    assert (
        counts["aten::add"].count == 5 and counts["aten::matmul"].count == 1 and counts["aten::gt"].count == 1
    )
    assert counts["aten::matmul_backward"].count == 1 and counts["aten::sum"].count == 1
    assert (counts["aten::add"].cpu_time_total > 0) is (tier == "cold")  # a compiled program fuses them
    by_shape = prof.key_averages(group_by_input_shape=True)
    (add,) = [e for e in by_shape if e.key == "aten::add"]
    assert add.count == 5 and add.input_shapes[0] == [3, 2] and "Input Shapes" in by_shape.table()
    (product,) = [e for e in prof.events() if e.key == "product"]
    (matmul,) = [e for e in prof.events() if e.key == "aten::matmul"]
    assert product.start <= matmul.start and matmul.end <= product.end
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    names = [e.get("name") for e in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]]
    assert names.count("aten::add") == 5


def test_a_profile_inside_another():
    with torch.debug.tier("cold"), profiler.profile() as outer:
        (torch.ones(3) + 1).sum().item()
        with old.profile() as inner, record_function("inside"):
            (torch.ones(3) + 2).sum().item()
        (torch.ones(3) + 3).sum().item()
    assert {e.key: e.count for e in inner.key_averages()} == {
        "inside": 1,
        "aten::ones": 1,
        "aten::add": 1,
        "aten::sum": 1,
    }
    counts = {e.key: e.count for e in outer.key_averages()}
    assert counts["aten::add"] == 3 and counts["inside"] == 1 and not old._running


def test_schedules():
    def names(n, **kwargs):
        action = schedule(**kwargs)
        return "".join(
            {"NONE": ".", "WARMUP": "w", "RECORD": "r", "RECORD_AND_SAVE": "S"}[action(i).name]
            for i in range(n)
        )

    assert names(12, wait=1, warmup=1, active=2, repeat=2, skip_first=1) == "..wrS.wrS..."
    assert names(12, wait=2, warmup=1, active=2, repeat=2, skip_first=1, skip_first_wait=1) == ".wrS..wrS..."
    assert names(6, wait=0, warmup=1, active=1) == "wSwSwS"
    with pytest.warns(UserWarning, match="won't be using warmup"):
        schedule(wait=0, warmup=0, active=1)
    with pytest.raises(AssertionError, match="Invalid profiler schedule arguments"):
        schedule(wait=0, warmup=1, active=0)


def test_steps(tmp_path):
    seen = []

    def ready(prof):
        seen.append((prof.step_num, sorted(e.key for e in prof.events() if e.key.startswith("ProfilerStep"))))
        profiler.tensorboard_trace_handler(str(tmp_path), "me")(prof)

    with profiler.profile(
        schedule=schedule(wait=1, warmup=1, active=2, repeat=2), on_trace_ready=ready
    ) as prof:
        for _ in range(9):
            work(50)
            prof.step()
    assert seen == [(4, ["ProfilerStep#2", "ProfilerStep#3"]), (8, ["ProfilerStep#6", "ProfilerStep#7"])]
    assert len(list(tmp_path.glob("me.*.pt.trace.json"))) == 2
    assert not old._running


def test_the_older_interface():
    with old.profile() as prof:
        with pytest.raises(RuntimeError, match="finish"):
            prof.key_averages()
        with old.record_function("range"):
            work()
    assert "range" in str(prof)
    assert prof.self_cpu_time_total > 0
    assert prof.total_average().count == len(prof.function_events)
    with old.profile(enabled=False) as off:
        work()
    assert off.function_events is None


def test_what_cannot_be_given_raises():
    for option in ("profile_memory", "with_flops", "with_modules"):
        with pytest.raises(NotImplementedError, match=option):
            profiler.profile(**{option: True})
        with pytest.raises(NotImplementedError, match=option):
            old.profile(**{option: True})
    with (
        pytest.warns(UserWarning, match="XPU is not available"),
        pytest.raises(AssertionError, match="No activities"),
    ):
        profiler.profile(activities=[ProfilerActivity.XPU])
    prof = profiler.profile()
    for call in (prof.key_averages, prof.events, lambda: prof.export_chrome_trace("x")):
        with pytest.raises(AssertionError, match="must be initialized"):
            call()
    for call in (
        old.emit_nvtx,
        old.emit_itt,
        profiler.ExecutionTraceObserver,
        lambda: prof.export_stacks("x"),
    ):
        with pytest.raises(NotImplementedError):
            call()
    assert ProfilerActivity.CPU in profiler.supported_activities() and not profiler.kineto_available()
