"""Facts about applied ops that another process found, so that this one need not trace them: what they return, what
their derivatives read.

They stand in one file of the cache's folder, a line each: the applied op's identity, a checksum, JSON. Whatever is
damaged or missing is found out anew. Another version of the library, of JAX, another machine or other settings have a
file of their own.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from typing import Any
from zlib import crc32

from ..words.cache_folder import cache_folder
from ..words.fingerprint import fingerprint

__all__ = ["find", "folder", "note"]

MOST_BYTES = 32 << 20

_noted: dict[str, str] = {}
"""Facts that this process wrote, by identity."""
_read: dict[str, dict[bytes, bytes]] = {}
"""By folder, of which a process has one: the contents of its file when it was first looked at, by identity."""


def folder() -> str | None:
    """Where this kind of process keeps its facts and programs; None where it keeps none."""
    where = cache_folder()
    return None if where is None else os.path.join(where, f"programs-{fingerprint()[:16]}")


def find(identity: bytes | None) -> dict[str, Any]:
    """Returns the facts that are known about an applied op: empty if none are."""
    if identity is None:
        return {}
    check, _, text = _known().get(identity.hex().encode(), b"").partition(b" ")
    if check != f"{crc32(text):08x}".encode():
        return {}
    try:
        return json.loads(text)
    except ValueError:
        return {}


def any_known() -> bool:
    """Returns whether another process left any facts."""
    return bool(_known())


def note(found: Iterable[tuple[bytes, dict[str, Any]]]) -> None:
    """Keeps facts for processes to come."""
    lines = []
    for identity, facts in found:
        name, text = identity.hex(), json.dumps(facts, separators=(",", ":"))
        line = f"{crc32(text.encode()):08x} {text}"
        if _noted.get(name) != line and _known().get(name.encode()) != line.encode():
            _noted[name] = line
            lines.append(f"{name} {line}\n")
    where = folder()
    if not lines or where is None:
        return
    with contextlib.suppress(OSError):
        os.makedirs(where, mode=0o700, exist_ok=True)
        file = os.open(_file(where), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            if os.fstat(file).st_size < MOST_BYTES:
                os.write(file, ("\n" + "".join(lines)).encode())
        finally:
            os.close(file)


def _file(where: str) -> str:
    return os.path.join(where, "ops")


def _known() -> dict[bytes, bytes]:
    if not _read:
        where, lines = folder(), []
        if where is not None:
            with contextlib.suppress(OSError), open(_file(where), "rb") as file:
                lines = file.read().split(b"\n")
        _read[where or ""] = {line[:32]: line[33:] for line in lines if len(line) > 42}
    return next(iter(_read.values()))
