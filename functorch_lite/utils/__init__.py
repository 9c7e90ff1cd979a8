"""torch.utils: `data` (datasets and loaders) is imported at first use."""

from __future__ import annotations


def __getattr__(name: str):
    if name == "data":
        import importlib

        return importlib.import_module(".data", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
