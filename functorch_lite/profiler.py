"""torch.profiler: profile, schedule and their kin, over JAX's profiler.
See autograd.profiler for what the events are."""

from __future__ import annotations

import enum
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import jax

from .api_names import listed
from .autograd import profiler as events
from .autograd.profiler import DeviceType, EventList, record_function, refuse, write_chrome_trace

__all__ = [
    "DeviceType", "ExecutionTraceObserver", "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function",
    "schedule", "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip
__path__: list[str] = []  # there are modules inside of it: _elsewhere.py
__dir__ = listed(__name__)


class ProfilerActivity(enum.Enum):
    """Devices that may be profiled."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """Action of a profile in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3
    DEVICE_STOPPED = 4


def supported_activities() -> set[ProfilerActivity]:
    """Returns the activities that can be profiled here: the CPU, and the GPU where JAX has one."""
    on_gpu = jax.default_backend() in ("gpu", "cuda", "rocm")
    return {ProfilerActivity.CPU, ProfilerActivity.CUDA} if on_gpu else {ProfilerActivity.CPU}


def kineto_available() -> bool:
    """Returns whether torch's own tracing library is available: it is not."""
    return False


class ExecutionTraceObserver:
    """Not available: `Graph.print()` shows what was recorded."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError("ExecutionTraceObserver: JAX's profiler has no such trace")


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Makes the function that says what a profile does in each step: after skip_first steps, cycles of wait, warmup and
    active steps, `repeat` times (0: always).

    skip_first_wait (if not 0): the first cycle does not wait. Warm-up steps are not traced here: their programs are
    compiled.

    >>> [torch.profiler.schedule(wait=1, warmup=1, active=1)(i).name for i in range(3)]
    ['NONE', 'WARMUP', 'RECORD_AND_SAVE']
    """
    if wait < 0 or warmup < 0 or active <= 0 or repeat < 0 or skip_first < 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), active={active} (need > 0), "
            f"repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        if skip_first_wait:
            step += wait
        if repeat > 0 and step // length >= repeat:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD_AND_SAVE if place == length - 1 else ProfilerAction.RECORD

    return action


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """An on_trace_ready that writes each trace to a folder, as `<worker>.<time>.pt.trace.json` (.gz)."""
    if worker_name is None:
        import os

        worker_name = f"{socket.gethostname()}_{os.getpid()}"

    def handler(prof: profile) -> None:
        Path(dir_name).mkdir(parents=True, exist_ok=True)
        name = f"{worker_name}.{time.time_ns()}.pt.trace.json{'.gz' if use_gzip else ''}"
        prof.export_chrome_trace(str(Path(dir_name) / name))

    return handler


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile:
    """A context in which what runs is timed: everything, or the steps that `schedule` says (step() ends one).

    activities: {ProfilerActivity.CPU} (and CUDA). on_trace_ready(profile) is called when a trace has been taken.
    with_stack: Python's calls are in the exported trace. acc_events: events of all cycles are kept, not of the last
    only. record_shapes: events of ops have the shapes of their tensors. profile_memory, with_flops, with_modules, experimental_config and execution_trace_observer
    raise NotImplementedError.

    >>> with torch.profiler.profile() as prof:
    ...     with torch.profiler.record_function("forward"):
    ...         y = nn.Linear(3, 2)(torch.ones(4, 3))
    >>> print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=10))
    ---...
    forward ...
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[profile], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        experimental_config: Any = None,
        execution_trace_observer: Any = None,
        acc_events: bool = False,
        use_cuda: bool | None = None,
    ):
        refuse(
            profile_memory=profile_memory, with_flops=with_flops, with_modules=with_modules,
            experimental_config=experimental_config, execution_trace_observer=execution_trace_observer,
        )  # fmt: skip
        wanted = set(activities) if activities is not None else supported_activities()
        if use_cuda:
            wanted.add(ProfilerActivity.CUDA)
        for a in wanted - supported_activities():
            warnings.warn(f"{a.name} is not available, disabling {a.name} profiling", stacklevel=2)
        self.activities = wanted & supported_activities()
        if not self.activities:
            raise AssertionError("No activities specified for the profiler")
        self.with_stack = with_stack
        self.record_shapes = record_shapes
        self.acc_events = acc_events
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.by_steps = schedule is not None
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._metadata: dict[str, Any] = {}
        self._events: EventList | None = None
        self._chrome: dict = {}
        self._trace: events._Trace | None = None
        self._range: record_function | None = None

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Begins, with step 0."""
        self._begin_step()

    def stop(self) -> None:
        """Ends: a trace that is being taken is finished."""
        self._end_range()
        if self._trace is not None:
            self._finish()

    def step(self) -> None:
        """Says that the next step begins."""
        self._end_range()
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self.schedule(self.step_num)
        if self._trace is not None and (
            before is ProfilerAction.RECORD_AND_SAVE or self.current_action not in _RECORDING
        ):
            self._finish()
        self._begin_step()

    def _begin_step(self) -> None:
        if self.current_action in _RECORDING:
            if self._trace is None:
                self._trace = events._Trace(self.with_stack, self.record_shapes)
            if self.by_steps:
                self._range = record_function(f"ProfilerStep#{self.step_num}")
                self._range.__enter__()

    def _end_range(self) -> None:
        if self._range is not None:
            self._range.__exit__(None, None, None)
            self._range = None

    def _finish(self) -> None:
        trace, self._trace = self._trace, None
        found, self._chrome = trace.stop()  # type: ignore[union-attr]
        self._events = EventList([*(self._events or ()), *found]) if self.acc_events else found
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def events(self) -> EventList:
        """Every event, in the order of time."""
        if self._events is None:
            raise AssertionError("Profiler must be initialized before accessing events")
        return self._events

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The events, those of one name (and, with group_by_input_shape, of the same shapes) added up."""
        refuse(
            group_by_stack_n=group_by_stack_n, group_by_overload_name=group_by_overload_name
        )  # fmt: skip
        if self._events is None:
            raise AssertionError("Profiler must be initialized before getting key averages")
        return self._events.key_averages(group_by_input_shape)

    def export_chrome_trace(self, path: str) -> None:
        """Writes the last trace for chrome://tracing or ui.perfetto.dev (compressed when the path ends in .gz)."""
        if self._events is None:
            raise AssertionError("Profiler must be initialized before exporting chrome trace")
        write_chrome_trace({**self._chrome, **self._metadata}, path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Not available: with_stack=True puts Python's calls in the exported trace."""
        raise NotImplementedError("export_stacks: use with_stack=True and export_chrome_trace")

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        """Not available."""
        raise NotImplementedError("export_memory_timeline: use jax.profiler.save_device_memory_profile")

    def add_metadata(self, key: str, value: str) -> None:
        """Adds a text to the exported trace."""
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Adds a value, given as JSON, to the exported trace."""
        import json

        self._metadata[key] = json.loads(value)
