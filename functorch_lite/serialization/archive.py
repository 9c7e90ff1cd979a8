"""The container of a checkpoint: a zip archive of uncompressed records, written whole or not at all."""

from __future__ import annotations

import contextlib
import io
import os
import struct
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["ArchiveReader", "load_endianness", "target", "write_archive"]

SUFFIX = ".torch_save"
"""Ending of the names of files that are being written."""

ALIGNMENT = 64
"""Storages begin at multiples of so many bytes, as in PyTorch's files, so that they can be mapped into memory."""

FAILED = "PytorchStreamReader failed"


# -- writing ---------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def target(f: Any) -> Iterator[Any]:
    """A binary file to write to. A path appears only when everything is written: until then the old file stays."""
    if hasattr(f, "write"):
        yield f
        return
    path = os.fspath(f)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise RuntimeError(f"Parent directory {os.path.dirname(path)} does not exist.")
    clear_left_behind(folder)
    handle, temporary = tempfile.mkstemp(
        SUFFIX, f".{os.fsdecode(os.path.basename(path))}.", os.fsdecode(folder)
    )
    try:
        with os.fdopen(handle, "wb") as file:
            _lock(file)
            yield file
            file.flush()
            os.fsync(file.fileno())
        with contextlib.suppress(OSError):
            os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _lock(file: Any) -> bool:
    """Locks a file for as long as it is open; False if another process has."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def clear_left_behind(folder: Any) -> None:
    """Removes files that killed saves left in a folder: files with the name that saves give them, not locked, and not
    written for a minute (a day, where files cannot be locked)."""
    with contextlib.suppress(OSError), os.scandir(os.fsdecode(folder)) as entries:
        for entry in entries:
            if (
                entry.name.startswith(".")
                and entry.name.endswith(SUFFIX)
                and entry.is_file(follow_symlinks=False)
            ):
                with contextlib.suppress(OSError):
                    _clear(entry.path, time.time() - entry.stat(follow_symlinks=False).st_mtime)


def _clear(path: str, age: float) -> None:
    if age < (60 if fcntl is not None else 86400):
        return
    with open(path, "rb") as file:
        if fcntl is None or _lock(file):
            os.unlink(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_archive(f: Any, pickled: bytes, storages: Iterator[tuple[str, Any]]) -> None:
    """Writes a checkpoint to a path or a binary file object."""
    with target(f) as file:
        sink = file if _seekable(file) else io.BytesIO()
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
            _record(archive, "data.pkl", pickled)
            _record(archive, ".format_version", b"1")
            _record(archive, ".storage_alignment", str(ALIGNMENT).encode())
            _record(archive, "byteorder", sys.byteorder.encode())
            for key, data in storages:
                _record(archive, f"data/{key}", data)
            _record(archive, "version", b"3\n")
        if sink is not file:
            file.write(sink.getvalue())


def _seekable(file: Any) -> bool:
    try:
        return file.seekable()
    except AttributeError:
        return False


def _record(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(f"archive/{name}")
    start = archive.fp.tell() + 30 + len(info.filename) + 4  # type: ignore[union-attr]
    padding = -start % ALIGNMENT
    info.extra = b"FB" + padding.to_bytes(2, "little") + b"Z" * padding
    archive.writestr(info, data)


# -- reading ---------------------------------------------------------------------------------------------------------


class ArchiveReader:
    """The records of a checkpoint in a binary file; path: of the file, if it was opened for this, and is to be closed.

    Raises RuntimeError for a damaged archive.
    """

    def __init__(self, file: Any, path: str | None):
        self.file, self.path = file, path
        self._open()

    def _open(self) -> None:
        try:
            self.zip = zipfile.ZipFile(self.file)
            names = self.zip.namelist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error) as error:
            raise RuntimeError(f"{FAILED} reading zip archive: {error}") from None
        pickles = [n for n in names if n.endswith("/data.pkl") and n.count("/") == 1]
        if not pickles:
            raise RuntimeError(f"{FAILED} locating file data.pkl: file not found")
        self.prefix = pickles[0][: -len("data.pkl")]
        self.names = set(names)

    @property
    def is_script(self) -> bool:
        """Returns whether it is one of TorchScript, with a program."""
        return f"{self.prefix}constants.pkl" in self.names

    @property
    def pickled(self) -> bytes:
        """The pickle of everything but numbers."""
        return self.read("data.pkl")

    def read(self, name: str) -> bytes:
        """The bytes of a record; its checksum is verified."""
        try:
            return self.zip.read(self.prefix + name)
        except KeyError:
            raise RuntimeError(f"{FAILED} locating file {name}: file not found") from None
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError) as error:
            raise RuntimeError(f"{FAILED} reading file {name}: {error}") from None

    def mapped(self, name: str, dtype: np.dtype) -> np.ndarray:
        """A record mapped into memory, read-only: its bytes are read from the file when they are needed."""
        info = self.zip.getinfo(self.prefix + name)
        if info.compress_type != zipfile.ZIP_STORED:
            raise RuntimeError(f"{FAILED} mapping file {name}: it is compressed")
        self.file.seek(info.header_offset + 26)
        lengths = self.file.read(4)
        start = (
            info.header_offset
            + 30
            + int.from_bytes(lengths[:2], "little")
            + int.from_bytes(lengths[2:], "little")
        )
        if not info.file_size:
            return np.zeros(0, dtype)
        whole = np.memmap(self.path, np.uint8, "r", start, (info.file_size,))
        return whole.view(dtype) if start % dtype.itemsize == 0 else np.array(whole).view(dtype)

    @property
    def byteorder(self) -> str:
        """The order in which the bytes of numbers were written."""
        has = f"{self.prefix}byteorder" in self.names
        order = self.read("byteorder").decode() if has else "little"
        if order not in ("little", "big"):
            raise ValueError(f"Unknown endianness type: {order}")
        return order

    def close(self) -> None:
        """Closes the file, if it was opened here."""
        if self.path is not None:
            self.file.close()


def load_endianness() -> str:
    """The byte order of this machine."""
    return sys.byteorder
