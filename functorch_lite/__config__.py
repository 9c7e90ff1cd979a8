"""torch.__config__: what this library runs on."""

from __future__ import annotations

import os

import jax

from .api_names import listed

__all__ = ["parallel_info", "show"]
__dir__ = listed(__name__)


def show() -> str:
    """The versions of JAX, and of the platform that it computes on, as text."""
    devices = ", ".join(sorted({d.platform for d in jax.devices()}))
    return f"functorch_lite on JAX {jax.__version__} ({devices})\n"


def parallel_info() -> str:
    """Returns the number of processors, as text."""
    return f"XLA chooses how many threads a program takes; std::thread::hardware_concurrency() : {os.cpu_count()}\n"
