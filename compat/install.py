"""install_as_torch: `import torch` gives this library from then on."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from collections.abc import Iterator
from importlib.machinery import ModuleSpec
from types import ModuleType

from functorch_lite import torch_version
from functorch_lite.compat import children
from functorch_lite.compat.namespace import ROOTS, Mirror, find_source, nearest, spec_of

__all__ = ["TORCH_VERSION", "install_as_torch", "is_installed"]

TORCH_VERSION = torch_version.__version__
"""The release of PyTorch whose documentation is the specification: what `torch.__version__` says once installed, and is
compared as."""

REAL_TORCH_IS_IMPORTED = (
    "install_as_torch: PyTorch itself is already imported in this process ({where}), and modules that hold on to it would be "
    "mixed with functorch_lite's. Call functorch_lite.compat.install_as_torch() before anything imports torch, or run the "
    "program as `python -m functorch_lite.compat script.py`, or leave torch alone and write `import functorch_lite as torch`."
)


class _Release(importlib.metadata.Distribution):
    """Release of torch, for importlib.metadata: its name and version, of which packages ask that depend on it.
    Contains no files."""

    def read_text(self, filename: str) -> str | None:
        told = f"Metadata-Version: 2.1\nName: torch\nVersion: {TORCH_VERSION}\n"
        return told if filename == "METADATA" else None

    def locate_file(self, path):
        raise FileNotFoundError(
            f"{path}: functorch_lite replaces PyTorch in this process and does not contain its files"
        )


class _Finder:
    """Finds `torch…` and `functorch…` in the library, ahead of any installed PyTorch."""

    @staticmethod
    def find_distributions(
        context: importlib.metadata.DistributionFinder.Context,
    ) -> Iterator[importlib.metadata.Distribution]:
        if "path" not in vars(context) and context.name in (None, "torch"):
            yield _Release()

    @staticmethod
    def find_spec(name: str, path=None, target=None) -> ModuleSpec | None:
        if name.partition(".")[0] not in ROOTS:
            return None
        if find_source(name) is None:
            raise ModuleNotFoundError(
                f"No module named '{name}': functorch_lite replaces PyTorch in this process and does not contain this module. {nearest(name)}",
                name=name,
            )
        return spec_of(name, _Loader)


class _Loader:
    @staticmethod
    def create_module(spec: ModuleSpec) -> ModuleType:
        source = find_source(spec.name)
        assert source is not None
        module = Mirror(spec.name, importlib.import_module(source))
        if spec.name in ROOTS:
            module.__version__ = TORCH_VERSION  # type: ignore[attr-defined]
        return module

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        """Nothing to run: the library's module behind it is imported already."""


def is_installed() -> bool:
    """Returns whether `import torch` gives this library in this process."""
    return _Finder in sys.meta_path


def install_as_torch() -> ModuleType:
    """Makes `import torch` and `import functorch`, and every submodule that exists, give this library; returns `torch`.

    Call it before anything imports torch. Raises RuntimeError when PyTorch itself is imported already. A second call
    does nothing. `torch.__version__` is the release whose documentation the library follows.

    Processes that this one starts afterwards by `multiprocessing`, `concurrent.futures` or joblib have the drop-in too,
    whatever the start method.

    >>> functorch_lite.compat.install_as_torch()  # doctest: +SKIP
    <module 'torch' (functorch_lite in place of PyTorch)>
    """
    for name in ROOTS:
        there = sys.modules.get(name)
        if there is not None and not isinstance(there, Mirror):
            where = getattr(there, "__file__", None) or "no file"
            raise RuntimeError(REAL_TORCH_IS_IMPORTED.format(where=where))
    if not is_installed():
        sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]
        children.hook()
    return importlib.import_module("torch")
