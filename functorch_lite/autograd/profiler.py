"""torch.autograd.profiler: what XLA ran and for how long, from JAX's profiler.

Recorded ops run later, and fused: the events are the ops of compiled programs (such as "dot" or "loop_fusion"), not
calls of torch functions. `record_function` gives a range of one's own; inside a running profile it first waits for
what came before, and at its end for what was recorded in it, so that the range holds the time of its own work.
"""

from __future__ import annotations

import enum
import functools
import gzip
import json
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jax

from .._core.api import flush
from ..api_names import listed

__all__ = ["EventList", "FunctionEvent", "emit_itt", "emit_nvtx", "profile", "record_function"]
__dir__ = listed(__name__, "DeviceType")

_running: list[_Trace] = []
_NO_SUCH = (
    "profile({}=True): JAX's profiler does not give this. It gives the time of each op of the compiled programs and of the ranges of "
    "record_function; debug.explain() tells which programs are compiled and why."
)


class DeviceType(enum.Enum):
    """Where an event ran."""

    CPU = 0
    CUDA = 1


def settle() -> None:
    """Runs what is recorded, and waits for all that runs."""
    flush()
    for array in jax.live_arrays():
        array.block_until_ready()


class record_function:
    """A named range of a profile: a context, or a decorator. Costs nothing when no profile is running.

    >>> with torch.autograd.profiler.record_function("my step"):
    ...     loss = torch.ones(2).sum()
    """

    def __init__(self, name: str, args: str | None = None):
        self.name = name
        self.args = args
        self._range: Any = None

    def __enter__(self) -> record_function:
        if _running:
            settle()
            _running[-1].ranges.add(self.name)
            self._range = jax.profiler.TraceAnnotation(self.name)
            self._range.__enter__()
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._range is not None:
            settle()
            self._range.__exit__(None, None, None)
            self._range = None

    def __call__(self, fn: Callable) -> Callable:
        @functools.wraps(fn)
        def wrapper(*args, **kwargs):
            with record_function(self.name, self.args):
                return fn(*args, **kwargs)

        return wrapper


# -- events ----------------------------------------------------------------------------------------------------------


class FunctionEvent:
    """Events of one name (one, or in key_averages all). Times in microseconds.

    `self_cpu_time_total` of a range is what no op and no range inside it took.
    """

    def __init__(
        self, name: str, start: float, duration: float, device: DeviceType, is_user_annotation: bool
    ):
        self.key = self.name = name
        self.count = 1
        self.device_type = device
        self.is_user_annotation = is_user_annotation
        self.start, self.end = start, start + duration
        on_cpu = device is DeviceType.CPU
        self.cpu_time_total = self.self_cpu_time_total = duration if on_cpu else 0.0
        self.device_time_total = self.self_device_time_total = 0.0 if on_cpu else duration

    @property
    def cpu_time(self) -> float:
        """The mean time on the CPU."""
        return self.cpu_time_total / self.count

    @property
    def device_time(self) -> float:
        """The mean time on the accelerator."""
        return self.device_time_total / self.count

    def add(self, other: FunctionEvent) -> FunctionEvent:
        """Adds the times of another of the same name."""
        self.count += other.count
        for field in ("cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total"):
            setattr(self, field, getattr(self, field) + getattr(other, field))
        self.start, self.end = min(self.start, other.start), max(self.end, other.end)
        return self

    def __repr__(self) -> str:
        return f"<FunctionEvent {self.name}: {self.count} calls, cpu {_microseconds(self.cpu_time_total)}>"


_COLUMNS = {
    "Self CPU": "self_cpu_time_total",
    "CPU total": "cpu_time_total",
    "CPU time avg": "cpu_time",
    "Device total": "device_time_total",
    "Device time avg": "device_time",
}


