"""Registered backends, where PyTorch has them."""

from __future__ import annotations

from ...compiler.backends import list_backends, lookup_backend, register_backend

__all__ = ["list_backends", "lookup_backend", "register_backend"]
