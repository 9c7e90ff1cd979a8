"""Messages between a loader and its workers: pickles over a socket, whose arrays lie in memory that both have.

The arguments of a worker are pickled by cloudpickle: classes and functions of the main script, of a notebook or of a
function go by value, so no process runs the script again. A class that comes back in a batch comes back as the one
that was sent.
"""

from __future__ import annotations

import errno
import functools
import importlib
import io
import mmap
import pickle
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from types import CodeType, ModuleType
from typing import Any

import numpy as np

from ..._core.api import Tensor, taken_apart
from .blocks import Lease

try:
    import cloudpickle
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        'DataLoader: worker processes need cloudpickle, which is not installed: "pip install cloudpickle", or '
        'use multiprocessing_context="thread", whose workers are threads and need nothing'
    ) from None

__all__ = ["Gone", "Incoming", "Outgoing", "receive", "send"]

IN_LINE = 1024
"""Bytes of an array up to which it goes within the pickle."""

TOO_MANY_FILES = (
    "too many open files: memory of a DataLoader's worker comes as one, for a moment (see `ulimit -n`)"
)

_HEADER = struct.Struct("<QB")

NO_HISTORY = (
    "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support crossing process "
    "boundaries.  If you just want to transfer the data, call detach() on the tensor before serializing (e.g., putting it on "
    "the queue)."
)


class Gone(Exception):
    """The process at the other end has ended."""


def send(to: socket.socket, payload: bytes | memoryview, fd: int | None = None) -> None:
    """Sends a message, and a descriptor with it; `Gone` if there is no reader."""
    header = _HEADER.pack(len(payload), fd is not None)
    try:
        if fd is None:
            to.sendall(header)
        else:
            socket.send_fds(to, [header], [fd])
        to.sendall(payload)
    except ConnectionError:
        raise Gone from None


def receive(source: socket.socket) -> tuple[bytearray, int | None]:
    """The next message, and its descriptor or None; `Gone` if there will be none."""
    fd = None
    try:
        header = b""
        while len(header) < _HEADER.size:
            part, fds, _, _ = socket.recv_fds(source, _HEADER.size - len(header), 1)
            if not part:
                raise Gone
            header += part
            fd = fds[0] if fds else fd
        size, with_fd = _HEADER.unpack(header)
        if with_fd and fd is None:
            raise OSError(errno.EMFILE, TOO_MANY_FILES)
        payload = bytearray(size)
        view, at = memoryview(payload), 0
        while at < size:
            count = source.recv_into(view[at:])
            if not count:
                raise Gone
            at += count
        return payload, fd
    except ConnectionError:
        raise Gone from None


def class_at(number: int) -> type:
    """The class with this number, among the classes sent by value; `Incoming` knows it."""
    raise pickle.UnpicklingError("only a DataLoader reads what its workers send")


def array_at(*where: Any) -> np.ndarray:
    """The array that lies somewhere; `Incoming` knows where."""
    raise pickle.UnpicklingError("only a DataLoader and its workers read what they send each other")


def code_in_file(name: str, make: Callable, arguments: tuple) -> CodeType:
    """Code that says in tracebacks from which file it is, of which cloudpickle keeps nothing."""
    return make(*arguments).replace(co_filename=name)


class Outgoing(cloudpickle.Pickler):
    """Pickles for the other process.

    `lay(array)` puts a contiguous array where the receiver can read it, and returns its position; None:

    all in line. by_value: the classes that went by value, to be added to; or, where they are `known`, the ones that
    the other process has.
    """

    def __init__(
        self, file: io.BytesIO, lay: Callable | None, by_value: list[type] | None, known: Sequence[type] = ()
    ):
        super().__init__(file, protocol=5)
        self.lay, self.by_value = lay, by_value
        self.known = {kind: number for number, kind in enumerate(known)}

    @classmethod
    def dumps(cls, obj: Any, *args: Any) -> memoryview:
        """obj pickled."""
        file = io.BytesIO()
        cls(file, *args).dump(obj)
        return file.getbuffer()

    def reducer_override(self, obj: Any) -> Any:
        """Reduces an object that is not of pickle's own types."""
        kind = type(obj)
        if kind is np.ndarray:
            return self._array(obj)
        if kind is np.memmap and (where := _in_file(obj)) is not None:
            return np.memmap, where
        if kind is Tensor and self.by_value is None and obj.requires_grad and not obj.is_leaf:
            raise RuntimeError(NO_HISTORY)
        if kind is Tensor:
            return taken_apart(obj)
        if isinstance(obj, type):
            if obj in self.known:
                return class_at, (self.known[obj],)
            reduced = super().reducer_override(obj)
            if self.by_value is not None and reduced is not NotImplemented and len(reduced) > 2:
                self.by_value.append(obj)
            return reduced
        if kind is CodeType:
            make, arguments = self.dispatch_table[CodeType](obj)  # type: ignore[misc]
            return code_in_file, (obj.co_filename, make, arguments)
        if (
            isinstance(obj, ModuleType)
            and sys.modules.get(obj.__name__) is obj
            and obj.__name__ != "__main__"
        ):
            return importlib.import_module, (obj.__name__,)
        return super().reducer_override(obj)

    def _array(self, array: np.ndarray) -> Any:
        if self.lay is None or array.nbytes <= IN_LINE or array.dtype.hasobject:
            return NotImplemented
        turned = not array.flags.c_contiguous and array.flags.f_contiguous
        laid = np.ascontiguousarray(array.T if turned else array)
        return array_at, (self.lay(laid), laid.shape, laid.dtype, turned)


def _in_file(array: np.memmap) -> tuple | None:
    """Arguments of np.memmap for the same part of the same file; None if it is not such a part, or changes do not
    reach the file."""
    if array.filename is None or array.mode == "c" or not array.flags.c_contiguous or not array.size:
        return None
    begin = np.frombuffer(array._mmap, np.uint8).__array_interface__["data"][0]
    at = (
        array.offset
        - array.offset % mmap.ALLOCATIONGRANULARITY
        + array.__array_interface__["data"][0]
        - begin
    )
    return array.filename, array.dtype, "r" if array.mode == "r" else "r+", at, array.shape


class Incoming(pickle.Unpickler):
    """Reads what `Outgoing` pickled.

    `find(where)` gives the memory, the place in it and what is to be called when an array of it is gone; known: the
    classes that went to the other process by value."""

    def __init__(self, payload: Any, find: Callable | None, known: Sequence[type] = ()):
        super().__init__(io.BytesIO(payload))
        self.find, self.known = find, known

    def find_class(self, module: str, name: str) -> Any:
        """Returns the object that a name in the pickle stands for."""
        found = super().find_class(module, name)
        if found is class_at:
            return self.known.__getitem__
        # not a method of this object: it would lie in its memo, and what was read with it, until the collector comes
        return functools.partial(_array_at, self.find) if found is array_at else found


def _array_at(find: Callable, where: Any, shape: tuple, dtype: np.dtype, turned: bool) -> np.ndarray:
    memory, at, ended = find(where)
    array = Lease.array(memory, at, shape, dtype, ended)
    return array.T if turned else array
