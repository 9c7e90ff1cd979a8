"""torch.utils: its modules are imported at first use."""

from __future__ import annotations


def __getattr__(name: str):
    if name in ("_pytree", "benchmark", "checkpoint", "data", "dlpack", "hooks"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
