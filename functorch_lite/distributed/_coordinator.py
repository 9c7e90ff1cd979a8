"""The process that several processes meet at: it hosts JAX's coordination service, and tells the others when one of
them is gone.

Rank 0 starts it, and it ends when the last process has ended: so if a rank dies, even rank 0, the service continues.
It imports no more than jaxlib, and is run as a file of its own: `python _coordinator.py host port world attempt
module name`, the last two saying what makes that service (`SERVICE` in `_core/words/jax_private.py`). Its first line
on stdout says the port it listens at.

Each process keeps one connection, over which go lines of JSON. From a process: {"rank", "world", "attempt"} first,
attempt being how often a launcher has restarted all of them; {"group", "count", "what", "of", "name"} at each
collective, of being the number of processes in it, "confirm" added if the process wants a message once all have
arrived, {"late", "count", "ranks"} to ask which ranks have not arrived at one, {"left": true} once it has left the
group. To it: {"service": port}, {"gone": rank, "how": text}, {"late": [ranks]}, {"met": group, "count"} when all have
begun the same collective, {"mismatch": text, "of": name}, or {"error": text}.
"""

from __future__ import annotations

import importlib
import json
import selectors
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

NEVER = 10**6
"""Seconds without a heartbeat until JAX ends all processes: connections tell sooner who is gone."""


def _free_port(host: str) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as s:
        s.bind((host, 0))
        return s.getsockname()[1]


def _listener(host: str, port: int) -> socket.socket:
    until = time.monotonic() + 30
    while True:
        try:
            return socket.create_server((host, port))
        except OSError:  # that of the group before, which others may not have left yet
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


class Coordinator:
    """The connections, by rank."""

    def __init__(self, host: str, port: int, world: int, attempt: int, make_service: Callable):
        self.world, self.attempt = world, attempt
        self.listener = _listener(host, port)
        self.listener.setblocking(False)
        self.service_port = _free_port(host)
        self.service = make_service(
            f"{host}:{self.service_port}", world, heartbeat_timeout=NEVER, shutdown_timeout=5
        )
        self.waiting = selectors.DefaultSelector()
        self.waiting.register(self.listener, selectors.EVENT_READ)
        self.buffers: dict[socket.socket, bytes] = {}
        self.ranks: dict[socket.socket, int] = {}
        self.counts: dict[int, dict[str, int]] = {}
        self.left: set[int] = set()
        self.begun: dict[tuple[str, int], list[tuple[int, str]]] = {}

    def serve(self, seconds: float) -> None:
        """Until all have ended; seconds: how long to wait for the first."""
        until = time.monotonic() + seconds
        while self.ranks or (time.monotonic() < until and not self.counts):
            for key, _ in self.waiting.select(1.0):
                if key.fileobj is self.listener:
                    self._accept()
                else:
                    self._read(key.fileobj)  # type: ignore[arg-type]

    def _accept(self) -> None:
        try:
            connection, _ = self.listener.accept()
        except OSError:
            return  # who came has gone, or the last has left in the meantime: then it is another coordinator's
        connection.setblocking(True)
        self.buffers[connection] = b""
        self.waiting.register(connection, selectors.EVENT_READ)

    def _read(self, connection: socket.socket) -> None:
        try:
            data = connection.recv(65536)
        except OSError:
            data = b""
        if not data:
            self._closed(connection)
            return
        *lines, self.buffers[connection] = (self.buffers[connection] + data).split(b"\n")
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                message = None
            if not isinstance(message, dict) or not self._heard(connection, message):
                self._closed(connection)
                return

    def _heard(self, connection: socket.socket, message: dict[str, Any]) -> bool:
        rank = self.ranks.get(connection)
        if rank is None:
            return self._joined(connection, message)
        if "late" in message:
            late = [
                r
                for r in message["ranks"]
                if self.counts.get(r, {}).get(message["late"], 0) < message["count"]
            ]
            self._tell(connection, {"late": late})
        elif "left" in message:
            self.left.add(rank)
            self._tell_others({"gone": rank, "how": "left the group"})
            if len(self.left) == self.world and self.listener.fileno() >= 0:
                self.waiting.unregister(self.listener)
                self.listener.close()
        elif "group" in message:
            self.counts[rank][message["group"]] = message["count"]
            if "what" in message:
                self._compare(rank, message)
        return True

    def _compare(self, rank: int, message: dict[str, Any]) -> None:
        """Returns whether the others do the same in this collective; otherwise its values cannot be trusted."""
        key = message["group"], message["count"]
        begun = self.begun.setdefault(key, [])
        begun.append((rank, message["what"]))
        first, what = begun[0]
        if message["what"] != what:
            text = f"rank {first} has called {what}, and rank {rank} {message['what']}"
            for other, number in list(self.ranks.items()):
                if number in (first, rank):
                    self._tell(other, {"mismatch": text, "of": message["name"]})
        if len(begun) == message["of"]:
            del self.begun[key]
            if message.get("confirm") and all(w == what for _, w in begun):
                ranks = {r for r, _ in begun}
                for other, number in list(self.ranks.items()):
                    if number in ranks:
                        self._tell(other, {"met": message["group"], "count": message["count"]})

    def _joined(self, connection: socket.socket, message: dict[str, Any]) -> bool:
        rank, world = message.get("rank"), message.get("world")
        if message.get("attempt") != self.attempt or rank in self.left:
            return (
                False  # it is to meet others, whose coordinator comes when this one has ended: it tries again
            )
        wrong = None
        if world != self.world:
            wrong = f"rank {rank} asked for a world of {world} processes, rank 0 for one of {self.world}"
        elif not isinstance(rank, int) or not 0 <= rank < self.world or rank in self.counts:
            wrong = f"rank {rank} of {self.world} is there already, or is none"
        if wrong is not None:
            self._tell(connection, {"error": wrong})
            return False
        self.ranks[connection] = rank  # type: ignore[assignment]
        self.counts[rank] = {}  # type: ignore[index]
        self._tell(connection, {"service": self.service_port})
        return True

    def _closed(self, connection: socket.socket) -> None:
        self.waiting.unregister(connection)
        connection.close()
        del self.buffers[connection]
        rank = self.ranks.pop(connection, None)
        if rank is not None and rank not in self.left:
            self._tell_others({"gone": rank, "how": "ended"})

    def _tell_others(self, message: dict[str, Any]) -> None:
        for other in list(self.ranks):
            self._tell(other, message)

    def _tell(self, connection: socket.socket, message: dict[str, Any]) -> None:
        try:
            connection.sendall(json.dumps(message).encode() + b"\n")
        except OSError:
            pass  # it is gone too, which its own end will tell


def main() -> None:
    """Runs a coordinator from the command line: host, port, world, attempt, and module and name of the service's maker.
    Prints its port, or the error, as JSON."""
    host, port, world, attempt = sys.argv[1], *map(int, sys.argv[2:5])
    module, name = sys.argv[5:7]
    try:
        coordinator = Coordinator(host, port, world, attempt, getattr(importlib.import_module(module), name))
    except OSError as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    print(json.dumps({"port": coordinator.listener.getsockname()[1]}), flush=True)
    coordinator.serve(60)


if __name__ == "__main__":
    main()
