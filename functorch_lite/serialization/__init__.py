"""torch.save and torch.load: PyTorch's own files, written and read without PyTorch. Nothing in a file is ever executed.

A file is a zip archive: `data.pkl` (a pickle of everything but numbers), `data/0`, `data/1`, … (the bytes of each
storage), `byteorder` and `version`. Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

from typing import Any, TypeAlias

from ..api_names import close, lookup_of
from .archive import ArchiveReader as ArchiveReader
from .archive import load_endianness as load_endianness
from .archive import write_archive as write_archive
from .loading import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    get_unsafe_globals_in_checkpoint,
    load,
    safe_globals,
)
from .saving import location_tag, save

__all__ = [
    "add_safe_globals", "clear_safe_globals", "get_safe_globals", "get_unsafe_globals_in_checkpoint",
    "load", "location_tag", "safe_globals", "save",
]  # fmt: skip

FILE_LIKE: TypeAlias = Any
"""Type of the file that `save` and `load` take: a path or a binary file."""
MAP_LOCATION: TypeAlias = Any
"""Type of `map_location`: a device, its name, a dict of these, a function, or None."""

__getattr__ = lookup_of(__name__)

close(__name__)
