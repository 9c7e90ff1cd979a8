"""Counting what JAX really compiles, for tests that a steady loop compiles nothing."""

from __future__ import annotations

import contextlib

import jax

_count = 0


def _listen(event: str, *args, **kwargs) -> None:
    global _count
    if event == "/jax/core/compile/backend_compile_duration":
        _count += 1


jax.monitoring.register_event_duration_secs_listener(_listen)


class Compiles:
    """How many programs XLA was asked for inside `counted()`."""

    n = 0


@contextlib.contextmanager
def counted():
    """A context that counts compiles (those found in the persistent cache too)."""
    result, start = Compiles(), _count
    yield result
    result.n = _count - start
