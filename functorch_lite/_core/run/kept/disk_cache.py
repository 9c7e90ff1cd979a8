"""The persistent cache of compiled programs: JAX's, in the library's folder, which is bounded in size."""

from __future__ import annotations

import jax

from ...words.cache_folder import bound, cache_folder

__all__ = ["enable_once"]

MAX_BYTES = 1 << 30

_ready = False


def enable_once() -> None:
    """JAX's persistent cache, on unless FUNCTORCH_LITE_CACHE=0 or the user has set one; set when the first program is
    compiled. (JAX can bound it too, but then every look-up takes a lock that all processes share.)"""
    global _ready
    if _ready:
        return
    _ready = True
    where = cache_folder()
    if where is None:
        return
    bound(where, MAX_BYTES)
    if jax.config.jax_compilation_cache_dir is not None:
        return
    jax.config.update("jax_compilation_cache_dir", where)
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
