"""The folder on disk that programs are kept in from process to process: where it is, whom it may belong to, how files
get there."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import warnings
from functools import cache

__all__ = ["bound", "cache_folder", "write"]


@cache
def cache_folder() -> str | None:
    """The cache's folder, made if it is not there; None where there is to be none: FUNCTORCH_LITE_CACHE=0, or a folder
    that others than the user can write to, since what lies there is run."""
    where = os.environ.get("FUNCTORCH_LITE_CACHE", "")
    if where == "0":
        return None
    ours = not where
    if ours:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
        where = os.path.join(base, "functorch_lite", "xla")
    try:
        os.makedirs(where, mode=0o700, exist_ok=True)
        if ours:
            os.chmod(where, 0o700)  # it may have been made without that
        found = os.stat(where)
    except OSError as error:
        warnings.warn(f"functorch_lite: no persistent compilation cache at {where}: {error}", stacklevel=2)
        return None
    owner = getattr(os, "geteuid", lambda: found.st_uid)()
    if found.st_uid != owner or (os.name == "posix" and found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        warnings.warn(
            f"functorch_lite: no persistent compilation cache at {where}: others can write to it, and compiled programs are run. "
            "Take that right away (chmod go-w), or name another folder by FUNCTORCH_LITE_CACHE.",
            stacklevel=2,
        )
        return None
    return where


def write(path: str, data: bytes) -> None:
    """Writes a file at once or not at all; who reads meanwhile has the old one."""
    folder, name = os.path.split(path)
    handle, unfinished = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(unfinished, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


def bound(where: str, most: int) -> None:
    """Deletes the least recently used files of a folder that has grown past so many bytes."""
    files = []
    for folder, _, names in os.walk(where):
        for name in names:
            with contextlib.suppress(OSError):
                path = os.path.join(folder, name)
                found = os.stat(path, follow_symlinks=False)
                files.append((max(found.st_atime, found.st_mtime), found.st_size, path))
    excess = sum(size for _, size, _ in files) - most
    for _, size, path in sorted(files) if excess > 0 else ():
        with contextlib.suppress(OSError):
            os.unlink(path)
        excess -= size
        if excess < -most // 4:
            break
