"""The formats before PyTorch 1.6: pickles one after the other, then the bytes of the storages; and its ancestor, a tar
archive of them."""

from __future__ import annotations

import pickle
import struct
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from .rebuilding import STORAGE_KINDS
from .unpickling import Inert, Survey

__all__ = ["LegacyFile", "write_legacy"]

MAGIC = 0x1950A86A20F9469CFC6C
VERSION = 1001
_ABOUT = {
    "protocol_version": VERSION,
    "little_endian": sys.byteorder == "little",
    "type_sizes": {"short": 2, "int": 4, "long": 4},
}


def _damaged(what: str) -> RuntimeError:
    return RuntimeError(f"torch.load: the file has the format of PyTorch before 1.6, and is damaged: {what}")


class LegacyFile:
    """A file of the format of PyTorch before 1.6. path: of the file, if it was opened for this, and is to be closed.

    Where a storage's bytes are depends on the sizes of those before it, which the pickle tells: so it is surveyed
    first. Raises RuntimeError for a damaged file.
    """

    HEAD = 512
    """Number of bytes that `begins` wants to see."""
    byteorder = "little"  # on every machine

    def __init__(self, file: Any, path: str | None):
        self.file, self.path = file, path
        start = file.tell()
        data = file.read()
        self.is_tar = not data.startswith(b"\x80")
        if self.is_tar:
            raise NotImplementedError(
                "torch.load: this file is a tar archive, as PyTorch 0.1.10 and before wrote them, which is not read here; load it with PyTorch "
                "(weights_only=False) and save it again"
            )
        magic, at = self._plain(data, 0)
        version, at = self._plain(data, at)
        about, at = self._plain(data, at)
        if magic != MAGIC:
            raise RuntimeError("Invalid magic number; corrupt file?")
        if version != VERSION:
            raise RuntimeError(f"Invalid protocol version: {version}")
        if not isinstance(about, dict):
            raise _damaged("it does not say of what machine it is")
        survey = Survey(data, at)
        survey.load()
        self.pickled = data[at : survey.at]
        keys, at = self._plain(data, survey.at)
        self.parts, at = self._storages(data, at, keys, survey.ids)
        file.seek(start + at)  # where another may follow

    @staticmethod
    def begins(head: bytes) -> bool:
        """Returns whether a file that begins so is of these formats."""
        magic = MAGIC.to_bytes(10, "little")
        return (head[:1] == b"\x80" and magic in head[:32]) or head[257:262] == b"ustar"

    @staticmethod
    def _plain(data: bytes, at: int) -> tuple[Any, int]:
        """A pickle of numbers, texts and containers, and where it ends."""
        survey = Survey(data, at)
        found = survey.load()
        return found, survey.at

    @staticmethod
    def _storages(data: bytes, at: int, keys: Any, ids: list[Any]) -> tuple[dict[str, memoryview], int]:
        sizes = {}
        for pid in ids:
            if isinstance(pid, tuple) and len(pid) == 6 and isinstance(kind := pid[1], Inert):
                dtype = STORAGE_KINDS.get(kind.name)
                sizes[pid[2]] = 1 if dtype is None else dtype.itemsize
        if not isinstance(keys, list) or not all(isinstance(k, str) and k in sizes for k in keys):
            raise _damaged("its list of storages is not what its pickle refers to")
        found = {}
        for key in keys:
            if at + 8 > len(data):
                raise _damaged(f"it ends before storage {key}")
            (count,) = struct.unpack_from("<q", data, at)
            end = at + 8 + count * sizes[key]
            if count < 0 or end > len(data):
                raise _damaged(f"it ends within storage {key}")
            found[key] = memoryview(data)[at + 8 : end]
            at = end
        return found, at

    def read(self, name: str) -> Any:
        """The bytes of a storage, called `data/KEY` as in an archive."""
        part = self.parts.get(name.removeprefix("data/"))
        if part is None:
            raise _damaged(f"it has no storage {name}")
        return part

    def mapped(self, name: str, dtype: np.dtype) -> np.ndarray:
        """Not there: its storages are not aligned."""
        raise NotImplementedError("files of this format are not mapped into memory")

    def close(self) -> None:
        """Closes the file, if it was opened here."""
        if self.path is not None:
            self.file.close()


def write_legacy(
    file: Any, pickled: bytes, storages: Iterable[tuple[str, int, bytes]], protocol: int
) -> None:
    """Writes a file of this format; storages: the key, the size of an element, and the bytes of each."""
    for part in (MAGIC, VERSION, _ABOUT):
        pickle.dump(part, file, protocol)
    file.write(pickled)
    parts = sorted(storages)
    pickle.dump([key for key, _, _ in parts], file, protocol)
    for _, size, data in parts:
        file.write(struct.pack("<q", len(data) // size))
        file.write(data)
