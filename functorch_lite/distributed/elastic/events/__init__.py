"""torch.distributed.elastic.events: events of a job, recorded by Python's logging."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
import traceback
from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import Any

__all__ = [
    "Event", "EventMetadataValue", "EventSource", "NodeState", "RdzvEvent", "construct_and_record_rdzv_event",
    "get_logging_handler", "record", "record_rdzv_event",
]  # fmt: skip

EventMetadataValue = str | int | float | bool | None

_handlers: dict[str, logging.Handler] = {
    "console": logging.StreamHandler(),
    "dynamic_rendezvous": logging.NullHandler(),
    "null": logging.NullHandler(),
}
_loggers: dict[str, logging.Logger] = {}


class EventSource(str, Enum):  # noqa: UP042 (PyTorch prints EventSource.AGENT)
    """Producers of events."""

    AGENT = "AGENT"
    WORKER = "WORKER"


class NodeState(str, Enum):  # noqa: UP042
    """States of a node."""

    INIT = "INIT"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


class _Serialized:
    """Base of events: JSON in both directions."""

    def __str__(self) -> str:
        return self.serialize()

    def serialize(self) -> str:
        """Return the event as JSON."""
        return json.dumps(asdict(self))  # type: ignore[call-overload]

    @classmethod
    def deserialize(cls, data: Any) -> Any:
        """Return the event of a JSON text; an event is returned as it is."""
        if isinstance(data, cls):
            return data
        found = json.loads(data)
        for name, kind in (("source", EventSource), ("node_state", NodeState)):
            if name in found:
                found[name] = kind[found[name]]
        return cls(**found)


@dataclass
class Event(_Serialized):
    """An event of a job.

    Args:
        name: Name of the event.
        source: Its producer.
        timestamp: Milliseconds since 1970.
        metadata: Other facts.

    >>> from functorch_lite.distributed.elastic.events import Event, EventSource
    >>> Event("started", EventSource.WORKER).serialize()
    '{"name": "started", "source": "WORKER", "timestamp": 0, "metadata": {}}'
    """

    __str__ = _Serialized.__str__
    name: str
    source: EventSource
    timestamp: int = 0
    metadata: dict[str, EventMetadataValue] = field(default_factory=dict)


@dataclass
class RdzvEvent(_Serialized):
    """An event of a rendezvous.

    Args:
        name: Name of the event.
        run_id: Name of the run.
        message: What happened.
        hostname: Name of the machine.
        pid: Number of the process.
        node_state: State of the node.
        master_endpoint: Address of the store.
        rank: Rank of the node.
        local_id: Number of the node on its machine.
        error_trace: Traceback of an error.
    """

    name: str
    run_id: str
    message: str
    hostname: str
    pid: int
    node_state: NodeState
    master_endpoint: str = ""
    rank: int | None = None
    local_id: int | None = None
    error_trace: str = ""


def get_logging_handler(destination: str = "null") -> logging.Handler:
    """Return the handler of a destination: "console", "dynamic_rendezvous" or "null"."""
    return _handlers[destination]


def _logger(destination: str) -> logging.Logger:
    if destination not in _loggers:
        logger = logging.getLogger(f"torchelastic-events-{destination}")
        logger.setLevel(os.environ.get("LOGLEVEL", "INFO"))
        logger.propagate = False
        logger.addHandler(get_logging_handler(destination))
        _loggers[destination] = logger
    return _loggers[destination]


def record(event: Event, destination: str = "null") -> None:
    """Record an event.

    Args:
        event: The event.
        destination: "console", which prints it, or "null", which drops it.
    """
    _logger(destination).info(event.serialize())


def record_rdzv_event(event: RdzvEvent) -> None:
    """Record an event of a rendezvous."""
    _logger("dynamic_rendezvous").info(event.serialize())


def construct_and_record_rdzv_event(
    run_id: str,
    message: str,
    node_state: NodeState,
    name: str = "",
    hostname: str = "",
    pid: int | None = None,
    master_endpoint: str = "",
    local_id: int | None = None,
    rank: int | None = None,
) -> None:
    """Record an event of a rendezvous, unless its handler drops events.

    Args:
        run_id: Name of the run.
        message: What happened.
        node_state: State of the node; for FAILED the traceback of the current exception is added.
        name: Name of the event, by default the calling function's.
        hostname: Name of the machine, by default this one's.
        pid: Number of the process, by default this one's.
        master_endpoint: Address of the store.
        local_id: Number of the node on its machine.
        rank: Rank of the node.
    """
    if isinstance(get_logging_handler("dynamic_rendezvous"), logging.NullHandler):
        return
    caller = sys._getframe(1).f_code
    record_rdzv_event(
        RdzvEvent(
            name=f"{os.path.basename(caller.co_filename)}:{name or caller.co_name}",
            run_id=run_id,
            message=message,
            hostname=hostname or socket.getfqdn(),
            pid=pid or os.getpid(),
            node_state=node_state,
            master_endpoint=master_endpoint,
            rank=rank,
            local_id=local_id,
            error_trace=traceback.format_exc() if node_state == NodeState.FAILED else "",
        )
    )
