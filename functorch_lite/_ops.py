"""torch.ops: PyTorch's ops by the names of its dispatcher, `torch.ops.aten.add.Tensor`, and ops that `torch.library`
registered.

An op of aten is the function of that name here, so its overloads are one function, which takes the arguments of each.
The list of ops is in aten_overloads.txt (written from PyTorch 2.13). `torch.ops` is this module in the drop-in
`torch`; in functorch_lite it is `functorch_lite._ops`, as `functorch_lite.ops` declares the ops.
"""

from __future__ import annotations

import abc
import importlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from ._core.api import Tensor

__all__ = ["OpOverload", "OpOverloadPacket"]


class OpOverload:
    """One overload of an op: calls the op."""

    def __init__(self, packet: OpOverloadPacket, overload: str):
        self._overloadpacket, self._overloadname = packet, overload
        self.__name__ = f"{packet.__name__}.{overload}"
        self.__qualname__ = self.__name__

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """The op."""
        return self._overloadpacket

    @property
    def namespace(self) -> str:
        """The name before the colons."""
        return self._overloadpacket._namespace

    @property
    def op(self) -> Callable:
        """The function that is called."""
        return self._overloadpacket._fn

    def name(self) -> str:
        """PyTorch's name of it, without "default"."""
        full = self._overloadpacket._qualified_op_name
        return full if self._overloadname == "default" else f"{full}.{self._overloadname}"

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._overloadpacket._fn(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self.namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self.namespace}.{self._overloadpacket.__name__}', overload='{self._overloadname}')>"

    def __reduce__(self):
        return _overload_of, (self.namespace, self._overloadpacket.__name__, self._overloadname)


class OpOverloadPacket:
    """An op, with its overloads as attributes."""

    def __init__(self, namespace: str, name: str, fn: Callable, overloads: tuple[str, ...] = ("default",)):
        self._namespace, self._fn, self._overload_names = namespace, fn, overloads
        self.__name__ = self.__qualname__ = name
        self._qualified_op_name = f"{namespace}::{name}"
        self._made: dict[str, OpOverload] = {}

    def overloads(self) -> list[str]:
        """The names of its overloads."""
        return list(self._overload_names)

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("__") or name not in self.__dict__.get("_overload_names", ()):
            raise AttributeError(
                f"The underlying op of '{self._namespace}.{self.__name__}' has no overload name '{name}'"
            )
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = OpOverload(self, name)
        return found

    def __dir__(self) -> list[str]:
        return [*self._overload_names, "overloads"]

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        return self._fn(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self._namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self._namespace}.{self.__name__}')>"

    def __reduce__(self):
        return _packet_of, (self._namespace, self.__name__)


class HigherOrderOperator(abc.ABC):
    """An op of functions: a class of one's own derives from it, calls `super().__init__(name)`, and computes in
    `__call__`.

    Its object is found as `torch.ops.higher_order.name`. A dispatcher does not exist here: `super().__call__`, which
    in PyTorch chooses a kernel, and the decorators that register one (`py_impl` and its like) raise
    NotImplementedError.
    """

    def __init__(self, name: str, *, cacheable: bool = False):
        self._name = self.__name__ = self.__qualname__ = name
        self._ns, self._cacheable = "higher_order", cacheable
        self.__module__ = "torch.ops.higher_order"
        namespace("higher_order")._packets[name] = self

    @property
    def namespace(self) -> str:
        """The name before the colons."""
        return self._ns

    def name(self) -> str:
        """Returns its name."""
        return self._name

    def cacheable(self) -> bool:
        """Returns the `cacheable` that it was made with."""
        return self._cacheable

    def py_impl(self, k: Any) -> NoReturn:
        """Raises NotImplementedError: no kernel would be chosen by a key."""
        raise NotImplementedError(_NO_KERNELS.format(self._name))

    py_autograd_impl = py_functionalize_impl = dispatch = fallthrough = py_impl

    @abc.abstractmethod
    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError(_NO_KERNELS.format(self._name))

    def __str__(self) -> str:
        return self._name


_NO_KERNELS = (
    "could not find kernel for HigherOrderOperator {}: there is no dispatcher here. Compute in its __call__"
)


class _OpNamespace:
    """The ops of a namespace, as attributes."""

    def __init__(self, name: str):
        self._name = name
        self._packets: dict[str, Any] = {}

    def __getattr__(self, name: str) -> OpOverloadPacket:
        if not name.startswith("__"):
            found = self._packets.get(name) or (_aten(name) if self._name == "aten" else None)
            if found is not None:
                self._packets[name] = found
                return found
        raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        return sorted({*self._packets, *(_listed() if self._name == "aten" else ())})

    def __repr__(self) -> str:
        return f"<torch.ops.{self._name}>"


@cache
def _listed() -> dict[str, tuple[str, tuple[str, ...]]]:
    """The ops of aten that are here: where, and their overloads."""
    found = {}
    for line in (Path(__file__).parent / "aten_overloads.txt").read_text().splitlines():
        if not line.startswith("#"):
            name, where, *overloads = line.split()
            found[name] = (name if where == "=" else where, tuple(overloads))
    return found


def _aten(name: str) -> OpOverloadPacket | None:
    if name not in _listed():
        return None
    where, overloads = _listed()[name]
    at, _, last = where.rpartition(".")
    home = (
        Tensor
        if at == "Tensor"
        else importlib.import_module(f"functorch_lite.{at}" if at else "functorch_lite")
    )
    return OpOverloadPacket("aten", name, getattr(home, last), overloads)


_spaces: dict[str, _OpNamespace] = {}


def namespace(name: str) -> _OpNamespace:
    """The ops of a namespace; an empty one if there are none."""
    return _spaces.setdefault(name, _OpNamespace(name))


def register(full: str, fn: Callable) -> OpOverloadPacket:
    """Makes a function the op `namespace::name` (or `namespace::name.overload`)."""
    space, _, name = full.partition("::")
    name, _, overload = name.partition(".")
    made = OpOverloadPacket(space, name, fn, (overload or "default",))
    namespace(space)._packets[name] = made
    return made


def _packet_of(space: str, name: str) -> OpOverloadPacket:
    return getattr(namespace(space), name)


def _overload_of(space: str, name: str, overload: str) -> OpOverload:
    return getattr(_packet_of(space, name), overload)


not_loaded: set[str] = set()
"""Folders of libraries that were asked for: by the name of a package, its ops are called."""


def load_library(path: str) -> NoReturn:
    """Raises OSError: a library of PyTorch's C++ ops cannot be loaded."""
    not_loaded.add(Path(path).parent.name)
    raise OSError(
        f"Could not load this library: {path}. It is built against PyTorch's C++ code, which this library does not contain"
    )


def __getattr__(name: str) -> _OpNamespace:
    if name.startswith("__"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return namespace(name)
