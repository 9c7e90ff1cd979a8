"""The names that `backend=` may have. XLA answers to all of them, so there is nothing to choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import InvalidBackend

__all__ = ["check_backend", "get_default_backend", "is_planted", "list_backends", "set_default_backend"]

_BACKENDS = {"inductor": (), "openxla": (), "aot_eager": ("debug",), "eager": ("debug",)}
"""Names that ask for nothing but the function's own result, and their tags."""
_OTHER_BACKENDS = (
    "aot_eager_decomp_partition", "aot_eager_default_partitioner", "aot_ts", "cudagraphs", "onnxrt", "tensorrt", "ts", "tvm",
)  # fmt: skip

_TESTING_ONLY = "_TESTING_ONLY"
"""How the names of backends with a planted fault end: see `debugging/planted.py`."""

_default: str | Callable = "inductor"


def check_backend(backend: Any) -> None:
    """PyTorch's error for a backend that does not exist, ours for one that is not here."""
    if not isinstance(backend, str) and callable(backend):
        return
    if backend in _OTHER_BACKENDS:
        raise NotImplementedError(
            f"torch.compile: the backend '{backend}' is not here: XLA compiles what is recorded. Leave backend= out"
        )
    if backend not in _BACKENDS and not is_planted(backend):
        raise InvalidBackend(
            f"Invalid backend: '{backend}', see `torch.compiler.list_backends()` for available backends."
        )


def is_planted(backend: Any) -> bool:
    """Whether a name is that of a backend with a fault, for tests."""
    if not (isinstance(backend, str) and backend.endswith(_TESTING_ONLY)):
        return False
    from .debugging.planted import PLANTED

    return backend in PLANTED


def list_backends(exclude_tags: Any = ("debug", "experimental")) -> list[str]:
    """The names that `backend=` may have. XLA compiles under every one of them."""
    excluded = set(exclude_tags or ())
    return sorted(name for name, tags in _BACKENDS.items() if not excluded & set(tags))


def get_default_backend() -> str | Callable:
    """The name that stands in for a `backend=` that is not given."""
    return _default


def set_default_backend(backend: str | Callable | None) -> None:
    """Sets the name that stands in for a `backend=` that is not given; None is "inductor"."""
    global _default
    if backend is not None and not isinstance(backend, str) and not callable(backend):
        raise TypeError(f"backend must be a string or callable, got {type(backend)}")
    _default = "inductor" if backend is None else backend