class EventList(list):
    """A list of FunctionEvents that can be shown as a table."""

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """The events as text, sorted by a field such as "cpu_time_total" (largest first)."""
        if top_level_events_only:
            raise NotImplementedError("table(top_level_events_only=True): events are not nested")
        fields = {*_COLUMNS.values(), "count"}
        if sort_by is not None and sort_by not in fields:
            raise ValueError(f"sort_by must be one of {sorted(fields)}, got {sort_by!r}")
        events = sorted(self, key=lambda e: getattr(e, sort_by), reverse=True) if sort_by else list(self)
        columns = {
            h: f
            for h, f in _COLUMNS.items()
            if not h.startswith("Device") or any(e.device_time_total for e in self)
        }
        rows = [["Name", *columns, "# of Calls"]]
        for e in events[: None if row_limit < 0 else row_limit]:
            name = (
                e.key if len(e.key) <= max_name_column_width else e.key[: max_name_column_width - 3] + "..."
            )
            rows.append([name, *[_microseconds(getattr(e, f)) for f in columns.values()], str(e.count)])
        widths = [max(len(r[i]) for r in rows) for i in range(len(rows[0]))]
        rule = "  ".join("-" * w for w in widths)
        lines = ["  ".join(c.rjust(w) for c, w in zip(r, widths)) for r in rows]
        total = sum(e.self_cpu_time_total for e in self)
        head = [header] if header else []
        foot = [f"Self CPU time total: {_microseconds(total)}"]
        return "\n".join([*head, rule, lines[0], rule, *lines[1:], rule, *foot])

    def key_averages(self) -> EventList:
        """Events of the same name and device added up."""
        merged: dict[tuple, FunctionEvent] = {}
        for e in self:
            key = (e.key, e.device_type)
            if key in merged:
                merged[key].add(e)
            else:
                copy = merged[key] = FunctionEvent(
                    e.name, e.start, e.end - e.start, e.device_type, e.is_user_annotation
                )
                copy.self_cpu_time_total = e.self_cpu_time_total
        return EventList(merged.values())

    def total_average(self) -> FunctionEvent:
        """Everything added up: the time that was spent in no inner range or op counted once."""
        total = FunctionEvent("Total", 0.0, 0.0, DeviceType.CPU, False)
        total.count = 0
        for e in self:
            total.add(e)
        return total

    def __str__(self) -> str:
        return self.table()


def _microseconds(t: float) -> str:
    return f"{t / 1e6:.3f}s" if t >= 1e6 else f"{t / 1e3:.3f}ms" if t >= 1e3 else f"{t:.3f}us"


class _Trace:
    """A trace that JAX's profiler takes: in a folder of its own, read when it has stopped."""

    def __init__(self, with_stack: bool):
        self.ranges: set[str] = set()
        self.folder = Path(tempfile.mkdtemp(prefix="functorch_lite_profile_"))
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = int(with_stack)
        settle()
        try:
            jax.profiler.start_trace(str(self.folder), profiler_options=options)
        except BaseException:
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        _running.append(self)

    def stop(self) -> tuple[EventList, dict]:
        """(events, the trace in Chrome's format)."""
        try:
            settle()
        finally:
            _running.remove(self)
            jax.profiler.stop_trace()
        try:
            (space,) = self.folder.rglob("*.xplane.pb")
            (chrome,) = self.folder.rglob("*.trace.json.gz")
            events = _events(jax.profiler.ProfileData.from_file(str(space)), self.ranges)
            return events, json.loads(gzip.decompress(chrome.read_bytes()))
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def _events(data: Any, ranges: set[str]) -> EventList:
    with (
        warnings.catch_warnings()
    ):  # of types in jaxlib, which Python 3.13 gives; as an error it would end the process
        warnings.simplefilter("ignore", DeprecationWarning)
        return _read_events(data, ranges)


def _read_events(data: Any, ranges: set[str]) -> EventList:
    found = []
    for plane in data.planes:
        on_device = plane.name.startswith("/device:")
        for line in plane.lines:
            if on_device and not line.name.startswith("Stream"):
                continue
            for e in line.events:
                is_range = not on_device and e.name in ranges
                if not is_range and not any(k == "hlo_op" for k, _ in e.stats):
                    continue
                device = DeviceType.CUDA if on_device else DeviceType.CPU
                found.append(FunctionEvent(e.name, e.start_ns / 1e3, e.duration_ns / 1e3, device, is_range))
    found.sort(key=lambda e: (e.start, -e.end))
    for e in found:
        if e.is_user_annotation:
            inside = [(o.start, o.end) for o in found if o is not e and e.start <= o.start and o.end <= e.end]
            e.self_cpu_time_total = max(0.0, e.cpu_time_total - _covered(inside))
    return EventList(found)


