"""Checks of user input, with torch's exception types and sentences."""

from __future__ import annotations

import importlib
import math
import os
import re
from numbers import Integral

from .tracebacks import raiser

__all__ = [
    "MOST_BYTES", "AcceleratorError", "MetaInput", "NotOneOp", "NotReplayable", "OutOfMemoryError", "as_torchs", "broadcast_shapes", "cannot_allocate", "check", "check_broadcasts_to", "check_int", "check_memory",
    "invalid_combination", "not_differentiable", "wrap_dim", "wrap_dims",
]  # fmt: skip


@raiser
def check(condition, error: type[Exception], message: str) -> None:
    """Raises `error(message)` unless `condition` holds."""
    if not condition:
        raise error(message)


def check_int(x: int) -> None:
    """Raises torch's error of a size, dim or count that does not fit in 64 bits."""
    if not -(2**63) <= x < 2**63:
        raise ValueError("Overflow when unpacking long long")


def not_differentiable(function: str, argument: str) -> RuntimeError:
    """The error of an argument by which PyTorch has no derivative, where one is asked for."""
    return RuntimeError(
        f"The function '{function}' is not differentiable with respect to argument '{argument}'. This input cannot have requires_grad True."
    )


def invalid_combination(name: str, *given: object) -> TypeError:
    """torch's error of arguments that none of a function's overloads takes."""
    kinds = ", ".join(type(x).__name__ for x in given)
    return TypeError(f"{name}() received an invalid combination of arguments - got ({kinds})")


def wrap_dim(dim: int, ndim: int) -> int:
    """`dim` as an index from the front, in range(max(ndim, 1)); torch's IndexError when it is out of range."""
    bound = max(ndim, 1)
    if not -bound <= dim < bound:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})"
        )
    return dim + bound if dim < 0 else dim


def wrap_dims(dims, ndim: int, in_turn: bool = False) -> tuple[int, ...]:
    """Several dims as indices from the front; None or () means all of them. Raises on repeats, as torch does.

    in_turn: each dim is compared with those before it before the next one is looked at.
    """
    if dims is None or (isinstance(dims, tuple | list) and len(dims) == 0):
        return tuple(range(ndim))
    if isinstance(dims, int):
        dims = (dims,)
    if in_turn:
        for n in range(1, len(dims)):
            wrap_dims(dims[:n], ndim)
    wrapped = tuple(wrap_dim(d, ndim) for d in dims)
    for d in wrapped:
        if wrapped.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    return tuple(d for d in wrapped if d < ndim)


def broadcast_shapes(*shapes) -> tuple[int, ...]:
    """The shape that `shapes` broadcast to; torch's RuntimeError when they do not."""
    result: list[int] = []
    for shape in shapes:
        for i in range(1, len(shape) + 1):
            size = shape[-i]
            if i > len(result):
                result.insert(0, size)
            elif size != result[-i] and size != 1:
                if result[-i] != 1:
                    raise RuntimeError(
                        f"The size of tensor a ({result[-i]}) must match the size of tensor b ({size}) "
                        f"at non-singleton dimension {max(len(s) for s in shapes) - i}"
                    )
                result[-i] = size
    return tuple(result)


def check_broadcasts_to(shape, other) -> None:
    """Raises torch's error where `other` does not broadcast to `shape`, in which torch computes in place."""
    both = broadcast_shapes(shape, other)
    check(
        both == tuple(shape),
        RuntimeError,
        f"output with shape {list(shape)} doesn't match the broadcast shape {list(both)}",
    )


class MetaInput(Exception):
    """Raised where a tensor without numbers (device 'meta') is about to be recorded; never seen by users."""


def _most_bytes() -> int:
    """Bytes of the machine's memory, but at least 2 ** 40: what a program computes on the way may never be in
    memory."""
    known = hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names
    return max(1 << 40, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") if known else 0)


MOST_BYTES = _most_bytes()


def check_memory(shape, itemsize: int) -> None:
    """Refuses an array that no memory holds: XLA would end the process, or work at it for hours."""
    wanted = math.prod(shape) * itemsize
    if type(wanted) is int and wanted <= MOST_BYTES:
        return
    if isinstance(wanted, Integral) and wanted > MOST_BYTES:  # a symbolic size is looked at when it is known
        if wanted >= 1 << 63:
            raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
        raise cannot_allocate(wanted)


def cannot_allocate(wanted: int) -> OutOfMemoryError:
    """The error of an array of so many bytes, in torch's words."""
    return OutOfMemoryError(
        f"DefaultCPUAllocator: can't allocate memory: you tried to allocate {wanted} bytes. "
        "Error code 12 (Cannot allocate memory)"
    )


class NotOneOp(BaseException):
    """A function that was to become one op (checkpoint) does what no op can do; says what.

    Never seen by users, and no Exception: the function itself must not catch it."""


class NotReplayable(BaseException):
    """Why what was recorded cannot be appended again in place of running the code that recorded it.

    Never seen by users."""


def reduced_error(error: BaseException) -> tuple:
    """Returns what an error pickles as whose class has the name of a module that does not define it (`torch`, say): a
    call that finds the class in the file that does."""
    kind = type(error)
    if "__reduce__" not in vars(kind):  # a subclass, found by its own name
        return kind, error.args, error.__dict__
    return _restored_error, (kind._defined_in, kind.__qualname__, error.args), error.__dict__  # type: ignore[attr-defined]


def _restored_error(module: str, name: str, args: tuple) -> BaseException:
    return getattr(importlib.import_module(module), name)(*args)


class AcceleratorError(RuntimeError):
    """torch.AcceleratorError: something went wrong on a device."""

    error_code: int
    _defined_in = __name__
    __reduce__ = reduced_error  # type: ignore[assignment]


class OutOfMemoryError(RuntimeError):
    """torch.OutOfMemoryError: a program needs more memory than there is."""

    _defined_in = __name__
    __reduce__ = reduced_error  # type: ignore[assignment]


AcceleratorError.__module__ = OutOfMemoryError.__module__ = "torch"


def as_torchs(error: BaseException) -> BaseException:
    """The exception as PyTorch would have it: an OutOfMemoryError for XLA's and NumPy's, a RuntimeError for shapes that
    do not broadcast, any other as it is. XLA's is a JaxRuntimeError, and a ValueError where jit's fast path raises
    it."""
    if isinstance(error, MemoryError) or str(error).startswith("RESOURCE_EXHAUSTED"):
        return OutOfMemoryError(str(error)).with_traceback(error.__traceback__)
    if isinstance(error, TypeError) and (shapes := _INCOMPATIBLE.search(str(error))):
        try:
            broadcast_shapes(
                *[tuple([int(n) for n in re.findall(r"\d+", shape)]) for shape in shapes.groups()]
            )
        except RuntimeError as theirs:
            return theirs.with_traceback(error.__traceback__)
    return error


_INCOMPATIBLE = re.compile(r"incompatible shapes for broadcasting: \((.*?)\), \((.*?)\)")
