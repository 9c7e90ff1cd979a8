"""torch.distributed.elastic.metrics: numbers that a job publishes, and who receives them."""

from __future__ import annotations

import abc
import functools
import time
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = [
    "ConsoleMetricHandler", "MetricData", "MetricHandler", "MetricStream", "MetricsConfig", "NullMetricHandler", "configure",
    "getStream", "get_elapsed_time_ms", "initialize_metrics", "prof", "profile", "publish_metric", "put_metric",
]  # fmt: skip


class MetricData(NamedTuple):
    """A number: when it was published, its group, its name, and its value."""

    timestamp: float
    group_name: str
    name: str
    value: Any


class MetricsConfig:
    """Parameters of a configuration, a dict."""

    __slots__ = ["params"]

    def __init__(self, params: dict[str, str] | None = None):
        self.params = {} if params is None else params


class MetricHandler(abc.ABC):
    """Receiver of metrics: a subclass defines `emit`."""

    @abc.abstractmethod
    def emit(self, metric_data: MetricData) -> None:
        """Receive a number."""


class ConsoleMetricHandler(MetricHandler):
    """Receiver that prints."""

    def emit(self, metric_data: MetricData) -> None:
        print("[{}][{}]: {}={}".format(*metric_data))


class NullMetricHandler(MetricHandler):
    """Receiver that drops everything."""

    def emit(self, metric_data: MetricData) -> None:
        pass


class MetricStream:
    """A group of metrics and its receiver."""

    def __init__(self, group_name: str, handler: MetricHandler):
        self.group_name, self.handler = group_name, handler

    def add_value(self, metric_name: str, metric_value: Any) -> None:
        """Publish a number under a name."""
        self.handler.emit(MetricData(time.time(), self.group_name, metric_name, metric_value))


_receivers: dict[str | None, MetricHandler] = {None: NullMetricHandler()}


def configure(handler: MetricHandler, group: str | None = None) -> None:
    """Set the receiver of metrics.

    Args:
        handler: The receiver.
        group: The group it receives; None: every group that has no other.
    """
    _receivers[group] = handler


def initialize_metrics(cfg: MetricsConfig | None = None) -> None:
    """Change nothing: receivers are set by `configure`."""


def getStream(group: str) -> MetricStream:
    """Return the group of this name."""
    return MetricStream(group, _receivers.get(group, _receivers[None]))


def put_metric(metric_name: str, metric_value: Any, metric_group: str = "torchelastic") -> None:
    """Publish a number.

    Args:
        metric_name: Its name.
        metric_value: The number.
        metric_group: Its group.
    """
    getStream(metric_group).add_value(metric_name, metric_value)


def publish_metric(metric_group: str, metric_name: str, metric_value: Any) -> None:
    """Publish a number: the deprecated form of `put_metric`."""
    put_metric(metric_name, metric_value, metric_group)


def get_elapsed_time_ms(start_time_in_seconds: float) -> int:
    """Return the milliseconds since a time of `time.time()`."""
    return int((time.time() - start_time_in_seconds) * 1000)


def _measured(fn: Callable, key: str, group: str) -> Callable:
    @functools.wraps(fn)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        start = time.time()
        try:
            result = fn(*args, **kwargs)
            put_metric(f"{key}.success", 1, group)
            return result
        except Exception:
            put_metric(f"{key}.failure", 1, group)
            raise
        finally:
            put_metric(f"{key}.duration.ms", get_elapsed_time_ms(start), group)

    return wrapper


def prof(fn: Callable | None = None, group: str = "torchelastic") -> Any:
    """Decorate a function to publish its duration in ms, and that it succeeded or failed.

    Args:
        fn: The function; None: a decorator is returned.
        group: The group. Names begin with `class.function`, or `module.function` outside of classes.
    """

    def wrap(f: Callable) -> Callable:
        name = f.__qualname__
        return _measured(f, name if "." in name else f"{f.__module__.rpartition('.')[2]}.{name}", group)

    return wrap if fn is None else wrap(fn)


def profile(group: str = "torchelastic") -> Callable[[Callable], Callable]:
    """Decorate a function as `prof` does, under its bare name: deprecated."""
    return lambda fn: _measured(fn, fn.__name__, group)
