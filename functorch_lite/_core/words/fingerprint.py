"""Fingerprint of what programs depend on beside what they compute: our code, the machine, JAX, XLA, their settings."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import jax
from jaxlib import version

__all__ = ["fingerprint", "settings"]

_IRRELEVANT = ("cache", "log", "traceback", "dump", "pprint", "debug_info")
"""Settings of JAX's with these in their names change nothing in a program."""


@cache
def fingerprint() -> str:
    """A digest of what stays as it is while a process runs."""
    told = [
        sys.version, jax.__version__, version.__version__, os.environ.get("XLA_FLAGS", ""),
        platform.machine(), str(os.cpu_count()), *_processor(), *_code(),
    ]  # fmt: skip
    return blake2b("\0".join(told).encode(), digest_size=16).hexdigest()


def settings() -> list[str]:
    """Returns the present settings of JAX, but for those that change nothing in a program."""
    return sorted([f"{k}={v}" for k, v in jax.config.values.items() if not any(w in k for w in _IRRELEVANT)])


def _processor() -> list[str]:
    """Its model and what it can do, where the system says so."""
    try:
        lines = Path("/proc/cpuinfo").read_text().partition("\n\n")[0].splitlines()
    except OSError:
        return [platform.processor()]
    return [line for line in lines if line.startswith(("model", "flags", "Features", "CPU "))]


def _code() -> list[str]:
    """The library's files, imported or not, with their sizes and times."""
    package = Path(__file__).parents[2]
    found = list(_files(str(package)))
    # those stand beside the package where it is installed for development, and git made no links to them in it
    for name in ("nn", "optim", "compat"):
        spec = find_spec(f"functorch_lite.{name}")
        if spec is not None and spec.origin and package not in (folder := Path(spec.origin).parent).parents:
            found += _files(str(folder))
    return sorted(found)


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                stat = entry.stat()
                yield f"{entry.name} {stat.st_size} {stat.st_mtime_ns}"
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from (f"{entry.name}/{file}" for file in _files(entry.path))
