"""Real PyTorch beside this library in one process: its tensors, dtypes and functions, told by where they were defined,
and refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["is_pytorchs_function", "is_pytorchs_tensor", "refuse_pytorchs", "theirs"]

_CONVERT = (
    "functorch_lite.compat.pytorch.from_pytorch(x) makes a tensor of functorch_lite of one of PyTorch's, to_pytorch(x) the reverse, and "
    "pytorch_function(f) a function that gradients flow through"
)


def is_pytorchs_tensor(cls: type) -> bool:
    """Returns whether a type is that of PyTorch's tensors, or a subclass."""
    return any(c.__name__ == "Tensor" and c.__module__ == "torch" for c in cls.__mro__)


def is_pytorchs_function(func: Callable) -> bool:
    """Whether a function, method or attribute is PyTorch's own: it was defined in a module of the name, whatever it is
    called here."""
    owner = getattr(func, "__objclass__", None) or getattr(
        getattr(func, "__self__", None), "__objclass__", None
    )
    scope = getattr(func, "__globals__", None) or getattr(
        vars(type(func)).get("__call__"), "__globals__", None
    )
    if owner is not None:
        name = owner.__module__
    elif scope is not None:
        name = scope.get("__name__", "")
    else:
        name = getattr(func, "__module__", None) or ""
    return name.partition(".")[0] == "torch"


def theirs(what: str) -> TypeError:
    """The error of something of PyTorch's that meets something of this library."""
    return TypeError(f"{what}: {_CONVERT}")


def refuse_pytorchs(x: Any) -> None:
    """Raises TypeError if x is one of PyTorch's tensors, dtypes, devices and the like."""
    cls = type(x)
    if is_pytorchs_tensor(cls):
        raise theirs("expected a tensor of functorch_lite, but got one of PyTorch's")
    if cls.__module__ == "torch" and cls.__name__ in (
        "dtype",
        "device",
        "layout",
        "memory_format",
        "Generator",
    ):
        raise TypeError(
            f"{x} is PyTorch's own {cls.__name__}, and one of functorch_lite is expected: write functorch_lite.{_ours(x)}"
        )


def _ours(x: Any) -> str:
    kind = type(x).__name__
    return (
        f"{kind}('{x}')"
        if kind == "device"
        else f"{kind}()"
        if kind == "Generator"
        else str(x).removeprefix("torch.")
    )
