"""functorch_lite under PyTorch's own names: a drop-in `torch` for programs that are not to be edited, and bridges to
JAX.

    python -m functorch_lite.compat train.py --epochs 3      # runs an unmodified PyTorch script

or, before the program's own imports:

    import functorch_lite.compat
    functorch_lite.compat.install_as_torch()
    import torch                                             # is functorch_lite
"""

from __future__ import annotations

if not __name__.startswith("functorch_lite."):
    raise ImportError(f"import this package as functorch_lite.compat, not as {__name__}")

from functorch_lite._core.api import tracebacks
from functorch_lite.api_names import listed
from functorch_lite.compat.files import load_orbax, load_safetensors, save_orbax, save_safetensors
from functorch_lite.compat.install import TORCH_VERSION, install_as_torch, is_installed
from functorch_lite.compat.jax_bridge import from_jax, to_jax
from functorch_lite.compat.jax_function import jax_function

__all__ = [
    "TORCH_VERSION", "as_pure", "export_jax", "from_jax", "install_as_torch", "is_installed", "jax_function", "load_orbax",
    "load_safetensors", "save_orbax", "save_safetensors", "to_jax",
]  # fmt: skip

__dir__ = listed(__name__, "flax", "pytorch")

tracebacks.add_folder(__file__)


def __getattr__(name: str):
    import importlib

    if name == "as_pure":  # it needs nn, which need not be loaded before
        return importlib.import_module("functorch_lite.compat.pure").as_pure
    if name == "export_jax":
        return importlib.import_module("functorch_lite.compat.leaving").export_jax
    if name in ("flax", "pytorch"):
        return importlib.import_module(f"functorch_lite.compat.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
