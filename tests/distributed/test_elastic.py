"""Processes of torch.distributed.elastic: their logs, values and failures; events and metrics of a job."""

from __future__ import annotations

import json
import os
import sys

import pytest

from functorch_lite.distributed.elastic import events, metrics
from functorch_lite.distributed.elastic.multiprocessing import DefaultLogsSpecs, Std, start_processes, to_map
from functorch_lite.distributed.elastic.multiprocessing.errors import ChildFailedError, ProcessFailure, record


@pytest.fixture(autouse=True)
def signals(monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_SIGNALS_TO_HANDLE", "SIGHUP")


def work(number, other):
    """What a process does."""
    print("out", number, os.environ["OWN"])
    print("err", file=sys.stderr)
    if number == 2:
        raise ValueError("two")
    return number + other


def ended(entrypoint, args, specs, **options):
    """The result of processes."""
    envs = {rank: {"OWN": str(rank)} for rank in args}
    return start_processes("job", entrypoint, args, envs, specs, **options).wait(period=0.05)


def test_functions(tmp_path, capsys):
    specs = DefaultLogsSpecs(str(tmp_path), redirects=Std.ALL, tee={1: Std.OUT})
    found = ended(work, {0: (0, 5), 1: (2, 5)}, specs)
    assert found.is_failed() and list(found.failures) == [1] and not found.return_values
    assert open(found.stdouts[1]).read() == "out 2 1\n" and "err\n" in open(found.stderrs[1]).read()
    assert "[job1]:out 2 1\n" in capsys.readouterr().out
    failure = found.failures[1]
    assert failure.exitcode == 1 and failure.message["message"] == "ValueError: two"
    shown = str(ChildFailedError("job", found.failures))
    assert "job FAILED" in shown and "local_rank: 1" in shown and 'raise ValueError("two")' in shown
    assert failure.error_file.endswith("attempt_0/1/error.json")


def test_values_of_functions():
    assert ended(work, {0: (0, 5)}, DefaultLogsSpecs(os.devnull)).return_values == {0: 5}


def test_programs(tmp_path):
    specs = DefaultLogsSpecs(str(tmp_path), tee=Std.OUT)
    found = ended("/bin/echo", {0: ("kept", 1), 1: ("not",)}, specs, duplicate_stdout_filters=["kept"])
    assert open(found.stdouts[0]).read() == "kept 1\n"
    attempt = os.path.dirname(os.path.dirname(found.stdouts[0]))
    assert open(os.path.join(attempt, "filtered_stdout.log")).read() == "[job0]:kept 1\n"
    failure = ended("/bin/false", {0: ()}, specs).failures[0]
    assert failure.exitcode == 1 and failure.message.startswith("To enable traceback")
    sleeping = start_processes("job", "/bin/sleep", {0: ("60",)}, {0: {}}, specs)
    assert sleeping.wait(0) is None
    sleeping.close()
    with pytest.raises(ProcessLookupError):
        os.kill(sleeping.pids()[0], 0)
    with pytest.raises(
        RuntimeError, match=r"envs, local rank mapping mismatch, expected: \{0\}, actual: \{1\}"
    ):
        start_processes("job", "/bin/true", {0: ()}, {1: {}}, specs)


def test_errors_are_recorded(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))
    with pytest.raises(ZeroDivisionError):
        record(lambda: 1 // 0)()
    assert json.loads((tmp_path / "error.json").read_text())["message"]["message"].startswith(
        "ZeroDivisionError"
    )
    assert ProcessFailure(0, 7, -15, "").message == "Signal 15 (SIGTERM) received by PID 7"
    assert record(sys.exit)(0) is None


def test_streams():
    assert Std.from_str("0:3,1:0") == {0: Std.ALL, 1: Std.NONE}
    assert to_map({1: Std.OUT}, 2) == {0: Std.NONE, 1: Std.OUT}
    with pytest.raises(ValueError, match="does not match"):
        Std.from_str("4")


def test_metrics(capsys):
    class Seen(metrics.MetricHandler):
        def __init__(self):
            self.names = []

        def emit(self, metric_data):
            self.names.append((metric_data.group_name, metric_data.name))

    seen = Seen()
    metrics.configure(seen, "group")
    metrics.put_metric("x", 3, "group")
    metrics.prof(group="group")(test_streams)()
    assert seen.names == [
        ("group", "x"),
        *(("group", f"test_elastic.test_streams.{n}") for n in ("success", "duration.ms")),
    ]
    metrics.configure(metrics.ConsoleMetricHandler(), "shown")
    metrics.put_metric("y", 4, "shown")
    assert "[shown]: y=4" in capsys.readouterr().out


def test_events():
    event = events.Event("n", events.EventSource.AGENT, 5, {"a": 1})
    assert str(event) == '{"name": "n", "source": "AGENT", "timestamp": 5, "metadata": {"a": 1}}'
    assert events.Event.deserialize(str(event)) == event
    events.record(event)
    events.construct_and_record_rdzv_event("run", "message", events.NodeState.FAILED)
