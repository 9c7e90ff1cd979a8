"""Several processes: how they meet, and the devices that collectives run on.

The engine is JAX's: its coordination service, and a client for CPUs whose collectives go over gloo. That client
exists in addition to the one that all other programs run on, so a group can be made at any time, and `jax.devices()`
is unchanged. (`jax.distributed.initialize` must be called before the first computation, and ends a process without
saying which other one died.) A thread watches the messages of `_coordinator.py`:

which processes have gone, and which have not arrived at a collective in which others wait.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

from .._core.api import jax_private
from ._coordinator import NEVER

__all__ = ["Runtime", "address_of", "meet"]

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_GRACE = 5.0
"""Seconds that a collective may go on after one of its processes has gone, until this process is ended."""

_SAME = "All processes of a group must call the same, with tensors of one shape and dtype"
_ADVICE = {
    "DeviceMesh": "All processes of a mesh must do the same with its tensors: the same ops, with one seed and the same plain tensors and numbers, "
    "and read numbers, or save, in the same places (`total = loss.item()` in all of them, `print` in one)"
}

_started: list[subprocess.Popen] = []
"""Coordinators that this process started. They outlive it, so nobody waits for them."""


class NotMet(Exception):
    """Processes did not meet; the text says why."""


class PeerGone(Exception):
    """A process that a collective needs is gone; the text names its rank."""


class Runtime:
    """This process's place in a world of several.

    Attributes:
        rank, world: as it was asked for.
        devices: for each rank, its device of the client whose collectives go between processes.
        client: JAX's coordination service, which has a store of keys.
        gone: ranks that take part no more, with how that came: "ended", or "left the group".
    """

    def __init__(
        self,
        rank: int,
        world: int,
        host: str,
        link: socket.socket,
        heard: bytes,
        service: int,
        timeout: float,
    ):
        self.rank, self.world, self.timeout = rank, world, timeout
        self.gone: dict[int, str] = {}
        self._agreed: dict[str, int] = {}
        self._heard = threading.Condition()
        self._link, self._late, self._lock = link, None, threading.Lock()
        # open until this process has ended, whatever Python closes before: then the coordinator may end, and with it
        # JAX's clients
        os.dup(link.fileno())
        self._running: tuple[str, str, int, list[int], float] | None = None
        self._counts: dict[str, int] = {}
        self.client = jax_private.meet_at(
            f"{host}:{service}",
            rank,
            init_timeout=int(min(timeout, 300)),
            heartbeat_timeout=NEVER,
            shutdown_on_destruction=False,
            use_compression=False,
        )
        self.client.connect()
        collectives = jax_private.gloo(
            distributed_client=self.client, **({"hostname": "localhost"} if host in _LOOPBACK else {})
        )
        self._cpu = jax_private.make_client(
            asynchronous=True,
            distributed_client=self.client,
            node_id=rank,
            num_nodes=world,
            collectives=collectives,
            num_devices=1,
        )
        self.devices = sorted(self._cpu.devices(), key=lambda d: d.process_index)
        threading.Thread(
            target=self._watch, args=(heard,), name="functorch_lite.distributed", daemon=True
        ).start()

    def leave(self) -> None:
        """No process is notified when this process ends."""
        self._say({"left": True})

    @contextmanager
    def collective(
        self, name: str, group: str, ranks: Sequence[int], what: str | None = None, confirm: bool = False
    ) -> Iterator[None]:
        """Around what waits for other processes: an error of theirs becomes PeerGone. what: the others must do the
        same; if it is not given, they do nothing, and need not be there any more. confirm: it is over only when it is
        known that they do the same."""
        count = self._counts[group] = self._counts.get(group, 0) + 1
        message: dict[str, Any] = {"group": group, "count": count}
        if what is not None:
            self._refuse_gone(name, ranks)
            message |= {"what": what, "of": len(ranks), "name": name} | ({"confirm": True} if confirm else {})
        self._say(message)
        self._running = (name, group, count, list(ranks), time.monotonic())
        try:
            yield
            if confirm:
                with self._heard:
                    self._heard.wait_for(lambda: self._agreed.get(group, 0) >= count)
        except (RuntimeError, ValueError) as error:
            until = time.monotonic() + _GRACE  # the coordinator may have less of the machine than gloo
            while time.monotonic() < until and not self.gone:
                time.sleep(0.01)
            self._refuse_gone(name, ranks, error)
            raise
        finally:
            self._running = None

    def _refuse_gone(self, name: str, ranks: Sequence[int], error: Exception | None = None) -> None:
        gone = [r for r in self.gone if r in ranks]
        if gone:
            raise PeerGone(self._sentence(name, gone)) from error

    def _sentence(self, name: str, gone: Sequence[int]) -> str:
        of = f"rank {gone[0]} has" if len(gone) == 1 else f"ranks {', '.join(map(str, gone))} have"
        how = "ended" if any(self.gone[r] == "ended" for r in gone) else self.gone[gone[0]]
        advice = (
            "Look at the output of that process for the reason; a launcher with --max-restarts starts all of them again"
            if how == "ended"
            else _ADVICE.get(name, _SAME)
        )
        return f"torch.distributed.{name}, rank {self.rank} of {self.world}: {of} {how}, and cannot take part. {advice}"

    def _say(self, message: dict[str, Any]) -> None:
        with self._lock:
            try:
                self._link.sendall(json.dumps(message).encode() + b"\n")
            except OSError:
                pass  # the coordinator is gone; JAX's client ends this process

    def _watch(self, buffer: bytes) -> None:
        asked = None
        self._link.settimeout(0.5)
        while True:
            try:
                data = self._link.recv(65536)
                if not data:
                    return
                *lines, buffer = (buffer + data).split(b"\n")
                for line in lines:
                    message = json.loads(line)
                    if "gone" in message:
                        self.gone[message["gone"]] = message["how"]
                    elif "met" in message:
                        with self._heard:
                            self._agreed[message["met"]] = message["count"]
                            self._heard.notify_all()
                    elif "late" in message:
                        self._late = message["late"]
                    elif "mismatch" in message:
                        self._end(
                            f"torch.distributed, rank {self.rank} of {self.world}: {message['mismatch']} as the same collective. {_ADVICE.get(message['of'], _SAME)}; "
                            "the numbers that it gave are not to be used, so the process was ended"
                        )
            except TimeoutError:
                pass
            except OSError:
                return
            running = self._running
            if running is None:
                continue
            name, group, count, ranks, began = running
            waited = time.monotonic() - began
            gone = [
                r
                for r, how in self.gone.items()
                if r in ranks and (how == "ended" or self._agreed.get(group) != count)
            ]
            if gone and waited > _GRACE:
                self._end(self._sentence(name, gone))
            if waited > self.timeout:
                if asked != running:
                    asked, self._late = running, None
                    self._say({"late": group, "count": count, "ranks": ranks})
                elif self._late is not None:
                    late = ", ".join(map(str, self._late)) or "none"
                    self._end(
                        f"torch.distributed.{name}, rank {self.rank} of {self.world}: waited {waited:.0f} s, the timeout of "
                        f"init_process_group being {self.timeout:.0f} s. Ranks that have not called it: {late}"
                    )

    def _end(self, sentence: str) -> None:
        """Ends this process: its other thread waits in XLA, where no exception reaches it."""
        sys.stdout.flush()
        sys.stderr.write(sentence + "\n")
        sys.stderr.flush()
        os._exit(1)


def address_of(init_method: str | None, rank: int, world: int) -> tuple[str, int, int, str]:
    """(rank, world, …) as `init_process_group` and the environment have them: (host, port, rank, path of a file in
    place of host and port)."""
    url = urlparse(init_method or "env://")
    options = {k: v[0] for k, v in parse_qs(url.query).items()}
    rank = int(options["rank"]) if "rank" in options else rank
    if url.scheme == "file":
        path = f"{url.netloc}{url.path}"
        if not path:
            raise ValueError(
                f"init_process_group: {init_method!r} has no path: write file:///shared/folder/name"
            )
        return "", 0, rank, path
    if url.scheme == "tcp":
        if url.hostname is None or url.port is None:
            raise ValueError(f"init_process_group: {init_method!r} must be tcp://host:port")
        return url.hostname, url.port, rank, ""
    if url.scheme != "env":
        raise RuntimeError(
            f"No rendezvous handler for {url.scheme}://: init_method is env://, tcp://host:port or file:///path"
        )
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        if name not in os.environ:
            raise ValueError(
                f"Error initializing torch.distributed using env:// rendezvous: environment variable {name} expected, but not set"
            )
    return os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), rank, ""


def meet(
    host: str, port: int, rank: int, world: int, path: str, timeout: float, store: Any = None, key: str = ""
) -> Runtime:
    """Waits until all processes of the world are there. path, store: a file, or a store and its key, by which rank 0
    tells the others where."""
    until = time.monotonic() + min(timeout, 300)
    if rank == 0:
        if path or store is not None:
            host = _own_name()
        port = _start(host, port, world)
        if store is not None:
            store.set(key, f"{host} {port}")
        if path:
            unfinished = f"{path}.{os.getpid()}"
            Path(unfinished).write_text(f"{host} {port}\n")
            os.replace(unfinished, path)
    elif store is not None:
        host, number = store.get(key).decode().split()
        port = int(number)
    while True:
        if path and rank:
            host, port = _read_address(path, until)
        try:
            link = socket.create_connection((host, port), timeout=10)
            link.sendall(json.dumps({"rank": rank, "world": world, "attempt": _attempt()}).encode() + b"\n")
            line, rest = _first_line(link)
            if line:
                break
            link.close()
        except OSError:
            pass
        if time.monotonic() > until:
            raise NotMet(
                f"rank {rank} of {world} could not reach {path or f'{host}:{port}'} within {min(timeout, 300):.0f} s; rank 0 must call init_process_group too, with the same address"
            )
        time.sleep(0.05)
    message = json.loads(line)
    if "error" in message:
        link.close()
        raise NotMet(message["error"])
    link.settimeout(None)
    return Runtime(rank, world, host, link, rest, message["service"], timeout)


def _attempt() -> int:
    """How often a launcher has started all processes again."""
    return int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))


def _first_line(link: socket.socket) -> tuple[bytes, bytes]:
    data = b""
    while b"\n" not in data:
        more = link.recv(4096)
        if not more:
            return b"", b""
        data += more
    line, _, rest = data.partition(b"\n")
    return line, rest


def _own_name() -> str:
    name = socket.gethostname()
    try:
        socket.gethostbyname(name)
    except OSError:
        return "127.0.0.1"
    return name


def _read_address(path: str, until: float) -> tuple[str, int]:
    while time.monotonic() < until:
        try:
            host, port = Path(path).read_text().split()
            return host, int(port)
        except (OSError, ValueError):
            time.sleep(0.05)
    raise NotMet(f"rank 0 has not written the file {path}")


def _start(host: str, port: int, world: int) -> int:
    """Starts the coordinator on this machine; its port."""
    bind = "127.0.0.1" if host in _LOOPBACK else "0.0.0.0"
    file = str(Path(__file__).with_name("_coordinator.py"))
    started = subprocess.Popen(
        [sys.executable, file, bind, str(port), str(world), str(_attempt()), *jax_private.SERVICE],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the processes that it serves
    )
    with started.stdout:  # type: ignore[union-attr]
        line = started.stdout.readline()  # type: ignore[union-attr]
    message: dict[str, Any] = json.loads(line) if line else {"error": f"it ended with code {started.wait()}"}
    if "error" in message:
        raise NotMet(
            f"rank 0 cannot listen at {host}:{port} for the others: {message['error']}. Take another port (MASTER_PORT)"
        )
    _started.append(started)
    return message["port"]
