"""make_fx, which `compiler/graphs/make_fx.py` does the work of."""

from __future__ import annotations

from typing import Any

__all__ = ["get_proxy_mode", "make_fx"]  # noqa: F822


def get_proxy_mode() -> None:
    """Returns None: while `make_fx` runs a function, its tensors belong to a recording."""


def __getattr__(name: str) -> Any:
    if name == "make_fx":
        from ...compiler.graphs.make_fx import make_fx  # which needs torch.fx

        return make_fx
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
