"""A checkpoint on disk: a folder with the files that processes wrote, and `metadata.json`, which says what is where.

    {"format": 1, "entries": {"model.0.weight": {"kind": "tensor", "dtype": "float32", "shape": [2, 3], "file": "9f…_0.data", "at": 0, "bytes": 24, "crc32": …}}}

Numbers are whole tensors in C order; an entry that is not a tensor is a `torch.save` file within the file. A save
writes new files, and puts the new metadata.json in the place of the old in one step of the file system: until then
the folder is the checkpoint that it was, whatever ends the process.
"""

from __future__ import annotations

import io
import json
import os
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from ..._core.api import Tensor, from_array
from ...serialization import load, save

__all__ = ["CheckpointException", "Folder", "is_checkpoint"]

_FORMAT = 1
_METADATA = "metadata.json"
_SUFFIX = ".data"

Entry = dict[str, Any]


class CheckpointException(RuntimeError):
    """A checkpoint that does not exist, is incomplete, or lacks a requested entry."""


def _dtype(name: str) -> np.dtype:
    found = getattr(ml_dtypes, name, None) or (name if name in np.sctypeDict else None)
    if found is None:
        raise CheckpointException(
            f"torch.distributed.checkpoint: a file with a dtype {name!r} that is not known"
        )
    return np.dtype(found)


def is_checkpoint(path: Path) -> bool:
    """Returns whether a folder has a checkpoint that was written to its end."""
    return (path / _METADATA).is_file()


class Folder:
    """The folder of a checkpoint."""

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    # -- writing -----------------------------------------------------------------------------------------------------

    def write(self, save_id: str, rank: int, values: Iterable[tuple[str, Any]]) -> dict[str, Entry]:
        """Writes this process's file of a save; the entries for what is in it. values: names with arrays or objects."""
        self.path.mkdir(parents=True, exist_ok=True)
        name, entries = f"{save_id}_{rank}{_SUFFIX}", {}
        with open(self.path / name, "wb") as f:
            for key, value in values:
                if isinstance(value, np.ndarray):
                    data: Any = memoryview(np.ascontiguousarray(value).reshape(-1).view(np.uint8))
                    told: Entry = {"kind": "tensor", "dtype": value.dtype.name, "shape": list(value.shape)}
                else:
                    buffer = io.BytesIO()
                    save(value, buffer)
                    data, told = buffer.getvalue(), {"kind": "object"}
                entries[key] = {
                    **told,
                    "file": name,
                    "at": f.tell(),
                    "bytes": len(data),
                    "crc32": zlib.crc32(data),
                }
                f.write(data)
            f.flush()
            os.fsync(f.fileno())
        return entries

    def commit(self, save_id: str, entries: dict[str, Entry]) -> None:
        """Makes the files of a save the checkpoint, and removes what was there before."""
        unfinished = self.path / f"{save_id}_{_METADATA}"
        with open(unfinished, "w") as f:
            json.dump({"format": _FORMAT, "entries": entries}, f)
            f.flush()
            os.fsync(f.fileno())
        os.replace(unfinished, self.path / _METADATA)
        _sync(self.path)
        used = {entry["file"] for entry in entries.values()}
        for path in self.path.iterdir():
            old = path.name.endswith(_SUFFIX) or path.name.endswith(f"_{_METADATA}")
            if old and path.name not in used and not path.name.startswith(save_id):
                path.unlink(missing_ok=True)

    # -- reading -----------------------------------------------------------------------------------------------------

    def entries(self) -> dict[str, Entry]:
        """Returns the entries of the checkpoint."""
        try:
            told = json.loads((self.path / _METADATA).read_text())
        except FileNotFoundError:
            raise CheckpointException(
                f"torch.distributed.checkpoint: expected a complete checkpoint of this library, but {str(self.path)!r} has no {_METADATA}"
            ) from None
        except ValueError as error:
            raise CheckpointException(
                f"torch.distributed.checkpoint: {_METADATA} of {str(self.path)!r} is damaged: {error}"
            ) from None
        if not isinstance(told, dict) or told.get("format") != _FORMAT:
            raise CheckpointException(
                f"torch.distributed.checkpoint: {str(self.path)!r} has a format that is not known"
            )
        return told["entries"]

    def _data(self, name: str, entry: Entry) -> np.ndarray:
        file, at, size = entry["file"], entry["at"], entry["bytes"]
        path = self.path / file
        if os.path.basename(file) != file or not path.is_file() or at < 0 or at + size > path.stat().st_size:
            raise CheckpointException(
                f"torch.distributed.checkpoint: {name!r} is not in file {file!r} of {str(self.path)!r}, or not all of it"
            )
        data = np.fromfile(path, np.uint8, size, offset=at)
        if zlib.crc32(data) != entry["crc32"]:
            raise CheckpointException(
                f"torch.distributed.checkpoint: {name!r} in file {file!r} of {str(self.path)!r} is damaged"
            )
        return data

    def tensor(self, name: str, entry: Entry) -> Tensor:
        """A tensor of the checkpoint."""
        kind, shape = _dtype(entry["dtype"]), tuple(entry["shape"])
        data = self._data(name, entry)
        if data.size != int(np.prod(shape, dtype=np.int64)) * kind.itemsize:
            raise CheckpointException(
                f"torch.distributed.checkpoint: the size of {name!r} does not fit its shape {list(shape)}"
            )
        return from_array(data.view(kind).reshape(shape))

    def object(self, name: str, entry: Entry) -> Any:
        """Returns an entry that is not a tensor: data alone, as `torch.load(weights_only=True)` reads it."""
        return load(io.BytesIO(self._data(name, entry).tobytes()), weights_only=True)


def _sync(folder: Path) -> None:
    """Makes a renaming last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
