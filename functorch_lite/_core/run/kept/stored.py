"""Compiled programs on disk, found by what they compute: a process that runs what another ran before neither traces,
lowers nor compiles it.

A program's name is that of its recording (the ops' identities, what they read, the values that are live) and a digest
of all else that decides on its code. What lies in the folder is machine code, as in JAX's own cache: see `cache_folder`
for whom it may belong to.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b, sha256
from typing import Any

import jax
from jax.experimental import serialize_executable

from ...jaxprs.walk import equations
from ...lazy import facts
from ...lazy.applied import PRECISION, Applied
from ...lazy.identity import Nameless, digest
from ...lazy.trie import TrieNode
from ...words.cache_folder import write
from ...words.device import device, jax_device
from ...words.fingerprint import fingerprint, settings
from ..pending import Pending
from .disk_cache import enable_once as begin

__all__ = ["Name", "any_kept", "begin", "compile", "found", "has", "is_kept", "keep", "name", "recording"]

LEAST_SIZE = 24
"""Ops and the equations in them.

Smaller programs are not kept: they take no longer to compile than to find, and there are many."""

_OF_OTHERS = re.compile(r'custom_call_target="(?!TopK"|__)')

_kept: dict[str, set[str]] = {}
"""The names of what is in the folder, and their first halves; by folder, of which a process has one."""


class Name:
    """Name by which a program is found: the name of its recording, and of the rest."""

    __slots__ = ("_on", "applied", "first", "text")

    def __init__(self, first: str, rest: Sequence[Any], applied: Iterable[Any], on: device):
        where = jax_device(on)
        rest = (*rest, PRECISION, where.id, where.device_kind, where.client.platform_version, settings())
        self.first = first
        self.text = f"{first}-{digest(*rest).hex()}"
        self.applied = list(applied)
        self._on = on

    @property
    def function(self) -> str:
        """Name of the function that is compiled: JAX's cache has another entry for each, and the first process compiles
        it."""
        return f"program_{blake2b((fingerprint() + self.text).encode(), digest_size=8).hexdigest()}"

    @property
    def path(self) -> str:
        """Its file."""
        return os.path.join(facts.folder() or "", self.text)


def _keeps(on: device) -> bool:
    """Returns whether programs of a device are kept."""
    return on.type == "cpu" and not on.is_mesh and facts.folder() is not None


def name(first: str, rest: Sequence[Any], applied: Sequence[Any], on: device) -> Name | None:
    """The name of a program (see `Name`); None if none is kept."""
    return Name(first, rest, applied, on) if _keeps(on) else None


def recording(
    steps: Sequence[TrieNode], reads: Sequence[int], live: Sequence[int], pending: Pending
) -> str | None:
    """The name of a recording, pruned (see `prune`), whatever else was recorded with it; None if nothing is kept, or it
    has an op that other processes do not know. (Of other devices than the CPU, and of meshes, nothing is kept: it was
    not tried there.)"""
    externals, on = pending.externals, pending.on
    if not _keeps(on):
        return None
    at = {-1 - e: -1 - k for k, e in enumerate(reads)}
    told = []
    n = 0
    for node in steps:
        told.append((node.applied, [at[r] for r in node.refs], node.stop))
        for i in range(node.n_out):
            at[node.base + i] = n + i
        n += node.n_out
    try:
        return digest(told, [at[i] for i in live], [externals[e].aval for e in reads], on).hex()
    except Nameless:
        return None


def any_kept() -> bool:
    """Returns whether there is any program on disk."""
    return bool(_names())


def is_kept(first: str | None) -> bool:
    """Returns whether some program of a recording of this name is on disk."""
    return first is not None and first in _names()


def has(name: Name) -> bool:
    """Returns whether the program of this name is on disk."""
    return name.text in _names()


def _names() -> set[str]:
    if not _kept:
        where, names = facts.folder(), []
        if where is not None:
            with contextlib.suppress(OSError):
                names = [name for name in os.listdir(where) if "-" in name]
        _kept[where or ""] = {name.partition("-")[0] for name in names}.union(names)
    return next(iter(_kept.values()))


def found(name: Name, n_arguments: int) -> jax.stages.Compiled | None:
    """The program of this name, if it is there and whole."""
    if not has(name):
        return None
    path = name.path
    try:
        with open(path, "rb") as file:
            data = file.read()
        if sha256(data[32:]).digest() != data[:32]:
            raise ValueError("damaged")
        n_results, _, payload = data[32:].partition(b"\n")
        takes = jax.tree.structure((tuple(range(n_arguments)), {}))
        gives = jax.tree.structure([0] * int(n_results))
        on = jax_device(name._on)
        return serialize_executable.deserialize_and_load(payload, takes, gives, on.client, [on])
    except FileNotFoundError:
        return None
    except Exception:  # of whatever kind: it is compiled anew
        with contextlib.suppress(OSError):
            os.unlink(path)
        return None


def keep(name: Name, compiled: jax.stages.Compiled) -> None:
    """Keeps a program that was just compiled, and what is known of its ops.

    Not what cannot be (a callback to Python), or calls functions of other libraries than XLA: jaxlib loads LAPACK when
    it lowers a call of it, and a process that did not would call what is not there."""
    size = sum(1 + sum(1 for _ in equations(applied.jaxpr)) for applied in name.applied)
    if size < LEAST_SIZE:
        return
    with contextlib.suppress(Exception):  # whatever it is, the program is there
        if not _OF_OTHERS.search(compiled.as_text() or ""):
            payload, _, gives = serialize_executable.serialize(compiled)
            data = b"%d\n%b" % (gives.num_leaves, payload)
            facts.note(_known_of(name.applied))
            write(name.path, sha256(data).digest() + data)
            _names().update((name.first, name.text))


def _known_of(path: Iterable[Applied]) -> Iterator[tuple[bytes, dict[str, Any]]]:
    """The facts of applied ops, and of all that they are made of."""
    found, left = set(), list(path)
    while left:
        applied = left.pop()
        if applied not in found:
            found.add(applied)
            left.extend(applied.made_of())
            if applied.identity is not None and applied.general is None:
                yield applied.identity, applied.to_note()


class Fresh(threading.local):
    """Tells whether this thread compiled a program, or JAX found it in its own cache: XLA cannot write a second time
    what it read."""

    def __init__(self) -> None:
        self.hits = 0

    def compile(self, lowered: jax.stages.Lowered) -> tuple[jax.stages.Compiled, bool]:
        """The program, and whether it was compiled now."""
        before = self.hits
        compiled = lowered.compile()
        return compiled, self.hits == before

    def _heard(self, event: str, **_: Any) -> None:
        if event == "/jax/compilation_cache/cache_hits":
            self.hits += 1


_fresh = Fresh()
jax.monitoring.register_event_listener(_fresh._heard)


def compile(lowered: jax.stages.Lowered) -> tuple[jax.stages.Compiled, bool]:
    """The program, and whether it was compiled now: only then can it be kept."""
    return _fresh.compile(lowered)
