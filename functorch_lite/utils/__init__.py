"""torch.utils: its modules are imported at first use."""

from __future__ import annotations

from ..api_names import listed
from ._swapping import swap_tensors

__all__ = ["benchmark", "checkpoint", "data", "dlpack", "hooks", "swap_tensors"]
_MORE = ("_pytree", "collect_env", "cpp_extension", "deterministic", "tensorboard")
__dir__ = listed(__name__)


def __getattr__(name: str):
    if name in (*_MORE, *__all__):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
