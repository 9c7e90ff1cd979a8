"""torch.utils.cpp_extension: its names, for setup.py files that import it. Nothing is built: PyTorch has no C++ code
here to build against."""

from __future__ import annotations

from typing import Any, NoReturn

from ..api_names import listed

__all__ = [
    "CUDA_HOME", "BuildExtension", "CUDAExtension", "CppExtension", "include_paths", "load", "load_inline",
]  # fmt: skip
__dir__ = listed(__name__)

CUDA_HOME: str | None = None
_WHY = "torch.utils.cpp_extension.{}: extensions are built against PyTorch's C++ code, which is not here. Write the op in JAX: functorch_lite.compat.jax_function"


def load(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(_WHY.format("load"))


def load_inline(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(_WHY.format("load_inline"))


def include_paths(*args: Any, **kwargs: Any) -> list[str]:
    """No folders."""
    return []


def CppExtension(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(_WHY.format("CppExtension"))


def CUDAExtension(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError(_WHY.format("CUDAExtension"))


class BuildExtension:
    """A command of setuptools that raises NotImplementedError."""

    def __init__(self, *args: Any, **kwargs: Any):
        raise NotImplementedError(_WHY.format("BuildExtension"))
