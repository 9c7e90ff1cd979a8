"""Arrays and texts in files: written to a temporary name and renamed, read as data alone, with every size checked
before memory is allocated."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from hashlib import blake2b
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ..._core.api import Tensor
from ..._core.api import functions as torch
from .answers import content
from .editing import Filed

__all__ = ["BadFile", "Storages", "write_file", "written"]

written = {"files": 0, "bytes": 0}
"""Number of files and bytes that this process wrote."""


class BadFile(RuntimeError):
    """A file is not what it should be: which file, and why."""


def write_file(path: Path, data: str | bytes) -> Path:
    """Writes a file whole or not at all: it gets its name when all of it is on disk."""
    raw = data.encode() if isinstance(data, str) else data
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(raw)
            out.flush()
            os.fsync(out.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    written["files"] += 1
    written["bytes"] += len(raw)
    return path


def tensor_of(raw: bytes, shape: Sequence[int], dtype: Any) -> Tensor:
    """The tensor of these bytes, which are as many as it has."""
    flat = torch.from_numpy(np.frombuffer(raw, np.uint8).copy())
    return (flat.bool() if dtype.name == "bool" else flat.view(dtype)).reshape(tuple(shape))


class Storages:
    """A folder of the bytes of tensors, each under the digest of them: equal ones once."""

    def __init__(self, folder: Path | str):
        self.folder = Path(folder)

    def write(self, t: Tensor) -> str:
        """Writes a tensor's numbers, unless they are there; returns their digest."""
        raw = content(t)
        name = blake2b(raw, digest_size=20).hexdigest()
        path = self.folder / name
        if not (path.exists() and path.stat().st_size == len(raw)):
            write_file(path, raw)
        return name

    def read(self, name: str, shape: Sequence[int], dtype: Any) -> Tensor | None:
        """The tensor of these bytes; None if the file does not exist. Raises BadFile if it holds something else."""
        if len(name) != 40 or any(c not in "0123456789abcdef" for c in name):
            raise BadFile(f"expected the digest of a storage, but got {name!r}")
        path = self.folder / name
        if not path.is_file():
            return None
        size = prod(shape) * dtype.itemsize
        there = path.stat().st_size
        if there != size:
            raise BadFile(f"{path}: it has {there} bytes, where {tuple(shape)} of {dtype} has {size}")
        raw = path.read_bytes()
        if blake2b(raw, digest_size=20).hexdigest() != name:
            raise BadFile(f"{path}: its bytes are not those that its name is the digest of")
        return tensor_of(raw, shape, dtype)

    def put_away(self, t: Tensor) -> Filed:
        """Writes a tensor's numbers to this folder, and returns a stand-in that loads them."""
        name, shape, dtype, wants = self.write(t), tuple(t.shape), t.dtype, t.requires_grad

        def load() -> Tensor:
            found = self.read(name, shape, dtype)
            if found is None:
                raise BadFile(f"{self.folder / name} is gone")
            return found.requires_grad_(wants)

        return Filed(load)