def _covered(intervals: Iterable[tuple[float, float]]) -> float:
    total, reach = 0.0, float("-inf")
    for start, end in sorted(intervals):
        total += max(0.0, end - max(start, reach))
        reach = max(reach, end)
    return total


def refuse(**options: Any) -> None:
    """NotImplementedError for the options that are on and cannot be given."""
    for name, value in options.items():
        if value:
            raise NotImplementedError(_NO_SUCH.format(name))


class profile:
    """A context in which everything that runs is timed.

    enabled=False does nothing. with_stack: Python's calls are in the exported trace too (slow). record_shapes,
    with_flops, profile_memory and with_modules raise NotImplementedError.

    >>> with torch.autograd.profiler.profile() as prof:
    ...     with torch.autograd.profiler.record_function("sum"):
    ...         s = torch.ones(2).sum()
    >>> print(prof.key_averages().table(sort_by="cpu_time_total"))
    ---...
    sum ...
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
    ):
        refuse(
            record_shapes=record_shapes, with_flops=with_flops, profile_memory=profile_memory, with_modules=with_modules,
            experimental_config=experimental_config,
        )  # fmt: skip
        if not use_cpu:
            refuse(use_cpu_False=True)
        self.enabled = enabled
        self.with_stack = with_stack
        self.acc_events = acc_events
        self.function_events: EventList | None = None
        self.chrome: dict = {}
        self._trace: _Trace | None = None

    def __enter__(self) -> profile:
        if self.enabled:
            if self._trace is not None or (self.function_events is not None and not self.acc_events):
                raise RuntimeError("Profiler context manager is not reentrant")
            self._trace = _Trace(self.with_stack)
        return self

    def __exit__(self, *exc: Any) -> None:
        if self._trace is not None:
            trace, self._trace = self._trace, None
            events, self.chrome = trace.stop()
            self.function_events = EventList([*(self.function_events or ()), *events])

    def _finished(self) -> EventList:
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """The events, with events of one name added up."""
        refuse(group_by_input_shape=group_by_input_shape, group_by_stack_n=group_by_stack_n)
        return self._finished().key_averages()

    def total_average(self) -> FunctionEvent:
        """All events added up."""
        return self._finished().total_average()

    def table(self, sort_by: str | None = None, row_limit: int = 100, **options: Any) -> str:
        """The events as text."""
        return self._finished().table(sort_by=sort_by, row_limit=row_limit, **options)

    @property
    def self_cpu_time_total(self) -> float:
        """Time in events, none counted twice."""
        return sum(e.self_cpu_time_total for e in self._finished())

    def export_chrome_trace(self, path: str) -> None:
        """Writes the trace for chrome://tracing or ui.perfetto.dev (compressed when the path ends in .gz)."""
        self._finished()
        write_chrome_trace(self.chrome, path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Not available: with_stack=True puts Python's calls in the exported trace."""
        raise NotImplementedError("export_stacks: use with_stack=True and export_chrome_trace")

    def __str__(self) -> str:
        return (
            "<unfinished torch.autograd.profile>"
            if self.function_events is None
            else str(self.function_events)
        )


def write_chrome_trace(trace: dict, path: str) -> None:
    """Writes a trace as JSON, compressed when the path ends in .gz."""
    data = json.dumps(trace).encode()
    Path(path).write_bytes(gzip.compress(data) if str(path).endswith(".gz") else data)


def emit_nvtx(*args: Any, **kwargs: Any) -> None:
    """Not available: record_function's ranges are seen by NVIDIA's tools through JAX."""
    raise NotImplementedError("emit_nvtx: use profile, or jax.profiler")


def emit_itt(*args: Any, **kwargs: Any) -> None:
    """Not available."""
    raise NotImplementedError("emit_itt: use profile, or jax.profiler")
