"""The persistent cache of compiled programs: JAX's, in a folder of the library's that is bounded in size."""

from __future__ import annotations

import contextlib
import os
import warnings

import jax

__all__ = ["enable_once"]

MAX_BYTES = 1 << 30

_ready = False


def enable_once() -> None:
    """JAX's persistent cache, on unless FUNCTORCH_LITE_CACHE=0 or the user has set one; set when the first program is compiled."""
    global _ready
    if _ready:
        return
    _ready = True
    where = os.environ.get("FUNCTORCH_LITE_CACHE", "")
    if where == "0" or jax.config.jax_compilation_cache_dir is not None:
        return
    where = where or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "functorch_lite", "xla"
    )
    try:
        os.makedirs(where, exist_ok=True)
    except OSError as error:
        warnings.warn(f"functorch_lite: no persistent compilation cache at {where}: {error}", stacklevel=2)
        return
    _bound(where)
    jax.config.update("jax_compilation_cache_dir", where)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def _bound(where: str) -> None:
    """Deletes the least recently used entries of a cache that has grown past its bound. (JAX can do it too, but then every
    look-up takes a lock that all processes share.)"""
    with os.scandir(where) as entries:
        files = [
            (e.stat().st_atime, e.stat().st_size, e.path) for e in entries if e.is_file(follow_symlinks=False)
        ]
    excess = sum(size for _, size, _ in files) - MAX_BYTES
    for _, size, path in sorted(files) if excess > 0 else ():
        with contextlib.suppress(OSError):
            os.unlink(path)
        excess -= size
        if excess < -MAX_BYTES // 4:
            break
