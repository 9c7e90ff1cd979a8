"""Stores: keys and values that processes share, in a file, at an address, or in one process alone.
`init_process_group(store=)` meets through any of them.

Values are bytes; a str is taken as its UTF-8. Whoever asks for a key that is not there yet waits, at most for the
store's `timeout`.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import socketserver
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from .._core.api import check_type, is_int
from .groups import DistNetworkError, DistStoreError

__all__ = ["FileStore", "HashStore", "PrefixStore", "Store", "TCPStore"]

_PAUSE = 0.01
"""Seconds between two looks at whether a key is there."""


def _add(held: dict[str, str], key: str, amount: int) -> int:
    held[key] = str(int(held.get(key, "0")) + amount)
    return int(held[key])


def _compare_set(held: dict[str, str], key: str, expected: str, desired: str) -> str:
    if held.get(key, "") == expected:
        held[key] = desired
    return held.get(key, expected)


_CHANGES: dict[str, Callable[..., Any]] = {
    "set": lambda held, key, value: held.__setitem__(key, value),
    "get": lambda held, key: held.get(key),
    "add": _add,
    "append": lambda held, key, value: held.__setitem__(key, held.get(key, "") + value),
    "check": lambda held, *keys: all(key in held for key in keys),
    "compare_set": _compare_set,
    "delete_key": lambda held, key: held.pop(key, None) is not None,
    "list_keys": list,
}
"""Changes that can be made to the keys and values of a store, each while nobody else does anything. Values are str
here, a character for each byte."""


def _text(value: str | bytes) -> str:
    check_type(isinstance(value, str | bytes), value, "str or bytes", "set", "value", 2)
    return (value.encode() if isinstance(value, str) else value).decode("latin-1")


class Store(ABC):
    """Base of all stores. `timeout`: how long they wait for a key, 5 minutes by default."""

    timeout = timedelta(seconds=300)

    @abstractmethod
    def _do(self, change: str, *args: Any) -> Any:
        """One of the changes, with its result."""

    def set_timeout(self, timeout: timedelta) -> None:
        """Sets how long to wait for a key."""
        self.timeout = timeout

    def set(self, key: str, value: str | bytes) -> None:
        """Gives a key a value."""
        self._do("set", key, _text(value))

    def get(self, key: str) -> bytes:
        """The value of a key, once it has one. DistStoreError after the timeout."""
        self.wait([key])
        found = self._do("get", key)
        return b"" if found is None else found.encode("latin-1")

    def add(self, key: str, amount: int) -> int:
        """Adds to a number, which is 0 at first; the sum."""
        check_type(is_int(amount), amount, "int", "add", "amount", 2)
        return self._do("add", key, int(amount))

    def append(self, key: str, value: str | bytes) -> None:
        """Lets a value go on with another one."""
        self._do("append", key, _text(value))

    def check(self, keys: Sequence[str]) -> bool:
        """Returns whether all of the keys have values."""
        return self._do("check", *keys)

    def wait(self, keys: Sequence[str], timeout: timedelta | None = None) -> None:
        """Returns once all of the keys have values; DistStoreError after the timeout."""
        seconds = (timeout or self.timeout).total_seconds()
        until = time.monotonic() + seconds
        while not self.check(keys):
            if time.monotonic() > until:
                raise DistStoreError(f"wait timeout after {1000 * seconds:.0f}ms, keys: {', '.join(keys)}")
            time.sleep(_PAUSE)

    def compare_set(self, key: str, expected: str | bytes, desired: str | bytes) -> bytes:
        """Sets a value if it was the expected one ("" for none); the value then."""
        return self._do("compare_set", key, _text(expected), _text(desired)).encode("latin-1")

    def delete_key(self, key: str) -> bool:
        """Forgets a key; whether it was there."""
        return self._do("delete_key", key)

    def list_keys(self) -> list[str]:
        """All keys."""
        return self._do("list_keys")

    def num_keys(self) -> int:
        """How many keys there are."""
        return len(self.list_keys())

    def multi_get(self, keys: Sequence[str]) -> list[bytes]:
        """`get` of each key."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: Sequence[str], values: Sequence[str | bytes]) -> None:
        """`set` of each key."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def has_extended_api(self) -> bool:
        """True: all have `append`, `multi_get` and `multi_set`."""
        return True


class HashStore(Store):
    """A store of one process, for its threads.

    >>> from functorch_lite.distributed import HashStore
    >>> store = HashStore()
    >>> store.set("name", "value")
    >>> store.get("name"), store.add("count", 2)
    (b'value', 2)
    """

    def __init__(self) -> None:
        self._held: dict[str, str] = {}
        self._lock = threading.Lock()

    def _do(self, change: str, *args: Any) -> Any:
        with self._lock:
            return _CHANGES[change](self._held, *args)


class FileStore(Store):
    """A store in a file, for processes that can lock it: of one machine, or of a file system that knows locks.

    world_size: how many will use the file; once as many have, and the last store of it is gone while its process goes
    on, the file is deleted. Without it, it stays.

    >>> import os, tempfile
    >>> from functorch_lite.distributed import FileStore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = FileStore(os.path.join(folder, "keys"), 2)
    ...     store.set("name", "value")
    ...     store.get("name")
    b'value'
    """

    def __init__(self, file_name: str, world_size: int = -1):
        self.path = file_name
        _in_file(file_name, lambda held: (_add(held, _USERS, 1), _add(held, _CAME, 1)))
        weakref.finalize(self, _left, file_name, world_size).atexit = False

    def _do(self, change: str, *args: Any) -> Any:
        return _in_file(self.path, lambda held: _CHANGES[change](held, *args))

    def list_keys(self) -> list[str]:
        """All keys."""
        return [key for key in super().list_keys() if key not in (_USERS, _CAME)]


_USERS, _CAME = "users/", "came/"


def _in_file(path: str, change: Callable[[dict[str, str]], Any]) -> Any:
    """A change to the keys and values in a file, while it is locked."""
    with open(os.open(path, os.O_RDWR | os.O_CREAT, 0o644), "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        before = file.read()
        held = json.loads(before or "{}")
        found = change(held)
        after = json.dumps(held)
        if after != before:
            file.seek(0)
            file.write(after)
            file.truncate()
        return found


def _left(path: str, world_size: int) -> None:
    if Path(path).exists():
        users, came = _in_file(path, lambda held: (_add(held, _USERS, -1), _add(held, _CAME, 0)))
        if not users and 0 < world_size <= came:
            Path(path).unlink(missing_ok=True)


class PrefixStore(Store):
    """A part of another store: each key begins with a prefix and a slash there.

    >>> from functorch_lite.distributed import HashStore, PrefixStore
    >>> store = HashStore()
    >>> PrefixStore("mine", store).set("name", "value")
    >>> store.list_keys()
    ['mine/name']
    """

    def __init__(self, prefix: str, store: Store):
        self._prefix, self.underlying_store, self.timeout = f"{prefix}/", store, store.timeout

    def _do(self, change: str, *args: Any) -> Any:
        if change == "list_keys":
            return self.underlying_store._do(change)
        named = len(args) if change == "check" else 1
        keys = [self._prefix + key for key in args[:named]]
        return self.underlying_store._do(change, *keys, *args[named:])


class TCPStore(Store):
    """A store at an address: the process with `is_master` listens there as long as it has the store.

    Args:
        port: 0 is any that is free, which is then the store's `port`.
        world_size: with wait_for_workers, how many must have come before any goes on.
        timeout: how long to look for the master, and to wait for keys.
        multi_tenant, master_listen_fd, use_libuv: of PyTorch's server. The last is accepted; the others raise, if they
            are given.

    Raises DistNetworkError if no process listens at the address, or it is taken.

    >>> from functorch_lite.distributed import TCPStore
    >>> master = TCPStore("localhost", 0, is_master=True)
    >>> TCPStore("localhost", master.port).set("name", "value")
    >>> master.get("name")
    b'value'
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = Store.timeout,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        master_listen_fd: int | None = None,
        use_libuv: bool = True,
    ):
        if multi_tenant or master_listen_fd is not None:
            raise NotImplementedError(
                "TCPStore: multi_tenant and master_listen_fd are not supported; choose a different port"
            )
        self.host, self.port, self.timeout, self._lock = host_name, port, timeout, threading.Lock()
        if is_master:
            self.port = _serve(self, port)
        self._link = _connected(host_name, self.port, timeout.total_seconds())
        self._answers = self._link.makefile("rb")
        if world_size is not None and wait_for_workers:
            if self.add(_CAME, 1) >= world_size:
                self.set(f"{_CAME}all", "")
            self.wait([f"{_CAME}all"])

    def _do(self, change: str, *args: Any) -> Any:
        with self._lock:
            self._link.sendall(json.dumps([change, *args]).encode() + b"\n")
            line = self._answers.readline()
        if not line:
            raise DistNetworkError(f"TCPStore: the process that listened at {self.host}:{self.port} is gone")
        return json.loads(line)


class _Requests(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        for line in self.rfile:
            change, *args = json.loads(line)
            self.wfile.write(json.dumps(self.server.store._do(change, *args)).encode() + b"\n")  # type: ignore[attr-defined]


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Does nothing: the end of a process is not an error of this one."""


def _serve(owner: TCPStore, port: int) -> int:
    try:
        server = _Server(("", port), _Requests)
    except OSError as error:
        raise DistNetworkError(f"TCPStore: cannot listen at port {port}: {error}") from None
    server.store = HashStore()  # type: ignore[attr-defined]
    threading.Thread(target=server.serve_forever, name="functorch_lite.TCPStore", daemon=True).start()
    weakref.finalize(owner, server.shutdown)
    return server.server_address[1]


def _connected(host: str, port: int, seconds: float) -> socket.socket:
    until = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((host, port))
        except OSError as error:
            if time.monotonic() > until:
                raise DistNetworkError(f"TCPStore: no process listens at {host}:{port}: {error}") from None
            time.sleep(5 * _PAUSE)
